"""Rules whose numbers are fractions, known without rounding."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hannan.rules.plain import Rules


class ExactRules(Rules):
    """Rules that tell their numbers as fractions, too: `gains` and `chance` return the floats next to them."""

    @abstractmethod
    def exact_gains(self, state: Any) -> Sequence[Fraction]:
        """Return what `gains` does, exactly."""

    @abstractmethod
    def exact_odds(self, state: Any) -> Sequence[Fraction]:
        """Return the probabilities of `chance`, exactly."""
