"""Broken files: mutations of the corpus. By hand: python -m tests.interop.fuzz 100000."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

from hannan.errors import FileError
from hannan.interop.gambit.efg import parse_efg
from hannan.interop.gambit.nfg import parse_nfg
from hannan.interop.gambit.rules import EfgRules, NfgRules

FILES = Path(__file__).parent / "files"
CORPUS = sorted(FILES.iterdir())
POSITION = re.compile(r", line \d+, column \d+: ")
PIECES = (
    '"', "{", "}", "\\", " ", "\n", "\0", ",", "/", "-", "+", ".", "e", "1e999999999", "9" * 30, "9" * 5000, "1/0", "0",
    "c", "p", "t", 't "" 0\n', 'p "" 1 1 "" { "a" "b" } 0\n', 'c "" 1 "" { "a" 1 } 0\n', "EFG 2 R", "NFG 1 R", "é",
    "{ 2 2 2 2 2 2 2 2 2 2 }", "99999999 99999999", '{ "', "1.5e", "nan", "inf", "_", "0x10",
)  # fmt: skip


def broken(draw: random.Random, text: str) -> str:
    """Return a text with a few random changes."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at, to = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        kind = draw.randrange(6)
        if kind == 0:
            text = text[:at] + text[min(to, at + draw.randrange(1, 20)) :]
        elif kind == 1:
            text = text[:at] + draw.choice(PIECES) + text[at:]
        elif kind == 2:
            text = text[:at] + draw.choice(PIECES) + text[at + 1 :]
        elif kind == 3:
            text = text[:at] + text[at : at + 30] + text[at:]
        elif kind == 4:
            text = text[:at]
        else:
            text = text[:at] + chr(draw.randrange(1, 256)) + text[at + 1 :]
    return text


def fuzz(count: int, seed: int = 0) -> tuple[int, int]:
    """Parse so many broken files; return how many were refused, and how many are files all the same."""
    draw, texts = random.Random(seed), {path: path.read_text(encoding="utf-8") for path in CORPUS}
    refused = 0
    for _ in range(count):
        path = draw.choice(CORPUS)
        text = broken(draw, texts[path])
        try:
            if path.suffix == ".efg":
                EfgRules(parse_efg(text, path.name)).forgetting()
            else:
                NfgRules(parse_nfg(text, path.name)).gains(())
        except FileError as error:
            refused += 1
            if not POSITION.search(str(error)):
                raise AssertionError(str(error)) from error
    return refused, count - refused


if __name__ == "__main__":
    print("refused, read:", *fuzz(int(sys.argv[1])))
