"""Plays in numbered pieces, in their order: a given number, or until the caller stops."""

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
"""Returns whether to stop: 0 means no."""

Cut = tuple[int, int]
"""A piece of plays: its number, and its number of plays."""

SAME = 8
"""The number of pieces of one length; then the length doubles."""


def cuts(plays: int, size: int) -> Iterator[Cut]:
    """Cut plays into pieces of `size` plays."""
    return _cut(plays, repeat(size))


def growing_cuts(plays: int, first: int, most: int) -> Iterator[Cut]:
    """Cut plays into pieces of `first` plays. The length doubles after each `SAME` pieces, up to `most` plays.

    A few plays still make several pieces, and many plays make only as many pieces as keep workers busy. The first cuts
    do not depend on `plays`: stopping after a piece gives the numbers of a run with fewer plays.
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
    """Return the results of pieces in their order, up to the first one that `last` accepts.

    Parameters
    ----------
    function
        Makes one piece; see `run_pieces`.
    pieces
        The arguments of the pieces.
    shared
        The data that all pieces need.
    workers
        The back end that makes the pieces. Default: this process.
    stop
        Called about every tenth of a second. Once it returns true, the results until then are returned.
    least
        The least number of pieces, even if `stop` returns true.
    last
        Returns whether a result is the last one.
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
            if stop is None:  # a caller further up asked to stop
                raise
        except PieceError as error:
            raise own_error(error) from None
    return found


def own_error(error: PieceError) -> HannanError:
    """Return the error that a piece raised if it is a HannanError, else the error of the piece."""
    return error.__cause__ if isinstance(error.__cause__, HannanError) else error


def travelling(error: HannanError) -> HannanError:
    """Return an error that can be part of a result: itself, or one with the same words if it cannot be sent."""
    sent = sendable(error)
    return sent if isinstance(sent, HannanError) else HannanError(str(error))
