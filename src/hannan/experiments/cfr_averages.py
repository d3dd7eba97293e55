"""Figure 2 of the CFR survey: CFR and the averages that CFR+ may take. The paper's game is a no-limit hold'em flop."""

from __future__ import annotations

from hannan.experiments.cfr_survey import GAMES, ITERATIONS, PAPER, QUICK_GAMES, QUICK_ITERATIONS
from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.race import ORDER, Races, about_an_order, panels, race

METHODS = {
    "CFR": "cfr",
    "CFR+, uniform": "cfr+(averaging=uniform)",
    "CFR+, linear": "cfr+(averaging=linear)",
    "CFR+, quadratic": "cfr+(averaging=quadratic)",
    "CFR+, last": "cfr+(averaging=last)",
}


def faster_than_cfr(races: Races) -> tuple[Claim, ...]:
    """Judge, for each average of CFR+, whether it is about an order of magnitude faster than CFR."""
    labels = [label for label in METHODS if label != "CFR"]
    return tuple(
        about_an_order(label, f"{label}: about an order of magnitude faster than CFR", races) for label in labels
    )


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run the variants on the four games, and judge each against CFR."""
    games, iterations = (QUICK_GAMES, QUICK_ITERATIONS) if quick else (GAMES, ITERATIONS)
    races = race(games, METHODS, iterations, say)
    claims = faster_than_cfr(races)
    notes = (
        f"{iterations:,} iterations, alternating updates. The hold'em subgame of the paper is not public: these games "
        "stand in for it.",
        "A factor is the ratio of the iterations after which NashConv stays at or below the level at which the slower "
        f"run ends; below 1, CFR is faster. {ORDER:.2f} or more, as the geometric mean and in most games, "
        "counts as about an order.",
    )
    return Report("cfr_survey2", f"{PAPER}, figure 2", panels(races, ["iterations"]), claims, notes, rows=2)
