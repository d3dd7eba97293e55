"""Rules that do as other rules do: to subclass, or to show compiled rules through the plain door."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from hannan.rules.plain import Rules


class Delegating(Rules):
    """Answers every question as `rules` does."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.players, self.name = rules, rules.players, rules.name

    def start(self) -> Any:
        return self.rules.start()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return self.rules.turn(state)

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return self.rules.actions(state, player)

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        return self.rules.chance(state)

    def after(self, state: Any, move: Any) -> Any:
        return self.rules.after(state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        return self.rules.observe(state, player)

    def gains(self, state: Any) -> Sequence[float]:
        return self.rules.gains(state)

    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        return self.rules.bounds(state)

    def position(self, state: Any) -> Hashable:
        return self.rules.position(state)
