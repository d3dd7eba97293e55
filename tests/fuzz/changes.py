"""Changes of a file, as lists that JSON can hold: drawn at random, kept in the corpus, applied."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from hannan.files import KEY, chained, digest

Change = list[Any]

WHOLE = [0, 1, -1, 2, 3, 7, 100, 2**15, 2**31 - 1, 2**31, -(2**31), 2**53, 2**62, 2**63 - 1, -(2**63)]
REAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 0.5, 2.0, 1e-300, 1e300, -1e300, 1e15]
FACTS: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**53, 2**64, 10**400, 0.5, -0.5, math.nan, math.inf, -math.inf, "", "x",
    "0", [],
    [[]], [1, 2], ["a"], {}, {"a": 1}, {"0": {}}, "cfr", "mccfr-os", "lp", "kuhn_poker", "leduc_poker", "liars_dice",
    "goofspiel", "rules", "tree", "\ud800", "r:J", [[1, 0.5, 0.25, 0.25]], [math.nan] * 4, {"updates": "never"},
]  # fmt: skip
TYPES = ["float16", "float32", "float64", "complex64", "int64", "int32", "int8", "uint8", "uint64", "bool"]


def drawn(draw: random.Random, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> list[Change]:
    """Return one to three changes of a file that holds these."""
    changes: list[Change] = []
    while not changes or draw.random() < 0.3:
        kind = draw.choices(("number", "fact", "near", "type", "shape", "lose", "drop"), (6, 4, 4, 1, 1, 1, 1))[0]
        name = draw.choice(sorted(arrays)) if arrays else ""
        size = arrays[name].size if arrays else 0
        if kind in ("number", "near") and size:
            place, real = _place(draw, size), arrays[name].dtype.kind == "f"
            if kind == "number":
                changes.append(["number", name, place, _told(draw.choice(REAL if real else WHOLE))])
            else:
                changes.append(["add", name, place, draw.choice([1, -1, 2, -3, 16, 1024])])
        elif kind in ("fact", "drop"):
            path = _path(draw, facts)
            if path:
                changes.append(["fact", path, _told(draw.choice(FACTS))] if kind == "fact" else ["drop", path])
        elif kind == "type" and arrays:
            changes.append(["type", name, draw.choice(TYPES)])
        elif kind == "shape" and size:
            changes.append(["shape", name, draw.choice([[0], [1], [-1, 1], [max(size - 1, 0)], [size + 1], []])])
        elif kind == "lose" and arrays:
            changes.append(["lose", name])
    return changes


def _place(draw: random.Random, size: int) -> int:
    """Return a place in an array; the first ones, where counters are, are likelier."""
    return draw.randrange(min(size, 12)) if draw.random() < 0.5 else draw.randrange(size)


def _path(draw: random.Random, facts: Any) -> list[Any]:
    """Return the way to something in nested facts."""
    path: list[Any] = []
    while isinstance(facts, dict | list) and len(facts) and (not path or draw.random() < 0.6):
        key = draw.choice(sorted(facts)) if isinstance(facts, dict) else draw.randrange(len(facts))
        path.append(key)
        facts = facts[key]
    return path


def _told(value: Any) -> Any:
    """Return a value as a corpus can hold it: numbers that JSON lacks by their names."""
    return {"number": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _meant(value: Any) -> Any:
    return float(value["number"]) if isinstance(value, dict) and set(value) == {"number"} else value


def opened(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the record of a file of ours, as they are."""
    with safe_open(path, framework="numpy") as file:
        record = json.loads(file.metadata()[KEY])
        return {name: file.get_tensor(name) for name in file.keys()}, record  # noqa: SIM118


def changed(path: Path, changes: list[Change], *, sealed: bool = True) -> bytes:
    """Return a file with changes; `sealed`: with a digest that fits again, as whoever knows the format can make it."""
    if changes[0][0] == "bytes":
        return _damaged(path.read_bytes(), changes[0])
    return changed_parts(*opened(path), changes, sealed=sealed)


def changed_parts(
    arrays: Mapping[str, np.ndarray], record: dict[str, Any], changes: list[Change], *, sealed: bool
) -> bytes:
    """Return a file of arrays and a record with changes; they themselves stay as they are."""
    arrays, record = dict(arrays), {**record, "facts": json.loads(json.dumps(record["facts"]))}
    for change in changes:
        if change[0] in ("fact", "drop"):
            change_fact(record["facts"], change)
        elif change[1] in arrays:
            arrays = _change_array(arrays, change)
    if sealed:
        record["digest"] = digest(arrays, record)
    return save(arrays, metadata={KEY: json.dumps(record)})


def changed_lines(path: Path, changes: list[Change], *, sealed: bool = True) -> bytes:
    """Return a log or a journal with changes; see `changed`."""
    if changes[0][0] == "bytes":
        return _damaged(path.read_bytes(), changes[0])
    record = lines_of(path)
    for change in changes:
        change_fact(record, change)
    rest = record.get("lines")
    if sealed and isinstance(rest, list) and all(isinstance(line, dict | list) for line in rest):
        return _resealed(rest)
    return json.dumps(rest).encode()


def lines_of(path: Path) -> dict[str, Any]:
    """Return the lines of a log or a journal without their digests, and once more the first of them."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("digest" if isinstance(line, dict) else -1)
    return {"lines": lines, "head": lines[0]}


def change_fact(facts: Any, change: Change) -> None:
    """Change a fact in nested ones, in place; nothing where there is no such place."""
    *way, last = change[1]
    for key in way:
        if not isinstance(facts, dict | list) or (isinstance(facts, list) and not isinstance(key, int)):
            return
        if isinstance(facts, dict) and key not in facts:
            return
        facts = facts[key] if isinstance(facts, dict) or key < len(facts) else None
    there = (isinstance(facts, list) and isinstance(last, int) and last < len(facts)) or isinstance(facts, dict)
    if there and change[0] == "fact":
        facts[last] = _meant(change[2])
    elif there and (isinstance(facts, list) or last in facts):
        del facts[last]


def _change_array(arrays: dict[str, np.ndarray], change: Change) -> dict[str, np.ndarray]:
    kind, name, *rest = change
    array = arrays[name].copy()
    if kind == "lose":
        return {other: arrays[other] for other in arrays if other != name}
    if kind == "type":
        with np.errstate(all="ignore"):
            array = array.astype(rest[0])
    elif kind == "shape":
        array = np.resize(array, [-rest[0][0] * array.size, 1] if rest[0][:1] == [-1] else rest[0])
    elif rest[0] < array.size:
        flat = array.reshape(-1)
        with np.errstate(all="ignore"):
            value = np.float64(_meant(rest[1])) if flat.dtype.kind == "f" else int(rest[1])
            old = 0 if kind == "number" else flat[rest[0]].item()
            flat[rest[0]] = old + value if flat.dtype.kind == "f" else _wrapped(int(old) + int(value), flat.dtype)
    return {**arrays, name: array}


def _wrapped(value: int, kind: np.dtype[Any]) -> Any:
    """Return a whole number as it comes out of so many bits."""
    return np.array([value % 2**64], np.uint64).astype(kind)[0]


def damage(draw: random.Random, size: int) -> Change:
    """Return a change of a file's bytes, of which some are other ones, missing, new, or all missing from there on."""
    place = draw.randrange(max(size, 1))
    lost, new = draw.choice([(size, 0), (1, 1), (0, draw.randrange(1, 9)), (draw.randrange(1, 9), 0)])
    return ["bytes", place, lost, draw.randbytes(new).hex()]


def _damaged(data: bytes, change: Change) -> bytes:
    _, place, lost, new = change
    return data[:place] + bytes.fromhex(new) + data[place + lost :]


def _resealed(lines: list[Any]) -> bytes:
    """Return the lines of a log or a journal with digests that fit, each an object or a list without one."""
    before, told = "", []
    for line in lines:
        text = json.dumps(line)
        before = chained(before, text)
        told.append(json.dumps({**line, "digest": before} if isinstance(line, dict) else [*line, before]))
    return "".join(f"{line}\n" for line in told).encode()
