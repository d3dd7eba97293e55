"""Work in pieces on many workers, simulated event by event: when it stops scaling, and why.

One process, the driver, gives out batches and takes results, one after the other. Each takes the driver some time, and
each byte passes its network link. Workers make pieces meanwhile. The pieces of a round wait for the last piece of the
round before. All inputs are measured numbers or stated assumptions; the simulation uses no random numbers.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

from hannan.pieces.run import BATCH_SECONDS, MOST_BATCHED


@dataclass(frozen=True)
class Load:
    """One kind of work, cut into the same rounds of the same pieces on any workers."""

    name: str
    unit: str
    """The work and its pieces, in words: `1,000,000 playthroughs in pieces of 64`."""
    seconds: tuple[float, ...]
    """The seconds that each piece of a round takes a worker."""
    rounds: int = 1
    between: float = 0.0
    """Seconds of the driver after each round."""
    merge: float = 0.0
    """Seconds that the driver takes to merge one result."""
    sent: int = 0
    """Bytes of a piece's argument."""
    returned: int = 0
    """Bytes of a result."""
    shared: int = 0
    """Bytes that every machine needs before each round."""

    @property
    def alone(self) -> float:
        """The seconds of the serial back end."""
        return self.rounds * (sum(self.seconds) + len(self.seconds) * self.merge + self.between)


@dataclass(frozen=True)
class Cluster:
    """The costs of giving out pieces and taking results."""

    dispatch: float
    """Seconds of the driver for a batch."""
    handling: float
    """Seconds of the driver for a piece: pickling, book-keeping."""
    bandwidth: float = 1.25e9
    """Bytes per second of one machine's link: 10 Gbit/s."""
    latency: float = 2e-4
    """Seconds that a message travels."""
    cores: int = 16
    """Workers of one machine."""


@dataclass(frozen=True)
class Outlook:
    """The predicted outcome with some number of workers."""

    workers: int
    seconds: float
    speedup: float
    """How many times faster than the serial back end."""
    driver: float
    """The share of the time in which the driver is busy."""
    working: float
    """The share of the time in which a worker makes pieces, on the mean."""


def simulate(load: Load, workers: int, cluster: Cluster) -> Outlook:
    """Return how long a load takes on some workers."""
    now, busy = 0.0, 0.0
    for _ in range(load.rounds):
        machines = math.ceil(workers / cluster.cores)
        now += load.shared / cluster.bandwidth * math.ceil(math.log2(machines + 1))  # machines pass it on
        now, spent = _round(load, workers, cluster, now)
        now += load.between
        busy += spent + load.between
    made = load.rounds * sum(load.seconds)
    return Outlook(workers, now, load.alone / now, min(busy / now, 1.0), made / (workers * now))


def _round(load: Load, workers: int, cluster: Cluster, begun: float) -> tuple[float, float]:
    """Return when the driver has taken the last result of a round, and for how many seconds it was busy."""
    total, given, now, busy = len(load.seconds), 0, begun, 0.0
    free = [begun] * workers
    mean = sum(load.seconds) / max(total, 1)
    events: list[tuple[float, int, int, int]] = []  # when a result arrives, its order, the worker, the pieces

    def give(worker: int) -> None:
        nonlocal now, busy, given
        count = min(_batched(mean, total - given, workers), total - given)
        cost = cluster.dispatch + count * (cluster.handling + load.sent / cluster.bandwidth)
        now, busy = now + cost, busy + cost
        free[worker] = max(free[worker], now + cluster.latency) + sum(load.seconds[given : given + count])
        given += count
        heapq.heappush(events, (free[worker] + cluster.latency, given, worker, count))

    for worker in [*range(workers)] * (2 if mean < BATCH_SECONDS else 1):
        if given < total:
            give(worker)
    while events:
        arrived, _, worker, count = heapq.heappop(events)
        cost = count * (cluster.handling + load.merge + load.returned / cluster.bandwidth)
        now, busy = max(now, arrived) + cost, busy + cost
        if given < total:
            give(worker)
    return now, busy


def _batched(seconds: float, left: int, workers: int) -> int:
    """Return how many pieces the next batch has, as `run_pieces` does."""
    size = min(int(BATCH_SECONDS / max(seconds, 1e-9)), MOST_BATCHED, left // (2 * workers))
    return max(size, 1)


def reason(load: Load, outlook: Outlook) -> str:
    """Return what keeps a load from scaling further, in words."""
    pieces = len(load.seconds)
    if outlook.working > 0.8:
        return "nothing yet"
    if outlook.driver > 0.8:
        own = pieces * load.merge + load.between > 0.5 * _round_seconds(load, outlook)
        return "what the driver does alone" if own else "the driver gives out pieces and moves bytes"
    if pieces < outlook.workers:
        return f"only {pieces:,} pieces at a time"
    longest = max(load.seconds)
    if longest > 0.5 * _round_seconds(load, outlook):
        return "the longest piece"
    return "workers wait at the end of each round" if load.rounds > 1 else "workers wait at the end"


def _round_seconds(load: Load, outlook: Outlook) -> float:
    return outlook.seconds / load.rounds
