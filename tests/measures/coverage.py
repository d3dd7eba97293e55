"""How often intervals and bounds of matches with corrections miss the exact score: `python -m tests.measures.coverage`.

Each line is one kind of match, with many seeds: how many of the 90 % intervals (Student) and bounds missed, the
two-sided binomial p-value of the former, and the mean error of scores in standard errors of that mean.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from scipy import stats

import hannan as hn
from tests.runs.test_match import worth

CONFIDENCE = 0.9
KINDS = [  # game, games of a match, iterations of AIVAT, share of the matches
    ("kuhn_poker", 400, 100, 1.0),
    ("kuhn_poker", 400, 0, 0.25),
    ("kuhn_poker", 40, 100, 0.1),
    ("kuhn_poker", 40, 0, 0.25),
    ("kuhn_poker", 4000, 100, 0.05),
    ("leduc_poker", 400, 100, 0.05),
]


def main(matches: int) -> None:
    """Play so many matches of the first kind, and a share of them of the others."""
    for address, games, aivat, share in KINDS:
        game = hn.load(address).expanded()
        players = [hn.random_profile(game, seed=1), hn.uniform(game)]
        exact, began = worth(game, *players)[0], perf_counter()
        errors, missed, false = [], 0, 0
        for seed in range(int(matches * share)):
            run = hn.match(game, *players, games=games, confidence=CONFIDENCE, seed=seed, aivat=aivat)
            errors.append(run.scores[0] - exact)
            missed += abs(errors[-1]) > run.interval_half_widths[0]
            false += abs(errors[-1]) > run.half_widths[0]
        many = len(errors)
        chance = stats.binomtest(missed, many, 1 - CONFIDENCE).pvalue
        off = np.mean(errors) / (np.std(errors) / np.sqrt(many))
        skew = float(stats.skew(errors))
        print(
            f"{address}, {games} games, aivat {aivat}: {missed} of {many:,} intervals missed ({missed / many:.4f}, "
            f"p = {chance:.3g}), {false} bounds false, mean error {off:+.2f} standard errors, skewness {skew:+.3f}, "
            f"{perf_counter() - began:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
