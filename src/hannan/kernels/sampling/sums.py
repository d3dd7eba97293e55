"""Adding up what several streams have learnt."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, enter, place_of


@kernel
def merge(
    players: int, sets: int, actions: int, row: Longs, total: Floats, buckets: Longs, more: Longs, more_total: Floats,
    goes: Longs,
) -> tuple[int, int]:  # fmt: skip
    """Add the totals of more sets to those of known ones, or append them; `goes` is filled with their sequences."""
    begin = 0
    for j in range(more.shape[0]):
        before, seen, size = goes[more[j, S_PARENT]], more[j, S_SEEN], more[j, S_COUNT]
        place, spot = place_of(before, seen, row, buckets)
        if place < 0:
            place = sets
            enter(place, spot, before, seen, players + actions, size, row, buckets)
            sets += 1
            actions += size
        first = row[place, S_FIRST]
        for k in range(size):
            total[first - players + k] += more_total[begin + k]
            goes[players + begin + k] = first + k
        begin += size
    return sets, actions
