"""`python -m tests.fuzz --minutes 30`: fuzz in child processes, so that a crash or a hang is a finding too."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.subjects import SUBJECTS, Finding, subject

BLOCK = 1000
PATIENCE = 300.0
"""Seconds for one block of cases, compiling included."""


def main() -> None:
    """Fuzz for some minutes, and print what was found as cases for the corpus."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", choices=SUBJECTS, action="append")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--block", nargs=4, metavar=("SUBJECT", "FIRST", "COUNT", "FOLDER"), help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.block:
        _block(words.block[0], int(words.block[1]), int(words.block[2]), Path(words.block[3]))
        return
    began, done, found, largest = time.monotonic(), Counter[str](), 0, 0
    following = dict.fromkeys(words.only or SUBJECTS, words.first)
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - began < 60 * words.minutes:
            for name in following:
                first = following[name]
                after, findings, size = _watched(name, first, Path(folder))
                following[name], done[name] = after, done[name] + after - first
                found, largest = found + len(findings), max(largest, size)
                for finding in findings:
                    print(finding, flush=True)
    counts = ", ".join(f"{count:,} {name}" for name, count in done.items())
    print(f"{counts} in {time.monotonic() - began:.0f} s: {found} findings; at most {largest / 1024:.0f} MiB")
    sys.exit(1 if found else 0)


def _watched(name: str, first: int, folder: Path) -> tuple[int, list[str], int]:
    """Try a block of cases in a child process; return the next case, what was found, and the child's memory in KiB."""
    count = BLOCK if name in ("files", "addresses") else BLOCK // 4
    words = [sys.executable, "-m", "tests.fuzz", "--block", name, str(first), str(count), str(folder)]
    try:
        ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
        ended = "" if ran.returncode == 0 else f"the process ended with {ran.returncode}: {ran.stderr[-2000:]}"
        lines = ran.stdout.splitlines()
    except subprocess.TimeoutExpired as error:
        ended, lines = f"no end after {PATIENCE:g} s", (error.stdout or b"").decode().splitlines()
    records = [json.loads(line) for line in lines if line.startswith("{")]
    findings = [f"{name} {record['case']}: {record['found']}" for record in records if "found" in record]
    size = max((record.get("size", 0) for record in records), default=0)
    if not ended:
        return first + count, findings, size
    last = int((folder / f"{name}.case").read_text())
    return last + 1, [*findings, f"{name} {last}: {ended}"], size


def _block(name: str, first: int, count: int, folder: Path) -> None:
    attempt = subject(name, folder)
    for number in range(first, first + count):
        (folder / f"{name}.case").write_text(str(number))
        try:
            attempt(number)
        except Finding as finding:
            print(json.dumps({"case": number, "found": str(finding)}), flush=True)
    print(json.dumps({"size": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}), flush=True)


if __name__ == "__main__":
    main()
