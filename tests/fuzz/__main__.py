"""`python -m tests.fuzz --minutes 30`, or `--files 1000000 --processes 8`: fuzz in child processes, as many as one
likes. A crash, a hang, much memory and any error but a sentence are findings: each is printed, that of a file becomes a
line of the corpus, and the exit code is 1."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tests.fuzz.children import Block, block, watch
from tests.fuzz.files import kinds_left_out
from tests.fuzz.subjects import SUBJECTS

BLOCKS = {"files": 10_000, "addresses": 2000, "commands": 250, "rules": 1000}
"""How many cases a child tries: its start takes as long as a thousand files."""

CORPUS = Path(__file__).parent / "corpus.jsonl"


def main() -> None:
    """Fuzz for some minutes, or so many files, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long, unless it is so many files")
    parser.add_argument("--files", type=int, help="so many files, and nothing else, however long it takes")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", choices=SUBJECTS, action="append")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="where lines for findings in files go")
    parser.add_argument("--block", nargs=4, metavar=("SUBJECT", "FIRST", "COUNT", "FOLDER"), help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.block:
        block(words.block[0], int(words.block[1]), int(words.block[2]), Path(words.block[3]))
        return
    for line in kinds_left_out():
        print(line, flush=True)
    tally = Tally(words.corpus)
    blocks = _so_many(words) if words.files is not None else _for_minutes(words)
    memory = Path("/dev/shm")  # where files cost least, if there is such a place
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        folders: SimpleQueue[Path] = SimpleQueue()
        for number in range(words.processes):
            (Path(folder) / str(number)).mkdir()
            folders.put(Path(folder) / str(number))

        def work(name: str, first: int, most: int) -> None:
            place, end = folders.get(), first + most
            while first < end:
                came = watch(name, first, end - first, place)
                tally.add(name, came.after - first, came)
                first = came.after
            folders.put(place)

        with ThreadPoolExecutor(words.processes) as pool:
            waiting = [pool.submit(work, *part) for _, part in zip(range(words.processes), blocks, strict=False)]
            while waiting:
                waiting.pop(0).result()
                waiting += [pool.submit(work, *part) for _, part in zip(range(1), blocks, strict=False)]
    tally.tell()
    sys.exit(1 if tally.findings else 0)


def _so_many(words: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    """Yield blocks of files: subject, first case, how many; all alike, where there are many processes."""
    size = max(min(BLOCKS["files"], -(-words.files // words.processes)), 1)
    for first in range(words.first, words.first + words.files, size):
        yield "files", first, min(size, words.first + words.files - first)


def _for_minutes(words: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    """Yield a block of each subject in turn, until the time is over."""
    names, until = words.only or SUBJECTS, time.monotonic() + 60 * words.minutes
    following = {name: count(words.first, BLOCKS[name]) for name in names}
    for name in cycle(names):
        if time.monotonic() >= until:
            return
        yield name, next(following[name]), BLOCKS[name]


class Tally:
    """Counts cases and findings, and writes down each kind of finding once."""

    def __init__(self, corpus: Path) -> None:
        self.corpus, self.began = corpus, time.monotonic()
        self.cases, self.findings = Counter[str](), Counter[str]()
        self.size = 0

    def add(self, name: str, cases: int, came: Block) -> None:
        """Add what came of a block."""
        self.cases[name] += cases
        self.size = max(self.size, came.size)
        for finding in came.findings:
            what = f"{name} {finding['case'].get('file', '')} {finding['found']}"
            if what not in self.findings:
                print(f"{name} {finding['number']}: {finding['found']}\n{json.dumps(finding['case'])}", flush=True)
                self._write(finding["case"])
            self.findings[what] += 1

    def _write(self, case: dict[str, Any]) -> None:
        if "file" in case:
            with self.corpus.open("a") as file:
                file.write(json.dumps({**case, "ends": "either"}) + "\n")

    def tell(self) -> None:
        """Print how much was tried, how long it took, and what was found."""
        counts = ", ".join(f"{cases:,} {name}" for name, cases in self.cases.items())
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        minutes = (used.ru_utime + used.ru_stime) / 60
        print(
            f"{counts} in {time.monotonic() - self.began:.0f} s, {minutes:.1f} CPU minutes:"
            f" {self.findings.total()} findings of {len(self.findings)} kinds; a process took at most"
            f" {self.size / 1024:.0f} MiB"
        )


if __name__ == "__main__":
    main()
