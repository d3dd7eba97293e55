"""What an exact search has proven."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InductionProof:
    """Proven bounds on the value of a position, and the work that they took."""

    lower: float
    """The least that player 0's strategy gains from the position on, including the gain of reaching it."""
    upper: float
    """The most that player 1's strategy lets player 0 gain."""
    complete: bool
    """Whether the search is finished and met no depth limit: then the two bounds differ only by rounding."""
    nodes: int
    """Positions searched, without ends of play: in the game itself and in the serialised games."""
    serial_nodes: int
    """Positions searched in the serialised games."""
    matrix_solves: int
    cutoffs: int
    """How often a cell or the rest of a node was decided without a search."""

    @property
    def value(self) -> float | None:
        """The value to player 0; None if only bounds are known."""
        return (self.lower + self.upper) / 2 if self.complete else None
