"""The example files of docs/howto/own.md, as the page holds them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "howto" / "own.md"

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
FILE = re.compile(r"# (\w+\.py)\n")
"""The first line of a block that is a whole file."""


def examples() -> dict[str, str]:
    """Return the example files, by name."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return {found[1]: block for block in blocks if (found := FILE.match(block))}


def calls() -> str:
    """Return what the page does with these files, as one script."""
    return "\n".join(block for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if not FILE.match(block))


def write(folder: Path) -> None:
    """Write the example files into a folder."""
    for name, text in examples().items():
        (folder / name).write_text(text, encoding="utf-8")
