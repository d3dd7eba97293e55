"""Games in normal form and exact answers: equilibria, their proofs, and matrices that are played again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.experiments.consistency import Repetition as Repetition
    from hannan.experiments.consistency import repeat_matrix as repeat_matrix
    from hannan.pictures.quantal import draw_branch as draw_branch
    from hannan.solvers.exact.correlated import CorrelatedEquilibrium as CorrelatedEquilibrium
    from hannan.solvers.exact.correlated import correlated_equilibrium as correlated_equilibrium
    from hannan.solvers.exact.lp import LPProof as LPProof
    from hannan.solvers.exact.normalform import MixedEquilibrium as MixedEquilibrium
    from hannan.solvers.exact.normalform import NormalForm as NormalForm
    from hannan.solvers.exact.normalform import nash_lp as nash_lp
    from hannan.solvers.exact.normalform import plan_counts as plan_counts
    from hannan.solvers.exact.normalform import pure_equilibria as pure_equilibria
    from hannan.treesearch.matrix import MatrixSolution as MatrixSolution
    from hannan.treesearch.proof import InductionProof as InductionProof

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
