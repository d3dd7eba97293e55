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


class Bandit(Box):
    """The left arm gives 1 with probability p and else 0, the right arm 1/2."""

    players = 1
    name = "bandit"

    def __init__(self, p: float) -> None:
        self.p = p
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
            return View([0.5])
        self._won = int(self._random.random() < self.p)
        return View([0.0], draw=ChanceMove(self._won, (0, 1)))


def report(quick: bool = False, say: Say = silent) -> Report:
    """Certify at p = 1/2, where telling the arms apart never ends, with both radii."""
    most = 2_000 if quick else 100_000
    lines: Lines = {}
    claims = []
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
        ratios = [gap / math.sqrt(math.log(t) / t) for t, gap in line if t >= 100]
        claims.append(
            Claim(
                f"radius {radius}: the gap matches the lower bound up to a constant",
                "Θ(√(log t / t))",
                f"{min(ratios):.2f} to {max(ratios):.2f} times √(log t / t) from t = 100 on",
                max(ratios) <= 3 * min(ratios),
            )
        )
    lines["√(log t / t)"] = [(t, math.sqrt(math.log(t) / t)) for t, _ in line]
    panel = Panel("bandit, p = 1/2", "playthroughs", "Nash gap", lines, log=True)
    notes = (
        "The lower bound hides a constant, so the line is drawn with 1. The right arm is known after one pull, so "
        "nearly all playthroughs sample the left one.",
    )
    return Report("certificates4", f"{PAPER}, section 4", (panel,), tuple(claims), notes)
