"""Section 4 of the SM-MCTS paper, run: regret against opponents, games with errors, Lemma 4.5, Theorems 4.10 and 4.11.

Regret matching with exploration γ is γ-Hannan consistent, Exp3 with a constant γ is (e - 1)γ-Hannan consistent (P. Auer
et al. 2002, Theorem 3.1). These are the ε that the bounds are computed from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.consistency import OPPONENTS, deviations, equilibrium_gap, repeat_matrix
from hannan.experiments.sm_mcts2 import PAPER, points_up_to
from hannan.treesearch.searcher import Searcher

GAMMA = 0.1
SLACK = 0.02
"""What a regret may lie above its limit at the end: it falls with 1/√t only."""

EPSILON = {"rm": GAMMA, "rm+": GAMMA, "hedge": GAMMA, "exp3-ix": GAMMA, "exp3": (math.e - 1) * GAMMA}
OTHERS = ("uct", "random")
"""Rules that are not Hannan consistent."""

Matrix = list[list[float]]

MATRICES: dict[str, Matrix] = {
    "biased rock-paper-scissors": [[0.5, 0.25, 1.0], [0.75, 0.5, 0.45], [0.0, 0.55, 0.5]],
    "matching pennies": [[1.0, 0.0], [0.0, 1.0]],
    "two by three": [[0.9, 0.2, 0.4], [0.1, 0.7, 0.5]],
    "a dominated row": [[1.0, 0.9], [0.1, 0.0]],
}
BIASED = {"itself": None, "stochastic": 0.6, "responding": None, "switching": None}
ERRORS = (0.0, 0.02, 0.05, 0.1)
SEEDS = 3
DEPTHS = (1, 2, 3)


class Size(NamedTuple):
    """How much is run."""

    plays: int
    games: int
    iterations: int


FULL, QUICK = Size(10**6, 10, 10**6), Size(20_000, 2, 20_000)


def report(quick: bool = False, say: Say = silent) -> Report:
    """Measure all of it, and judge it by the bounds."""
    size = QUICK if quick else FULL
    points = points_up_to(size.plays)
    panels, claims = [], []
    for opponent in OPPONENTS:
        say(f"regret against an opponent: {opponent}")
        lines, verdicts = regrets(opponent, points)
        panels.append(Panel(f"regret, opponent: {opponent}", "plays", "average regret", lines, log=True))
        claims += verdicts
    say("Lemma 4.5 and Theorem 4.10")
    for lines, title, up, verdict in (lemma(points), errors(points)):
        panels.append(Panel(title, "plays", up, lines, log=True))
        claims.append(verdict)
    say("Theorem 4.11")
    lines, verdicts = subgames(size)
    panels.append(Panel("Theorem 4.11: the worst subgame", "height of the subgame", "largest gain", lines))
    claims += verdicts
    notes = (
        f"gamma {GAMMA}; the largest of {SEEDS} seeds and {len(MATRICES)} matrix games ({', '.join(MATRICES)}), "
        f"payoffs in [0, 1]. A regret has come to its limit within {SLACK} at the end. Responding: the best response "
        "to the frequencies so far. Switching: pure columns in turn, each for twice as long as the one before.",
        "Errors (Definition 4.8) favour the row that was played less than its share. A gap is the most that either "
        "player can gain in the game without errors.",
        f"Theorem 4.11 on {size.games} random games of each depth, trees built in full, {size.iterations:,} iterations."
        " The bound is 2d(d + 1)ε in a subgame of height d; the paper prints 2D², which at D = 1 contradicts its own "
        "Corollary 4.7.",
    )
    return Report("sm_mcts_theory", f"{PAPER}, section 4", tuple(panels), tuple(claims), notes, rows=2)


def _largest(measure: Callable[[Matrix, int], Any]) -> Floats:
    """Return the largest of what is measured at each point, over all matrices and seeds."""
    every = [measure(payoffs, seed) for payoffs in MATRICES.values() for seed in range(SEEDS)]
    return np.max(every, axis=0)


def _regret(rule: str, opponent: str, points: Longs, payoffs: Matrix, seed: int) -> Floats:
    """Return the average regret at each point, the largest of the rule's own players."""
    players, others = 2 if opponent == "itself" else 1, len(payoffs[0]) - 1
    lean = BIASED[opponent]
    strategy = None if lean is None else [lean, *([(1 - lean) / others] * others)]
    played = repeat_matrix(payoffs, rule, points=points, opponent=opponent, strategy=strategy, gamma=GAMMA, seed=seed)
    largest: Floats = played.regrets[:, :players].max(axis=1)
    return largest


def regrets(opponent: str, points: Longs) -> tuple[Lines, list[Claim]]:
    """Measure every rule against one opponent."""
    lines: Lines = {}
    above = {}
    for rule in (*EPSILON, *OTHERS):
        numbers = _largest(partial(_regret, rule, opponent, points))
        lines[rule] = _line(points, numbers)
        above[rule] = float(numbers[-1]) - EPSILON.get(rule, 0.0)
    lines["gamma"] = _line(points, np.full(len(points), GAMMA))
    consistent = {rule: above[rule] for rule in EPSILON}
    worst = max(consistent, key=lambda rule: consistent[rule])
    claims = [
        Claim(
            f"the rules are ε-Hannan consistent against an opponent: {opponent}",
            "lim sup r(t) ≤ ε",
            f"the most above its ε after {int(points[-1]):,} plays: {worst}, by {consistent[worst]:+.4f}",
            consistent[worst] <= SLACK,
        )
    ]
    for rule, where in (("uct", "itself"), ("random", "responding")):
        if opponent == where:
            claims.append(
                Claim(
                    f"{rule} is not: its regret stays against an opponent: {opponent}",
                    "UCT does not converge" if rule == "uct" else "-",
                    f"regret {above[rule]:.3f} after {int(points[-1]):,} plays",
                    above[rule] > GAMMA + SLACK,
                )
            )
    return lines, claims


def lemma(points: Longs) -> tuple[Lines, str, str, Claim]:
    """Measure how far frequencies and average strategies are apart in self-play."""
    lines: Lines = {}
    ends = {}
    for rule in EPSILON:
        numbers = _largest(partial(_apart, rule, points))
        lines[rule] = _line(points, numbers)
        ends[rule] = float(numbers[-1])
    most = 3 / math.sqrt(float(points[-1]))
    lines["3/√t"] = _line(points, 3 / np.sqrt(points))
    worst = max(ends, key=lambda rule: ends[rule])
    claim = Claim(
        "Lemma 4.5: frequencies and average strategies meet",
        "their distance → 0",
        f"at most {ends[worst]:.2g} ({worst}) after {int(points[-1]):,} plays; six standard deviations are {most:.2g}",
        ends[worst] <= most,
    )
    return lines, "Lemma 4.5", "largest difference", claim


def _apart(rule: str, points: Longs, payoffs: Matrix, seed: int) -> Floats:
    played = repeat_matrix(payoffs, rule, points=points, gamma=GAMMA, seed=seed)
    return np.max([played.apart(player, size) for player, size in enumerate(np.shape(payoffs))], axis=0)


def errors(points: Longs) -> tuple[Lines, str, str, Claim]:
    """Measure the equilibrium gap of self-play with errors beside Theorem 4.10's bound."""
    lines: Lines = {}
    shares = {}
    for rule in ("rm", "exp3"):
        for error in ERRORS:
            numbers = _largest(partial(_gaps, rule, error, points))
            lines[f"{rule}, error {error:g}"] = _line(points, numbers)
            shares[rule, error] = float(numbers[-1]) / (4 * (EPSILON[rule] + error))
    worst = max(shares, key=lambda key: shares[key])
    claim = Claim(
        "Theorem 4.10: with payoffs off by cε the frequencies form a 4(c + 1)ε-equilibrium",
        "gap ≤ 4(c + 1)ε",
        f"gaps are {min(shares.values()):.1%} to {shares[worst]:.1%} of the bound ({worst[0]}, error {worst[1]:g})",
        shares[worst] <= 1,
    )
    return lines, "Theorem 4.10: errors", "equilibrium gap", claim


def _gaps(rule: str, error: float, points: Longs, payoffs: Matrix, seed: int) -> list[float]:
    m, n = np.shape(payoffs)
    played = repeat_matrix(payoffs, rule, points=points, error=error, gamma=GAMMA, seed=seed)
    return [equilibrium_gap(payoffs, plays[0, :m], plays[1, :n]) for plays in played.frequencies]


def subgames(size: Size) -> tuple[Lines, list[Claim]]:
    """Measure the largest gain in any subgame beside Theorem 4.11's bound, by the height of the subgame."""
    lines: Lines = {}
    claims = []
    for rule, own in (("rm-mean", "rm"), ("exp3-mean", "exp3")):
        largest: dict[int, float] = {}
        for depth in DEPTHS:
            for game in range(size.games):
                searcher = Searcher(
                    f"random_game(depth={depth},branching=2,seed={game})", rule, gamma=GAMMA, seed=game, tree="full"
                )
                searcher.run(size.iterations)
                for height, gain in deviations(searcher).items():
                    largest[height] = max(largest.get(height, 0.0), gain)
        bound = {height: bound_in_subgame(height, EPSILON[own]) for height in largest}
        lines[rule] = sorted((float(height), gain) for height, gain in largest.items())
        lines[f"bound for {rule}"] = sorted((float(height), most) for height, most in bound.items())
        claims.append(_within(rule, largest, bound))
    return lines, claims


def bound_in_subgame(height: int, epsilon: float) -> float:
    """Return 2d(d + 1)ε."""
    return 2 * height * (height + 1) * epsilon


def _within(rule: str, largest: Mapping[int, float], bound: Mapping[int, float]) -> Claim:
    words = ", ".join(f"{largest[d]:.3f} of {bound[d]:.3f} at height {d}" for d in sorted(largest))
    held = all(largest[d] <= bound[d] for d in largest)
    return Claim(f"Theorem 4.11: no subgame lets a player of {rule} gain more", "gain ≤ 2d(d + 1)ε", words, held)


def _line(points: Sequence[int] | Longs, numbers: Floats) -> list[tuple[float, float]]:
    return [(float(point), float(number)) for point, number in zip(points, numbers, strict=True)]
