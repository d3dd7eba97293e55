"""hannan finds equilibria of finite games and proves how close they are.

>>> import hannan as hn
>>> result = hn.solve("kuhn_poker", gap=1e-6)
>>> round(result.values[0], 5)
-0.05556

Names are imported when they are first used, so that importing the package compiles and loads next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hannan.check import Check as Check
    from hannan.check import check_game as check_game
    from hannan.checkpoint import resume as resume
    from hannan.correlated import CorrelatedEquilibrium as CorrelatedEquilibrium
    from hannan.correlated import correlated_equilibrium as correlated_equilibrium
    from hannan.errors import ChanceError as ChanceError
    from hannan.errors import FileError as FileError
    from hannan.errors import HannanError as HannanError
    from hannan.errors import MismatchError as MismatchError
    from hannan.errors import ParameterError as ParameterError
    from hannan.errors import RulesError as RulesError
    from hannan.errors import SizeError as SizeError
    from hannan.errors import UnknownNameError as UnknownNameError
    from hannan.errors import UnsuitableError as UnsuitableError
    from hannan.evaluate import Evaluation as Evaluation
    from hannan.evaluate import Response as Response
    from hannan.evaluate import best_response as best_response
    from hannan.evaluate import evaluate as evaluate
    from hannan.exact import ExactGap as ExactGap
    from hannan.exact import exact_gap as exact_gap
    from hannan.game import Game as Game
    from hannan.game import load as load
    from hannan.games.matrix import matrix_game as matrix_game
    from hannan.locking import LockedGame as LockedGame
    from hannan.locking import lock as lock
    from hannan.normalform import MixedEquilibrium as MixedEquilibrium
    from hannan.normalform import NormalForm as NormalForm
    from hannan.normalform import nash_lp as nash_lp
    from hannan.normalform import normal_form as normal_form
    from hannan.normalform import plan_counts as plan_counts
    from hannan.normalform import pure_equilibria as pure_equilibria
    from hannan.policy import Policy as Policy
    from hannan.profile import Profile as Profile
    from hannan.profile import profile as profile
    from hannan.profile import random_profile as random_profile
    from hannan.profile import uniform as uniform
    from hannan.result import Result as Result
    from hannan.rollouts import FoundResponse as FoundResponse
    from hannan.rollouts import Rollouts as Rollouts
    from hannan.rollouts import rollouts as rollouts
    from hannan.rollouts import search_response as search_response
    from hannan.rules import CHANCE as CHANCE
    from hannan.rules import END as END
    from hannan.rules import CompiledRules as CompiledRules
    from hannan.rules import Rulebook as Rulebook
    from hannan.rules import Rules as Rules
    from hannan.sequence import SequenceForm as SequenceForm
    from hannan.solve import cce_gap as cce_gap
    from hannan.solve import solve as solve
    from hannan.solvers.base import Solver as Solver
    from hannan.solvers.cfr import CFR as CFR
    from hannan.solvers.cfr_plus import CFRPlus as CFRPlus
    from hannan.solvers.chance_sampling import ChanceSampling as ChanceSampling
    from hannan.solvers.dcfr import DCFR as DCFR
    from hannan.solvers.dcfr_plus import DCFRPlus as DCFRPlus
    from hannan.solvers.einr import EINR as EINR
    from hannan.solvers.external_sampling import ExternalSampling as ExternalSampling
    from hannan.solvers.hedge_cfr import HedgeCFR as HedgeCFR
    from hannan.solvers.komwu import KOMWU as KOMWU
    from hannan.solvers.linear_cfr import LinearCFR as LinearCFR
    from hannan.solvers.lp import LPProof as LPProof
    from hannan.solvers.lp import SequenceFormLP as SequenceFormLP
    from hannan.solvers.outcome_sampling import OutcomeSampling as OutcomeSampling
    from hannan.solvers.pcfr_plus import PCFRPlus as PCFRPlus
    from hannan.solvers.pdcfr_plus import PDCFRPlus as PDCFRPlus
    from hannan.solvers.robust_sampling import RobustSampling as RobustSampling
    from hannan.solvers.sampling import Variance as Variance
    from hannan.solvers.scheduled_dcfr import ScheduledDCFR as ScheduledDCFR
    from hannan.solvers.vr_mccfr import VRMCCFR as VRMCCFR
    from hannan.strategyfile import read as read
    from hannan.strategyfile import save as save
    from hannan.summary import ActionRow as ActionRow
    from hannan.summary import SetRow as SetRow
    from hannan.summary import export_csv as export_csv
    from hannan.summary import summary as summary
    from hannan.tree import GameTree as GameTree
    from hannan.treeplex import Treeplex as Treeplex

__version__ = "0.1.0"

_PLACES = {
    "check": ["Check", "check_game"],
    "checkpoint": ["resume"],
    "correlated": ["CorrelatedEquilibrium", "correlated_equilibrium"],
    "errors": [
        "ChanceError", "FileError", "HannanError", "MismatchError", "ParameterError", "RulesError", "SizeError",
        "UnknownNameError", "UnsuitableError",
    ],
    "evaluate": ["Evaluation", "Response", "best_response", "evaluate"],
    "exact": ["ExactGap", "exact_gap"],
    "game": ["Game", "load"],
    "games.matrix": ["matrix_game"],
    "normalform": ["MixedEquilibrium", "NormalForm", "nash_lp", "normal_form", "plan_counts", "pure_equilibria"],
    "locking": ["LockedGame", "lock"],
    "policy": ["Policy"],
    "profile": ["Profile", "profile", "random_profile", "uniform"],
    "rollouts": ["FoundResponse", "Rollouts", "rollouts", "search_response"],
    "result": ["Result"],
    "rules": ["CHANCE", "END", "CompiledRules", "Rulebook", "Rules"],
    "sequence": ["SequenceForm"],
    "solve": ["cce_gap", "solve"],
    "solvers.base": ["Solver"],
    "solvers.cfr": ["CFR"],
    "solvers.cfr_plus": ["CFRPlus"],
    "solvers.dcfr": ["DCFR"],
    "solvers.dcfr_plus": ["DCFRPlus"],
    "solvers.einr": ["EINR"],
    "solvers.hedge_cfr": ["HedgeCFR"],
    "solvers.komwu": ["KOMWU"],
    "solvers.linear_cfr": ["LinearCFR"],
    "solvers.lp": ["LPProof", "SequenceFormLP"],
    "solvers.pcfr_plus": ["PCFRPlus"],
    "solvers.pdcfr_plus": ["PDCFRPlus"],
    "solvers.scheduled_dcfr": ["ScheduledDCFR"],
    "solvers.chance_sampling": ["ChanceSampling"],
    "solvers.external_sampling": ["ExternalSampling"],
    "solvers.outcome_sampling": ["OutcomeSampling"],
    "solvers.robust_sampling": ["RobustSampling"],
    "solvers.sampling": ["Variance"],
    "solvers.vr_mccfr": ["VRMCCFR"],
    "strategyfile": ["read", "save"],
    "summary": ["ActionRow", "SetRow", "export_csv", "summary"],
    "tree": ["GameTree"],
    "treeplex": ["Treeplex"],
}  # fmt: skip

_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'hannan' has no attribute {name!r}")
    found = getattr(import_module(f"hannan.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})


class _Package(ModuleType):
    """Keeps a public name from being covered by the file of the same name (`hannan.solve` is the function)."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _MODULE_OF):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
