"""Are bounds true as often as promised? Many independent runs; one fails if any bound that it ever showed is false."""

from __future__ import annotations

from collections.abc import Callable

from hannan.certificates.certification import Bound, Certification
from hannan.certificates.choice import certification
from hannan.certificates.correlated import Correlating
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.strategies import strategy_of
from hannan.experiments.certificates1 import PAPER
from hannan.experiments.certificates4 import Bandit
from hannan.experiments.claims import Claim, Panel, Report, Say, silent
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
"""Says whether a bound is false."""


def _bandit(work: Certification, bound: Bound) -> bool:
    p = work.box.p  # type: ignore[attr-defined]
    left = float(work.kept[0][1])
    return p * left + 0.5 * (1 - left) < bound.lower - SLACK or max(p, 0.5) > bound.upper + SLACK


def _game(address: str) -> tuple[Box, False_]:
    told = boxed(address)

    def false(work: Certification, bound: Bound) -> bool:
        profile = strategy_of(told.game, work.trunk, work.kept, {})
        assert isinstance(profile, Profile)
        known = evaluate(profile.game, profile)
        least, most = known.values[0] - known.gains[1], known.values[0] + known.gains[0]
        return bool(least < bound.lower - SLACK or most > bound.upper + SLACK)

    return told.box, false


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


def failed(
    box: Box, false: False_, seed: int, playthroughs: int, every: int, target: float, scale: float, method: str
) -> bool:
    """Whether any bound is false, up to a number of playthroughs or to where the gap reaches a target."""
    confidence = Confidence("anytime", 1 - FAILURE)
    joint = method == JOINT
    work = certification(
        box, method="mccfr" if joint else method, equilibrium="cce" if joint else "nash", every=every,
        confidence=confidence, seed=seed, scale=scale,
    )  # fmt: skip
    while work.playthroughs < playthroughs:
        work.advance(every)
        bound = work.bound()
        if false(work, bound):
            return True
        if bound.gap <= target:
            return False
    return False


def report(quick: bool = False, say: Say = silent) -> Report:
    """Count failures on a bandit, with ρ and with half of it, on Kuhn with unknown deals, and on random games.

    Algorithm 6.1, Algorithm 7.2, and correlated play of three players and of a game that is not zero-sum.
    """
    runs = QUICK_RUNS if quick else RUNS
    bandit = Bandit(0.6)
    settings: dict[str, tuple[Callable[[int], tuple[Box, False_]], int, int, float, float, str]] = {
        "bandit, p = 0.6": (lambda seed: (bandit, _bandit), 60, 2, 0.35, 1.0, "auto"),
        "bandit, half of the radius": (lambda seed: (bandit, _bandit), 60, 2, 0.0, 0.5, "auto"),
        "Kuhn poker, unknown deals": (lambda seed: kuhn, 300, 50, 3.0, 1.0, "auto"),
        "Kuhn poker, unknown deals, mccfr": (lambda seed: kuhn, 1000, 100, 3.0, 1.0, "mccfr"),
        "three-player Kuhn poker, correlated play": (lambda seed: three, 400, 200, 0.0, 1.0, JOINT),
        "a general-sum game, correlated play": (lambda seed: general, 400, 200, 0.0, 1.0, JOINT),
        "random games": (lambda seed: _game(f"random_game(seed={seed % 20})"), 100, 20, 0.0, 1.0, "auto"),
    }
    kuhn, three = _game("kuhn_poker"), _joint("kuhn_poker(players=3)")
    general = _joint("random_game(seed=3,chance=2,payoffs=general_sum)")
    counts: dict[str, int] = {}
    for name, (make, playthroughs, every, target, scale, method) in settings.items():
        say(f"certificates soundness: {name}")
        counts[name] = sum(
            failed(*make(seed), seed, playthroughs, every, target, scale, method) for seed in range(runs)
        )
    claims = []
    for name, count in counts.items():
        half = "half" in name
        claims.append(
            Claim(
                f"{name}: {'a wrong radius shows' if half else 'no more fail than promised'}",
                f"{'more than' if half else 'at most'} {FAILURE:.0%}",
                f"{count} of {runs:,} runs ({count / runs:.2%})",
                count > FAILURE * runs if half else count <= FAILURE * runs,
            )
        )
    bars = {name: [(float(k), count / runs)] for k, (name, count) in enumerate(counts.items())}
    bars["promised"] = [(0.0, FAILURE), (len(counts) - 1.0, FAILURE)]
    panel = Panel("runs with a false bound", "setting", "share", bars)
    notes = (
        f"{runs:,} runs each, δ = {FAILURE:g}, radius anytime; a run ends where its gap reaches a target, so bounds at "
        "the moment of stopping count too.",
    )
    return Report("certificates_soundness", f"{PAPER}, soundness", (panel,), tuple(claims), notes)
