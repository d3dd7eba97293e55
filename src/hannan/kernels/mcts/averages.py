"""What a search's tree says about the sets of a game that is written out."""

from __future__ import annotations

from hannan.arrays import Floats, Ints, Shorts
from hannan.kernels import kernel
from hannan.kernels.mcts import records as rec


@kernel
def gather(
    children: Ints,  # [nodes + 1]  the arrays of a `GameTree`, as the next three
    turn: Shorts,
    slot_begin: Ints,
    slots: Ints,
    begin: tuple[Ints, Ints],  # of each player: where the sequences of a set begin, [sets + 1]
    node: Ints,  # the arrays of a search's `Tree`, as the next two
    cell: Ints,
    stat: Floats,
    match: Ints,  # [nodes]  the search's node at each history + 1, or 0; the first is given
    part: int,
    sums: tuple[Floats, Floats],  # [sequences]
) -> None:
    """Add a part of the numbers at each node of the search (`COUNT` or `AVERAGE`) to its players' sequences."""
    for h in range(turn.size):
        first, last = children[h], children[h + 1]
        s = match[h] - 1
        if s < 0 or first == last:
            continue
        for k in range(last - first):
            child = cell[node[s, rec.CELLS] + k]
            match[first + k] = child + 1 if child > 0 else 0
        if node[s, rec.KIND] != rec.MOVES:
            continue
        slot, place = slot_begin[h], node[s, rec.STATS]
        for p in range(2):
            if (turn[h] >> p) & 1 == 0:
                continue
            size = node[s, rec.ROWS] if p == 0 else node[s, rec.COLUMNS]
            if size > 1:
                target = begin[p][slots[slot]]
                for k in range(size):
                    sums[p][target + k] += stat[place + part * size + k]
                place += 3 * size
            slot += 1
