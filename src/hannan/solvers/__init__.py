"""The algorithms, one a file, and their names."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hannan.errors import UnknownNameError, nearest

if TYPE_CHECKING:
    from hannan.solvers.base import Solver

METHODS = {
    "cfr": ("cfr", "CFR"),
    "cfr+": ("cfr_plus", "CFRPlus"),
    "cfr-hedge": ("hedge_cfr", "HedgeCFR"),
    "dcfr": ("dcfr", "DCFR"),
    "dcfr+": ("dcfr_plus", "DCFRPlus"),
    "einr": ("einr", "EINR"),
    "hs-dcfr": ("scheduled_dcfr", "ScheduledDCFR"),
    "komwu": ("komwu", "KOMWU"),
    "lcfr": ("linear_cfr", "LinearCFR"),
    "lp": ("lp", "SequenceFormLP"),
    "pdcfr+": ("pdcfr_plus", "PDCFRPlus"),
    "pcfr+": ("pcfr_plus", "PCFRPlus"),
    "mccfr-cs": ("chance_sampling", "ChanceSampling"),
    "mccfr-es": ("external_sampling", "ExternalSampling"),
    "mccfr-os": ("outcome_sampling", "OutcomeSampling"),
    "mccfr-rs": ("robust_sampling", "RobustSampling"),
    "vr-mccfr": ("vr_mccfr", "VRMCCFR"),
}
"""Each method's file in `hannan.solvers`, and its class."""


def method_class(method: str) -> type[Solver]:
    """Return the class behind a method's name, or say which name is nearest."""
    if method not in METHODS:
        raise UnknownNameError(f"there is no method {method!r}{nearest(method, METHODS)}")
    file, name = METHODS[method]
    found: Any = getattr(importlib.import_module(f"hannan.solvers.{file}"), name)
    return found
