"""Figure 2 of the SM-MCTS paper: regret matching with sample and with mean returns on random games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Lines, Panel, Report, Say, silent
from hannan.experiments.pieces import Piece, gathered, seeds_of
from hannan.experiments.repeated import Kind, repeated
from hannan.games.random_game import random_game
from hannan.pieces import Workers
from hannan.treesearch.exploration import tree_limit
from hannan.treesearch.searcher import Searcher

PAPER = "SM-MCTS (V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský 2013)"
RULES = {"RM": "rm", "RMM": "rm-mean"}
CLOSE = 0.002
"""A mean shortfall this near to its limit has converged."""

SMALL = 1.25
"""A mean ratio of shortfalls up to this one is a very small difference."""


class Size(NamedTuple):
    """The amount of work, which is done in rounds of a few searches of every game, in chunks of games."""

    games: int
    searches: int
    iterations: int
    chunk: int  # games per piece
    round: int  # searches of each game per piece

    @property
    def rounds(self) -> int:
        return self.searches // self.round


FULL, QUICK = Size(100, 100, 10**6, 10, 10), Size(4, 4, 20_000, 2, 2)


class Setting(NamedTuple):
    """One pair of curves: the games, and the exploration."""

    depth: int
    branching: int
    gamma: float

    @property
    def name(self) -> str:
        return f"depth {self.depth}, branching {self.branching}, gamma {self.gamma:g}"

    def kind(self) -> Kind:
        rules = random_game(self.depth, self.branching)
        nodes = sum(self.branching ** (2 * d) for d in range(self.depth + 1))
        return Kind(rules, nodes, -1.0, 1.0)


WIDTHS = tuple(Setting(2, branching, gamma) for gamma in (0.05, 0.1, 0.2) for branching in (2, 3, 5))
DEPTHS = tuple(Setting(depth, 2, 0.1) for depth in (2, 3, 4))
SETTINGS = (*WIDTHS, *(setting for setting in DEPTHS if setting not in WIDTHS))


class Curve(NamedTuple):
    """The mean shortfall of one rule at some points, and its limit."""

    points: Longs
    mean: Floats
    floor: float
    error: float
    """The standard error at the last point."""
    allowed: float
    """The shortfall of the equilibrium in which every action has probability gamma/K at least."""


def points_up_to(iterations: int) -> Longs:
    """Return 10, 20, 40, … and the last."""
    points = [10 * 2**k for k in range(60) if 10 * 2**k < iterations]
    return np.array([*points, iterations], np.int64)


def searched(setting: Setting, rule: str, first: int, number: int, size: Size) -> Floats:
    """Return for each game of a chunk the shortfall of the equilibrium with gamma/K at least, and at each point.

    Shortfalls at the points are means over one round of searches.
    """
    tables = np.array([random_game(setting.depth, setting.branching, seed=first + k).table for k in range(size.chunk)])
    seeds = seeds_of(first, size.chunk, size.searches)[:, number * size.round : (number + 1) * size.round]
    points = points_up_to(size.iterations)
    done = repeated(setting.kind(), tables, rule, gamma=setting.gamma, points=points, seeds=seeds)
    return np.concatenate([done.floors[:, None], done.shortfalls.mean(axis=1)], axis=1)


def limits(setting: Setting, first: int, size: Size) -> Floats:
    """Return the shortfall of player 1 in the limit of regret matching, for each game of a chunk, scaled."""
    found = []
    for number in range(first, first + size.chunk):
        rules = random_game(setting.depth, setting.branching, seed=number)
        limit = tree_limit(Searcher(rules, "rm", gamma=setting.gamma, tree="full"))
        found.append(limit.value - limit.guarantee)
    kind = setting.kind()
    return np.array(found) / (kind.high - kind.low)


def limit_name(setting: Setting, first: int) -> str:
    """Return the name of a piece with limits."""
    return f"limit, {setting.name}, games from {first}"


def name_of(label: str, setting: Setting, first: int, number: int) -> str:
    """Return the name of a piece."""
    return f"{label}, {setting.name}, games from {first}, round {number}"


def pieces(size: Size, numbers: Iterable[int]) -> list[Piece]:
    """Return the pieces with limits, then one for each curve and chunk of games in some rounds, round by round."""
    chunks = range(0, size.games, size.chunk)
    found = [
        Piece(limit_name(setting, first), 0.01, partial(limits, setting, first, size))
        for first in chunks
        for setting in SETTINGS
    ]
    return found + [
        Piece(
            name_of(label, setting, first, number),
            setting.depth * setting.branching,
            partial(searched, setting, rule, first, number, size),
        )
        for number in numbers
        for first in chunks
        for setting in SETTINGS
        for label, rule in RULES.items()
    ]


def curves(numbers: Mapping[str, Floats], size: Size, rounds: int) -> dict[Setting, dict[str, Curve]]:
    """Return the two curves of each setting, from the first rounds."""
    points, chunks = points_up_to(size.iterations), range(0, size.games, size.chunk)
    every: dict[Setting, dict[str, Curve]] = {}
    for setting in SETTINGS:
        every[setting] = {}
        floor = float(np.concatenate([numbers[limit_name(setting, k)] for k in chunks]).mean())
        for label in RULES:
            parts = [
                np.concatenate([numbers[name_of(label, setting, k, number)] for k in chunks])
                for number in range(rounds)
            ]
            games = np.mean(parts, axis=0)
            error = float(games[:, -1].std() / np.sqrt(size.games))
            every[setting][label] = Curve(points, games[:, 1:].mean(axis=0), floor, error, float(games[:, 0].mean()))
    return every


def report(
    quick: bool = False, say: Say = silent, folder: str | PathLike[str] = ".", workers: Workers | None = None
) -> Report:
    """Run both variants on every setting, and judge section 5.1's claims; continue where an earlier run stopped.

    Ctrl-C after the first round gives the report of the complete rounds.
    """
    size = QUICK if quick else FULL
    path = Path(folder) / f"sm_mcts2{'_quick' if quick else ''}.runs"
    numbers = gathered(pieces(size, range(size.rounds)), path, str(tuple(size)), say, workers, partial=True)
    rounds = 0
    while rounds < size.rounds and all(piece.name in numbers for piece in pieces(size, [rounds])):
        rounds += 1
    if rounds == 0:
        raise KeyboardInterrupt
    measured = curves(numbers, size, rounds)
    short = f" (of {size.searches}: the run was stopped, and the same command continues it)"
    notes = (
        f"{size.games} random games and {rounds * size.round} searches of each"
        f"{short if rounds < size.rounds else ''}, the same games and random numbers for both "
        "variants, payoffs uniform on [0, 1], cells without a visit count as 0 (the authors' code). The panels of "
        "depths have gamma 0.1, which the paper does not print.",
        "Shortfall: the value minus the payoff of player 1's frequencies against a best response. Floor: the shortfall "
        "of the limit of regret matching whose regrets count the loss of its own exploration (docs/howto/search.md), "
        "as a mean over the games. It need not be that of the equilibrium in which every action has probability at "
        "least gamma/K.",
        f"Converged: within {CLOSE} of the floor at the end. A ratio is the geometric mean of RMM's shortfall over "
        f"RM's at the points from 100 iterations on; up to {SMALL} is very small.",
    )
    return Report("sm_mcts2", f"{PAPER}, figure 2", panels(measured), claims(measured), notes, rows=2)


def panels(measured: Mapping[Setting, Mapping[str, Curve]]) -> tuple[Panel, ...]:
    """Return one panel for each gamma with all branching factors, and one for each depth."""
    drawn = []
    for gamma in (0.05, 0.1, 0.2):
        lines: Lines = {}
        for setting in (one for one in WIDTHS if one.gamma == gamma):
            lines |= lines_of(measured[setting], f", BF {setting.branching}")
        drawn.append(panel(f"depth 2, gamma {gamma:g}", lines))
    return (*drawn, *(panel(setting.name, lines_of(measured[setting])) for setting in DEPTHS))


def panel(title: str, lines: Lines) -> Panel:
    """Return shortfalls by iterations."""
    return Panel(title, "iterations", "shortfall of player 1", lines, log=True)


def lines_of(curves: Mapping[str, Curve], which: str = "") -> Lines:
    """Return the lines of some rules on the same games, and their floor."""
    lines = {label + which: list(zip(c.points.tolist(), c.mean.tolist(), strict=True)) for label, c in curves.items()}
    one = curves["RM"]
    return {**lines, "floor" + which: [(float(point), one.floor) for point in one.points]}


def slower(mean: Curve, plain: Curve) -> float:
    """Return the geometric mean of the ratio of the first shortfall to the second, from 100 iterations on."""
    late = plain.points >= 100
    return float(np.exp(np.log(mean.mean[late] / plain.mean[late]).mean()))


def claims(measured: Mapping[Setting, Mapping[str, Curve]]) -> tuple[Claim, ...]:
    """Judge the three sentences of section 5.1."""
    ends = {(label, setting): curve for setting, pair in measured.items() for label, curve in pair.items()}
    above = {key: float(curve.mean[-1] - curve.floor) for key, curve in ends.items()}
    apart = {key: float(curve.mean[-1] - curve.allowed) for key, curve in ends.items()}
    worst, widest = max(above, key=lambda key: above[key]), max(apart, key=lambda key: apart[key])
    ratios = {setting: slower(pair["RMM"], pair["RM"]) for setting, pair in measured.items()}
    least, most = min(ratios, key=lambda key: ratios[key]), max(ratios, key=lambda key: ratios[key])
    deep = [ratios[setting] for setting in DEPTHS]
    return (
        Claim(
            "both methods converge to the approximate Nash equilibrium",
            "every curve falls to its limit",
            f"at the end at most {above[worst]:.4f} above the floor ({worst[0]}, {worst[1].name}), and at most "
            f"{apart[widest]:.4f} above the equilibrium with gamma/K at least ({widest[0]}, {widest[1].name})",
            above[worst] <= CLOSE,
        ),
        Claim(
            "RMM converges slightly slower in all cases",
            "slower in all",
            f"ratio of shortfalls {ratios[least]:.3f} ({least.name}) to {ratios[most]:.3f} ({most.name})",
            ratios[least] >= 1.0,
        ),
        Claim(
            "the difference is very small in small games and more apparent with larger depth",
            "grows with depth",
            "ratio of shortfalls "
            + ", ".join(f"{ratio:.3f} at depth {one.depth}" for one, ratio in zip(DEPTHS, deep, strict=True)),
            deep[0] <= SMALL and deep[0] < deep[1] < deep[2],
        ),
    )
