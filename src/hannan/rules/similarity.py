"""Check that the distributions of chance nodes in one family are as close as the rules state."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from hannan.arguments import shown
from hannan.rules.bounds import TOLERANCE
from hannan.rules.box import Similar
from hannan.rules.promises import wrong_similar


class Similarity:
    """The different distributions that occurred in each family of chance nodes."""

    def __init__(self) -> None:
        self._apart: dict[Hashable, float] = {}
        self._odds: dict[Hashable, dict[tuple[float, ...], None]] = {}

    def wrong(self, similar: Similar, weights: Sequence[float]) -> str | None:
        """Return a sentence if a node with these probabilities does not fit into its stated family, or None."""
        if (sentence := wrong_similar(similar)) is not None:
            return sentence
        name, apart = similar
        before = self._apart.setdefault(name, apart)
        if before != apart:
            return f"similar() says {apart:g} for the family {shown(name)} here, but said {before:g} at another node"
        odds, here = self._odds.setdefault(name, {}), tuple(weights)
        if here in odds:
            return None
        if odds:
            first = next(iter(odds))
            if len(first) != len(here):
                return f"chance has {len(here)} outcomes here, but {len(first)} elsewhere in its family {shown(name)}"
            far = 0.5 * float(np.abs(np.array(list(odds)) - here).sum(axis=1).max())
            if far > apart + TOLERANCE:
                return (
                    f"similar() says that the odds in the family {shown(name)} differ by at most {apart:g}; these "
                    f"differ by {far:.9g} from those at another node (total variation)"
                )
        odds[here] = None
        return None
