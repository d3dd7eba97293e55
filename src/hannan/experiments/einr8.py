"""Figure 8 of EINR: the same ten stages with a dangerous last one, in three versions."""

from __future__ import annotations

from hannan.experiments.claims import Claim, Panel, Report
from hannan.experiments.selfplay import PAPER, first, follow, likeliest, value
from hannan.forms.loader import load
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.weights.einr import EINR

ITERATIONS = 30
RATE = 10.0
BEST = 12.0
NEAR = 1e-6
VERSIONS = {"a": (4, 12.0), "b": (-4, 8.0), "c": (-40, 6.0)}
"""The payoffs a = c of each panel, and the value at which the paper's CFR ends."""


def report() -> Report:
    """Run EINR and CFR, both with simultaneous updates, on the three versions."""
    panels, claims, leaves = [], [], []
    for letter, (payoff, end) in VERSIONS.items():
        game = load(f"identical_interest(a={payoff},b=12,c={payoff},d=12,e=-40,f=-40,g=11,h=11)").expanded()
        einr, cfr = EINR(game, rate=RATE), CFR(game, updates="simultaneous")
        ours, theirs = follow(einr, ITERATIONS, value), follow(cfr, ITERATIONS, value)
        panels.append(Panel(f"8{letter}: a = c = {payoff}", "iteration", "value", {"EINR": ours, "CFR": theirs}))
        reached = first(ours, lambda v: abs(v - BEST) <= 0.01)
        claims.append(
            Claim(
                f"8{letter}: CFR ends at {end:g}, EINR reaches 12",
                f"{end:g}; 12",
                f"CFR ends at {theirs[-1][1]:.9g}, EINR reaches {ours[-1][1]:.9g}, in {reached} iterations",
                abs(theirs[-1][1] - end) <= NEAR and abs(ours[-1][1] - BEST) <= NEAR,
            )
        )
        leaves.append((likeliest(einr.current()), likeliest(cfr.current())))
    shown = "; ".join(f"8{k} {mine:.6g} and {theirs:.6g}" for k, (mine, theirs) in zip(VERSIONS, leaves, strict=True))
    claims.append(
        Claim(
            "the joint play ends in a single leaf",
            "π(z) = 1",
            f"likeliest leaf, EINR and CFR: {shown}",
            min(min(pair) for pair in leaves) >= 1 - NEAR,
        )
    )
    notes = (
        f"Rate {RATE:g}, simultaneous updates, current strategies. EINR's iterations are those until its value "
        "stays within 0.01 of 12. With alternating updates CFR ends 8c at 8.",
        "In the last stage [a b; c d] has equal rows, so the first player is indifferent between two leaves that both "
        "pay 12, and keeps mixing: one payoff, two leaves.",
    )
    return Report("einr8", f"{PAPER}, figure 8", tuple(panels), tuple(claims), notes)
