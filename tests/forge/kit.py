"""Open a certificate file, change what it holds, and seal it again: the digests are no secret.

The file format is written here by hand, so that a forger may also write what the library never would: another type, a
name twice, an array that nobody asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

KINDS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
    "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
TYPES = {word: np.dtype(name) for name, word in KINDS.items()}

Arrays = dict[str, np.ndarray]

LOOSE, TIGHT = 2.0**40, 1e-12
"""A claim that says nothing, and how much more than the least a lowered claim may say, as a share."""


@dataclass
class Forged:
    """What a certificate holds, open to change."""

    arrays: Arrays
    facts: dict[str, Any]
    said: list[str] = field(default_factory=list)
    """What was changed, in words."""
    twice: list[str] = field(default_factory=list)
    """Names of arrays that the header lists twice."""

    def copy(self) -> Forged:
        """Return one that can be changed alone."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        return Forged(arrays, json.loads(json.dumps(self.facts)), list(self.said), list(self.twice))

    @property
    def correlated(self) -> bool:
        """Whether it is about correlated play."""
        return self.facts.get("gaps") is not None

    def claim(self, lower: float, upper: float) -> None:
        """Claim that the value lies between two numbers, and what goes with it; of correlated play, the gap between."""
        facts = self.facts
        facts["gap"] = upper - lower
        if facts.get("rounds") is not None:
            facts["rounds_gap"] = upper - lower
        if self.correlated:
            facts["gaps"] = [upper - lower] * len(facts["gaps"])
        else:
            facts["guarantees"] = [lower, -upper][: len(facts["guarantees"])]
            facts["value_bounds"] = [lower, upper]

    def data(self) -> bytes:
        """Return the file: the header, the arrays, and both digests made anew."""
        arrays = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
        facts = {name: fact for name, fact in self.facts.items() if name != "digest"}
        facts["digest"] = digest(arrays, facts)
        record: dict[str, Any] = {"format": "hannan.certificate", "version": 1, "facts": facts}
        record["digest"] = digest(arrays, record)
        entries, body = [("__metadata__", {"hannan": json.dumps(record, sort_keys=True)})], b""
        for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):
            array = arrays[name]
            place = [len(body), len(body) + array.nbytes]
            entry: Any = {"dtype": KINDS[array.dtype.name], "shape": list(array.shape), "data_offsets": place}
            entries += [(name, entry)] * (2 if name in self.twice else 1)
            body += array.tobytes()
        text = "{" + ",".join(f"{json.dumps(name)}:{json.dumps(entry)}" for name, entry in entries) + "}"
        header = text.encode()
        header += b" " * (-len(header) % 8)
        return len(header).to_bytes(8, "little") + header + body

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the file, sealed."""
        Path(path).write_bytes(self.data())
        return Path(path)


def opened(path: str | PathLike[str]) -> Forged:
    """Return what a certificate file holds."""
    data = Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    facts = json.loads(header.pop("__metadata__")["hannan"])["facts"]
    body, arrays = data[8 + size :], {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(body[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
    return Forged(arrays, facts)


def lowered(forged: Forged, valid: Callable[[Forged], float | None]) -> Forged | None:
    """Claim the least that a verifier accepts; None where it rejects whatever is claimed.

    `valid` returns the gap that the verifier recomputes of a file, None where it rejects it.
    """
    forged = forged.copy()
    forged.claim(-LOOSE, LOOSE)
    gap = valid(forged)
    if gap is None:
        return None
    low, high = -LOOSE, LOOSE
    while not forged.correlated and high - low > TIGHT * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        forged.claim(middle, middle + LOOSE)
        low, high = (low, middle) if valid(forged) is None else (middle, high)
    forged.claim(low, low + gap + 4 * TIGHT * max(1.0, abs(low)))
    return forged if valid(forged) is not None else None


def digest(arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> str:
    """Return SHA-256 over arrays by name, then over facts as JSON."""
    state = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        state.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    state.update(json.dumps({key: fact for key, fact in facts.items() if key != "digest"}, sort_keys=True).encode())
    return state.hexdigest()


def seed_of(master: int, t: int) -> int:
    """Return the seed of playthrough t, as docs/howto/certificates.md says."""
    return int.from_bytes(hashlib.blake2b(f"hannan:{master}:{t}".encode(), digest_size=8).digest(), "little")
