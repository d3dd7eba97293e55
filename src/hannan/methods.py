"""Classes for methods, players, responses and selection rules of your own (docs/howto/own.md).

Names are imported at their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.arrays import Floats as Floats
    from hannan.forms.loader import Loadable as Loadable
    from hannan.kernels.sampling.records import ALL as ALL
    from hannan.kernels.sampling.records import ONE as ONE
    from hannan.layouts.backend import Step as Step
    from hannan.measures.evaluation import cce_gap as cce_gap
    from hannan.measures.evaluator import Evaluator as Evaluator
    from hannan.measures.players import Player as Player
    from hannan.measures.responses.responder import Responder as Responder
    from hannan.neural.deep_cfr import SDCFR as SDCFR
    from hannan.neural.deep_cfr import DeepCFR as DeepCFR
    from hannan.neural.double_neural import DoubleNeuralCFR as DoubleNeuralCFR
    from hannan.neural.dream import DREAM as DREAM
    from hannan.neural.escher import ESCHER as ESCHER
    from hannan.runs.auto import Auto as Auto
    from hannan.solvers.base import FormSolver as FormSolver
    from hannan.solvers.base import Solver as Solver
    from hannan.solvers.exact.lp import SequenceFormLP as SequenceFormLP
    from hannan.solvers.exact.support import Support as Support
    from hannan.solvers.fullwidth.cfr import CFR as CFR
    from hannan.solvers.fullwidth.cfr_plus import CFRPlus as CFRPlus
    from hannan.solvers.fullwidth.dcfr import DCFR as DCFR
    from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus as DCFRPlus
    from hannan.solvers.fullwidth.engine import Engine as Engine
    from hannan.solvers.fullwidth.engine import FullWidth as FullWidth
    from hannan.solvers.fullwidth.engine import polynomial as polynomial
    from hannan.solvers.fullwidth.hedge_cfr import HedgeCFR as HedgeCFR
    from hannan.solvers.fullwidth.linear_cfr import LinearCFR as LinearCFR
    from hannan.solvers.fullwidth.pcfr_plus import PCFRPlus as PCFRPlus
    from hannan.solvers.fullwidth.pdcfr_plus import PDCFRPlus as PDCFRPlus
    from hannan.solvers.fullwidth.scheduled_dcfr import ScheduledDCFR as ScheduledDCFR
    from hannan.solvers.general.efce import EFCE as EFCE
    from hannan.solvers.guarantee import NO_REGRET as NO_REGRET
    from hannan.solvers.guarantee import Guarantee as Guarantee
    from hannan.solvers.parameters import by_name as by_name
    from hannan.solvers.sampling.chance_sampling import ChanceSampling as ChanceSampling
    from hannan.solvers.sampling.external_sampling import ExternalSampling as ExternalSampling
    from hannan.solvers.sampling.outcome_sampling import OutcomeSampling as OutcomeSampling
    from hannan.solvers.sampling.robust_sampling import RobustSampling as RobustSampling
    from hannan.solvers.sampling.sampler import Common as Common
    from hannan.solvers.sampling.sampler import Sampling as Sampling
    from hannan.solvers.sampling.variance import Variance as Variance
    from hannan.solvers.sampling.vr_mccfr import VRMCCFR as VRMCCFR
    from hannan.solvers.sampling.ways import Walks as Walks
    from hannan.solvers.weights.einr import EINR as EINR
    from hannan.solvers.weights.komwu import KOMWU as KOMWU
    from hannan.solvers.weights.sampled import ExternalEINR as ExternalEINR
    from hannan.solvers.weights.sampled import OutcomeEINR as OutcomeEINR
    from hannan.strategies.ruled import Sight as Sight
    from hannan.strategies.seats import Answer as Answer
    from hannan.strategies.seats import Seat as Seat
    from hannan.treesearch.backward import AlphaBeta as AlphaBeta
    from hannan.treesearch.backward import BackwardInduction as BackwardInduction
    from hannan.treesearch.backward import DoubleOracle as DoubleOracle
    from hannan.treesearch.backward import DoubleOracleAlphaBeta as DoubleOracleAlphaBeta
    from hannan.treesearch.userrule import SelectionRule as SelectionRule

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
