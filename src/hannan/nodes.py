"""The histories of a small tree, and their places in a picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from hannan.turns import CHANCE

LANE, FIRST = 0.07, 0.16
"""The distance between two lanes, and the least distance from the first lane to its nodes, in units of one move."""
LETTER, MOST_LETTERS = 0.031, 30
"""The width of a letter of a set's name, and the largest number of letters for which lanes leave space."""
CLEAR = 0.5
"""The number of free rows between two sets in one lane."""
NAMED = 0.4
"""The number of rows for the name of each set of a joint node."""
APART = 0.24
"""The number of rows between the lanes of several movers at one node."""


@dataclass
class Node:
    """One history."""

    parent: int
    """The number of the parent node; -1 for the root."""
    move: str
    """The move from the parent to the node."""
    probability: float | None
    """The probability of the move, by chance or the strategy; None without a strategy."""
    depth: int
    who: tuple[int, ...]
    """The players who move at the node; empty at the end of play, (CHANCE,) if chance moves."""
    sets: tuple[str, ...]
    """The name of the information set of each mover: its observations and actions so far."""
    numbers: tuple[int, ...]
    """One number per information set in `names`: equal for two histories that the player cannot tell apart."""
    gains: tuple[float, ...]
    """The utility of each player so far."""
    children: list[int] = field(default_factory=list)
    cut: bool = False
    """Whether the node has children that are not shown."""

    @property
    def chance(self) -> bool:
        """Whether chance moves at the node."""
        return self.who == (CHANCE,)

    @property
    def joint(self) -> bool:
        """Whether several players move at once."""
        return len(self.who) > 1


@dataclass(frozen=True)
class Lane:
    """The line that joins the histories of one information set at one depth."""

    player: int
    number: int
    """The number of the set, as in `Node.numbers`."""
    order: int
    """Its place among the lanes of this player at this depth: neighbours get different shades."""
    across: float
    """The horizontal place of the line."""
    members: tuple[tuple[float, float], ...]
    """The places of the histories, top first."""


@dataclass(frozen=True)
class Link:
    """A line between histories of one set at different depths."""

    player: int
    number: int
    begin: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """The places of nodes, lanes and links: across in moves, down in rows."""

    places: tuple[tuple[float, float], ...]  # [nodes]
    lanes: tuple[Lane, ...]
    links: tuple[Link, ...]
    width: float
    height: float


def layout(nodes: Sequence[Node]) -> Layout:
    """Place a tree from left to right; sets with overlapping rows get different lanes."""
    down = _down(nodes)
    waiting = _sets(nodes, down)
    chosen = [_lane_of(rows) for rows in waiting]
    depths = max(node.depth for node in nodes) + 1
    lanes_at, first_at = [0] * depths, [FIRST] * depths
    for rows, lanes in zip(waiting, chosen, strict=True):
        lanes_at[rows[0].depth] = max(lanes) + 1
    for node in nodes:
        letters = min(max(map(len, node.sets), default=0), MOST_LETTERS)
        if lanes_at[node.depth]:
            first_at[node.depth] = max(first_at[node.depth], LETTER * letters / 2 + LANE / 2)
    across = [0.0]
    for depth in range(1, depths):
        across.append(across[-1] + 1 + LANE * lanes_at[depth] + first_at[depth] - FIRST)
    made = []
    for rows, lanes in zip(waiting, chosen, strict=True):
        orders: dict[int, int] = defaultdict(int)
        for row, lane in zip(rows, lanes, strict=True):
            x = across[row.depth]
            members = tuple((x, y) for y in row.rows)
            made.append(
                Lane(row.player, row.number, orders[row.player], x - first_at[row.depth] - LANE * lane, members)
            )
            orders[row.player] += 1
    places = tuple((across[node.depth], y) for node, y in zip(nodes, down, strict=True))
    return Layout(places, tuple(made), _links(nodes, places), across[-1], max(down))


def _links(nodes: Sequence[Node], places: Sequence[tuple[float, float]]) -> tuple[Link, ...]:
    members: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for node, place in zip(nodes, places, strict=True):
        for key in zip(node.who, node.numbers, strict=False):
            members[key].append(place)
    return tuple(
        Link(*key, begin, end)
        for key, several in members.items()
        for begin, end in pairwise(sorted(several))
        if begin[0] != end[0]
    )


@dataclass(frozen=True)
class _Joined:
    """The histories of one set at one depth."""

    depth: int
    player: int
    number: int
    rows: tuple[float, ...]


def _sets(nodes: Sequence[Node], down: Sequence[float]) -> list[list[_Joined]]:
    """Return the sets with several histories, depth by depth, top first."""
    rows: dict[tuple[int, int, int], list[float]] = defaultdict(list)
    for node, y in zip(nodes, down, strict=True):
        for k, (player, number) in enumerate(zip(node.who, node.numbers, strict=False)):  # chance has no number
            rows[node.depth, player, number].append(y + APART * (k - (len(node.who) - 1) / 2))
    joined = [_Joined(*key, tuple(sorted(places))) for key, places in rows.items() if len(places) > 1]
    joined.sort(key=lambda one: (one.depth, one.rows))
    return [list(some) for _, some in groupby(joined, key=lambda one: one.depth)]


def _lane_of(joined: Sequence[_Joined]) -> list[int]:
    """Return a lane for each set of one depth: the first that is free at the top of the set; sets come top first."""
    ends: list[float] = []
    chosen = []
    for one in joined:
        free = (lane for lane, end in enumerate(ends) if end + CLEAR < one.rows[0])
        lane = next(free, len(ends))
        ends[lane:lane + 1] = [one.rows[-1]]  # fmt: skip
        chosen.append(lane)
    return chosen


def _down(nodes: Sequence[Node]) -> list[float]:
    """Return the row of each node: ends of play one after another, other nodes between their children."""
    down = [0.0] * len(nodes)
    reached, stack = 0.0, [(0, 0)]
    while stack:
        number, names = stack.pop()
        node = nodes[number]
        names = max(names, len(node.who) if node.joint else 0)
        if len(node.children) > 1:
            names = 0  # the names fit between the children
        if node.children:
            stack.extend((child, names) for child in reversed(node.children))
            continue
        reached += NAMED * names / 2
        down[number] = reached
        reached += 1.0 + NAMED * names / 2
    for number in range(len(nodes) - 1, -1, -1):  # children have larger numbers
        if children := nodes[number].children:
            down[number] = (down[children[0]] + down[children[-1]]) / 2
    return down


def likely(probability: float) -> str:
    """Return a short text of a probability; nearly 0 or 1 becomes ~0 or ~1."""
    if 0 < probability < 5e-4:
        return "~0"
    return "~1" if 1 - 5e-4 < probability < 1 else f"{probability:.3g}"
