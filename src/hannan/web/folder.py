"""The opened folder: which of its files hannan can show, and which path a name in a request stands for."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hannan.errors import FileError
from hannan.files import facts_of
from hannan.memory import readable
from hannan.web.refusals import ForbiddenError, NotFoundError, StateError

RUNS = "hannan-runs"
"""The folder of the runs, inside the opened folder."""
MOST, DEEPEST = 5000, 4
"""The most files that are examined, and the deepest level of folders."""
FIRST = 4096
"""Bytes at the beginning of a file from which its kind is found."""

STRATEGIES = {"strategy", "policy", "public strategy", "networks", "correlated play", "correlated"}
"""Kinds of files that are listed as strategies."""
KINDS = {"checkpoint", "match", "certificate", "certification"}
"""Other kinds of files that are listed, each under its own name."""
GAMES = (".efg", ".nfg")
_NAME = re.compile(r"[^/\\\x00-\x1f\x7f\ud800-\udfff]+")
LONGEST = 200
"""The longest name of a new file, in bytes."""


@dataclass(frozen=True)
class File:
    """A file of the folder."""

    file: str
    """The path relative to the folder, with slashes."""
    kind: str
    game: str | None
    method: str | None
    size: int
    modified: float

    def record(self) -> dict[str, Any]:
        """Return the record of the file for the interface."""
        when = datetime.fromtimestamp(self.modified, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            "file": self.file, "kind": self.kind, "game": self.game, "method": self.method, "size": self.size,
            "size_text": readable(self.size), "modified": when,
        }  # fmt: skip


class Folder:
    """A folder, and single files outside it that the command line named."""

    def __init__(self, root: str | os.PathLike[str], beside: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise FileError(f"{root} is not a folder; name the folder to browse with --folder")
        self._beside: dict[str, Path] = {}
        for given in beside:
            path = Path(given).resolve()
            if not path.is_relative_to(self.root):
                self._beside[self._apart(path.name)] = path
        self._known: dict[Path, tuple[float, int, File | None]] = {}
        self._lock = threading.Lock()

    def _apart(self, name: str) -> str:
        """Return a name that no other file outside the folder has."""
        taken, number, apart = {*self._beside}, 1, f"/{name}"
        while apart in taken:
            number += 1
            apart = f"/{number}/{name}"
        return apart

    @property
    def name(self) -> str:
        """The last part of the folder's path."""
        return self.root.name or str(self.root)

    @property
    def writable(self) -> bool:
        """Whether runs and files can be saved here."""
        return os.access(self.root, os.W_OK)

    def path(self, file: str) -> Path:
        """Return the path of a file that a request names; refuse a path outside the folder, and a missing file.

        Links are followed before the path is compared.
        """
        if file in self._beside:
            return self._beside[file]
        if not file or "\0" in file or len(file) > 4000:
            raise NotFoundError("the folder has no file of this name")
        try:
            path = (self.root / file).resolve()
        except (OSError, RuntimeError, ValueError):
            raise NotFoundError(f"the folder has no file {file[:200]}") from None
        if not path.is_relative_to(self.root):
            raise ForbiddenError(f"{file[:200]} is not inside the folder that was opened")
        if not os.path.isfile(path):  # False, too, for names that are too long for the system
            raise NotFoundError(f"the folder has no file {file[:200]}")
        return path

    def target(self, name: str, replace: bool) -> Path:
        """Return the path of a new file; refuse a name with folders in it, and an existing file unless `replace`."""
        long = len(name.encode(errors="replace")) > LONGEST
        if long or not _NAME.fullmatch(name) or name.startswith(".") or name == RUNS:
            raise ForbiddenError(
                f"the name of a new file has 1 to {LONGEST} bytes, no folders in it, and does not begin with a point"
            )
        path = self.root / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise ForbiddenError(f"{name} is a link or a folder, and is not replaced")
        if path.exists() and not replace:
            raise StateError(f"{name} exists already; allow that it is replaced, or choose another name")
        if not self.writable:
            raise StateError(f"the folder {self.name} cannot be written")
        return path

    def named(self, path: Path) -> str:
        """Return the name under which requests refer to a path inside the folder."""
        return path.resolve().relative_to(self.root).as_posix()

    def files(self) -> list[File]:
        """Return the files that hannan understands, the newest first."""
        found = []
        for name, path in [*self._beside.items(), *((self.named(path), path) for path in self._walk())]:
            file = self._look(name, path)
            if file is not None:
                found.append(file)
        return sorted(found, key=lambda file: (-file.modified, file.file))

    def _walk(self) -> Iterator[Path]:
        """Yield plain files, but no hidden files and no links, which could lead out of the folder."""
        waiting, seen = [(self.root, 0)], 0
        while waiting:
            folder, depth = waiting.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
                    waiting.append((Path(entry.path), depth + 1))
                elif entry.is_file(follow_symlinks=False):
                    seen += 1
                    if seen > MOST:
                        return
                    yield Path(entry.path)

    def _look(self, name: str, path: Path) -> File | None:
        try:
            about = path.stat()
        except OSError:
            return None
        with self._lock:
            before = self._known.get(path)
        if before is not None and before[:2] == (about.st_mtime, about.st_size):
            return before[2]
        kind, game, method = kind_in(path)
        file = None if kind is None else File(name, kind, game, method, about.st_size, about.st_mtime)
        with self._lock:
            self._known[path] = about.st_mtime, about.st_size, file
        return file


def kind_in(path: Path) -> tuple[str | None, str | None, str | None]:
    """Return the kind, game and method that a file claims for itself, or None for each that it does not name."""
    try:
        with open(path, "rb") as opened:
            first = opened.read(FIRST)
    except OSError:
        return None, None, None
    if first[8:9] == b"{" and (found := facts_of(path)) is not None:
        kind, facts = found
        kind = "strategy" if kind in STRATEGIES else kind
        return (kind if kind in {*KINDS, "strategy"} else None), _game(facts), _text(facts.get("method"))
    if first[:1] == b"{":
        return _json_kind(first)
    return ("game" if path.suffix in GAMES else None), None, None


def _json_kind(first: bytes) -> tuple[str | None, str | None, str | None]:
    """Return the kind of a text file of JSON by its beginning."""
    try:
        heading = json.loads(first.split(b"\n")[0])
    except (ValueError, RecursionError):
        heading = None
    if isinstance(heading, dict) and heading.get("format") == "hannan.log":
        return "log", _text(heading.get("game")), _text(heading.get("method"))
    if b'"format": "hannan.equilibria"' in first[:200]:
        game = re.search(rb'"game": ("(?:[^"\\]|\\.)*")', first)
        return "equilibria", None if game is None else _text(json.loads(game[1])), None
    return None, None, None


def _game(facts: dict[str, Any]) -> str | None:
    """Return the address of the game that facts name, without parameters at their default value; else None."""
    from hannan.addresses import write

    name, parameters = facts.get("game"), facts.get("parameters")
    options = facts.get("options")
    if name is None and isinstance(options, dict):
        name = options.get("game")
    if not isinstance(name, str):
        return None
    given = parameters if isinstance(parameters, dict) and facts.get("built_in") else {}
    if given:
        from hannan.games import catalogue

        return catalogue.address(name, given) if name in catalogue.MODULES else write(name, given, {})[:200]
    return name[:200]


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) else None
