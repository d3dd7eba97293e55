"""What methods, players, responses and selection rules of your own are made of (docs/own.md).

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.arrays import Floats as Floats
    from hannan.forms.loader import Loadable as Loadable
    from hannan.kernels.sampling.records import ALL as ALL
    from hannan.kernels.sampling.records import ONE as ONE
    from hannan.layouts.backend import Step as Step
    from hannan.measures.players import Player as Player
    from hannan.measures.responses.responder import Responder as Responder
    from hannan.solvers.base import FormSolver as FormSolver
    from hannan.solvers.base import Solver as Solver
    from hannan.solvers.fullwidth.engine import Engine as Engine
    from hannan.solvers.fullwidth.engine import FullWidth as FullWidth
    from hannan.solvers.fullwidth.engine import polynomial as polynomial
    from hannan.solvers.guarantee import NO_REGRET as NO_REGRET
    from hannan.solvers.guarantee import Guarantee as Guarantee
    from hannan.solvers.parameters import by_name as by_name
    from hannan.solvers.sampling.sampler import Common as Common
    from hannan.solvers.sampling.sampler import Sampling as Sampling
    from hannan.solvers.sampling.sampler import Walks as Walks
    from hannan.strategies.ruled import Sight as Sight
    from hannan.strategies.seats import Answer as Answer
    from hannan.strategies.seats import Seat as Seat
    from hannan.treesearch.userrule import SelectionRule as SelectionRule

_FRONT = Front(__name__)

__all__ = _FRONT.names


def __getattr__(name: str) -> Any:
    return _FRONT.find(name)


def __dir__() -> list[str]:
    return _FRONT.listed()
