"""Figure 1 of the certificates paper: provable and true gaps by playthroughs, on Goofspiel-4 and Leduc-13.

Algorithm 6.1 with what the paper lets it know of chance (Cert-LP), and without (Cert-LP-Indep); Algorithm 7.2 with
outcome sampling (Cert-MCCFR); and outcome sampling on the whole game (MCCFR), which proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hannan.certificates.certification import Bound
from hannan.certificates.choice import certification
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.strategies import strategy_of
from hannan.experiments.claims import Claim, Line, Panel, Report, Say, silent
from hannan.forms.boxes import Given, boxed
from hannan.forms.loader import load_expanded
from hannan.measures.appraisal import evaluate
from hannan.rules.rulesbox import Groups
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.profile import Profile
from hannan.strategies.strategy import Strategy

PAPER = "Zhang and Sandholm (2021)"
NONTRIVIAL = 0.9999
"""A gap below this share of the reward range is nontrivial."""


@dataclass(frozen=True)
class Setting:
    """One game of the figure."""

    title: str
    game: str
    groups: Groups
    """What Cert-LP knows of chance."""
    nodes: int
    """As the paper counts them: joint moves one after another."""
    range: float
    playthroughs: int
    every: int


SETTINGS = (
    Setting("Goofspiel-4", "goofspiel", "rules", 54_421, 20.0, 100_000, 100),
    Setting("Leduc-13", "leduc_poker(ranks=13,merge_suits=true)", "history", 166_366, 26.0, 200_000, 500),
)
QUICK = (Setting("Goofspiel-3", "goofspiel(cards=3)", "rules", 637, 12.0, 3_000, 100),)


@dataclass(frozen=True)
class Curve:
    """What was proven, and what was true."""

    proven: list[Bound]
    true: list[tuple[float, float]]

    def first(self, below: float) -> int | None:
        """Return after how many playthroughs the proven gap is first below a number."""
        return next((bound.playthroughs for bound in self.proven if bound.gap < below), None)

    @property
    def slope(self) -> float:
        """The slope of the proven gap on log-log scales, over the last half of the playthroughs."""
        last = self.proven[-1]
        half = next(bound for bound in self.proven if 2 * bound.playthroughs >= last.playthroughs)
        return math.log(last.gap / half.gap) / math.log(last.playthroughs / half.playthroughs)


def certified(setting: Setting, groups: Groups, bounds: Given = "rules", seed: int = 1, method: str = "cfr") -> Curve:
    """Certify with the radius of the paper; measure the true gap at about ten moments in each factor of ten."""
    told = boxed(setting.game, groups=groups, bounds=bounds)
    work = certification(
        told.box, method=method, every=setting.every, confidence=Confidence("paper"), bounds=told.range, seed=seed
    )
    proven, true, due = [], [], 1.0
    while work.playthroughs < setting.playthroughs:
        work.advance(setting.every)
        proven.append(work.bound())
        if work.playthroughs >= due or work.playthroughs >= setting.playthroughs:
            due = max(1.25 * work.playthroughs, due)
            profile = strategy_of(told.game, work.trunk, work.kept, {})
            assert isinstance(profile, Profile)
            true.append((float(work.playthroughs), evaluate(profile.game, profile).nash_conv))
    return Curve(proven, true)


def sampled(setting: Setting, seed: int = 1) -> list[tuple[float, float]]:
    """Run outcome sampling on the whole game; return the true gap at about ten moments in each factor of ten."""
    solver = OutcomeSampling(load_expanded(setting.game), seed=seed)
    line, due = [], float(setting.every)
    while solver.iterations < setting.playthroughs:
        solver.run(min(math.ceil(due), setting.playthroughs) - solver.iterations)
        average: Strategy = solver.average()
        line.append((float(solver.iterations), evaluate(solver.game, average).nash_conv))
        due *= 1.25
    return line


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run all four variants on both games, and judge what the paper says of them."""
    panels, claims = [], []
    for setting in QUICK if quick else SETTINGS:
        variants: dict[str, tuple[Groups, str]] = {
            "Cert-LP": (setting.groups, "cfr"),
            "Cert-LP-Indep": ("none", "cfr"),
            "Cert-MCCFR": (setting.groups, "mccfr"),
        }
        lines: dict[str, Line] = {}
        for name, (groups, method) in variants.items():
            say(f"certificates 1: {setting.title}, {name}")
            curve = certified(setting, groups, method=method)
            claims += _judged(setting, name, curve)
            lines[f"{name}, provable"] = [(t, _proven(curve, t)) for t, _ in curve.true]
            lines[f"{name}, true"] = curve.true
        say(f"certificates 1: {setting.title}, MCCFR")
        lines["MCCFR, true"] = sampled(setting)
        claims.append(_ahead(setting, lines))
        lowest = min(y for line in lines.values() for _, y in line if y > 0)
        lines["reward range"] = [(float(setting.every), setting.range), (float(setting.playthroughs), setting.range)]
        lines["nodes of the game"] = [(float(setting.nodes), lowest), (float(setting.nodes), 2 * setting.range)]
        panels.append(Panel(setting.title, "playthroughs", "Nash gap", lines, log=True))
    notes = (
        "The radius of the paper (equation 5.2), bounds on gains as the rules write them. Games are solved by our own "
        "full-width method to 1 % of what the two games are apart, every 100 playthroughs on Goofspiel-4 and every "
        "500 on Leduc-13; a test shows that linear programs give the same gaps within that.",
        "Bounds of nodes are narrowed by those of their children, and a gap is never shown above the range of payoffs "
        "that is left then: the paper does neither, so its curves begin above the range.",
        "Cert-MCCFR is Algorithm 7.2 with outcome sampling and baselines on the growing pseudogame, one iteration a "
        "playthrough, half of a walker's own play uniform; averages weigh iteration t by t. MCCFR is outcome sampling "
        "on the whole game; an iteration is one loss for each player.",
        "Leduc-13 has 166,349 nodes with two deals one after another; the paper prints 166,366.",
    )
    return Report("certificates1", f"{PAPER}, figure 1", tuple(panels), tuple(claims), notes)


def _judged(setting: Setting, name: str, curve: Curve) -> list[Claim]:
    first, slope = curve.first(NONTRIVIAL * setting.range), curve.slope
    sound = all(true <= _proven(curve, t) for t, true in curve.true)
    return [
        Claim(
            f"{setting.title}, {name}: nontrivial certificates with fewer samples than nodes",
            f"below {setting.range:g} before {setting.nodes:,}",
            "never" if first is None else f"at {first:,}; {curve.proven[-1].gap:.3g} at {setting.playthroughs:,}",
            first is not None and first < setting.nodes,
        ),
        Claim(
            f"{setting.title}, {name}: long-term convergence of roughly 1/√t",
            "slope -0.5",
            f"slope {slope:.2f} over the last half",
            -0.75 <= slope <= -0.35,
        ),
        Claim(
            f"{setting.title}, {name}: the provable gap is above the true gap",
            "always",
            "always" if sound else "not",
            sound,
        ),
    ]


def _ahead(setting: Setting, lines: dict[str, Line]) -> Claim:
    """Compare the true gaps at the end: samples are fewer than solving needs, so exact solves do best."""
    ends = {name: line[-1][1] for name, line in lines.items() if name.endswith("true")}
    return Claim(
        f"{setting.title}: after as many samples, the strategies of exact solves are closest to equilibrium",
        "Cert-LP below Cert-MCCFR",
        ", ".join(f"{name.removesuffix(', true')} {gap:.3g}" for name, gap in ends.items()),
        ends["Cert-LP, true"] <= ends["Cert-MCCFR, true"],
    )


def _proven(curve: Curve, t: float) -> float:
    return next(bound.gap for bound in curve.proven if bound.playthroughs == t)
