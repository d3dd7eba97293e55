"""The options of work that splits: where its pieces are made, and by how many workers."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from hannan.arguments import Option, whole
from hannan.pieces.choice import MOST_WORKERS, check_on


def _check_workers(name: str, value: Any) -> int:
    return whole(name, value, most=MOST_WORKERS)


class SpreadOptions(TypedDict, total=False):
    """Where pieces of the work are made."""

    on: Annotated[
        str,
        Option(
            "Where pieces of the work are made: serial (this process), processes (of this machine), ray (the cluster "
            "that RAY_ADDRESS names, else a local Ray), or ray://HOST:PORT. It changes no number.",
            "serial",
            check=lambda _, value: check_on(value),
        ),
    ]
    workers: Annotated[
        int | None,
        Option(
            "How many workers make pieces at the same time. Default: one per core of the machine or cluster. It "
            "changes no number.",
            check=_check_workers,
        ),
    ]


def spread(on: Any, workers: Any) -> dict[str, Any]:
    """Check the two options of a function that declares them by itself; return them as `open_workers` takes them."""
    return {"on": check_on(on), "workers": None if workers is None else _check_workers("workers", workers)}
