"""Seconds until NashConv is 1e-3: our best method against LiteEFG's best method.

Both sides count only the time of solving, without compiling and measuring the gap, which both do at the same
iterations. LiteEFG's methods are its baselines that need no step size. Its own training loop runs them, and the average
that its own scripts use is measured. A method is stopped when it has taken longer than the best method so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hannan.bench import peers
from hannan.bench.rows import Figure, Row, Say, Section, faster
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.runs.progress import GAPS
from hannan.runs.solve import make_solver, solve

GAP = 1e-3
METHODS = ("pcfr+", "cfr+", "dcfr+", "pdcfr+", "dcfr", "lcfr", "cfr")
BASELINES = {
    "PCFR": ("linear-avg-iterate", ""),
    "CFRplus": ("linear-avg-iterate", ""),
    "DCFR": ("last-iterate", "average-iterate"),
    "CFR": ("avg-iterate", ""),
}
"""LiteEFG's baselines, with its names of the measured average and of the strategy that is averaged."""

LIMIT, LIMIT_THERE = 60.0, 600.0
"""Seconds after which a method is given up, here and at LiteEFG."""


def run(quick: bool, say: Say, method: str | None = None) -> Section:
    """Race on liar's dice-6; with `quick`, on Kuhn. `method` races too: one of a user's, or with other parameters."""
    name, address = ("Kuhn", "kuhn_poker") if quick else ("liar's dice-6", "liars_dice")
    game = load(address).expanded()
    if method is not None:
        make_solver(game, method)  # refuses an unknown method before measuring
    ours = [_ours(game, name, say) for name in (*METHODS, *([] if method is None else [method]))]
    theirs, best = [], LIMIT_THERE
    for baseline in BASELINES if peers.find("LiteEFG") and peers.openspiel_game(game) else ():
        theirs.append(_lite(game, baseline, best, say))
        best = min([best, *(measured.value for measured in theirs if not measured.bound)])
    measure = f"{name}, to NashConv {GAP:g}"
    rows = []
    first = min(ours, key=_order)
    if theirs:
        rows.append(faster(f"{measure}, best against best", first, min(theirs, key=_order), note=first.by))
    rows += [Row(f"{measure}, {measured.by}", measured) for measured in sorted(ours, key=_order)]
    rows += [faster(f"{measure}, against {measured.by}", first, measured) for measured in sorted(theirs, key=_order)]
    return Section("to_gap", tuple(rows), peers.absent("OpenSpiel", "LiteEFG"))


def _order(measured: Figure) -> tuple[bool, float]:
    return measured.bound, measured.value


def _ours(game: ExpandedGame, method: str, say: Say) -> Figure:
    say(f"to_gap: {method}")
    result = solve(game, method, gap=GAP, seconds=LIMIT)
    return Figure(f"{method}, {result.iterations:,} iterations", result.seconds, bound=result.gap > GAP)


def _lite(game: ExpandedGame, baseline: str, limit: float, say: Say) -> Figure:
    say(f"to_gap: LiteEFG's {baseline}")
    average, of = BASELINES[baseline]
    lite = peers.lite(peers.openspiel_game(game), baseline, average, of)
    assert lite is not None
    iterations, seconds, gap = until(lite.train, lite.nash_conv, limit)
    return Figure(f"{peers.title('LiteEFG')} {baseline}, {iterations:,} iterations", seconds, bound=gap > GAP)


def until(iterate: Callable[[int], None], measure: Callable[[], float], limit: float) -> tuple[int, float, float]:
    """Iterate to the gap or for `limit` seconds; return the iterations, the seconds spent in them, and the gap."""
    iterations, seconds, gap = 0, 0.0, float("inf")
    while gap > GAP and seconds < limit:
        count = GAPS.after(iterations) - iterations
        while count > 0 and seconds < limit:
            few = max(1, count // 8)
            begun = time.perf_counter()
            iterate(few)
            seconds += time.perf_counter() - begun
            iterations += few
            count -= few
        gap = measure()
    return iterations, seconds, gap
