"""Long work in pieces: on all cores, kept in a file as it is made, with the time left.

Every piece has its own random numbers, so that the results are the same on one core or many, in one go or several.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from hannan.arrays import Floats
from hannan.errors import FileError
from hannan.experiments.claims import Say, silent
from hannan.files import read_arrays, write_arrays
from hannan.runs.match_work import game_streams
from hannan.runs.status_line import duration

KIND = "experiment"
SAVING = 30.0
"""Seconds between two writings of the file."""

TELLING = 10.0
"""Seconds between two lines about the time left."""


class Piece(NamedTuple):
    """A part of the work: its name, how much it is compared with others, and what makes its numbers."""

    name: str
    size: float
    make: Callable[[], Floats]


Queue = SimpleQueue[Piece | None]
"""Pieces to be made; None: there are no more."""
Made = SimpleQueue[tuple[Piece, Floats | BaseException]]
"""Pieces with their numbers, or with the error that making them ended in."""


def gathered(
    pieces: Sequence[Piece],
    path: Path,
    settings: str,
    say: Say = silent,
    threads: int | None = None,
    partial: bool = False,
) -> Mapping[str, Floats]:
    """Return the numbers of every piece by name; make those that the file does not have.

    The kernels let other threads run, so pieces are made on as many threads as there are cores. A file that was made
    with other settings is refused. Ctrl-C, or an error, leaves the file with all that was made; with `partial`, Ctrl-C
    returns that. Pieces that are under way then are not waited for: they are made again by the next run.
    """
    kept = _kept(path, settings)
    missing = [piece for piece in pieces if piece.name not in kept]
    if not missing:
        return kept
    whole, done = sum(piece.size for piece in missing), 0.0
    begun: float | None = None
    saved = told = time.monotonic()
    unsaved = False
    makers = threads or os.cpu_count() or 1
    wanted: Queue = SimpleQueue()
    made: Made = SimpleQueue()
    for _ in range(makers):  # nobody waits for them when the process ends: a piece may take long
        threading.Thread(target=_make, args=(wanted, made), daemon=True).start()
    try:
        for piece in missing:
            wanted.put(piece)
        for number in range(1, len(missing) + 1):
            piece, numbers = made.get()
            if isinstance(numbers, BaseException):
                kept |= _finished(made, running=len(missing) - number - _stop(wanted))
                unsaved = True
                raise numbers
            kept[piece.name], unsaved = numbers, True
            if begun is None:
                begun, whole = time.monotonic(), whole - piece.size  # the first piece compiles the kernels
            else:
                done += piece.size
            now = time.monotonic()
            if now - told >= TELLING and done > 0 and begun is not None:
                told = now
                left = (now - begun) * (whole - done) / done
                say(f"{path.stem}: {done / whole:.0%} of what was left, about {duration(left)} more")
            if now - saved >= SAVING:
                _save(path, settings, kept)
                saved, unsaved = time.monotonic(), False
    except KeyboardInterrupt:
        if not partial:
            raise
    finally:
        _stop(wanted)
        for _ in range(makers):
            wanted.put(None)
        if unsaved:
            _save(path, settings, kept)
    return kept


def _make(wanted: Queue, made: Made) -> None:
    """Make pieces until there are no more."""
    while (piece := wanted.get()) is not None:
        try:
            made.put((piece, piece.make()))
        except BaseException as error:
            made.put((piece, error))


def _finished(made: Made, running: int) -> dict[str, Floats]:
    """Wait for the pieces that are under way; return the numbers of those that do not fail."""
    ended = [made.get() for _ in range(running)]
    return {piece.name: numbers for piece, numbers in ended if not isinstance(numbers, BaseException)}


def _stop(wanted: Queue) -> int:
    """Take back the pieces that are not begun; return how many there were."""
    back = 0
    with suppress(Empty):
        while True:
            wanted.get_nowait()
            back += 1
    return back


def _kept(path: Path, settings: str) -> dict[str, Floats]:
    if not path.exists():
        return {}
    arrays, facts = read_arrays(path, KIND)
    if facts.get("settings") != settings:
        raise FileError(
            f"{path} was made with other settings, {facts.get('settings')} and not {settings}: move it away, or write "
            "to another folder"
        )
    return arrays


def _save(path: Path, settings: str, kept: Mapping[str, Floats]) -> None:
    write_arrays(path, KIND, kept, {"settings": settings})


def seeds_of(first: int, games: int, searches: int, stream: int = 0) -> Any:
    """Return where the random numbers of each search begin, [games, searches], for the games from `first` on."""
    return game_streams(stream, first, games, searches, duplicate=True)[1]
