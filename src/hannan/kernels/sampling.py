"""One walk for every sampler: depth first over those histories that were drawn, on a tree or on compiled rules.

A walk belongs to one player, the traverser. At its own sets it takes every action, k of them, or one; elsewhere one
move is drawn, or (chance sampling) all moves of the other players are taken. Every sampler then has one formula: with
b the baseline (0 without one), ξ the probability of drawing the traverser's action, ρ what the others' moves count
for (1 where they were drawn as they are played),

    v(h) = gain(h) + Σ p·b + Σ ρ·(v(child) − b)             v(a) = b(a) + Σ ρ·(v(child) − b)/ξ at an own set.

Nothing is learnt before a walk is complete, so a walk that runs out of room is begun again by the caller, to the
same bits. The game is a tree (the functions are None) or compiled rules (`board` is None): numba drops branches under
`is not None` where the argument is None.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit, types

from hannan.kernels.samplingparts import GOLDEN, S11, UNIT, back_up, drawn, learn, mixed, slot_of_set, wandered
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONGS, TABLE

# isort: off
from hannan.kernels.samplingrecords import (
    ACTION, ACTIONS_DIFFER, ACTORS, AT, BASE, BASIS, BEGIN, CELLS, CHANCE, CHILD, CHILDREN, CURSOR, DEPTH, DONE,
    DRAWN, END, FIRST, GAINED, GAIN_ROW, HISTORY, JOINT, KIND, KINDS, LEARNED, LEARNING, LISTED, MORE_SCRATCH,
    MORE_SETS, MOVERS, NOT_A_DISTRIBUTION, NO_BASELINE, NO_MOVES, ONE, ORACLE, OWN, OWN_SIZE, PICKS, PLAYER,
    PREDICTIVE, REACH, RHO, ROOT, SCALE, SEQUENCE, SETS, SIMPLE, SIZE, STEPS, STRIDE, SUM, TOO_DEEP, TOUCHED, T_AT,
    T_CHILD, T_COUNT, T_FIRST, T_OWN, T_STRIDE, VISITED, WALKS, WEIGHT, WEIGHTED, W_REACH, W_VALUE, W_WEIGHT, XI,
    Board, Plan, Scratch, Tables,
)  # fmt: skip
# isort: on


def _walks(
    start: Any,
    turn: Any,
    actions: Any,
    chance: Any,
    move: Any,
    observe: Any,
    gains: Any,
    table: Any,
    board: Any,
    plan: Plan,
    tables: Tables,
    scratch: Scratch,
    until: int,
) -> int:
    players, averaging = plan.players, plan.averaging
    learnt, clock = tables.learnt, tables.clock
    stamp, empty, baseline, measure, given, count_of = (
        tables.stamp, tables.empty, tables.baseline, tables.measure, tables.given, tables.counts,
    )  # fmt: skip
    set_parent, set_observation, set_base, set_size = (
        tables.set_parent, tables.set_observation, tables.set_base, tables.set_size,
    )  # fmt: skip
    buckets, root = tables.buckets, tables.root
    shown, visited, note, noted = scratch.shown, scratch.visited, scratch.note, scratch.noted
    frame, real, pick, ratio, mover = scratch.frame, scratch.real, scratch.pick, scratch.ratio, scratch.mover
    touched, worth, value = scratch.touched, scratch.worth, scratch.value
    state, last, code, odds, trail = scratch.state, scratch.last, scratch.code, scratch.chance, scratch.trail
    if board is not None:
        nodes_of, chances, gain_of, slot_of = board.node, board.probability, board.gain, board.slot
    here, choice = np.zeros(players), np.zeros(players, np.int64)
    baselined = plan.baseline != NO_BASELINE
    wandering, keep = plan.epsilon if plan.explore == 1 else 0.0, 1.0 - plan.epsilon
    drawing = plan.others == 0 and averaging != SIMPLE and wandering == 0.0 and not baselined
    rows, width = frame.shape[0], pick.shape[1]
    random = tables.random[0]
    status = DONE
    h, children, result = 0, 0, 0.0
    i = count_of[WALKS] % players - 1
    while count_of[WALKS] < until and status == DONE:
        i = i + 1 if i + 1 < players else 0
        if plan.only >= 0:
            i = plan.only
        begun = random
        touches, used, shows, visits, notes, nodes, depth = 0, 0, 0, 0, 0, 0, 0
        if board is not None:
            if plan.baseline == ORACLE:
                for node in range(nodes_of.shape[0] - 1, -1, -1):
                    back_up(board, tables, players, node)
            h = 0
        if turn is not None:
            steps = 0
            state[0, :] = 0
            start(table, state[0])
            for p in range(players):
                last[0, p] = empty[p]
        own = empty[i]  # the traverser's last sequence
        weight = reach = probability = (
            1.0  # others' reach over the probability of the draw; own reach; that probability
        )
        lead, scale = 0.0, 1.0  # the value of the frame's child is lead + scale·(value of the node here)
        while True:
            # the node here: who moves, and where is what was learnt about it
            nodes += 1
            if board is not None:
                kind = nodes_of[h, KIND]
                who, count = kind & (KINDS - 1), kind // KINDS
                children, first = nodes_of[h, CHILD], nodes_of[h, FIRST]
                row = nodes_of[h, GAIN_ROW]
                gained = gain_of[row, i] if row >= 0 else 0.0
                actors = 1
                if who == JOINT:
                    actors = slot_of[first, MOVERS]
                    for m in range(actors):
                        for column in range(3):
                            mover[depth, m, column] = slot_of[first + m, column]
                if baselined:
                    if visits == visited.size:
                        status = MORE_SCRATCH
                        break
                    visited[visits] = h
                    visits += 1
            if turn is not None:
                if steps == trail.size:
                    status = TOO_DEEP
                    break
                here[:] = 0.0
                gains(table, state[depth], here)
                gained = here[i]
                turned = turn(table, state[depth])
                who, count, first, actors = END, 1, 0, 0
                if turned == 0:
                    who = CHANCE
                    count = chance(table, state[depth], code[depth, 0], odds[depth])
                    whole = 0.0
                    first = 1
                    for k in range(count):
                        whole += odds[depth, k]
                        if odds[depth, k] != odds[depth, 0]:
                            first = 0
                        if not odds[depth, k] >= 0.0:
                            status = NOT_A_DISTRIBUTION
                    if not abs(whole - 1.0) < 1e-9:
                        status = NOT_A_DISTRIBUTION
                elif turned > 0:
                    for p in range(players):
                        if (turned >> p) & 1 == 0:
                            continue
                        size = actions(table, state[depth], p, code[depth, actors])
                        if size < 1:
                            status = NO_MOVES
                            break
                        seen = observe(table, state[depth], p)
                        before = last[depth, p]
                        mask = buckets.size - 1
                        spot = slot_of_set(before, seen, mask)
                        place = buckets[spot]
                        while place >= 0 and (set_parent[place] != before or set_observation[place] != seen):
                            spot = (spot + 1) & mask
                            place = buckets[spot]
                        if place < 0:
                            place = count_of[SETS]
                            first = count_of[CELLS] + 1
                            if place == set_parent.size or first + 3 * size > learnt.size:
                                status = MORE_SETS
                                break
                            buckets[spot] = place
                            set_parent[place] = before
                            set_observation[place] = seen
                            set_base[place] = first
                            set_size[place] = size
                            count_of[SETS] += 1
                            count_of[CELLS] += 1 + 3 * size
                            for k in range(size):
                                learnt[first + k] = 1.0 / size
                        first = set_base[place]
                        if set_size[place] != size:
                            status = ACTIONS_DIFFER
                            break
                        mover[depth, actors, PLAYER] = p
                        mover[depth, actors, BEGIN] = first
                        mover[depth, actors, SIZE] = size
                        who = p if actors == 0 else JOINT
                        count *= size
                        actors += 1
                if status != DONE:
                    break

            if who == END:
                result = lead + scale * gained
                depth -= 1
                while depth >= 0:
                    # take the child's value in; where it was the last child, go up with this node's
                    k = frame[depth, CURSOR]
                    child, action, rho = frame[depth, BASE] + k * frame[depth, STRIDE], k, real[depth, RHO]
                    action += frame[depth, ACTION]
                    if frame[depth, LISTED]:
                        child, action, rho = pick[depth, k, 0], pick[depth, k, 1], ratio[depth, k]
                    if frame[depth, BASIS] >= 0:
                        entry = frame[depth, BASIS] + child
                        if plan.baseline == LEARNED:
                            if notes == note.size:
                                status = MORE_SCRATCH
                                break
                            note[notes] = entry
                            noted[notes] = result
                            notes += 1
                        result -= baseline[i, entry]
                    result *= rho
                    at = frame[depth, AT]
                    if at >= 0:
                        result /= real[depth, XI]
                        value[at + action] += result
                        result *= learnt[frame[depth, SEQUENCE] + action]
                    result += real[depth, SUM]
                    real[depth, SUM] = result
                    frame[depth, CURSOR] = k + 1
                    if k + 1 < frame[depth, PICKS]:
                        break
                    if at >= 0:
                        worth[frame[depth, TOUCHED], W_VALUE] = result
                    result = real[depth, GAINED] + real[depth, SCALE] * result
                    depth -= 1
                if depth < 0 or status != DONE:
                    break
            else:
                # draw what chance and the other players do
                basis = -1
                if baselined:
                    if plan.key == HISTORY:
                        basis = children
                    elif who < JOINT:
                        basis = first
                ours, own_first, own_size, stride, offset = who == i, first, count, 1, 0
                rho = 1.0  # what the moves drawn count for
                if who == CHANCE:
                    if count > 1:
                        random += GOLDEN
                        u = np.int64(mixed(random) >> S11) * UNIT
                        if first == 1:
                            offset = int(u * count)
                        else:
                            if board is not None:
                                offset = drawn(chances, children, count, u)
                            if turn is not None:
                                offset = drawn(odds[depth], 0, count, u)
                    if averaging == WEIGHTED:
                        if board is not None:
                            probability *= chances[children + offset]
                        if turn is not None:
                            probability *= odds[depth, offset]
                elif not ours:
                    if board is not None:  # noqa: SIM102  # numba drops this test alone
                        if who < JOINT and not drawing:
                            mover[depth, 0, PLAYER] = who
                            mover[depth, 0, BEGIN] = first
                            mover[depth, 0, SIZE] = count
                    if who < JOINT and drawing:
                        if count > 1:
                            random += GOLDEN
                            u = np.int64(mixed(random) >> S11) * UNIT
                            offset = drawn(learnt, first, count, u)
                            if averaging == WEIGHTED:
                                probability *= learnt[first + offset]
                    else:
                        many = 1
                        for m in range(actors - 1, -1, -1):
                            p, begin, size = mover[depth, m, PLAYER], mover[depth, m, BEGIN], mover[depth, m, SIZE]
                            if p == i:
                                ours, own_first, own_size, stride = True, begin, size, many
                            else:
                                if averaging == SIMPLE and p == (i + 1) % players:
                                    if shows == shown.shape[0]:
                                        status = MORE_SCRATCH
                                        break
                                    shown[shows, 0] = begin
                                    shown[shows, 1] = size
                                    shows += 1
                                if plan.others == 0:
                                    k = 0
                                    if size > 1:
                                        random += GOLDEN
                                        u = np.int64(mixed(random) >> S11) * UNIT
                                        if wandering > 0.0:
                                            even = wandering / size
                                            k = wandered(learnt, begin, size, even, 1.0 - wandering, u)
                                            xi = even + (1.0 - wandering) * learnt[begin + k]
                                            rho *= learnt[begin + k] / xi
                                            probability *= xi
                                        else:
                                            k = drawn(learnt, begin, size, u)
                                            probability *= learnt[begin + k]
                                    offset += k * many
                            many *= size
                    if status != DONE:
                        break
                if not (ours or basis >= 0 or (plan.others == 1 and who != CHANCE)):
                    # nothing to decide or correct: pass through, in place
                    lead += scale * gained
                    scale *= rho
                    weight *= rho
                    if board is not None:
                        h = children + offset
                    if turn is not None:
                        trail[steps] = offset
                        steps += 1
                        if who == CHANCE:
                            choice[0] = code[depth, 0, offset]
                            actors = 0
                        for m in range(actors - 1, -1, -1):
                            size = mover[depth, m, SIZE]
                            choice[m] = code[depth, m, offset % size]
                            last[depth, mover[depth, m, PLAYER]] = mover[depth, m, BEGIN] + 2 * size + offset % size
                            offset //= size
                        move(table, state[depth], choice)
                    continue
                if depth + 1 >= rows or count > width:
                    status = MORE_SCRATCH
                    break
                # choose the children to visit
                picks, base, action, listed, xi, at = 1, offset, 0, False, 1.0, -1
                if ours:
                    at = used
                    used += own_size
                    if touches == touched.shape[0] or used > value.size:
                        status = MORE_SCRATCH
                        break
                    for a in range(np.uint64(at), np.uint64(used)):
                        value[a] = 0.0
                    touched[touches, T_FIRST] = own_first
                    touched[touches, T_COUNT] = own_size
                    touched[touches, T_AT] = at
                    touched[touches, T_OWN] = own
                    touched[touches, T_CHILD] = children
                    touched[touches, T_STRIDE] = stride
                    worth[touches, W_WEIGHT] = weight
                    if averaging == WEIGHTED:
                        worth[touches, W_REACH] = reach / probability
                    frame[depth, TOUCHED] = touches
                    touches += 1
                if plan.others == 1 and who != CHANCE and who != i:
                    listed, picks = True, 0
                    for c in range(count):
                        played, rest = 1.0, c
                        for m in range(actors - 1, -1, -1):
                            size = mover[depth, m, SIZE]
                            if mover[depth, m, PLAYER] == i:
                                action = rest % size
                            else:
                                played *= learnt[mover[depth, m, BEGIN] + rest % size]
                            rest //= size
                        if played > 0.0:
                            pick[depth, picks, 0] = c
                            pick[depth, picks, 1] = action
                            ratio[depth, picks] = played
                            picks += 1
                elif ours and plan.own == ONE:
                    even = plan.epsilon / own_size
                    if own_size > 1:
                        random += GOLDEN
                        u = np.int64(mixed(random) >> S11) * UNIT
                        action = wandered(learnt, own_first, own_size, even, keep, u)
                    xi = even + keep * learnt[own_first + action]
                    base = offset + action * stride
                elif ours and plan.own >= own_size:
                    picks = own_size
                elif ours:
                    listed, picks = True, 0
                    xi = plan.own / own_size
                    for a in range(own_size):
                        taken = own_size - a == plan.own - picks
                        if not taken:
                            if picks == plan.own:
                                break
                            random += GOLDEN
                            u = np.int64(mixed(random) >> S11) * UNIT
                            taken = u * (own_size - a) < plan.own - picks
                        if taken:
                            pick[depth, picks, 0] = offset + a * stride
                            pick[depth, picks, 1] = a
                            ratio[depth, picks] = rho
                            picks += 1
                expected = 0.0
                if basis >= 0:
                    # the others' moves weigh what they are played with; the traverser's own are kept apart
                    for c in range(count):
                        played, rest, a = 1.0, c, 0
                        if who == CHANCE:
                            if board is not None:
                                played = chances[basis + c]
                            if turn is not None:
                                played = odds[depth, c]
                        elif who == i:
                            a = c
                        else:
                            for m in range(actors - 1, -1, -1):
                                size = mover[depth, m, SIZE]
                                if mover[depth, m, PLAYER] == i:
                                    a = rest % size
                                else:
                                    played *= learnt[mover[depth, m, BEGIN] + rest % size]
                                rest //= size
                        if ours:
                            value[at + a] += played * baseline[i, basis + c]
                            expected += learnt[own_first + a] * played * baseline[i, basis + c]
                        else:
                            expected += played * baseline[i, basis + c]
                frame[depth, CHILDREN] = children
                frame[depth, BASE] = base
                frame[depth, STRIDE] = stride
                frame[depth, ACTION] = action
                frame[depth, LISTED] = listed
                frame[depth, PICKS] = picks
                frame[depth, CURSOR] = 0
                frame[depth, SEQUENCE] = own_first
                frame[depth, OWN_SIZE] = own_size
                frame[depth, OWN] = own
                frame[depth, AT] = at
                frame[depth, BASIS] = basis
                frame[depth, ACTORS] = actors if who != CHANCE else 0
                if turn is not None:
                    frame[depth, STEPS] = steps
                real[depth, GAINED] = lead + scale * gained
                real[depth, SCALE] = scale
                real[depth, WEIGHT] = weight
                real[depth, RHO] = rho
                real[depth, XI] = xi
                real[depth, SUM] = expected
                real[depth, REACH] = reach
                real[depth, DRAWN] = probability

            # step into the next child of the frame
            k = frame[depth, CURSOR]
            child, action, rho = (
                frame[depth, BASE] + k * frame[depth, STRIDE],
                k + frame[depth, ACTION],
                real[depth, RHO],
            )
            if frame[depth, LISTED]:
                child, action, rho = pick[depth, k, 0], pick[depth, k, 1], ratio[depth, k]
            own = frame[depth, OWN]
            weight = real[depth, WEIGHT] * rho / real[depth, XI]
            lead, scale = 0.0, 1.0
            reach = real[depth, REACH]
            probability = real[depth, DRAWN] * real[depth, XI]
            if frame[depth, AT] >= 0:
                own = frame[depth, SEQUENCE] + 2 * frame[depth, OWN_SIZE] + action
                if averaging == WEIGHTED:
                    reach *= learnt[frame[depth, SEQUENCE] + action]
            if board is not None:
                h = frame[depth, CHILDREN] + child
            if turn is not None:
                steps = frame[depth, STEPS]
                trail[steps] = child
                steps += 1
                for k in range(state.shape[1]):
                    state[depth + 1, k] = state[depth, k]
                for p in range(players):
                    last[depth + 1, p] = last[depth, p]
                if frame[depth, ACTORS] == 0:
                    choice[0] = code[depth, 0, child]
                for m in range(frame[depth, ACTORS] - 1, -1, -1):
                    size = mover[depth, m, SIZE]
                    choice[m] = code[depth, m, child % size]
                    last[depth + 1, mover[depth, m, PLAYER]] = mover[depth, m, BEGIN] + 2 * size + child % size
                    child //= size
                move(table, state[depth + 1], choice)
            depth += 1

        if status != DONE:
            random = begun
            if turn is not None:
                count_of[DEPTH] = steps
            break
        count_of[VISITED] += nodes
        if plan.measuring == ROOT:
            count_of[WALKS] += 1
            root[0, i] += 1.0
            root[1, i] += result
            root[2, i] += result * result
            continue
        learn(
            plan, i, touches, shows, notes, learnt, clock, stamp, empty, baseline, measure, given, count_of, touched,
            worth, value, shown, note, noted,
        )  # fmt: skip
        if board is not None:  # noqa: SIM102  # numba drops this test alone
            if plan.baseline == PREDICTIVE and plan.measuring == LEARNING:
                for j in range(visits - 1, -1, -1):
                    back_up(board, tables, players, visited[j])
    tables.random[0] = random
    return status


@cache
def walker(on_rules: bool) -> Any:
    """Return the compiled walks on a tree or on compiled rules; compiled (or loaded from the cache) on first use."""
    table2, longs2 = types.Array(types.float64, 2, "C"), types.Array(types.int64, 2, "C")
    longs3, ints2 = types.Array(types.int64, 3, "C"), types.Array(types.int32, 2, "C")
    plan = types.NamedTuple((types.int64,) * 10 + (types.float64,) * 5, Plan)
    random = types.Array(types.uint64, 1, "C")
    tables = types.NamedTuple((FLOATS, FLOATS, LONGS, LONGS, *(table2,) * 4, *(LONGS,) * 6, random), Tables)
    scratch = types.NamedTuple(
        (longs2, table2, longs3, table2, longs3, longs2, table2, FLOATS, longs2, LONGS, LONGS, FLOATS, longs2, LONGS,
         longs2, longs3, table2),
        Scratch,
    )  # fmt: skip
    nothing = types.none
    if on_rules:
        source: Any = (*FUNCTIONS, TABLE, nothing)
    else:
        board = types.NamedTuple((ints2, FLOATS, table2, ints2), Board)
        source = (*(nothing,) * 8, board)
    return njit((*source, plan, tables, scratch, types.int64), cache=True, error_model="numpy", nogil=True)(_walks)
