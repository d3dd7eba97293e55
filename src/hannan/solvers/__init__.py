"""The algorithms, one a file, and their names."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

from hannan.arguments import shown
from hannan.errors import UnknownNameError, nearest

if TYPE_CHECKING:
    from hannan.solvers.base import Solver

METHODS = {
    "bi": ("hannan.treesearch.backward", "BackwardInduction"),
    "bi-ab": ("hannan.treesearch.backward", "AlphaBeta"),
    "cfr": ("fullwidth.cfr", "CFR"),
    "cfr+": ("fullwidth.cfr_plus", "CFRPlus"),
    "cfr-hedge": ("fullwidth.hedge_cfr", "HedgeCFR"),
    "dcfr": ("fullwidth.dcfr", "DCFR"),
    "dcfr+": ("fullwidth.dcfr_plus", "DCFRPlus"),
    "do": ("hannan.treesearch.backward", "DoubleOracle"),
    "do-ab": ("hannan.treesearch.backward", "DoubleOracleAlphaBeta"),
    "deep-cfr": ("hannan.neural.deep_cfr", "DeepCFR"),
    "double-neural": ("hannan.neural.double_neural", "DoubleNeuralCFR"),
    "dream": ("hannan.neural.dream", "DREAM"),
    "einr": ("weights.einr", "EINR"),
    "escher": ("hannan.neural.escher", "ESCHER"),
    "hs-dcfr": ("fullwidth.scheduled_dcfr", "ScheduledDCFR"),
    "komwu": ("weights.komwu", "KOMWU"),
    "lcfr": ("fullwidth.linear_cfr", "LinearCFR"),
    "lp": ("exact.lp", "SequenceFormLP"),
    "pdcfr+": ("fullwidth.pdcfr_plus", "PDCFRPlus"),
    "pcfr+": ("fullwidth.pcfr_plus", "PCFRPlus"),
    "mccfr-cs": ("sampling.chance_sampling", "ChanceSampling"),
    "mccfr-es": ("sampling.external_sampling", "ExternalSampling"),
    "mccfr-os": ("sampling.outcome_sampling", "OutcomeSampling"),
    "mccfr-rs": ("sampling.robust_sampling", "RobustSampling"),
    "sd-cfr": ("hannan.neural.deep_cfr", "SDCFR"),
    "vr-mccfr": ("sampling.vr_mccfr", "VRMCCFR"),
}
"""Each method's module, in `hannan.solvers` unless it is named in full, and its class."""


@cache
def method_class(method: str) -> type[Solver]:
    """Return the class behind a method's name, or say which name is nearest."""
    if method not in METHODS:
        raise UnknownNameError(f"there is no method {shown(method)}{nearest(method, METHODS)}")
    file, name = METHODS[method]
    place = file if file.startswith("hannan.") else f"hannan.solvers.{file}"
    kind: Any = getattr(importlib.import_module(place), name)
    return kind
