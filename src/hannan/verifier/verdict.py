"""What a check of a certificate says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class RejectedError(Exception):
    """A certificate that does not prove what it claims: why."""


@dataclass(frozen=True)
class Verdict:
    """Whether a certificate is valid, and exactly what of it was proved."""

    file: str
    game: str
    valid: bool
    proved: str | None
    """`arithmetic`: the gap follows from the counts, strategies and bounds in the file. `counts`: and the counts are
    what the box gives when every playthrough is played again. None where the certificate was rejected."""
    gap: float | None
    """The bound that was recomputed, rounded up."""
    claimed_gap: float | None
    confidence: float | None
    radius: str | None
    playthroughs: int | None
    replayed: int
    """How many playthroughs were played again."""
    reason: str
    """Why it was rejected, or what the proof rests on."""
    correlated: bool = False
    """Whether it is about correlated play: the gap is then the largest of the players'."""

    def record(self) -> dict[str, Any]:
        """Return the verdict for machines."""
        return {name: fact for name, fact in vars(self).items() if name != "correlated"}

    def __str__(self) -> str:
        if not self.valid:
            return f"{self.file}: rejected: {self.reason}"
        what = (
            "The Nash gap of these strategies"
            if not self.correlated
            else "What any player could add to correlated play"
        )
        return (
            f"{self.file}: valid. {what} of {self.game} is at most {self.gap:.9g} (claimed: "
            f"{self.claimed_gap:.9g}), with probability at least {self.confidence:.9g}. Proved: {self.proved}. "
            f"{self.reason}"
        )
