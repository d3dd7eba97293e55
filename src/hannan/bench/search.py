"""Simultaneous-move tree search: iterations per second and bytes per node, on one thread, in CPU seconds.

Published: the authors' Java on Goofspiel with five cards (B. Bošanský, V. Lisý, M. Lanctot, J. Čermák,
M. H. M. Winands 2016).
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from hannan.bench.child import in_child
from hannan.bench.rows import Figure, Say, Section, Target, alone, beside

STAGES = "random_game(depth=2,branching=2,seed={seed})"
GOOFSPIEL = "goofspiel(cards=5,information=open,lowest=0,ties=discard)"
GAMES = {"random games, depth 2, branching 2": STAGES, "Goofspiel-5, open, points": GOOFSPIEL}
UNIT = "iterations/s"

TARGETS = {
    ("random games, depth 2, branching 2", "rm"): 12e6,
    ("Goofspiel-5, open, points", "rm"): 0.8e6,
    ("Goofspiel-5, open, points", "exp3"): 0.4e6,
}
PUBLISHED = {
    ("Goofspiel-5, open, points", "rm"): 2.6e5,
    ("Goofspiel-5, open, points", "exp3"): 5.4e4,
    ("Goofspiel-5, open, points", "uct"): 1.9e5,
}
SAMPLE = 200
"""The number of games of figure 3 that are searched to estimate the time for all of them."""

MOST_MINUTES = 25
"""The most seconds for figure 3's whole search, on two cores."""

MOST_BYTES = 200
"""The most bytes per node of Goofspiel-5, terminal nodes included, on the mean."""


def run(quick: bool, say: Say) -> Section:
    """Measure each rule on both games; with `quick`, few iterations."""
    rows, size = [], 0.0
    for name, address in GAMES.items():
        iterations = 100_000 if quick else 5_000_000 if address == STAGES else 1_000_000
        for rule in ("rm", "rm-mean", "exp3", "uct", "oos"):
            say(f"search: {name}, {rule}")
            done = in_child(
                "search:speed", address=address, rule=rule, iterations=iterations, repeats=1 if quick else 3
            )
            target, theirs = TARGETS.get((name, rule)), PUBLISHED.get((name, rule))
            peer = None if theirs is None else Figure("published", theirs, UNIT)
            least = None if target is None else Target(target, of="ours", unit=UNIT)
            rows.append(beside(f"{name}, {rule}", Figure("hannan", done["rate"], UNIT), peer, least))
            if address == GOOFSPIEL and rule == "rm":
                size = done["bytes"]
    rows.append(alone("Goofspiel-5, bytes a node", Figure("hannan", size, "bytes"), most=MOST_BYTES))
    say("search: figure 3 of the SM-MCTS paper")
    done = in_child("search:figure3", sample=20 if quick else SAMPLE)
    minutes = Figure("hannan", done["minutes"], "minutes")
    rows.append(alone("figure 3's whole search, two cores", minutes, most=MOST_MINUTES))
    notes = (
        "CPU seconds of one thread; the tree grows from nothing and is kept",
        f"figure 3: 100 searches of 1,000 iterations of 133,407 games by two variants, from a sample of the games: "
        f"{done['seconds']:.4f} CPU s for a million iterations, half of the whole on each core",
    )
    return Section("search", tuple(rows), notes)


def speed(address: str, rule: str, iterations: int, repeats: int) -> dict[str, Any]:
    """Return the median rate of searches with different seeds, and the bytes per node of the last one."""
    from hannan.treesearch.searcher import Searcher

    rates = []
    for seed in range(repeats):
        searcher = Searcher(address.format(seed=seed), rule, seed=seed)
        searcher.prepare()
        begun = time.process_time()
        searcher.run(iterations)
        rates.append(iterations / (time.process_time() - begun))
    return {"rate": median(rates), "bytes": searcher.bytes / searcher.nodes}


def figure3(sample: int) -> dict[str, Any]:
    """Search some of the games of figure 3 by both variants; return the estimated time of all games."""
    from hannan.experiments import sm_mcts3
    from hannan.experiments.stacked import distinct

    every = distinct()
    games = every[:: len(every) // sample]
    size = sm_mcts3.FULL._replace(chunk=len(games))
    for rule in sm_mcts3.VARIANTS.values():
        sm_mcts3.searched(games[:1], 0, rule, size)  # compiles
    begun = time.process_time()
    for rule in sm_mcts3.VARIANTS.values():
        sm_mcts3.searched(games, 0, rule, size)
    seconds = time.process_time() - begun
    iterations = 2 * len(games) * size.searches * sm_mcts3.ITERATIONS
    return {"seconds": seconds / iterations * 1e6, "minutes": seconds / len(games) * len(every) / 60 / 2}
