"""Full-width methods on the public tree of a game: the parts of the engine that differ there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.forms.game import PublicGame
from hannan.layouts.backend import Average
from hannan.layouts.backends import Device, start_public
from hannan.layouts.public import PublicSetup, gain_bounds, value_bounds
from hannan.memory import require
from hannan.strategies.public import PublicStrategy

Kept = Literal["auto", "float32", "float64", "int16"]
"""The precision of regrets and averages; auto: float32 on public trees, float64 elsewhere."""


class PublicWork:
    """The state of a method on a public tree."""

    def __init__(self, game: PublicGame, method: str, simultaneous: bool, threads: int, averaged: bool, predicts: bool,
                 precision: Kept, device: Device) -> None:  # fmt: skip
        self.game, self.method, self.precision = game, method, precision
        kept = "float32" if precision == "auto" else precision
        setup = PublicSetup(game.form, simultaneous, threads, averaged, predicts, kept, game.fixed)
        require(setup.bytes, f"{method} on {game.address}")
        self.backend = start_public(setup, device)
        self._average: Average | None = None

    def strategy(self, iterations: int, *, current: bool = False) -> PublicStrategy:
        """Return the average strategy, or the current one."""
        facts = {"method": self.method, "iterations": iterations}
        return PublicStrategy.made(self.game, self.backend.strategy(current=current), facts)

    def measured(self) -> Average:
        """Measure the average."""
        self._average = self.backend.measure()
        return self._average

    def values(self) -> tuple[float, float] | None:
        """Return the average payoffs of play; None before the first iteration."""
        first, second, weight = self.backend.read("value").tolist()
        if weight == 0:
            return None
        form = self.game.form
        return first / weight, (second / weight if form.total is None else form.total - first / weight)

    def findings(self) -> dict[str, Any]:
        """Return proven bounds on the value (in games without one, on the gains), and the rules' figures of the gap."""
        if self._average is None:
            return {}
        form = self.game.form
        bounds = {"value_bounds": value_bounds(form, self._average)}
        if form.total is None:
            bounds["gain_bounds"] = gain_bounds(form, self._average)
        gap = sum(self._average.best_values) - sum(self._average.values)
        return {**bounds, **self.game.form.rules.findings(gap / 2)}

    def state(self) -> dict[str, Any]:
        """Return the arrays of the state."""
        return {name: self.backend.read(name) for name in self.backend.setup.sizes}

    def sound(self, state: Mapping[str, Any]) -> bool:
        """Return whether an array that was read may be a state: averages and weights are not negative."""
        return bool(np.all(state["total"] >= 0)) and bool(state["value"][2] >= 0)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        for name in self.backend.setup.sizes:
            self.backend.write(name, state[name])

    def warm_start(self, strategy: Any, rows: Floats) -> None:
        """Begin as if a strategy had been played for as many iterations as there are rows of the schedule."""
        if self.precision == "int16":
            raise UnsuitableError("precision=int16 takes no warm start; float32 and float64 do")
        if not isinstance(strategy, PublicStrategy):
            raise UnsuitableError(f"a warm start on the public tree of {self.game.address} needs a strategy on it")
        if strategy.game.form.hash != self.game.form.hash:
            raise MismatchError(f"the strategy is one of {strategy.game.address}, which has another public tree")
        self.backend.warm_start(strategy.probability, rows)


def check_where(layout: str, payoffs: str) -> None:
    """Refuse parameters of other layouts."""
    for name, value, usual in (("layout", layout, "auto"), ("payoffs", payoffs, "float64")):
        if value != usual:
            raise ParameterError(f"{name}={value} is not for public trees, which have one layout: leave it out")
