"""Where a command will write, checked before the work: what could not be written after it is refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

from hannan.cli.holds import hold
from hannan.errors import ParameterError
from hannan.files import check_writable
from hannan.pictures.curves import check_target

LOG, PLOT = "--log", "--plot"
"""The option of a file that is not renamed, and may be a pipe; and that of a picture."""

OF_RUNS = (LOG, "--checkpoint", "--record")
"""The options of files that runs hold themselves."""


def check_targets(targets: Mapping[str, Path | None], sources: Iterable[str | Path | None] = ()) -> None:
    """Check and hold the files that options name; refuse two options that name the same one, and what would be lost.

    `sources` are the files that are read, or addresses that may have one in them: rules, games, locks, strategies.
    """
    wanted = {option: path for option, path in targets.items() if path is not None}
    for option, path in wanted.items():
        if option == PLOT:
            check_target(path)
        else:
            check_writable(path, renamed=option != LOG)
    for (one, path), (other, second) in combinations(wanted.items(), 2):
        if path.resolve() == second.resolve():
            raise ParameterError(f"{one} and {other} name the same file")
    for option, path in wanted.items():
        if any(_same(path, place) for source in sources if source is not None for place in _places(str(source))):
            raise ParameterError(f"{option} names {path}, which is read, and would be lost; give another file")
    for option, path in wanted.items():
        if option not in OF_RUNS:
            hold(path)


def _places(address: str) -> list[str]:
    """Return what may be a file in an address: before its parameters, before the name in it, and after its prefix."""
    bare = address.partition("(")[0]
    places = [address, bare]
    for text in (address, bare):
        words = text.split(":")
        places += [":".join(words[a:b]) for a in (0, 1) for b in (len(words), len(words) - 1) if a < b]
    return places


def _same(one: Path, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # one of them is not there
        return False
