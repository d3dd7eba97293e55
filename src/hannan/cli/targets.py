"""Where a command will write, checked before the work: what could not be written after it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from hannan.errors import ParameterError
from hannan.files import check_writable
from hannan.pictures.curves import check_target

LOG, PLOT = "--log", "--plot"
"""The option of a file that is not renamed, and may be a pipe; and that of a picture."""


def check_targets(targets: Mapping[str, Path | None]) -> None:
    """Check the files that options name; two options that name the same one are refused."""
    wanted = {option: path for option, path in targets.items() if path is not None}
    for option, path in wanted.items():
        if option == PLOT:
            check_target(path)
        else:
            check_writable(path, renamed=option != LOG)
    for (one, path), (other, second) in combinations(wanted.items(), 2):
        if path.resolve() == second.resolve():
            raise ParameterError(f"{one} and {other} name the same file")
