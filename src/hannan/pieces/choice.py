"""Create the workers that the options `--on` and `--workers` select."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hannan.arguments import text, whole
from hannan.errors import ParameterError, SizeError
from hannan.memory import available, readable
from hannan.pieces.serial import SerialWorkers
from hannan.pieces.workers import CLIENT, Workers

BACKENDS = ("serial", "processes", "ray")
MOST_WORKERS = 1 << 16


def check_on(on: Any) -> str:
    """Return the name of a back end; refuse an unknown name."""
    name = text("on", on)
    if name in BACKENDS or (name.startswith(CLIENT) and len(name) > len(CLIENT)):
        return name
    raise ParameterError(f"on is {name!r}; it should be serial, processes, ray or ray://HOST:PORT")


def workers_of(
    on: str = "serial",
    workers: int | None = None,
    *,
    code: Sequence[str | Path] = (),
    memory: int | None = None,
) -> Workers:
    """Start workers.

    Parameters
    ----------
    on
        `serial` makes every piece in this process. `processes` starts processes on this machine. `ray` joins the
        cluster that the variable RAY_ADDRESS names (`auto`: that of this machine), or else starts a local Ray.
        `ray://HOST:PORT` joins a cluster from outside.
    workers
        The number of workers. Default: one per core of this machine, or of the cluster.
    code
        Folders with the user's Python files, in which workers look for modules. Ray sends the first to every node.
    memory
        Bytes that one worker needs. If the workers do not fit into memory, they are refused; Ray places them by it.
    """
    name = check_on(on)
    number = None if workers is None else whole("workers", workers, most=MOST_WORKERS)
    folders = tuple(dict.fromkeys(str(Path(folder).resolve()) for folder in code))
    if name == "serial":
        return SerialWorkers()
    if name == "processes":
        from hannan.pieces.processes import ProcessWorkers

        number = number or cores()
        if memory is not None and number * memory > available():
            raise SizeError(
                f"{number} workers with {readable(memory)} each need {readable(number * memory)}, but only "
                f"{readable(available())} are free: ask for fewer workers"
            )
        return ProcessWorkers(number, folders)
    from hannan.pieces.ray import RayWorkers

    return RayWorkers(name, number, folders, memory)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
