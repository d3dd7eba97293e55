"""Sections 3.2, 3.3 and 3.5 of the CFR survey: samplers by iterations, by histories touched and by seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.own_sets import compared
from hannan.experiments.race import BY, ORDER, Curve, counted, panels, speedup, told
from hannan.experiments.robust import K, robust
from hannan.forms.loader import load
from hannan.runs.progress import Limits, Schedule

BASE, ROBUST = "MCCFR, outcome", f"MCCFR, robust, k = {K}"

EXTERNAL = "MCCFR, external"

METHODS = {
    "CFR": "cfr",
    BASE: "mccfr-os",
    "MCCFR, outcome, weighted average": "mccfr-os(averaging=weighted)",
    EXTERNAL: "mccfr-es",
    ROBUST: f"mccfr-rs(k={K})",
    "MCCFR, chance": "mccfr-cs",
    "VR-MCCFR": "vr-mccfr",
    "VR-MCCFR, predictive": "vr-mccfr(baseline=predictive)",
    "VR-MCCFR+": "vr-mccfr(learner='rm+',gamma=2.0)",
    "VR-MCCFR+, predictive": "vr-mccfr(learner='rm+',gamma=2.0,baseline=predictive)",
}

TWO_ORDERS = 10**1.5
"""From here on a factor is nearer to a hundred than to ten, on a logarithmic scale."""

SCHEDULE = Schedule(first=100, spacing=1.25)
"""When NashConv is measured."""

STRATEGIES = 1_000
"""Iterations of CFR whose strategies are averaged in two ways."""

MOST, QUICK_MOST = 200_000_000, 100_000
"""Histories that each method may touch."""


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run the samplers on Leduc poker, and judge the survey's claims on VR-MCCFR and on robust sampling."""
    name, address, most = ("Kuhn", "kuhn_poker", QUICK_MOST) if quick else ("Leduc", "leduc_poker", MOST)
    game = load(address).expanded()
    runs, histories = dict[str, Curve](), dict[str, list[int]]()
    for label, method in METHODS.items():
        where = {} if label == "CFR" else {"over": "tree"}
        runs[label], histories[label] = counted(game, method, SCHEDULE, Limits(), most, **where)
        say(f"{name}, {label}: {told(runs[label])}")
    claims = (
        _cheaper(runs, histories),
        judged(
            "VR-MCCFR", "section 3.3: VR-MCCFR improves on MCCFR by two orders on Leduc", "100 times", TWO_ORDERS, runs
        ),
        judged("VR-MCCFR", "Schmid et al., abstract: by one order", "10 times", ORDER, runs),
        judged("VR-MCCFR+", "Schmid et al., abstract: by two orders together with CFR+", "100 times", TWO_ORDERS, runs),
        *robust(quick, say),
        _converges(runs, histories),
    )
    right, own = compared(game, STRATEGIES)
    notes = (
        f"One seed, one thread, each method until it has touched {most:,} histories. MCCFR is outcome sampling with "
        "ε 0.6; all methods average lazily except one, whose weighted average has the right mean.",
        "A factor is the ratio of the iterations after which NashConv stays at or below the level at which the slower "
        f"run ends. {ORDER:.2f} or more counts as about one order, {TWO_ORDERS:.1f} or more as about two.",
        "Robust sampling: variance is the sum over all sequences of the variance of the sampled counterfactual value "
        "(docs/howto/sampling.md), all samplers at the same strategies. Histories are those that an iteration touches; "
        "sets are those in the tables after the iterations, played on the rules.",
        f"Outcome sampling that averages at the traverser's own sets is biased. For the strategies of {STRATEGIES:,} "
        f"iterations of CFR on {name} the right average has NashConv {right:.3g}, and the expected average of such "
        f"sampling has {own:.3g} (computed, not sampled). That published factors compare with such an average is a "
        "conjecture.",
    )
    drawn = panels({name: runs}, BY, histories)
    return Report("cfr_samplers", f"{PAPER}: samplers on {name}", drawn, claims, notes)


def _cheaper(runs: Mapping[str, Curve], histories: Mapping[str, list[int]]) -> Claim:
    """Judge whether samplers make cheaper iterations, and need more of them, than CFR."""
    cost = {label: histories[label][-1] / runs[label][-1].iteration for label in ("CFR", BASE, EXTERNAL)}
    more = {label: 1 / speedup(runs[label], runs["CFR"]) for label in (BASE, EXTERNAL)}
    words = "; ".join(
        f"{label}: {cost[label]:.3g} histories per iteration, {many:,.0f} times as many iterations"
        for label, many in more.items()
    )
    return Claim(
        "section 3.2: sampling reduces the cost per iteration and increases the number of iterations",
        "cheaper; more",
        f"CFR: {cost['CFR']:,.0f} histories per iteration; {words}",
        all(cost[label] < cost["CFR"] and many > 1 for label, many in more.items()),
    )


def _converges(runs: Mapping[str, Curve], histories: Mapping[str, list[int]]) -> Claim:
    """Judge whether robust sampling converges better than outcome sampling, by the histories that both touch."""
    both = [
        tuple(replace(point, iteration=many) for point, many in zip(runs[label], histories[label], strict=True))
        for label in (ROBUST, BASE)
    ]
    factor, iterations = speedup(*both), speedup(runs[ROBUST], runs[BASE])
    return Claim(
        "section 3.5: robust sampling contributes to better convergence",
        "better than outcome sampling's",
        f"{iterations:.1f} times fewer iterations, {factor:.1f} times fewer histories",
        factor > 1,
    )


def judged(label: str, text: str, paper: str, least: float, runs: Mapping[str, Curve]) -> Claim:
    """Judge a factor in iterations over outcome sampling."""
    factor = speedup(runs[label], runs[BASE])
    return Claim(text, paper, f"{factor:.1f} times fewer iterations", factor >= least)
