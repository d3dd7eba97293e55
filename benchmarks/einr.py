"""One iteration of EINR beside one of CFR, and how its cost grows with the game.

    python benchmarks/einr.py [--quick]

Both methods run in this process, in turns, with simultaneous updates; times are medians, and shares of a machine that
others use too. `--quick` leaves out the two largest games.
"""

from __future__ import annotations

import math
import statistics
import sys
import time

import hannan as hn
from hannan.forms.loader import load_expanded

REPEATS = 25
PEERS = {"tic_tac_toe": 1e5, "liars_dice": 1.0, "leduc_poker": 1.0, "kuhn_poker": 1.0}
"""Game and rate."""

GROWING = ((3, 3), (3, 4), (3, 5), (3, 6), (3, 7), (5, 5))
"""Actions and stages of random games with two players in turn: 1,093 to 12,207,031 histories."""


def seconds(solver: hn.Solver, count: int) -> float:
    """Return the seconds an iteration takes, over a run of `count`."""
    begun = time.perf_counter()
    solver.run(count)
    return (time.perf_counter() - begun) / count


def interleaved(solvers: list[hn.Solver]) -> list[float]:
    """Return the median seconds an iteration of each solver, run in turns; each run takes at least 2 ms."""
    counts = []
    for solver in solvers:
        solver.prepare()
        solver.run(3)
        counts.append(max(1, math.ceil(0.002 / seconds(solver, 3))))
    times: list[list[float]] = [[] for _ in solvers]
    for _ in range(REPEATS):
        for taken, solver, count in zip(times, solvers, counts, strict=True):
            taken.append(seconds(solver, count))
    return [statistics.median(taken) for taken in times]


def main() -> None:
    quick = "--quick" in sys.argv[1:]
    heads = f"{'game':<16}{'histories':>10}{'CFR, µs':>12}{'EINR, µs':>12}{'KOMWU, µs':>12}"
    print(f"{heads}{'EINR/CFR':>10}{'KOMWU/CFR':>11}")
    for address, rate in PEERS.items():
        game = load_expanded(address)
        cfr, einr, komwu = interleaved(
            [hn.CFR(game, updates="simultaneous"), hn.methods.EINR(game, rate=rate), hn.methods.KOMWU(game, rate=rate)]
        )
        row = f"{address:<16}{game.tree.nodes:>10}{1e6 * cfr:>12.1f}{1e6 * einr:>12.1f}{1e6 * komwu:>12.1f}"
        print(f"{row}{einr / cfr:>10.2f}{komwu / cfr:>11.2f}", flush=True)
    print(f"\n{'histories':>10}{'µs':>12}{'ns a history':>14}{'growth':>9}")
    rows: list[tuple[int, float]] = []
    for branching, depth in GROWING[:-2] if quick else GROWING:
        game = load_expanded(f"random_game(depth={depth},branching={branching},moves=turns)")
        (taken,) = interleaved([hn.methods.EINR(game, rate=1.0)])
        nodes = game.tree.nodes
        rows.append((nodes, taken))
        power = f"{growth(*rows[-2:]):.2f}" if len(rows) > 1 else ""
        print(f"{nodes:>10}{1e6 * taken:>12.1f}{1e9 * taken / nodes:>14.1f}{power:>9}", flush=True)
    print(
        f"growth is the power of the number of histories from row to row (1 is linear); over all rows it is "
        f"{growth(rows[0], rows[-1]):.3f}"
    )


def growth(few: tuple[int, float], many: tuple[int, float]) -> float:
    """Return the power by which seconds grow between two (histories, seconds)."""
    return math.log(many[1] / few[1]) / math.log(many[0] / few[0])


if __name__ == "__main__":
    main()
