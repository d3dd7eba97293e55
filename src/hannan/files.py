"""Reading and writing files that hold arrays and facts: safetensors, never pickled, written atomically."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hannan.errors import FileError

VERSION = 1

KEY = "hannan"
"""The one entry of a file's metadata."""


def check_writable(path: str | PathLike[str], *, renamed: bool = True) -> None:
    """Refuse a file that cannot be written: its folder does not exist or takes no files, or it is no file.

    A file that is not written under another name and `renamed` may be a pipe or a terminal.
    """
    target = _followed(path)
    for folder in (Path(path).parent, target.parent):
        if not folder.is_dir():
            raise FileError(f"{path} cannot be written: there is no folder {folder}")
    if not _is_file(path, target, special=not renamed):
        return
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror}") from error


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write a file under a temporary name beside it, then rename; a reader never sees half of it.

    A link is followed. What writers that were killed have left there is removed.
    """
    target = _followed(path)
    _is_file(path, target)
    temporary = ""
    try:
        _clean(target)
        handle, temporary = _temporary(target)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            _is_file(path, target)
            if os.name == "posix":  # while the lock still says that we live
                os.replace(temporary, target)
        if os.name != "posix":  # where what is open cannot be renamed
            os.replace(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    except BaseException:
        _remove(temporary)
        raise
    _keep_name(target.parent)


def _followed(path: str | PathLike[str]) -> Path:
    """Return where a file really lies, links followed."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be written: {error}") from error


def _is_file(path: str | PathLike[str], target: Path, *, special: bool = False) -> bool:
    """Return whether this is a file or can become one; refuse a folder and, unless they are `special`, other things."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return True
    except (OSError, ValueError) as error:
        raise FileError(f"{str(path)!r} cannot be written: {getattr(error, 'strerror', error)}") from error
    if stat.S_ISDIR(mode):
        raise FileError(f"{path} cannot be written: it is a folder")
    if not stat.S_ISREG(mode) and not special:
        raise FileError(f"{path} cannot be written: it is a device or a pipe, and not a file")
    return stat.S_ISREG(mode)


def _part(target: Path) -> tuple[str, str]:
    """Return how the temporary names of a file begin and end; a long name is cut, since they are longer still."""
    return f".{target.name[:60]}.", ".part"


def _temporary(target: Path) -> tuple[int, str]:
    """Open a new file beside another one, with a lock that says that its writer lives; return it and its name."""
    prefix, suffix = _part(target)
    while True:
        handle, name = tempfile.mkstemp(suffix, prefix, target.parent)
        locked(handle)
        if os.fstat(handle).st_nlink:  # nobody took it for a leftover before it was locked
            return handle, name
        os.close(handle)


def _clean(target: Path) -> None:
    """Remove the temporary files of writers of this file that do not live any more."""
    prefix, suffix = _part(target)
    for name in os.listdir(target.parent):
        if not (name.startswith(prefix) and name.endswith(suffix)):
            continue
        left = target.parent / name
        with suppress(OSError):
            handle = os.open(left, os.O_RDWR)
            try:
                if locked(handle) is True:
                    left.unlink()
            finally:
                os.close(handle)


def locked(handle: int) -> bool | None:
    """Lock an open file for as long as it is open; return False where somebody else has it, None without locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # another kind of machine, or a file system that has none
        return None
    return True


def _remove(temporary: str) -> None:
    if temporary:
        with suppress(OSError):
            os.unlink(temporary)


def _keep_name(folder: Path) -> None:
    """Let the new name survive a crash of the machine, too, where the file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_arrays(
    path: str | PathLike[str], kind: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
) -> None:
    """Write arrays with a record of facts (anything JSON can hold)."""
    from safetensors.numpy import save

    record = {"format": f"hannan.{kind}", "version": VERSION, "facts": facts}
    metadata = {KEY: json.dumps(record, sort_keys=True)}  # one key: the order of several is not fixed
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_bytes(path, save(contiguous, metadata=metadata))


def read_arrays(path: str | PathLike[str], kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read what `write_arrays` wrote; refuse anything else with a sentence."""
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise FileError(f"there is no file {path}")
    try:
        with safe_open(path, framework="numpy") as file:
            facts = _facts(path, kind, file.metadata() or {})  # before the arrays: those of others may be of any kind
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"{path} is not a hannan file, or is cut short ({error})") from error
    return arrays, facts


def kind_of(path: str | PathLike[str]) -> str | None:
    """Return the kind of a file that hannan wrote; None of any other: who reads it says what is wrong with it."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            form = json.loads((file.metadata() or {})[KEY])["format"]
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    return str(form).removeprefix("hannan.")


def _facts(path: str | PathLike[str], kind: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    if KEY not in metadata:
        raise FileError(f"{path} is a safetensors file, but hannan did not write it")
    try:
        record = json.loads(metadata[KEY])
        form, version, facts = record["format"], record["version"], dict(record["facts"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise FileError(f"{path} has no readable record of what it holds") from error
    if form != f"hannan.{kind}":
        raise FileError(f"{path} holds a {str(form).removeprefix('hannan.')}, not a {kind}")
    if version != VERSION:
        raise FileError(f"{path} has version {version}; this hannan reads version {VERSION}")
    return facts
