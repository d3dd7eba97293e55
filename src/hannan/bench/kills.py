"""A certification whose workers are killed at random moments gives the certificate of an undisturbed one.

The game is Kuhn poker, in which a playthrough takes far less time than a worker needs to start. A kill ends the worker
that made the last counted playthrough, up to `LATEST` seconds later: while it plays, waits, answers, or unpacks the
next strategies.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.files import counted
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.spread import Spread
from hannan.certificates.stage import Brief, Told, play
from hannan.files import digest
from hannan.forms.boxes import boxed
from hannan.pieces.choice import workers_of

GAME = "kuhn_poker"

BATCH = 256
"""Playthroughs under one profile."""

LATEST = 0.05
"""Seconds."""


@dataclass(frozen=True)
class Killed:
    """The outcome of a certification with kills."""

    same: bool
    """Whether the certificate has the same bits as that of this process without workers."""
    kills: int
    """The number of workers that were killed."""
    seconds: float
    """Seconds of the certification with kills, including the start of workers."""
    alone: float
    """Seconds of the same certification in this process."""
    digests: tuple[str, str]
    """Digests of the certificate with kills, and of the other one."""


def certification_with_kills(
    playthroughs: int, kills: int, seed: int, *, on: str = "processes", workers: int = 2
) -> Killed:
    """Certify once without workers and once on workers of this machine, which are killed at random; compare.

    Parameters
    ----------
    playthroughs
        How many playthroughs are made.
    kills
        How many workers are killed.
    seed
        Of the certification, and of the moments.
    on, workers
        Where playthroughs are made: `processes` or `ray`, and by how many workers.
    """
    begun = time.perf_counter()
    expected = _digest(_work(playthroughs, seed))
    alone = time.perf_counter() - begun
    begun = time.perf_counter()
    work = _begun(seed)
    with workers_of(on, workers) as started:
        spread = work.spread = _Watched(started, work.box)
        killer = _Killer(spread, playthroughs, kills, seed)
        work.advance(playthroughs, note=killer.note)
        killer.join()
    found = _digest(work)
    return Killed(found == expected, killer.kills, time.perf_counter() - begun, alone, (found, expected))


def _begun(seed: int) -> Regretting:
    return Regretting(boxed(GAME).box, every=10 * BATCH, seed=seed, batch=BATCH)


def _work(playthroughs: int, seed: int) -> Regretting:
    work = _begun(seed)
    work.advance(playthroughs)
    return work


def _digest(work: Regretting) -> str:
    """Return a digest of all counts, all that was learnt and all bounds."""
    sums, rounds = work.proof()
    bound = work.bound()
    facts = {
        "gap": bound.gap,
        "lower": bound.lower,
        "upper": bound.upper,
        "rounds": rounds,
        "names": work.trunk.names(),
    }
    return digest(counted(work) | work.state() | sums, facts)


def _tell(brief: Brief, given: tuple[int, bool]) -> Told:
    """Make a piece, and return which process has made it."""
    return play(brief, given)._replace(trouble=f"{socket.gethostname()} {os.getpid()}")


class _Watched(Spread):
    """Workers whose `trouble` names the worker that made the last playthrough."""

    piece = staticmethod(_tell)


class _Killer:
    """Kills workers at random moments."""

    def __init__(self, spread: Spread, playthroughs: int, kills: int, seed: int) -> None:
        self._spread, self._draws = spread, np.random.default_rng(seed)
        first = max(playthroughs // 100, 1)
        self._moments = sorted(self._draws.integers(first, playthroughs - first, kills).tolist(), reverse=True)
        self._made, self.kills = 0, 0
        self._timers: list[threading.Timer] = []

    def note(self, record: Playthrough, depth: int) -> None:
        """Note a counted playthrough; if it is time, have its worker killed."""
        self._made += 1
        if self._moments and self._made >= self._moments[-1]:
            host, pid = self._spread.trouble.split()
            if host == socket.gethostname() and int(pid) != os.getpid():
                self._moments.pop()
                timer = threading.Timer(self._draws.uniform(0.0, LATEST), self._kill, [int(pid)])
                timer.start()
                self._timers.append(timer)

    def _kill(self, pid: int) -> None:
        with suppress(ProcessLookupError):  # another kill has ended it
            os.kill(pid, signal.SIGKILL)
            self.kills += 1

    def join(self) -> None:
        """Wait for the last kill."""
        for timer in self._timers:
            timer.join()
