"""Classes of results: rows of tables, checks, logs, verdicts, estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.measures.estimates import Estimates as Estimates
    from hannan.measures.rational import ExactGap as ExactGap
    from hannan.measures.rollouts import Rollouts as Rollouts
    from hannan.measures.tables import ActionRow as ActionRow
    from hannan.measures.tables import SetRow as SetRow
    from hannan.measures.tables import SetRows as SetRows
    from hannan.pictures.letters import TreeText as TreeText
    from hannan.pictures.sweeps import draw_sweep as draw_sweep
    from hannan.rules.checks import Check as Check
    from hannan.runs.inspection import Inspection as Inspection
    from hannan.runs.log import LoggedRun as LoggedRun
    from hannan.runs.qre import Quantal as Quantal
    from hannan.runs.qre import QuantalBranch as QuantalBranch
    from hannan.runs.sweep_table import Band as Band
    from hannan.runs.sweep_table import BandPoint as BandPoint
    from hannan.runs.sweep_table import SweepResult as SweepResult
    from hannan.runs.sweep_table import SweptRun as SweptRun
    from hannan.verifier import Verdict as Verdict

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
