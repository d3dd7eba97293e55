"""The theorems of the certificates paper as measured inequalities, on games where a wrong constant would show.

On a bandit with one risky arm nearly every step of the proofs is tight, so that the two sides of an inequality come
close to each other. In games with more chance nodes they are further apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Certification
from hannan.certificates.choice import certification
from hannan.certificates.pseudogame import Confidence
from hannan.experiments.certificates1 import PAPER
from hannan.experiments.certificates4 import Bandit
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.theorems import failure, uncertainty, uncertainty_bound
from hannan.forms.boxes import boxed
from hannan.rules.box import Box

ODDS: tuple[tuple[tuple[float, ...], tuple[int, ...]], ...] = (
    ((0.5, 0.5), (10, 30, 100, 300)),
    ((0.6, 0.4), (10, 30, 100, 300)),
    ((0.9, 0.1), (10, 30, 100, 300)),
    ((1 / 3, 1 / 3, 1 / 3), (10, 30)),
    ((0.6, 0.3, 0.1), (10, 30)),
)
"""Distributions of a chance node, and the numbers of draws after which each is judged."""

WIDER = {"5.5": 1.5, "6.6": 2.5}
"""Factors on the radius that break each theorem on the bandit."""

NARROW = 0.1
"""With this share of the radius many confidence sequences are not correct."""

SLACK = 1e-9


def report(quick: bool = False, say: Say = silent) -> Report:
    """Measure both sides of Theorems 5.3 and 5.5, Propositions 6.3, 6.5 and 7.3, and Corollary 6.6."""
    lines: Lines = {}
    claims = [_correctness()]
    say("certificates theory: Theorem 5.5")
    claims += _uncertainty(2_000 if quick else 20_000, lines)
    say("certificates theory: Proposition 6.5 and Corollary 6.6")
    claims += _solving(1_000 if quick else 5_000, lines)
    for name, method in (("Proposition 6.3", "induction"), ("Proposition 7.3", "mccfr")):
        say(f"certificates theory: {name}")
        claims.append(_conditional(name, method, 100 if quick else 500))
    panel = Panel("left side as a share of the right side", "playthroughs", "share", lines, log=True)
    notes = (
        "The radius is the paper's. The bandit has one arm that wins 1 with probability 0.6, and one that pays 0.",
        "Theorem 5.3 is computed, not sampled: the probability that the frequency of any set of outcomes is off by "
        "more than the radius, over all counts of t draws.",
        "Theorem 5.5 and Corollary 6.6 bound expectations. On the bandit hardly anything depends on chance, so one "
        "seed is run. On Kuhn poker (every deal unknown) Theorem 5.5 takes the mean of 3 seeds, Corollary "
        "6.6 one seed.",
        f"Propositions 6.3 and 7.3 assume a correct confidence sequence. With {NARROW:g} of the radius many are not "
        "correct, so that both cases are seen: 30 playthroughs of section 4's bandit (p = 0.6).",
    )
    return Report("certificates_theory", f"{PAPER}, theorems", (panel,), tuple(claims), notes)


def _correctness() -> Claim:
    whole, half = (
        max(failure(odds, t, scale) / (2 / t**2) for odds, times in ODDS for t in times) for scale in (1.0, 0.5)
    )
    return Claim(
        "Theorem 5.3: at a fixed t the bounds are correct with probability 1 - 2/t²",
        "at most 2/t² fail",
        f"at most {whole:.2g} of 2/t²; with half of the radius up to {half:.3g} times 2/t²",
        whole <= 1 < half,
    )


@dataclass(frozen=True)
class Shares:
    """The left side of a theorem as a share of its right side."""

    line: list[tuple[float, float]]

    @property
    def last(self) -> float:
        """The share at the end."""
        return self.line[-1][1]


def _accumulated(box: Box, wide: float, seeds: int, most: int, scale: float = 1.0) -> Shares:
    """Return U as a share of Theorem 5.5's bound, for rewards scaled to [0, 1]: the mean over seeds."""
    moments = [max(most >> k, 10) for k in range(8, -1, -1)]
    shares = np.zeros((seeds, len(moments)))
    for seed in range(seeds):
        work = Regretting(
            box, method="online-cfr", every=10**9, confidence=Confidence("paper"), seed=seed, scale=scale
        )  # fmt: skip
        for k, moment in enumerate(moments):
            work.advance(moment - work.playthroughs)
            shares[seed, k] = work.uncertainty / wide / uncertainty_bound(work.trunk, moment)
    return Shares([(float(t), float(share)) for t, share in zip(moments, shares.mean(0), strict=True)])


def _uncertainty(most: int, lines: Lines) -> list[Claim]:
    claims = []
    for name, box, wide, seeds in (
        ("the bandit", Bandit(0.6, 0.0), 1.0, 1),
        ("Kuhn poker", boxed("kuhn_poker").box, 4.0, 3),
    ):
        found = _accumulated(box, wide, seeds, most if seeds == 1 else most // 10)
        lines[f"Theorem 5.5, {name}"] = found.line
        claims.append(
            Claim(
                f"Theorem 5.5: the cumulative uncertainty on {name} is at most 2C√(2TM) + N",
                "at most 1 times",
                f"{found.last:.3g} times after {found.line[-1][0]:,.0f} playthroughs",
                all(share <= 1 for _, share in found.line),
            )
        )
    wider = _accumulated(Bandit(0.6, 0.0), 1.0, 1, most, WIDER["5.5"]).last
    claims.append(_shown("Theorem 5.5", WIDER["5.5"], wider))
    return claims


def _shown(theorem: str, scale: float, share: float) -> Claim:
    return Claim(
        f"{theorem}: a wrong constant shows: radii {scale:g} times as wide break it on the bandit",
        "more than 1 times",
        f"{share:.3g} times",
        share > 1,
    )


def _solved(box: Box, wide: float, method: str, every: int, most: int, scale: float = 1.0) -> tuple[Shares, float]:
    """Return the best gap as a share of Corollary 6.6's bound, and the largest share of Δ̂ of optimistic play."""
    work = Resolving(box, method=method, every=every, confidence=Confidence("paper"), seed=1, scale=scale)
    line, best, largest = [], np.inf, 0.0
    while work.playthroughs < most:
        work.advance(every)
        game = work.pseudogame()
        lower, upper = game.guarantees(work.kept)
        largest = max(largest, (upper - lower) / uncertainty(game, work.plans[0]))
        best, t = min(best, work.bound().gap / wide), work.playthroughs
        line.append((float(t), best * t / uncertainty_bound(work.trunk, t)))
    return Shares(line), largest


def _solving(most: int, lines: Lines) -> list[Claim]:
    below, best = [], []
    for name, box, wide, method, every, size in (
        ("the bandit", Bandit(0.6, 0.0), 1.0, "induction", 1, most),
        ("Kuhn poker", boxed("kuhn_poker").box, 4.0, "lp", 50, most),
    ):
        found, largest = _solved(box, wide, method, every, size)
        thinned = [point for k, point in enumerate(found.line) if k & (k + 1) == 0]
        lines[f"Corollary 6.6, {name}"] = thinned
        below.append(
            Claim(
                f"Proposition 6.5: on {name} the gap is at most the uncertainty of optimistic play",
                "at most 1 times",
                f"{largest:.6f} times in {len(found.line):,} solves",
                largest <= 1 + 1e-6,
            )
        )
        best.append(
            Claim(
                f"Corollary 6.6: the best gap on {name} is at most 2C√(2M/T) + N/T",
                "at most 1 times",
                f"{found.last:.3g} times after {size:,} playthroughs",
                all(share <= 1 for _, share in found.line),
            )
        )
    wider, _ = _solved(Bandit(0.6, 0.0), 1.0, "induction", 1, most, WIDER["6.6"])
    return [*below, *best, _shown("Corollary 6.6", WIDER["6.6"], wider.last)]


def _correct(work: Certification, p: float) -> bool:
    """Return whether the frequencies of the bandit's arm are within the radius."""
    groups, slots = work.trunk.groups, work.trunk.slots
    if not groups.used or not groups.samples[0]:
        return True
    (rho,) = work.confidence.radii(work.trunk, work.playthroughs, work.scale)
    wins = slots.view("count")[1]
    return bool(abs(wins / groups.samples[0] - p) <= rho)


def _conditional(name: str, method: str, runs: int) -> Claim:
    """Count false bounds, separately for confidence sequences that are correct at that moment and for others."""
    p, sure = 0.6, 0.5
    false = {True: 0, False: 0}
    seen = {True: 0, False: 0}
    for seed in range(runs):
        work = certification(
            Bandit(p, sure), method=method, every=1, confidence=Confidence("paper"), seed=seed, scale=NARROW
        )  # fmt: skip
        for _ in range(30):
            work.advance(1)
            bound, left = work.bound(), float(work.kept[0][1])
            correct = _correct(work, p)
            seen[correct] += 1
            false[correct] += max(p, sure) - (p * left + sure * (1 - left)) > bound.gap + SLACK
    return Claim(
        f"{name}: if the confidence sequence is correct, the true gap is at most the gap",
        "never above",
        f"above in {false[True]:,} of {seen[True]:,} correct ones, in {false[False]:,} of {seen[False]:,} others",
        false[True] == 0 < false[False],
    )
