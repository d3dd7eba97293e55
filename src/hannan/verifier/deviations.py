"""What players earn and could gain by deviating, by substitution in fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from hannan.verifier.verdict import need

Strategy = list[Fraction]


@dataclass(frozen=True)
class Cells:
    """A game by the payoffs of all combinations of plans, the last player's plan changing first."""

    shape: tuple[int, ...]
    gains: list[list[Fraction]]  # [players][combinations]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers a strategy of each player has."""
        return self.shape

    def gain(self, player: int, plans: list[int]) -> Fraction:
        """Return what one combination of plans pays."""
        place = 0
        for size, plan in zip(self.shape, plans, strict=True):
            place = place * size + plan
        return self.gains[player][place]

    def check_strategies(self, strategies: list[Strategy]) -> None:
        """Reject anything but mixed strategies."""
        need([len(own) for own in strategies] == list(self.shape), "there should be a probability for every plan")
        for own in strategies:
            need(min(own) >= 0 and sum(own) == 1, "probabilities should not be negative, and sum to 1")

    def pays(self, player: int, strategies: list[Strategy], own: list[int]) -> list[Fraction]:
        """Return what some plans of a player pay against the others' strategies."""
        others = [
            [(plan, weight) for plan, weight in enumerate(one) if weight] if q != player else [(-1, Fraction(1))]
            for q, one in enumerate(strategies)
        ]
        total = [Fraction(0)] * len(own)
        for choice in product(*others):
            weight = prod((part for _, part in choice), start=Fraction(1))
            plans = [plan for plan, _ in choice]
            for place, plan in enumerate(own):
                plans[player] = plan
                total[place] += weight * self.gain(player, plans)
        return total

    def deviations(self, strategies: list[Strategy]) -> tuple[list[Fraction], list[Fraction]]:
        """Return what each player earns, and what it could gain by deviating."""
        earned, gains = [], []
        for player, own in enumerate(strategies):
            paid = self.pays(player, strategies, list(range(self.shape[player])))
            earned.append(sum((weight * value for weight, value in zip(own, paid, strict=True)), Fraction(0)))
            gains.append(max(paid) - earned[-1])
        return earned, gains


@dataclass(frozen=True)
class Sequences:
    """A game by the payoffs of tuples of sequences; sequence 0 is empty, and those of a set follow one another."""

    parents: list[list[int]]  # [players][sets]  the sequence that leads to a set
    actions: list[list[int]]  # [players][sets]  how many actions a set has
    entries: list[list[int]]  # [players][entries]
    gains: list[list[Fraction]]  # [players][entries]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers a strategy of each player has."""
        return tuple(1 + sum(row) for row in self.actions)

    def _sets(self, player: int) -> list[tuple[int, range]]:
        """Return for each set the sequence that leads to it, and its own sequences."""
        sets, begin = [], 1
        for above, many in zip(self.parents[player], self.actions[player], strict=True):
            sets.append((above, range(begin, begin + many)))
            begin += many
        return sets

    def check_strategies(self, strategies: list[Strategy]) -> None:
        """Reject anything but probabilities of sequences."""
        need([len(own) for own in strategies] == list(self.sizes), "there should be a probability for every sequence")
        for player, own in enumerate(strategies):
            need(own[0] == 1 and min(own) >= 0, "probabilities should be 0 or more, and 1 for the empty sequence")
            for above, members in self._sets(player):
                need(sum(own[k] for k in members) == own[above], "the sequences of a set do not sum to the one above")

    def deviations(self, strategies: list[Strategy]) -> tuple[list[Fraction], list[Fraction]]:
        """Return what each player earns, and what it could gain by deviating."""
        earned, gains = [], []
        for player, own in enumerate(strategies):
            values = [Fraction(0)] * len(own)
            for entry, gain in enumerate(self.gains[player]):
                weight = gain
                for q, one in enumerate(strategies):
                    if q != player and weight:
                        weight *= one[self.entries[q][entry]]
                values[self.entries[player][entry]] += weight
            earned.append(sum((weight * value for weight, value in zip(own, values, strict=True)), Fraction(0)))
            for above, members in reversed(self._sets(player)):
                values[above] += max(values[k] for k in members)
            gains.append(values[0] - earned[-1])
        return earned, gains
