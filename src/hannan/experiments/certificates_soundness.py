"""Test whether bounds are true as often as promised, by many independent runs.

A run fails if any bound that it ever showed is false.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.choice import certification
from hannan.certificates.correlated import Correlating
from hannan.certificates.exploration import Explorer
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.strategies import strategy_of
from hannan.experiments.arms import Arms, seldom
from hannan.experiments.certificates1 import PAPER
from hannan.experiments.certificates4 import Bandit
from hannan.experiments.claims import Claim, Panel, Report, Say, silent
from hannan.experiments.convergence import averages
from hannan.forms.boxes import boxed
from hannan.measures.appraisal import evaluate
from hannan.rules.box import Box
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.profile import Profile

RUNS, QUICK_RUNS = 2_000, 20
FAILURE = 0.01
SLACK = 1e-9
JOINT = "correlated play"

False_ = Callable[[Certification, Bound], bool]
"""Returns whether a bound is false."""


def _bandit(work: Certification, bound: Bound) -> bool:
    p = work.box.p  # type: ignore[attr-defined]
    left = float(work.kept[0][1])
    return p * left + 0.5 * (1 - left) < bound.lower - SLACK or max(p, 0.5) > bound.upper + SLACK


def _arms(work: Certification, bound: Bound) -> bool:
    odds = work.box.odds  # type: ignore[attr-defined]
    earned = sum(p * share for p, share in zip(odds, work.kept[0][1:].tolist(), strict=False))
    return earned < bound.lower - SLACK or max(odds) > bound.upper + SLACK


def _game(address: str) -> tuple[Box, False_]:
    told = boxed(address)

    def false(work: Certification, bound: Bound) -> bool:
        profile = strategy_of(told.game, work.trunk, work.kept, {})
        assert isinstance(profile, Profile)
        known = evaluate(profile.game, profile)
        least, most = known.values[0] - known.gains[1], known.values[0] + known.gains[0]
        return bool(least < bound.lower - SLACK or most > bound.upper + SLACK)

    return told.box, false


def _rounds(work: Certification, bound: Bound) -> bool:
    """Compare the bounds from all rounds on the averages with their true values in matching pennies."""
    assert isinstance(work, Regretting)
    x, y = (strategy[1:] for strategy in averages(work))
    lower, upper = work.rested
    most, least = abs(float(y[0] - y[1])), -abs(float(x[0] - x[1]))
    return least < lower - SLACK or most > upper + SLACK


def _joint(address: str) -> tuple[Box, False_]:
    """Compare the gaps of correlated play with the gains of the best deviations in the true game."""
    told = boxed(address)

    def false(work: Certification, bound: Bound) -> bool:
        assert isinstance(work, Correlating)
        assert bound.gaps is not None
        profiles = [strategy_of(told.game, work.trunk, joint, {}) for joint in work.chosen]
        true = evaluate(CorrelatedPlay(profiles)).gains
        return any(gain > gap + SLACK for gain, gap in zip(true, bound.gaps, strict=True))

    return told.box, false


@dataclass(frozen=True)
class Setting:
    """One kind of run, made with many seeds."""

    make: Callable[[int], tuple[Box, False_]]
    """Returns the box of a seed, and the test of whether a bound is false there."""
    playthroughs: int
    every: int
    method: str = "auto"
    target: float = 0.0
    """A run ends when its gap is at most this."""
    scale: float = 1.0
    """Multiplies every radius; with a wrong radius, false bounds should appear."""
    explore: Explorer | None = None
    untrue: bool = False
    """Whether the box claims too small a distance within its family of nodes; false bounds should appear then."""

    def failed(self, seed: int) -> bool:
        """Return whether any bound of a run is false."""
        box, false = self.make(seed)
        joint = self.method == JOINT
        work = certification(
            box, method="mccfr" if joint else self.method, equilibrium="cce" if joint else "nash", every=self.every,
            confidence=Confidence("anytime", 1 - FAILURE), seed=seed, scale=self.scale,
            explore=self.explore,
        )  # fmt: skip
        while work.playthroughs < self.playthroughs:
            work.advance(self.every)
            bound = work.bound()
            if false(work, bound):
                return True
            if bound.gap <= self.target:
                return False
        return False


def settings() -> dict[str, Setting]:
    """Return the settings: Algorithms 6.1 and 7.2, and correlated play of three players and of a general-sum game."""
    bandit, kuhn, three = (Bandit(0.6), _bandit), _game("kuhn_poker"), _joint("kuhn_poker(players=3)")
    arms, near = ((Arms((0.2, 0.8), told), _arms) for told in (0.6, 0.3))
    pennies = boxed("matching_pennies").box, _rounds
    general = _joint("random_game(seed=3,chance=2,payoffs=general_sum)")
    return {
        "bandit, p = 0.6": Setting(lambda seed: bandit, 60, 2, target=0.35),
        "bandit, half of the radius": Setting(lambda seed: bandit, 60, 2, scale=0.5),
        "two arms of one family, δ = 0.6": Setting(lambda seed: arms, 400, 40, explore=seldom),
        "two arms of one family, half of δ": Setting(lambda seed: near, 400, 40, explore=seldom, untrue=True),
        "Kuhn poker, unknown deals": Setting(lambda seed: kuhn, 300, 50, target=3.0),
        "Kuhn poker, unknown deals, mccfr": Setting(lambda seed: kuhn, 1000, 100, "mccfr", target=3.0),
        "three-player Kuhn poker, correlated play": Setting(lambda seed: three, 400, 200, JOINT),
        "a general-sum game, correlated play": Setting(lambda seed: general, 400, 200, JOINT),
        "matching pennies, all rounds of mccfr": Setting(lambda seed: pennies, 1600, 200, "mccfr"),
        "matching pennies, a tenth of what is added to walks": Setting(
            lambda seed: pennies, 1600, 200, "mccfr", scale=0.1
        ),
        "random games": Setting(lambda seed: _game(f"random_game(seed={seed % 20})"), 100, 20),
    }


def report(quick: bool = False, say: Say = silent) -> Report:
    """Count the failed runs of every setting."""
    runs = QUICK_RUNS if quick else RUNS
    counts: dict[str, int] = {}
    known = settings()
    for name, setting in known.items():
        say(f"certificates soundness: {name}")
        counts[name] = sum(setting.failed(seed) for seed in range(runs))
    claims = []
    for name, count in counts.items():
        wrong = known[name].scale != 1.0 or known[name].untrue
        claims.append(
            Claim(
                f"{name}: {'a wrong constant shows' if wrong else 'no more fail than promised'}",
                f"{'more than' if wrong else 'at most'} {FAILURE:.0%}",
                f"{count} of {runs:,} runs ({count / runs:.2%})",
                count > FAILURE * runs if wrong else count <= FAILURE * runs,
            )
        )
    bars = {name: [(float(k), count / runs)] for k, (name, count) in enumerate(counts.items())}
    bars["promised"] = [(0.0, FAILURE), (len(counts) - 1.0, FAILURE)]
    panel = Panel("runs with a false bound", "setting", "share", bars)
    notes = (
        f"{runs:,} runs each, δ = {FAILURE:g}, radius anytime; a run ends when its gap reaches a target, so bounds at "
        "the moment of stopping count too.",
    )
    return Report("certificates_soundness", f"{PAPER}, soundness", (panel,), tuple(claims), notes)
