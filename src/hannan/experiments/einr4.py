"""Figure 4 of EINR: one player, left or right and then left or right. How fast is a bad option unlearnt?"""

from __future__ import annotations

from hannan.experiments.claims import Claim, Panel, Report
from hannan.experiments.selfplay import PAPER, first, follow
from hannan.forms.loader import load
from hannan.solvers.fullwidth.hedge_cfr import HedgeCFR
from hannan.solvers.weights.einr import EINR
from hannan.strategies.profile import Profile

ITERATIONS = 15
RATE = 1.0
PAYOFFS = (2, -2, -20)
"""The payoffs of right, then left. Left pays 1; right, then right pays 3, the unique best."""

SETTLED = 0.99
CLOSE = 0.02
"""Curves that are never further apart than this count as the same."""


def best_path(profile: Profile) -> float:
    """Return the probability of right, then right."""
    strategy = profile.strategies[0]
    return float(strategy[2] * strategy[4])


def report() -> Report:
    """Run both methods on the three games."""
    panels, claims, settled = [], [], []
    for payoff in PAYOFFS:
        game = load(f"single_player(right_left={payoff})").expanded()
        ours = follow(EINR(game, rate=RATE), ITERATIONS, best_path)
        theirs = follow(HedgeCFR(game, rate=RATE), ITERATIONS, best_path)
        panels.append(Panel(f"(1; {payoff}, 3)", "iteration", "P(right, right)", {"EINR": ours, "CFR, Hedge": theirs}))
        both = [first(points, lambda p: p >= SETTLED) for points in (ours, theirs)]
        settled.append(both)
        apart = max(abs(x - y) for (_, x), (_, y) in zip(ours, theirs, strict=True))
        words = f"P ≥ {SETTLED} from iteration {both[0]} (EINR) and {both[1]} (CFR); apart by {apart:.4f} at most"
        if payoff == PAYOFFS[0]:
            same = both[0] == both[1] and apart < CLOSE
            claims.append(Claim("where right is clearly better, both behave the same", "nearly identical", words, same))
        else:
            faster = both[0] is not None and (both[1] is None or both[0] < both[1])
            text = f"with a bad option ({payoff}), EINR converges faster"
            claims.append(Claim(text, "substantially faster", words, faster))
    einr, cfr = zip(*settled, strict=True)
    grows = None not in (cfr[1], cfr[2]) and cfr[2] > cfr[1]
    claims.append(
        Claim(
            "CFR's delay grows with how bad the option is; EINR has nothing to unlearn",
            "grows; does not",
            f"from {cfr[1]} to {cfr[2]} iterations; from {einr[1]} to {einr[2]}",
            grows and einr[2] is not None and einr[2] <= einr[1],
        )
    )
    notes = (
        f"Rate {RATE:g} for both (the paper's base e); the paper does not print one.",
        "Of the three games only (1; 2, 3) is preserved in the text at hand: -2 and -20 are our choice for the others.",
    )
    return Report("einr4", f"{PAPER}, figure 4", tuple(panels), tuple(claims), notes)
