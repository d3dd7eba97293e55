"""Figure 5 of EINR: tic-tac-toe with a rate of 10⁵, the value of the game by iteration, against CFR."""

from __future__ import annotations

from hannan.experiments.claims import Claim, Panel, Report
from hannan.experiments.selfplay import PAPER, first, follow, value
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.weights.einr import EINR

ITERATIONS = 30
RATE = 1e5
DRAW = 1e-6


def report() -> Report:
    """Run EINR and CFR with regret matching, both with simultaneous updates."""
    game = load("tic_tac_toe").expanded()
    einr, cfr = EINR(game, rate=RATE), CFR(game, updates="simultaneous")
    ours, theirs = follow(einr, ITERATIONS, value), follow(cfr, ITERATIONS, value)
    lines = {"EINR": ours, "CFR, regret matching": theirs}
    settled = {label: first(points, lambda v: abs(v) <= DRAW) for label, points in lines.items()}
    gap = evaluate(game, einr.current()).nash_conv
    claims = (
        Claim(
            "EINR ends at a draw, the value of the game",
            "0",
            f"{ours[-1][1]:.2g}, from iteration {settled['EINR']} on; NashConv of the last iterate {gap:.2g}",
            settled["EINR"] is not None and gap <= DRAW,
        ),
        Claim(
            "EINR learns rapidly with a large rate",
            "rate 1e5",
            f"a draw from iteration {settled['EINR']} on, CFR's current strategies from {settled[list(lines)[1]]} on",
            settled["EINR"] is not None and settled["EINR"] <= ITERATIONS // 2,
        ),
    )
    notes = (
        f"Values of the current strategies in self-play, simultaneous updates, {game.sizes.histories:,} histories of "
        f"which {game.sizes.terminal:,} are terminal (the paper's number of states).",
    )
    panel = Panel("tic-tac-toe", "iteration", "value to the first player", lines)
    return Report("einr5", f"{PAPER}, figure 5", (panel,), claims, notes)
