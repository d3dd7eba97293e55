"""Rules whose payoffs and probabilities are exact fractions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hannan.rules.plain import Rules


class ExactRules(Rules):
    """Rules that also return their numbers as fractions: `gains` and `chance` return the floats nearest to them."""

    @abstractmethod
    def exact_gains(self, state: Any) -> Sequence[Fraction]:
        """Return the gains of `gains` as fractions."""

    @abstractmethod
    def exact_odds(self, state: Any) -> Sequence[Fraction]:
        """Return the probabilities of `chance` as fractions."""
