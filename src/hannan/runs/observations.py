"""Observed choices: a table of players, information sets, actions and counts."""

from __future__ import annotations

import csv
import io
from os import PathLike

import numpy as np

from hannan.arrays import Floats, offsets
from hannan.errors import FileError, HannanError, nearest
from hannan.files import read_bytes
from hannan.forms.game import ExpandedGame

COLUMNS = ("player", "action", "count")
"""Required columns. A column `set` names the information set; a player with one set does not need it."""

MOST = 2**53
"""The largest count: floats hold it exactly."""


def read_observations(game: ExpandedGame, path: str | PathLike[str]) -> Floats:
    """Return how often each action was chosen, all players' sequences end to end without the empty ones.

    The file is CSV with the columns player, set, action and count. Lines of the same action add up.
    """
    firsts = offsets([plex.sequences - 1 for plex in game.form.treeplexes])
    counts = np.zeros(int(firsts[-1]))
    try:
        text = read_bytes(path).decode("utf-8-sig")
        lines = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        names = list(lines.fieldnames or ())
        for name in (*COLUMNS, *(["set"] if "set" in names else [])):
            if names.count(name) != 1:
                many = "no column" if name not in names else f"{names.count(name)} columns"
                raise FileError(
                    f"{path}, line 1: there is {many} {name!r}; observed choices have player, set, action, count"
                )
        for line in lines:
            where = f"{path}, line {lines.line_num}"
            if None in line or None in line.values():
                raise FileError(f"{where}: it should have {len(names)} cells, as the first line has")
            player = _whole(line["player"], f"{where}, column player", game.players - 1)
            number = _set(game, player, line.get("set", ""), f"{where}, column set")
            actions = game.actions_at(player, number)
            action = line["action"].strip()
            if actions.count(action) != 1:
                known = nearest(action, actions) if action not in actions else "; several actions have this name"
                raise FileError(
                    f"{where}, column action: player {player} has no single action {action!r} at "
                    f"{game.set_text(player, number)!r}{known}"
                )
            begin = int(game.form.treeplexes[player].begin[number]) - 1
            counts[firsts[player] + begin + actions.index(action)] += _whole(
                line["count"], f"{where}, column count", MOST
            )
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{path} is not a CSV file of observed choices: {error}") from error
    if not counts.any():
        raise FileError(f"{path} has no choice with a count above 0")
    return counts


def _whole(text: str, where: str, most: int) -> int:
    """Read a whole number from 0 to `most`."""
    word = text.strip()
    if not (word.isascii() and word.isdigit()) or len(word) > 16 or int(word) > most:
        raise FileError(f"{where}: {text!r} should be a whole number from 0 to {most}")
    return int(word)


def _set(game: ExpandedGame, player: int, name: str, where: str) -> int:
    """Return the number of a set by its name. If the player has one set, the name may be empty."""
    sets = game.form.treeplexes[player].sets
    if not name.strip():
        if sets == 1:
            return 0
        raise FileError(f"{where}: it is empty, and player {player} has {sets} information sets; name one")
    try:
        return game.find_set(player, name if game.sets_named(player, name) else name.strip())
    except HannanError as error:
        raise FileError(f"{where}: {error}") from None
