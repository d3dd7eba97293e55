"""`python -m tests.forge --files 100000 --first 0`: mutate so many certificates; `--honest 10000`: make honest ones.

Prints how they ended. A forgery that is accepted with a claim below the truth, and an honest file that is rejected, are
findings: each kind of change is printed once, a forgery becomes a line of the corpus, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.forge import originals
from tests.forge.search import FINDINGS, Search

CORPUS = Path(__file__).parent / "corpus.jsonl"
SHOWN = 5
"""How many findings of one kind are printed, and kept."""


def main() -> None:
    """Search, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.forge", description=__doc__)
    parser.add_argument("--files", type=int, default=0, help="how many files to mutate")
    parser.add_argument("--honest", type=int, default=0, help="how many honest files to make")
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="where lines for findings go")
    words = parser.parse_args()
    memory = Path("/dev/shm")  # where files cost least, if there is such a place
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        found = mutate(range(words.first, words.first + words.files), Path(folder), words.corpus)
        found += certify(range(words.first, words.first + words.honest), Path(folder))
    sys.exit(1 if found else 0)


def mutate(numbers: range, folder: Path, corpus: Path) -> int:
    """Mutate the files of these numbers; return how many findings there are."""
    search, ends, began = Search(folder), Counter[str](), time.process_time()
    for number in numbers:
        name, forged = search.mutated(number)
        end, why = search.judged(name, forged)
        ends[end] += 1
        if end in FINDINGS and ends[end] <= SHOWN:
            print(f"{number}: {end}: {name}, {'; '.join(forged.said)}: {why}", flush=True)
            with corpus.open("a") as file:
                file.write(json.dumps({"number": number, "found": end, **search.case(name, forged)}) + "\n")
    return _told("mutated", numbers, ends, {end: ends[end] for end in FINDINGS}, began)


def certify(numbers: range, folder: Path) -> int:
    """Make the honest files of these numbers; return how many are rejected."""
    ends, began = Counter[str](), time.process_time()
    for number in numbers:
        end, why = originals.attempt(number, folder)
        ends[end] += 1
        if end != "accepted" and ends[end] <= SHOWN:
            print(f"{number}: {end}: {why}", flush=True)
    return _told("honest", numbers, ends, {end: n for end, n in ends.items() if end != "accepted"}, began)


def _told(kind: str, numbers: range, ends: Counter[str], findings: dict[str, int], began: float) -> int:
    if numbers:
        counts = ", ".join(f"{many:,} {end}" for end, many in ends.most_common())
        seconds = time.process_time() - began
        print(f"{len(numbers):,} {kind} files in {seconds:.0f} s of CPU: {counts}; {sum(findings.values())} findings")
    return sum(findings.values())


if __name__ == "__main__":
    main()
