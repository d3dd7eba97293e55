"""Read a certificate file, in the safetensors format, without a library; refuse extra bytes and repeated keys."""

from __future__ import annotations

import hashlib
import json
import math
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
    """Return the arrays and the facts of a certificate; raise `FileError` for anything else."""
    if not isinstance(path, str | PathLike):
        raise FileError(f"a certificate is given by the path of its file, not by {type(path).__name__}")
    try:
        if not Path(path).is_file():  # a device may have no end
            known = "it is a folder, a device or a pipe" if Path(path).exists() else "the file does not exist"
            raise FileError(f"{path} cannot be read: {known}")
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    try:
        size = int.from_bytes(data[:8], "little")
        header = _parsed(data[8 : 8 + size].decode())
        metadata = header.pop("__metadata__")
        record = _parsed(metadata["hannan"])
        form, version, facts = record["format"], record["version"], dict(record["facts"])
        arrays = _arrays(memoryview(data)[8 + size :], header)
        if metadata.keys() != {"hannan"} or not record.keys() <= {"format", "version", "facts", "digest"}:
            raise ValueError("it holds more than a certificate does")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, MemoryError) as error:
        raise FileError(f"{path} is not a certificate of hannan, or is cut short ({error})") from error
    if form != FORMAT or version != VERSION:
        raise FileError(f"{path} holds {form!r} version {version!r}; this verifier reads {FORMAT!r} version {VERSION}")
    if record.get("digest", digest(arrays, record)) != digest(arrays, record):  # files before 0.1 have no digest
        raise FileError(f"{path} was changed after it was written, or is damaged: its digest does not match")
    return arrays, facts


def _parsed(text: str) -> Any:
    """Return the contents of a JSON text; refuse an object with the same key twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known = dict(pairs)
        if len(known) != len(pairs):
            raise ValueError("a key appears twice")
        return known

    return json.loads(text, object_pairs_hook=unique)


def _arrays(body: memoryview, header: dict[str, Any]) -> Arrays:
    """Return the arrays; they must fill the file from the end of the header to its last byte, without overlap."""
    arrays, place = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        if entry.keys() != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"the entry of {name:.40} has other fields than dtype, shape and data_offsets")
        kind, shape, (begin, end) = np.dtype(KINDS[entry["dtype"]]), entry["shape"], entry["data_offsets"]
        if not all(type(number) is int and number >= 0 for number in (*shape, begin, end)):
            raise ValueError(f"the shape of {name:.40} is not a list of sizes")
        if begin != place or end > len(body) or end - begin != kind.itemsize * math.prod(shape):
            raise ValueError(f"{name:.40} does not lie where the array before it ends, or has another size")
        arrays[name] = np.frombuffer(body[begin:end], kind).reshape(shape)
        place = end
    if place != len(body):
        raise ValueError("bytes follow the last array")
    return arrays


def digest(arrays: Arrays, facts: dict[str, Any]) -> str:
    """Return the fingerprint of the contents of a certificate: SHA-256 over its arrays by name, then its facts."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    rest = {key: fact for key, fact in facts.items() if key != "digest"}
    state.update(json.dumps(rest, sort_keys=True).encode())
    return state.hexdigest()
