"""Adding up the tables of information sets of several walks over parts of one game."""

from __future__ import annotations

from hannan.arrays import Longs
from hannan.kernels import kernel
from hannan.kernels.expansion.walk import DEPTH_BITS, MetTable
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, enter, place_of
from hannan.kernels.statuses import ACTIONS_DIFFER, DONE, MORE_SETS


@kernel
def add_table(sets: int, more: MetTable, into: MetTable, used: Longs, goes: Longs) -> int:
    """Enter the first `sets` sets of one table into another; return how it ended.

    used: [3], the sets of `more` that are in, then the sets and the sequences of `into`. goes: [sequences of `more`],
    their numbers in `into`; those of the empty sequences are there already.
    """
    for j in range(used[0], sets):
        base, count, player = more.row[j, S_FIRST], more.row[j, S_COUNT], more.player[j]
        if used[1] == into.player.size or used[2] + count > into.action.size:
            return MORE_SETS
        before, seen = goes[more.row[j, S_PARENT]], more.row[j, S_SEEN]
        place, spot = place_of(before, seen, into.row, into.buckets)
        first = used[2]
        if place < 0:
            place = used[1]
            enter(place, spot, before, seen, first, count, into.row, into.buckets)
            into.player[place], into.first[place] = player, more.first[j]
            for k in range(count):
                into.action[first + k], into.shallow[first + k] = more.action[base + k], more.shallow[base + k]
            used[1] += 1
            used[2] += count
        else:
            first = into.row[place, S_FIRST]
            if into.row[place, S_COUNT] != count:
                return ACTIONS_DIFFER + player
            into.first[place] = min(into.first[place], more.first[j])
            for k in range(count):
                if into.action[first + k] != more.action[base + k]:
                    return ACTIONS_DIFFER + player
                into.shallow[first + k] = min(into.shallow[first + k], more.shallow[base + k])
        for k in range(count):
            goes[base + k] = first + k
        used[0] = j + 1
    return DONE


@kernel
def settle(first: Longs, ceiling: int, bits: int, before: Longs) -> None:
    """Number the first histories of sets within the game, not within a subtree.

    first: as in `MetTable`; from the depth `ceiling` on, the number of a history is that of its subtree, shifted by
    `bits`, and its number there. before: [subtrees, depths], the histories of each depth in all earlier subtrees.
    """
    within, part = (1 << DEPTH_BITS) - 1, (1 << bits) - 1
    for j in range(first.size):
        depth, rank = first[j] >> DEPTH_BITS, first[j] & within
        if depth >= ceiling:
            first[j] = (depth << DEPTH_BITS) + before[rank >> bits, depth] + (rank & part)
