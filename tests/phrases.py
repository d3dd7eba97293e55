"""Phrases that may not come back, and in how many places each still stands.

    python -m tests.phrases            # how often each phrase stands today
    python -m tests.phrases "so many"  # and where

Lower an allowance when you have rewritten sentences. The aim is 0 everywhere.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

ALLOWED = {
    "so many": 27,
    "nobody": 69,
    "somebody": 33,
    "anybody": 8,
    "whoever": 18,
    "where not given": 1,
    "of these,": 3,
    "that there is not": 2,
    "what somebody says": 0,
    "the same again": 0,
    "is no": 179,
    "beside": 202,
}
"""How many times a phrase may stand in the pages and in the source, comments and messages included."""


def pages() -> list[Path]:
    """Return the files that people read as text, but for pages that are made from the source."""
    made = {ROOT / "docs" / "reference" / name for name in ("names.md", "options.md")}
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md"]
    folders = ("api", "commands")
    found += [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name not in folders and path not in made]
    found += [*(ROOT / "docs" / "tutorials").glob("*.ipynb")]
    return sorted(found)


def sources() -> list[Path]:
    """Return the files of the package."""
    return sorted((ROOT / "src").rglob("*.py"))


def found(phrase: str) -> Iterator[tuple[Path, int, str]]:
    """Yield the places of a phrase: file, number of the line, the line. A phrase may go on in the next line."""
    pattern = re.compile(r"\b" + r"[\s#\"]+".join(map(re.escape, phrase.split())) + r"(?!\w)", re.IGNORECASE)
    for path in [*pages(), ROOT / "CHANGELOG.md", *sources()]:
        text = path.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield path, line, text.splitlines()[line - 1].strip()


if __name__ == "__main__":
    if sys.argv[1:]:
        for path, line, said in found(sys.argv[1]):
            print(f"{path.relative_to(ROOT)}:{line}: {said}")
    else:
        for phrase, most in ALLOWED.items():
            print(f"{phrase!r}: {sum(1 for _ in found(phrase))}, allowed {most}")
