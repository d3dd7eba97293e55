"""Work on 10, 100 and 1,000 workers: pieces are measured here, the cluster is simulated (`simulation.py`)."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hannan.bench.rows import Figure, Row, Say, Section, alone
from hannan.bench.simulation import Cluster, Load, Outlook, reason, simulate
from hannan.certificates.algorithm61 import Resolving
from hannan.errors import HannanError
from hannan.forms.boxes import boxed
from hannan.forms.loader import load, load_expanded
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable
from hannan.pictures.figures import blank, check_target, write_figure
from hannan.pieces import run_pieces, workers_of
from hannan.runs.match_pieces import game_streams
from hannan.runs.sweep_plan import read_plan
from hannan.runs.sweep_run import Sent, make_run, write_outcome
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.strategies.profile import uniform

T = TypeVar("T")

WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
TOLD = (10, 100, 1000)

TINY = 4000
"""Empty pieces, by which the cost of a piece is measured."""

SIMULATED = 0.01
"""Seconds that a simulator takes for a playthrough: an assumption."""
PLAYED, SOLVED, ROUNDS = 64, 16_384, 60
"""Playthroughs of a piece, playthroughs between two solves, and solves of a certification."""
PATH, SMALL = 128, 64
"""Bytes of a playthrough: the numbers of its sets, actions, chance and gains; and bytes of a small argument."""
ROWS, BLOCKS = 2048, 20_000
"""Rows of two games in a piece of a match, and pieces."""
STREAMS, STEPS, TURNS = 1024, 100_000, 20
"""Streams of a sampler, iterations of each between two merges, and merges."""
SEEDS = 250
"""The seeds of each method and game of a sweep."""

SWEPT: dict[str, Any] = {
    "games": ["kuhn_poker", "leduc_poker", "goofspiel(cards=4)"],
    "methods": ["dcfr", "cfr+", "mccfr-es", "mccfr-os"],
}

NOTES = (
    "Seconds are processor seconds of one core of this machine. The link of a machine moves 1.25 GB/s, a message takes "
    "0.2 ms, and a machine has 16 workers: assumptions. Nothing fails, and workers are as fast as this core.",
)


def run(quick: bool, say: Say, picture: str | PathLike[str] | None = None) -> Section:
    """Measure pieces, and simulate workers; with `quick`, few of everything. `picture` is a file to draw them into."""
    say("scaling: the cost of a piece")
    cluster = cost(quick)
    rows: list[Row] = [
        alone("giving out a batch and taking it, driver", Figure("hannan", cluster.dispatch)),
        alone("a piece more in a batch, driver", Figure("hannan", cluster.handling)),
    ]
    notes, loads = [], []
    for name, measured in LOADS.items():
        say(f"scaling: {name}")
        work = measured(quick)
        loads.append(work)
        for workers in TOLD:
            found = simulate(work, workers, cluster)
            times = Figure("hannan", found.speedup, "times one worker")
            rows.append(alone(f"{name}, {workers:,} workers (simulated)", times, note=_told(work, found)))
        notes.append(_inputs(work))
    if picture is not None:
        draw(picture, loads, cluster)
    return Section("scaling", tuple(rows), (*NOTES, *notes))


def cost(quick: bool) -> Cluster:
    """Measure the cost of a piece for the driver: on Ray if it is installed, else on processes."""
    count = TINY // 20 if quick else TINY
    try:
        workers = workers_of("processes" if quick else "ray", 2)
    except HannanError:
        workers = workers_of("processes", 2)
    with workers:
        list(run_pieces(_nothing, range(10), workers))
        single, _ = _timed(lambda: list(run_pieces(_nothing, range(count), workers, timeout=60.0)))
        batched, _ = _timed(lambda: list(run_pieces(_nothing, range(count), workers)))
    handling = min(batched, single) / count / 2  # the piece is given out, and its result taken
    return Cluster(dispatch=max(single / count - 2 * handling, 0.0), handling=handling)


def _nothing(shared: None, number: int) -> int:
    return number


def _timed(action: Callable[..., T], *given: Any) -> tuple[float, T]:
    """Return the processor seconds that this process spends on a call, and the result of the call."""
    begun = time.process_time()
    made = action(*given)
    return time.process_time() - begun, made


def certification(quick: bool) -> Load:
    """Measure playthroughs of a simulator; after some of them the strategies are solved again."""
    box = boxed("leduc_poker").box
    playthroughs = 400 if quick else SOLVED
    Resolving(box, method="cfr", every=50, seed=2).advance(50)
    work = Resolving(box, method="cfr", every=playthroughs, seed=1)
    spent, _ = _timed(work.advance, playthroughs)
    merge = PLAYED * max(spent - work.solve_seconds, 0.0) / playthroughs
    return Load(
        "certification",
        f"{ROUNDS * SOLVED:,} playthroughs of {SIMULATED * 1e3:g} ms in pieces of {PLAYED}, solved every {SOLVED:,}",
        (PLAYED * SIMULATED + merge,) * (SOLVED // PLAYED), rounds=ROUNDS, between=work.solve_seconds, merge=merge,
        sent=SMALL, returned=PLAYED * PATH, shared=work.trunk.bytes,
    )  # fmt: skip


def matches(quick: bool) -> Load:
    """Measure rows of games between two profiles; scores are added up."""
    game = load("leduc_poker").played()
    one = playing(game, "profile", uniform(load_expanded("leduc_poker")))
    table = PlayTable(game, [one, one], np.array([[0, 1], [1, 0]]))
    rows = ROWS // 8 if quick else ROWS
    table.batch(*game_streams(0, 0, SMALL, 2, True))
    made = [_timed(table.batch, *game_streams(0, k * rows, rows, 2, True)) for k in range(8)]
    scores = np.ones((rows, 2, 2))
    return Load(
        "matches",
        f"{2 * rows * BLOCKS:,} games in pieces of {rows:,} rows of two",
        tuple(seconds for seconds, _ in made) * (BLOCKS // 8), merge=_timed(scores.sum)[0],
        sent=SMALL, returned=len(pickle.dumps(made[0][1], protocol=5)),
    )  # fmt: skip


def samplers(quick: bool) -> Load:
    """Measure streams of external sampling, whose tables are merged after some iterations."""
    solver = ExternalSampling(load_expanded("leduc_poker"), seed=1)
    solver.run(1000)
    steps = STEPS // 50 if quick else STEPS
    times = [_timed(solver.run, steps)[0] for _ in range(4)]
    state = solver.state()
    size = sum(array.nbytes for array in state.values())
    return Load(
        "samplers",
        f"{STREAMS:,} streams of external sampling, merged after every {steps:,} iterations",
        tuple(times) * (STREAMS // 4), rounds=TURNS, merge=_timed(_added, state)[0], sent=size, returned=size,
    )  # fmt: skip


def _added(state: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    return [array + array for array in state.values()]


def sweeps(quick: bool) -> Load:
    """Measure the runs of a sweep, whose times differ much; each is kept in a file."""
    plan = read_plan({**SWEPT, "limits": {"iterations": 100 if quick else STEPS // 10}}, trust=False)
    sent = Sent.of(plan, None, 60.0)
    make_run(sent, plan.runs[0])  # compiles
    made = [_timed(make_run, sent, planned) for planned in plan.runs]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        kept = [
            _timed(write_outcome, path, *one) for one in zip(plan.runs, (outcome for _, outcome in made), strict=True)
        ]
    return Load(
        "sweeps",
        f"{len(made) * SEEDS:,} runs of {len(made)} kinds",
        tuple(seconds for seconds, _ in made) * SEEDS, merge=sum(seconds for seconds, _ in kept) / len(kept),
        sent=SMALL, returned=max(len(pickle.dumps(outcome, protocol=5)) for _, outcome in made),
    )  # fmt: skip


LOADS: dict[str, Callable[[bool], Load]] = {
    "certification": certification, "matches": matches, "samplers": samplers, "sweeps": sweeps,
}  # fmt: skip


def _told(work: Load, found: Outlook) -> str:
    return f"workers busy {found.working:.0%}, driver busy {found.driver:.0%}; limit: {reason(work, found)}"


def _inputs(work: Load) -> str:
    low, middle, high = np.quantile(work.seconds, (0.0, 0.5, 1.0)) * 1e3
    return (
        f"{work.name}: {work.unit}; {len(work.seconds):,} pieces per round of {low:.3g} to {high:.3g} ms (median "
        f"{middle:.3g}), {work.rounds} rounds, {work.sent:,} bytes sent and {work.returned:,} returned per piece, "
        f"{work.shared:,} bytes to every machine per round, {work.merge * 1e6:.3g} µs to merge a result, "
        f"{work.between * 1e3:.3g} ms between rounds"
    )


def draw(path: str | PathLike[str], loads: Sequence[Load], cluster: Cluster) -> None:
    """Draw how many times faster each load is on more workers."""
    kind = check_target(path)
    figure = blank((6.5, 4.5), path)
    axes = figure.subplots()
    axes.plot(WORKERS, WORKERS, ":", color="grey", label="as many times as workers")
    for work in loads:
        axes.plot(WORKERS, [simulate(work, n, cluster).speedup for n in WORKERS], marker=".", label=work.name)
    axes.set(xscale="log", yscale="log", xlabel="workers", ylabel="times faster than one worker (simulated)")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    write_figure(path, figure, kind)
