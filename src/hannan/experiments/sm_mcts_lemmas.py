"""Lemmas 4.4, 4.6 and 4.9, Definition 4.2 and Remark 6.1 of the SM-MCTS paper, measured against their bounds.

Each is also measured on games in which its bound is nearly reached, so that a wrong constant would show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Lines, Panel
from hannan.experiments.consistency import Repetition, repeat_matrix
from hannan.experiments.matrix_plays import EPSILON, ERRORS, GAMMA, MATRICES, NEEDLES, Matrix, largest, line
from hannan.treesearch.matrix import solve_matrix

EVERY = (*MATRICES.values(), *NEEDLES.values())
WRAPPED = ("rm", "hedge")
"""Rules that are Hannan consistent with ε = 0 if they do not explore."""

VANISHED = 0.005
"""A regret up to here has vanished after a million plays: √(K/t) is 0.003 for ten actions."""

FEW = 5
"""Standard deviations that a count may lie below its mean."""


class Part(NamedTuple):
    """One set of axes and its claims."""

    panel: Panel
    claims: tuple[Claim, ...]


def parts(points: Longs) -> tuple[Part, ...]:
    """Measure all lemmas."""
    return wrappers(points), exploration(points), best_responses(points), payoffs(points)


def value_of(matrix: Matrix) -> float:
    """Return the value of a matrix game."""
    solved = solve_matrix(np.array(matrix))
    return (solved.lower + solved.upper) / 2


def _regret(rule: str, opponent: str, explore: str, points: Longs, matrix: Matrix, seed: int) -> Floats:
    """Return the average regret at each point, the largest over the players that follow the rule."""
    played = repeat_matrix(matrix, rule, points=points, opponent=opponent, gamma=GAMMA, explore=explore, seed=seed)
    regret: Floats = played.regrets[:, : 2 if opponent == "itself" else 1].max(axis=1)
    return regret


def wrappers(points: Longs) -> Part:
    """Measure the regret of A* and of A+, the largest against three opponents."""
    lines: Lines = {}
    ends: dict[str, float] = {}
    for explore, name in (("star", "A*"), ("plus", "A+")):
        for rule in WRAPPED:
            numbers = np.max(
                [
                    largest(partial(_regret, rule, opponent, explore, points), EVERY)
                    for opponent in ("itself", "responding", "switching")
                ],
                axis=0,
            )
            lines[f"{name} of {rule}"] = line(points, numbers)
            ends[name] = max(ends.get(name, 0.0), float(numbers[-1]))
    lines["gamma"] = line(points, np.full(len(points), GAMMA))
    last = f"after {int(points[-1]):,} plays"
    most = vanished(points)
    claims = (
        Claim(
            "Lemma 4.4: A* of an ε-Hannan consistent rule is (ε + gamma)-Hannan consistent",
            f"lim sup r(t) ≤ ε + gamma = {GAMMA:g}",
            f"regret at most {ends['A*']:.4f} {last}: {ends['A*'] / GAMMA:.0%} of the bound",
            ends["A*"] <= GAMMA + most,
        ),
        Claim(
            "Remark 6.1: A+ of an ε-Hannan consistent rule is ε-Hannan consistent",
            "lim sup r(t) ≤ ε = 0",
            f"regret at most {ends['A+']:.4f} {last} (held: at most {most:.4f}; A* {ends['A*']:.4f})",
            ends["A+"] <= most,
        ),
    )
    return Part(Panel("Lemma 4.4, Remark 6.1: A* and A+", "plays", "average regret", lines, log=True), claims)


def vanished(points: Longs) -> float:
    """Return the largest regret at the last point that counts as vanishing like 1/√t."""
    return VANISHED * math.sqrt(10**6 / float(points[-1]))


EXPLORERS: dict[str, tuple[str, float, Callable[[float], float]]] = {
    "own": ("own", GAMMA, lambda t: GAMMA**2 * t),
    "A*": ("star", GAMMA, lambda t: GAMMA**2 * t),
    "A+": ("plus", GAMMA, lambda t: float(math.isqrt(int(t)))),
    "none": ("own", 0.0, lambda t: 0.0),
}
"""Ways to explore: `explore`, gamma, and the least expected number of t plays in which both players explore."""


def _rarest(explore: str, gamma: float, points: Longs, matrix: Matrix, seed: int) -> Floats:
    """Return minus the count of the rarest pair of actions, times the number of pairs: the largest is the rarest."""
    played = repeat_matrix(matrix, "rm", points=points, gamma=gamma, explore=explore, seed=seed)
    return -played.together.min(axis=(1, 2)) * np.size(matrix)


def exploration(points: Longs) -> Part:
    """Measure how often the rarest pair of actions is played in self-play."""
    lines: Lines = {}
    rarest: dict[str, float] = {}
    for name, (explore, gamma, _) in EXPLORERS.items():
        numbers = -largest(partial(_rarest, explore, gamma, points), EVERY)
        lines[name] = line(points, numbers)
        rarest[name] = float(numbers[-1])
    t, pairs = float(points[-1]), max(np.size(matrix) for matrix in EVERY)
    least = {name: at_least(expected(t), pairs) for name, (_, _, expected) in EXPLORERS.items()}
    words = ", ".join(f"{name} {rarest[name]:,.0f} (at least {least[name]:,.0f})" for name in ("own", "A*", "A+"))
    claim = Claim(
        "Definition 4.2: exploration is guaranteed by the rule's own gamma, by A* (Lemma 4.4) and by A+ (Remark 6.1)",
        "t_ij → ∞ for all i, j",
        f"t_ij times the number of pairs, for the rarest pair after {int(t):,} plays: {words}; without exploration "
        f"{rarest['none']:,.0f}",
        all(rarest[name] >= max(least[name], 10 * rarest["none"]) for name in ("own", "A*", "A+")),
    )
    up = "plays of the rarest pair, times pairs"
    return Part(Panel("Definition 4.2: the rarest pair", "plays", up, lines, log=True), (claim,))


def at_least(expected: float, pairs: int) -> float:
    """Return a lower bound on the count of one of `pairs`, times their number: its mean minus `FEW` deviations."""
    return max(expected - FEW * math.sqrt(expected * pairs), 0.0)


def excess(matrix: Matrix, played: Repetition) -> Floats:
    """Return how far best responses to the frequencies exceed the value, the larger of both players', at each point."""
    A, value = np.array(matrix), value_of(matrix)
    m, n = A.shape
    rows, columns = played.frequencies[:, 0, :m], played.frequencies[:, 1, :n]
    return np.maximum((columns @ A.T).max(axis=1) - value, value - (rows @ A).min(axis=1))


def _excess(rule: str, error: float, points: Longs, matrix: Matrix, seed: int) -> Floats:
    return excess(matrix, repeat_matrix(matrix, rule, points=points, error=error, gamma=GAMMA, seed=seed))


def _share_of_regret(rule: str, points: Longs, matrix: Matrix, seed: int) -> Floats:
    """Return the excess as a part of 2ε(t), where ε(t) is the larger average regret at t."""
    played = repeat_matrix(matrix, rule, points=points, gamma=GAMMA, seed=seed)
    share: Floats = excess(matrix, played) / (2 * np.maximum(played.regrets.max(axis=1), 1e-9))
    return share


def best_responses(points: Longs) -> Part:
    """Measure best responses to the frequencies of self-play against Lemma 4.6 and inequality (6) of Lemma 4.9."""
    lines: Lines = {}
    shares = {}
    for rule in ("rm", "exp3"):
        for error in ERRORS:
            numbers = largest(partial(_excess, rule, error, points), EVERY)
            lines[f"{rule}, error {error:g}"] = line(points, numbers)
            shares[rule, error] = float(numbers[-1]) / (2 * (EPSILON[rule] + error))
    exact = max(float(largest(partial(_share_of_regret, rule, points), EVERY).max()) for rule in ("rm", "exp3"))
    plain = max(shares[rule, 0.0] for rule in ("rm", "exp3"))
    worst = max(shares, key=lambda key: shares[key])
    claims = (
        Claim(
            "Lemma 4.6: best responses to the frequencies come at most 2ε beyond the value",
            "u(br, f2) ≤ v + 2ε, u(f1, br) ≥ v - 2ε for frequencies f1, f2",
            f"at most {plain:.0%} of 2ε at the end; at most {exact:.0%} of 2ε(t) at any time, where ε(t) is the larger "
            "average regret at t",
            plain <= 1 and exact <= 1 + 1e-6,
        ),
        Claim(
            "Lemma 4.9 (6): with payoffs off by cε, at most 2(c + 1)ε",
            "u(br, f2) ≤ v + 2(c + 1)ε, u(f1, br) ≥ v - 2(c + 1)ε",
            f"at most {shares[worst]:.0%} of the bound ({worst[0]}, error {worst[1]:g})",
            shares[worst] <= 1,
        ),
    )
    title = "Lemmas 4.6, 4.9 (6): best responses"
    return Part(Panel(title, "plays", "beyond the value", lines, log=True), claims)


def _payoff(rule: str, error: float, points: Longs, matrix: Matrix, seed: int) -> Floats:
    played = repeat_matrix(matrix, rule, points=points, error=error, gamma=GAMMA, seed=seed)
    return np.abs(played.payoffs - value_of(matrix))


def payoffs(points: Longs) -> Part:
    """Measure the mean payoff of self-play against inequality (7) of Lemma 4.9."""
    lines: Lines = {}
    ends = {}
    for rule in ("rm", "exp3"):
        for error in ERRORS:
            numbers = largest(partial(_payoff, rule, error, points), EVERY)
            lines[f"{rule}, error {error:g}"] = line(points, numbers)
            ends[rule, error] = float(numbers[-1])
    shares = {(rule, error): end / (EPSILON[rule] + error) for (rule, error), end in ends.items()}
    worst = max(shares, key=lambda key: shares[key])
    error = ERRORS[-1]
    claim = Claim(
        "Lemma 4.9 (7): with payoffs off by cε the mean payoff comes within (c + 1)ε of the value",
        "v - (c + 1)ε ≤ g(t) ≤ v + (c + 1)ε",
        f"at most {shares[worst]:.0%} of the bound ({worst[0]}, error {worst[1]:g}); rm with error {error:g}: "
        f"{ends['rm', error]:.3f}, where ε alone is {EPSILON['rm']:g}",
        shares[worst] <= 1,
    )
    return Part(Panel("Lemma 4.9 (7): mean payoffs", "plays", "|g(t) - v|", lines, log=True), (claim,))
