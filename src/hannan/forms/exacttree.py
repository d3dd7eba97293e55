"""A small game as a tree of fractions, with one mover at each node.

Numbers are those of `hannan.forms.exactpayoffs`. Players who move at the same time move one after another here,
without seeing each other's actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hannan.errors import SizeError, UnsuitableError
from hannan.forms.exactpayoffs import exact_numbers
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN, TERMINAL
from hannan.forms.treeplex import EMPTY

CHANCE, END = -1, -2
"""The movers that are not players."""

MOST_NODES = 20_000
"""The most nodes of a tree of fractions."""


@dataclass(frozen=True)
class ExactNode:
    """One node. `moves[k]` is the sequence of the mover by which `children[k]` is reached."""

    parent: int  # -1 at the root
    mover: int  # a player, CHANCE or END
    set: int  # the information set, within the mover's treeplex; -1 if no player moves
    children: tuple[int, ...]
    moves: tuple[int, ...]  # empty at chance
    odds: tuple[Fraction, ...]  # of chance's moves; empty elsewhere
    gains: tuple[Fraction, ...]  # [players]  what each player gains on reaching the node
    last: tuple[int, ...]  # [players]  the last sequence of each player


@dataclass(frozen=True, eq=False)
class ExactTree:
    """All nodes, parents before children; node 0 is the root."""

    game: ExpandedGame
    nodes: tuple[ExactNode, ...]

    @property
    def players(self) -> int:
        """The number of players."""
        return self.game.players

    @cached_property
    def members(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The nodes in each information set, [players][sets]."""
        found: list[list[list[int]]] = [[[] for _ in range(plex.sets)] for plex in self.game.form.treeplexes]
        for number, node in enumerate(self.nodes):
            if node.mover >= 0:
                found[node.mover][node.set].append(number)
        return tuple(tuple(map(tuple, sets)) for sets in found)

    @cached_property
    def chance(self) -> tuple[Fraction, ...]:
        """The product of chance's probabilities on the path to each node."""
        reach = [Fraction(1)] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            for k, child in enumerate(node.children):
                reach[child] = reach[number] * (node.odds[k] if node.mover == CHANCE else 1)
        return tuple(reach)

    @cached_property
    def entries(self) -> dict[tuple[int, ...], tuple[Fraction, ...]]:
        """The gain of each player at each tuple of sequences, chance folded in: the sequence form in fractions."""
        sums: dict[tuple[int, ...], list[Fraction]] = {}
        for number, node in enumerate(self.nodes):
            if any(node.gains):
                row = sums.setdefault(node.last, [Fraction(0)] * self.players)
                for player, gain in enumerate(node.gains):
                    row[player] += self.chance[number] * gain
        return {key: tuple(row) for key, row in sums.items()}

    @cached_property
    def competitive(self) -> bool:
        """Whether there are two players whose utilities have a constant sum, in fractions and not only in floats."""
        total = [sum(node.gains, Fraction(0)) for node in self.nodes]
        for number, node in enumerate(self.nodes):
            for child in node.children:
                total[child] += total[number]
        return self.players == 2 and len({total[k] for k, node in enumerate(self.nodes) if not node.children}) == 1


def exact_tree(game: ExpandedGame) -> ExactTree:
    """Return a small game as a tree of fractions; refuse a large game, or a game with locks."""
    if type(game) is not ExpandedGame:
        raise UnsuitableError(f"{game.address} has locks, which a tree of fractions cannot have: leave them out")
    tree = game.tree
    if tree.serialised > MOST_NODES:
        raise SizeError(f"{game.address} has {tree.serialised:,} nodes; a tree of fractions has at most {MOST_NODES:,}")
    gains, odds = exact_numbers(game)
    built: list[ExactNode | None] = [None]
    nothing = (Fraction(0),) * game.players
    begins = [plex.begin.tolist() for plex in tree.treeplexes]
    pending = [(0, 0, -1, (EMPTY,) * game.players)]  # node of the tree, node here, parent here, last sequences
    while pending:
        node, here, parent, last = pending.pop()
        turn, children = int(tree.turn[node]), range(int(tree.children[node]), int(tree.children[node + 1]))
        gained = gains.get(node, nothing)
        if turn == TERMINAL:
            built[here] = ExactNode(parent, END, -1, (), (), (), gained, last)
            continue
        if turn == CHANCE_TURN:
            below = _room(built, len(children))
            built[here] = ExactNode(
                parent, CHANCE, -1, below, (), tuple(odds[child] for child in children), gained, last
            )
            pending += [(child, place, here, last) for child, place in zip(children, below, strict=True)]
            continue
        movers = [player for player in range(game.players) if turn >> player & 1]
        slots = tree.slots[int(tree.slot_begin[node]) : int(tree.slot_begin[node + 1])].tolist()
        level = [(here, parent, last)]
        for k, (player, number) in enumerate(zip(movers, slots, strict=True)):
            moves = tuple(range(begins[player][number], begins[player][number + 1]))
            following = []
            for place, above, so_far in level:
                below = _room(built, len(moves))
                earned = gained if k == 0 else nothing
                built[place] = ExactNode(above, player, number, below, moves, (), earned, so_far)
                following += [
                    (child, place, (*so_far[:player], move, *so_far[player + 1 :]))
                    for child, move in zip(below, moves, strict=True)
                ]
            level = following
        pending += [(child, *place) for child, place in zip(children, level, strict=True)]
    return ExactTree(game, _sorted([node for node in built if node is not None]))


def _room(built: list[ExactNode | None], many: int) -> tuple[int, ...]:
    """Reserve places for `many` more nodes; return their numbers."""
    first = len(built)
    built += [None] * many
    return tuple(range(first, first + many))


def _sorted(nodes: list[ExactNode]) -> tuple[ExactNode, ...]:
    """Return the nodes numbered depth first: the nodes below a node come directly after it."""
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        pending += reversed(nodes[node].children)
    new = {old: k for k, old in enumerate(order)}
    return tuple(
        ExactNode(
            new[one.parent] if one.parent >= 0 else -1, one.mover, one.set, tuple(new[child] for child in one.children),
            one.moves, one.odds, one.gains, one.last,
        )
        for one in (nodes[old] for old in order)
    )  # fmt: skip
