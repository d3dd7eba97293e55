"""Long work in pieces: on all cores, kept in a file as it is made, with the time left.

Every piece has its own random numbers, so that the results are the same on one core or many, in one go or several.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

from hannan.arrays import Floats
from hannan.errors import FileError
from hannan.files import read_arrays, write_arrays
from hannan.runs.matching import game_streams
from hannan.runs.watching import duration

Say = Callable[[str], None]

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


def gathered(
    pieces: Sequence[Piece],
    path: Path,
    settings: str,
    say: Say | None = None,
    threads: int | None = None,
    partial: bool = False,
) -> Mapping[str, Floats]:
    """Return the numbers of every piece by name; make those that the file does not have.

    The kernels let other threads run, so pieces are made on as many threads as there are cores. A file that was made
    with other settings is refused. Ctrl-C, or an error, leaves the file with all that was made; with `partial`, Ctrl-C
    returns that.
    """
    kept = _kept(path, settings)
    missing = [piece for piece in pieces if piece.name not in kept]
    if not missing:
        return kept
    whole, done = sum(piece.size for piece in missing), 0.0
    begun: float | None = None
    saved = told = time.monotonic()
    unsaved = False
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    running: dict[Future[Floats], Piece] = {}
    try:
        waiting = list(reversed(missing))
        while waiting or running:
            while waiting and len(running) < 2 * (threads or os.cpu_count() or 1):
                piece = waiting.pop()
                running[pool.submit(piece.make)] = piece
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                piece = running.pop(future)
                kept[piece.name], unsaved = future.result(), True
                if begun is None:
                    begun, whole = time.monotonic(), whole - piece.size  # the first piece compiles the kernels
                else:
                    done += piece.size
            now = time.monotonic()
            if say is not None and now - told >= TELLING and done > 0 and begun is not None:
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
        pool.shutdown(wait=True, cancel_futures=True)
        ended = {piece.name: one.result() for one, piece in running.items() if not (one.cancelled() or one.exception())}
        kept.update(ended)
        if unsaved or ended:
            _save(path, settings, kept)
    return kept


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
