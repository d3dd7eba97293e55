"""Robust sampling, section 3.5 of the CFR survey: variance against outcome sampling, memory against external."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hannan.experiments.claims import Claim, Say
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.solvers.sampling.robust_sampling import RobustSampling
from hannan.solvers.sampling.sampler import Sampling

K = 2
"""Actions that robust sampling takes; with 1 it is outcome sampling with uniform actions of the traverser."""

EXPANDED = {"Leduc": "leduc_poker", "liar's dice-6": "liars_dice"}
PLAYED = {**EXPANDED, "liar's dice, two dice each": "liars_dice(dice=2)"}
QUICK = {"Leduc-2": "leduc_poker(ranks=2)"}

WALKS, LEARNT, ITERATIONS = 20_000, 20_000, 1_000
"""Walks per player that measure variances, iterations that make the learnt strategies, and iterations after which
tables are compared."""
QUICK_WALKS, QUICK_LEARNT, QUICK_ITERATIONS = 2_000, 1_000, 5


def robust(quick: bool, say: Say) -> list[Claim]:
    """Judge the claims on variance and on memory."""
    expanded, played = (QUICK, QUICK) if quick else (EXPANDED, PLAYED)
    lower, alone = {}, {}
    for name, address in expanded.items():
        say(f"{name}: variances of outcome and robust sampling")
        game = load(address).expanded()
        lower[name], alone[name] = variances(game, K, quick), variances(game, 1, quick)
    less = {}
    for name, address in played.items():
        say(f"{name}: memory of robust and external sampling")
        less[name] = memory(address, QUICK_ITERATIONS if quick else ITERATIONS)
    told = ", ".join(f"{name} {both[0]:.3g} and {both[1]:.3g} times" for name, both in lower.items())
    single = ", ".join(f"{name} {both[0]:.2f} and {both[1]:.2f} times" for name, both in alone.items())
    kept = ", ".join(
        f"{name} {ours.sets:,} against {theirs.sets:,} ({ours.histories:.0f} against {theirs.histories:.0f} histories)"
        for name, (ours, theirs) in less.items()
    )
    many = QUICK_ITERATIONS if quick else ITERATIONS
    return [
        Claim(
            f"section 3.5: robust sampling, k = {K}, has a lower variance than outcome sampling",
            "lower",
            f"smaller at uniform and at learnt strategies: {told}; with k = 1: {single}",
            all(factor > 1 for both in lower.values() for factor in both),
        ),
        Claim(
            f"section 3.5: robust sampling, k = {K}, needs less memory than external sampling",
            "less",
            f"sets kept after {many:,} iterations (histories touched by one): {kept}",
            all(ours.sets < theirs.sets and ours.histories < theirs.histories for ours, theirs in less.values()),
        ),
    ]


def variances(game: ExpandedGame, k: int, quick: bool = False) -> tuple[float, float]:
    """Return the ratio of outcome sampling's variance to robust sampling's, at uniform and at learnt strategies."""
    walks, learnt = (QUICK_WALKS, QUICK_LEARNT) if quick else (WALKS, LEARNT)
    teacher = ExternalSampling(game, over="tree", seed=1)
    factors = []
    for iterations in (0, learnt):
        teacher.run(iterations)
        both = OutcomeSampling(game, over="tree", seed=1), RobustSampling(game, k=k, over="tree", seed=1)
        for sampler in both:
            sampler.restore(teacher.iterations, teacher.state())  # both play the same strategies
        theirs, ours = (sampler.variance(walks).total for sampler in both)
        factors.append(theirs / ours)
    return factors[0], factors[1]


@dataclass(frozen=True)
class Held:
    """What a sampler holds after some iterations."""

    sets: int
    """Information sets in its tables."""
    histories: float
    """Mean number of histories that one iteration touches."""


def memory(address: str, iterations: int) -> tuple[Held, Held]:
    """Return what robust sampling and external sampling hold after some iterations on the rules."""
    makes: tuple[Callable[[], Sampling], ...] = (
        lambda: RobustSampling(address, k=K, over="rules", seed=1),
        lambda: ExternalSampling(address, over="rules", seed=1),
    )
    held = []
    for make in makes:
        sampler = make()
        sampler.run(iterations)
        held.append(Held(sampler.sets, sampler.histories / iterations))
    return held[0], held[1]
