"""Rules from a source that states the information sets itself, and may so state that somebody forgets."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from hannan.rules.plain import Rules


@dataclass(frozen=True)
class Forgetting:
    """An information set at which a player has forgotten what it saw or did."""

    player: int
    name: str
    """Of the first such set."""
    absent_minded: bool
    """Whether play can come to the set twice: the player forgets that it was there."""
    sets: int
    """How many sets there are at which somebody forgets, as far as is known."""

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
    """Rules that tell at each choice which information set the source states there: it is what a player observes.

    hannan derives a set from the player's last choice and the observation. Where nobody forgets, these are the stated
    sets; where somebody does, they are the perfect-recall refinement, which is solved only when it is asked for:
    `split` says so.
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
