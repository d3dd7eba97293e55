"""One run per file: a run holds the files that it writes, and a second run that would write one of them is refused."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from hannan.errors import FileError
from hannan.files import check_writable, locked

LONGEST = 200
"""The largest size, in bytes, of a file name that the lock's name contains; a longer name is cut and gets a digest."""


@contextmanager
def held(path: str | PathLike[str] | None) -> Iterator[None]:
    """Hold a file for writing until the block ends; refuse a file that another run holds. None: hold nothing.

    A file that is renamed into place cannot carry a lock itself, so the lock is on a small file in the same folder,
    `.NAME.lock`, which is removed at the end. If a run is killed, the system drops its lock: the small file remains but
    blocks no later run, and the next run removes it. If the file system has no locks, no file is refused.
    """
    if path is None:
        yield
        return
    check_writable(path)
    place = lock_of(path)
    handle = _taken(path, place)
    try:
        yield
    finally:
        with suppress(OSError):
            place.unlink()  # while it is still ours
        os.close(handle)


def lock_of(path: str | PathLike[str]) -> Path:
    """Return the path of the small lock file of a file; links are followed."""
    target = Path(os.path.realpath(path))
    name = target.name
    if len(os.fsencode(name)) > LONGEST:
        name = f"{name[: LONGEST // 8]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return target.parent / f".{name}.lock"


def _taken(path: str | PathLike[str], place: Path) -> int:
    """Lock the small file; if its last holder removes it meanwhile, create it again."""
    while True:
        try:
            handle = os.open(place, os.O_RDONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError as error:
            raise FileError(f"{path} cannot be written: {place}: {error.strerror or error}") from error
        if locked(handle) is False:
            os.close(handle)
            raise FileError(
                f"{path} is being written by a run that is under way; wait for its end, or give another file"
            )
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)
