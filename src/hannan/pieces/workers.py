"""The interface of workers: a back end takes batches of pieces and reports events about them.

A *piece* is a pure function of its argument and of the shared data. So it does not matter which worker computes it,
when, or how often: if a worker dies, its piece is repeated with the same argument, which holds its seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

CLIENT = "ray://"
"""The prefix of the address of a cluster that is joined from outside."""

STILLBORN = 50
"""The largest number of consecutive workers that end before they are ready; after that the run ends."""

Function = Callable[[Any, Any], Any]
"""A function that computes a piece: `function(shared, argument)`, defined at the top level of a module."""


class Done(NamedTuple):
    """A finished piece."""

    number: int
    result: Any
    seconds: float


class Raised(NamedTuple):
    """A piece that has raised an error."""

    number: int
    error: BaseException


class Lost(NamedTuple):
    """Pieces without a result, because their worker died or was stopped."""

    numbers: tuple[int, ...]
    reason: str
    guilty: bool = True
    """Whether the worker was computing this piece alone, so that the piece may be the cause."""


Event = Done | Raised | Lost
Batch = Sequence[tuple[int, Any]]
"""Pieces that are sent together: their numbers and arguments."""


class Workers(ABC):
    """Workers that are ready for pieces. A `with` block ends them."""

    count: int
    """The number of pieces that are computed in parallel."""
    on: str
    """The back end: a value of `--on`."""

    @abstractmethod
    def begin(self, function: Function, shared: Any, timeout: float | None) -> None:
        """Start a run with this function and this shared data; forget all earlier pieces.

        A worker that takes longer than `timeout` seconds for one piece is stopped.
        """

    @abstractmethod
    def free(self, depth: int) -> int:
        """Return the number of batches that the workers can take now, if each may hold `depth` batches."""

    @abstractmethod
    def send(self, batch: Batch) -> None:
        """Give a batch to the worker that holds the fewest."""

    @abstractmethod
    def events(self, seconds: float) -> Sequence[Event]:
        """Return events of pieces; wait for them at most `seconds` seconds."""

    def pids(self) -> Sequence[int]:
        """Return the process ids of workers that were ready at the last check; empty for the serial back end."""
        return ()

    def close(self) -> None:  # noqa: B027  # the serial back end has nothing to end
        """End the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
