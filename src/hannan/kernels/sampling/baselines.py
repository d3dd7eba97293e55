"""Baselines: guesses of what a child is worth, which take the variance out of what was drawn.

M. Schmid, N. Burch, M. Lanctot, M. Moravčík, R. Kadlec, M. Bowling (2019), Variance reduction in Monte Carlo
counterfactual regret minimization (VR-MCCFR). T. Davis, M. Schmid, M. Bowling (2020), Low-variance and zero-variance
baselines for extensive-form games: predictive baselines.
"""

from __future__ import annotations

from hannan.kernels import inlined, shared
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.modes import Mode
from hannan.kernels.sampling.moves import answered
from hannan.kernels.sampling.nodes import Here
from hannan.kernels.sampling.others import Moved
from hannan.kernels.sampling.records import Board, SamplingPlan, Scratch, Tables


@inlined
def basis_of(here: Here, plan: SamplingPlan, mode: Mode) -> int:
    """Return the entry of the baseline for the first move here; -1: not kept.

    It is kept for histories (and begins where the children do), or for the sets of single movers.
    """
    if mode.baselined:
        if plan.key == rec.HISTORY:
            return here.children
        if here.who < rec.JOINT:
            return here.first  # OUTSIDE: not kept
    return -1


@inlined
def expect(
    here: Here, moved: Moved, basis: int, at: int, i: int, depth: int, board: Board, tables: Tables, scratch: Scratch
) -> float:
    """Return a node's baseline, and add the baselines of the traverser's actions to their values.

    The others' moves weigh what they are played with; the traverser's own are kept apart.
    """
    learnt, baseline, expected = tables.learnt, tables.baseline, 0.0
    for c in range(here.moves):
        a, played = c, 1.0
        if here.who == rec.CHANCE:
            played = board.probability[basis + c]
        elif here.who != i:
            a, played = answered(c, i, scratch.mover[depth], here.movers, learnt)
        if moved.ours:
            scratch.value[at + a] += played * baseline[i, basis + c]
            expected += learnt[moved.first + a] * played * baseline[i, basis + c]
        else:
            expected += played * baseline[i, basis + c]
    return expected


@inlined
def note(entry: int, seen: float, scratch: Scratch) -> bool:
    """Write down the target of a learned baseline; return False if the room is full."""
    used = scratch.used[0]
    k = used.noted
    if k == scratch.note.size:
        return False
    scratch.note[k], scratch.noted[k] = entry, seen
    used.noted = k + 1
    return True


@inlined
def follow(h: int, scratch: Scratch) -> bool:
    """Write down that a node was visited; return False if the room is full."""
    used = scratch.used[0]
    k = used.visited
    if k == scratch.visited.size:
        return False
    scratch.visited[k] = h
    used.visited = k + 1
    return True


@shared
def back_up(board: Board, tables: Tables, players: int, h: int) -> None:
    """Make the baseline of one node, for every player, what its children's baselines say under current play."""
    node, baseline, strategy, slot = board.node, tables.baseline, tables.learnt, board.slot
    who, count, first = node[h, rec.KIND] % rec.KINDS, node[h, rec.KIND] // rec.KINDS, node[h, rec.FIRST]
    for p in range(players):
        value = 0.0
        for c in range(count):
            child = node[h, rec.CHILD] + c
            if who == rec.CHANCE:
                weight = board.probability[child]
            elif who == rec.JOINT:
                weight, rest = 1.0, c
                for m in range(slot[first, rec.MOVERS] - 1, -1, -1):
                    weight *= strategy[slot[first + m, rec.BEGIN] + rest % slot[first + m, rec.SIZE]]
                    rest //= slot[first + m, rec.SIZE]
            else:
                weight = strategy[first + c]
            value += weight * baseline[p, child]
        if node[h, rec.GAIN_ROW] >= 0:
            value += board.gain[node[h, rec.GAIN_ROW], p]
        baseline[p, h] = value
