"""Save profiles and policies, and read them back with the game that they belong to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from inspect import Parameter
from os import PathLike
from typing import Any

import numpy as np

from hannan.addresses import written
from hannan.arguments import shown, whole
from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.files import NONSENSE, kind_of, read_arrays, read_bytes, understanding, write_arrays
from hannan.forms.excess import more_sequences
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import BoxedGame, ExpandedGame, Game, PlayedGame, PublicGame
from hannan.forms.loader import Loadable, built_in, load
from hannan.forms.ties import TiedGame, Ties
from hannan.forms.trust import LONGEST, names_files
from hannan.games.catalogue import MODULES, address, entry, is_known, is_short, make
from hannan.rules.observations import check_different, check_lasting
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.locks import Locked, LockedGame, Locks, lock
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.public import PublicStrategy

PROFILE, POLICY, PUBLIC = "strategy", "policy", "public strategy"
"""The kinds of files."""

APART = "public, mirrored deals apart"
"""The form of a public game that keeps mirrored deals apart."""

GAME_FACTS = ("game", "parameters", "built_in", "hash", "form", "locks", "forget")
"""The facts about the game in every file."""

TABLE = ("parent", "observation", "base", "size", "probability")
"""The arrays of a policy."""


def save(strategy: Given, path: str | PathLike[str]) -> None:
    """Write a strategy to a file, with the name of its game and how it was found.

    The file is written under a temporary name and then renamed. `read` reads it.

    Parameters
    ----------
    strategy : Strategy, Result or any other record with a strategy
        What to write. The file of a policy holds observations as text, and a file holds no code.
    path : str or Path
        The file.

    Raises
    ------
    UnsuitableError
        If the strategy is a rule, or a policy whose observations cannot be written as text.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.save(hn.solve("kuhn_poker"), "kuhn.json")
    >>> hn.evaluate("kuhn.json").nash_conv < 1e-9
    True
    """
    strategy_of(strategy).save(path)


def save_profile(profile: Profile, path: str | PathLike[str]) -> None:
    """Write a profile."""
    arrays = {f"player{p}": behaviour for p, behaviour in enumerate(profile.strategies)}
    menus: list[list[str]] = []
    for p in range(profile.players):
        texts, arrays[f"action{p}"] = _actions(profile.game, p)
        menus.append(texts)
    write_arrays(path, PROFILE, arrays, {**game_facts(profile.game), "actions": menus, **profile.facts})


def save_policy(policy: Policy, path: str | PathLike[str]) -> None:
    """Write a policy."""
    write_arrays(path, POLICY, *policy_contents(policy))


def policy_contents(policy: Policy) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the facts of a policy's file."""
    labels = None if policy.labels is None else list(policy.labels)
    if labels is not None:
        check_lasting(policy.met or {})
        check_different(policy.met or {}, labels)
    facts = {
        **game_facts(policy.game, hashed=False),
        "labels": labels,
        "forgets": list(policy.forgets),
        **policy.facts,
    }
    arrays = {name: getattr(policy, name) for name in TABLE}
    if policy.names is not None:
        facts["actions"], arrays["action"] = _numbered(policy.names.tolist())
    return arrays, facts


def save_public(strategy: PublicStrategy, path: str | PathLike[str]) -> None:
    """Write a strategy on a public tree."""
    facts = {**game_facts(strategy.game), **strategy.facts}
    write_arrays(path, PUBLIC, {"probability": strategy.probability}, facts)


def read_public(path: str | PathLike[str], game: Loadable | None = None) -> PublicStrategy:
    """Read a strategy on a public tree; one for another game is refused."""
    arrays, facts = read_arrays(path, PUBLIC)
    played = game_for(path, facts, game)
    if set(arrays) != {"probability"} or not isinstance(played, PublicGame):
        raise FileError(f"{path} is not a public strategy that this hannan can read")
    try:
        return PublicStrategy(played, arrays["probability"], _rest(facts))
    except (MismatchError, ParameterError) as error:
        raise FileError(f"{path}: {error}") from error


def read_strategy(path: str | PathLike[str], game: Loadable | None = None) -> Profile | Policy | PublicStrategy:
    """Read a strategy of whichever kind a file holds. `game` is needed for a game that is not built in."""
    kind = kind_of(path)
    if kind == PUBLIC:
        return read_public(path, game)
    return read_policy(path, game) if kind == POLICY else read_profile(path, game)


def read_profile(path: str | PathLike[str], game: Loadable | None = None) -> Profile:
    """Read a profile; a strategy for another game is refused."""
    arrays, facts = read_arrays(path, PROFILE)
    played = game_for(path, facts, game, sum(array.size for array in arrays.values())).expanded()
    names = [f"player{p}" for p in range(played.players)]
    for name in names:
        if name not in arrays:
            raise FileError(f"{path} lacks the strategy of a player ({name})")
        if arrays[name].dtype.kind != "f":
            raise FileError(f"{path} holds no probabilities ({name} is {arrays[name].dtype.name})")
    if "action0" in arrays:
        _compare_actions(path, played, arrays, facts.pop("actions", None))
    try:
        return Profile(played, tuple(arrays[name].astype(np.float64) for name in names), _rest(facts))
    except (MismatchError, ParameterError) as error:
        raise FileError(f"{path}: {error}") from error


def read_policy(path: str | PathLike[str], game: Loadable | None = None) -> Policy:
    """Read a policy; one for another game is refused."""
    return policy_from(path, *read_arrays(path, POLICY), game)


def policy_from(
    path: str | PathLike[str], arrays: dict[str, Any], facts: dict[str, Any], game: Loadable | None
) -> Policy:
    """Return the policy with the contents of a file."""
    played = _box_for(path, facts, game) or game_for(path, {"hash": "", **facts}, game)
    if isinstance(played, LockedGame):  # the table would be looked up only at the free sets
        raise MismatchError(f"{path} belongs to {played.base.address} without locks: `project` its profile")
    labels, forgets = facts.pop("labels", None), facts.pop("forgets", [])
    texts = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    names = _named(arrays.pop("action", None), facts.pop("actions", None))
    if not (labels is None or texts) or not isinstance(forgets, list) or set(arrays) != set(TABLE):
        raise FileError(f"{path} is not a policy that this hannan can read")
    coded = isinstance(played, PlayedGame) and played.coded
    if coded != (labels is None):
        raise FileError(f"{path} is not a policy of {played.address}: its observations are of another kind")
    try:
        for player in forgets:
            played.check_player(player)
        known = None if labels is None else tuple(labels)
        return Policy(played, **arrays, labels=known, facts=_rest(facts), met=None, forgets=tuple(forgets),
                      names=names)  # fmt: skip
    except ParameterError as error:
        raise FileError(f"{path}: {error}") from error


def _actions(game: ExpandedGame, player: int) -> tuple[list[str], np.ndarray]:
    """Return the names of a player's actions, and which of them leads to each sequence but the empty one."""
    codes = game.form.treeplexes[player].action[1:]
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return [game.action_text(player, 1 + s) for s in first.tolist()], numbers.astype(np.int32)


def _compare_actions(path: str | PathLike[str], game: ExpandedGame, arrays: Mapping[str, Any], told: Any) -> None:
    """Refuse strategies whose actions differ from those of the game, or come in another order."""
    for player in range(game.players):
        texts, numbers = _actions(game, player)
        with understanding(path, "a strategy file that this hannan can read"):
            there = np.array([*map(str, told[player]), ""], object)[arrays[f"action{player}"].reshape(-1)]
        here = np.array([*texts, ""], object)[numbers]
        if there.shape != here.shape or not np.array_equal(there, here):
            raise MismatchError(
                f"{path} names other actions of player {player} than {game.address} has, or has them in another order"
            )


def _numbered(names: list[str | None]) -> tuple[list[str], np.ndarray]:
    """Return the different names, and the place of each name in that list; -1 for an unknown name."""
    known = {name: number for number, name in enumerate(dict.fromkeys(name for name in names if name is not None))}
    return list(known), np.array([-1 if name is None else known[name] for name in names], np.int32)


def _named(numbers: Any, names: Any) -> Any:
    """Return the names that `_numbered` numbered; None if the file has no names."""
    if numbers is None and names is None:
        return None
    sound = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not sound or numbers is None or numbers.dtype != np.int32 or numbers.ndim != 1:
        raise FileError("the actions of a policy are not named")
    if not np.all((numbers >= -1) & (numbers < len(names))):
        raise FileError("an action of a policy has no name")
    return np.array([*names, None], object)[numbers]


def _box_for(path: str | PathLike[str], facts: Mapping[str, Any], game: Loadable | None) -> BoxedGame | None:
    """Return `game` if it is a black box with the name in the file; None if it is not a black box."""
    loaded = None if game is None else load(game)
    if not isinstance(loaded, BoxedGame):
        return None
    if loaded.name != facts.get("game"):
        raise MismatchError(f"{path} belongs to {facts.get('game')}, not to {loaded.name}")
    return loaded


def _rest(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if name not in GAME_FACTS}


def game_facts(game: Game, *, hashed: bool = True) -> dict[str, Any]:
    """Return the facts about a game for the files that belong to it; only an expanded game has a hash."""
    facts = {
        "game": game.name,
        "parameters": _lasting(game),
        "built_in": game.built_in,
        "hash": game.formed().form.hash if hashed else "",
    }
    if isinstance(game, TiedGame):
        return {**game_facts(game.base, hashed=hashed), "forget": [numbers.tolist() for numbers in game.ties.number]}
    if isinstance(game, PublicGame):
        facts["form"] = "public" if game.mirrored else APART
    if isinstance(game, Locked):
        facts["built_in"] = game.base.built_in
        facts["locks"] = game.locks
    return facts


def _lasting(game: Game) -> dict[str, Any]:
    """Return the parameters of a game, with the contents of files in place of their names if the rules support it."""
    base = game.base if isinstance(game, Locked) else game
    if not isinstance(base, PublicGame) or not names_files(address(game.name, game.parameters)):
        return game.parameters
    spelled = base.rules.spelled()
    return game.parameters if spelled is None else spelled


def game_for(
    path: str | PathLike[str], facts: Mapping[str, Any], game: Loadable | None, room: int | None = None
) -> PlayedGame:
    """Return the game that a file belongs to, locks included, made from its record or checked against `game`.

    room: how many numbers the file holds, if it has at least one for each sequence of the game. A game with more
    sequences is refused before it is expanded.
    """
    name, parameters = facts.get("game"), facts.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict) or not isinstance(facts.get("hash"), str):
        raise FileError(f"{path} does not say which game it belongs to")
    parameters = _completed(name, parameters)
    if game is None:
        known = (
            is_known(name)
            and set(parameters) == set(entry(name).defaults)
            and not names_files(address(name, parameters))
        )
        if not known or facts.get("built_in", True) is not True:  # files of older versions lack this fact
            lacks = "whose payoffs are not in the file" if is_short(name) else "which is not built in"
            raise FileError(f"{path} belongs to {address(name, parameters)}, {lacks}: give the game too")
    with understanding(path, "a valid file: its game cannot be loaded"):
        given = None if game is None else load(game)
        tied = given.tied if isinstance(given, ForgetfulGame) and "forget" in facts else None
        played = built_in(name, parameters) if given is None else given.played() if tied is None else tied.base
    same = game is None or _is_named(played, name, parameters, facts)
    public = facts.get("form") in ("public", APART) and isinstance(played, PublicGame)
    if facts.get("form") == APART and isinstance(played, PublicGame) and not isinstance(played, Locked):
        played = PublicGame(played.rules, played.name, played.parameters, built_in=played.built_in, mirrored=False)
    compared = bool(facts["hash"]) and (public or isinstance(played, ExpandedGame))
    if not same and not compared:  # a game of another name may be the same one
        raise _other(path, played, name, parameters)
    locked = "locks" in facts or isinstance(played, Locked)
    if room is not None and not (locked or public) and more_sequences(played, room):
        few = MismatchError(f"{path} holds {room:,} numbers, and {played.address} has more sequences: it does not fit")
        raise few if same else _other(path, played, name, parameters)
    if "locks" in facts and not isinstance(played, Locked):
        played = locked_game(path, played, facts["locks"])
    if facts["hash"] and (played.formed() if public else played.expanded()).form.hash != facts["hash"]:
        raise _other(path, played, name, parameters)
    if "forget" in facts:
        made = _tied_game(path, played.expanded(), facts["forget"])
        if tied is not None and tied.ties.digest != made.ties.digest:
            raise MismatchError(f"{path} belongs to {played.address} with players who forget something else")
        return made
    return played


def _tied_game(path: str | PathLike[str], game: ExpandedGame, numbers: Any) -> TiedGame:
    """Return the game with the map in a file, from each set of each player to its abstract set."""
    with understanding(path, "a valid file: the map from sets to abstract sets cannot be read"):
        try:
            rows = [[whole("forget", number, 0) for number in mine] for mine in numbers]
            return TiedGame(game, Ties(tuple(np.array(row, np.int32) for row in rows)))
        except ParameterError as error:
            raise FileError(f"{path}: {error}") from error


def _completed(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a game, completed by the defaults of parameters that older versions did not have."""
    if name not in MODULES:
        return parameters
    return {**{key: value for key, value in entry(name).defaults.items() if value is not Parameter.empty}, **parameters}


def _is_named(game: PlayedGame, name: str, parameters: dict[str, Any], facts: Mapping[str, Any]) -> bool:
    """Return whether a game has the name and the parameters in a file; a file has lists where a game has tuples.

    Files of older versions hold all payoffs of a large matrix, which now has a short name.
    """
    if game.name == name:
        mine = _completed(name, game.parameters)
        here, there = ({key: written(value) for key, value in one.items()} for one in (mine, parameters))
        return mine == parameters or here == there
    if game.name.partition("(")[0] != name or facts.get("built_in", True) is not True:
        return False
    with suppress(HannanError):
        return make(name, parameters).name == game.name
    return False


def _other(path: str | PathLike[str], game: PlayedGame, name: str, parameters: dict[str, Any]) -> MismatchError:
    """Return the refusal of a game that is not the one of a file."""
    given = game.address if game.address != name else f"a {name} with other rules or payoffs"
    told = address(name, parameters)
    if told == given:
        given = "the game that this address means now: a file that it names, or the version of hannan, has changed"
    return MismatchError(f"{path} belongs to {told if len(told) <= LONGEST else shown(told)}, not to {given}")


def locked_game(path: str | PathLike[str], game: PlayedGame, locks: Any) -> Any:
    """Return the game with the locks of a file."""
    try:
        if isinstance(game, PublicGame):
            return lock(game, {int(p): fixed for p, fixed in locks.items()})
        return lock(game, {int(p): {int(j): plays for j, plays in fixed.items()} for p, fixed in locks.items()})
    except (AttributeError, TypeError, ValueError, HannanError) as error:
        raise FileError(f"{path} has locks that {game.address} does not take ({error})") from error


def _once(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return an object of a JSON file; refuse a key that appears twice: its last value would win unnoticed."""
    result: dict[Any, Any] = {}
    for name, value in pairs:
        if name in result:
            raise ValueError(f"the key {shown(name)} appears twice")
        result[name] = value
    return result


def read_locks(path: str | PathLike[str]) -> Locks:
    """Read locks from a JSON file; the value of a player may also be the name of a strategy file."""
    try:
        locks = json.loads(read_bytes(path), object_pairs_hook=_once)
        return _once(
            (int(player), read_profile(sets) if isinstance(sets, str) else dict(sets)) for player, sets in locks.items()
        )
    except NONSENSE as error:
        form = '{"0": {"set name": {"action": probability}}}'
        raise FileError(f"{path} is not a file of locks, which looks like {form} ({error})") from error
