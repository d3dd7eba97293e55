"""A journal next to a checkpoint: one line per later playthrough, so a crash loses only the unfinished one.

A line holds the moves on the path and what the box showed at new nodes. This is enough to count the playthrough again
without the box. A line that a crash cut short belongs to the unfinished playthrough, and is left out.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Hashable, Iterator
from contextlib import suppress
from io import FileIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hannan.arguments import file_name
from hannan.arguments import shown as shortened
from hannan.certificates.names import Text
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.trunk import CHANCE, END, LEAF, NONE, ROOT, Trunk
from hannan.errors import FileError
from hannan.files import CHANGED, NONSENSE, chained, read_bytes, say_unsealed
from hannan.rules.box import ChanceMove, Child, View
from hannan.rules.observations import canonical
from hannan.rules.promises import told


def journal_of(checkpoint: str | PathLike[str]) -> Path:
    """Return the path of the journal that belongs to a checkpoint."""
    file_name(checkpoint)
    return Path(f"{checkpoint}.journal")


class Journal:
    """Writes playthroughs down as they are counted."""

    def __init__(self, checkpoint: str | PathLike[str]) -> None:
        self._path = journal_of(checkpoint)
        self._file: FileIO | None = None
        self._size = 0  # the bytes of whole lines
        self._broken = False
        self._digest = ""  # the digest of the line before

    def open(self) -> None:
        """Open the file, without a change to it."""
        if self._file is not None:
            return
        try:
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise FileError(f"{self._path} cannot be written: {error.strerror}") from error

    def begin(self) -> None:
        """Empty the journal: the checkpoint now holds all its playthroughs."""
        self.open()
        assert self._file is not None
        try:
            self._file.truncate(0)
            self._size, self._broken, self._digest = 0, False, ""
        except OSError as error:
            raise FileError(f"{self._path} cannot be written: {error.strerror}") from error

    def add(self, t: int, record: Playthrough, depth: int) -> None:
        """Write playthrough t, whose first new node was at `depth`. On return, the operating system has the line.

        If the write fails, the run continues without a journal until the next checkpoint.
        """
        assert self._file is not None
        if self._broken:
            return
        new = len(record.views) if depth == NONE else depth
        moves = [_move(view, choice) for view, choice in zip(record.views, record.choices, strict=False)]
        if record.failed:
            moves.append(_move(record.views[-1], ()))
        line = [
            t,
            record.seed,
            [list(choice) for choice in record.choices],
            moves,
            [_shown(v) for v in record.views[new:]],
        ]
        self._digest = chained(self._digest, json.dumps(line))
        left = f"{json.dumps([*line, self._digest])}\n".encode()
        size = self._size + len(left)
        try:
            while left:
                left = left[self._file.write(left) :]
            self._size = size
        except OSError as error:
            self._broken = True
            with suppress(OSError):
                self._file.truncate(self._size)  # remove half a line
            lost = f"{self._path} cannot be written: {error.strerror}; the run goes on, and checkpoints alone are kept"
            warnings.warn(lost, stacklevel=2)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def playthroughs(checkpoint: str | PathLike[str], trunk: Trunk, after: int) -> Iterator[Playthrough]:
    """Yield the playthroughs after number `after`. The caller counts each in `trunk` before it takes the next."""
    path = journal_of(checkpoint)
    try:
        lines = read_bytes(path).decode().splitlines() if path.exists() else []
    except UnicodeDecodeError as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    before = ""
    for number, line in enumerate(lines):
        try:
            record = json.loads(line)
            t, seed, choices, moves, shown = record[:5]
        except NONSENSE:
            if number == len(lines) - 1:
                return
            raise FileError(f"{path}: line {number + 1} is damaged") from None
        if len(record) == 5 and before == "":
            say_unsealed(path)
        elif record[5:] != [before := chained(before, json.dumps(record[:5]))]:
            raise FileError(f"{path} {CHANGED} (line {number + 1})")
        if not all(type(number) is int for number in (t, seed)):
            raise FileError(f"{path}: line {number + 1} is not a playthrough")
        if t <= after:
            continue
        if t != after + 1:
            raise FileError(f"{path}: line {number + 1} is playthrough {t}, where {after + 1} should be")
        try:
            views = [*_recalled(trunk, moves, len(choices) + 1 - len(shown)), *map(_view, shown)]
            _check_choices(views, choices, moves)
        except NONSENSE as error:
            why = told(error)[:200]
            raise FileError(f"{path}: line {number + 1} is not a playthrough of this game ({why})") from error
        yield Playthrough(seed, views, [tuple(choice) for choice in choices], recalled=True)
        after = t


def _check_choices(views: list[View], choices: list[list[int]], moves: list[Any]) -> None:
    """Refuse choices that the views do not offer, and moves that are not those choices."""
    for depth, (view, choice) in enumerate(zip(views, choices, strict=False)):
        if not view.movers and view.draw is None:
            raise ValueError(f"play goes on after its end, at depth {depth}")
        if len(choice) != len(view.actions):
            raise ValueError(f"{len(choice)} choices of {len(view.actions)} movers at depth {depth}")
        for k, menu in zip(choice, view.actions, strict=True):
            _place(k, len(menu), depth)
        if view.draw is None and moves[depth] != _move(view, tuple(choice)):
            raise ValueError(f"the move at depth {depth} is another one than was chosen")
    if views[-1].movers:
        raise ValueError("it ends where a player moves")


def _place(place: Any, many: int, depth: int) -> int:
    """Return a place in a list of `many` things, or refuse it."""
    if type(place) is not int or not 0 <= place < many:
        raise ValueError(f"{shortened(place)} at depth {depth} is not one of {many} moves")
    return place


def _move(view: View, choice: tuple[int, ...]) -> Any:
    """Return the move to the next node: its number, or the text of an outcome that has no number."""
    if view.draw is None:
        move = 0
        for menu, k in zip(view.actions, choice, strict=True):
            move = move * len(menu) + k
        return move
    if view.draw.outcomes is None:
        return _text(view.draw.outcome)
    return list(view.draw.outcomes).index(view.draw.outcome)


def _text(thing: Hashable) -> str:
    return thing.text if isinstance(thing, Text) else canonical(thing)


def _named(text: Any) -> Text:
    """Return a name by its text; refuse anything but text."""
    if not isinstance(text, str):
        raise TypeError(f"{shortened(text)} is not text")
    return Text(text)


def _recalled(trunk: Trunk, moves: list[Any], many: int) -> list[View]:
    """Return the views of the first nodes of a path, which are all expanded, from the trunk."""
    views, node, nodes = [], ROOT, trunk.nodes
    if many < 0:
        raise ValueError("it shows more nodes than its path has")
    for depth in range(many):
        if node == NONE or nodes.kind[node] == LEAF:
            raise ValueError(f"what the box showed at depth {depth} is missing")
        gains = nodes.gain[node].tolist()
        if trunk.utilities == 1:
            gains = (gains[0], -gains[0])[: trunk.players]
        if nodes.kind[node] == END:
            views.append(View(gains))
        elif nodes.kind[node] == CHANCE:
            group = int(nodes.group[node])
            size = int(trunk.groups.size[group])
            if trunk.groups.open[group]:
                outcome = _named(moves[depth])
                views.append(View(gains, draw=ChanceMove(outcome, most=size)))
                node = trunk.outcome_child(node, outcome)
            else:
                place = _place(moves[depth], size, depth)
                views.append(View(gains, draw=ChanceMove(place, range(size))))
                node = trunk.child(node, place)
        else:
            movers = np.flatnonzero(nodes.set[node] != NONE).tolist()
            numbers = nodes.set[node, movers].tolist()
            rows = [trunk.sets[player].rows for player in movers]
            menus = [
                [trunk.actions[code] for code in trunk.menus[int(row.menu[n])]]
                for row, n in zip(rows, numbers, strict=True)
            ]
            seen = [trunk.observations[int(row.observation[n])] for row, n in zip(rows, numbers, strict=True)]
            views.append(View(gains, None, movers, menus, seen))
            joint = math.prod(map(len, menus))
            node = trunk.child(node, _place(moves[depth], joint, depth))
    return views


def _shown(view: View) -> dict[str, Any]:
    """Return a view in a form for JSON, with names as texts."""
    shown: dict[str, Any] = {"gains": list(map(float, view.gains))}
    if view.bounds is not None:
        shown["bounds"] = [[float(low), float(high)] for low, high in view.bounds]
    if view.draw is not None:
        draw = view.draw
        shown["draw"] = {
            "outcome": _text(draw.outcome),
            "outcomes": None if draw.outcomes is None else [_text(outcome) for outcome in draw.outcomes],
            "most": draw.most,
            "group": None if draw.group is None else _text(draw.group),
            "odds": None if draw.odds is None else list(map(float, draw.odds)),
        }
        if draw.similar is not None:
            shown["draw"]["similar"] = [_text(draw.similar[0]), float(draw.similar[1])]
    elif view.movers:
        shown["movers"] = list(map(int, view.movers))
        shown["actions"] = [[_text(action) for action in menu] for menu in view.actions]
        shown["observations"] = [_text(seen) for seen in view.observations]
    if view.children is not None:
        shown["children"] = [
            [list(map(float, child.gains)), [[float(low), float(high)] for low, high in child.bounds]]
            for child in view.children
        ]
    return shown


def _view(shown: dict[str, Any]) -> View:
    draw = shown.get("draw")
    drawn = None
    if draw is not None:
        outcomes = None if draw["outcomes"] is None else [_named(text) for text in draw["outcomes"]]
        group = None if draw["group"] is None else _named(draw["group"])
        kin = draw.get("similar")
        similar = None if kin is None else (_named(kin[0]), kin[1])
        drawn = ChanceMove(_named(draw["outcome"]), outcomes, draw["most"], group, draw["odds"], similar)
    children = shown.get("children")
    return View(
        shown["gains"],
        shown.get("bounds"),
        shown.get("movers", ()),
        [[_named(text) for text in menu] for menu in shown.get("actions", ())],
        [_named(text) for text in shown.get("observations", ())],
        drawn,
        None if children is None else [Child(gains, bounds) for gains, bounds in children],
    )
