"""A game and its OpenSpiel version: information sets are matched by walking both trees together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, Game
from hannan.forms.tree import CHANCE_TURN, ROOT, TERMINAL
from hannan.games import catalogue
from hannan.interop.openspiel.games import load_theirs
from hannan.interop.openspiel.look import CHANCE_PLAYER, TERMINAL_PLAYER
from hannan.interop.openspiel.rules import SIMULTANEOUS, SpielRules
from hannan.rules.paths import move_at, moves_at

WRAPPED = "Current player: "
"""The start of the line that OpenSpiel's turn-based form of a game adds before an information state."""


@dataclass(frozen=True)
class MatchedSet:
    """One of our information sets, and the same set in OpenSpiel."""

    player: int
    number: int
    state: Any
    """An OpenSpiel state in which the player moves at the set."""
    name: str
    """The information state of the player in `state`."""
    actions: tuple[int, ...]
    """OpenSpiel's numbers of our actions, in our order."""


def openspiel_address(game: Game) -> str | None:
    """Return OpenSpiel's name of this game, if OpenSpiel has exactly the same game; else None."""
    pairs = catalogue.entry(game.name).openspiel.items() if game.built_in else ()
    return next((theirs for ours, theirs in pairs if catalogue.canonical(ours) == game.address), None)


_twins: WeakKeyDictionary[ExpandedGame, Any] = WeakKeyDictionary()
_matches: WeakKeyDictionary[ExpandedGame, tuple[Any, list[MatchedSet]]] = WeakKeyDictionary()
"""For each game: its OpenSpiel version; and the last OpenSpiel game that it was matched with, with the matched sets."""


def twin(game: ExpandedGame) -> Any:
    """Return the OpenSpiel version of a game: the game that ours was loaded from, or one that is known to be equal."""
    if isinstance(game.rules, SpielRules):
        return game.rules.theirs
    if game not in _twins:
        _twins[game] = _load_twin(game)
    return _twins[game]


def _load_twin(game: ExpandedGame) -> Any:
    address = openspiel_address(game)
    if address is None:
        raise UnsuitableError(
            f"OpenSpiel has no game that is known to equal {game.address}: give OpenSpiel's game, or make one with "
            "hn.interop.to_openspiel_game"
        )
    return load_theirs(address)


def matched(game: ExpandedGame, theirs: Any) -> list[MatchedSet]:
    """Return every information set with its OpenSpiel set; refuse a game with another tree or other returns.

    OpenSpiel's game may have a joint move as one node, or as one node per player. Actions are matched in their order,
    whatever their names: the match is correct if all ends of play have equal returns. Both trees are walked once; a
    second call with the same two games returns the stored sets. A game that was loaded from `theirs` is not walked.
    """
    if game not in _matches or _matches[game][0] is not theirs:
        same = isinstance(game.rules, SpielRules) and game.rules.theirs is theirs
        _matches[game] = theirs, _own_sets(game) if same else _Matching(game, theirs).sets
    return _matches[game][1]


def _own_sets(game: ExpandedGame) -> list[MatchedSet]:
    """List the sets of an OpenSpiel game, each with the state of its first history."""
    tree, rules = game.tree, game.rules
    states: dict[int, Any] = {ROOT: rules.start()}
    sets = []
    for player, plex in enumerate(tree.treeplexes):
        for number, node in enumerate(plex.node.tolist()):
            line = [node]
            while line[-1] not in states:
                line.append(int(tree.parent[line[-1]]))
            for above, below in zip(line[:0:-1], line[-2::-1], strict=True):
                move, _ = move_at(rules, states[above], below - int(tree.children[above]))
                states[below] = rules.after(states[above], move)
            state = states[node]
            actions: tuple[Any, ...] = tuple(rules.actions(state, player))
            sets.append(MatchedSet(player, number, state, state.information_state_string(player), actions))
    return sets


class _Matching:
    def __init__(self, game: ExpandedGame, theirs: Any) -> None:
        if not callable(getattr(theirs, "new_initial_state", None)):
            raise ParameterError(f"theirs={shown(theirs)} is not an OpenSpiel game; pyspiel.load_game returns one")
        self.game, self.tree, self.theirs = game, game.tree, theirs
        self.sets: list[MatchedSet] = []
        self.met: dict[tuple[int, int], MatchedSet] = {}
        pending: list[Any] = [(0, game.rules.start(), theirs.new_initial_state(), (0.0,) * game.players)]
        while pending:
            node, state, other, gained = pending.pop()
            self._match(node, state, other, gained, pending)

    def _match(self, node: int, state: Any, theirs: Any, before: tuple[float, ...], pending: list[Any]) -> None:
        """Match a history; `before` holds the gains of the players before it."""
        turn, who, rules = int(self.tree.turn[node]), int(theirs.current_player()), self.game.rules
        total = tuple(map(sum, zip(before, rules.gains(state), strict=True)))
        if turn == TERMINAL or who == TERMINAL_PLAYER:
            if not (turn == TERMINAL and who == TERMINAL_PLAYER and np.allclose(total, theirs.returns(), 1e-6, 1e-6)):
                raise self._another(node)
            return
        first = int(self.tree.children[node])
        following = [rules.after(state, move) for move, _ in moves_at(rules, state)]
        if turn == CHANCE_TURN:
            outcomes = theirs.chance_outcomes() if who == CHANCE_PLAYER else []
            ours = self.tree.probability[first : first + len(following)]
            if len(outcomes) != len(following) or any(
                abs(one - other) > 1e-9 for one, (_, other) in zip(ours, outcomes, strict=True)
            ):
                raise self._another(node)
            pending.extend(
                (first + k, after, theirs.child(outcome), total)
                for k, (after, (outcome, _)) in enumerate(zip(following, outcomes, strict=True))
            )
            return
        movers = [player for player in range(self.game.players) if turn >> player & 1]
        branches = self._joint(node, movers, theirs) if who == SIMULTANEOUS else [(0, theirs)]
        if who != SIMULTANEOUS:
            for slot, player in enumerate(movers):
                branches = [
                    (number * len(menu) + k, other.child(action))
                    for number, other in branches
                    for menu in (self._menu(node, slot, player, other),)
                    for k, action in enumerate(menu)
                ]
        pending.extend((first + number, following[number], other, total) for number, other in branches)

    def _joint(self, node: int, movers: list[int], theirs: Any) -> list[tuple[int, Any]]:
        joints: list[tuple[int, list[int]]] = [(0, [0] * self.game.players)]
        for slot, player in enumerate(movers):
            menu = self._menu(node, slot, player, theirs)
            joints = [
                (number * len(menu) + k, [*joint[:player], action, *joint[player + 1 :]])
                for number, joint in joints
                for k, action in enumerate(menu)
            ]
        branches = []
        for number, joint in joints:
            after = theirs.clone()
            after.apply_actions(joint)
            branches.append((number, after))
        return branches

    def _menu(self, node: int, slot: int, player: int, theirs: Any) -> tuple[int, ...]:
        """Match a set, and return OpenSpiel's actions there."""
        number = int(self.tree.slots[int(self.tree.slot_begin[node]) + slot])
        if int(theirs.current_player()) not in (player, SIMULTANEOUS):
            raise self._another(node)
        name, menu = theirs.information_state_string(player), tuple(theirs.legal_actions(player))
        known = self.met.get((player, number))
        if known is None:
            begin = self.tree.treeplexes[player].begin
            if len(menu) != int(begin[number + 1] - begin[number]):
                raise self._another(node)
            known = self.met[player, number] = MatchedSet(player, number, theirs, name, menu)
            self.sets.append(known)
        elif known.actions != menu or known.name != name:
            raise self._another(node)
        return menu

    def _another(self, node: int) -> MismatchError:
        return MismatchError(
            f"{self.theirs} of OpenSpiel is not {self.game.address}: they differ at {self.tree.path_text(node)}"
        )
