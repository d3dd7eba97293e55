"""Figure 1 of the certificates paper: provable and true gaps by playthroughs, on Goofspiel-4 and Leduc-13.

Algorithm 6.1 with the paper's knowledge of chance (Cert-LP), and without (Cert-LP-Indep); Algorithm 7.2 with
outcome sampling (Cert-MCCFR); and outcome sampling on the whole game (MCCFR), which proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace

from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Certification
from hannan.certificates.choice import certification
from hannan.certificates.first_order import FullWidth
from hannan.certificates.pseudogame import Confidence, Pair
from hannan.certificates.strategies import strategy_of
from hannan.experiments.certificates1_claims import Curve, Part, Programs, Setting, judged
from hannan.experiments.claims import Line, Panel, Report, Say, silent
from hannan.experiments.theorems import uncertainty_bound
from hannan.forms.boxes import Boxed, Given, boxed
from hannan.forms.loader import load_expanded
from hannan.measures.appraisal import evaluate
from hannan.rules.rulesbox import Groups
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.profile import Profile
from hannan.strategies.strategy import Strategy

PAPER = "Zhang and Sandholm (2021)"

GROWTH = 1.1
"""True gaps are measured each time the number of playthroughs has grown by this factor."""


SETTINGS = (
    Setting("Goofspiel-4", "goofspiel", "rules", 54_421, 20.0, 100_000, 100, 10_000_000, 1_000),
    Setting(
        "Leduc-13", "leduc_poker(ranks=13,merge_suits=true)", "history", 166_366, 26.0, 200_000, 500, 10_000_000
    ),
)  # fmt: skip
QUICK = (Setting("Goofspiel-3", "goofspiel(cards=3)", "rules", 637, 12.0, 3_000, 100, 20_000, 500),)


def certified(
    setting: Setting, groups: Groups, bounds: Given = "rules", seed: int = 1, method: str = "cfr", similar: bool = False
) -> Curve:
    """Certify with the radius of the paper; measure the true gap each time playthroughs have grown by `GROWTH`."""
    told, work = _begun(setting, groups, bounds, seed, method, setting.every, similar)
    proven, due = [], 1.0
    true: list[tuple[float, float]] = []
    average: list[tuple[float, float]] = []
    while work.playthroughs < setting.playthroughs:
        t = work.playthroughs
        work.advance(min(work.next_due(t + 1), setting.playthroughs) - t)
        work.finish()  # measure at the last moment too, if no measurement is due then
        t = work.playthroughs
        proven.append(work.bound())
        if t >= due or t >= setting.playthroughs:
            due = GROWTH * t
            true.append((float(t), _true(told, work, work.kept)))
            if isinstance(work, Regretting):
                average.append((float(t), _true(told, work, _averages(work))))
    wide = float(work.trunk.nodes.high[0, 0] - work.trunk.nodes.low[0, 0])
    return Curve(proven, true, average, wide * uncertainty_bound(work.trunk, work.playthroughs) / work.playthroughs)


def _begun(
    setting: Setting, groups: Groups, bounds: Given, seed: int, method: str, every: int | None, similar: bool = False
) -> tuple[Boxed, Certification]:
    told = boxed(setting.game, groups=groups, bounds=bounds, similar=similar)
    confidence = Confidence("paper")
    return told, certification(
        told.box, method=method, every=every, confidence=confidence, bounds=told.range, seed=seed
    )  # fmt: skip


def _true(told: Boxed, work: Certification, strategies: Pair) -> float:
    """Return the exact NashConv of strategies of the trunk, uniform elsewhere."""
    profile = strategy_of(told.game, work.trunk, strategies, {})
    assert isinstance(profile, Profile)
    return evaluate(profile.game, profile).nash_conv


def _averages(work: Regretting) -> Pair:
    """Return the average strategies of this moment."""
    trunk = work.trunk
    return [trunk.behaviour(player, work.minimizer.average(trunk, player)) for player in range(trunk.seats)]


def programmed(setting: Setting, seed: int = 1) -> Programs:
    """Run Cert-LP with linear programs, solve the same pseudogames with our own method, and run that method alone."""
    _, work = _begun(setting, setting.groups, "rules", seed, "lp", setting.programs)
    assert isinstance(work, Resolving)
    ours = FullWidth()
    exact, close = [], []
    while work.playthroughs < setting.playthroughs:
        work.advance(work.every)
        game = work.pseudogame()
        lower, upper = game.guarantees(ours.solve(work.trunk, game).pessimistic)
        t = float(work.playthroughs)
        exact.append((t, work.bound().gap))
        close.append((t, min(upper, game.high) - max(lower, game.low)))
    alone = certified(replace(setting, every=setting.programs), setting.groups, seed=seed)
    return Programs(exact, close, [(float(bound.playthroughs), bound.gap) for bound in alone.proven])


def sampled(setting: Setting, seed: int = 1) -> list[tuple[float, float]]:
    """Run outcome sampling on the whole game; return the true gap at iterations that grow by `GROWTH`."""
    solver = OutcomeSampling(load_expanded(setting.game), seed=seed)
    line, due = [], 100.0
    while solver.iterations < setting.long:
        solver.run(min(math.ceil(due), setting.long) - solver.iterations)
        average: Strategy = solver.average()
        line.append((float(solver.iterations), evaluate(solver.game, average).nash_conv))
        due *= GROWTH
    return line


def run(setting: Setting, say: Say = silent) -> Part:
    """Run all variants on one game."""
    variants: dict[str, tuple[Groups, str]] = {
        "Cert-LP": (setting.groups, "cfr"),
        "Cert-LP-Indep": ("none", "cfr"),
        "Cert-MCCFR": (setting.groups, "mccfr"),
    }
    curves = {}
    for name, (groups, method) in variants.items():
        say(f"certificates 1: {setting.title}, {name}")
        longer = replace(setting, playthroughs=setting.long, every=None) if method == "mccfr" else setting
        curves[name] = certified(longer, groups, method=method)
    say(f"certificates 1: {setting.title}, MCCFR")
    plain = sampled(setting)
    programs = None
    if setting.programs is not None:
        say(f"certificates 1: {setting.title}, Cert-LP by linear programs")
        programs = programmed(setting)
    return Part(setting, load_expanded(setting.game).tree.nodes, curves, plain, programs)


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run all four variants on both games, and judge the paper's claims."""
    return assembled([run(setting, say) for setting in (QUICK if quick else SETTINGS)])


def assembled(parts: list[Part]) -> Report:
    """Return the report of the runs."""
    claims = [claim for part in parts for claim in judged(part)]
    panels = [*map(_panel, parts), *(_solves(part.setting, part.programs) for part in parts if part.programs)]
    return Report("certificates1", f"{PAPER}, figure 1", tuple(panels), tuple(claims), NOTES, rows=2)


def _panel(part: Part) -> Panel:
    setting = part.setting
    lines: dict[str, Line] = {}
    for name, curve in part.curves.items():
        lines[f"{name}, provable"] = curve.provable
        lines[f"{name}, true"] = curve.true
        if curve.average:
            lines[f"{name}, true of the average"] = curve.average
    lines["MCCFR, true"] = part.plain
    levels, places = {"reward range": setting.range}, {"nodes of the game": float(setting.nodes)}
    return Panel(setting.title, "playthroughs", "Nash gap", lines, log=True, levels=levels, places=places)


def _solves(setting: Setting, programs: Programs) -> Panel:
    lines = {
        "linear programs": programs.exact,
        "ours, the same pseudogames": programs.close,
        "ours, a run of its own": programs.alone,
    }
    title = f"{setting.title}, Cert-LP, solved every {setting.programs:,}"
    return Panel(title, "playthroughs", "provable Nash gap", lines, log=True)


NOTES = (
    "The radius is the paper's (equation 5.2); the bounds on gains are those of the rules. Cert-LP and Cert-LP-Indep "
    "solve with our own full-width method to 1 % of the distance between the two games, every 100 playthroughs on "
    "Goofspiel-4 and every 500 on Leduc-13. On Goofspiel-4 another run solves with linear programs every 1,000 "
    "playthroughs, and explores by their solutions.",
    "The rule for the long term was fixed before the long runs. A slope is that of log gap over log t by least "
    "squares. It covers the last factor of 4 of the playthroughs, but begins no earlier than 4 times the playthroughs "
    "after which the gap left its cap, the reward range. If it covers less than a factor of 2, or if the slopes of the "
    "two halves differ by more than 0.1, the claim is not judged. Slopes from -0.6 to -0.4 count as roughly 1/√t: "
    "√(log t / t) itself has slope -0.46 at 100,000.",
    "A node's bounds are narrowed by those of its children, and no gap is shown above the range of payoffs that "
    "remains. The paper does neither, so its curves begin above the range.",
    "A certificate keeps, for each player separately, the strategy that guarantees most so far. The true gap of "
    "the certificate is that of these strategies; “true of the average” is the true gap of the averages of Algorithm "
    "7.2 at the same moment.",
    "Cert-MCCFR is Algorithm 7.2 with outcome sampling and baselines on the growing pseudogame, one iteration per "
    "playthrough; half of a walker's own play is uniform; averages weigh iteration t by t. MCCFR is outcome sampling "
    "on the whole game; an iteration is one loss for each player.",
    "Leduc-13 has 166,349 nodes with two deals one after another; the paper prints 166,366. The share of expanded "
    "nodes refers to our count, in which a joint move is one node: 33,093 on Goofspiel-4.",
)
