"""Rules from a source that states the information sets itself, so that players may forget."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from hannan.rules.plain import Rules


@dataclass(frozen=True)
class Forgetting:
    """An information set at which a player has forgotten what it saw or did."""

    player: int
    name: str
    """The name of the first such set."""
    absent_minded: bool
    """Whether one play can come to the set twice: then the player forgets that it was there."""
    sets: int
    """The number of sets at which a player forgets, as far as known."""

    def __str__(self) -> str:
        what = (
            "play can come twice to its information set"
            if self.absent_minded
            else "it can reach, by different choices of its own, its information set"
        )
        more = f" (one of {self.sets:,} such sets)" if self.sets > 1 else ""
        kind = "absent-minded" if self.absent_minded else "imperfect recall"
        return f"player {self.player} forgets: {what} {_short(self.name)!r}{more} ({kind})"


class StatedRules(Rules):
    """Rules in which a player observes the name of the information set that the source states.

    hannan derives sets from the player's last choice and the observation. If no player forgets, these are the stated
    sets. If a player forgets, they are the sets of the perfect-recall refinement, which the caller asks for by `split`.
    """

    split: bool = False

    @property
    def observations_name_sets(self) -> bool:
        return not self.split

    @abstractmethod
    def refined(self) -> StatedRules:
        """Return the rules of the perfect-recall refinement."""


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
