"""Hold'em for poker players: nodes of a strategy, runouts, sets of flops, ranges and grids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.games.holdem.ranges import parse_range as parse_range
    from hannan.games.holdem.ranges import range_text as range_text
    from hannan.games.holdem.spot import Spot as Spot
    from hannan.games.holdem.spot_files import read_spot as read_spot
    from hannan.games.holdem.spot_files import write_spot as write_spot
    from hannan.measures.poker.grids import grid_text as grid_text
    from hannan.measures.poker.report import NodeReport as NodeReport
    from hannan.measures.poker.report import PlayerReport as PlayerReport
    from hannan.measures.poker.report import ReportRow as ReportRow
    from hannan.measures.poker.report import report as report
    from hannan.measures.poker.runouts import Runout as Runout
    from hannan.measures.poker.runouts import Runouts as Runouts
    from hannan.measures.poker.runouts import runouts as runouts
    from hannan.pictures.ranges import draw_grid as draw_grid
    from hannan.runs.flops import FlopReport as FlopReport
    from hannan.runs.flops import SolvedFlop as SolvedFlop
    from hannan.runs.flops import solve_flops as solve_flops

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
