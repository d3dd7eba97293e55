"""Plays in numbered pieces: in their order, as many as are wanted, or until a caller has enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import count, repeat
from typing import Any

from hannan.errors import HannanError, PieceError
from hannan.interrupts import Halted, patience
from hannan.pieces.run import run_pieces
from hannan.pieces.serial import SerialWorkers
from hannan.pieces.worker import sendable
from hannan.pieces.workers import Workers

Stop = Callable[[], int]
"""Says whether to stop: 0 is no."""

Cut = tuple[int, int]
"""A piece of plays: its number, and how many plays it has."""

SAME = 8
"""How many pieces have the same length before they grow."""


def cuts(plays: int, size: int) -> Iterator[Cut]:
    """Cut plays into pieces of `size` plays."""
    return _cut(plays, repeat(size))


def growing_cuts(plays: int, first: int, most: int) -> Iterator[Cut]:
    """Cut plays into pieces of `first` plays, which are twice as long after each `SAME` pieces, up to `most` plays.

    Few plays make several pieces, and many plays no more than it takes to keep workers busy. The cuts of fewer plays
    are the first of these: whoever stops after a piece has the numbers of fewer plays.
    """
    return _cut(plays, (min(first << min(k // SAME, 40), most) for k in count()))


def _cut(plays: int, sizes: Iterator[int]) -> Iterator[Cut]:
    for number, size in enumerate(sizes):
        if plays <= 0:
            return
        yield number, min(size, plays)
        plays -= size


def taken(
    function: Callable[[Any, Any], Any],
    pieces: Iterable[Any],
    shared: Any,
    workers: Workers | None = None,
    *,
    stop: Stop | None = None,
    least: int = 1,
    last: Callable[[Any], bool] = lambda result: False,
) -> list[Any]:
    """Return what comes of pieces, in their order, up to the first after which there should be no more.

    Parameters
    ----------
    function
        Makes one piece, as for `run_pieces`.
    pieces
        Their arguments.
    shared
        What all of them need.
    workers
        Who makes them. Default: this process.
    stop
        Asked about every tenth of a second. Once it says true, the results until then are all there are.
    least
        How many pieces are made in any case.
    last
        Says whether a result is the last one.
    """
    found: list[Any] = []

    def enough() -> bool:
        return stop is not None and len(found) >= least and bool(stop())

    with nullcontext() if stop is None else patience(enough):
        made = run_pieces(function, pieces, SerialWorkers() if workers is None else workers, shared=shared)
        try:
            for _, result in made:
                found.append(result)
                if last(result):
                    break
        except Halted:
            if stop is None:  # a wish of a caller further up
                raise
        except PieceError as error:
            raise own_error(error) from None
    return found


def own_error(error: PieceError) -> HannanError:
    """Return the error that a piece has raised, if it says by itself what is wrong; else that of the piece."""
    return error.__cause__ if isinstance(error.__cause__, HannanError) else error


def travelling(error: HannanError) -> HannanError:
    """Return an error as part of a result: itself, or one with the same words if it cannot be sent."""
    sent = sendable(error)
    return sent if isinstance(sent, HannanError) else HannanError(str(error))
