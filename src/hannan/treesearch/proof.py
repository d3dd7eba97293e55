"""What a search has proven."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InductionProof:
    """What was proven of a position, and what it took."""

    lower: float
    """What player 0's strategy guarantees it: its gains from the position on, that of reaching it counted."""
    upper: float
    """What player 1's strategy leaves player 0 at most."""
    complete: bool
    """Whether the search is finished and met no depth limit: then the two differ by rounding alone."""
    nodes: int
    """Positions, but for ends of play, that were searched: of the game itself and of the serialised games."""
    serial_nodes: int
    """Those of the serialised games."""
    matrix_solves: int
    cutoffs: int
    """How often a cell or the rest of a node was settled without being searched."""

    @property
    def value(self) -> float | None:
        """The value to player 0; None where only bounds are known."""
        return (self.lower + self.upper) / 2 if self.complete else None
