"""Simulators as processes: what hannan adds to one that waits, and what a second process brings."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hannan.bench.rows import Figure, Row, Say, Target
from hannan.certificates.regretting import Regretting
from hannan.forms.boxing import boxed
from hannan.rules.process import ProcessBox

PLAYTHROUGHS, QUICKLY = 640, 64
PAUSE = 1e-3
"""Seconds that an answer takes."""

OVERHEAD = 1.1
"""The most that a run takes of what the simulator itself takes."""

TWICE = 1.9
"""How much faster two processes that wait are at least."""

PROGRAM = """
import json, sys, time

def rest():
    if sys.argv[1] == "wait":
        time.sleep({pause})
    else:
        until = time.thread_time() + {pause}
        while time.thread_time() < until:
            pass

def show(**view):
    rest()
    print(json.dumps(view), flush=True)

print(json.dumps(dict(hannan=1, players=2, name="bets", bounds=[[-1, 1], [-1, 1]])), flush=True)
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


def run(quick: bool, say: Say) -> list[Row]:
    """Certify a small game whose every answer takes a millisecond, by waiting and by computing."""
    playthroughs, rows = QUICKLY if quick else PLAYTHROUGHS, []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "simulator.py"
        program.write_text(PROGRAM.format(pause=PAUSE), encoding="utf-8")
        for how in ("wait", "compute"):
            say(f"certify: simulators that {how}")
            command = f"{sys.executable} {program} {how}"
            one, two = (_timed(command, processes, playthroughs) for processes in (1, 2))
            if how == "wait":
                limit, alone = None if quick else Target(OVERHEAD, least=False), _alone(command, playthroughs)
                figure, peer = Figure("hannan", one / playthroughs), Figure("the program alone", alone / playthroughs)
                rows.append(
                    Row("a playthrough of a simulator that waits 1 ms a step", figure, peer, one / alone, limit)
                )
            goal = Target(TWICE) if how == "wait" and not quick else None
            both, single = Figure("two processes", two / playthroughs), Figure("one process", one / playthroughs)
            rows.append(Row(f"two processes that {how}, a playthrough", both, single, one / two, goal))
    return rows


def _timed(command: str, processes: int, playthroughs: int) -> float:
    """Return the seconds of a run of Cert-MCCFR."""
    box = boxed(f"command:{command}", processes=processes).box
    assert isinstance(box, ProcessBox)
    work = Regretting(box, every=playthroughs, seed=1)
    work.advance(box.batch)  # compiled, and most of the trunk is there
    begun = time.perf_counter()
    work.advance(playthroughs)
    seconds = time.perf_counter() - begun
    box.close()
    return seconds


def _alone(command: str, playthroughs: int) -> float:
    """Return the seconds that the program takes for as many playthroughs when all questions are there beforehand."""
    moves = ("[]", "[0]", "[0]", "[]", "[0]", "[0]", "[0]")
    questions = "".join(
        f'{{"reset": "{seed:016x}"}}\n' + "".join(f'{{"step": {move}}}\n' for move in moves)
        for seed in range(playthroughs)
    )
    seconds = []
    for text in ("", questions):  # starting it is not counted
        begun = time.perf_counter()
        subprocess.run(shlex.split(command), input=text.encode(), stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - begun)
    return seconds[1] - seconds[0]
