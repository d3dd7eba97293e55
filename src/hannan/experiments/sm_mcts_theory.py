"""Section 4 of the SM-MCTS paper, run: regret against opponents, games with errors, Lemma 4.5, Theorems 4.10 and 4.11.

The other lemmas are measured in `sm_mcts_lemmas.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments import sm_mcts_lemmas
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.consistency import OPPONENTS, deviations, equilibrium_gap, payoff_errors, repeat_matrix
from hannan.experiments.matrix_plays import EPSILON, ERRORS, GAMMA, MATRICES, NEEDLES, SEEDS, Matrix, largest, line
from hannan.experiments.sm_mcts2 import PAPER, points_up_to
from hannan.experiments.stacked import stacked
from hannan.forms.loader import Loadable
from hannan.treesearch.searcher import Searcher

SLACK = 0.02
"""How far a regret may lie above its limit at the end: it falls only like 1/√t."""

OTHERS = ("uct", "random")
"""Rules that are not Hannan consistent."""

BIASED = {"itself": None, "stochastic": 0.6, "responding": None, "switching": None}
DEPTHS = (1, 2, 3)

VISITS = 10_000
"""The payoff bound is measured at nodes with this many visits."""

NEEDLE = (0, 2, 0, 2, 2, 2, 2, 2, 0, 2, 0, 2, 2, 2, 2, 2)
"""A game of two stages, in halves: player 1 loses 1 by its second column in either stage. Exploring costs most here."""


class Size(NamedTuple):
    """The amount of work."""

    plays: int
    games: int
    iterations: int


FULL, QUICK = Size(10**6, 10, 10**6), Size(20_000, 2, 20_000)


def report(quick: bool = False, say: Say = silent) -> Report:
    """Measure every statement, and judge it by its bound."""
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
    say("Lemmas 4.4, 4.6 and 4.9, Definition 4.2, Remark 6.1")
    for part in sm_mcts_lemmas.parts(points):
        panels.append(part.panel)
        claims += part.claims
    say("Theorem 4.11")
    last, verdicts = subgames(size)
    panels += last
    claims += verdicts
    notes = (
        f"gamma {GAMMA}; the largest of {SEEDS} seeds and {len(MATRICES)} matrix games ({', '.join(MATRICES)}), "
        f"payoffs in [0, 1]. A regret may be {SLACK} above its limit at the end. Responding: the best response "
        "to the frequencies so far. Switching: pure columns in turn, each for twice as long as the one before.",
        "Errors (Definition 4.8) favour the row that was played less than its share. A gap is the most that either "
        "player can gain in the game without errors.",
        f"Lemmas 4.4, 4.6 and 4.9, Definition 4.2 and Remark 6.1 are measured on {' and '.join(NEEDLES)}, too, where "
        "exploring costs nine tenths of gamma: there bounds are nearly reached, and smaller constants would fail.",
        f"Theorem 4.11 on {size.games} random games of each depth and on one of two stages in which exploring costs "
        f"most, trees built in full, {size.iterations:,} iterations. The bound is 2d(d + 1)ε in a subgame of height d, "
        "which the induction proves; the paper prints 2D²ε, a tighter bound that it does not prove. Payoffs are those "
        f"of nodes with {VISITS:,} visits at least.",
    )
    return Report("sm_mcts_theory", f"{PAPER}, section 4", tuple(panels), tuple(claims), notes, rows=3)


def _regret(rule: str, opponent: str, points: Longs, payoffs: Matrix, seed: int) -> Floats:
    """Return the average regret at each point, the largest over the players that follow the rule."""
    players, others = 2 if opponent == "itself" else 1, len(payoffs[0]) - 1
    lean = BIASED[opponent]
    strategy = None if lean is None else [lean, *([(1 - lean) / others] * others)]
    played = repeat_matrix(payoffs, rule, points=points, opponent=opponent, strategy=strategy, gamma=GAMMA, seed=seed)
    regret: Floats = played.regrets[:, :players].max(axis=1)
    return regret


def regrets(opponent: str, points: Longs) -> tuple[Lines, list[Claim]]:
    """Measure every rule against one opponent."""
    lines: Lines = {}
    above = {}
    for rule in (*EPSILON, *OTHERS):
        numbers = largest(partial(_regret, rule, opponent, points))
        lines[rule] = line(points, numbers)
        above[rule] = float(numbers[-1]) - EPSILON.get(rule, 0.0)
    lines["gamma"] = line(points, np.full(len(points), GAMMA))
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
        numbers = largest(partial(_apart, rule, points))
        lines[rule] = line(points, numbers)
        ends[rule] = float(numbers[-1])
    most = 3 / math.sqrt(float(points[-1]))
    lines["3/√t"] = line(points, 3 / np.sqrt(points))
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
    """Measure the equilibrium gap of self-play with errors against Theorem 4.10's bound."""
    lines: Lines = {}
    shares = {}
    for rule in ("rm", "exp3"):
        for error in ERRORS:
            numbers = largest(partial(_gaps, rule, error, points))
            lines[f"{rule}, error {error:g}"] = line(points, numbers)
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


class Subgames(NamedTuple):
    """The largest gain by a deviation, and the largest distance of a mean payoff from the value, by subgame height."""

    gains: dict[int, float]
    payoffs: dict[int, float]


def searched(rule: str, size: Size) -> Subgames:
    """Search games of every depth, and one in which exploring costs most, in full trees."""
    found = Subgames({}, {})
    games: list[tuple[Loadable, int]] = [(stacked(NEEDLE), 0)]
    games += [(f"random_game(depth={d},branching=2,seed={k})", k) for d in DEPTHS for k in range(size.games)]
    for game, seed in games:
        searcher = Searcher(game, rule, gamma=GAMMA, seed=seed, tree="full")
        searcher.run(size.iterations)
        for most, measured in zip(found, (deviations(searcher), payoff_errors(searcher, VISITS)), strict=True):
            for height, number in measured.items():
                most[height] = max(most.get(height, 0.0), number)
    return found


def subgames(size: Size) -> tuple[list[Panel], list[Claim]]:
    """Measure all subgames against Theorem 4.11's bounds on deviations and on payoffs, by the height of the subgame."""
    bounds = {"deviation": bound_in_subgame, "payoff": payoff_bound}
    lines: dict[str, Lines] = {name: {} for name in bounds}
    claims = []
    for rule, own in (("rm-mean", "rm"), ("exp3-mean", "exp3")):
        for (name, bound), largest_found in zip(bounds.items(), searched(rule, size), strict=True):
            most = {height: bound(height, EPSILON[own]) for height in largest_found}
            lines[name][rule] = sorted((float(height), number) for height, number in largest_found.items())
            lines[name][f"bound for {rule}"] = sorted((float(height), number) for height, number in most.items())
            claims.append(_within(rule, name, largest_found, most))
    across = "height of the subgame"
    panels = [
        Panel("Theorem 4.11: the worst subgame", across, "largest gain", lines["deviation"]),
        Panel("Theorem 4.11: the payoff bound", across, "largest |g(t) - v|", lines["payoff"]),
    ]
    return panels, claims


def bound_in_subgame(height: int, epsilon: float) -> float:
    """Return the bound on deviations, 2d(d + 1)ε."""
    return 2 * height * (height + 1) * epsilon


def payoff_bound(height: int, epsilon: float) -> float:
    """Return the bound on payoffs, dε."""
    return height * epsilon


def _within(rule: str, name: str, found: Mapping[int, float], bound: Mapping[int, float]) -> Claim:
    words = ", ".join(f"{found[d]:.3f} of {bound[d]:.3f} at height {d}" for d in sorted(found))
    held = all(found[d] <= bound[d] for d in found)
    if name == "payoff":
        text = f"Theorem 4.11, payoff bound PB_d: the mean payoff of every node of {rule} comes to its value"
        return Claim(text, "within (1 + D - d)ε, which is height times ε", words, held)
    return Claim(f"Theorem 4.11: no subgame lets a player of {rule} gain more", "gain ≤ 2d(d + 1)ε", words, held)
