"""The worst games of the SM-MCTS paper's figure 3, for each treatment of first visits.

A screen, with a third of the work of the whole figure: all games are searched a few times, those with the largest means
as often as in the paper, and the worst of these again with more runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.experiments.claims import Claim, Line, Panel, Report, Say, silent
from hannan.experiments.pieces import Piece, gathered, seeds_of
from hannan.experiments.repeated import repeated
from hannan.experiments.sm_mcts2 import PAPER
from hannan.experiments.sm_mcts3 import (
    AUTHORS,
    FIRST_VISITS,
    GAMMA,
    ITERATIONS,
    REFINED,
    SEARCHED,
    VARIANTS,
    some_games,
)
from hannan.experiments.sm_mcts3_claims import WITHIN
from hannan.experiments.stacked import canonical, kind, text_of
from hannan.pieces import Workers


class Size(NamedTuple):
    """The amount of work."""

    every: int  # one of this many games is searched
    chunk: int  # games per piece
    first: int  # searches of every game
    kept: float  # the share of games that each variant searches further
    searches: int  # searches of each of them, the first ones included
    worst: int  # games of each variant that are searched again
    again: int  # new searches of each of them


FULL = Size(1, 128, 10, 0.04, 100, 50, 1500)
QUICK = Size(1600, 64, 4, 0.2, 10, 3, 40)


class Ranked(NamedTuple):
    """A game that was searched again, with its mean shortfall and standard error by one variant."""

    digits: tuple[int, ...]
    mean: float
    error: float


def searched(part: Longs, numbers: Longs, rule: str, scheme: str, size: Size, begin: int, end: int) -> Floats:
    """Return the sums of some games' shortfalls over the searches from `begin` to `end`; seeds are the figure's.

    `numbers` are the numbers of the games in `part`, in increasing order.
    """
    first, last = int(numbers[0]), int(numbers[-1])
    seeds = seeds_of(first, last - first + 1, size.searches, SEARCHED)[numbers - first, begin:end]
    return _shortfalls(part, rule, scheme, np.ascontiguousarray(seeds)).sum(axis=1)


def searched_again(game: Longs, number: int, scheme: str, size: Size) -> Floats:
    """Return the mean shortfall of one game and its standard error from new searches, for each variant: [2, 2]."""
    seeds = seeds_of(number, 1, size.again, REFINED)
    parts = [_shortfalls(game[None], rule, scheme, seeds)[0] for rule in VARIANTS.values()]
    return np.array([(part.mean(), part.std() / np.sqrt(size.again)) for part in parts])


def _shortfalls(games: Longs, rule: str, scheme: str, seeds: Longs) -> Floats:
    """Return the shortfall of each search after a thousand iterations: [games, searches]."""
    points = np.array([ITERATIONS])
    done = repeated(kind(), games, rule, gamma=GAMMA, points=points, seeds=seeds, first_visits=scheme)
    shortfalls: Floats = done.shortfalls[:, :, 0]
    return shortfalls


class Screen:
    """The work on one scheme, stage by stage."""

    def __init__(self, scheme: str, games: Longs, size: Size, path: Path, say: Say, workers: Workers | None) -> None:
        self.scheme, self.games, self.size, self.path, self.say = scheme, games, size, path, say
        self.workers = workers
        rows = {tuple(row): k for k, row in enumerate(games.tolist())}
        self.authors = {name: rows[canonical(digits)] for name, digits in AUTHORS.items()}

    def gathered(self, pieces: list[Piece]) -> Mapping[str, Floats]:
        return gathered(pieces, self.path, str(tuple(self.size)), self.say, self.workers)

    def sums(self, stage: str, label: str, numbers: Longs, begin: int, end: int) -> Floats:
        """Return the sums of one stage for the games with these `numbers`, which are increasing."""
        parts = np.array_split(numbers, -(-len(numbers) // self.size.chunk))
        names = [f"{self.scheme}, {stage}, {label}, games {part[0]} to {part[-1]}" for part in parts]
        made = self.gathered([
            Piece(
                name,
                len(part) * (end - begin),
                partial(searched, self.games[part], part, VARIANTS[label], self.scheme, self.size, begin, end),
            )
            for name, part in zip(names, parts, strict=True)
        ])  # fmt: skip
        return np.concatenate([made[name] for name in names])

    def ranked(self) -> dict[str, list[Ranked]]:
        """Return the games that were searched again, the worst first, and the authors' two, for each variant."""
        size, every = self.size, np.arange(len(self.games))
        once = {label: self.sums("first", label, every, 0, size.first) for label in VARIANTS}
        kept = max(int(size.kept * len(every)), size.worst)
        chosen: set[int] = set(self.authors.values())
        for label, sums in once.items():
            worst = np.sort(np.argsort(-sums, kind="stable")[:kept])
            whole = sums[worst] + self.sums("on", label, worst, size.first, size.searches)
            chosen |= {int(k) for k in worst[np.argsort(-whole, kind="stable")[: size.worst]]}
        made = self.gathered([
            Piece(
                f"{self.scheme}, again, {k}",
                size.again,
                partial(searched_again, self.games[k], k, self.scheme, size),
            )
            for k in sorted(chosen)
        ])  # fmt: skip
        found = {}
        for v, label in enumerate(VARIANTS):
            numbers = {k: made[f"{self.scheme}, again, {k}"][v] for k in sorted(chosen)}
            found[label] = [
                Ranked(tuple(self.games[k].tolist()), float(numbers[k][0]), float(numbers[k][1]))
                for k in sorted(numbers, key=lambda k: -numbers[k][0])
            ]
        return found


def report(
    quick: bool = False, say: Say = silent, folder: str | PathLike[str] = ".", workers: Workers | None = None
) -> Report:
    """Screen all games in each of the three schemes; continue where an earlier run stopped."""
    size = QUICK if quick else FULL
    path = Path(folder) / f"sm_mcts3_schemes{'_quick' if quick else ''}.runs"
    games = some_games(size.every)
    found = {scheme: Screen(scheme, games, size, path, say, workers).ranked() for scheme in reversed(FIRST_VISITS)}
    claims = [_worst(found[scheme][label], scheme, label, size) for scheme in FIRST_VISITS for label in VARIANTS]
    panels = [_panel(label, {scheme: found[scheme][label] for scheme in FIRST_VISITS}) for label in VARIANTS]
    notes = (
        f"{len(games):,} games, {size.first} searches of {ITERATIONS:,} iterations of each, gamma {GAMMA}; cells "
        f"without a visit count as 0. The {size.kept:.0%} with the largest means have {size.searches} searches. The "
        f"{size.worst} worst of these for each variant, and the authors' two, have {size.again:,} new ones, which rank "
        "them.",
        *(f"{scheme}: {what}." for scheme, what in FIRST_VISITS.items()),
    )
    return Report("sm_mcts3_schemes", f"{PAPER}, figure 3: first visits", tuple(panels), tuple(claims), notes)


def _worst(ranked: list[Ranked], scheme: str, label: str, size: Size) -> Claim:
    """Compare the worst game with the authors'."""
    name = f"WC_{label}"
    theirs = next(one for one in ranked if one.digits == canonical(AUTHORS[name]))
    first = ranked[0]
    apart = (first.mean - theirs.mean) / max(float(np.hypot(first.error, theirs.error)), 1e-12)
    place = 1 + ranked.index(theirs)
    return Claim(
        f"first visits {scheme}: {name} is the worst game for {label}",
        f"the largest of 100 runs (held: of {size.again:,} new runs none is more than {WITHIN} standard errors larger)",
        f"theirs {theirs.mean:.4f} ± {theirs.error:.4f}, place {place} of {len(ranked)}; the worst {first.mean:.4f} ± "
        f"{first.error:.4f}, {apart:.1f} standard errors more: {text_of(first.digits)}",
        apart <= WITHIN,
    )


def _panel(label: str, schemes: Mapping[str, list[Ranked]]) -> Panel:
    """Return the means of the worst games in order, a line for each scheme, and the authors' game in each."""
    name, lines = f"WC_{label}", dict[str, Line]()
    for scheme, ranked in schemes.items():
        lines[scheme] = [(float(k), one.mean) for k, one in enumerate(ranked, 1)]
    for scheme, ranked in schemes.items():
        at = next(k for k, one in enumerate(ranked, 1) if one.digits == canonical(AUTHORS[name]))
        lines[f"{name}, {scheme}"] = [(float(at), ranked[at - 1].mean)]
    return Panel(f"{label}: the games searched again", "place", "shortfall after 1,000 iterations", lines)
