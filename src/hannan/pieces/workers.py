"""The seam between work and those who do it: a back end takes batches of pieces and tells what came of them.

A *piece* is a pure function of its argument and of what all pieces share. So it does not matter which worker makes it,
when, or how often: a piece whose worker died is made again from the same argument, which holds its seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

CLIENT = "ray://"
"""How the address of a cluster begins that is joined from outside."""

STILLBORN = 50
"""Workers that may end one after another before they are ready; then the run ends."""

Function = Callable[[Any, Any], Any]
"""What makes a piece: `function(shared, argument)`, at the top of a module."""


class Done(NamedTuple):
    """A piece that is made."""

    number: int
    result: Any
    seconds: float


class Raised(NamedTuple):
    """A piece that has raised an error."""

    number: int
    error: BaseException


class Lost(NamedTuple):
    """Pieces that will not come, because their worker died or was stopped."""

    numbers: tuple[int, ...]
    reason: str
    guilty: bool = True
    """Whether the piece was under way alone, so that it may have been the cause."""


Event = Done | Raised | Lost
Batch = Sequence[tuple[int, Any]]
"""Pieces that travel together: their numbers and arguments."""


class Workers(ABC):
    """Workers that are ready for pieces. A `with` block ends them."""

    count: int
    """How many pieces are made at the same time."""
    on: str
    """The back end, in the words of `--on`."""

    @abstractmethod
    def begin(self, function: Function, shared: Any, timeout: float | None) -> None:
        """Make pieces by this function from now on; forget all pieces of before.

        A worker that takes longer than `timeout` seconds for one piece is stopped.
        """

    @abstractmethod
    def free(self, depth: int) -> int:
        """Return how many batches the workers take now if each may hold `depth` of them."""

    @abstractmethod
    def send(self, batch: Batch) -> None:
        """Give a batch to the worker that holds the fewest."""

    @abstractmethod
    def events(self, seconds: float) -> Sequence[Event]:
        """Return what came of pieces; wait for it `seconds` at most."""

    def pids(self) -> Sequence[int]:
        """Return the processes of workers that were ready at the last look; none of the serial back end."""
        return ()

    def close(self) -> None:  # noqa: B027  # the serial back end has nothing to end
        """End the workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
