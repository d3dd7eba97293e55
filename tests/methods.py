"""The full-width methods as the tests run them: each with the formula that it should follow. One line a method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hannan.forms.loader import load
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from tests import loaded
from tests.reference_cfr import VARIANTS, Variant, dcfr, hedge, plus, scheduled

HORIZON = 20
"""How many iterations the scheduled method is planned for, where a test does not say otherwise."""


@dataclass(frozen=True)
class Case:
    """A method with parameters, and the reference's formula for it."""

    method: str
    variant: Variant
    parameters: dict[str, Any] = field(default_factory=dict)


CASES = {
    **{name: Case(name, variant) for name, variant in VARIANTS.items()},
    "dcfr(other powers)": Case("dcfr", dcfr(3.0, 0.5, 1.0), {"alpha": 3.0, "beta": 0.5, "gamma": 1.0}),
    "cfr+(quadratic)": Case("cfr+", plus(lambda t: float(t) ** 2), {"averaging": "quadratic"}),
    "cfr+(uniform)": Case("cfr+", plus(lambda t: 1.0), {"averaging": "uniform"}),
    "hs-dcfr": Case("hs-dcfr", scheduled(HORIZON), {"horizon": HORIZON}),
    "cfr-hedge": Case("cfr-hedge", hedge(lambda t: 3.0), {"rate": 3.0}),
    "cfr-hedge(decreasing)": Case("cfr-hedge", hedge(lambda t: 5 / t**0.5), {"rate": 5.0, "decreasing": True}),
}

FULL_WIDTH = sorted({case.method for case in CASES.values()})

UPDATES = ("alternating", "simultaneous")


def solver_for(method: str, game: Any, *, iterations: int = HORIZON, **parameters: Any) -> Solver:
    """Return a solver that can run so many iterations, with parameters that suit small games."""
    if method == "hs-dcfr":
        parameters = {"horizon": iterations, **parameters}
    if method == "cfr-hedge":
        parameters = {"rate": 30.0, "decreasing": True, **parameters}
    make: Any = method_class(method)
    solver: Solver = make(loaded.game(game) if isinstance(game, str) else load(game), **parameters)
    return solver
