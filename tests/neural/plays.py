"""How traversals play in tests."""

from __future__ import annotations

import numpy as np

from hannan.arrays import Longs
from hannan.kernels.batches.moves import match_regrets
from hannan.neural.traversals import Traversals


def uniform_play(traversals: Traversals, player: int, chosen: Longs) -> None:
    """Let everybody take any action alike."""
    match_regrets(np.zeros((len(chosen), traversals.encoding.heads)), traversals.rows, chosen)
