"""Reading and writing files that hold arrays and facts: safetensors, never pickled, written atomically."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hannan.errors import FileError

VERSION = 1

KEY = "hannan"
"""The one entry of a file's metadata."""


def check_writable(path: str | PathLike[str]) -> None:
    """Refuse a file that cannot be written: its folder does not exist or takes no files, or it is a folder itself."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"{target} cannot be written: there is no folder {target.parent}")
    if target.is_dir():
        raise FileError(f"{target} cannot be written: it is a folder")
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror}") from error


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write a file under a temporary name beside it, then rename; a reader never sees half of it."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise FileError(f"{target} cannot be written: {error.strerror}") from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
