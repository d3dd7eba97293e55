"""Blocks of cases in child processes: a crash, a hang, and too much memory are findings too."""

from __future__ import annotations

import json
import mmap
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz.subjects import Finding, case_of, subject

PATIENCE = 300.0
"""Seconds for one case, compiling included."""

MOST = 2 * 1024**2
"""KiB of memory that a child may take."""


@dataclass(frozen=True)
class Block:
    """What came of a block of cases."""

    after: int  # the case that follows the last one tried
    findings: list[dict[str, Any]]  # what each says, and its case
    size: int  # KiB that the child took at most


def watch(name: str, first: int, count: int, folder: Path) -> Block:
    """Try a block of cases of a subject in a child process, until one of them ends it."""
    words = [sys.executable, "-m", "tests.fuzz", "--block", name, str(first), str(count), str(folder)]
    place = folder / "case"
    place.write_bytes(first.to_bytes(8, "little"))
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        child = subprocess.Popen(words, stdout=out, stderr=err)
        ended = _wait(child, place)
        out.seek(0)
        records = [json.loads(line) for line in out if line.startswith("{")]
        err.seek(0)
        last_words = err.read()[-2000:]
    findings = [record for record in records if "found" in record]
    size = max((record.get("size", 0) for record in records), default=0)
    after = [record["after"] for record in records if "after" in record]
    if after and not ended:
        return Block(after[0], findings, size)
    last = _case(place)
    told = f"{ended or f'the process ended with {child.returncode}'}: {last_words}"
    return Block(last + 1, [*findings, {"found": told, "number": last, "case": case_of(name, last, folder)}], size)


def _wait(child: subprocess.Popen[bytes], place: Path) -> str:
    """Wait for the end of a child; end it, and say so, where it stays at one case for too long."""
    case, since = -1, time.monotonic()
    while child.poll() is None:
        try:
            child.wait(1)
        except subprocess.TimeoutExpired:
            now = _case(place)
            if now != case:
                case, since = now, time.monotonic()
            elif time.monotonic() - since > PATIENCE:
                child.kill()
                child.wait()
                return f"no end after {PATIENCE:g} s"
    return ""


def _case(place: Path) -> int:
    return int.from_bytes(place.read_bytes()[:8], "little")


def block(name: str, first: int, count: int, folder: Path) -> None:
    """Try cases in this process; print what was found, the case that follows, and how much memory it took."""
    attempt, number = subject(name, folder), first
    with (folder / "case").open("r+b") as file, mmap.mmap(file.fileno(), 8) as shown:
        for number in range(first, first + count):
            shown[:] = number.to_bytes(8, "little")
            before = _size()
            try:
                attempt(number)
            except Finding as finding:
                _print({"found": str(finding), "number": number, "case": finding.case})
            if _size() > MOST:
                told = f"the process took {_size() / 1024:.0f} MiB, and {before / 1024:.0f} MiB before this case"
                _print({"found": told, "number": number, "case": case_of(name, number, folder)})
                break
    _print({"size": _size(), "after": number + 1})


def _size() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _print(record: dict[str, Any]) -> None:
    print(json.dumps(record, default=str), flush=True)
