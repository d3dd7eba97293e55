"""Seconds until a gap is reached: `auto` over the best single method, which is known only afterwards.

The twelve games were not used to tune `auto`. All times are CPU seconds of this process, solving and measuring as
`hannan.solve` does, on a game that is expanded and laid out. The single methods are the linear program, `support`, and
every full-width method of the CFR family that needs no parameter. A method is stopped when it has taken longer than the
best method did to every gap that it has not reached. Times below REPEAT_BELOW seconds are the least of three.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hannan.bench.rows import Figure, Row, Say, Section, Target, alone, beside
from hannan.errors import HannanError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.runs.solve import solve

GAMES = (
    "leduc_poker(ranks=8)",
    "leduc_poker(suits=3)",
    "liars_dice(faces=5)",
    "liars_dice(faces=3,dice=2)",
    "goofspiel(cards=4,order=descending)",
    "goofspiel(cards=5,order=descending)",
    "battleship",
    "battleship(height=3)",
    "oshi_zumo",
    "tic_tac_toe",
    "random_game(depth=5,branching=3,seed=7,hidden=true)",
    "random_game(depth=4,branching=3,seed=8,chance=3,hidden=true)",
)
QUICK = ("kuhn_poker",)

GAPS = (1e-2, 1e-4, 1e-6)
SINGLE = ("pdcfr+", "dcfr+", "pcfr+", "dcfr", "cfr+", "lcfr", "cfr")
EXACT = ("lp", "support")

LIMIT = 20.0
"""CPU seconds after which a method is given up."""

LONGEST = 10 * LIMIT
"""Seconds after which a run without measurements ends: a linear program."""

REPEAT_BELOW, REPEATS = 0.3, 3

WORST, NINE_OF_TEN = 2.0, 1.3
"""The largest ratios that should occur: in every case, and in nine of ten cases."""


def run(quick: bool, say: Say) -> Section:
    """Race on the twelve games; with `quick`, on Kuhn."""
    rows: list[Row] = []
    ratios: list[float] = []
    for address in QUICK if quick else GAMES:
        game = load(address).expanded()
        best = _best(game, say)
        for gap in GAPS:
            say(f"auto: {address} to {gap:g}")
            ours = _least([gap], game, "auto", {gap: LIMIT})[gap]
            row = beside(f"{address}, to NashConv {gap:g}", ours, best.get(gap), Target(WORST, least=False))
            rows.append(replace(row, note="auto was given up, so the ratio is larger") if ours.bound else row)
            if row.ratio is not None:
                ratios.append(row.ratio)
    if ratios:
        most = Figure("hannan", float(np.quantile(ratios, 0.9)), "times")
        rows.append(alone("auto over the best single method, nine of ten cases", most, most=NINE_OF_TEN))
        worst = Figure("hannan", max(ratios), "times")
        rows.append(alone("auto over the best single method, the worst case", worst, most=WORST))
    return Section("auto", tuple(rows), (f"A method was given up after {LIMIT:g} CPU seconds.",))


def _best(game: ExpandedGame, say: Say) -> dict[float, Figure]:
    """Return the shortest time of any single method to each gap that one of them reaches."""
    best: dict[float, Figure] = {}
    for method in (*EXACT, *SINGLE):
        say(f"auto: {game.address} by {method}")
        patience = {gap: best[gap].value if gap in best else LIMIT for gap in GAPS}
        for gap, figure in _least(GAPS, game, method, patience).items():
            if not figure.bound and (gap not in best or figure.value < best[gap].value):
                best[gap] = figure
    return best


def _least(gaps: Sequence[float], game: ExpandedGame, method: str, patience: dict[float, float]) -> dict[float, Figure]:
    """Return the time to each gap, the least of several if all are short; a gap that is not reached is a bound."""
    times = _times(gaps, game, method, patience)
    for _ in range(REPEATS - 1):
        if max(times.values()) < REPEAT_BELOW:
            again = _times(gaps, game, method, patience)
            times = {gap: min(times[gap], again[gap]) for gap in gaps}
    return {gap: Figure(method, min(took, LIMIT), bound=took >= LIMIT) for gap, took in times.items()}


def _times(gaps: Sequence[float], game: ExpandedGame, method: str, patience: dict[float, float]) -> dict[float, float]:
    """Run once to the finest gap, and return the CPU seconds to each; infinite for a gap that is given up."""
    times = dict.fromkeys(gaps, float("inf"))
    solve.begin(game, method, gap=min(gaps), seconds=LONGEST).work.prepare()
    begun = time.process_time()
    try:
        for point in solve.begin(game, method, gap=min(gaps), seconds=LONGEST).measurements():
            spent = time.process_time() - begun
            times = {gap: min(took, spent) if point.gap <= gap else took for gap, took in times.items()}
            if all(spent > patience[gap] for gap, took in times.items() if took > spent):
                break
    except HannanError:  # the linear program was not solved in time
        pass
    return times
