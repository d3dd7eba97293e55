"""Figure 3 of the SM-MCTS paper: the worst cases among all games of two stages, and how methods converge on them.

All 133,407 different games are searched, the worst are searched again with more runs, and four methods are followed for
a million iterations on the worst of these and on the authors' two games. Which games are worst depends on the treatment
of first visits, so there is one figure for each treatment.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Report, Say, silent
from hannan.experiments.pieces import Piece, gathered, seeds_of
from hannan.experiments.repeated import repeated
from hannan.experiments.sm_mcts2 import PAPER, Curve, points_up_to
from hannan.experiments.sm_mcts3_claims import Candidate, Findings, judged, panels_of
from hannan.experiments.stacked import canonical, distinct, kind, stacked, text_of
from hannan.pieces import Workers
from hannan.treesearch.exploration import tree_limit
from hannan.treesearch.searcher import Searcher

GAMMA = 0.05
ITERATIONS = 1000
"""Iterations of each search of the brute-force search."""

VARIANTS = {"RM": "rm", "RMM": "rm-mean"}
METHODS = {**VARIANTS, "Exp3": "exp3", "Exp3M": "exp3-mean"}

FIRST_VISITS = {
    "counted": "each cell of a node is tried once before the rule selects, and the node's mean counts these visits",
    "printed": "each cell of a node is tried once before the rule selects, and the node's mean leaves these visits "
    "out, as Algorithm 1 is printed",
    "selected": "the rule selects from the first visit of a node on, as the authors' released code does",
}
"""The treatments of first visits."""

AUTHORS = {
    "WC_RM": (0, 0, 1, 1, 0, 2, 2, 0, 0, 0, 1, 1, 2, 0, 2, 0),
    "WC_RMM": (0, 0, 2, 2, 0, 0, 2, 2, 1, 2, 1, 2, 2, 1, 2, 1),
}
"""The authors' two games, with payoffs in halves."""

SEARCHED, REFINED, FOLLOWED = range(3)
"""Streams of random numbers."""


class Size(NamedTuple):
    """The amount of work."""

    every: int  # one of this many games is searched
    searches: int
    chunk: int  # games per piece
    worst: int  # games of each list that are searched again
    again: int  # new searches of each of them
    follow: int  # searches that are followed
    iterations: int


FULL = Size(1, 100, 128, 50, 1500, 100, 10**6)
QUICK = Size(400, 20, 64, 5, 100, 8, 40_000)


def some_games(one_in: int) -> Longs:
    """Return every game whose number is a multiple of `one_in`, and the authors' two."""
    every = distinct()
    rows = {tuple(row): k for k, row in enumerate(every.tolist())}
    own = [rows[canonical(digits)] for digits in AUTHORS.values()]
    kept: Longs = every[np.union1d(np.arange(0, len(every), one_in), own)]
    return kept


def searched(part: Longs, first: int, rule: str, size: Size, first_visits: str = "counted") -> Floats:
    """Return the mean shortfall of each game of a piece after a thousand iterations, and its standard error.

    `first` is the number of the first game.
    """
    return _shortfalls(part, rule, seeds_of(first, len(part), size.searches, SEARCHED), first_visits)


def _shortfalls(games: Any, rule: str, seeds: Any, first_visits: str) -> Floats:
    """Return the mean shortfall of each game after a thousand iterations, and its standard error: [2, games]."""
    done = repeated(
        kind(), games, rule, gamma=GAMMA, points=np.array([ITERATIONS]), seeds=seeds, first_visits=first_visits
    ).shortfalls[:, :, 0]
    return np.stack([done.mean(axis=1), done.std(axis=1) / np.sqrt(done.shape[1])])


def search_pieces(games: Longs, size: Size, first_visits: str) -> list[Piece]:
    """Return the pieces of the brute-force search."""
    return [
        Piece(
            f"{label}, games {first}",
            min(size.chunk, len(games) - first),
            partial(searched, games[first : first + size.chunk], first, rule, size, first_visits),
        )
        for first in range(0, len(games), size.chunk)
        for label, rule in VARIANTS.items()
    ]


def searched_again(digits: tuple[int, ...], number: int, size: Size, first_visits: str) -> Floats:
    """Return the mean shortfall of one game by RM and by RMM, with standard errors, from new searches: [2, 2]."""
    seeds = seeds_of(number, 1, size.again, REFINED)
    return np.array([_shortfalls(np.array([digits]), rule, seeds, first_visits)[:, 0] for rule in VARIANTS.values()])


def followed(digits: tuple[int, ...], rule: str, size: Size, first_visits: str) -> Floats:
    """Return the shortfall of the equilibrium with gamma/2 at least, the mean at each point, and the last error."""
    done = repeated(
        kind(), np.array([digits]), rule, gamma=GAMMA, points=points_up_to(size.iterations),
        seeds=seeds_of(0, 1, size.follow, FOLLOWED), first_visits=first_visits,
    )  # fmt: skip
    last = done.shortfalls[0, :, -1]
    return np.array([done.floors[0], *done.shortfalls[0].mean(axis=0), last.std() / np.sqrt(size.follow)])


def report(
    quick: bool = False,
    say: Say = silent,
    folder: str | PathLike[str] = ".",
    workers: Workers | None = None,
    first_visits: str = "counted",
) -> Report:
    """Search, refine, follow, and judge section 5.2's claims; continue where an earlier run stopped."""
    size = QUICK if quick else FULL
    stem = "sm_mcts3" if first_visits == "counted" else f"sm_mcts3_{first_visits}"
    path = Path(folder) / f"{stem}{'_quick' if quick else ''}.runs"
    settings = str(tuple(size))
    games = some_games(size.every)
    plan = search_pieces(games, size, first_visits)
    numbers = gathered(plan, path, settings, say, workers)
    means = {label: _joined(numbers, games, label, size) for label in VARIANTS}
    chosen = _candidates(games, means, size)
    plan += [
        Piece(f"again {number}", 1.0, partial(searched_again, tuple(games[number]), number, size, first_visits))
        for number in chosen
    ]
    numbers = gathered(plan, path, settings, say, workers)
    candidates = {number: Candidate(tuple(games[number].tolist()), numbers[f"again {number}"]) for number in chosen}
    worst = {label: max(candidates.values(), key=lambda one: one.again[k, 0]) for k, label in enumerate(VARIANTS)}
    shown = {**AUTHORS, **{f"our worst case for {label}": one.digits for label, one in worst.items()}}
    plan += [
        Piece(
            f"{label}, {name}, {text_of(digits)}",
            4.0 if "exp3" in rule else 1.0,
            partial(followed, digits, rule, size, first_visits),
        )
        for name, digits in shown.items()
        for label, rule in METHODS.items()
    ]
    numbers = gathered(plan, path, settings, say, workers)
    lines = {
        name: {label: _curve(numbers[f"{label}, {name}, {text_of(digits)}"], size, _limit(digits)) for label in METHODS}
        for name, digits in shown.items()
    }
    findings = Findings(games, means, candidates, worst, shown, lines, size.again)
    notes = (
        f"First visits are {first_visits}: {FIRST_VISITS[first_visits]}.",
        f"{len(games):,} of the 133,407 games that differ up to swaps of rows and columns in the leaf matrices and at "
        f"the root, {size.searches} searches of {ITERATIONS:,} iterations each, gamma {GAMMA}, cells without a visit "
        f"count as 0 (the authors' code). The {size.worst} worst for each variant, the {size.worst} in which RMM did "
        f"best against RM, and the authors' two were searched again {size.again:,} times.",
        "Leaf matrices belong to the root's cells (0,0) (0,1) (1,0) (1,1); rows are player 1. "
        + "; ".join(f"{name}: {text_of(digits)}" for name, digits in shown.items())
        + ".",
        "The floor is exact: the shortfall of player 1 in the limit of regret matching that explores "
        "(docs/howto/search.md). With two actions for each player and no ties it is that of the equilibrium in which "
        "every action has probability gamma/2 at least, which is the limit of Exp3. "
        f"Curves are means of {size.follow} searches.",
    )
    title = f"{PAPER}, figure 3, first visits {first_visits}"
    return Report(stem, title, panels_of(findings), judged(findings), notes, rows=2)


def _limit(digits: tuple[int, ...]) -> float:
    """Return the shortfall of player 1 in the limit of regret matching."""
    limit = tree_limit(Searcher(stacked(digits), "rm", gamma=GAMMA, tree="full"))
    return limit.value - limit.guarantee


def _curve(numbers: Floats, size: Size, floor: float) -> Curve:
    """Return what `followed` found, as a curve with its floor."""
    return Curve(points_up_to(size.iterations), numbers[1:-1], floor, float(numbers[-1]), float(numbers[0]))


def _joined(numbers: Mapping[str, Floats], games: Longs, label: str, size: Size) -> Floats:
    """Return means and standard errors of all games, [2, games]."""
    return np.concatenate([numbers[f"{label}, games {first}"] for first in range(0, len(games), size.chunk)], axis=1)


def _candidates(games: Longs, means: Mapping[str, Floats], size: Size) -> list[int]:
    """Return the games to search again: the worst of each variant, those where RMM beat RM most, the authors'."""
    rm, rmm = means["RM"], means["RMM"]
    apart = (rmm[0] - rm[0]) / np.sqrt(rm[1] ** 2 + rmm[1] ** 2 + 1e-12)
    rows = {tuple(row): k for k, row in enumerate(games.tolist())}
    own = [rows[canonical(digits)] for digits in AUTHORS.values()]
    lists = (-rm[0], -rmm[0], apart)
    chosen = {int(k) for numbers in lists for k in np.argsort(numbers, kind="stable")[: size.worst]}
    return sorted(chosen | set(own))
