"""A profile in fractions, and its probabilities, values and best responses in a tree of fractions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hannan.forms.exactpayoffs import summing_to_one
from hannan.forms.exacttree import CHANCE, ExactTree
from hannan.solvers.general.point import Fractions
from hannan.strategies.profile import Profile

NEAR = 1e-9
"""A probability this close to a fraction with a denominator up to `SMALL` is read as that fraction."""

SMALL = 1000


def read_fractions(profile: Profile) -> Fractions:
    """Return a profile in fractions that sum to exactly 1 at each set.

    At each set the probabilities are read as fractions with denominators up to 1,000 if these are within 1e-9 and sum
    to 1; else as simple fractions that round to the floats; else as the floats, with the largest adjusted.
    """
    parts = []
    for plex, strategy in zip(profile.game.form.treeplexes, profile.strategies, strict=True):
        part = [Fraction(1)]
        for begin, end in zip(plex.begin[:-1].tolist(), plex.begin[1:].tolist(), strict=True):
            floats = strategy[begin:end].tolist()
            near = [Fraction(number).limit_denominator(SMALL) for number in floats]
            close = all(abs(float(one) - number) <= NEAR for one, number in zip(near, floats, strict=True))
            part += near if close and sum(near) == 1 else summing_to_one(floats)
        parts.append(tuple(part))
    return tuple(parts)


@dataclass(frozen=True, eq=False)
class Behaviour:
    """The probabilities of actions at every set, in fractions (or in polynomials of an infinitesimal, for trembles)."""

    tree: ExactTree
    strategies: tuple[tuple[Any, ...], ...]  # [players][sequences]

    @property
    def profile(self) -> Profile:
        """The behaviour in floats."""
        return Profile(self.tree.game, tuple(np.array([float(x) for x in part]) for part in self.strategies))

    def odds(self, node: int) -> Sequence[Any]:
        """Return the probability of each move at a node, chance's or the mover's."""
        one = self.tree.nodes[node]
        return one.odds if one.mover == CHANCE else [self.strategies[one.mover][move] for move in one.moves]

    @cached_property
    def values(self) -> tuple[tuple[Any, ...], ...]:
        """The expected gains of each player at a node and below it, [nodes][players]."""
        found: list[tuple[Any, ...]] = [()] * len(self.tree.nodes)
        for number in reversed(range(len(found))):
            node, odds = self.tree.nodes[number], self.odds(number)
            found[number] = tuple(
                sum((odd * found[child][p] for odd, child in zip(odds, node.children, strict=True) if odd), gain)
                for p, gain in enumerate(node.gains)
            )
        return tuple(found)

    @cached_property
    def reach(self) -> tuple[tuple[Any, ...], ...]:
        """The probability of each sequence by its own player's choices, [players][sequences]."""
        parts = []
        for plex, strategy in zip(self.tree.game.form.treeplexes, self.strategies, strict=True):
            reach = list(strategy)
            for begin, end, parent in zip(
                plex.begin[:-1].tolist(), plex.begin[1:].tolist(), plex.parent.tolist(), strict=True
            ):
                for sequence in range(begin, end):
                    reach[sequence] = reach[parent] * strategy[sequence]
            parts.append(tuple(reach))
        return tuple(parts)

    def others_reach(self, node: int, player: int) -> Any:
        """Return the probability of a node by chance and the other players, without one player's own choices."""
        product: Any = self.tree.chance[node]
        for q, sequence in enumerate(self.tree.nodes[node].last):
            if q != player:
                product = product * self.reach[q][sequence]
        return product

    def gradient(self, player: int) -> list[Fraction]:
        """Return the gain of each sequence of a player against the others."""
        total = [Fraction(0)] * len(self.strategies[player])
        for key, gained in self.tree.entries.items():
            amount = gained[player]
            for q, sequence in enumerate(key):
                if q != player and amount:
                    amount *= self.reach[q][sequence]
            total[key[player]] += amount
        return total


def worth(tree: ExactTree, player: int, gradient: Sequence[Any]) -> list[Any]:
    """Return the value of each sequence of a player with best play after it."""
    plex, result = tree.game.form.treeplexes[player], list(gradient)
    begin, parent = plex.begin.tolist(), plex.parent.tolist()
    for j in reversed(range(plex.sets)):
        result[parent[j]] += max(result[begin[j] : begin[j + 1]])
    return result


def gains(behaviour: Behaviour) -> tuple[Fraction, ...]:
    """Return the gain of each player's best deviation."""
    found = []
    for player in range(behaviour.tree.players):
        gradient = behaviour.gradient(player)
        earned = sum((a * b for a, b in zip(gradient, behaviour.reach[player], strict=True)), Fraction(0))
        found.append(worth(behaviour.tree, player, gradient)[0] - earned)
    return tuple(found)
