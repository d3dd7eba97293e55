"""The files of hannan that a command enters once it is warm: what one has to read to follow it.

    python -m tests.entered [WORDS…]

Runs a command of `hannan` (`solve leduc_poker --method cfr+` where no words are given) twice in this process, and lists
the files under `src/hannan` of which a function is called the second time. Modules are imported and kernels are loaded
by then. Kernels are listed apart: they are machine code, which Python calls and does not enter.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import hannan
from hannan.cli import main

SOURCE = Path(hannan.__file__).parent
COMMAND = ("solve", "leduc_poker", "--method", "cfr+")


def run(words: Sequence[str]) -> None:
    """Run a command without its output; refuse one that fails."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            main([*words])
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(said.getvalue()) from None


def calls(words: Sequence[str] = COMMAND) -> Counter[tuple[str, str]]:
    """Count the calls of each function of hannan in a warm run of a command, by file and name."""
    run(words)
    seen: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        place = Path(frame.f_code.co_filename)
        if event == "call" and frame.f_code.co_name != "<module>" and place.is_relative_to(SOURCE):
            seen[str(place.relative_to(SOURCE)), frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        run(words)
    finally:
        sys.setprofile(None)
    return seen


def entered(words: Sequence[str] = COMMAND) -> tuple[list[str], list[str]]:
    """Return the files that a warm run of a command enters: those of Python, and those of compiled kernels."""
    files = sorted({file for file, _ in calls(words)})
    kernels = [file for file in files if file.startswith("kernels/")]
    return [file for file in files if file not in kernels], kernels


if __name__ == "__main__":
    files, kernels = entered(sys.argv[1:] or COMMAND)
    print(*files, f"{len(files)} files", "", *kernels, f"{len(kernels)} files of kernels", sep="\n")
