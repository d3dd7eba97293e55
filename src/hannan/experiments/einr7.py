"""Figure 7 of EINR: ten stages of identical interest, several rates, against CFR."""

from __future__ import annotations

from itertools import pairwise

from hannan.experiments.claims import Claim, Panel, Report
from hannan.experiments.selfplay import PAPER, first, follow, likeliest, value
from hannan.forms.loader import load
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.weights.einr import EINR

ITERATIONS = 20
RATES = (1.0, 10.0, 100.0)
BEST = 12.0
NEAR = 0.01


def report() -> Report:
    """Run EINR at each rate, and CFR with simultaneous updates."""
    game = load("identical_interest").expanded()
    lines, ends, leaves = {}, {}, {}
    for rate in RATES:
        solver = EINR(game, rate=rate)
        lines[f"EINR, rate {rate:g}"] = follow(solver, ITERATIONS, value)
        leaves[rate] = likeliest(solver.current())
    cfr = CFR(game, updates="simultaneous")
    lines["CFR"] = follow(cfr, ITERATIONS, value)
    for label, points in lines.items():
        ends[label] = first(points, lambda v: abs(v - BEST) <= NEAR)
    order = [ends[f"EINR, rate {rate:g}"] for rate in RATES]
    known = [end if end is not None else ITERATIONS + 1 for end in order]
    falling = all(later <= earlier for earlier, later in pairwise(known))
    close = ends["CFR"] is not None and known[-1] <= ends["CFR"] + 1
    reached = all(abs(points[-1][1] - BEST) <= NEAR for points in lines.values())
    claims = (
        Claim(
            "EINR and CFR find the best payoff",
            "12",
            ", ".join(f"{label} {points[-1][1]:.6g}" for label, points in lines.items()),
            reached,
        ),
        Claim(
            "with a larger rate EINR approaches CFR's number of iterations",
            "approaches",
            ", ".join(f"{label}: {end}" for label, end in ends.items()),
            falling and close,
        ),
        Claim(
            "the joint play ends in a single leaf",
            "π(z) = 1",
            ", ".join(f"rate {rate:g}: {leaf:.9g}" for rate, leaf in leaves.items())
            + f", CFR: {likeliest(cfr.current()):.9g}",
            min(*leaves.values(), likeliest(cfr.current())) >= 1 - 1e-3,
        ),
    )
    notes = (
        "Values of the current strategies; an iteration number is the first from which on the value stays within "
        "0.01 of 12. The paper does not print its rates.",
    )
    panel = Panel("identical interest, ten stages", "iteration", "value", lines)
    return Report("einr7", f"{PAPER}, figure 7", (panel,), claims, notes)
