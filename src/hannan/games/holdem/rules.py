"""Heads-up hold'em from a spot on: the hands of two ranges, betting, and the cards that are still to come."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.games.holdem.cards import COMBOS
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.evaluation import strengths
from hannan.games.holdem.ranges import parse_range
from hannan.games.holdem.spot import SIZE_NAMES, Spot
from hannan.rules.public import Cards


class HoldemRules(DealtRules):
    """The rules of a spot: types are hands, in the order of `spot.hands`; outcomes are single cards; gains are chips.

    Parameters
    ----------
    spot
        Board, ranges, chips and bet sizes.
    """

    name = "holdem"

    def __init__(self, spot: Spot) -> None:
        self.spot = spot
        first, second = spot.hands(0), spot.hands(1)
        super().__init__(
            spot.deck,
            (COMBOS[first], COMBOS[second]),
            (spot.weights[0][first].tolist(), spot.weights[1][second].tolist()),
            spot.betting,
            spot.rake,
            spot.rake_cap,
            spot.cards,
        )

    def types_in(self, player: int, text: str) -> list[int]:
        weights = parse_range(text, "range", self.spot.deck)
        return np.flatnonzero(weights[self.spot.hands(player)] > 0).tolist()

    def spelled(self) -> dict[str, Any]:
        """Return the parameters of `holdem(…)`; None stands for a parameter that is not given."""
        own = {field.name: getattr(self.spot, field.name) for field in fields(Spot) if field.name != "sizes"}
        usual = {field.name: field.default for field in fields(Spot) if field.name not in ("bets", "raises")}
        told = {name: None if name in usual and value == usual[name] else value for name, value in own.items()}
        return {"file": None, **told, **dict.fromkeys(SIZE_NAMES), **dict(self.spot.sizes)}

    def findings(self, exploitability: float) -> dict[str, Any]:
        """Return the exploitability in percent of the pot."""
        return {"exploitability_percent": 100 * exploitability / self.spot.pot}

    @property
    def usual_gap(self) -> float:
        """The usual target gap: 1 % of the pot, which is an exploitability of 0.5 %."""
        return 0.01 * self.spot.pot

    def judged(self, table: Cards, hands: Longs) -> Ints:
        return strengths(table, hands)
