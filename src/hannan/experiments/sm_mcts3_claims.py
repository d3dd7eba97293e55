"""The claims of section 5.2 of the SM-MCTS paper, judged by our worst cases and by four methods on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Panel
from hannan.experiments.sm_mcts2 import Curve, lines_of, panel, slower
from hannan.experiments.stacked import canonical, text_of

PRINTED = {"WC_RM": 0.0119, "WC_RMM": 0.0367}
"""The minimal achievable values as the paper prints them; the exact values are 0.0125 and 0.036875."""

BELOW, ABOVE = 0.0005, 0.003
"""How far a mean after a million iterations may lie from its floor."""

WITHIN = 3
"""Standard errors of the difference by which the worst of the candidates may be ahead of the authors' game."""

CERTAIN = 3.3
"""Standard errors by which RMM must be ahead of RM in new searches: once in 2,000 by chance."""


class Candidate(NamedTuple):
    """A game that was searched again: the mean shortfalls of RM and RMM, each with its standard error, [2, 2]."""

    digits: tuple[int, ...]
    again: Floats


@dataclass(frozen=True)
class Findings:
    """The data from which the figure is drawn and judged."""

    games: Longs  # [games, 16]
    means: Mapping[str, Floats]  # of each variant: means and standard errors of the brute-force search, [2, games]
    candidates: Mapping[int, Candidate]
    worst: Mapping[str, Candidate]
    shown: Mapping[str, tuple[int, ...]]
    lines: Mapping[str, Mapping[str, Curve]]
    again: int
    """How often a candidate was searched again with each variant."""


def panels_of(findings: Findings) -> tuple[Panel, ...]:
    """Return one panel for each game that was followed."""
    return tuple(panel(name, lines_of(methods)) for name, methods in findings.lines.items())


def judged(findings: Findings) -> tuple[Claim, ...]:
    """Judge the claims of section 5.2."""
    return (
        *(_worst(findings, k, label) for k, label in enumerate(("RM", "RMM"))),
        _alike(findings),
        _never_better(findings),
        *(_limit(findings, game, label) for game in PRINTED for label in ("RM", "RMM")),
        _exp3_late(findings),
        _means_are_slower(findings),
    )


def _worst(findings: Findings, k: int, label: str) -> Claim:
    """Compare our worst case with the authors', after new searches of both."""
    name = f"WC_{label}"
    theirs = next(one for one in findings.candidates.values() if one.digits == canonical(findings.shown[name]))
    ours = findings.worst[label]
    (mean, error), (own, own_error) = theirs.again[k], ours.again[k]
    return Claim(
        f"{name} is the game with the largest shortfall after 1,000 iterations of {label}",
        f"the largest of 100 runs (held: of {findings.again:,} new runs none is more than {WITHIN} standard errors "
        "larger)",
        f"theirs {mean:.3f} ± {error:.3f}; the worst of ours {own:.3f} ± {own_error:.3f}: {text_of(ours.digits)}",
        own - mean <= WITHIN * float(np.hypot(error, own_error)),
    )


def _alike(findings: Findings) -> Claim:
    """Judge whether the games that are difficult for one variant are difficult for the other."""
    rm, rmm = findings.means["RM"][0], findings.means["RMM"][0]
    order = [np.argsort(np.argsort(part, kind="stable"), kind="stable") for part in (rm, rmm)]
    correlation = float(np.corrcoef(order[0], order[1])[0, 1])
    count = max(len(rm) // 100, 1)
    hardest = [set(np.argsort(-part, kind="stable")[:count].tolist()) for part in (rm, rmm)]
    shared = len(hardest[0] & hardest[1]) / count
    return Claim(
        "the games that are most difficult for one method are difficult also for the other",
        "in general",
        f"rank correlation {correlation:.3f}; {shared:.0%} of the hardest hundredth are the same",
        correlation >= 0.9,
    )


def _never_better(findings: Findings) -> Claim:
    """Look for a game in which RMM is ahead with many runs."""
    apart = {
        number: (one.again[1, 0] - one.again[0, 0]) / max(float(np.hypot(one.again[0, 1], one.again[1, 1])), 1e-12)
        for number, one in findings.candidates.items()
    }
    best = min(apart, key=lambda number: apart[number])
    (rm, _), (rmm, _) = findings.candidates[best].again
    return Claim(
        "RMM never performs better than RM with enough runs",
        "never",
        f"of {len(apart)} games searched again the most in favour of RMM: {rmm:.4f} against {rm:.4f}, "
        f"{-apart[best]:.1f} standard errors",
        apart[best] > -CERTAIN,
    )


def _limit(findings: Findings, game: str, label: str) -> Claim:
    """Judge whether a variant comes to the least shortfall that it can achieve."""
    curve = findings.lines[game][label]
    last = float(curve.mean[-1])
    return Claim(
        f"{label} converges to the minimal achievable value on {game}",
        f"{PRINTED[game]} after a million",
        f"{last:.4f} ± {curve.error:.4f} after {int(curve.points[-1]):,}; floor {curve.floor:.6g}",
        curve.floor - BELOW <= last <= curve.floor + ABOVE,
    )


def _exp3_late(findings: Findings) -> Claim:
    """Judge whether Exp3 is still falling, but above its floor, in the first of the authors' games."""
    parts, held = [], True
    for label in ("Exp3", "Exp3M"):
        curve = findings.lines["WC_RM"][label]
        parts.append(f"{label} {curve.mean[-1]:.4f} (floor {curve.floor:.4g})")
        held &= bool(curve.mean[-1] > curve.floor + ABOVE and curve.mean[-1] < curve.mean[len(curve.mean) // 2])
    return Claim(
        "the Exp3 variants did not fully make it in the first million iterations on WC_RM",
        "still falling", ", ".join(parts), held,
    )  # fmt: skip


def _means_are_slower(findings: Findings) -> Claim:
    """Compare each method with its variant that returns means, on the authors' games."""
    parts, held = [], True
    for game in PRINTED:
        for one, other in (("RM", "RMM"), ("Exp3", "Exp3M")):
            ratio = slower(findings.lines[game][other], findings.lines[game][one])
            parts.append(f"{other} {ratio:.2f} on {game}")
            held &= ratio >= 1.0
    return Claim(
        "the variants that return means always converge a little slower",
        "always", "ratio of shortfalls: " + ", ".join(parts), held,
    )  # fmt: skip
