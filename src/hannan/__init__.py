"""hannan finds equilibria of finite games and proves how close they are.

>>> import hannan as hn
>>> result = hn.solve("kuhn_poker", gap=1e-6)
>>> round(result.values[0], 5)
-0.05556

Names are imported at their first use, so that importing the package is fast and compiles nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan import boxes as boxes
    from hannan import errors as errors
    from hannan import interop as interop
    from hannan import methods as methods
    from hannan import poker as poker
    from hannan import records as records
    from hannan import responses as responses
    from hannan import solutions as solutions
    from hannan import views as views
    from hannan.certificates.certificate import Certificate as Certificate
    from hannan.errors import HannanError as HannanError
    from hannan.exports.gambit.text import export_game as export_game
    from hannan.forms.game import Game as Game
    from hannan.forms.loader import load as load
    from hannan.games.matrix import matrix_game as matrix_game
    from hannan.measures.appraisal import evaluate as evaluate
    from hannan.measures.evaluation import Evaluation as Evaluation
    from hannan.measures.evaluation import best_response as best_response
    from hannan.measures.evaluation import values as values
    from hannan.measures.rational import exact_gap as exact_gap
    from hannan.measures.responses.respond import respond as respond
    from hannan.measures.rollouts import rollouts as rollouts
    from hannan.measures.tables import export_csv as export_csv
    from hannan.measures.tables import summary as summary
    from hannan.pictures.comparison import plot as plot
    from hannan.pictures.trees import draw as draw
    from hannan.rules.box import Box as Box
    from hannan.rules.compiled import CompiledRules as CompiledRules
    from hannan.rules.compiled import Rulebook as Rulebook
    from hannan.rules.plain import CHANCE as CHANCE
    from hannan.rules.plain import END as END
    from hannan.rules.plain import Rules as Rules
    from hannan.rules.public import PublicRules as PublicRules
    from hannan.runs.certify import certify as certify
    from hannan.runs.check import check_box as check_box
    from hannan.runs.check import check_game as check_game
    from hannan.runs.equilibria import equilibria as equilibria
    from hannan.runs.inspection import inspect as inspect
    from hannan.runs.log import read_log as read_log
    from hannan.runs.match import match as match
    from hannan.runs.progress import Progress as Progress
    from hannan.runs.qre import qre as qre
    from hannan.runs.result import Result as Result
    from hannan.runs.search import search as search
    from hannan.runs.search_work import SearchResult as SearchResult
    from hannan.runs.solve import solve as solve
    from hannan.runs.strategies import read as read
    from hannan.runs.sweep import sweep as sweep
    from hannan.runs.tally import MatchResult as MatchResult
    from hannan.runs.verification import verify as verify
    from hannan.solvers.base import Solver as Solver
    from hannan.solvers.checkpoint import resume as resume
    from hannan.solvers.exact.normalform import normal_form as normal_form
    from hannan.solvers.fullwidth.cfr import CFR as CFR
    from hannan.solvers.fullwidth.cfr_plus import CFRPlus as CFRPlus
    from hannan.solvers.fullwidth.dcfr import DCFR as DCFR
    from hannan.solvers.fullwidth.pcfr_plus import PCFRPlus as PCFRPlus
    from hannan.strategies.correlated import CorrelatedPlay as CorrelatedPlay
    from hannan.strategies.files import save as save
    from hannan.strategies.locks import lock as lock
    from hannan.strategies.policy import Policy as Policy
    from hannan.strategies.profile import Profile as Profile
    from hannan.strategies.profile import profile as profile
    from hannan.strategies.profile import random_profile as random_profile
    from hannan.strategies.profile import uniform as uniform
    from hannan.strategies.ruled import Ruled as Ruled
    from hannan.strategies.ruled import Sight as Sight
    from hannan.strategies.seats import StrategyPlayer as StrategyPlayer
    from hannan.strategies.strategy import Strategy as Strategy
    from hannan.treesearch.matrix import solve_matrix as solve_matrix
    from hannan.treesearch.searcher import Searcher as Searcher
    from hannan.web.server import explore as explore

__version__ = "0.1.0"

SUBMODULES = ("boxes", "errors", "interop", "methods", "poker", "records", "responses", "solutions", "views")
"""The other public modules, which are imported at their first use."""

_FRONT = Front(__name__)

__all__ = ["__version__", *_FRONT.names]

if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name

    def __getattr__(name: str) -> Any:
        if name in SUBMODULES:
            return import_module(f"hannan.{name}")
        if name not in _FRONT.names:
            from hannan.renames import RENAMES

            if name in RENAMES:
                # After `from hannan import …`, Python replaces the message of an AttributeError by its own.
                importing = sys._getframe(1).f_code.co_name == "_handle_fromlist"
                raise (ImportError if importing else AttributeError)(f"hannan.{name} is {RENAMES[name]} now")
        return _FRONT.find(name)


def __dir__() -> list[str]:
    return sorted({*_FRONT.listed(), *SUBMODULES})
