"""One walk for every sampler: depth first over those histories that were drawn, on a tree or on rules.

A walk belongs to one player, the traverser. At its own sets it takes every action, k of them, or one; elsewhere one
move is drawn, or (chance sampling) all moves of the other players are taken. Every sampler then has one formula: with
b the baseline (0 without one), ξ the probability of drawing the traverser's action, ρ what the others' moves count
for (1 where they were drawn as they are played),

    v(h) = gain(h) + Σ p·b + Σ ρ·(v(child) − b)             v(a) = b(a) + Σ ρ·(v(child) − b)/ξ at an own set.

At each node a walk

1. comes to it: who moves, and where is what was learnt (`nodes`);
2. lets chance and the other players move (`others`);
3. passes on at once if there is nothing to decide or to correct, else puts the node on the stack with the children to
   visit (`choosing`, `baselines`, `frames`), and goes on to the first of them;
4. at an end of play, climbs to the nearest node with a child left, taking values in (`frames`).

Nothing is learnt (`learning`) before a walk is complete, so a walk that runs out of room is begun again by the caller,
to the same bits. The game is a tree (the functions are None) or rules, whose board then numbers those histories that
must be known again: numba drops branches under `is None` where it knows better. All parts become one function.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.kernels import inlined, signed
from hannan.kernels.addresses import address
from hannan.kernels.lent import borrowed
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.baselines import back_up, basis_of, follow
from hannan.kernels.sampling.entries import limit_entries, take_back
from hannan.kernels.sampling.frames import climb, copy_below, descend, make_move, number_of, open_frame
from hannan.kernels.sampling.modes import Mode, mode_of
from hannan.kernels.sampling.nodes import meet, read
from hannan.kernels.sampling.others import Road, let_move
from hannan.kernels.sampling.records import Board, SamplingPlan, Scratch, Tables
from hannan.kernels.sampling.types import BOARD, PLAN, SCRATCH, TABLES
from hannan.kernels.sampling.updates import clear, learn, record_root
from hannan.kernels.signatures import BESIDE, FUNCTIONS, TABLE, Book
from hannan.kernels.statuses import DONE, MORE_VISITS, TOO_DEEP, TOO_LARGE
from hannan.turns import MOST_GAIN


def _walks(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    board: Board, plan: SamplingPlan, tables: Tables, scratch: Scratch, until: int, extras: Any, again: bool,
) -> int:  # fmt: skip
    """Make walks until there were `until` in all; return how it ended."""
    tables, scratch, board, players = borrowed(tables), borrowed(scratch), borrowed(board), plan.players
    if turn is None:
        rules = None
    if turn is not None:
        rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    mode, counts, random, status = mode_of(plan, extras), tables.counts, tables.random, DONE
    i = counts[rec.WALKS] % players - 1
    while counts[rec.WALKS] < until and status == DONE:
        i = i + 1 if i + 1 < players else 0
        if mode.only >= 0:
            i = mode.only
        begun, sets, cells = random[0], counts[rec.SETS], counts[rec.CELLS]
        if turn is not None:
            limit_entries(players, tables)
        if turn is None:  # noqa: SIM102  # numba drops this test alone
            if mode.baselined and plan.baseline == rec.ORACLE:
                for h in range(board.node.shape[0] - 1, -1, -1):
                    back_up(board, tables, players, h)
        status, result = _walk(i, again, rules, plan, mode, board, tables, scratch)
        if status == DONE and not abs(result) <= MOST_GAIN:  # before anything is learnt from it
            status = TOO_LARGE
        if status != DONE:
            random[0] = begun
            clear(scratch)
            if turn is not None:  # noqa: SIM102
                if counts[rec.TABLE] != rec.WHOLE:
                    take_back(sets, cells, tables)
        elif mode.rooted:
            clear(scratch)
            record_root(i, result, tables)
        else:
            learn(i, plan, tables, scratch)
            if mode.following:
                for k in range(scratch.used[0].visited - 1, -1, -1):
                    back_up(board, tables, players, scratch.visited[k])
    return status


@inlined
def _walk(
    i: int, again: bool, rules: Any, plan: SamplingPlan, mode: Mode, board: Board, tables: Tables, scratch: Scratch
) -> tuple[int, float]:
    """Make one walk for player i; return how it ended, and the sampled value of the game to i."""
    used, counts = scratch.used[0], tables.counts
    used.touched, used.values, used.shown, used.visited, used.noted = 0, 0, 0, 0, 0
    j = i + 1 if i + 1 < plan.players else 0  # whose average this walk is for, where it is not kept lazily
    zero: int = np.int64(0)  # type: ignore[assignment]  # a literal is a type of its own: all would compile twice
    h, depth, steps, nodes, status, result = zero, zero, zero, zero, DONE, 0.0
    if rules is not None:
        h = _begin(rules, board, tables, scratch)
    road = Road(tables.empty[i], 1.0, 1.0, 1.0, 0.0, 1.0)
    while True:
        nodes += 1
        if rules is None:
            here = read(h, depth, i, not mode.drawing, board, scratch)
        if rules is not None:
            if steps == scratch.trail.size:
                status = TOO_DEEP
                break
            here = meet(h, depth, i, mode.numbering, again, mode, rules, board, tables, scratch)
            if here.status != DONE:
                status = here.status
                break
        if mode.following and not follow(h, scratch):
            status = MORE_VISITS
            break
        if here.who == rec.END:
            status, depth, result = climb(
                depth - 1, road.lead + road.scale * (here.gained - tables.terms[0, i]), i, plan, tables, scratch
            )
            if depth < 0 or status != DONE:
                break
        else:
            moved = let_move(here, i, j, depth, road, mode, rules, board, tables, scratch)
            basis = basis_of(here, plan, mode)
            if moved.status != DONE:
                status = moved.status
                break
            if not (moved.ours or basis >= 0 or (mode.everybody and here.who != rec.CHANCE)):
                # nothing to decide or to correct: pass through, in place
                lead = road.lead + road.scale * here.gained
                scale, weight = road.scale * moved.rho, road.weight * moved.rho
                road = Road(road.own, weight, moved.reach, moved.drawn, lead, scale)
                h = number_of(here.children, moved.offset)
                if rules is not None:
                    steps = make_move(
                        moved.offset, here.movers, here.coded, depth, depth, steps, rules, board, tables, scratch
                    )  # fmt: skip
                continue
            status = open_frame(here, moved, basis, i, j, depth, steps, road, plan, mode, board, tables, scratch)
            if status != DONE:
                break
        child, h, road = descend(depth, i, j, mode, tables, scratch)
        if rules is not None:
            copy_below(depth, scratch)
            top = scratch.frame[depth]
            steps = make_move(child, top.movers, top.coded, depth, depth + 1, top.steps, rules, board, tables, scratch)
        depth += 1
    if status == DONE:
        counts[rec.VISITED] += nodes
    if rules is not None:  # noqa: SIM102
        if status != DONE:
            counts[rec.DEPTH] = steps
    return status, result


@inlined
def _begin(rules: Book, board: Board, tables: Tables, scratch: Scratch) -> int:
    """Write the first state; return the number of its history on the board, -1 without a board."""
    for k in range(scratch.state.shape[1] - BESIDE):
        scratch.state[0, k] = 0
    rules.start(rules.table, address(scratch.state, 0))
    for p in range(tables.empty.size):
        scratch.last[0, p] = tables.empty[p]
    return 0 if board.node.shape[0] > 0 else -1


@cache
def walker(on_rules: bool, lean: bool) -> Any:
    """Return the compiled walks on a tree or on rules; compiled (or loaded from the cache) on first use.

    Lean walks leave out what outcome, external and robust sampling do without, if they are not measured: everything
    that is set under `extras`.
    """
    functions = (*FUNCTIONS, TABLE) if on_rules else (types.none,) * 8
    extras = types.none if lean else types.boolean
    source = (*functions, BOARD, PLAN, TABLES, SCRATCH, types.int64, extras, types.boolean)
    return signed(_walks, source)
