"""The algorithms, one per file, and their names: `fullwidth`, `weights` (EINR, KOMWU), `sampling`, `exact` (linear
programs) and `general` (Nash equilibria of general-sum games, refinements, correlated play).
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hannan.solvers.base import Solver

METHODS = {
    "auto": ("hannan.runs.auto", "Auto"),
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
    "efce": ("general.efce", "EFCE"),
    "einr": ("weights.einr", "EINR"),
    "einr-es": ("weights.sampled", "ExternalEINR"),
    "einr-os": ("weights.sampled", "OutcomeEINR"),
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
    "support": ("exact.support", "Support"),
    "vr-mccfr": ("sampling.vr_mccfr", "VRMCCFR"),
}
"""The module of each method (in `hannan.solvers`, or with its full name), and its class."""


@cache
def method_class(method: str | type[Solver]) -> type[Solver]:
    """Return the class of a method: by its name, by `file.py:Class` or `module:Class`, or the class itself, checked.

    A name is one of `METHODS`, or the name of a method from an installed package. A file is run once per process, and
    once more if `hannan.solvers.classes.own_class` finds that it has changed.
    """
    if method not in METHODS:
        from hannan.solvers.classes import own_class

        return own_class(method, METHODS)
    file, name = METHODS[str(method)]
    place = file if file.startswith("hannan.") else f"hannan.solvers.{file}"
    kind: Any = getattr(importlib.import_module(place), name)
    return kind
