"""Transport of shared data to workers: small objects as bytes, large arrays in a file that workers map.

One copy of an array serves all workers of a machine, read-only. The file holds only numbers and is removed at the end.
"""

from __future__ import annotations

import mmap
import pickle
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from hannan.errors import FileError, ParameterError

LARGE = 1 << 14
"""The size in bytes from which an array goes into the file."""

ALIGNED = 64

SHARING: ContextVar[bool] = ContextVar("sharing", default=False)
"""Whether an object is being pickled for workers; then an expanded game includes its arrays."""


MAIN = b"\x8c\x08__main__"
"""The name of the main module in a pickle."""


class Packed(NamedTuple):
    """A packed object."""

    rest: bytes
    file: str
    """The file of the large arrays; empty if there are no large arrays."""
    places: list[tuple[int, int]]
    """For each large array: its offset in the file, and its size, in bytes."""

    def buffers(self) -> list[memoryview]:
        """Map the file; return the arrays in it as bytes."""
        if not self.file:
            return []
        with open(self.file, "rb") as opened:
            whole = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
        return [whole[begin : begin + size] for begin, size in self.places]


def unpacked(rest: bytes, buffers: Sequence[Any]) -> Any:
    """Return the packed object; its large arrays lie in the buffers."""
    return pickle.loads(rest, buffers=buffers)


class Store:
    """A temporary folder for the files of large arrays."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="hannan-"))
        self._files = 0
        self.remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def pack(self, thing: Any) -> Packed:
        """Pack an object; remove the file of the object packed before, which workers keep if they have mapped it."""
        self._files += 1
        buffers: list[memoryview] = []

        def small(buffer: pickle.PickleBuffer) -> bool:
            raw = buffer.raw()
            if raw.nbytes < LARGE:
                return True
            buffers.append(raw)
            return False

        token = SHARING.set(True)
        try:
            rest = bytes_of(thing, "what the pieces share", small)
        finally:
            SHARING.reset(token)
        path, places, begin = self._folder / f"{self._files}", [], 0
        try:
            for old in self._folder.iterdir():
                old.unlink()
            if not buffers:
                return Packed(rest, "", [])
            with path.open("wb") as file:
                for raw in buffers:
                    file.seek(begin)
                    file.write(raw)
                    places.append((begin, raw.nbytes))
                    begin += -(-raw.nbytes // ALIGNED) * ALIGNED
        except OSError as error:
            raise FileError(f"{path}: cannot be written for the workers: {error.strerror}") from error
        return Packed(rest, str(path), places)


def check_travels(name: str, thing: Any) -> None:
    """Refuse an object that cannot be sent to another process. The check does not copy large arrays."""
    bytes_of(thing, name, lambda buffer: None)


def bytes_of(thing: Any, what: str, buffer_callback: Any = None) -> bytes:
    """Return the pickle of an object; refuse an object that cannot be pickled, as `what`."""
    try:
        packed = pickle.dumps(thing, protocol=5, buffer_callback=buffer_callback)
    except Exception as error:  # pickling runs the user's code
        raise ParameterError(
            f"{what} cannot be sent to another process ({error}): define classes and functions at the top of a file "
            "that can be imported, or use on='serial'"
        ) from error
    if MAIN in packed:
        raise ParameterError(
            f"{what} cannot be sent to another process: it is defined in the script that runs. Move it to a file that "
            "can be imported, or use on='serial'"
        )
    return packed
