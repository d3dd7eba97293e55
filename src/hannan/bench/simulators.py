"""Simulators as processes: the overhead of hannan on a simulator that waits, and the speed-up by a second worker.

The floor is the thinnest loop that drives the same program through the same pipes, in the same run: it writes a
prepared question, reads until the line is whole, and does not parse it. It makes as many steps, and like hannan it
waits until the program wakes up and wakes it. Blocks of playthroughs are timed in turns.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from hannan.bench.rows import Figure, Row, Say, Target, beside, faster
from hannan.bench.stopwatch import figure
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.spread import Spread
from hannan.forms.boxes import boxed
from hannan.pieces.choice import workers_of
from hannan.rules import messages
from hannan.rules.process import BATCH, ProcessBox

BLOCKS, QUICK_BLOCKS = 10, 2
"""How many times each is timed."""

QUICKLY = 8
"""Playthroughs in a block with `quick`; else as many as one profile plays."""

STEPS = 8
"""Answers in a playthrough."""

PAUSE = 1e-3
"""Seconds that an answer takes."""

OVERHEAD = 1.1
"""The most time of a run, relative to the floor."""

FLOOR = "the thinnest loop"

TWICE = 1.9
"""How many times faster two workers should be if their simulators wait."""

PROGRAM = """
import json, sys, time

def rest():
    if sys.argv[1] == "wait":
        time.sleep({pause})
    else:
        until = time.thread_time() + {pause}
        while time.thread_time() < until:
            pass

def write(line):
    sys.stdout.write(json.dumps(line) + "\\n")
    sys.stdout.flush()

def show(**view):
    rest()
    write(view)

write(dict(hannan=1, players=2, name="bets", bounds=[[-1, 1], [-1, 1]]))
for line in sys.stdin:
    request = json.loads(line)
    if "reset" in request:
        seed, moves, step = int(request["reset"], 16), [], 0
    else:
        moves += request["step"]
        step += 1
    if step in (0, 3):
        show(gains=[0, 0], draw=dict(outcome=(seed >> step) & 1, outcomes=[0, 1]))
    elif step < 7:
        show(gains=[0, 0], movers=[step % 2], actions=[[0, 1]], observations=[[step, moves]])
    else:
        gain = 1 if (sum(moves) + seed) % 2 else -1
        show(gains=[gain, -gain])
"""

Times = tuple[list[float], list[float]]
"""For each block, the wall-clock seconds and our own process's CPU seconds, per playthrough."""


class Certifying:
    """Cert-MCCFR of a program, by this process or by workers."""

    def __init__(self, command: str, on: str = "serial", workers: int | None = None) -> None:
        box = boxed(f"command:{command}").box
        assert isinstance(box, ProcessBox)
        self._box, self._work = box, Regretting(box, every=BATCH * BLOCKS, seed=1)
        self._workers = workers_of(on, workers)
        if on != "serial":
            self._work.spread = Spread(self._workers, box)

    def play(self, playthroughs: int) -> None:
        """Make a block of playthroughs."""
        self._work.advance(playthroughs)

    def close(self) -> None:
        """End the processes."""
        self._workers.close()
        self._box.close()


class Thinnest:
    """The floor."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        moves = ((), (0,), (0,), (), (0,), (0,), (0,))
        self._questions = [messages.reset(0), *(messages.step(move, ([0, 1],)[: len(move)]) for move in moves)]
        self._read()

    def play(self, playthroughs: int) -> None:
        """Make a block of playthroughs, all alike."""
        for _ in range(playthroughs):
            for question in self._questions:
                os.write(self._in, question)
                self._read()

    def _read(self) -> None:
        while not os.read(self._out, 1 << 16).endswith(b"\n"):
            pass

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def run(quick: bool, say: Say) -> list[Row]:
    """Certify a small game whose every answer takes a millisecond, by waiting and by computing."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "simulator.py"
        program.write_text(PROGRAM.format(pause=PAUSE), encoding="utf-8")
        for how in ("wait", "compute"):
            say(f"certify: simulators that {how}")
            command = f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} {how}"
            players = (
                Certifying(command), Thinnest(command), Certifying(command, "processes", 1),
                Certifying(command, "processes", 2),
            )  # fmt: skip
            (own, cpu), (floor, least), (one, _), (two, _) = _timed([player.play for player in players], quick)
            for player in players:
                player.close()
            judged = how == "wait" and not quick
            limit, goal = (Target(OVERHEAD, least=False), TWICE) if judged else (None, None)
            measure = f"a playthrough of a simulator that {how}s 1 ms a step"
            rows.append(beside(measure, figure("hannan", own), figure(FLOOR, floor), limit))
            single, both = figure("one worker", one), figure("two workers", two)
            rows.append(faster(f"two workers whose simulators {how}, a playthrough", both, single, goal))
            if how == "wait":  # all that our own process computes, counting and learning included
                step, alone = (
                    Figure(by, figure(by, times).value / STEPS) for by, times in (("hannan", cpu), (FLOOR, least))
                )
                rows.append(beside("computing for a step of it in our own process", step, alone))
    return rows


def _timed(plays: Sequence[Callable[[int], None]], quick: bool) -> list[Times]:
    """Time blocks in turns, after a first block that compiles and makes most of the trunk."""
    blocks, many = (QUICK_BLOCKS, QUICKLY) if quick else (BLOCKS, BATCH)
    times: list[Times] = [([], []) for _ in plays]
    for block in range(blocks + 1):
        for play, (wall, cpu) in zip(plays, times, strict=True):
            begun, computed = time.perf_counter(), time.process_time()
            play(many)
            if block > 0:
                wall.append((time.perf_counter() - begun) / many)
                cpu.append((time.process_time() - computed) / many)
    return times
