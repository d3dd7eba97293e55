"""Work on Ray: the speed-up by a second worker, the overhead of Ray over our own processes, and the effect of kills.

Several raylets run on this machine (`ray.cluster_utils`): a head node without cores, and two nodes with one core each.
Speeds are from the difference in seconds between more and less work, so that starting workers does not count.
"""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hannan.bench.kills import certification_with_kills
from hannan.bench.rows import Figure, Row, Say, Section, Target, alone, faster
from hannan.bench.simulators import PAUSE, PROGRAM
from hannan.forms.loader import load_expanded
from hannan.libraries import library
from hannan.pieces import Workers, run_pieces, workers_of
from hannan.pieces.packing import SHARING
from hannan.runs.certify import certify
from hannan.runs.match import match
from hannan.runs.solve import solve

WAITING, COMPUTING = 1.9, 1.7
"""How many times faster two workers should be than one: of a simulator that waits, and of work that computes."""

OVERHEAD = 1.1
"""The most time that pieces on Ray should take, relative to our own processes."""

SHORT, QUICKLY = 10_000, 500
"""Pieces of a millisecond."""
RATE = 1500.0

SHARED = 20.0
"""Megabytes that a worker may hold beyond an idle one."""

PLAYTHROUGHS, KILLS = 200_000, 100

Call = Callable[[str, int, int], float]
"""A function of the back end, the number of workers and the amount of work that returns seconds."""


def waited(shared: float, argument: int) -> int:
    """Make a piece that waits."""
    time.sleep(shared)
    return argument


def computed(shared: float, argument: int) -> int:
    """Make a piece that computes."""
    until = time.thread_time() + shared
    while time.thread_time() < until:
        pass
    return argument


def arrays_in(game: Any) -> list[memoryview]:
    """Return the arrays of a game that workers get, as bytes."""
    found: list[memoryview] = []
    token = SHARING.set(True)
    try:
        pickle.dumps(game, protocol=5, buffer_callback=lambda buffer: found.append(buffer.raw()))
    finally:
        SHARING.reset(token)
    return found


def private_bytes(shared: Any, argument: int) -> int:
    """Read all arrays of a game, if there is one; return the bytes that are private to this process."""
    for array in [] if shared is None else arrays_in(shared):
        np.frombuffer(array, np.uint8).max(initial=0)
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_"))


@contextmanager
def cluster(nodes: int) -> Iterator[Any]:
    """Start a cluster on this machine, which `on="ray"` joins inside the block."""
    library("ray")
    from ray.cluster_utils import Cluster

    size = 300 << 20
    head = {"num_cpus": 0, "object_store_memory": size, "include_dashboard": False}
    started = Cluster(initialize_head=True, head_node_args=head)
    before = os.environ.get("RAY_ADDRESS")
    try:
        for _ in range(nodes):
            started.add_node(num_cpus=1, object_store_memory=size)
        os.environ["RAY_ADDRESS"] = started.address
        yield started
    finally:
        os.environ.pop("RAY_ADDRESS", None)
        if before is not None:
            os.environ["RAY_ADDRESS"] = before
        started.shutdown()


def run(quick: bool, say: Say) -> Section:
    """Measure everything; with `quick`, little work and few kills."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, cluster(2):
        program = Path(folder) / "simulator.py"
        program.write_text(PROGRAM.format(pause=PAUSE), encoding="utf-8")
        for name, (call, amount, least) in users(f"{sys.executable} {program} wait").items():
            say(f"cluster: {name}, two workers and one")
            rows.append(speed_up(name, call, amount // 8 if quick else amount, None if quick else least))
        say("cluster: pieces of 100 ms and of 1 ms")
        rows += overhead(8 if quick else 60)
        rows += rate(QUICKLY if quick else SHORT)
        say("cluster: memory of a worker")
        rows.append(memory("battleship" if quick else "battleship(height=3)"))
        say("cluster: kills during a certification")
        rows.append(kills(*((2_000, 3) if quick else (PLAYTHROUGHS, KILLS))))
    notes = (
        "Nodes are raylets on this one machine with two cores, so workers share the cores with Ray itself and with the "
        "process that holds the work.",
    )
    return Section("cluster", tuple(rows), notes)


def users(command: str) -> dict[str, tuple[Call, int, float]]:
    """Return work of every kind: its function, its amount, and how much faster two workers should be."""

    def simulator(on: str, workers: int, playthroughs: int) -> float:
        return certify(f"command:{command}", method="mccfr", playthroughs=playthroughs, on=on, workers=workers).seconds

    def certification(on: str, workers: int, playthroughs: int) -> float:
        return certify(
            f"command:{command.removesuffix('wait')}compute", method="mccfr", playthroughs=playthroughs, on=on,
            workers=workers,
        ).seconds  # fmt: skip

    def matches(on: str, workers: int, games: int) -> float:
        player = "search(rule='rm',iterations=300)"
        return match("oshi_zumo", player, "uniform", games=games, on=on, workers=workers).seconds

    def sampling(on: str, workers: int, iterations: int) -> float:
        given = {"streams": 8, "iterations": iterations, "on": on, "workers": workers}
        return solve("liars_dice", "mccfr-es", measure_every=10 * iterations, **given).seconds

    return {
        "a simulator that waits 1 ms per step": (simulator, 2560, WAITING),
        "a certification that computes": (certification, 2560, COMPUTING),
        "a match with searches": (matches, 4000, COMPUTING),
        "external sampling": (sampling, 160_000, COMPUTING),
    }


def speed_up(name: str, call: Call, amount: int, least: float | None) -> Row:
    """Compare two workers with one by the time of the second half of the work."""
    seconds = {workers: call("ray", workers, amount) - call("ray", workers, amount // 2) for workers in (1, 2)}
    ours, peer = Figure("two workers on Ray", seconds[2]), Figure("one", seconds[1])
    return faster(name, ours, peer, least)


def _seconds(workers: Workers, function: Any, each: float, pieces: int) -> float:
    """Return the seconds that pieces take once workers are ready."""
    list(run_pieces(function, range(2 * workers.count), workers, shared=each))
    begun = time.perf_counter()
    list(run_pieces(function, range(pieces), workers, shared=each))
    return time.perf_counter() - begun


def overhead(pieces: int) -> list[Row]:
    """Compare Ray with our own processes, two workers each: pieces of 100 ms that compute, and that wait."""
    rows = []
    with workers_of("ray", 2) as ray, workers_of("processes", 2) as processes:
        for function, how in ((computed, "compute"), (waited, "wait")):
            times = [_seconds(workers, function, 0.1, pieces) for workers in (ray, processes, processes, ray)]
            ours, peer = Figure("Ray", (times[0] + times[3]) / 2), Figure("processes", (times[1] + times[2]) / 2)
            target = Target(OVERHEAD, least=False)
            rows.append(Row(f"{pieces} pieces that {how} 100 ms", ours, peer, ours.value / peer.value, target))
    return rows


def rate(pieces: int) -> list[Row]:
    """Count pieces of a millisecond per second, two workers."""
    rows = []
    for on in ("ray", "processes"):
        with workers_of(on, 2) as workers:
            for function, how in ((computed, "compute"), (waited, "wait")):
                made = pieces / _seconds(workers, function, 1e-3, pieces)
                least = RATE if on == "ray" and pieces == SHORT else None
                figure = Figure("hannan", made, "pieces/s")
                rows.append(alone(f"{pieces:,} pieces that {how} 1 ms, on {on}", figure, least=least))
    return rows


def memory(address: str) -> Row:
    """Compare the memory of a worker that has read a whole sequence form with an idle one's."""
    game = load_expanded(address)
    assert game.form.players == 2  # the sequence form exists now
    size = sum(array.nbytes for array in arrays_in(game))
    with workers_of("ray", 1) as workers:
        (_, idle), *_ = run_pieces(private_bytes, range(3), workers)
        *_, (_, held) = run_pieces(private_bytes, range(3), workers, shared=game)
    figure = Figure("hannan", (held - idle) / 1e6, "MB")
    note = f"its arrays have {size / 1e6:.0f} MB"
    return alone(f"{address}: memory of a worker above an idle one", figure, most=SHARED, note=note)


def kills(playthroughs: int, times: int) -> Row:
    """Kill workers during a certification; compare the certificate with an undisturbed one."""
    found = certification_with_kills(playthroughs, times, seed=1, on="ray")
    measure = f"{playthroughs:,} playthroughs with {found.kills} kills"
    note = f"{'the same certificate to the bit' if found.same else 'ANOTHER CERTIFICATE'}; alone {found.alone:.1f} s"
    return alone(measure, Figure("hannan", found.seconds), note=note)
