"""The options of work that can be split: the back end and the number of workers."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from hannan.arguments import Option, whole
from hannan.pieces.choice import MOST_WORKERS, check_on


def _check_workers(name: str, value: Any) -> int:
    return whole(name, value, most=MOST_WORKERS)


class SpreadOptions(TypedDict, total=False):
    """Options that select the workers."""

    on: Annotated[
        str,
        Option(
            "Where pieces of the work are computed: serial (this process), processes (of this machine), ray (the "
            "cluster that RAY_ADDRESS names, else a local Ray), or ray://HOST:PORT. It changes no number.",
            "serial",
            check=lambda _, value: check_on(value),
        ),
    ]
    workers: Annotated[
        int | None,
        Option(
            "The number of workers that compute pieces in parallel. Default: one per core of the machine or cluster. "
            "It changes no number.",
            check=_check_workers,
        ),
    ]


def spread(on: Any, workers: Any) -> dict[str, Any]:
    """Check the two options of a function that declares them by itself; return them for `open_workers`."""
    return {"on": check_on(on), "workers": None if workers is None else _check_workers("workers", workers)}
