"""What walks are made of: random draws, the search for an information set, the numbering of histories."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.sampling.records import (
    BEGIN,
    CELLS,
    CHANCE,
    CHILD,
    FIRST,
    GAIN_ROW,
    JOINT,
    KIND,
    KINDS,
    MOVERS,
    PLAYER,
    S_COUNT,
    S_FIRST,
    S_PARENT,
    S_SEEN,
    SETS,
    SIZE,
    Board,
    Tables,
)  # fmt: skip

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNIT = 2.0**-53
NEXT = np.uint64(1)


@inlined
def uniform(random: Any) -> float:
    """Mix 64 bits, by the last step of SplitMix64 (G. Steele, D. Lea, C. Flood 2014), into a number in [0, 1)."""
    z = (random ^ (random >> S30)) * FIRST_FACTOR
    z = (z ^ (z >> S27)) * SECOND_FACTOR
    return np.int64((z ^ (z >> S31)) >> S11) * UNIT


@inlined
def drawn(weights: Floats, first: int, count: int, u: float) -> int:
    """Return the move that the random number u draws."""
    return wandered(weights, first, count, 0.0, 1.0, u)


@inlined
def wandered(weights: Floats, first: int, count: int, even: float, keep: float, u: float) -> int:
    """As `drawn`, from `even` + `keep` times the weights."""
    k, cell = 0, np.uint64(first)
    reached = even + keep * weights[cell]
    while u >= reached and k < count - 1:
        k += 1
        cell += NEXT
        reached += even + keep * weights[cell]
    while k > 0 and even + keep * weights[first + k] == 0.0:
        k -= 1  # rounding alone leads to a last move that is never played
    return k


@inlined
def bucket_of(sequence: int, observation: int, mask: int) -> int:
    """Return the bucket at which the search for an information set begins."""
    mixed = sequence * -7046029254386353131 + observation * -4417276706812531889
    return (mixed ^ (mixed >> 32)) & mask


@inlined
def place_of(before: int, seen: int, row: Longs, buckets: Ints) -> tuple[int, int]:
    """Return the number of a set, -1 where it is not known; and the bucket where it is, or would be."""
    mask = buckets.size - 1
    spot = bucket_of(before, seen, mask)
    place = buckets[spot]
    while place >= 0 and (row[place, S_PARENT] != before or row[place, S_SEEN] != seen):
        spot = (spot + 1) & mask
        place = buckets[spot]
    return place, spot


@kernel
def rehash(sets: int, row: Longs, buckets: Ints) -> None:
    """Fill empty buckets with the sets that there are."""
    mask = buckets.size - 1
    buckets[:] = -1
    for j in range(sets):
        spot = bucket_of(row[j, S_PARENT], row[j, S_SEEN], mask)
        while buckets[spot] >= 0:
            spot = (spot + 1) & mask
        buckets[spot] = j


@kernel
def merge(
    players: int, sets: int, actions: int, row: Longs, total: Floats, buckets: Ints, more: Longs, more_total: Floats,
    goes: Longs,
) -> tuple[int, int]:  # fmt: skip
    """Add the totals of more sets to those of known ones, or append them; `goes` is filled with their sequences."""
    begin = 0
    for j in range(more.shape[0]):
        before, seen, size = goes[more[j, S_PARENT]], more[j, S_SEEN], more[j, S_COUNT]
        place, spot = place_of(before, seen, row, buckets)
        if place < 0:
            place = buckets[spot] = sets
            row[sets, S_PARENT], row[sets, S_SEEN] = before, seen
            row[sets, S_FIRST], row[sets, S_COUNT] = players + actions, size
            sets += 1
            actions += size
        first = row[place, S_FIRST]
        for k in range(size):
            total[first - players + k] += more_total[begin + k]
            goes[players + begin + k] = first + k
        begin += size
    return sets, actions


@inlined
def set_found(
    before: int, seen: int, size: int, row: Longs, buckets: Ints, learnt: Floats, guide: Floats, count_of: Longs
) -> int:
    """Return the number of the set after a sequence and an observation, a new one where it is met first; -1: no room.

    `size` is its number of actions; whoever asks compares it with the set's.
    """
    place, spot = place_of(before, seen, row, buckets)
    if place >= 0:
        return place
    place, first = count_of[SETS], count_of[CELLS] + 1
    if place == row.shape[0] or first + 3 * size > learnt.size:
        return -1
    buckets[spot] = place
    row[place, S_PARENT], row[place, S_SEEN] = before, seen
    row[place, S_FIRST], row[place, S_COUNT] = first, size
    count_of[SETS] += 1
    count_of[CELLS] += 1 + 3 * size
    for s in range(first, first + size):
        learnt[s] = guide[s] = 1.0 / size
    return place


@kernel
def back_up(board: Board, tables: Tables, players: int, h: int) -> None:
    """Make the baseline of one node, for every player, what its children's baselines say under current play."""
    node, baseline, strategy, slot = board.node, tables.baseline, tables.learnt, board.slot
    who, count, first = node[h, KIND] % KINDS, node[h, KIND] // KINDS, node[h, FIRST]
    for p in range(players):
        value = 0.0
        for c in range(count):
            child = node[h, CHILD] + c
            if who == CHANCE:
                weight = board.probability[child]
            elif who == JOINT:
                weight, rest = 1.0, c
                for m in range(slot[first, MOVERS] - 1, -1, -1):
                    weight *= strategy[slot[first + m, BEGIN] + rest % slot[first + m, SIZE]]
                    rest //= slot[first + m, SIZE]
            else:
                weight = strategy[first + c]
            value += weight * baseline[p, child]
        if node[h, GAIN_ROW] >= 0:
            value += board.gain[node[h, GAIN_ROW], p]
        baseline[p, h] = value


@inlined
def answered(c: int, i: int, movers: Longs, actors: int, strategy: Floats) -> tuple[int, float]:
    """Return the traverser's action in joint move c, and the probability of what the others do in it."""
    action, played = 0, 1.0
    for m in range(actors - 1, -1, -1):
        size = movers[m, SIZE]
        if movers[m, PLAYER] == i:
            action = c % size
        else:
            played *= strategy[movers[m, BEGIN] + c % size]
        c //= size
    return action, played


@inlined
def some(
    random: Any, wanted: int, size: int, offset: int, stride: int, rho: float, picks: Longs, ratios: Floats
) -> Any:
    """List `wanted` of `size` actions, each subset with equal probability; return the random numbers' new state."""
    taken = 0
    for a in range(size):
        if taken == wanted:
            break
        if size - a > wanted - taken:
            random += GOLDEN
            if uniform(random) * (size - a) >= wanted - taken:
                continue
        picks[taken, 0], picks[taken, 1], ratios[taken] = offset + a * stride, a, rho
        taken += 1
    return random


@inlined
def shape_of(odds: Floats, count: int) -> int:
    """Return 1 where all outcomes are equally probable, 0 where not, -1 where these are no probabilities."""
    whole = 0.0
    even = 1
    for k in range(count):
        whole += odds[k]
        if odds[k] != odds[0]:
            even = 0
        if not odds[k] >= 0.0:
            return -1
    return even if abs(whole - 1.0) < 1e-9 else -1


@inlined
def chosen(
    child: int, actors: int, coded: int, movers: Longs, codes: Longs, code_of: Longs, choice: Longs, last: Longs
) -> None:
    """Write down the joint move with a number, and the sequences to which it leads; no actors: a move of chance."""
    if actors < 2:  # no division
        choice[0] = code_of[coded + child] if coded >= 0 else codes[0, child]
        if actors == 1:
            last[movers[0, PLAYER]] = movers[0, BEGIN] + 2 * movers[0, SIZE] + child
        return
    for m in range(actors - 1, -1, -1):
        size = movers[m, SIZE]
        choice[m] = codes[m, child % size]
        last[movers[m, PLAYER]] = movers[m, BEGIN] + 2 * size + child % size
        child //= size


@inlined
def played_by(player: int, c: int, movers: Longs, actors: int, strategy: Floats) -> float:
    """Return the probability of what one player does in joint move c; 1 where it does not move."""
    for m in range(actors - 1, -1, -1):
        size = movers[m, SIZE]
        if movers[m, PLAYER] == player:
            return strategy[movers[m, BEGIN] + c % size]
        c //= size
    return 1.0
