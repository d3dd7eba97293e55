"""`python -m tests.sweep`: every fact of every kind of file in turn replaced by addresses and paths; by hand, minutes.

An audit hook watches what Python opens, imports and starts while the forged file is used, without consent. Whatever a
file has named and hannan has touched is printed, and the exit code is 1.
"""

from __future__ import annotations

import contextlib
import copy
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.certificates.journal import journal_of
from hannan.files import kind_of, read_arrays, write_arrays
from tests.fuzz.files import KINDS, Files, kinds_here
from tests.test_trust import GAMES
from tests.trap import Trap

VALUES: list[Any] = [
    "evil.py:f", "evil:G", "module:evil.py:box", "command:touch ran", "trap.efg", "other.strategy", "ran",
    "openspiel:efg_game(filename=trap.efg)", ["evil.py:f"], {"evil.py:f": "evil.py:f"},
]  # fmt: skip
NEW = ("evaluation", "rollout", "prior", "sampling_policy", "tensorboard", "checkpoint", "log", "start", "game", "file")
"""Facts that a file may not have, and gets."""
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "socket.connect")
NAMED = ("evil", "kuhn_poker", "trap", "other.strategy", "ran", "matrix_game(")
WIDE, DEEP = 40, 3
"""Entries of a list or an object that are replaced, and how deep in the facts."""


class Watch:
    """Notes what is started, imported and opened, while it is on."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.on, self.seen = folder, False, list[str]()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on or event not in (*STARTS, "import", "open"):
            return
        what = os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else ""
        mine = event == "import" or Path(what).absolute().parent == self.folder
        if event in STARTS or (mine and Path(what).name.startswith(NAMED)):
            self.seen.append(f"{event} {what}")


def places(facts: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to everything in nested facts, and to what may be put there."""
    if isinstance(facts, dict) and len(way) < 2:
        yield from ((*way, name) for name in NEW if name not in facts)
    for key in (list(facts) if isinstance(facts, dict) else range(len(facts)))[:WIDE]:
        yield (*way, key)
        if isinstance(facts[key], dict | list) and len(way) < DEEP:
            yield from places(facts[key], (*way, key))


def swept(kind: str, files: Files, watch: Watch) -> Iterator[str]:
    """Use every forged file of a kind, without its game and with it; yield a line for each, empty where all is well."""
    form = kind_of(files.good(kind))
    assert form is not None
    arrays, facts = read_arrays(files.good(kind), form)
    uses = [use for game_kind, _, use in GAMES.values() if game_kind == kind]
    uses = uses or [lambda path, game, trust: KINDS[kind].use(path, game)]
    path = watch.folder / "case"
    for way in places(facts):
        for value in VALUES:
            forged = copy.deepcopy(facts)
            inner = forged
            for key in way[:-1]:
                inner = inner[key]
            inner[way[-1]] = value
            write_arrays(path, form, arrays, forged)
            for use, game in ((use, game) for use in uses for game in (None, KINDS[kind].game)):
                journal_of(path).unlink(missing_ok=True)
                watch.on = True
                with contextlib.suppress(hn.HannanError):
                    use(path, game, False)
                watch.on = False
                yield f"{kind} {way} {value}: {watch.seen}" if watch.seen else ""
                watch.seen.clear()


def main() -> int:
    """Sweep over all kinds; return how many files made hannan touch what they name."""
    warnings.simplefilter("ignore")
    found = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        files, watch = Files(folder / "good"), Watch(folder / "trap")
        for place in (files.folder, watch.folder):
            place.mkdir()
        with contextlib.chdir(watch.folder):
            Trap(watch.folder)
            hn.save(hn.uniform("kuhn_poker"), "other.strategy")
            for kind in (kind for kind in kinds_here() if kind in KINDS):
                lines = list(swept(kind, files, watch))
                told = [line for line in lines if line]
                found += len(told)
                print(f"{kind}: {len(lines):,} uses, {len(told)} found", *told, sep="\n  ", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(min(main(), 1))
