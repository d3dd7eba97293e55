"""Finite-time bounds of the SM-MCTS paper's learners, with all constants, against measured regret.

P. Auer, N. Cesa-Bianchi, Y. Freund, R. Schapire (2002), The nonstochastic multiarmed bandit problem, theorem 3.1: Exp3.
D. Blackwell (1956): regret matching. Theorem 4.11 of the paper itself names no time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.consistency import OPPONENTS, deviations, repeat_matrix
from hannan.experiments.matrix_plays import EPSILON, GAMMA, MATRICES, NEEDLES, line
from hannan.experiments.sm_mcts2 import PAPER, points_up_to
from hannan.experiments.sm_mcts_theory import BIASED, bound_in_subgame
from hannan.treesearch.searcher import Searcher

GAMES = {**MATRICES, **NEEDLES}
SHOWN = ("biased rock-paper-scissors", "one good row of ten")
"""The games whose curves are drawn: three actions, and ten."""

DEPTHS = (1, 2, 3)

Bound = Callable[[int, int, Floats], Floats]
"""From the numbers of own and of other actions, and times, to upper bounds on regret at these times."""


class Size(NamedTuple):
    """The amount of work."""

    plays: int
    seeds: int
    games: int


FULL, QUICK = Size(10**6, 20, 5), Size(20_000, 3, 1)


class Regret(NamedTuple):
    """Expected regret of one player of one game against one opponent, and its bound, at each point."""

    game: str
    player: int
    measured: Floats
    bound: Floats

    @property
    def share(self) -> float:
        """The largest share of the bound while the bound is below 1: no regret is larger than 1."""
        told = self.bound < 1.0
        return float((self.measured[told] / self.bound[told]).max()) if told.any() else 0.0


def report(quick: bool = False, say: Say = silent) -> Report:
    """Measure regrets and deviations over time, and judge the regrets by their bounds."""
    size = QUICK if quick else FULL
    points = points_up_to(size.plays)
    panels, claims = [], []
    for opponent in OPPONENTS:
        say(f"Exp3 against an opponent: {opponent}")
        found = [
            regret
            for name in GAMES
            for regret in expected(name, points, size.seeds, rule="exp3", opponent=opponent, bound=exp3_bound)
        ]
        panels.append(Panel(f"Exp3, opponent: {opponent}", "plays", "expected regret", drawn(found, points), log=True))
        claims.append(judged(f"Exp3, opponent: {opponent}", "(e - 1)gamma + K ln K/(gamma t)", found, size))
    say("regret matching with exploration outside")
    found = [
        regret
        for name in GAMES
        for regret in expected(name, points, size.seeds, rule="rm", explore="star", bound=matching_bound)
    ]
    panels.append(Panel("A* of regret matching, itself", "plays", "expected regret", drawn(found, points), log=True))
    words = "gamma + √((K - 1)/t) + (1 + √K)·mnH/(gamma² t)"
    claims.append(judged("A* of regret matching, opponent: itself", words, found, size))
    say("Theorem 4.11 over time")
    lines, verdicts = over_time(points, size)
    panels.append(Panel("Theorem 4.11 over time", "iterations", "largest gain in a last joint move", lines, log=True))
    claims += verdicts
    notes = (
        f"gamma {GAMMA}; the mean of {size.seeds} seeds; {len(GAMES)} matrix games with payoffs in [0, 1]. Expected "
        "regret: the most that one action would have earned as a mean over all seeds, minus the mean of the earned "
        "payoffs. K is the number of the player's own actions.",
        "The bound of Exp3 is Theorem 3.1 of Auer and others, divided by t. That of regret matching: exploring costs "
        "at most gamma; the regrets of the other plays grow like √((K - 1)t) once every cell of the m by n matrix was "
        "tried; everything may be lost before, in at most mnH/gamma² plays on average with H = 1 + 1/2 + … + 1/(mn).",
        "A share of a bound is measured only while the bound is below 1, the largest possible regret.",
        "Theorem 4.11 says that the bound 2d(d + 1)ε holds from some time on, but not from which. The times are "
        f"observed, on {size.games} random games of each depth, trees built in full; d is the height of the subgame. "
        "With this gamma the bound is above 1, and says nothing, from height 2 on. The paper prints 2D²ε, which the "
        "induction does not prove.",
    )
    return Report("sm_mcts_times", f"{PAPER}, bounds in finite time", tuple(panels), tuple(claims), notes, rows=2)


def exp3_bound(own: int, other: int, t: Floats) -> Floats:
    """Return (e − 1)γ + K ln K/(γt)."""
    bound: Floats = (math.e - 1) * GAMMA + own * math.log(own) / (GAMMA * t)
    return bound


def matching_bound(own: int, other: int, t: Floats) -> Floats:
    """Return γ + √((K − 1)/t) + (1 + √K)·mnH/(γ²t): exploring, matching, and the plays until every cell was tried."""
    cells = own * other
    tried = cells / GAMMA**2 * sum(1.0 / k for k in range(1, cells + 1))
    bound: Floats = GAMMA + np.sqrt((own - 1) / t) + (1 + math.sqrt(own)) * tried / t
    return bound


def expected(
    name: str, points: Longs, seeds: int, *, rule: str, bound: Bound, opponent: str = "itself", explore: str = "own"
) -> list[Regret]:
    """Return the expected regret of each player that follows the rule."""
    A = np.array(GAMES[name])
    lean, others = BIASED[opponent], A.shape[1] - 1
    strategy = None if lean is None else [lean, *([(1 - lean) / others] * others)]
    play = partial(repeat_matrix, A, rule, points=points, opponent=opponent, strategy=strategy, gamma=GAMMA)
    played = [play(explore=explore, seed=seed) for seed in range(seeds)]
    frequency = np.mean([one.frequencies for one in played], axis=0)
    payoff = np.mean([one.payoffs for one in played], axis=0)
    m, n = A.shape
    times = points.astype(np.float64)
    rows = (frequency[:, 1, :n] @ A.T).max(axis=1) - payoff
    regrets = [Regret(name, 0, rows, bound(m, n, times))]
    if opponent == "itself":
        columns = payoff - (frequency[:, 0, :m] @ A).min(axis=1)
        regrets.append(Regret(name, 1, columns, bound(n, m, times)))
    return regrets


def drawn(found: Sequence[Regret], points: Longs) -> Lines:
    """Return the curves of player 0 on the games that are drawn, each with its bound."""
    lines: Lines = {}
    for regret in found:
        if regret.game in SHOWN and regret.player == 0:
            lines[regret.game] = line(points, regret.measured)
            lines[f"bound, {regret.game}"] = line(points, regret.bound)
    return lines


def judged(where: str, words: str, found: Sequence[Regret], size: Size) -> Claim:
    """Judge a bound by its largest share at any time; report the share at the end, too."""
    worst = max(found, key=lambda regret: regret.share)
    last = max(float(regret.measured[-1] / regret.bound[-1]) for regret in found)
    return Claim(
        f"{where}: expected regret stays below its bound at every time",
        f"r(t) ≤ {words}",
        f"at most {worst.share:.0%} of the bound ({worst.game}, player {worst.player}); {last:.0%} after "
        f"{size.plays:,} plays",
        worst.share <= 1,
    )


def over_time(points: Longs, size: Size) -> tuple[Lines, list[Claim]]:
    """Follow the largest gain by a deviation in a last joint move, and from when on it is below the bound."""
    lines: Lines = {}
    claims = []
    for rule, own in (("rm-mean", "rm"), ("exp3-mean", "exp3")):
        bound = bound_in_subgame(1, EPSILON[own])
        for depth in DEPTHS:
            gains = np.max([_deviations(rule, depth, seed, points) for seed in range(size.games)], axis=0)
            lines[f"{rule}, depth {depth}"] = line(points, gains)
            above = np.flatnonzero(gains > bound)
            last = int(above[-1]) + 1 if len(above) else 0
            held = last < len(points)
            since = f"from {int(points[last]):,} iterations on" if held else "not yet"
            claims.append(
                Claim(
                    f"Theorem 4.11 over time: the last joint moves of {rule} on games of depth {depth}",
                    f"gain ≤ 2d(d + 1)ε = {bound:.3f} at d = 1, from some time on",
                    f"{since}; {gains[-1]:.3f} after {size.plays:,}",
                    held,
                )
            )
        lines[f"limit, {rule}"] = line(points, np.full(len(points), bound))
    return lines, claims


def _deviations(rule: str, depth: int, seed: int, points: Longs) -> list[float]:
    """Return the largest gain by a deviation in a last joint move of one game, at each point."""
    game = f"random_game(depth={depth},branching=2,seed={seed})"
    searcher = Searcher(game, rule, gamma=GAMMA, seed=seed, tree="full")
    gains = []
    for point in points.tolist():
        searcher.run(point - searcher.iterations)
        gains.append(deviations(searcher)[1])
    return gains
