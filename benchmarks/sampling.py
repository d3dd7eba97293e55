"""Samplers beside OpenSpiel's C++ solvers, on trees and directly on rules; and iterations to a NashConv.

    python benchmarks/sampling.py [--quick] [--json]

Both run in this process, in turns, so that other work on the machine slows both; times are medians over the turns, in
microseconds an iteration (an iteration updates every player). One thread.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import hannan as hn
from hannan.game import Game
from hannan.solvers.sampling import Sampling

CASES: tuple[tuple[str, str, str, type[Sampling], int], ...] = (
    # game, sampler, OpenSpiel's solver, ours, iterations a turn
    ("leduc_poker", "outcome", "OutcomeSamplingMCCFRSolver", hn.OutcomeSampling, 4000),
    ("leduc_poker", "external", "ExternalSamplingMCCFRSolver", hn.ExternalSampling, 1000),
    ("liars_dice", "outcome", "OutcomeSamplingMCCFRSolver", hn.OutcomeSampling, 4000),
    ("liars_dice", "external", "ExternalSamplingMCCFRSolver", hn.ExternalSampling, 300),
)

TARGETS: dict[str, tuple[type[Sampling], dict[str, Any]]] = {
    "outcome sampling, weighted averaging": (hn.OutcomeSampling, {"averaging": "weighted"}),
    "outcome sampling": (hn.OutcomeSampling, {}),
    "VR-MCCFR, weighted averaging": (hn.VRMCCFR, {"averaging": "weighted"}),
    "VR-MCCFR": (hn.VRMCCFR, {}),
    "VR-MCCFR, predictive": (hn.VRMCCFR, {"baseline": "predictive"}),
    "VR-MCCFR+": (hn.VRMCCFR, {"learner": "rm+", "gamma": 2.0}),
    "VR-MCCFR+, predictive": (hn.VRMCCFR, {"learner": "rm+", "gamma": 2.0, "baseline": "predictive"}),
}


def timed(work: Callable[[], None], iterations: int) -> float:
    """Return microseconds an iteration."""
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) / iterations * 1e6


def theirs_for(name: str, game: str) -> Callable[[int], None] | None:
    """Return OpenSpiel's solver as a function of a number of iterations, where it is installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    loaded = pyspiel.load_game(game)
    solver = getattr(pyspiel, name)(loaded) if "Outcome" in name else getattr(pyspiel, name)(loaded, 1)

    def run(iterations: int) -> None:
        for _ in range(iterations):
            solver.run_iteration()

    return run


def speed(game: str, sampler: str, name: str, make: Any, iterations: int, turns: int) -> dict[str, Any]:
    """Run the three side by side."""
    tree, rules = make(game, on="tree", seed=1), make(game, on="rules", seed=1)
    theirs = theirs_for(name, game)
    for solver in (tree, rules):
        solver.run(iterations)
    if theirs is not None:
        theirs(iterations // 4)
    found: dict[str, list[float]] = {"tree": [], "rules": [], "openspiel": []}
    for _ in range(turns):
        found["tree"].append(timed(lambda: tree.run(iterations), iterations))
        found["rules"].append(timed(lambda: rules.run(iterations), iterations))
        if theirs is not None:
            found["openspiel"].append(timed(lambda: theirs(iterations // 4), iterations // 4))
    middle = {key: median(times) for key, times in found.items() if times}
    row: dict[str, Any] = {"game": game, "sampler": sampler, **middle, "rules/tree": middle["tree"] / middle["rules"]}
    if theirs is not None:
        row["openspiel/tree"] = middle["openspiel"] / middle["tree"]
    return row


def reach(game: Game, make: Any, parameters: dict[str, Any], target: float, most: int) -> dict[str, Any]:
    """Return the iterations, histories and seconds to a NashConv, each the median of three seeds."""
    rows = []
    for seed in range(3):
        solver = make(game, on="tree", seed=seed, **parameters)
        solver.prepare()
        spent, gap = 0.0, float("inf")
        while gap > target and solver.iterations < most:
            before = time.perf_counter()
            solver.run(max(1000, solver.iterations // 8))
            spent += time.perf_counter() - before
            gap = hn.evaluate(game, solver.average()).nash_conv
        rows.append((solver.iterations, solver.histories, spent, gap))
    iterations, histories, seconds, gap = (median(column) for column in zip(*rows, strict=True))
    return {"iterations": iterations, "histories": histories, "seconds": seconds, "nash_conv": gap}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few turns, and a NashConv of 0.5 instead of 0.1")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns, target, most = (5, 0.5, 2_000_000) if options.quick else (25, 0.1, 40_000_000)
    speeds = [speed(*case, turns) for case in CASES]
    leduc = hn.load("leduc_poker")
    reached = {name: reach(leduc, make, parameters, target, most) for name, (make, parameters) in TARGETS.items()}
    if options.json:
        print(json.dumps({"speed": speeds, "nash_conv": target, "reached": reached}))
        return
    print("microseconds an iteration (medians)")
    for row in speeds:
        print(
            "  " + "  ".join(f"{key} {value:.2f}" if isinstance(value, float) else value for key, value in row.items())
        )
    print(f"to NashConv {target} on Leduc poker (medians of three seeds)")
    for name, row in reached.items():
        numbers = "  ".join(f"{key} {value:,.4g}" for key, value in row.items())
        print(f"  {name}: {numbers}")


if __name__ == "__main__":
    main()
