"""The grid of a game: the row, column and label that the rules give each information set."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.treeplex import EMPTY

ROW_TITLE, COLUMN_TITLE = "what the player holds", "what everybody knows"


class SetCells:
    """The grids of all players; each is made when it is first needed."""

    def __init__(self, game: ExpandedGame) -> None:
        if not game.rules.writes("grid"):
            raise UnsuitableError(
                f"{game.address} cannot be shown in a grid: its rules do not define the function grid()"
            )
        self.game = game
        self._grids: dict[int, PlayerGrid] = {}

    def player(self, player: int) -> PlayerGrid:
        """Return the grid of a player."""
        self.game.check_player(player)
        if player not in self._grids:
            self._grids[player] = PlayerGrid(self.game, player)
        return self._grids[player]


class PlayerGrid:
    """The grid of one player. Columns are in the order of the information sets.

    Rows are in the order of chance's outcomes at the root, if these are the rows; else shorter names come first.
    """

    def __init__(self, game: ExpandedGame, player: int) -> None:
        self.game, self.number = game, player
        self.cells: dict[tuple[str, str], int] = {}
        self.placed: dict[int, tuple[str, str, str]] = {}
        rows: dict[str, None] = {}
        columns: dict[str, None] = {}
        actions: dict[str, None] = {}
        for number in range(game.form.treeplexes[player].sets):
            place = game.rules.grid(player, way(game, player, number))
            if place is None:
                continue
            row, column, label = map(str, place)
            rows[row], columns[column] = None, None
            self.cells.setdefault((row, column), number)
            self.placed[number] = row, column, label
            actions |= dict.fromkeys(game.actions_at(player, number))
        self.rows, self.columns, self.actions = sorted(rows, key=_natural), list(columns), list(actions)
        order = self._first_rows()
        self.rows = order if order is not None else self.rows

    def _first_rows(self) -> list[str] | None:
        """Return the rows in the order of chance's outcomes at the root; None if these are not the rows."""
        rules = self.game.rules
        state: Any = rules.start()
        try:
            texts = [rules.action_text(-1, outcome) for outcome, _ in rules.chance(state)]
        except TypeError:  # chance does not move first
            return None
        return texts if set(self.rows) == set(texts) and len(set(texts)) == len(texts) else None


def way(game: ExpandedGame, player: int, number: int) -> list[Hashable]:
    """Return what a player saw and did up to a set: observation, action, observation, …"""
    plex, labels = game.form.treeplexes[player], game.labels
    told: list[Hashable] = []
    while True:
        seen = int(plex.observation[number])
        told.append(seen if labels is None else labels.observations[seen])
        before = int(plex.parent[number])
        if before == EMPTY:
            return told[::-1]
        code = int(plex.action[before])
        told.append(code if labels is None else labels.actions[code])
        number = int(plex.set_of[before])


def _natural(text: str) -> tuple[int, str]:
    return len(text), text
