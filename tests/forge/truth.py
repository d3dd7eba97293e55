"""True gaps by enumeration: of the strategies as a user reads them from a file, by the names that it holds.

Shares no code with what certifies or verifies; the games are walked by `tests.reference`. At sets that the file does
not name play is uniform.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from tests.forge.kit import Forged
from tests.reference import Key, Plan, Tree, best_value, values

Texts = tuple[tuple[str, str], ...]
Table = dict[tuple[int, Texts, str], dict[str, float]]
"""By player, what it has seen and done, and what it sees now: the probability of each action. All as texts."""


def tables(forged: Forged) -> list[Table]:
    """Return the profiles of a file, one where it is not correlated, as its names say them."""
    arrays, names, players = forged.arrays, forged.facts["names"], forged.facts["players"]
    rows = [np.atleast_2d(arrays[f"strategy{player}"]) for player in range(players)]
    ends = np.cumsum(arrays["menu_size"]).tolist()
    menus = [
        [names["actions"][code] for code in arrays["menu_action"][end - size : end]]
        for end, size in zip(ends, arrays["menu_size"].tolist(), strict=True)
    ]
    read = []
    for k in range(len(rows[0])):
        table: Table = {}
        for player in range(players):
            _read(forged, player, rows[player][k].tolist(), menus, table)
        read.append(table)
    return read


def _read(forged: Forged, player: int, plays: list[float], menus: list[list[str]], table: Table) -> None:
    columns = ("parent", "observation", "first", "size", "menu")
    histories: dict[int, Texts] = {0: ()}
    for row in zip(*(forged.arrays[f"set{player}_{name}"].tolist() for name in columns), strict=True):
        parent, code, first, size, menu = row
        seen, history = forged.facts["names"]["observations"][code], histories[parent]
        given = plays[first : first + size]
        table[player, history, seen] = {name: p / sum(given) for name, p in zip(menus[menu], given, strict=True)}
        for k, name in enumerate(menus[menu]):
            histories[first + k] = (*history, (seen, name))


def plan_of(tree: Tree, table: Table) -> Plan:
    """Return a plan of the true game, uniform where the table knows no set with these actions."""
    plan = tree.uniform()
    for key in plan:
        player, history, seen = key
        told = table.get((player, tuple((repr(o), repr(a)) for o, a in history), repr(seen)))
        if told is not None:
            plan[key] = _by_name(tree, key, told)
    return plan


def _by_name(tree: Tree, key: Key, told: dict[str, float]) -> dict[Hashable, float]:
    menu = tree.menus[key]
    if set(told) != {repr(action) for action in menu}:
        return {action: 1 / len(menu) for action in menu}
    return {action: told[repr(action)] for action in menu}


def true_gap(tree: Tree, forged: Forged) -> float:
    """Return the NashConv of the strategies in a file; of correlated play, the most that a player can add."""
    plans = [plan_of(tree, table) for table in tables(forged)]
    plays = [(1 / len(plans), plan) for plan in plans]
    each = np.mean([values(tree, plan) for plan in plans], axis=0)
    gains: Any = [best_value(tree, player, plays) - each[player] for player in range(tree.players)]
    return float(max(gains) if forged.correlated else sum(gains))
