"""Games in normal form and exact answers: equilibria, their proofs, refinements and relatives; repeated matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.experiments.consistency import Repetition as Repetition
    from hannan.experiments.consistency import repeat_matrix as repeat_matrix
    from hannan.measures.equilibrium import Equilibrium as Equilibrium
    from hannan.pictures.portraits import portrait as portrait
    from hannan.pictures.quantal import draw_branch as draw_branch
    from hannan.runs.equilibria import Equilibria as Equilibria
    from hannan.runs.learning import Learning as Learning
    from hannan.runs.learning import learning as learning
    from hannan.solvers.exact.lp import LPProof as LPProof
    from hannan.solvers.exact.normalform import MixedEquilibrium as MixedEquilibrium
    from hannan.solvers.exact.normalform import NormalForm as NormalForm
    from hannan.solvers.exact.normalform import nash_lp as nash_lp
    from hannan.solvers.exact.normalform import plan_counts as plan_counts
    from hannan.solvers.general.commitment import Commitment as Commitment
    from hannan.solvers.general.commitment import stackelberg as stackelberg
    from hannan.solvers.general.correlated import CorrelatedEquilibrium as CorrelatedEquilibrium
    from hannan.solvers.general.correlated import correlated_equilibrium as correlated_equilibrium
    from hannan.solvers.general.distance import correlated_distance as correlated_distance
    from hannan.solvers.general.judge import Judgement as Judgement
    from hannan.solvers.general.proper import proper as proper
    from hannan.solvers.general.pure import pure_equilibria as pure_equilibria
    from hannan.solvers.general.quasiperfect import quasi_perfect as quasi_perfect
    from hannan.solvers.general.refinements import Refinements as Refinements
    from hannan.solvers.general.refinements import refinements as refinements
    from hannan.solvers.general.subgames import subgame_perfect as subgame_perfect
    from hannan.treesearch.matrix import MatrixSolution as MatrixSolution
    from hannan.treesearch.proof import InductionProof as InductionProof

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
