"""How often intervals and bounds of matches with corrections miss the exact score.

`python -m tests.measures.coverage MATCHES WORKERS` prints a line for each kind of match: how many of the 90 % intervals
(Student) and bounds missed, the two-sided binomial p-value of the former, and the mean error of scores in standard
errors of that mean.
"""

from __future__ import annotations

import sys
from itertools import chain
from multiprocessing import get_context
from time import perf_counter

import numpy as np
from scipy import stats

import hannan as hn

CONFIDENCE = 0.9
KINDS = [  # game, games of a match, iterations of AIVAT
    ("kuhn_poker", 400, 100),
    ("kuhn_poker", 400, 0),
    ("kuhn_poker", 40, 100),
    ("kuhn_poker", 40, 0),
    ("kuhn_poker", 4000, 100),
    ("leduc_poker", 40, 100),
    ("leduc_poker", 400, 100),
]


def worth(game: hn.views.ExpandedGame, *profiles: hn.Profile) -> np.ndarray:
    """Return what each of as many profiles as seats earns a game over all rotations, exactly."""
    seats, total = game.players, np.zeros(game.players)
    for turn in range(seats):
        order = [(seat + turn) % seats for seat in range(seats)]
        seated = hn.profile(game, [profiles[one].strategies[seat] for seat, one in enumerate(order)])
        for seat, value in enumerate(hn.evaluate(game, seated).values):
            total[order[seat]] += value / seats
    return total


def errors(address: str, games: int, aivat: int, seeds: range) -> list[tuple[float, bool, bool]]:
    """Return of each match how far its score is off, and whether the interval and the bound missed."""
    game = hn.load(address).expanded()
    players = [hn.random_profile(game, seed=1), hn.uniform(game)]
    exact, found = worth(game, *players)[0], []
    for seed in seeds:
        run = hn.match(game, *players, games=games, confidence=CONFIDENCE, seed=seed, aivat=aivat)
        off = run.scores[0] - exact
        found.append((off, abs(off) > run.interval_half_widths[0], abs(off) > run.half_widths[0]))
    return found


def main(matches: int, workers: int) -> None:
    """Play so many matches of each kind."""
    with get_context("spawn").Pool(workers) as pool:
        for kind in KINDS:
            began = perf_counter()
            parts = [(*kind, range(first, min(first + 250, matches))) for first in range(0, matches, 250)]
            off, missed, false = (np.array(part) for part in zip(*chain(*pool.starmap(errors, parts)), strict=True))
            chance = stats.binomtest(int(missed.sum()), matches, 1 - CONFIDENCE).pvalue
            away = off.mean() / (off.std() / np.sqrt(matches))
            print(
                f"{kind[0]}, {kind[1]} games, aivat {kind[2]}: {missed.sum():,} of {matches:,} intervals missed "
                f"({missed.mean():.4f}, p = {chance:.3g}), {false.sum()} bounds false, mean error {away:+.2f} standard "
                f"errors, skewness {float(stats.skew(off)):+.3f}, {perf_counter() - began:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(*given, *(20_000, 2)[len(given) :])
