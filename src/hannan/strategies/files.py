"""Saving a profile, and reading it back against the game that it belongs to."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from hannan.errors import FileError, MismatchError, ParameterError
from hannan.files import kind_of, read_arrays, write_arrays
from hannan.forms.game import PlayedGame
from hannan.forms.loading import Loadable, load
from hannan.games.catalogue import MODULES, address, entry
from hannan.strategies import policy
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, check_is_profile

KIND = "strategy"


def save(profile: Profile, path: str | PathLike[str]) -> None:
    """Write a profile with its game's name, parameters and hash, and what is known of its making."""
    check_is_profile(profile)
    arrays = {f"player{p}": strategy for p, strategy in enumerate(profile.strategies)}
    write_arrays(path, KIND, arrays, {**game_facts(profile.game), **profile.facts})


def read(path: str | PathLike[str], game: Loadable | None = None) -> Profile:
    """Read a profile. `game` is needed for a game that is not built in; a strategy for another game is refused."""
    arrays, facts = read_arrays(path, KIND)
    found = game_for(path, facts, game).expanded()
    try:
        strategies = tuple(arrays[f"player{p}"].astype(np.float64, casting="same_kind") for p in range(found.players))
    except KeyError as error:
        raise FileError(f"{path} lacks the strategy of a player ({error})") from error
    except TypeError as error:
        raise FileError(f"{path} holds no probabilities ({error})") from error
    rest = {name: fact for name, fact in facts.items() if name not in game_facts(found)}
    try:
        return Profile(found, strategies, rest)
    except (MismatchError, ParameterError) as error:
        raise FileError(f"{path}: {error}") from error


def read_either(path: str | PathLike[str], game: Loadable | None = None) -> Profile | Policy:
    """Read a profile, or the policy of a game that was not expanded, whichever a file holds."""
    return Policy.read(path, game) if kind_of(path) == policy.KIND else read(path, game)


def game_facts(game: PlayedGame, *, hashed: bool = True) -> dict[str, Any]:
    """Return what a file says about the game that it belongs to; only an expanded game has a hash."""
    return {
        "game": game.name,
        "parameters": game.parameters,
        "built_in": game.built_in,
        "hash": game.expanded().form.hash if hashed else "",
    }


def game_for(path: str | PathLike[str], facts: dict[str, Any], game: Loadable | None) -> PlayedGame:
    """Return the game that a file belongs to, made from its record or checked against `game`."""
    name, parameters = facts.get("game"), facts.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict) or not isinstance(facts.get("hash"), str):
        raise FileError(f"{path} does not say which game it belongs to")
    if game is None:
        known = name in MODULES and set(parameters) == set(entry(name).defaults)
        if not known or facts.get("built_in", True) is not True:  # files of older versions do not say
            raise FileError(f"{path} belongs to {name}, which is not built in: give the game too")
        game = address(name, parameters)
    found = load(game).played()
    same = (found.name, found.parameters) == (name, parameters)
    if found.expanded().form.hash != facts["hash"] if facts["hash"] else not same:
        other = found.address if found.address != name else f"a {name} with other rules or payoffs"
        raise MismatchError(f"{path} belongs to {address(name, parameters)}, not to {other}")
    return found
