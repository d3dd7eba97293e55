"""Reading and writing files that hold arrays and facts: safetensors, never pickled, written atomically.

Every file has a digest of its content, so that a changed or damaged file is refused. A person who edits a file can
compute a new digest, so every reader also checks the content (`understanding`).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hannan.arguments import file_name, shown
from hannan.errors import FileError, ParameterError, SizeError

VERSION = 1

KEY = "hannan"
"""The only key of a file's metadata."""

NUMBERS = frozenset(
    np.dtype(name)
    for name in ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
)
"""The types of numbers in hannan's files."""

NONSENSE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)
"""Errors that arise from an invalid record."""


class OldFileWarning(UserWarning):
    """A file of an older version has no digest, so changes to it cannot be detected."""


def check_writable(path: str | PathLike[str], *, renamed: bool = True) -> None:
    """Refuse a file that cannot be written: its folder does not exist or takes no files, or the path is not a file.

    A file that is not written under another name and `renamed` may be a pipe or a terminal.
    """
    file_name(path)
    if "\0" in str(path):
        raise FileError(f"{shown(str(path))} cannot be written: the name of a file cannot contain a null character")
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


def check_file(path: str | PathLike[str]) -> None:
    """Refuse anything but a plain file: reading a device or a pipe may never end, or never begin."""
    file_name(path)
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{shown(str(path))} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a device or a pipe"
        raise FileError(f"{path} is {kind}, and not a file")


def is_file(path: str | PathLike[str]) -> bool:
    """Return whether a plain file of this name exists; False for a name that a file cannot have."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Return the content of a plain file."""
    check_file(path)
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {error}") from error


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write a file under a temporary name in its folder, then rename it; a reader never sees a partial file.

    A link is followed. Temporary files that killed writers of this file have left are removed.
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
            if os.name == "posix":  # while we hold the lock, which shows that the writer lives
                os.replace(temporary, target)
        if os.name != "posix":  # other systems cannot rename an open file
            os.replace(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    except BaseException:
        _remove(temporary)
        raise
    _keep_name(target.parent)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write text as UTF-8; refuse a character that UTF-8 lacks, such as half of a surrogate pair in a name."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        letter = ascii(error.object[error.start])
        raise FileError(
            f"{path} cannot be written: {letter} in a name is not a letter of UTF-8; choose another name"
        ) from None
    write_bytes(path, data)


def _followed(path: str | PathLike[str]) -> Path:
    """Return the real path of a file, with links followed."""
    file_name(path)
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise FileError(f"{shown(str(path))} cannot be written: {error}") from error


def _is_file(path: str | PathLike[str], target: Path, *, special: bool = False) -> bool:
    """Return whether this is a file or can become one; refuse a folder and, unless `special`, devices and pipes."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return True
    except (OSError, ValueError) as error:
        raise FileError(f"{shown(str(path))} cannot be written: {getattr(error, 'strerror', error)}") from error
    if stat.S_ISDIR(mode):
        raise FileError(f"{path} cannot be written: it is a folder")
    if not stat.S_ISREG(mode) and not special:
        raise FileError(f"{path} cannot be written: it is a device or a pipe, and not a file")
    return stat.S_ISREG(mode)


def _part(target: Path) -> tuple[str, str]:
    """Return the prefix and suffix of the temporary names of a file; a long name is cut to keep these names short."""
    return f".{target.name[:60]}.", ".part"


def _temporary(target: Path) -> tuple[int, str]:
    """Open a new file next to `target`, with a lock that shows that its writer lives; return its handle and name."""
    prefix, suffix = _part(target)
    while True:
        handle, name = tempfile.mkstemp(suffix, prefix, target.parent)
        locked(handle)
        if os.fstat(handle).st_nlink:  # no other process has removed it as a leftover before it was locked
            return handle, name
        os.close(handle)


def _clean(target: Path) -> None:
    """Remove temporary files of dead writers of this file."""
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
    """Lock an open file while it is open; return False if another process holds the lock, None without locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # another operating system, or a file system without locks
        return None
    return True


def _remove(temporary: str) -> None:
    if temporary:
        with suppress(OSError):
            os.unlink(temporary)


def _keep_name(folder: Path) -> None:
    """Write the new name to disk, so that it survives a crash of the machine, if the file system supports this."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_arrays(
    path: str | PathLike[str], kind: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
) -> None:
    """Write arrays with a record of facts (any JSON values), and a digest of both."""
    from safetensors.numpy import save

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    record = {"format": f"hannan.{kind}", "version": VERSION, "facts": _written(facts)}
    record["digest"] = digest(contiguous, record)
    metadata = {KEY: json.dumps(record, sort_keys=True)}  # one key, because the order of several keys is not fixed
    write_bytes(path, save(contiguous, metadata=metadata))


def _written(facts: Mapping[str, Any]) -> Any:
    """Return facts as a reader will see them; refuse values that JSON does not support."""
    try:
        return json.loads(json.dumps(facts))
    except (TypeError, ValueError, RecursionError) as error:
        raise ParameterError(f"the facts of the file cannot be written as JSON: {error}") from None


def read_arrays(path: str | PathLike[str], kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file of `write_arrays`; refuse any other file, and a file that was changed since."""
    from safetensors import SafetensorError, safe_open

    check_file(path)
    try:
        with safe_open(path, framework="numpy") as file:
            record = _record(path, kind, file.metadata() or {})  # first, since other files may hold any arrays
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a mapping
    except (SafetensorError, OSError, *NONSENSE) as error:
        raise FileError(f"{path} is not a hannan file, or is cut short ({error})") from error
    except MemoryError:
        raise SizeError(f"there is not enough memory to read {path}") from None
    for name, array in arrays.items():
        if array.dtype not in NUMBERS:
            raise FileError(f"{path} holds {name} as {array.dtype.name}, a type of number that no file of ours has")
    if not record.keys() <= {"format", "version", "facts", "digest"}:
        raise FileError(f"{path} {CHANGED}")
    if "digest" not in record:
        say_unsealed(path)
    elif record["digest"] != digest(arrays, record):
        raise FileError(f"{path} {CHANGED}")
    return arrays, record["facts"]


CHANGED = "was changed after it was written, or is damaged: its digest does not fit; use an intact copy"


said: set[str] = set()
"""The files of older versions for which `say_unsealed` has warned."""


def say_unsealed(path: str | PathLike[str]) -> None:
    """Warn, once for each file, that it has no digest."""
    if str(path) not in said:
        said.add(str(path))
        told = f"{path} is of an older version, without a digest: changes to it cannot be detected"
        warnings.warn(told, OldFileWarning, stacklevel=3)


def digest(arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> str:
    """Return the digest of a file's content: SHA-256 over its arrays by name, then its facts without `digest`."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    state.update(json.dumps({key: fact for key, fact in facts.items() if key != "digest"}, sort_keys=True).encode())
    return state.hexdigest()


def chained(before: str, text: str) -> str:
    """Return the digest of a line of a text file; `before` is that of the line before, empty for the first line."""
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:16]


@contextmanager
def understanding(path: str | PathLike[str], what: str) -> Iterator[None]:
    """Refuse a file with a message if the code inside the block finds its record invalid."""
    try:
        yield
    except NONSENSE as error:
        told = f"{type(error).__name__}: {error}" if isinstance(error, LookupError) else str(error)
        raise FileError(f"{path} is not {what} ({told[:200]})") from error
    except MemoryError:
        raise SizeError(f"there is not enough memory for what {path} holds") from None


def kind_of(path: str | PathLike[str]) -> str | None:
    """Return the kind of a file that hannan wrote; None for any other file, which its reader will refuse."""
    found = facts_of(path)
    return None if found is None else found[0]


def facts_of(path: str | PathLike[str]) -> tuple[str, dict[str, Any]] | None:
    """Return the kind and the facts of a file that hannan wrote, unchecked and without reading arrays; else None."""
    from safetensors import SafetensorError, safe_open

    try:
        check_file(path)
        with safe_open(path, framework="numpy") as file:
            record = json.loads((file.metadata() or {})[KEY])
        facts = record.get("facts")
        return str(record["format"]).removeprefix("hannan."), facts if isinstance(facts, dict) else {}
    except (FileError, SafetensorError, OSError, *NONSENSE):
        return None


def _record(path: str | PathLike[str], kind: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    if KEY not in metadata:
        raise FileError(f"{path} is a safetensors file, but hannan did not write it")
    try:
        record = dict(json.loads(metadata[KEY]))
        form, version, record["facts"] = record["format"], record["version"], dict(record["facts"])
    except NONSENSE as error:
        raise FileError(f"{path} has no readable record of its content") from error
    if form != f"hannan.{kind}":
        raise FileError(f"{path} holds a {str(form).removeprefix('hannan.')[:40]}, not a {kind}")
    if version != VERSION:
        raise FileError(f"{path} has version {str(version)[:40]}; this hannan reads version {VERSION}")
    return record
