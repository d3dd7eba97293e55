"""Gambit records of expanded games: a tree, with joint moves made one after another, or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from hannan.exports.gambit.numbers import fraction, odds
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame, Game
from hannan.forms.tree import CHANCE_TURN, TERMINAL
from hannan.interop.gambit.record import CHANCE, EfgGame, NfgGame, StatedSet
from hannan.interop.gambit.record import TERMINAL as LEAF
from hannan.interop.gambit.rules import EfgRules, NfgRules
from hannan.interop.gambit.text import different
from hannan.rules.exact import ExactRules
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE as CHANCE_PLAYER
from hannan.solvers.exact.normalform import normal_form


class _Place(NamedTuple):
    """A position of the walk: a node, and the movers that have not chosen yet."""

    node: int
    state: Any
    moves: list[Any] | None
    """The moves at the node; None if no mover has chosen yet."""
    left: tuple[int, ...]
    """The movers that have not chosen yet."""
    joint: int
    """The number of the joint move so far."""
    place: int
    """The place in the record's list of children."""


@dataclass(frozen=True)
class TreeRecord:
    """The Gambit tree of a game, and our set for each of its sets."""

    game: EfgGame
    sets: list[tuple[int, int]]
    """Player and number of our set; (-1, -1) for a chance node."""


def efg_record(game: Game) -> EfgGame:
    """Return the Gambit tree of a game. A game from a Gambit file keeps the tree of the file."""
    rules = getattr(game, "rules", None) if type(game) in (ExpandedGame, ForgetfulGame) else None
    if isinstance(rules, EfgRules) and not rules.split:
        return rules.game
    if isinstance(game, ForgetfulGame):
        return _Writing(game.refined, game.stated_set).record.game
    return tree_record(game.expanded()).game


def nfg_record(game: Game) -> NfgGame:
    """Return a game as a table: the table of its Gambit file, or the reduced normal form."""
    if type(game) is ExpandedGame and isinstance(game.rules, NfgRules):
        return game.rules.game
    expanded = game.expanded()
    form = normal_form(expanded)
    names = [
        tuple(_plan(form, player, number) for number in range(len(form.plans[player])))
        for player in range(form.players)
    ]
    rows = form.payoffs.reshape(form.players, -1, order="F").T.tolist()  # the first player's plan varies fastest
    payoffs = [tuple(fraction(number) for number in row) for row in rows]
    return NfgGame(expanded.address, player_names(expanded), names, payoffs=payoffs)


def _plan(form: Any, player: int, number: int) -> str:
    """Return the text of a plan; if the player has only one set, the action alone."""
    if form.game.form.treeplexes[player].sets == 1:
        return str(form.game.action_text(player, 1 + number))
    return str(form.plan_text(player, number))


def player_names(game: ExpandedGame) -> list[str]:
    """Return the names of the players from the Gambit file, or `player` with their numbers."""
    rules = game.rules
    if isinstance(rules, EfgRules | NfgRules):
        return list(rules.game.players)
    return [f"player {player}" for player in range(game.players)]


def tree_record(game: ExpandedGame) -> TreeRecord:
    """Return the Gambit tree of a game; in a joint move, players move one after another and do not see each other."""
    return _Writing(game).record


class _Writing:
    """A walk over a tree in the order of a file, each node before its children."""

    def __init__(self, game: ExpandedGame, stated: Callable[[int, int], str] | None = None) -> None:
        """stated: if a player forgets, returns the name of the stated set that contains one of our sets."""
        self.stated = stated
        self.of, self.tree, self.rules = game, game.tree, game.rules
        title = game.rules.game.title if isinstance(game.rules, EfgRules | NfgRules) else game.address
        self.game = EfgGame(title, player_names(game))
        self.exact = game.rules if isinstance(game.rules, ExactRules) else None
        self.record = TreeRecord(self.game, [])
        self.places: dict[tuple[int, int | str], int] = {}
        self.names: set[tuple[int, str]] = set()
        self.counts = [0] * (game.players + 1)
        self.outcomes: dict[str, int] = {}
        self.gained = {int(node): row for row, node in enumerate(self.tree.gain_node)}
        pending = [_Place(0, self.rules.start(), None, (), 0, -1)]
        while pending:
            self._visit(pending.pop(), pending)

    def _movers(self, node: int) -> tuple[int, ...]:
        turn = max(int(self.tree.turn[node]), 0)
        return tuple(player for player in range(self.tree.players) if turn >> player & 1)

    def _visit(self, at: _Place, pending: list[_Place]) -> None:
        game, tree, node = self.game, self.tree, at.node
        if at.place >= 0:
            game.child[at.place] = len(game.player)
        game.child_begin.append(len(game.child))
        moves, left = at.moves, at.left
        if moves is None:
            moves, left = [move for move, _ in moves_at(self.rules, at.state)], self._movers(node)
            game.outcome_of.append(self._outcome(node, at.state))
        else:
            game.outcome_of.append(-1)
        turn = int(tree.turn[node])
        if turn == TERMINAL:
            game.player.append(LEAF)
            game.set_of.append(-1)
            return
        stated = self._chance(node, at.state, moves) if turn == CHANCE_TURN else self._set(node, left[0])
        game.player.append(game.sets[stated].player)
        game.set_of.append(stated)
        many, first = len(game.sets[stated].actions), len(game.child)
        game.child.extend([0] * many)
        for k in reversed(range(many)):
            joint = at.joint * many + k
            if len(left) > 1:
                pending.append(_Place(node, at.state, moves, left[1:], joint, first + k))
            else:
                after = self.rules.after(at.state, moves[joint])
                pending.append(_Place(int(tree.children[node]) + joint, after, None, (), 0, first + k))

    def _outcome(self, node: int, state: Any) -> int:
        if (row := self.gained.get(node)) is None:
            return -1
        gains: list[Fraction] = (
            [fraction(gain) for gain in self.tree.gain[row].tolist()]
            if self.exact is None
            else list(self.exact.exact_gains(state))
        )
        written = ", ".join(map(str, gains))
        place = self.outcomes.setdefault(written, len(self.outcomes))
        if place == len(self.game.payoffs):
            self.game.payoffs.append(written)
        return place

    def _chance(self, node: int, state: Any, moves: list[Any]) -> int:
        tree, first, last = self.tree, int(self.tree.children[node]), int(self.tree.children[node + 1])
        weights = (
            odds(tree.probability[first:last].tolist()) if self.exact is None else tuple(self.exact.exact_odds(state))
        )
        names = different([self.rules.action_text(CHANCE_PLAYER, outcome) for outcome in moves])
        return self._add(StatedSet(CHANCE, 0, "", names, weights), (-1, -1))

    def _set(self, node: int, player: int) -> int:
        earlier = self._movers(node).index(player)
        number = int(self.tree.slots[int(self.tree.slot_begin[node]) + earlier])
        key = (player, number if self.stated is None else self.stated(player, number))
        place = self.places.get(key)
        if place is None:
            name = self.of.set_text(player, number) if self.stated is None else str(key[1])
            actions = different(self.of.actions_at(player, number))
            if (player, name) in self.names:  # pygambit requires different names
                name = f"{name} ({number})"
            self.names.add((player, name))
            place = self.places[key] = self._add(StatedSet(player + 1, 0, name, actions), (player, number))
        return place

    def _add(self, stated: StatedSet, ours: tuple[int, int]) -> int:
        """Add a set with the next number of its player."""
        self.counts[stated.player] += 1
        stated.number = self.counts[stated.player]
        self.game.sets.append(stated)
        self.record.sets.append(ours)
        return len(self.game.sets) - 1
