"""What ends of play are worth to every type, against a sum over all pairs of types."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats
from hannan.forms.public import PublicForm
from hannan.forms.public_tree import public_form
from hannan.kernels.public import records as rec
from hannan.kernels.vectors import LANES
from hannan.layouts.public import PublicBackend, PublicSetup
from hannan.rules.public import Cards, Ending, Fold, PublicRules, Showdown, Table
from hannan.turns import END

TOLERANCE = 1e-11
"""Sums of at most 60 doubles of size 10, added and subtracted in another order."""


class Ends(PublicRules):
    """Player 0 chooses one of many lines, then player 1 passes or not; every end is its own random one."""

    def __init__(self, seed: int, sizes: tuple[int, int], cards: int, held: tuple[int, ...], shared: bool) -> None:
        """`held`: how many cards types hold; `shared`: whether strength is that of the cards, whoever has them."""
        self.luck = np.random.default_rng(seed)
        sets = [some for many in held for some in combinations(range(cards), many)]
        self.hands = [self._some(sets, size) for size in sizes]
        self.weight = [self.luck.uniform(0, 2, len(hands)) for hands in self.hands]
        strength = {some: int(self.luck.integers(0, 4)) for some in sets}
        self.power = [
            np.array([strength[hand] if shared else int(self.luck.integers(0, 4)) for hand in hands])
            for hands in self.hands
        ]
        self.ends: dict[Any, Ending] = {}

    def _some(self, sets: list[Cards], size: int) -> list[Cards]:
        """Draw types; those with two cards are all different."""
        drawn: list[Cards] = []
        for place in self.luck.permutation(len(sets)).tolist() * size:
            if len(drawn) < size and (len(sets[place]) < 2 or sets[place] not in drawn):
                drawn.append(sets[place])
        return drawn

    def types(self, player: int) -> Sequence[str]:
        return [f"{player}:{k}" for k in range(len(self.hands[player]))]

    def weights(self, player: int) -> Sequence[float]:
        return [float(weight) for weight in self.weight[player]]

    def cards(self, player: int) -> Sequence[Cards]:
        return self.hands[player]

    def opening(self) -> tuple[int, ...]:
        return ()

    def mover(self, line: tuple[int, ...]) -> int:
        return END if len(line) == 2 else len(line)

    def options(self, line: tuple[int, ...]) -> Sequence[int]:
        return range(3) if line else range(12)

    def following(self, line: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*line, action)

    def ending(self, line: tuple[int, ...]) -> Ending:
        if line not in self.ends:
            a, b, c, d, e, f = self.luck.uniform(-10, 10, 6).tolist()
            size = (2, len(self.hands[0]), len(self.hands[1]))
            kinds: list[Ending] = [
                Fold((a, b)),
                Showdown((a, b), (c, d), (e, f)),
                Showdown((a, b), (c, d), (a, b)),  # a tie pays as much as a win
                Showdown((a, a), (-a, -a), (0.0, 0.0)),
                Table(self.luck.uniform(-10, 10, size)),
            ]
            self.ends[line] = kinds[int(self.luck.integers(0, len(kinds)))]
        return self.ends[line]

    def strengths(self, board: tuple[Any, ...], player: int) -> Any:
        return self.power[player]

    def worth(self, line: tuple[int, ...], hero: int) -> Floats:
        """Return what an end pays, [types of player 0, types of player 1]; 0 where types share a card."""
        meet = np.array([[not set(a) & set(b) for b in self.hands[1]] for a in self.hands[0]])
        end, (one, two) = self.ending(line), self.power
        if isinstance(end, Fold):
            gains = np.full(meet.shape, end.gains[hero])
        elif isinstance(end, Table):
            gains = end.gains[hero]
        else:
            ahead = np.sign(one[:, None] - two[None, :]) * (1 if hero == 0 else -1)
            gains = np.choose(ahead + 1, [end.lose[hero], end.tie[hero], end.win[hero]])
        return np.where(meet, gains, 0.0)


def at_root(backend: PublicBackend, form: PublicForm, part: int, hero: int) -> Floats:
    """Return the values of the root by type of the game, from what the kernels have written."""
    tree, room = form.arrays, backend._measuring[0]
    first, found = tree.scratch[0, part + hero], np.zeros(form.types[hero])
    found[form.types_at(0, hero)] = room.scratch[first : first + form.types[hero]]
    return found


CASES = {
    "no cards": ((5, 7), 4, (0,), False),
    "one card": ((6, 9), 5, (1,), True),
    "two cards": ((15, 21), 7, (2,), True),
    "two cards, unequal strength": ((21, 15), 7, (2,), False),
    "whole vectors": ((16, 32), 9, (2,), True),
    "any cards": ((30, 40), 7, (0, 1, 2), False),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", CASES)
def test_values_are_sums_over_pairs(case: str, seed: int) -> None:
    """The values and the best values of each type against random play; 36 ends fill more than two vectors."""
    rules = Ends(seed, *CASES[case])
    form = public_form(rules)
    backend = PublicBackend(PublicSetup(form, kept="float64"))
    luck = np.random.default_rng(seed)
    total = luck.uniform(0.1, 1, form.entries + LANES)
    backend.write("total", total)
    average = backend.measure()
    first = total[form.block(0, 0)].reshape(12, -1)
    second = total[form.block(0, 1)].reshape(12, 3, -1)
    first, second = first / first.sum(axis=0), second / second.sum(axis=1, keepdims=True)
    order = [form.types_at(0, p) for p in (0, 1)]
    weight = [np.array(rules.weights(p))[order[p]] for p in (0, 1)]
    gains = np.array([[[rules.worth((a, b), p)[np.ix_(*order)] for p in (0, 1)] for b in range(3)] for a in range(12)])
    # x[a, i] and y[a, b, j] are plays, gains[a, b, p, i, j]
    actions = np.einsum("abj,abij,j->ai", second, gains[:, :, 0], weight[1])
    replies = np.einsum("ai,abij,i->abj", first, gains[:, :, 1], weight[0])
    known = {
        (rec.X_VALUE, 0): (first * actions).sum(axis=0),
        (rec.X_BEST, 0): actions.max(axis=0),
        (rec.X_VALUE, 1): (second * replies).sum(axis=(0, 1)),
        (rec.X_BEST, 1): replies.max(axis=1).sum(axis=0),
    }
    for (part, hero), wanted in known.items():
        np.testing.assert_allclose(at_root(backend, form, part, hero)[order[hero]], wanted, atol=TOLERANCE, rtol=0)
    meet = np.array([[not set(a) & set(b) for b in rules.hands[1]] for a in rules.hands[0]])[np.ix_(*order)]
    pairs = weight[0] @ meet @ weight[1]
    np.testing.assert_allclose(average.values[0], weight[0] @ known[rec.X_VALUE, 0] / pairs, atol=TOLERANCE)
    np.testing.assert_allclose(average.best_values[1], weight[1] @ known[rec.X_BEST, 1] / pairs, atol=TOLERANCE)
