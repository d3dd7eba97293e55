"""One walk for every sampler: depth first over those histories that were drawn, on a tree or on compiled rules.

A walk belongs to one player, the traverser. At its own sets it takes every action, k of them, or one; elsewhere one
move is drawn, or (chance sampling) all moves of the other players are taken. Every sampler then has one formula: with
b the baseline (0 without one), ξ the probability of drawing the traverser's action, ρ what the others' moves count
for (1 where they were drawn as they are played),

    v(h) = gain(h) + Σ p·b + Σ ρ·(v(child) − b)             v(a) = b(a) + Σ ρ·(v(child) − b)/ξ at an own set.

Nothing is learnt before a walk is complete, so a walk that runs out of room is begun again by the caller, to the
same bits. Where `turn` is None the game is a tree, else it is compiled rules; numba drops the other branch.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit, types

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.samplingrecords import (
    ACTIONS_DIFFER,
    ACTORS,
    ALL,
    AT,
    BASIS,
    BEGIN,
    CHANCE,
    CHILD,
    CHILDREN,
    COUNT,
    CURSOR,
    DISCOUNTED,
    DONE,
    DRAW,
    DRAWN,
    END,
    FIRST,
    FIRST_CHILD,
    GAIN_ROW,
    GAINED,
    HISTORY,
    JOINT,
    LAZY,
    LEARNED,
    MATCHING_PLUS,
    MORE_SCRATCH,
    MORE_SETS,
    MOVER,
    NO_BASELINE,
    NO_MOVES,
    NODE,
    NOT_A_DISTRIBUTION,
    ONE,
    ORACLE,
    OWN,
    OWN_SET,
    OWN_SIZE,
    PICKS,
    PLACE,
    PLAYER,
    PREDICTIVE,
    REACH,
    SEQUENCE,
    SEQUENCES,
    SET,
    SETS,
    SIMPLE,
    SIZE,
    STRIDE,
    SUM,
    T_AT,
    T_COUNT,
    T_FIRST,
    T_OWN,
    T_SET,
    TOUCHED,
    VISITED,
    W_REACH,
    W_VALUE,
    W_WEIGHT,
    WALKS,
    WEIGHT,
    WEIGHTED,
    WHO,
    XI,
    Board,
    Plan,
    Scratch,
    Tables,
)
from hannan.kernels.signatures import FLOATS, FUNCTIONS, LONGS, TABLE

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53


@kernel
def _mixed(z: Any) -> Any:
    z = (z ^ (z >> S30)) * FIRST_FACTOR
    z = (z ^ (z >> S27)) * SECOND_FACTOR
    return z ^ (z >> S31)


@kernel
def _slot(sequence: int, observation: int, mask: int) -> int:
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    mixed ^= mixed >> 29
    mixed *= -4658895280553007687
    mixed ^= mixed >> 32
    return mixed & mask


@kernel
def rehash(sets: int, set_parent: Longs, set_observation: Longs, buckets: Longs) -> None:
    """Fill empty buckets with the sets that there are."""
    mask = buckets.size - 1
    buckets[:] = -1
    for j in range(sets):
        place = _slot(set_parent[j], set_observation[j], mask)
        while buckets[place] >= 0:
            place = (place + 1) & mask
        buckets[place] = j


@kernel
def match(regret: Floats, strategy: Floats, first: int, count: int, plus: bool) -> None:
    """Play in proportion to positive regret; uniformly where there is none."""
    total = 0.0
    for s in range(first, first + count):
        if regret[s] > 0.0:
            total += regret[s]
        elif plus:
            regret[s] = 0.0
    if total > 0.0:
        for s in range(first, first + count):
            strategy[s] = regret[s] / total if regret[s] > 0.0 else 0.0
    else:
        for s in range(first, first + count):
            strategy[s] = 1.0 / count


@kernel
def flush(sets: int, parent: Longs, first: Longs, size: Longs, strategy: Floats, total: Floats, mass: Floats) -> None:
    """Bring the sums of lazy averaging up to date; sets come after their parents."""
    for j in range(sets):
        owed = total[parent[j]] - mass[j]
        mass[j] = total[parent[j]]
        for s in range(first[j], first[j] + size[j]):
            total[s] += owed * strategy[s]


@kernel
def back_up(board: Board, tables: Tables, players: int, h: int) -> None:
    """Make the baseline of one node, for every player, what its children's baselines say under current play."""
    node, baseline, strategy = board.node, tables.baseline, tables.strategy
    who = node[h, WHO]
    for p in range(players):
        value = 0.0
        for c in range(node[h, COUNT]):
            child = node[h, CHILD] + c
            weight = 1.0
            if who == CHANCE:
                weight = board.probability[child]
            elif who == JOINT:
                rest = c
                for m in range(node[h, SET] - 1, -1, -1):
                    slot = node[h, FIRST] + m
                    weight *= strategy[board.slot[slot, BEGIN] + rest % board.slot[slot, SIZE]]
                    rest //= board.slot[slot, SIZE]
            else:
                weight = strategy[node[h, FIRST] + c]
            value += weight * baseline[p, child]
        if node[h, GAIN_ROW] >= 0:
            value += board.gain[node[h, GAIN_ROW], p]
        baseline[p, h] = value


@kernel
def drawn(weights: Floats, first: int, count: int, epsilon: float, u: float) -> int:
    """Return the move that the random number u draws: uniform with probability ε, else by the weights."""
    even = epsilon / count
    k = 0
    reached = even + (1.0 - epsilon) * weights[first]
    while u >= reached and k < count - 1:
        k += 1
        reached += even + (1.0 - epsilon) * weights[first + k]
    while k > 0 and weights[first + k] == 0.0 and epsilon == 0.0:
        k -= 1  # rounding alone leads to a last move that is never played
    return k


@kernel
def learn(plan: Plan, tables: Tables, scratch: Scratch, touches: int, walk: int, weight: float) -> None:
    """Apply what a walk has found, or record it."""
    regret, strategy, total, measure = tables.regret, tables.strategy, tables.total, tables.measure
    touched, worth, value = scratch.touched, scratch.worth, scratch.value
    again = plan.others == 1  # a set may be met several times in one walk
    for j in range(touches):
        place, first, count, at = touched[j, T_SET], touched[j, T_FIRST], touched[j, T_COUNT], touched[j, T_AT]
        scale, mean = worth[j, W_WEIGHT], worth[j, W_VALUE]
        if plan.measuring == 1:
            for a in range(count):
                regret[first + a] += scale * value[at + a]
                measure[2, first + a] += value[at + a]
                measure[3, first + a] += value[at + a] * value[at + a]
                measure[4, first + a] += 1.0
            continue
        if plan.averaging == LAZY:
            reached = total[touched[j, T_OWN]]
            owed = reached - tables.mass[place]
            tables.mass[place] = reached
            for s in range(first, first + count):
                total[s] += owed * strategy[s]
        elif plan.averaging == WEIGHTED:
            for s in range(first, first + count):
                total[s] += weight * worth[j, W_REACH] * strategy[s]
        if plan.learner == DISCOUNTED and tables.stamp[place] != walk + 1:
            tables.stamp[place] = walk + 1
            before = tables.clock[place]
            tables.clock[place] = before + 1.0
            if before > 0.0:
                grown, shrunk = before**plan.alpha, before**plan.beta
                for s in range(first, first + count):
                    regret[s] *= grown / (grown + 1.0) if regret[s] > 0.0 else shrunk / (shrunk + 1.0)
        for a in range(count):
            regret[first + a] += scale * (value[at + a] - mean)
        if not again:
            match(regret, strategy, first, count, plan.learner == MATCHING_PLUS)
    if plan.measuring == 1:
        for j in range(touches):
            first = touched[j, T_FIRST]
            for s in range(first, first + touched[j, T_COUNT]):
                measure[0, s] += regret[s]
                measure[1, s] += regret[s] * regret[s]
                regret[s] = 0.0
    elif again:
        for j in range(touches):
            match(regret, strategy, touched[j, T_FIRST], touched[j, T_COUNT], plan.learner == MATCHING_PLUS)


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
    players = plan.players
    regret, strategy, total, baseline, count_of = (
        tables.regret, tables.strategy, tables.total, tables.baseline, tables.count,
    )  # fmt: skip
    frame, real, pick, ratio, mover = scratch.frame, scratch.real, scratch.pick, scratch.ratio, scratch.mover
    touched, worth, value = scratch.touched, scratch.worth, scratch.value
    state, last, code, odds = scratch.state, scratch.last, scratch.code, scratch.chance
    here, choice = np.zeros(players), np.zeros(players, np.int64)
    baselined = plan.baseline != NO_BASELINE
    wandering = plan.epsilon if plan.explore == 1 else 0.0
    rows, width = frame.shape[0], pick.shape[1]
    random = tables.random[0]
    status = DONE
    while count_of[WALKS] < until and status == DONE:
        walk = count_of[WALKS]
        i = walk % players
        begun = random
        touches, used, shows, visits, notes, nodes = 0, 0, 0, 0, 0, 0
        if turn is None:
            if plan.baseline == ORACLE:
                for h in range(board.node.shape[0] - 1, -1, -1):
                    back_up(board, tables, players, h)
            frame[0, NODE] = 0
        else:
            state[0, :] = 0
            start(table, state[0])
            for p in range(players):
                last[0, p] = tables.empty[p]
        frame[0, OWN] = tables.empty[i]
        real[0, WEIGHT] = real[0, REACH] = real[0, DRAWN] = 1.0
        depth = 0
        while True:
            # enter the node of this depth: who moves, and where is what was learnt about it
            nodes += 1
            if turn is None:
                h = frame[depth, NODE]
                who, count = board.node[h, WHO], board.node[h, COUNT]
                first, place = board.node[h, FIRST], board.node[h, SET]
                row = board.node[h, GAIN_ROW]
                gained = board.gain[row, i] if row >= 0 else 0.0
                frame[depth, FIRST_CHILD] = board.node[h, CHILD]
                actors = 1
                if who == JOINT:
                    actors = place
                    for m in range(actors):
                        for column in range(4):
                            mover[depth, m, column] = board.slot[first + m, column]
                if baselined:
                    if visits == scratch.visited.size:
                        status = MORE_SCRATCH
                        break
                    scratch.visited[visits] = h
                    visits += 1
            else:
                here[:] = 0.0
                gains(table, state[depth], here)
                gained = here[i]
                turned = turn(table, state[depth])
                who, count, first, place, actors = END, 1, 0, 0, 0
                if turned == 0:
                    who = CHANCE
                    count = chance(table, state[depth], code[depth, 0], odds[depth])
                    mass = 0.0
                    for k in range(count):
                        mass += odds[depth, k]
                        if not odds[depth, k] >= 0.0:
                            status = NOT_A_DISTRIBUTION
                    if not abs(mass - 1.0) < 1e-9:
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
                        mask = tables.buckets.size - 1
                        spot = _slot(before, seen, mask)
                        place = tables.buckets[spot]
                        while place >= 0 and (
                            tables.set_parent[place] != before or tables.set_observation[place] != seen
                        ):
                            spot = (spot + 1) & mask
                            place = tables.buckets[spot]
                        if place < 0:
                            place = count_of[SETS]
                            first = count_of[SEQUENCES]
                            if place == tables.set_parent.size or first + size > regret.size:
                                status = MORE_SETS
                                break
                            tables.buckets[spot] = place
                            tables.set_parent[place] = before
                            tables.set_observation[place] = seen
                            tables.set_base[place] = first
                            tables.set_size[place] = size
                            count_of[SETS] += 1
                            count_of[SEQUENCES] += size
                            for k in range(size):
                                strategy[first + k] = 1.0 / size
                        first = tables.set_base[place]
                        if tables.set_size[place] != size:
                            status = ACTIONS_DIFFER
                            break
                        mover[depth, actors, PLAYER] = p
                        mover[depth, actors, BEGIN] = first
                        mover[depth, actors, SIZE] = size
                        mover[depth, actors, PLACE] = place
                        who = p if actors == 0 else JOINT
                        count *= size
                        actors += 1
                if status != DONE:
                    break

            if who == END:
                result = gained
                depth -= 1
                while depth >= 0:
                    # take the child's value in; where it was the last child, go up with this node's
                    k = frame[depth, CURSOR]
                    basis = frame[depth, BASIS]
                    old = 0.0
                    if basis >= 0:
                        entry = basis + pick[depth, k, 0]
                        old = baseline[i, entry]
                        if plan.baseline == LEARNED:
                            if notes == scratch.note.size:
                                status = MORE_SCRATCH
                                break
                            scratch.note[notes] = entry
                            scratch.noted[notes] = result
                            notes += 1
                    at = frame[depth, AT]
                    if at >= 0:
                        value[at + pick[depth, k, 1]] += ratio[depth, k] * (result - old) / real[depth, XI]
                    else:
                        real[depth, SUM] += ratio[depth, k] * (result - old)
                    frame[depth, CURSOR] = k + 1
                    if k + 1 < frame[depth, PICKS]:
                        break
                    result = real[depth, SUM]
                    if at >= 0:
                        first = frame[depth, SEQUENCE]
                        for a in range(frame[depth, OWN_SIZE]):
                            result += strategy[first + a] * value[at + a]
                        worth[frame[depth, TOUCHED], W_VALUE] = result
                    result += real[depth, GAINED]
                    depth -= 1
                if depth < 0 or status != DONE:
                    break
            else:
                if depth + 1 >= rows or count > width:
                    status = MORE_SCRATCH
                    break
                # choose the children to visit
                basis = -1
                if baselined:
                    if plan.key == HISTORY:
                        basis = frame[depth, FIRST_CHILD]
                    elif who >= 0:
                        basis = first
                own_first, own_size, own_place, stride, offset, ours = first, count, place, 1, 0, who == i
                draw, rho = 1.0, 1.0  # of the moves drawn: their probability, and what they count for
                picks = 1
                if who == CHANCE:
                    k = 0
                    if count > 1:
                        random += GOLDEN
                        u = np.int64(_mixed(random) >> S11) * UNIT
                        if turn is None:
                            k = drawn(board.probability, frame[depth, FIRST_CHILD], count, 0.0, u)
                        else:
                            k = drawn(odds[depth], 0, count, 0.0, u)
                    draw = board.probability[frame[depth, FIRST_CHILD] + k] if turn is None else odds[depth, k]
                    offset = k
                elif who != i:
                    if who >= 0:
                        mover[depth, 0, PLAYER] = who
                        mover[depth, 0, BEGIN] = first
                        mover[depth, 0, SIZE] = count
                        actors = 1
                    scale = 1
                    for m in range(actors - 1, -1, -1):
                        p, begin, size = mover[depth, m, PLAYER], mover[depth, m, BEGIN], mover[depth, m, SIZE]
                        if p == i:
                            ours, own_first, own_size = True, begin, size
                            own_place, stride = mover[depth, m, PLACE], scale
                        else:
                            if plan.averaging == SIMPLE and p == (i + 1) % players:
                                if shows == scratch.shown.shape[0]:
                                    status = MORE_SCRATCH
                                    break
                                scratch.shown[shows, 0] = begin
                                scratch.shown[shows, 1] = size
                                shows += 1
                            if plan.others == 0:
                                k = 0
                                if size > 1:
                                    random += GOLDEN
                                    u = np.int64(_mixed(random) >> S11) * UNIT
                                    k = drawn(strategy, begin, size, wandering, u)
                                xi = wandering / size + (1.0 - wandering) * strategy[begin + k]
                                rho *= strategy[begin + k] / xi
                                draw *= xi
                                offset += k * scale
                        scale *= size
                    if status != DONE:
                        break
                real[depth, SUM] = 0.0
                at = -1
                if ours:
                    at = used
                    if touches == touched.shape[0] or used + own_size > value.size:
                        status = MORE_SCRATCH
                        break
                    used += own_size
                    for a in range(own_size):
                        value[at + a] = 0.0
                    touched[touches, T_SET] = own_place
                    touched[touches, T_FIRST] = own_first
                    touched[touches, T_COUNT] = own_size
                    touched[touches, T_AT] = at
                    touched[touches, T_OWN] = frame[depth, OWN]
                    worth[touches, W_WEIGHT] = real[depth, WEIGHT]
                    worth[touches, W_REACH] = real[depth, REACH] / real[depth, DRAWN]
                    frame[depth, TOUCHED] = touches
                    touches += 1
                real[depth, XI] = 1.0
                if plan.others == 1 and who != CHANCE:
                    picks = 0
                    for c in range(count):
                        weight, rest, a = 1.0, c, 0
                        if who == i:
                            a = c
                        else:
                            for m in range(actors - 1, -1, -1):
                                size = mover[depth, m, SIZE]
                                k = rest % size
                                rest //= size
                                if mover[depth, m, PLAYER] == i:
                                    a = k
                                else:
                                    weight *= strategy[mover[depth, m, BEGIN] + k]
                        if weight > 0.0:
                            pick[depth, picks, 0] = c
                            pick[depth, picks, 1] = a
                            ratio[depth, picks] = weight
                            picks += 1
                elif not ours:
                    pick[depth, 0, 0] = offset
                    ratio[depth, 0] = rho
                elif plan.own == ONE:
                    a = 0
                    if own_size > 1:
                        random += GOLDEN
                        u = np.int64(_mixed(random) >> S11) * UNIT
                        a = drawn(strategy, own_first, own_size, plan.epsilon, u)
                    real[depth, XI] = plan.epsilon / own_size + (1.0 - plan.epsilon) * strategy[own_first + a]
                    pick[depth, 0, 0] = offset + a * stride
                    pick[depth, 0, 1] = a
                    ratio[depth, 0] = rho
                else:
                    picks = 0
                    wanted = min(plan.own, own_size)
                    real[depth, XI] = wanted / own_size
                    for a in range(own_size):
                        taken = own_size - a == wanted - picks
                        if not taken:
                            if picks == wanted:
                                break
                            random += GOLDEN
                            u = np.int64(_mixed(random) >> S11) * UNIT
                            taken = u * (own_size - a) < wanted - picks
                        if taken:
                            pick[depth, picks, 0] = offset + a * stride
                            pick[depth, picks, 1] = a
                            ratio[depth, picks] = rho
                            picks += 1
                if basis >= 0:
                    # the others' moves weigh what they are played with; the traverser's own are kept apart
                    for c in range(count):
                        weight, rest, a = 1.0, c, 0
                        if who == CHANCE:
                            weight = board.probability[basis + c] if turn is None else odds[depth, c]
                        elif who == i:
                            a = c
                        else:
                            for m in range(actors - 1, -1, -1):
                                size = mover[depth, m, SIZE]
                                k = rest % size
                                rest //= size
                                if mover[depth, m, PLAYER] == i:
                                    a = k
                                else:
                                    weight *= strategy[mover[depth, m, BEGIN] + k]
                        if ours:
                            value[at + a] += weight * baseline[i, basis + c]
                        else:
                            real[depth, SUM] += weight * baseline[i, basis + c]
                frame[depth, MOVER] = who
                frame[depth, CHILDREN] = count
                frame[depth, SEQUENCE] = own_first
                frame[depth, OWN_SIZE] = own_size
                frame[depth, OWN_SET] = own_place
                frame[depth, ACTORS] = actors
                frame[depth, STRIDE] = stride
                frame[depth, AT] = at
                frame[depth, BASIS] = basis
                frame[depth, PICKS] = picks
                frame[depth, CURSOR] = 0
                real[depth, GAINED] = gained
                real[depth, DRAW] = draw

            # step into the next child
            k = frame[depth, CURSOR]
            child = pick[depth, k, 0]
            below = depth + 1
            xi = real[depth, XI]
            real[below, WEIGHT] = real[depth, WEIGHT] * ratio[depth, k] / xi
            real[below, DRAWN] = real[depth, DRAWN] * real[depth, DRAW] * xi
            if frame[depth, AT] >= 0:
                sequence = frame[depth, SEQUENCE] + pick[depth, k, 1]
                frame[below, OWN] = sequence
                real[below, REACH] = real[depth, REACH] * strategy[sequence]
            else:
                frame[below, OWN] = frame[depth, OWN]
                real[below, REACH] = real[depth, REACH]
            if turn is None:
                frame[below, NODE] = frame[depth, FIRST_CHILD] + child
            else:
                for k in range(state.shape[1]):
                    state[below, k] = state[depth, k]
                for p in range(players):
                    last[below, p] = last[depth, p]
                if frame[depth, MOVER] == CHANCE:
                    choice[0] = code[depth, 0, child]
                else:
                    rest = child
                    for m in range(frame[depth, ACTORS] - 1, -1, -1):
                        size = mover[depth, m, SIZE]
                        k = rest % size
                        rest //= size
                        choice[m] = code[depth, m, k]
                        last[below, mover[depth, m, PLAYER]] = mover[depth, m, BEGIN] + k
                move(table, state[below], choice)
            depth = below

        if status != DONE:
            random = begun
            break
        count_of[WALKS] += 1
        count_of[VISITED] += nodes
        weight = 1.0
        if plan.power != 0.0:
            weight = float(walk // players + 1) ** plan.power
        if plan.measuring == 0 and plan.averaging != WEIGHTED:
            total[tables.empty[i]] += weight
        learn(plan, tables, scratch, touches, walk, weight)
        if plan.measuring == 0:
            for j in range(shows):
                for s in range(scratch.shown[j, 0], scratch.shown[j, 0] + scratch.shown[j, 1]):
                    total[s] += weight * strategy[s]
            for j in range(notes):
                entry = scratch.note[j]
                baseline[i, entry] += plan.rate * (scratch.noted[j] - baseline[i, entry])
            if turn is None:
                if plan.baseline == PREDICTIVE:
                    for j in range(visits - 1, -1, -1):
                        back_up(board, tables, players, scratch.visited[j])
    tables.random[0] = random
    return status


@cache
def walker(on_rules: bool) -> Any:
    """Return the compiled walks on a tree or on compiled rules; compiled (or loaded from the cache) on first use."""
    table2, longs2 = types.Array(types.float64, 2, "C"), types.Array(types.int64, 2, "C")
    longs3, ints2 = types.Array(types.int64, 3, "C"), types.Array(types.int32, 2, "C")
    plan = types.NamedTuple((types.int64,) * 9 + (types.float64,) * 5, Plan)
    tables = types.NamedTuple(
        (FLOATS, FLOATS, FLOATS, FLOATS, FLOATS, LONGS, LONGS, table2, table2, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS,
         types.Array(types.uint64, 1, "C")),
        Tables,
    )  # fmt: skip
    scratch = types.NamedTuple(
        (longs2, table2, longs3, table2, longs3, longs2, table2, FLOATS, longs2, LONGS, LONGS, FLOATS, longs2, longs2,
         longs3, table2),
        Scratch,
    )  # fmt: skip
    nothing = types.none
    if on_rules:
        source: Any = (*FUNCTIONS, TABLE, nothing)
    else:
        board = types.NamedTuple((ints2, FLOATS, table2, ints2), Board)
        source = (*(nothing,) * 8, board)
    return njit((*source, plan, tables, scratch, types.int64), cache=True, error_model="numpy", nogil=True)(_walks)
