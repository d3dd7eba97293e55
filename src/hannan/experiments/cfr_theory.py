"""Section 3.1 of the CFR survey: Theorem 1 as a measured inequality, and the rate that follows from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hannan.arrays import Floats
from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.regrets import Regrets, informed
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load
from hannan.measures.evaluation import evaluation_of
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.profile import random_profile

ONE_SET = "one set per player"
GAMES = {
    "Kuhn": "kuhn_poker",
    "Kuhn, three players": "kuhn_poker(players=3)",
    "Leduc": "leduc_poker",
    "liar's dice-5": "liars_dice(faces=5)",
    "Goofspiel-4": "goofspiel(cards=4)",
    ONE_SET: "matrix_game(payoffs=[[0,-0.25,0.5],[0.25,0,-0.05],[-0.5,0.05,0]])",
}
QUICK_GAMES = {name: GAMES[name] for name in ("Kuhn", "Kuhn, three players", ONE_SET)}

ITERATIONS, QUICK_ITERATIONS = 2048, 64
RANDOM = 32
"""The number of random profiles in a sequence of play that no method has made."""

ACTIONS, ROUNDS = 10, 1 << 16
"""Actions and iterations at the set whose opponent knows the strategy."""

SMALLER = 0.9
"""With this share of its constant, the rate is broken there."""

SLACK = 1e-9
"""The allowed rounding error of sums of thousands of numbers of a few units."""


def report(quick: bool = False, say: Say = silent) -> Report:
    """Measure both sides of Theorem 1, and of the rate, while CFR plays."""
    games, iterations = (QUICK_GAMES, QUICK_ITERATIONS) if quick else (GAMES, ITERATIONS)
    seen = {}
    for name, address in games.items():
        say(f"cfr-survey theory: {name}")
        seen[name] = _followed(load(address).expanded(), iterations)
    say("cfr-survey theory: the rate against an opponent who knows what is played")
    rate = [(t, x / np.sqrt(ACTIONS)) for t, x in informed(ACTIONS, ROUNDS)]
    claims = (*_decomposition(seen, iterations), _nash(seen), *_rates(seen, rate))
    shares: Lines = {name: one.shares for name, one in seen.items()}
    bounds: Lines = {name: one.bounds for name, one in seen.items()}
    panels = (
        Panel("Theorem 1: R / Σ R⁺", "iterations", "share", shares, log=True),
        Panel(
            "rate: R_imm / (Δ√A/√T)",
            "iterations",
            "share",
            {**bounds, "informed opponent": rate},
            log=True,
        ),
    )
    notes = (
        f"CFR with simultaneous updates, {iterations:,} iterations. Both sides are computed from the strategies that "
        "were played, not from what the solver keeps: the left side by a best response to the sum of the others' play, "
        "the right side set by set. Of several players the largest share counts.",
        f"Theorem 1 is about any sequence of play, so {RANDOM} random profiles are tried on each game too.",
        "The survey prints no rate. Zinkevich et al. (theorem 4) prove that regret matching keeps R_imm(I) at most "
        "Δ√A/√T, with Δ the range of a player's payoffs and A the largest number of actions of its sets; by "
        "Theorem 1 the regret is at most I times that, with I the number of its sets.",
        f"The informed opponent (`informed` in experiments/regrets.py) knows the strategy at one set of {ACTIONS} "
        "actions with payoffs 0 and 1. A constant a tenth smaller would be too small there.",
    )
    return Report("cfr_theory", f"{PAPER}, section 3.1", panels, claims, notes)


@dataclass(frozen=True)
class _Followed:
    """The measurements on one game; shares are the largest over players, at T = 1, 2, 4, …."""

    shares: list[tuple[float, float]]  # R / Σ R⁺_imm
    bounds: list[tuple[float, float]]  # the largest R_imm / (Δ √A / √T)
    whole: float  # the largest R / (Δ I √A / √T)
    random: float  # R / Σ R⁺_imm of random play
    apart: float | None  # NashConv of the average minus the sum of regrets; None: not two-player zero-sum


def _followed(game: ExpandedGame, iterations: int) -> _Followed:
    solver, regrets = CFR(game, updates="simultaneous"), Regrets(game)
    lowest, highest = game.payoff_range
    most = np.array([plex.sizes.max() for plex in game.form.treeplexes])
    sets = np.array([plex.sets for plex in game.form.treeplexes])
    shares, bounds, whole = [], [], 0.0
    for t in range(1, iterations + 1):
        regrets.watch(solver.current())
        solver.run(1)
        if t & (t - 1) == 0:
            unit = (highest - lowest) * np.sqrt(most / t)
            shares.append((float(t), _share(regrets)))
            largest = np.array([mine.max() for mine in regrets.immediate()])
            bounds.append((float(t), float((largest / unit).max())))
            whole = max(whole, float((regrets.total() / unit / sets).max()))
    apart = None
    if game.form.competitive:
        apart = abs(float(evaluation_of(game, solver.average()).nash_conv) - float(regrets.total().sum()))
    other, drawn = Regrets(game), 0.0
    for seed in range(RANDOM):
        other.watch(random_profile(game, seed=seed))
        drawn = max(drawn, _share(other))
    return _Followed(shares, bounds, whole, drawn, apart)


def _share(regrets: Regrets) -> float:
    """Return the largest ratio of a player's regret to its decomposition."""
    left: Floats = regrets.total()
    right = regrets.decomposed()
    return float(np.max(np.where(right > 0, left / np.where(right > 0, right, 1.0), np.where(left > SLACK, np.inf, 0))))


def _decomposition(seen: dict[str, _Followed], iterations: int) -> list[Claim]:
    most = {name: max(share for _, share in one.shares) for name, one in seen.items()}
    drawn = {name: one.random for name, one in seen.items()}
    text = "Theorem 1: R ≤ Σ R⁺_imm"
    alone = seen[ONE_SET].shares[-1][1]
    return [
        Claim(f"{text}, while CFR plays", "at most 1 times", f"{_listed(most)} times in {iterations:,} iterations",
              max(most.values()) <= 1 + SLACK),
        Claim(f"{text}, while random profiles are played", "at most 1 times", f"{_listed(drawn)} times",
              max(drawn.values()) <= 1 + SLACK),
        Claim("Theorem 1: a wrong constant shows: with one set per player both sides are the same", "1 times",
              f"{alone:.9f} times", abs(alone - 1) <= SLACK),
    ]  # fmt: skip


def _nash(seen: dict[str, _Followed]) -> Claim:
    apart = {name: one.apart for name, one in seen.items() if one.apart is not None}
    return Claim(
        "section 2.3: as regrets fall, the average strategy of equation 2 comes to a Nash equilibrium (zero-sum)",
        "converges",
        f"NashConv of the average is the sum of both regrets, up to {max(apart.values()):.1g} ({', '.join(apart)})",
        max(apart.values()) <= SLACK,
    )


def _rates(seen: dict[str, _Followed], rate: list[tuple[float, float]]) -> list[Claim]:
    most = {name: max(share for _, share in one.bounds) for name, one in seen.items()}
    whole = {name: one.whole for name, one in seen.items()}
    last = rate[-1][1]
    return [
        Claim("Zinkevich et al., theorem 4: R_imm ≤ Δ√A/√T at every set", "at most 1 times",
              f"{_listed(most)}, informed opponent {last:.3g} times", max(*most.values(), *(x for _, x in rate)) <= 1),
        Claim("Zinkevich et al., theorem 4: R ≤ ΔI√A/√T", "at most 1 times", f"{_listed(whole)} times",
              max(whole.values()) <= 1),
        Claim(f"theorem 4: a wrong constant shows: {SMALLER:g} times the bound is broken by the informed opponent",
              "more than 1 times", f"{last / SMALLER:.3g} times after {rate[-1][0]:,.0f} iterations",
              last / SMALLER > 1),
    ]  # fmt: skip


def _listed(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {number:.3g}" for name, number in numbers.items())
