"""Conversion of strategies to OpenSpiel policies, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.exports.openspiel.counterpart import WRAPPED, matched, twin
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.objects import is_a
from hannan.interop.openspiel.rules import SpielRules
from hannan.libraries import library
from hannan.rules.plain import CHANCE, movers
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

Table = dict[str, list[tuple[int, float]]]
"""A policy in OpenSpiel's form: at each information state, the probabilities of numbered actions."""


def to_openspiel(strategy: Given, theirs: Any | None = None) -> Any:
    """Return a strategy as an OpenSpiel policy (`open_spiel.python.policy.Policy`), for OpenSpiel's evaluation.

    theirs: OpenSpiel's version of the game. Default: the game that ours was loaded from, or that is known to be the
    same. The policy takes states of the game and of its turn-based form. If the game is not expanded, it must be an
    OpenSpiel game.
    """
    strategy = strategy_of(strategy)
    if isinstance(strategy, Policy):
        if not isinstance(strategy.game, PlayedGame) or not isinstance(strategy.game.rules, SpielRules):
            raise UnsuitableError(
                f"{strategy.game.address} is not an OpenSpiel game, so OpenSpiel cannot use its policy; if the game "
                "can be expanded, give the policy's `profile()`"
            )
        return _followed(strategy, strategy.game.rules)
    profile = strategy.profile()
    game = twin(profile.game) if theirs is None else theirs
    table: dict[tuple[int, str], dict[int, float]] = {}
    for player, name, plays in _rows(profile, game):
        table[player, _unwrapped(name)] = dict(plays)
    return _tabular(game, table)


def openspiel_table(profile: Given, theirs: Any | None = None) -> Table:
    """Return a profile as a table by information state, for `pyspiel.nash_conv` and `pyspiel.exploitability`.

    theirs: as in `to_openspiel`; if moves are simultaneous, the turn-based form of the game.
    """
    profile = strategy_of(profile).profile()
    game = twin(profile.game) if theirs is None else theirs
    table: Table = {}
    for player, name, plays in _rows(profile, game):
        if table.setdefault(name, plays) != plays:
            raise UnsuitableError(
                f"player {player} and another player share the information state {name!r}: give the turn-based form "
                "of the game, in which they do not"
            )
    return table


def from_openspiel(game: Loadable, policy: Any, theirs: Any | None = None) -> Profile:
    """Return an OpenSpiel policy as a profile: a Python or C++ `Policy`, or a table by information state.

    theirs: the game of the policy, as in `to_openspiel`. The first call for a game walks its tree together with
    OpenSpiel's; later calls with the same game, or the same address, only query the policy.
    """
    if not isinstance(policy, Mapping) and not callable(getattr(policy, "action_probabilities", None)):
        raise ParameterError(f"policy={shown(policy)} is neither an OpenSpiel policy nor a table by information state")
    ours = _last_named(game) if isinstance(game, str) else load_expanded(game)
    strategies = [np.ones(plex.sequences) for plex in ours.form.treeplexes]
    for one in matched(ours, twin(ours) if theirs is None else theirs):
        begin, plays = int(ours.form.treeplexes[one.player].begin[one.number]), _plays(policy, one)
        strategies[one.player][begin : begin + len(one.actions)] = [plays.get(action, 0.0) for action in one.actions]
    try:
        return Profile(ours, tuple(strategies), {"method": "openspiel"})
    except ParameterError as error:
        raise MismatchError(f"the policy does not fit {ours.address}: {error}") from error


@lru_cache(maxsize=1)
def _last_named(address: str) -> ExpandedGame:
    """Return the game of an address; the last game is cached, together with its matched sets."""
    return load_expanded(address)


def _plays(policy: Any, one: Any) -> dict[int, float]:
    if isinstance(policy, Mapping):
        for name in (one.name, _unwrapped(one.name)):
            if name in policy:
                given = policy[name]
                try:
                    return dict(given.items() if isinstance(given, Mapping) else given)
                except (TypeError, ValueError):
                    raise MismatchError(
                        f"the policy has {shown(given)} at {name!r}; expected actions with their probabilities"
                    ) from None
        raise MismatchError(f"the policy has no information state {one.name!r}")
    return probabilities(policy, one.state, one.player)


def probabilities(policy: Any, state: Any, player: int) -> dict[int, float]:
    """Return the probabilities of an OpenSpiel policy in a state, by numbers of actions."""
    if not is_a(policy, "pyspiel.Policy"):
        return dict(policy.action_probabilities(state, player))
    alone = int(state.current_player()) == player  # C++ policies take a state with one mover, or an information state
    return dict(policy.action_probabilities(state if alone else state.information_state_string(player)))


def _rows(profile: Profile, theirs: Any) -> list[tuple[int, str, list[tuple[int, float]]]]:
    """List player, information state and probabilities; refuse a strategy that depends on more than the state."""
    rows, known = [], dict[tuple[int, str], list[tuple[int, float]]]()
    for one in matched(profile.game, theirs):
        begin = int(profile.game.form.treeplexes[one.player].begin[one.number])
        chances = profile.strategies[one.player][begin : begin + len(one.actions)].tolist()
        plays = list(zip(one.actions, chances, strict=True))
        if known.setdefault((one.player, one.name), plays) != plays:
            raise UnsuitableError(
                f"the strategy of player {one.player} remembers more than OpenSpiel's information state {one.name!r}, "
                "and plays differently there"
            )
        rows.append((one.player, one.name, plays))
    return rows


def _unwrapped(name: str) -> str:
    return name.partition("\n")[2] if name.startswith(WRAPPED) else name


def _tabular(theirs: Any, table: Mapping[tuple[int, str], dict[int, float]]) -> Any:
    """Return a policy that looks up information states in a table."""
    base: Any = library("open_spiel.python.policy").Policy

    class Tabular(base):  # type: ignore[misc]
        """A policy that reads its probabilities from a table by information state."""

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            player = int(state.current_player()) if player_id is None else player_id
            name = _unwrapped(state.information_state_string(player))
            if (plays := table.get((player, name))) is None:
                raise MismatchError(f"player {player} has no information state {name!r} in this strategy")
            return plays

    return Tabular(theirs, list(range(theirs.num_players())))


def _followed(policy: Policy, rules: SpielRules) -> Any:
    """Return a policy that replays a state's history to find the player's information set."""
    base: Any = library("open_spiel.python.policy").Policy

    class Followed(base):  # type: ignore[misc]
        """A policy that reads its probabilities from ours, by the player's own history."""

        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            player = int(state.current_player()) if player_id is None else player_id
            menu = state.legal_actions(player)
            sequence = _sequence(policy, rules, [(one.player, one.action) for one in state.full_history()], player)
            place = policy.find(sequence, state.information_state_string(player), len(menu))
            return dict(zip(menu, policy.offered(place, menu)[0].tolist(), strict=True))

    return Followed(rules.theirs, list(range(rules.players)))


def _sequence(policy: Policy, rules: SpielRules, history: Sequence[tuple[int, int]], player: int) -> int:
    """Return a player's last sequence after a history, or UNKNOWN if the policy does not know it."""
    state, sequence, left = rules.start(), player, list(history)
    while left:
        turn = rules.turn(state)
        if turn == CHANCE or not isinstance(turn, tuple):
            taken = {left[0][0]: left[0][1]}
            move: Any = left.pop(0)[1]
        else:
            taken = dict(left[: rules.players])
            del left[: rules.players]
            move = tuple(taken[mover] for mover in turn)
        if player in movers(turn):
            menu = rules.actions(state, player)
            place = policy.find(sequence, rules.observe(state, player), len(menu))
            _, places = policy.offered(place, menu)
            sequence = policy.after(player, place, places[menu.index(taken[player])])
        state = rules.after(state, move)
    return sequence
