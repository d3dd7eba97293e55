"""A report on the trunk of a certificate: draws and radius of each group of chance nodes, nodes of each set.

It proves nothing; `hannan.verify` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.certificates.files import KIND, restored
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.trunk import LEAF, NONE, Trunk
from hannan.files import read_arrays, understanding
from hannan.forms.game import Game, PlayedGame

READABLE = "a certificate that this hannan can read"


@dataclass(frozen=True)
class TrunkRow:
    """A group of chance nodes, or an information set, of a trunk."""

    kind: Literal["chance", "set"]
    player: int | None
    """The player of the set; None for chance."""
    name: str
    count: int | None
    """The number of draws; None for a set."""
    radius: float | None
    """How far frequencies may be from the probabilities, 0 if those are known; None for a set."""
    nodes: int
    """The number of its nodes in the trunk."""
    leaves: int
    """The number of their children that play has not reached."""


@dataclass(frozen=True)
class TrunkReport:
    """The counts of a certificate."""

    facts: dict[str, Any]
    """The statements of the file."""
    nodes: int
    expanded: int
    unknown: int
    """Groups of chance nodes whose distribution is not known."""
    rows: tuple[TrunkRow, ...]

    @property
    def sets(self) -> int:
        """The number of information sets."""
        return sum(row.kind == "set" for row in self.rows)


def trunk_report(path: str | PathLike[str], game: Game | None = None) -> TrunkReport:
    """Read a certificate, and return how well each part of its trunk is known.

    game: the certified game. With it, observations and actions of compiled rules have their names, else their codes.
    """
    arrays, facts = read_arrays(path, KIND)
    with understanding(path, READABLE):
        players, radius = int(facts["players"]), facts["radius"]
        trunk = restored(players, arrays, facts["names"])
        rho, _ = Confidence(radius, float(facts["confidence"])).estimates(trunk, int(facts["playthroughs"]))
        rows = [*_chance(trunk, rho), *(row for player in range(players) for row in _sets(trunk, player, game))]
    return TrunkReport(facts, trunk.nodes.used, trunk.expanded, trunk.unknown, tuple(rows))


def _chance(trunk: Trunk, rho: Floats) -> list[TrunkRow]:
    """Return the groups of chance nodes, named by their key, else by the number of their first node."""
    keys = {group: trunk.keys.text(code) for code, group in trunk.grouped.items()}
    group, samples = trunk.nodes.view("group"), trunk.groups.view("samples").tolist()
    nodes, leaves = _counted(trunk, group, len(samples))
    first = np.full(len(samples), -1, np.int64)
    places = np.flatnonzero(group != NONE)[::-1]
    first[group[places]] = places
    return [
        TrunkRow("chance", None, keys.get(number) or f"node {first[number]}", drawn, radius, many, left)
        for number, (drawn, radius, many, left) in enumerate(
            zip(samples, rho.tolist(), nodes.tolist(), leaves.tolist(), strict=True)
        )
    ]


def _sets(trunk: Trunk, player: int, game: Game | None) -> list[TrunkRow]:
    """Return the information sets of a player, named by its observations and actions."""
    rules = game.rules if isinstance(game, PlayedGame) and game.coded else None

    def seen_text(code: int) -> str:
        text = trunk.observations.text(code)
        return text if rules is None else rules.observation_text(player, int(text))

    def action_text(code: int) -> str:
        text = trunk.actions.text(code)
        return text if rules is None else rules.action_text(player, int(text))

    rows = trunk.sets[player].rows
    begin, parents, menus = rows.view("first"), rows.view("parent").tolist(), rows.view("menu").tolist()
    nodes, leaves = _counted(trunk, trunk.nodes.view("set")[:, player], rows.used)
    names: list[str] = []
    for parent, observation in zip(parents, rows.view("observation").tolist(), strict=True):
        own = seen_text(observation)
        if parent > 0:
            owner = int(np.searchsorted(begin, parent, "right")) - 1
            action = action_text(trunk.menus[menus[owner]][parent - int(begin[owner])])
            own = f"{names[owner]} {action} {own}"
        names.append(own)
    return [
        TrunkRow("set", player, name, None, None, many, left)
        for name, many, left in zip(names, nodes.tolist(), leaves.tolist(), strict=True)
    ]


def _counted(trunk: Trunk, owner: Any, many: int) -> tuple[Longs, Longs]:
    """Return how many nodes belong to each of `many` owners, and how many of their children are leaves."""
    above, kind = trunk.nodes.view("parent"), trunk.nodes.view("kind")
    nodes = np.bincount(owner[owner != NONE], minlength=many)
    owners = owner[above[(kind == LEAF) & (above != NONE)]]
    return nodes, np.bincount(owners[owners != NONE], minlength=many)
