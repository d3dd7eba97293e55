"""hannan finds equilibria of finite games and proves how close they are.

>>> import hannan as hn
>>> result = hn.solve("kuhn_poker", gap=1e-6)
>>> round(result.values[0], 5)
-0.05556

Names are imported when they are first used, so that importing the package compiles and loads next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.certificates.certificate import Certificate as Certificate
    from hannan.certificates.playthrough import BoxError as BoxError
    from hannan.certificates.strategies import read_correlated as read_correlated
    from hannan.errors import ChanceError as ChanceError
    from hannan.errors import DeviceError as DeviceError
    from hannan.errors import FileError as FileError
    from hannan.errors import HannanError as HannanError
    from hannan.errors import MismatchError as MismatchError
    from hannan.errors import ParameterError as ParameterError
    from hannan.errors import PlayerError as PlayerError
    from hannan.errors import RulesError as RulesError
    from hannan.errors import SizeError as SizeError
    from hannan.errors import TrustError as TrustError
    from hannan.errors import UnknownNameError as UnknownNameError
    from hannan.errors import UnsuitableError as UnsuitableError
    from hannan.experiments.consistency import Repetition as Repetition
    from hannan.experiments.consistency import repeat_matrix as repeat_matrix
    from hannan.exports.gambit.profiles import from_pygambit as from_pygambit
    from hannan.exports.gambit.profiles import to_pygambit as to_pygambit
    from hannan.exports.gambit.text import export_game as export_game
    from hannan.exports.openspiel.game import to_openspiel_game as to_openspiel_game
    from hannan.exports.openspiel.policies import from_openspiel as from_openspiel
    from hannan.exports.openspiel.policies import openspiel_table as openspiel_table
    from hannan.exports.openspiel.policies import to_openspiel as to_openspiel
    from hannan.exports.pettingzoo.environment import to_pettingzoo as to_pettingzoo
    from hannan.forms.forgetful import ForgetfulGame as ForgetfulGame
    from hannan.forms.game import BoxedGame as BoxedGame
    from hannan.forms.game import ExpandedGame as ExpandedGame
    from hannan.forms.game import Game as Game
    from hannan.forms.game import PlayedGame as PlayedGame
    from hannan.forms.loader import load as load
    from hannan.forms.objects import from_environment as from_environment
    from hannan.forms.sequence import SequenceForm as SequenceForm
    from hannan.forms.tree import GameTree as GameTree
    from hannan.forms.treeplex import Treeplex as Treeplex
    from hannan.games.matrix import matrix_game as matrix_game
    from hannan.measures.appraisal import evaluate as evaluate
    from hannan.measures.evaluation import Evaluation as Evaluation
    from hannan.measures.evaluation import Response as Response
    from hannan.measures.evaluation import best_response as best_response
    from hannan.measures.evaluation import cce_gap as cce_gap
    from hannan.measures.evaluation import values as values
    from hannan.measures.rational import ExactGap as ExactGap
    from hannan.measures.rational import exact_gap as exact_gap
    from hannan.measures.responses.notes import gathered as gathered
    from hannan.measures.responses.respond import MeasuredResponse as MeasuredResponse
    from hannan.measures.responses.respond import respond as respond
    from hannan.measures.responses.search import Search as Search
    from hannan.measures.responses.search import SearchPlayer as SearchPlayer
    from hannan.measures.responses.trials import Trial as Trial
    from hannan.measures.rollouts import Rollouts as Rollouts
    from hannan.measures.rollouts import rollouts as rollouts
    from hannan.measures.tables import ActionRow as ActionRow
    from hannan.measures.tables import SetRow as SetRow
    from hannan.measures.tables import export_csv as export_csv
    from hannan.measures.tables import summary as summary
    from hannan.neural.deep_cfr import SDCFR as SDCFR
    from hannan.neural.deep_cfr import DeepCFR as DeepCFR
    from hannan.neural.double_neural import DoubleNeuralCFR as DoubleNeuralCFR
    from hannan.neural.dream import DREAM as DREAM
    from hannan.neural.escher import ESCHER as ESCHER
    from hannan.neural.policy import NetworkPolicy as NetworkPolicy
    from hannan.pictures.comparison import plot as plot
    from hannan.pictures.trees import draw as draw
    from hannan.rules.box import Box as Box
    from hannan.rules.box import Child as Child
    from hannan.rules.box import Draw as Draw
    from hannan.rules.box import View as View
    from hannan.rules.checks import Check as Check
    from hannan.rules.compiled import CompiledRules as CompiledRules
    from hannan.rules.compiled import Rulebook as Rulebook
    from hannan.rules.hidden import HiddenChance as HiddenChance
    from hannan.rules.plain import CHANCE as CHANCE
    from hannan.rules.plain import END as END
    from hannan.rules.plain import Rules as Rules
    from hannan.rules.process import ProcessBox as ProcessBox
    from hannan.runs.certify import certify as certify
    from hannan.runs.check import BoxCheck as BoxCheck
    from hannan.runs.check import check_box as check_box
    from hannan.runs.check import check_game as check_game
    from hannan.runs.inspection import inspect as inspect
    from hannan.runs.log import LoggedRun as LoggedRun
    from hannan.runs.log import read_log as read_log
    from hannan.runs.match import match as match
    from hannan.runs.progress import Progress as Progress
    from hannan.runs.result import Result as Result
    from hannan.runs.search import search as search
    from hannan.runs.search_work import SearchResult as SearchResult
    from hannan.runs.solve import solve as solve
    from hannan.runs.strategies import read as read
    from hannan.runs.tally import Match as Match
    from hannan.runs.verification import verify as verify
    from hannan.solvers.base import Solver as Solver
    from hannan.solvers.checkpoint import resume as resume
    from hannan.solvers.exact.correlated import CorrelatedEquilibrium as CorrelatedEquilibrium
    from hannan.solvers.exact.correlated import correlated_equilibrium as correlated_equilibrium
    from hannan.solvers.exact.lp import LPProof as LPProof
    from hannan.solvers.exact.lp import SequenceFormLP as SequenceFormLP
    from hannan.solvers.exact.normalform import MixedEquilibrium as MixedEquilibrium
    from hannan.solvers.exact.normalform import NormalForm as NormalForm
    from hannan.solvers.exact.normalform import nash_lp as nash_lp
    from hannan.solvers.exact.normalform import normal_form as normal_form
    from hannan.solvers.exact.normalform import plan_counts as plan_counts
    from hannan.solvers.exact.normalform import pure_equilibria as pure_equilibria
    from hannan.solvers.fullwidth.cfr import CFR as CFR
    from hannan.solvers.fullwidth.cfr_plus import CFRPlus as CFRPlus
    from hannan.solvers.fullwidth.dcfr import DCFR as DCFR
    from hannan.solvers.fullwidth.dcfr_plus import DCFRPlus as DCFRPlus
    from hannan.solvers.fullwidth.hedge_cfr import HedgeCFR as HedgeCFR
    from hannan.solvers.fullwidth.linear_cfr import LinearCFR as LinearCFR
    from hannan.solvers.fullwidth.pcfr_plus import PCFRPlus as PCFRPlus
    from hannan.solvers.fullwidth.pdcfr_plus import PDCFRPlus as PDCFRPlus
    from hannan.solvers.fullwidth.scheduled_dcfr import ScheduledDCFR as ScheduledDCFR
    from hannan.solvers.sampling.chance_sampling import ChanceSampling as ChanceSampling
    from hannan.solvers.sampling.external_sampling import ExternalSampling as ExternalSampling
    from hannan.solvers.sampling.outcome_sampling import OutcomeSampling as OutcomeSampling
    from hannan.solvers.sampling.robust_sampling import RobustSampling as RobustSampling
    from hannan.solvers.sampling.sampler import Variance as Variance
    from hannan.solvers.sampling.vr_mccfr import VRMCCFR as VRMCCFR
    from hannan.solvers.weights.einr import EINR as EINR
    from hannan.solvers.weights.komwu import KOMWU as KOMWU
    from hannan.strategies.correlated import CorrelatedPlay as CorrelatedPlay
    from hannan.strategies.files import save as save
    from hannan.strategies.locks import LockedGame as LockedGame
    from hannan.strategies.locks import lock as lock
    from hannan.strategies.policy import Policy as Policy
    from hannan.strategies.policyset import PolicySet as PolicySet
    from hannan.strategies.profile import Profile as Profile
    from hannan.strategies.profile import profile as profile
    from hannan.strategies.profile import random_profile as random_profile
    from hannan.strategies.profile import uniform as uniform
    from hannan.strategies.ruled import Ruled as Ruled
    from hannan.strategies.ruled import Sight as Sight
    from hannan.strategies.seats import StrategyPlayer as StrategyPlayer
    from hannan.strategies.strategy import Strategy as Strategy
    from hannan.treesearch.backward import AlphaBeta as AlphaBeta
    from hannan.treesearch.backward import BackwardInduction as BackwardInduction
    from hannan.treesearch.backward import DoubleOracle as DoubleOracle
    from hannan.treesearch.backward import DoubleOracleAlphaBeta as DoubleOracleAlphaBeta
    from hannan.treesearch.matrix import MatrixSolution as MatrixSolution
    from hannan.treesearch.matrix import solve_matrix as solve_matrix
    from hannan.treesearch.proof import SearchProof as SearchProof
    from hannan.treesearch.searcher import Searcher as Searcher
    from hannan.verifier import Verdict as Verdict

__version__ = "0.1.0"

_FRONT = Front(__name__)

__all__ = ["__version__", *_FRONT.names]


def __getattr__(name: str) -> Any:
    return _FRONT.find(name)


def __dir__() -> list[str]:
    return _FRONT.listed()
