"""Strategies that people write: probabilities at sets given by name, number, pattern or path; or a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from os import PathLike

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import FileError, HannanError, ParameterError, UnknownNameError, nearest
from hannan.files import read_bytes
from hannan.forms.game import ExpandedGame

Plays = Mapping[str, float] | Sequence[float]
"""Probabilities at a set: by name of the action, 0 if it is left out; or a list in the order of the actions."""

Places = Mapping[str | int, Plays]
"""What to do at sets; `ExpandedGame.find_sets` says how they are given."""

FORM = "a dictionary such as {0: {'set': {'action': probability}}}"

MANY = {"lock": "locks", "strategy": "strategies"}

COLUMNS = ("player", "set", "action", "probability")
"""The columns that a CSV file of a strategy needs."""


def fixed_sets(game: ExpandedGame, player: int, places: Places, what: str) -> dict[int, Floats]:
    """Return the fixed probabilities by number of set; raise an error that names a wrong `what`.

    Later places win over earlier ones, so a pattern may come first and its exceptions after it.
    """
    many = MANY[what]
    if not isinstance(places, Mapping):
        raise ParameterError(f"the {many} of player {player} are {shown(places)}; {many} should be {FORM}")
    fixed: dict[int, Floats] = {}
    for place, plays in places.items():
        try:
            numbers = game.find_sets(player, place)
        except HannanError as error:
            raise type(error)(f"in the {many}, {error}") from None
        for j in numbers:
            fixed[j] = _probabilities(game, player, j, plays, what)
    return fixed


def _probabilities(game: ExpandedGame, player: int, j: int, plays: Plays, what: str) -> Floats:
    actions = game.actions_at(player, j)
    where = f"the {what} of player {player} at {game.set_text(player, j)!r}"
    given = plays
    if isinstance(plays, Mapping):
        if len(set(actions)) < len(actions):
            raise ParameterError(f"{where} has actions of the same name: give a list of {len(actions)} probabilities")
        for action in plays:
            if action not in actions:
                raise UnknownNameError(f"{where} has no action {shown(action)}{nearest(str(action), actions)}")
        given = [plays.get(action, 0.0) for action in actions]
    wrong = ParameterError(f"{where} should be {len(actions)} probabilities that sum to 1, not {shown(plays)}")
    try:
        weights = np.array(given)
    except ValueError:  # lists of different lengths
        raise wrong from None
    if weights.dtype.kind not in "iuf" or weights.shape != (len(actions),):
        raise wrong
    if not np.all(weights >= 0) or not abs(weights.sum() - 1) <= 1e-9:
        raise wrong
    exact = abs(weights.sum() - 1) <= 1e-12  # scaling once more would change the last bits of saved locks
    result: Floats = weights.astype(np.float64) if exact else weights / weights.sum()
    return result


def read_csv(game: ExpandedGame, path: str | PathLike[str]) -> dict[int, dict[str | int, Plays]]:
    """Read strategies from a CSV file with one line per action; `hannan.export_csv` writes such files.

    If several sets have the same name, the file should have all of them, in their order. The same holds if several
    actions of a set have the same name.
    """
    lists: dict[tuple[int, str], list[tuple[str, float]]] = {}
    blocks: dict[tuple[int, str], list[dict[str, float]]] = {}
    before: tuple[int, str] | None = None
    lines: csv.DictReader[str] | None = None
    try:
        text = read_bytes(path).decode("utf-8-sig")  # spreadsheets begin a file with a mark of its encoding
        lines = csv.DictReader(io.StringIO(text, newline=""))
        for name in COLUMNS:
            times = list(lines.fieldnames or ()).count(name)
            if times != 1:
                many = "no column" if times == 0 else f"{times} columns"
                raise FileError(f"{path} has {many} {name!r}; a strategy has {', '.join(COLUMNS)}")
        for line in lines:
            if any(line[name] is None for name in COLUMNS):
                raise ValueError("it is cut short")
            if None in line:
                raise ValueError("it has more cells than there are columns; numbers are written with a point")
            key, action = (int(line["player"]), line["set"]), line["action"]
            mine = blocks.setdefault(key, [])
            if key != before or action in mine[-1]:
                mine.append({})
            mine[-1][action] = float(line["probability"])
            lists.setdefault(key, []).append((action, mine[-1][action]))
            before = key
    except (ValueError, TypeError, csv.Error) as error:
        where = "" if lines is None else f"line {lines.line_num}: "
        raise FileError(f"{path} is not the CSV file of a strategy ({where}{error})") from error
    places: dict[int, dict[str | int, Plays]] = {}
    several: Sequence[Plays]
    for (player, name), several in blocks.items():
        game.check_player(player)
        numbers = game.sets_named(player, name) or [game.find_set(player, name)]
        menus = [game.actions_at(player, j) for j in numbers]
        if [action for action, _ in lists[player, name]] == [action for menu in menus for action in menu]:
            left = iter(lists[player, name])
            several = [[next(left)[1] for _ in menu] for menu in menus]
        if len(several) != len(numbers):
            raise FileError(
                f"{path} says {len(several)} times what player {player} does at {shown(name)}; there are "
                f"{len(numbers)} sets of this name"
            )
        places.setdefault(player, {}).update(zip(numbers, several, strict=True))
    return places
