"""Long work in pieces: made by workers, stored in a file as they finish, with messages about the time left.

Every piece has its own random numbers, so the results are the same on any workers, in one run or several.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hannan.arrays import Floats
from hannan.errors import FileError, HannanError, PieceError
from hannan.experiments.claims import Say, silent
from hannan.files import read_arrays, write_arrays
from hannan.pieces import Workers, run_pieces, workers_of
from hannan.runs.match_pieces import game_streams
from hannan.runs.status_line import duration

KIND = "experiment"
SAVING = 30.0
"""Seconds between two writings of the file."""

TELLING = 10.0
"""Seconds between two lines about the time left."""


class Piece(NamedTuple):
    """A part of the work: its name, its size relative to others, and the function that makes its numbers."""

    name: str
    size: float
    make: Callable[[], Floats]
    """A `functools.partial` of a function at the top of a module, so that it can be sent to a worker."""


def gathered(
    pieces: Sequence[Piece],
    path: Path,
    settings: str,
    say: Say = silent,
    workers: Workers | None = None,
    partial: bool = False,
) -> Mapping[str, Floats]:
    """Return the numbers of every piece by name; make those that the file does not have.

    `workers` make the pieces; None: this process does. A file that was made with other settings is refused. After
    Ctrl-C or an error, the file holds all finished pieces; with `partial`, Ctrl-C returns them. Unfinished pieces are
    not waited for: the next run makes them again.
    """
    kept = _kept(path, settings)
    missing = [piece for piece in pieces if piece.name not in kept]
    if not missing:
        return kept
    whole, done = sum(piece.size for piece in missing), 0.0
    begun: float | None = None
    saved = told = time.monotonic()
    unsaved = False
    makes = [piece.make for piece in missing]
    try:
        for number, numbers in run_pieces(_made, makes, workers or workers_of("serial"), ordered=False):
            kept[missing[number].name], unsaved = numbers, True
            if begun is None:
                begun, whole = time.monotonic(), whole - missing[number].size  # the first piece compiles the kernels
            else:
                done += missing[number].size
            now = time.monotonic()
            if now - told >= TELLING and done > 0:
                told = now
                left = (now - begun) * (whole - done) / done
                say(f"{path.stem}: {done / whole:.0%} of the missing pieces are made, about {duration(left)} left")
            if now - saved >= SAVING:
                _save(path, settings, kept)
                saved, unsaved = time.monotonic(), False
    except PieceError as error:
        own = str(error).partition(": ")[2]
        raise HannanError(f"{path.stem}, {missing[error.number].name}: {own}") from error.__cause__
    except KeyboardInterrupt:
        if not partial:
            raise
    finally:
        if unsaved:
            _save(path, settings, kept)
    return kept


def _made(shared: None, make: Callable[[], Floats]) -> Floats:
    return make()


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
    """Return the seed of each search, [games, searches], for the games from `first` on."""
    return game_streams(stream, first, games, searches, duplicate=True)[1]
