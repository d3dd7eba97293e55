"""Section 4 of the certificates paper: the bandit on which no certificate can do better than √(log t / t)."""

from __future__ import annotations

import math
import random
from typing import Any

from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.radii import Radius
from hannan.experiments.certificates1 import PAPER
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.rules.box import Box, ChanceMove, View

FROM = 100
"""Constants are compared from this number of playthroughs on."""


class Bandit(Box):
    """The left arm gives 1 with probability p and else 0, the right arm a sure prize."""

    players = 1
    name = "bandit"

    def __init__(self, p: float, sure: float = 0.5) -> None:
        self.p, self.sure = p, sure
        self._random = random.Random()
        self._won: int | None = None

    def reset(self, seed: int) -> View:
        self._random.seed(seed)
        self._won = None
        return View([0.0], [(0.0, 1.0)], (0,), [("left", "right")], ["begin"])

    def step(self, moves: tuple[Any, ...]) -> View:
        if self._won is not None:
            return View([float(self._won)])
        if moves == ("right",):
            return View([self.sure])
        self._won = int(self._random.random() < self.p)
        return View([0.0], draw=ChanceMove(self._won, (0, 1)))


def mistaken(t: int, e: float) -> float:
    """Return the exact probability that the best rule takes the worse arm after t samples if p is 1/2 - e or 1/2 + e.

    By symmetry the best rule takes the left arm if it won more than half of the time, and tosses a coin at half.
    """
    from scipy.stats import binom

    wins = binom(t, 0.5 + e)
    half = 0.5 * float(wins.pmf(t // 2)) if t % 2 == 0 else 0.0
    return float(wins.cdf((t - 1) // 2)) + half


def indistinguishable(t: int) -> float:
    """Return the e at which the best rule takes the worse arm with probability 2/t², the allowed failures."""
    from scipy.optimize import brentq

    return float(brentq(lambda e: mistaken(t, e) * t**2 / 2 - 1, 0.0, 0.49))


def report(quick: bool = False, say: Say = silent) -> Report:
    """Certify with both radii at p = 1/2, where no number of samples tells the arms apart."""
    most = 2_000 if quick else 100_000
    lines: Lines = {}
    radii: tuple[Radius, ...] = ("anytime", "paper")
    for radius in radii:
        say(f"certificates 4: radius {radius}")
        work = Resolving(Bandit(0.5), method="induction", every=1, confidence=Confidence(radius), seed=1)
        line, due = [], 10.0
        while work.playthroughs < most:
            work.every = max(1, work.playthroughs // 50)  # solving rarely changes nothing but the time
            work.advance(work.every)
            if work.playthroughs >= due:
                due *= 1.2
                line.append((float(work.playthroughs), work.bound().gap))
        lines[f"radius {radius}"] = line
    # a strategy that takes the worse arm half of the time loses e / 2, and a smaller bound is false then
    lowest = [(t, indistinguishable(int(t)) / 2) for t, _ in line if t >= FROM]
    lines["no certificate can always be below"] = lowest
    lines["√(log t / t)"] = [(t, _rate(t)) for t, _ in line]
    claims = [_lower(lowest), *(_matching(radius, lines[f"radius {radius}"], dict(lowest)) for radius in radii)]
    panel = Panel("bandit, p = 1/2", "playthroughs", "Nash gap", lines, log=True)
    notes = (
        "The lower bound is exact. e is the largest number such that, after t samples of an arm with p = 1/2 - e or "
        "1/2 + e, no rule takes the better arm with a probability above 1 - 2/t². A strategy that takes the worse arm "
        "at least half of the time loses e/2. So a certificate that is false in at most 2/t² of the cases cannot "
        "always be below e/2.",
        "The right arm is known after one pull, so nearly all playthroughs sample the left one.",
    )
    return Report("certificates4", f"{PAPER}, section 4", (panel,), tuple(claims), notes)


def _rate(t: float) -> float:
    return math.sqrt(math.log(t) / t)


def _lower(lowest: list[tuple[float, float]]) -> Claim:
    constants = [gap / _rate(t) for t, gap in lowest]
    larger = max(mistaken(int(t), 1.1 * 2 * gap) / (2 / t**2) for t, gap in lowest)
    return Claim(
        "Theorem 4.1: no certificate can always be below a constant times √(log t / t)",
        "Ω(√(log t / t))",
        f"{min(constants):.3f} to {max(constants):.3f} times √(log t / t) from t = {lowest[0][0]:,.0f} to "
        f"{lowest[-1][0]:,.0f}; with a constant 10 % larger the best rule errs {larger:.2g} times as often as allowed",
        min(constants) >= 0.3 and larger < 1,
    )


def _matching(radius: Radius, line: list[tuple[float, float]], lowest: dict[float, float]) -> Claim:
    late = [(t, gap) for t, gap in line if t >= FROM]
    ratios = [gap / _rate(t) for t, gap in late]
    above = [gap / (lowest[t] if t in lowest else indistinguishable(int(t)) / 2) for t, gap in late]
    return Claim(
        f"radius {radius}: the gap matches the lower bound up to a constant",
        "Θ(√(log t / t))",
        f"{min(ratios):.2f} to {max(ratios):.2f} times √(log t / t) from t = {FROM} on, "
        f"{min(above):.2f} to {max(above):.2f} times the lower bound",
        max(above) <= 3 * min(above) and min(above) >= 1,
    )
