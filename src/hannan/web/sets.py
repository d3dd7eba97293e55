"""Information sets of a strategy: a list, one of them, a grid, and the difference of two strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hannan.arguments import choice
from hannan.errors import MismatchError, UnsuitableError
from hannan.forms.game import PublicGame, pattern
from hannan.measures.listing import SORTS, Differences
from hannan.measures.tables import ActionRow, SetRow
from hannan.web.cells import COLUMN_TITLE, ROW_TITLE
from hannan.web.numbers import finite, finites, number_text, numbers_text, percent_text, signed_percent_text
from hannan.web.tree import path_of

if TYPE_CHECKING:
    from hannan.web.opened import OpenStrategy


def sets_record(
    opened: OpenStrategy,
    player: int | None,
    like: str,
    sort: str,
    descending: bool | None,
    offset: int,
    limit: int,
) -> dict[str, Any]:
    """Return a page of the list of sets."""
    choice("sort", sort, SORTS)
    strategy = opened.loaded()
    down = sort not in ("name", "number") if descending is None else descending
    if player is not None:
        strategy.game.check_player(player)
    if isinstance(strategy.game, PublicGame):
        raise UnsuitableError(f"{opened.name} is on a public tree: it is shown node by node, and not as a list")
    if not opened.exact:
        return _estimated(opened, player, like, sort, down, offset, limit)
    page = opened.sets.page(player=player, like=like, sort=sort, descending=down, offset=offset, limit=limit)
    items = [set_item(opened, place) for place in page.places]
    return {"total": page.total, "offset": offset, "limit": limit, "items": items, "exact": True}


def _estimated(
    opened: OpenStrategy, player: int | None, like: str, sort: str, down: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return a page of the sets that sampled plays reached."""
    wanted = pattern(like) if "*" in like or "?" in like else None
    rows = [row for row in opened.rows if player is None or row.player == player]
    rows = [row for row in rows if (wanted.fullmatch(row.name) if wanted is not None else like in row.name)]
    if sort == "name":
        rows.sort(key=lambda row: row.name, reverse=down)
    elif sort in ("frequency", "value", "entropy"):
        sign = -1 if down else 1
        rows.sort(key=lambda row: _sortable(_entropy(row) if sort == "entropy" else getattr(row, sort), sign))
    items = [
        {**_item(row, None, None, _entropy(row)), "key": f"{row.player}:{row.name}"}
        for row in rows[offset : offset + limit]
    ]
    return {"total": len(rows), "offset": offset, "limit": limit, "items": items, "exact": False}


def _sortable(number: float | None, sign: int) -> tuple[bool, float]:
    return number is None, 0.0 if number is None else sign * number


def _entropy(row: SetRow) -> float:
    plays = np.array([action.probability for action in row.actions])
    plays = plays[plays > 0]
    return float(-(plays * np.log2(plays)).sum() + 0.0)


def set_item(opened: OpenStrategy, place: int) -> dict[str, Any]:
    """Return one set of a profile, by its number counted over all players."""
    sets = opened.sets
    row = sets.row(place)
    number = place - int(sets.names.begin[row.player])
    return _item(row, number, finite(sets.regret[place]), finite(sets.entropy[place]))


def _item(row: SetRow, number: int | None, regret: float | None, entropy: float | None) -> dict[str, Any]:
    return {
        "key": f"{row.player}:{'' if number is None else number}", "player": row.player, "number": number,
        "name": row.name, "reach": finite(row.reach), "frequency": finite(row.frequency), "value": finite(row.value),
        "regret": regret, "entropy": entropy, "reach_text": number_text(row.reach),
        "frequency_text": percent_text(row.frequency), "value_text": number_text(row.value),
        "regret_text": number_text(regret), "entropy_text": number_text(entropy),
        "actions": [_action(action, row.value) for action in row.actions],
    }  # fmt: skip


def _action(action: ActionRow, value: float | None) -> dict[str, Any]:
    worth = None if value is None or action.regret is None else finite(value + action.regret)
    return {
        "label": action.action, "probability": finite(action.probability),
        "probability_text": percent_text(action.probability), "value": worth, "value_text": number_text(worth),
        "regret": finite(action.regret), "regret_text": number_text(action.regret),
    }  # fmt: skip


def set_detail(opened: OpenStrategy, player: int, number: int) -> dict[str, Any]:
    """Return one set, with a history in it and its place in the grid."""
    opened.loaded()
    game = opened.game.expanded
    game.check_player(player)
    place = opened.sets.place(player, number)
    cell = None
    if game.rules.writes("grid") and (placed := opened.game.cells.player(player).placed.get(number)) is not None:
        cell = dict(zip(("row", "column", "label"), placed, strict=True))
    steps = game.tree.path(int(game.tree.treeplexes[player].node[number]))
    histories = opened.game.count(player, number)
    return {**set_item(opened, place), "path": path_of(steps), "histories": histories, "cell": cell}


def grid_record(opened: OpenStrategy, player: int, search: str, offset: int, limit: int) -> dict[str, Any]:
    """Return a part of the grid of a player: all rows, some columns."""
    opened.loaded()
    grid = opened.game.cells.player(player)
    columns = [column for column in grid.columns if search in column]
    page = columns[offset : offset + limit]
    numbers = [[grid.cells.get((row, column)) for column in page] for row in grid.rows]
    cells = [[_cell(opened, player, number, grid.actions) for number in line] for line in numbers]
    return {
        "player": player, "rows": grid.rows, "row_title": ROW_TITLE, "column_title": COLUMN_TITLE, "columns": page,
        "total": len(columns), "offset": offset, "limit": limit, "actions": grid.actions, "cells": cells,
    }  # fmt: skip


def _cell(opened: OpenStrategy, player: int, number: int | None, actions: list[str]) -> dict[str, Any] | None:
    if number is None:
        return None
    row = opened.sets.row(opened.sets.place(player, number))
    plays = {action.action: action.probability for action in row.actions}
    shares = [finite(plays.get(action)) for action in actions]
    return {
        "key": f"{player}:{number}", "player": player, "number": number, "name": row.name,
        "label": opened.game.cells.player(player).placed[number][2], "frequencies": shares,
        "frequencies_text": [percent_text(share) for share in shares], "reach": finite(row.reach),
        "frequency": finite(row.frequency), "value": finite(row.value), "value_text": number_text(row.value),
    }  # fmt: skip


def compared(first: OpenStrategy, second: OpenStrategy) -> Differences:
    """Return the difference of two strategies of one game."""
    first.loaded(), second.loaded()
    if first.game is not second.game:
        raise MismatchError(f"{first.name} plays {first.game.address}, and {second.name} plays {second.game.address}")
    return Differences(first.sets, second.sets)


def comparison_record(
    first: OpenStrategy,
    second: OpenStrategy,
    player: int | None,
    like: str,
    sort: str,
    offset: int,
    limit: int,
    locked: frozenset[tuple[int, int]] = frozenset(),
) -> dict[str, Any]:
    """Return a page of the sets in which two strategies differ, and the values of both."""
    both = compared(first, second)
    page = both.page(player=player, like=like, sort=sort, offset=offset, limit=limit)
    worth = [one.histories.value[0].tolist() for one in (first, second)]
    change = [after - before for before, after in zip(*worth, strict=True)]
    return {
        "a": first.record(), "b": second.record(),
        "values": {
            "a": finites(worth[0]), "b": finites(worth[1]), "difference": finites(change),
            "a_text": numbers_text(worth[0]), "b_text": numbers_text(worth[1]),
            "difference_text": [f"{number:+.4g}" for number in change],
        },
        "mean_variation": both.mean, "mean_variation_text": percent_text(both.mean), "total": page.total,
        "offset": offset, "limit": limit, "items": [_difference(both, place, locked) for place in page.places],
    }  # fmt: skip


def _difference(both: Differences, place: int, locked: frozenset[tuple[int, int]]) -> dict[str, Any]:
    before, after = both.first.row(place), both.second.row(place)
    number = place - int(both.names.begin[before.player])
    actions = []
    for one, other in zip(before.actions, after.actions, strict=True):
        change = other.probability - one.probability
        actions.append({
            "label": one.action, "a": one.probability, "b": other.probability, "difference": change,
            "a_text": percent_text(one.probability), "b_text": percent_text(other.probability),
            "difference_text": signed_percent_text(change),
        })  # fmt: skip
    return {
        "key": f"{before.player}:{number}", "player": before.player, "number": number, "name": before.name,
        "variation": float(both.variation[place]), "variation_text": percent_text(both.variation[place]),
        "weighted": float(both.weighted[place]), "frequency_a": finite(before.frequency),
        "frequency_b": finite(after.frequency), "locked": (before.player, number) in locked, "actions": actions,
    }  # fmt: skip
