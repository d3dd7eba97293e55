"""Conversion of strategies to pygambit profiles, and back; sets are matched by walking both trees together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.exports.gambit.records import tree_record
from hannan.exports.gambit.text import efg_text
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame, Game
from hannan.forms.loader import Loadable, load
from hannan.interop.gambit.record import TERMINAL
from hannan.libraries import library
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.profile import Profile


def to_pygambit(profile: Given, game: Any | None = None) -> Any:
    """Return a profile as a pygambit `MixedBehaviorProfile` of floats; for a table, as a `MixedStrategyProfile`.

    game: the `pygambit.Game` of the profile, which must equal ours. Default: a game made from ours.
    """
    profile = strategy_of(profile).profile()
    pygambit = library("pygambit")
    _check_theirs(game, pygambit.Game, "game")
    if game is None:
        import io

        try:
            game = pygambit.read_efg(io.StringIO(efg_text(profile.game)))
        except ValueError as error:  # pygambit allows fewer names than we do
            raise UnsuitableError(
                f"pygambit cannot read {profile.game.address} ({str(error)!a}): let action_text() and "
                "observation_text() return names that it accepts, or give the pygambit.Game of the profile"
            ) from error
    begins = [plex.begin.tolist() for plex in profile.game.form.treeplexes]
    if not game.is_tree:
        mixed = game.mixed_strategy_profile(rational=False)
        for player, strategies in enumerate(_table(profile.game, game)):
            for k, strategy in enumerate(strategies):
                mixed[strategy] = float(profile.strategies[player][1 + k])
        return mixed
    behaviour = game.mixed_behavior_profile(rational=False)
    for (player, number), infoset in _pairs(profile.game, game):
        for k, action in enumerate(infoset.actions):
            behaviour[action] = float(profile.strategies[player][begins[player][number] + k])
    return behaviour


def _check_theirs(thing: Any, kind: Any, name: str, none: bool = True) -> None:
    if not isinstance(thing, kind) and not (none and thing is None):
        raise ParameterError(f"{name}={shown(thing)} is not a pygambit {name}")


def from_pygambit(game: Loadable, profile: Any) -> Profile:
    """Return a pygambit profile as a profile of our version of the game.

    If a player forgets, it is a profile of the refinement, with the same strategy at all sets of one stated set.
    """
    pygambit = library("pygambit")
    _check_theirs(profile, (pygambit.MixedBehaviorProfile, pygambit.MixedStrategyProfile), "profile", none=False)
    loaded, theirs = load(game), profile.game
    ours = loaded.refined if isinstance(loaded, ForgetfulGame) else loaded.expanded()
    strategies = [np.ones(plex.sequences) for plex in ours.form.treeplexes]
    if not theirs.is_tree:
        for player, menu in enumerate(_table(ours, theirs)):
            chances = np.array([_probability(profile, strategy) for strategy in menu])
            strategies[player][1:] = chances / chances.sum()
        return Profile(ours, tuple(strategies), {"method": "pygambit"})
    if hasattr(profile, "as_behavior"):
        profile = profile.as_behavior()
    for (player, number), infoset in _pairs(ours, theirs):
        begin = int(ours.form.treeplexes[player].begin[number])
        chances = np.array([_probability(profile, action) for action in infoset.actions])
        total = chances.sum()
        strategies[player][begin : begin + len(chances)] = chances / total if total > 0 else 1 / len(chances)
    return Profile(ours, tuple(strategies), {"method": "pygambit"})


def strategy_from(profile: Any, game: Game | None) -> Profile | None:
    """Return a pygambit profile as one of ours; None for any other object. game: default: the game of the profile."""
    pygambit = library("pygambit")
    if not isinstance(profile, (pygambit.MixedBehaviorProfile, pygambit.MixedStrategyProfile)):
        return None
    return from_pygambit(profile.game if game is None else game, profile)


def _probability(profile: Any, action: Any) -> float:
    """Return the probability of an action; 0 if it is undefined because its set is never reached."""
    try:
        chance = max(float(profile[action]), 0.0)  # float solvers may return slightly negative numbers
    except (ValueError, ZeroDivisionError, TypeError):
        return 0.0
    return chance if np.isfinite(chance) else 0.0


def _pairs(ours: ExpandedGame, theirs: Any) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield each of our sets (player and number) with pygambit's set; refuse a tree of another shape."""
    record = tree_record(ours)
    game, seen = record.game, set()
    pending = [(0, theirs.root)]
    while pending:
        node, other = pending.pop()
        player = game.player[node]
        if (player == TERMINAL) != other.is_terminal:
            raise _another(ours)
        if player == TERMINAL:
            continue
        children, others = game.children(node), list(other.children)
        if len(children) != len(others) or other.player.is_chance != (player == 0):
            raise _another(ours)
        if player > 0:
            if other.player.number + 1 != player:
                raise _another(ours)
            place = game.set_of[node]
            if place not in seen:
                seen.add(place)
                yield record.sets[place], other.infoset
        pending.extend(zip(children, others, strict=True))


def _table(ours: ExpandedGame, theirs: Any) -> list[list[Any]]:
    """Return pygambit's strategies of each player; our game must be one joint move of all players."""
    plexes = ours.form.treeplexes
    if any(plex.sets != 1 for plex in plexes):
        raise UnsuitableError(f"{ours.address} is not a table (one choice per player): use pygambit's tree of the game")
    menus = [list(player.strategies) for player in theirs.players]
    if [len(menu) for menu in menus] != [plex.sequences - 1 for plex in plexes]:
        raise _another(ours)
    return menus


def _another(ours: ExpandedGame) -> MismatchError:
    return MismatchError(f"pygambit's game is not {ours.address}: its tree has another shape")
