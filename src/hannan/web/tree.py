"""The tree of a game: a history with its moves, a part of the tree for a drawing, and the search for a set."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from hannan.errors import UnknownNameError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.rules.paths import menus_at, numbered
from hannan.rules.plain import CHANCE, END, movers
from hannan.strategies.seats import inform
from hannan.web.numbers import finite, finites, number_text, numbers_text, percent_text

if TYPE_CHECKING:
    from hannan.measures.tables import SetRow
    from hannan.web.opened import OpenGame, OpenStrategy

MOST_CELLS = 4096
"""The most cells in a matrix of joint moves."""
MOST_NODES = 2000
"""The most histories in one part of the tree."""
LONGEST = 4096
"""The most moves in a path."""
KINDS = {CHANCE: "chance", END: "end"}


def steps_of(path: str) -> list[int]:
    """Return the places of the moves that the text of a path names."""
    parts = path.split(".") if path else []
    if len(parts) > LONGEST or not all(part.isdecimal() and len(part) <= 9 for part in parts):
        raise UnknownNameError(f"{path[:100]!r} is not a path; write the places of the moves with dots, as in 0.2.1")
    return [int(part) for part in parts]


def path_of(steps: list[int]) -> str:
    """Return the text of a path."""
    return ".".join(map(str, steps))


@dataclass(frozen=True)
class Place:
    """A history: the state, and its number if the game is expanded."""

    state: Any
    steps: list[int]
    node: int | None
    earned: tuple[float, ...]
    """The sum of the gains up to this history, included."""


class Tree:
    """A game as the tree view shows it, under a strategy or without one."""

    def __init__(self, opened: OpenGame, strategy: OpenStrategy | None) -> None:
        game = opened.loaded()
        if not isinstance(game, PlayedGame):
            raise UnknownNameError(f"{opened.address} has no tree that could be walked: it can only be played")
        self.opened, self.game, self.rules = opened, game, game.rules
        self.strategy = strategy
        self.tree = game.tree if isinstance(game, ExpandedGame) else None
        self.histories = None
        if strategy is not None:
            strategy.loaded()
            if self.tree is not None and strategy.exact:
                self.histories = strategy.histories

    def at(self, path: str) -> tuple[Place, list[dict[str, Any]]]:
        """Return a history, and a record of each step to it."""
        place = self._root()
        crumbs: list[dict[str, Any]] = [{"path": "", "label": "root", "actor": None}]
        for step in steps_of(path):
            place, label, actor = self.child(place, step)
            crumbs.append({"path": path_of(place.steps), "label": label, "actor": actor})
        return place, crumbs

    def _root(self) -> Place:
        state = self.rules.start()
        return Place(state, [], None if self.tree is None else 0, tuple(map(float, self.rules.gains(state))))

    def child(self, place: Place, step: int) -> tuple[Place, str, str]:
        """Return the history after a move, the name of the move, and its movers."""
        turn, menus = self.rules.turn(place.state), menus_at(self.rules, place.state)
        try:
            if not menus:
                raise IndexError
            move, label = numbered(self.rules, menus, turn, step)
        except IndexError:
            raise UnknownNameError(f"move {step} does not exist at {path_of(place.steps) or 'the root'}") from None
        state = self.rules.after(place.state, move)
        earned = tuple(before + float(gain) for before, gain in zip(place.earned, self.rules.gains(state), strict=True))
        node = None if self.tree is None or place.node is None else int(self.tree.children[place.node]) + step
        return Place(state, [*place.steps, step], node, earned), label, self.actor(turn)

    def actor(self, turn: int | tuple[int, ...]) -> str:
        """Return the names of the movers, or `chance`."""
        names = self.opened.player_names()
        return "chance" if turn == CHANCE else ", ".join(names[player] for player in movers(turn))

    def kind(self, state: Any) -> str:
        """Return the kind of a history: chance, decision, joint or end."""
        turn = self.rules.turn(state)
        return "joint" if isinstance(turn, tuple) else KINDS.get(turn, "decision")

    def sets_at(self, place: Place) -> list[int] | None:
        """Return the numbers, counted over all players, of the movers' sets; None if the game is not expanded."""
        if self.tree is None or place.node is None:
            return None
        low, high = int(self.tree.slot_begin[place.node]), int(self.tree.slot_begin[place.node + 1])
        begin = self.opened.names.begin
        who = movers(self.rules.turn(place.state))
        return [int(begin[player]) + int(slot) for player, slot in zip(who, self.tree.slots[low:high], strict=True)]

    def rows(self, place: Place) -> list[SetRow] | None:
        """Return the movers' information sets under the strategy; None without exact numbers."""
        numbers = self.sets_at(place)
        if numbers is None or self.histories is None or self.strategy is None:
            return None
        return [self.strategy.sets.row(number) for number in numbers]

    def plays(self, place: Place) -> list[Any] | None:
        """Return the probabilities of each mover, from the strategy played up to here; None without a strategy."""
        if self.strategy is None:
            return None
        given = self.strategy.loaded()
        seats = [given.sit(player, player) for player in range(self.game.players)]
        here, answers = self._root(), list[Any]()
        for step in [*place.steps, -1]:
            turn, menus = self.rules.turn(here.state), menus_at(self.rules, here.state)
            answers = []
            for player, menu in menus if turn not in (CHANCE, END) else ():
                inform(seats[player], self.rules, here.state, player)
                answers.append(seats[player].choose(self.rules.observe(here.state, player), menu).weights)
            if step < 0:
                return answers
            rest = step
            for player, menu in reversed(menus if turn != CHANCE else []):
                rest, k = divmod(rest, len(menu))
                seats[player].took(k)
            here, _, _ = self.child(here, step)
        return answers

    def reach(self, node: int | None) -> float | None:
        """Return the probability that play reaches a history; None without exact numbers."""
        return None if self.histories is None or node is None else finite(self.histories.reach[node])

    def utilities(self, node: int | None, before: tuple[float, ...], gains: Any) -> list[float | None] | None:
        """Return each player's expected utility of the whole play; `before` includes the gains of this history."""
        if self.histories is None or node is None:
            return None
        value = self.histories.value[node].tolist()
        return finites(total - float(gain) + worth for total, gain, worth in zip(before, gains, value, strict=True))


def node_record(tree: Tree, path: str, offset: int, limit: int) -> dict[str, Any]:
    """Return a history with a page of its moves."""
    place, crumbs = tree.at(path)
    rules, turn = tree.rules, tree.rules.turn(place.state)
    who = list(movers(turn))
    gains = [float(gain) for gain in rules.gains(place.state)]
    utilities = tree.utilities(place.node, place.earned, gains)
    rows = tree.rows(place)
    menus = menus_at(rules, place.state)
    total = prod(len(menu) for _, menu in menus) if menus else 0
    shares = _shares(tree, place, rows, turn)
    indices = range(offset, min(offset + limit, total))
    moves = [_move(tree, place, menus, turn, index, shares, rows) for index in indices]
    matrix = None
    if len(menus) == 2 and total <= MOST_CELLS:
        matrix = _matrix(tree, place, menus, turn, shares, rows)
    return {
        "game": tree.opened.id, "path": path_of(place.steps),
        "text": ":".join(["r", *(crumb["label"] for crumb in crumbs[1:])]), "crumbs": crumbs,
        "kind": tree.kind(place.state), "movers": who, "gains": gains,
        "earned": finites(place.earned), "earned_text": numbers_text(place.earned), "reach": tree.reach(place.node),
        "utilities": utilities, "utilities_text": numbers_text(utilities), "sets": _sets(tree, place, who, rows),
        "board": rules.board_text(place.state, who[0]) if len(who) == 1 else "",
        "moves": {"total": total, "offset": offset, "limit": limit, "items": moves}, "matrix": matrix,
    }  # fmt: skip


def _sets(tree: Tree, place: Place, who: list[int], rows: list[SetRow] | None) -> list[dict[str, Any]]:
    numbers, names = tree.sets_at(place), tree.opened.names if tree.tree is not None else None
    found = []
    for k, player in enumerate(who):
        row = None if rows is None else rows[k]
        number = None if numbers is None or names is None else numbers[k] - int(names.begin[player])
        seen = tree.rules.observation_text(player, tree.rules.observe(place.state, player))
        name = names.names[numbers[k]] if names is not None and numbers is not None else seen
        entropy = None
        if row is not None and tree.strategy is not None and numbers is not None:
            entropy = finite(tree.strategy.sets.entropy[numbers[k]])
        found.append({
            "key": f"{player}:{'' if number is None else number}", "player": player, "number": number, "name": name,
            "histories": None if number is None else tree.opened.count(player, number),
            "reach": None if row is None else finite(row.reach), "entropy": entropy,
            "frequency": None if row is None else finite(row.frequency),
            "value": None if row is None else finite(row.value),
            "value_text": number_text(None if row is None else row.value),
        })  # fmt: skip
    return found


def _shares(tree: Tree, place: Place, rows: list[SetRow] | None, turn: Any) -> list[Any] | None:
    """Return the probabilities of each mover's actions, or of chance's outcomes; None if they are not known."""
    if turn == CHANCE:
        return [np.array([odds for _, odds in tree.rules.chance(place.state)], np.float64)]
    if rows is not None:
        return [np.array([action.probability for action in row.actions]) for row in rows]
    return tree.plays(place) if turn != END else None


def _move(
    tree: Tree, place: Place, menus: Any, turn: Any, index: int, shares: list[Any] | None, rows: list[SetRow] | None
) -> dict[str, Any]:
    after, label, actor = tree.child(place, index)
    probability = _joint(shares, menus, index)
    row = rows[0] if rows is not None and len(rows) == 1 else None
    action = None if row is None else row.actions[index]
    value = None if row is None or action is None else _sum(row.value, action.regret)
    text = ""
    if len(menus) == 1 and turn != CHANCE:
        text = tree.rules.action_help(menus[0][0], menus[0][1][index])
    gains = tree.rules.gains(after.state)
    utilities = tree.utilities(after.node, after.earned, gains)
    return {
        "index": index, "path": path_of(after.steps), "label": label, "help": text, "actor": actor,
        "probability": probability, "probability_text": percent_text(probability), "reach": tree.reach(after.node),
        "value": value, "value_text": number_text(value),
        "regret": None if action is None else finite(action.regret),
        "regret_text": number_text(None if action is None else action.regret),
        "utilities": utilities, "utilities_text": numbers_text(utilities), "kind": tree.kind(after.state),
    }  # fmt: skip


def _sum(value: float | None, regret: float | None) -> float | None:
    return None if value is None or regret is None else finite(value + regret)


def _joint(shares: list[Any] | None, menus: Any, index: int) -> float | None:
    """Return the probability of a move, which is a joint one if there are several menus."""
    if shares is None:
        return None
    chance, rest = 1.0, index
    for share, (_, menu) in zip(reversed(shares), reversed(menus), strict=True):
        rest, k = divmod(rest, len(menu))
        chance *= float(share[k])
    return finite(chance)


def _matrix(
    tree: Tree, place: Place, menus: Any, turn: Any, shares: list[Any] | None, rows: list[SetRow] | None
) -> dict[str, Any]:
    sides = []
    for side, (player, menu) in enumerate(menus):
        row = None if rows is None else rows[side]
        listed = []
        for k, action in enumerate(menu):
            share = None if shares is None else finite(shares[side][k])
            regret = None if row is None else finite(row.actions[k].regret)
            value = None if row is None else _sum(row.value, row.actions[k].regret)
            listed.append({
                "label": tree.rules.action_text(player, action), "help": tree.rules.action_help(player, action),
                "probability": share, "probability_text": percent_text(share), "value": value,
                "value_text": number_text(value), "regret": regret, "regret_text": number_text(regret),
            })  # fmt: skip
        sides.append(listed)
    width, cells = len(menus[1][1]), []
    for index in range(len(menus[0][1]) * width):
        move = _move(tree, place, menus, turn, index, shares, None)
        kept = (
            "index", "path", "probability", "probability_text", "reach", "utilities", "utilities_text", "kind",
        )  # fmt: skip
        cells.append({name: move[name] for name in kept})
    table = [cells[k : k + width] for k in range(0, len(cells), width)]
    return {"players": [player for player, _ in menus], "rows": sides[0], "columns": sides[1], "cells": table}


def subtree_record(tree: Tree, path: str, depth: int, breadth: int) -> dict[str, Any]:
    """Return a part of the tree, parents first; deeper histories are cut first."""
    place, crumbs = tree.at(path)
    nodes: list[dict[str, Any]] = []
    shared: dict[str, dict[str, Any]] = {}
    waiting: deque[tuple[Place, int, str | None, str, str | None, float | None]] = deque()
    above = None if not place.steps else path_of(place.steps[:-1])
    odds = None
    if above is not None:
        before, _ = tree.at(above)
        menus, turn = menus_at(tree.rules, before.state), tree.rules.turn(before.state)
        odds = _joint(_shares(tree, before, tree.rows(before), turn), menus, place.steps[-1])
    waiting.append((place, 0, above, crumbs[-1]["label"], crumbs[-1]["actor"], odds))
    cut = False
    while waiting:
        here, level, parent, label, actor, chance = waiting.popleft()
        menus, turn = menus_at(tree.rules, here.state), tree.rules.turn(here.state)
        children = prod(len(menu) for _, menu in menus) if menus else 0
        shown = min(children, breadth) if level < depth else 0
        if len(nodes) + len(waiting) + 1 + shown > MOST_NODES:
            shown, cut = 0, True
        who = movers(turn)
        key, named = None, None
        if len(who) == 1:
            one = _sets(tree, here, list(who), None)[0]
            key, named = one["key"], one["name"]
            if one["number"] is not None:
                group = shared.setdefault(key, {name: one[name] for name in ("key", "player", "number", "name")})
                group.setdefault("paths", []).append(path_of(here.steps))
        gains = [float(gain) for gain in tree.rules.gains(here.state)]
        nodes.append({
            "path": path_of(here.steps), "parent": parent, "index": here.steps[-1] if here.steps else None,
            "label": label, "actor": actor, "kind": tree.kind(here.state), "player": who[0] if len(who) == 1 else None,
            "set": key, "name": named, "gains": gains, "earned_text": numbers_text(here.earned),
            "probability": chance, "probability_text": percent_text(chance), "reach": tree.reach(here.node),
            "utilities": tree.utilities(here.node, here.earned, gains), "children": children, "shown": shown,
        })  # fmt: skip
        if shown:
            shares = _shares(tree, here, tree.rows(here), turn)
            for index in range(shown):
                after, text, mover = tree.child(here, index)
                odds = _joint(shares, menus, index)
                waiting.append((after, level + 1, path_of(here.steps), text, mover, odds))
    groups = [group for group in shared.values() if len(group["paths"]) > 1]
    return {"root": path_of(place.steps), "cut": cut, "nodes": nodes, "sets": groups}


def found_sets(opened: OpenGame, text: str, player: int | None, offset: int, limit: int) -> dict[str, Any]:
    """Return the information sets that match a name, a part of a name, a pattern or a path of play."""
    opened.loaded()
    game, names = opened.expanded, opened.names
    if text == "r" or text.startswith("r:"):
        places = []
        for one in range(game.players) if player is None else [player]:
            try:
                places += [int(names.begin[one]) + number for number in game.find_sets(one, text)]
            except UnknownNameError:
                continue
        total, kept = len(places), places[offset : offset + limit]
    else:
        meant = np.flatnonzero(names.matching(text, player))
        exact = [place for place in meant.tolist() if names.names[place] == text] if len(meant) < 10_000 else []
        ordered = np.concatenate((np.array(exact, np.int64), np.setdiff1d(meant, exact))) if exact else meant
        total, kept = len(ordered), ordered[offset : offset + limit].tolist()
    return {"total": total, "offset": offset, "limit": limit, "items": [_found(opened, place) for place in kept]}


def _found(opened: OpenGame, place: int) -> dict[str, Any]:
    names, game = opened.names, opened.expanded
    player = names.player(place)
    number = place - int(names.begin[player])
    node = int(game.tree.treeplexes[player].node[number])
    return {
        "key": f"{player}:{number}", "player": player, "number": number, "name": names.names[place],
        "path": path_of(game.tree.path(node)), "text": game.tree.path_text(node),
    }  # fmt: skip
