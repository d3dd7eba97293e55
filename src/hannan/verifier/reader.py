"""Reading a certificate file: the safetensors format, by hand."""

from __future__ import annotations

import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hannan.errors import FileError

KINDS = {
    "F64": "<f8", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1", "U8": "<u1", "U16": "<u2", "U32": "<u4",
    "BOOL": "?",
}  # fmt: skip
FORMAT, VERSION = "hannan.certificate", 1

Arrays = dict[str, np.ndarray]


def read(path: str | PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the facts of a certificate; refuse what is none."""
    if not isinstance(path, str | PathLike):
        raise FileError(f"a certificate is given by the path of its file, not by {type(path).__name__}")
    try:
        if not Path(path).is_file():  # a device may have no end
            known = "it is a folder, a device or a pipe" if Path(path).exists() else "there is no such file"
            raise FileError(f"{path} cannot be read: {known}")
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size].decode())
        record = json.loads(header.pop("__metadata__")["hannan"])
        form, version, facts = record["format"], record["version"], dict(record["facts"])
        body = memoryview(data)[8 + size :]
        arrays = {name: _array(body, entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, MemoryError) as error:
        raise FileError(f"{path} is not a certificate of hannan, or is cut short ({error})") from error
    if form != FORMAT or version != VERSION:
        raise FileError(f"{path} holds {form!r} version {version!r}; this verifier reads {FORMAT!r} version {VERSION}")
    known = record.keys() <= {"format", "version", "facts", "digest"}
    if not known or record.get("digest", digest(arrays, record)) != digest(arrays, record):  # older files have none
        raise FileError(f"{path} was changed after it was written, or is damaged: its digest is another one")
    return arrays, facts


def _array(body: memoryview, entry: dict[str, Any]) -> np.ndarray:
    kind, shape, (begin, end) = np.dtype(KINDS[entry["dtype"]]), tuple(entry["shape"]), entry["data_offsets"]
    if not 0 <= begin <= end <= len(body) or any(side < 0 for side in shape):
        raise ValueError("an array lies outside of the file")
    return np.frombuffer(body[begin:end], kind).reshape(shape)


def digest(arrays: Arrays, facts: dict[str, Any]) -> str:
    """Return the fingerprint of all that a certificate holds: SHA-256 over its arrays by name, then its facts."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    rest = {key: fact for key, fact in facts.items() if key != "digest"}
    state.update(json.dumps(rest, sort_keys=True).encode())
    return state.hexdigest()
