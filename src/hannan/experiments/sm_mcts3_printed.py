"""Figure 3 of the SM-MCTS paper with first visits left out of the means of their nodes, as Algorithm 1 is printed."""

from __future__ import annotations

from os import PathLike

from hannan.experiments import sm_mcts3
from hannan.experiments.claims import Report, Say, silent
from hannan.pieces import Workers


def report(
    quick: bool = False, say: Say = silent, folder: str | PathLike[str] = ".", workers: Workers | None = None
) -> Report:
    """Run figure 3 with this treatment of first visits; continue where an earlier run stopped."""
    return sm_mcts3.report(quick, say, folder, workers, "printed")
