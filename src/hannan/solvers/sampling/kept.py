"""Which sets growing tables keep, and which samplers can leave sets out."""

from __future__ import annotations

from typing import Literal

from hannan.arguments import shown
from hannan.errors import ParameterError
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.records import SamplingPlan

Kept = Literal["auto", "full", "growing", "bounded"]
"""Which sets a table keeps. auto: all sets while there is room, then those of a bounded table."""

LIMITED: tuple[Kept, ...] = ("growing", "bounded")
"""Tables that leave sets out from the start."""


def kept_by(method: str, plan: SamplingPlan, guided: bool, table: Kept) -> Kept:
    """Return which sets a sampler's tables keep: those of `table`; for auto, all if it cannot leave any out."""
    refusal = _needs_all(method, plan, guided)
    if table in LIMITED and refusal:
        raise ParameterError(f"table={shown(table)} does not go with {refusal}; use table='full'")
    return "full" if refusal else table


def _needs_all(method: str, plan: SamplingPlan, guided: bool) -> str:
    """Return why a sampler cannot leave sets out; empty: it can."""
    if plan.others:
        return f"{method}, which takes all moves of the other players, also outside a table"
    if plan.learner == rec.PLANS:
        return f"{method}, which learns about whole plans"
    if plan.baseline != rec.NO_BASELINE and plan.key == rec.HISTORY:
        return f"the baselines of {method}, which are kept for each history (key='set' and baseline='none' work)"
    return "sampling_policy, all of whose sets are in the table" if guided else ""


def walks_on_rules(table: Kept, over: str, limited: bool) -> bool:
    """Return whether a table needs walks on rules; refuse options that do not fit it."""
    if table == "bounded" and not limited:
        raise ParameterError("table='bounded' needs a memory_limit, such as memory_limit='4GB'")
    if table in LIMITED and over == "tree":
        raise ParameterError(f"table={shown(table)} is for walks on rules; the tree's table has all sets")
    return table in LIMITED
