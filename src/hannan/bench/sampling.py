"""Samplers: time per iteration next to OpenSpiel's C++ solvers, on rules and on two threads; iterations to a NashConv.

The floor of an iteration is that of the histories that it touches, and each history costs at least

- one row of the packed tree, 16 bytes: the mover, the number of moves, the first child, where the cells of the
  set begin, the gain;
- if one of n actions is drawn, the strategy of the set: 8n bytes read;
- at a set of the traverser's, the regrets, the sums of the average and the new strategy, each read and written, 48n
  bytes, and the reach that those sums have counted, 16 bytes. All of it lies in one stretch of 8(3n + 1) bytes;
- to draw: one random number (two multiplications of 64 bits, seven shifts, additions and exclusive ors), at most n − 1
  additions and comparisons;
- at a set of the traverser's: a division by the probability of the draw, n multiplications and additions for the
  regrets, as many for the sums, and for the new strategy n additions, one division, n multiplications.

Bandwidth does not bound this, because reads wait for one another: the child is known when the strategy has been read,
and where the strategy lies when the row has been read. So a history takes two reads in a row from the cache that holds
the tables (about 5 cycles each from the first level, 14 from the second), and some 10 to 15 cycles to compare and to
find the child: 20 to 45 cycles, 7 to 15 ns at 3 GHz. Learning at own sets comes on top, and so do the branches on who
moves and what was drawn, which nothing can predict. Rows named `a history` tell what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hannan.bench import peers
from hannan.bench.rows import Figure, Row, Say, Section, beside, faster
from hannan.bench.stopwatch import QUICK, Effort, Task, figure, interleaved, repeated
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load, load_expanded
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import Run
from hannan.runs.solve_work import Solving
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.solvers.sampling.sampler import Sampling
from hannan.solvers.sampling.vr_mccfr import VRMCCFR

GAMES = {"Leduc": "leduc_poker", "liar's dice-6": "liars_dice"}
SAMPLERS: dict[str, tuple[Callable[..., Sampling], str]] = {
    "outcome sampling": (OutcomeSampling, "OutcomeSamplingMCCFRSolver"),
    "external sampling": (ExternalSampling, "ExternalSamplingMCCFRSolver"),
}
"""Our sampler, and the name of OpenSpiel's."""

LARGE, LARGE_THERE = "liars_dice(dice=5)", "liars_dice(numdice=5)"
"""A game that is too large to expand: our address, and OpenSpiel's."""

LEAST, ON_RULES = 15.0, 0.3
"""How many times faster an iteration should be than OpenSpiel's; and its speed on rules, relative to the tree."""

LEARNT, QUICKLY_LEARNT = 20_000, 500
"""Iterations of each solver before the first turn; with --quick, the second number."""

TURNS = Effort(0.0, 9, 9, batch=0.3)
"""Nine turns for each solver, of at least 0.3 seconds each."""

PLAIN = "outcome sampling"
RACERS: dict[str, tuple[Callable[..., Sampling], dict[str, Any], float | None]] = {
    PLAIN: (OutcomeSampling, {}, None),
    "outcome sampling, weighted average": (OutcomeSampling, {"averaging": "weighted"}, None),
    "VR-MCCFR": (VRMCCFR, {}, 5.0),
    "VR-MCCFR+": (VRMCCFR, {"learner": "rm+", "gamma": 2.0}, 30.0),
    "VR-MCCFR+, predictive baseline": (VRMCCFR, {"learner": "rm+", "gamma": 2.0, "baseline": "predictive"}, None),
}
"""The samplers that run to the NashConv, with parameters, and how many times fewer iterations each should need than
plain outcome sampling: OpenSpiel's if it is installed, else ours."""

NASH_CONV, SEEDS = 0.1, 3
STEPS = Schedule(first=1000, spacing=1.125, step=1000)
"""The iterations at which NashConv is measured."""

MOST, MOST_THERE, QUICK_MOST = 40_000_000, 25_000_000, 200_000
"""Iterations after which a run is given up; OpenSpiel's take minutes."""

NOTES = (
    f"Both sides first do {LEARNT:,} iterations ({QUICKLY_LEARNT} with --quick), because an iteration touches fewer "
    "histories the more has been learnt; then they take turns in one process. After a turn of the other side the "
    f"caches are full of its tables, so each turn lasts {TURNS.batch:g} s or so ({QUICK.batch:g} s with --quick): in "
    "turns of a few hundredths, filling them again shows.",
    "One thread. An iteration makes one walk for every player. OpenSpiel's outcome sampling keeps a weighted average "
    "and its external sampling the simple one; ours are averaged lazily, which gives the exact sums.",
    "On rules: the game is not expanded, tables grow, and a bounded number of histories is remembered, so that the "
    "rules are not asked the same twice; the ratio is the speed as a share of that on the tree. In the large game "
    "almost every history is new, and most of the time goes into new tables.",
    f"To NashConv {NASH_CONV:g}: medians of {SEEDS} seeds with quartiles, measured at iterations that grow by an "
    "eighth. OpenSpiel's outcome sampling averages at the traverser's own sets, with own reach over the probability of "
    "the draw: histories that the other's current strategy never reaches are left out, which is biased. Ours does not, "
    "so ratios to both are given.",
)


def run(quick: bool, say: Say) -> Section:
    """Measure both samplers on both games, and race on Leduc; with `quick`, only on Kuhn."""
    rows: list[Row] = []
    for name, address in {"Kuhn": "kuhn_poker"}.items() if quick else GAMES.items():
        game = load(address).expanded()
        for sampler in SAMPLERS:
            say(f"sampling: {name}, {sampler}")
            rows += speed(name, game, sampler, quick)
            rows.append(threads(name, game, sampler, quick))
    if not quick:
        say(f"sampling: {LARGE}")
        rows += large()
    name, address = ("Kuhn", "kuhn_poker") if quick else ("Leduc", "leduc_poker")
    figures = {}
    for label in RACERS:
        say(f"sampling: {name}, {label} to NashConv {NASH_CONV:g}")
        figures[label] = reach(load_expanded(address), label, quick)
    say(f"sampling: {name}, OpenSpiel's outcome sampling to NashConv {NASH_CONV:g}")
    rows += race(name, figures, reached_there(load_expanded(address), quick))
    return Section("sampling", tuple(rows), (*NOTES, *peers.absent("OpenSpiel")))


def speed(name: str, game: ExpandedGame, sampler: str, quick: bool) -> list[Row]:
    """Time iterations on the tree, on rules and at OpenSpiel's in turns."""
    make, theirs = SAMPLERS[sampler]
    tree, rules = make(game, over="tree", seed=1), make(game, over="rules", seed=1)
    peer = _openspiel(game, theirs)
    times, histories = _timed([tree, rules], [] if peer is None else [peer], quick)
    ours, direct = figure("hannan", times[0]), figure("hannan", times[1])
    least, on_rules = (LEAST, ON_RULES) if name in GAMES else (None, None)
    rows = []
    if peer is not None:
        other = figure(peers.title("OpenSpiel"), times[2])
        rows.append(faster(f"{name}, {sampler}, an iteration", ours, other, least))
    rows.append(Row(f"{name}, {sampler}, a history", figure("hannan", [taken / histories[0] for taken in times[0]])))
    on_tree = figure("hannan on the tree", times[0])
    rows.append(faster(f"{name}, {sampler}, an iteration on rules", direct, on_tree, on_rules))
    return rows


def large() -> list[Row]:
    """Time outcome sampling on a game too large to expand. Turns are short, because tables keep growing."""
    ours, pyspiel = OutcomeSampling(LARGE, seed=1), peers.find("OpenSpiel")
    tasks: list[Task] = [ours.run]
    if pyspiel is not None:
        theirs = pyspiel.OutcomeSamplingMCCFRSolver(pyspiel.load_game(LARGE_THERE), seed=1)
        tasks.append(repeated(theirs.run_iteration))
    for task in tasks:
        task(LEARNT)
    times = interleaved(tasks, QUICK)
    other = None if pyspiel is None else figure(peers.title("OpenSpiel"), times[1])
    return [faster(f"{LARGE}, outcome sampling, an iteration on rules", figure("hannan", times[0]), other)]


def threads(name: str, game: ExpandedGame, sampler: str, quick: bool) -> Row:
    """Count the histories per second that two streams on two threads touch, compared with one stream."""
    make, _ = SAMPLERS[sampler]
    two, one = make(game, over="tree", seed=1, streams=2, threads=2), make(game, over="tree", seed=1)
    times, histories = _timed([two, one], [], quick)
    ours = figure("hannan", times[0], "histories/s", histories[0])
    alone = figure("hannan, one stream", times[1], "histories/s", histories[1])
    return beside(f"{name}, {sampler}, two streams on two threads", ours, alone)


def _timed(ours: list[Sampling], others: list[Task], quick: bool) -> tuple[list[list[float]], list[float]]:
    """Run all solvers for the same iterations, then in turns; return the times, and our histories per iteration."""
    tasks = [*(solver.run for solver in ours), *others]
    for task in tasks:
        task(QUICKLY_LEARNT if quick else LEARNT)
    before = [(solver.histories, solver.iterations) for solver in ours]
    times = interleaved(tasks, QUICK if quick else TURNS)
    counted = zip(ours, before, strict=True)
    return times, [(solver.histories - h) / (solver.iterations - t) for solver, (h, t) in counted]


def _openspiel(game: ExpandedGame, name: str) -> Task | None:
    """Return OpenSpiel's solver as a task; None if OpenSpiel is not installed or lacks the game."""
    pyspiel, theirs = peers.find("OpenSpiel"), peers.openspiel_game(game)
    return None if theirs is None else repeated(getattr(pyspiel, name)(theirs, seed=1).run_iteration)


def reach(game: ExpandedGame, label: str, quick: bool) -> Figure:
    """Return the median over seeds of the iterations until NashConv is small enough."""
    make, parameters, _ = RACERS[label]
    most, counts, short = QUICK_MOST if quick else MOST, [], 0
    for seed in range(SEEDS):
        solver = make(game, over="tree", seed=seed, **parameters)
        run = Run(Solving(solver), Limits(gap=NASH_CONV, iterations=most), schedule=STEPS)
        for _ in run.measurements():
            pass
        counts.append(solver.iterations)
        short += run.stop != "gap"
    return _figure(label, counts, short)


def reached_there(game: ExpandedGame, quick: bool) -> Figure | None:
    """Return these iterations for OpenSpiel's outcome sampling; None if it is not installed."""
    pyspiel, theirs = peers.find("OpenSpiel"), peers.openspiel_game(game)
    if pyspiel is None or theirs is None:
        return None
    counts, short = [], 0
    for seed in range(1, SEEDS + 1):
        solver = pyspiel.OutcomeSamplingMCCFRSolver(theirs, seed=seed)
        done, gap, most = 0, np.inf, QUICK_MOST if quick else MOST_THERE
        while gap > NASH_CONV and done < most:
            more = min(STEPS.after(done), most) - done
            repeated(solver.run_iteration)(more)
            done += more
            gap = pyspiel.nash_conv(theirs, solver.average_policy(), True)
        counts.append(done)
        short += gap > NASH_CONV
    return _figure(peers.title("OpenSpiel") + ", outcome sampling", counts, short)


def _figure(label: str, counts: Sequence[int], short: int) -> Figure:
    low, middle, high = (float(q) for q in np.quantile(counts, (0.25, 0.5, 0.75)))
    return Figure(label, middle, "iterations", low, high, bound=2 * short > SEEDS)


def race(name: str, figures: Mapping[str, Figure], there: Figure | None) -> list[Row]:
    """Compare every sampler with plain outcome sampling, OpenSpiel's and ours."""
    measure, rows = f"{name}, to NashConv {NASH_CONV:g}", []
    for label, ours in figures.items():
        least = RACERS[label][2] if name in GAMES else None
        if there is not None:
            rows.append(faster(f"{measure}, {label}", ours, there, least))
        if label != PLAIN:
            rows.append(faster(f"{measure}, {label}", ours, figures[PLAIN]))
    return rows
