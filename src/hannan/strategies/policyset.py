"""One information set of a policy, for people to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class PolicySet:
    """One information set of a policy, with its history and its probabilities."""

    number: int
    player: int
    places: tuple[tuple[str, int], ...]
    """For each earlier choice of the player, what it saw and the place of its action in the menu, from 0. Empty if it
    forgets."""
    seen: str
    probabilities: tuple[float, ...]
    _look: Callable[[int], list[list[str]] | None] = field(repr=False, compare=False)

    @cached_property
    def _menus(self) -> list[list[str]] | None:
        return self._look(self.number)

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        """For each earlier choice of the player, what it saw and the name of its action."""
        names = self._menus
        return tuple((seen, str(k) if names is None else names[at][k]) for at, (seen, k) in enumerate(self.places))

    @property
    def name(self) -> str:
        """What the player saw and did, from its first choice to this one."""
        return " ".join([*(word for step in self.history for word in step), self.seen]).strip()

    @property
    def actions(self) -> dict[str, float]:
        """The probability of each action by its name; by its place, if no history that leads here was found."""
        names = [str(k) for k in range(len(self.probabilities))] if self._menus is None else self._menus[-1]
        return dict(zip(names, self.probabilities, strict=True))
