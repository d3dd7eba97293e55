"""Phrases that may not come back, and in how many places each still stands.

    python -m tests.phrases            # how often each phrase stands today
    python -m tests.phrases "so many"  # and where

Lower an allowance when you have rewritten sentences.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent

ALLOWED = {
    "so many": 0,
    "nobody": 1,
    "somebody": 0,
    "anybody": 0,
    "whoever": 0,
    "where not given": 0,
    "of these,": 1,
    "that there is not": 0,
    "what somebody says": 0,
    "the same again": 0,
    "is no": 4,
    "beside": 10,
}
"""The number of places where a phrase may stand, in pages and in the comments and strings of the source. Most of those
that are left name a constant, such as BESIDE."""


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


@cache
def words(path: Path) -> str:
    """Return what a file says to people: the whole text of a page; strings and comments of a source, on their lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in ("STRING", "COMMENT", "FSTRING_MIDDLE"):
            for k, part in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + k] += f" {part}"
    return "\n".join(lines)


def found(phrase: str) -> Iterator[tuple[Path, int, str]]:
    """Yield the places of a phrase: file, number of the line, the line. A phrase may go on in the next line."""
    pattern = re.compile(r"\b" + r"[\s#\"]+".join(map(re.escape, phrase.split())) + r"(?!\w)", re.IGNORECASE)
    for path in [*pages(), ROOT / "CHANGELOG.md", *sources()]:
        text = words(path)
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
