"""One walk for every sampler: depth first over those histories that were drawn, on a tree or on compiled rules.

A walk belongs to one player, the traverser. At its own sets it takes every action, k of them, or one; elsewhere one
move is drawn, or (chance sampling) all moves of the other players are taken. Every sampler then has one formula: with
b the baseline (0 without one), ξ the probability of drawing the traverser's action, ρ what the others' moves count
for (1 where they were drawn as they are played),

    v(h) = gain(h) + Σ p·b + Σ ρ·(v(child) − b)             v(a) = b(a) + Σ ρ·(v(child) − b)/ξ at an own set.

Nothing is learnt before a walk is complete, so a walk that runs out of room is begun again by the caller, to the
same bits. The game is a tree (the functions are None) or compiled rules, whose board then numbers those histories that
must be known again: numba drops branches under `is None` where it knows better.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.kernels import signed
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.sampling.learning import learn
from hannan.kernels.sampling.parts import GOLDEN, answered, back_up, chosen, drawn, played_by, some, uniform, wandered
from hannan.kernels.sampling.records import (
    ACTION,
    ACTORS,
    ALL,
    AT,
    BASE,
    BASIS,
    BEGIN,
    CHANCE,
    CHILD,
    CHILDREN,
    CODED,
    CURSOR,
    DEPTH,
    DONE,
    DRAWN,
    END,
    ESTIMATES,
    FIRST,
    GAIN_ROW,
    GAINED,
    HISTORY,
    JOINT,
    KIND,
    KINDS,
    LAZY,
    LEARNED,
    LEARNING,
    LISTED,
    MORE_DEPTH,
    MORE_VISITS,
    MORE_WIDTH,
    MOVERS,
    NO_BASELINE,
    ONE,
    ORACLE,
    OWN,
    OWN_SIZE,
    PICKS,
    PLAYER,
    PREDICTIVE,
    REACH,
    RHO,
    ROOT,
    SCALE,
    SEQUENCE,
    SIMPLE,
    SIZE,
    STEPS,
    STRIDE,
    SUM,
    T_AT,
    T_CHILD,
    T_COUNT,
    T_FIRST,
    T_OWN,
    T_STRIDE,
    TOO_DEEP,
    TOUCHED,
    VISITED,
    W_VALUE,
    W_WEIGHT,
    WALKS,
    WEIGHT,
    WEIGHTED,
    XI,
    Board,
    Plan,
    Scratch,
    Tables,
)  # fmt: skip
from hannan.kernels.sampling.rules import met
from hannan.kernels.sampling.types import BOARD, PLAN, SCRATCH, TABLES
from hannan.kernels.signatures import FUNCTIONS, TABLE


def _walks(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any,
    board: Board, plan: Plan, tables: Tables, scratch: Scratch, until: int, extras: Any,
) -> int:  # fmt: skip
    tables, scratch, board, players = borrowed(tables), borrowed(scratch), borrowed(board), plan.players
    learnt, guide, clock, stamp, empty = tables.learnt, tables.guide, tables.clock, tables.stamp, tables.empty
    baseline, measure, given, root = tables.baseline, tables.measure, tables.given, tables.root
    set_row, buckets, count_of = tables.set_row, tables.buckets, tables.counts
    frame, real, pick, ratio, mover = scratch.frame, scratch.real, scratch.pick, scratch.ratio, scratch.mover
    touched, worth, value = scratch.touched, scratch.worth, scratch.value
    shown, counted = scratch.shown, scratch.counted
    visited, note, noted, trail, last = scratch.visited, scratch.note, scratch.noted, scratch.trail, scratch.last
    state, code, odds, here, choice = scratch.state, scratch.code, scratch.chance, scratch.here, scratch.choice
    nodes_of, chances, gain_of, slot_of, code_of = board.node, board.probability, board.gain, board.slot, board.code
    words = state.shape[1]
    keep, wandering, only = 1.0 - plan.epsilon, 0.0, -1
    weighting = simple = everybody = baselined = following = numbering = rooted = False
    if extras is not None:
        wandering, only = plan.epsilon if plan.explore == 1 else 0.0, plan.only
        weighting, simple = plan.averaging == WEIGHTED, plan.averaging == SIMPLE
        everybody, baselined, rooted = plan.others == 1, plan.baseline != NO_BASELINE, plan.measuring == ROOT
        following = plan.baseline == PREDICTIVE and plan.measuring == LEARNING  # the nodes visited are backed up
        numbering = (baselined and plan.key == HISTORY) or plan.measuring == ESTIMATES
    showing = simple or weighting
    drawing = not (everybody or showing or baselined) and wandering == 0.0
    rows, listing = frame.shape[0], everybody or (plan.own != ONE and plan.own != ALL)
    random = tables.random[0]
    status = DONE
    h, who, count, first, children, actors, coded, steps, gained, result = 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0
    i = count_of[WALKS] % players - 1
    while count_of[WALKS] < until and status == DONE:
        i = i + 1 if i + 1 < players else 0
        if only >= 0:
            i = only
        begun, j = random, (i + 1) % players  # j: whose average this walk is for, where it is not kept lazily
        touches, used, shows, visits, notes, nodes, depth = 0, 0, 0, 0, 0, 0, 0
        h = 0
        if turn is None:  # noqa: SIM102  # numba drops this test alone
            if baselined and plan.baseline == ORACLE:
                for node in range(nodes_of.shape[0] - 1, -1, -1):
                    back_up(board, tables, players, node)
        if turn is not None:
            steps, children = 0, 0
            if nodes_of.shape[0] == 0:
                h = -1
            state[0, :] = 0
            start(address(table, 0), address(state, 0))
            for p in range(players):
                last[0, p] = empty[p]
        own = empty[i]  # the traverser's last sequence
        weight, reach, probability = 1.0, 1.0, 1.0  # others' reach over that of the draw; j's reach; that of the draw
        lead, scale = 0.0, 1.0  # the value of the frame's child is lead + scale·(value of the node here)
        while True:
            # the node here: who moves, and where is what was learnt about it
            nodes += 1
            if turn is None:
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
            if turn is not None:
                if steps == trail.size:
                    status = TOO_DEEP
                    break
                status, who, count, actors, first, children, coded, gained = met(
                    h, depth, i, players, turn, actions, chance, observe, gains, address(table, 0),
                    address(state, depth * words), code, odds, here, mover, last, numbering, nodes_of, chances,
                    gain_of, slot_of, code_of, set_row, buckets, learnt, guide, count_of,
                )  # fmt: skip
                if status != DONE:
                    break
            if following:
                if visits == visited.size:
                    status = MORE_VISITS
                    break
                visited[visits] = h
                visits += 1

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
                                status = MORE_VISITS
                                break
                            note[notes] = entry
                            noted[notes] = result
                            notes += 1
                        result -= baseline[i, entry]
                    result *= rho
                    at = frame[depth, AT]
                    if at >= 0:
                        if real[depth, XI] != 1.0:
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
                        u = uniform(random)
                        if first == 1:
                            offset = int(u * count)
                        else:
                            if turn is None:
                                offset = drawn(chances, children, count, u)
                            if turn is not None:
                                if coded >= 0:
                                    offset = drawn(chances, children, count, u)
                                else:
                                    offset = drawn(odds[depth], 0, count, u)
                    if weighting:
                        if turn is None:
                            probability *= chances[children + offset]
                        if turn is not None:
                            probability *= chances[children + offset] if coded >= 0 else odds[depth, offset]
                elif not ours:
                    if turn is None:  # noqa: SIM102  # numba drops this test alone
                        if who < JOINT and not drawing:
                            mover[depth, 0, PLAYER] = who
                            mover[depth, 0, BEGIN] = first
                            mover[depth, 0, SIZE] = count
                    if who < JOINT and drawing:
                        if count > 1:
                            random += GOLDEN
                            u = uniform(random)
                            offset = drawn(learnt, first, count, u)
                    else:
                        many, entered, counts = 1, probability, reach
                        for m in range(actors - 1, -1, -1):
                            p, begin, size = mover[depth, m, PLAYER], mover[depth, m, BEGIN], mover[depth, m, SIZE]
                            if p == i:
                                ours, own_first, own_size, stride = True, begin, size, many
                            else:
                                if showing and p == j:
                                    if shows == shown.shape[0]:
                                        status = MORE_VISITS
                                        break
                                    shown[shows, 0], shown[shows, 1] = begin, size
                                    counted[shows] = counts / entered if weighting else 1.0
                                    shows += 1
                                if not everybody:
                                    k = 0
                                    if size > 1:
                                        random += GOLDEN
                                        u = uniform(random)
                                        if wandering > 0.0:
                                            even = wandering / size
                                            k = wandered(guide, begin, size, even, keep, u)
                                            xi = even + keep * guide[begin + k]
                                            rho *= learnt[begin + k] / xi
                                            probability *= xi
                                        else:
                                            k = drawn(learnt, begin, size, u)
                                            if weighting:
                                                probability *= learnt[begin + k]
                                    if weighting and p == j:
                                        reach *= learnt[begin + k]
                                    offset += k * many
                            many *= size
                    if status != DONE:
                        break
                if weighting and ours and j == i:  # there is one player
                    if shows == shown.shape[0]:
                        status = MORE_VISITS
                        break
                    shown[shows, 0], shown[shows, 1], counted[shows] = own_first, own_size, reach / probability
                    shows += 1
                if not (ours or basis >= 0 or (everybody and who != CHANCE)):
                    # nothing to decide or correct: pass through, in place
                    lead += scale * gained
                    scale *= rho
                    weight *= rho
                    h = children + offset if children > 0 else -1
                    if turn is not None:
                        trail[steps] = offset
                        steps += 1
                        chosen(offset, actors, coded, mover[depth], code[depth], code_of, choice, last[depth])
                        move(address(table, 0), address(state, depth * words), address(choice, 0))
                    continue
                if depth + 1 >= rows:
                    status = MORE_DEPTH
                    break
                if listing and count > pick.shape[1]:
                    status = MORE_WIDTH
                    break
                # choose the children to visit
                picks, base, action, listed, xi, at = 1, offset, 0, False, 1.0, -1
                if ours:
                    at = used
                    used += own_size
                    if touches == touched.shape[0] or used > value.size:
                        status = MORE_VISITS
                        break
                    touched[touches, T_FIRST] = own_first
                    touched[touches, T_COUNT] = own_size
                    touched[touches, T_AT] = at
                    touched[touches, T_OWN] = own
                    touched[touches, T_CHILD] = children
                    touched[touches, T_STRIDE] = stride
                    worth[touches, W_WEIGHT] = weight
                    frame[depth, TOUCHED] = touches
                    touches += 1
                if everybody and who != CHANCE and who != i:
                    listed, picks = True, 0
                    for c in range(count):
                        action, played = answered(c, i, mover[depth], actors, learnt)
                        if played > 0.0:
                            pick[depth, picks, 0] = c
                            pick[depth, picks, 1] = action
                            ratio[depth, picks] = played
                            picks += 1
                elif ours and plan.own == ONE:
                    even = plan.epsilon / own_size
                    if own_size > 1:
                        random += GOLDEN
                        u = uniform(random)
                        action = wandered(guide, own_first, own_size, even, keep, u)
                    xi = even + keep * guide[own_first + action]
                    base = offset + action * stride
                elif ours and plan.own >= own_size:
                    picks = own_size
                elif ours:
                    listed, picks, xi = True, plan.own, plan.own / own_size
                    random = some(random, picks, own_size, offset, stride, rho, pick[depth], ratio[depth])
                expected = 0.0
                if basis >= 0:
                    # the others' moves weigh what they are played with; the traverser's own are kept apart
                    for c in range(count):
                        a, played = c, 1.0
                        if who == CHANCE:
                            played = chances[basis + c]
                        elif who != i:
                            a, played = answered(c, i, mover[depth], actors, learnt)
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
                frame[depth, ACTORS] = actors
                if turn is not None:
                    frame[depth, STEPS], frame[depth, CODED] = steps, coded
                real[depth, GAINED] = lead + scale * gained
                real[depth, SCALE] = scale
                real[depth, WEIGHT] = weight
                real[depth, RHO] = rho
                real[depth, XI] = xi
                real[depth, SUM] = expected
                if weighting:
                    real[depth, REACH], real[depth, DRAWN] = reach, probability

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
            weight = real[depth, WEIGHT] * rho
            if real[depth, XI] != 1.0:  # what divides by 1 takes as long as any other division
                weight /= real[depth, XI]
            lead, scale = 0.0, 1.0
            if weighting:
                reach, probability = real[depth, REACH], real[depth, DRAWN] * real[depth, XI]
            if frame[depth, AT] >= 0:
                own = frame[depth, SEQUENCE] + 2 * frame[depth, OWN_SIZE] + action
                if weighting and j == i:
                    reach *= learnt[frame[depth, SEQUENCE] + action]
            if weighting and everybody and frame[depth, LISTED]:
                reach *= played_by(j, child, mover[depth], frame[depth, ACTORS], learnt)
            h = frame[depth, CHILDREN] + child if frame[depth, CHILDREN] > 0 else -1
            if turn is not None:
                steps = frame[depth, STEPS]
                trail[steps] = child
                steps += 1
                for k in range(state.shape[1]):
                    state[depth + 1, k] = state[depth, k]
                for p in range(players):
                    last[depth + 1, p] = last[depth, p]
                actors, coded = frame[depth, ACTORS], frame[depth, CODED]
                chosen(child, actors, coded, mover[depth], code[depth], code_of, choice, last[depth + 1])
                move(address(table, 0), address(state, (depth + 1) * words), address(choice, 0))
            depth += 1

        if status != DONE or rooted:
            value[:used] = 0.0
        if status != DONE:
            random = begun
            if turn is not None:
                count_of[DEPTH] = steps
            break
        count_of[VISITED] += nodes
        if rooted:
            count_of[WALKS] += 1
            root[0, i] += 1.0
            root[1, i] += result
            root[2, i] += result * result
            continue
        learn(
            plan, i, touches, shows, notes, learnt, clock, stamp, empty, baseline, measure, given, count_of, touched,
            worth, value, shown, counted, note, noted,
        )  # fmt: skip
        if following:
            for j in range(visits - 1, -1, -1):
                back_up(board, tables, players, visited[j])
    tables.random[0] = random
    return status


@cache
def walker(on_rules: bool, lean: bool) -> Any:
    """Return the compiled walks on a tree or on compiled rules; compiled (or loaded from the cache) on first use.

    Lean walks leave out what outcome, external and robust sampling do without, if nobody measures them: everything
    that is set under `extras`.
    """
    functions = (*FUNCTIONS, TABLE) if on_rules else (types.none,) * 8
    extras = types.none if lean else types.boolean
    source = (*functions, BOARD, PLAN, TABLES, SCRATCH, types.int64, extras)
    return signed(_walks, source)


def lean(plan: Plan) -> bool:
    """Say whether lean walks do what the plan asks for."""
    plainly = plan.baseline == NO_BASELINE and plan.averaging == LAZY and plan.measuring == LEARNING
    return plainly and plan.others == 0 and plan.explore == 0 and plan.only < 0
