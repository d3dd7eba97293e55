"""Locks: the form that pages send is checked and turned into the form that `hannan.lock` takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.errors import FileError, ParameterError, UnsuitableError
from hannan.files import NONSENSE, read_bytes, write_text
from hannan.web.numbers import fact_text

if TYPE_CHECKING:
    from hannan.forms.game import ExpandedGame, Game
    from hannan.web.session import Session

Resolved = dict[int, dict[Any, Any]]
"""For each player, its probabilities at sets. A set's key is its number in an expanded game, else types and node."""


def resolved(session: Session, game: Game, locks: Sequence[Mapping[str, Any]]) -> Resolved:
    """Check the locks, and return them with resolved sets. Later locks override earlier ones."""
    from hannan.forms.game import ExpandedGame, PublicGame
    from hannan.strategies.locks import lock

    if not locks:
        return {}
    if isinstance(game, ExpandedGame):
        found: Resolved = {}
        for one in locks:
            game.check_player(one["player"])
            found.setdefault(int(one["player"]), {}).update(_sets(session, game, one))
        _ = lock(game, found).fixed
        return found
    if not isinstance(game, PublicGame):
        raise UnsuitableError(f"{game.address} is not expanded, and only expanded and public games take locks")
    public: Resolved = {}
    for one in locks:
        if one.get("set") is None or one.get("actions") is None:
            raise UnsuitableError("a lock in a public game needs types and a node, and a probability for each action")
        public.setdefault(int(one["player"]), {})[one["set"]] = dict(one["actions"])
    _ = lock(game, public).fixed
    return public


def _sets(session: Session, game: ExpandedGame, lock: Mapping[str, Any]) -> dict[int, list[float]]:
    """Return the sets that one lock fixes, with their probabilities."""
    from hannan.strategies.profile import Profile, check_profile
    from hannan.strategies.written import fixed_sets

    player, place, actions = lock["player"], lock.get("set"), lock.get("actions")
    if actions is not None:
        if place is None:
            raise ParameterError("a lock with actions needs the name of its set, or a pattern of sets")
        return {j: plays.tolist() for j, plays in fixed_sets(game, player, {place: actions}, "lock").items()}
    if lock.get("strategy") is None:
        raise ParameterError("a lock needs the probabilities of actions, or a strategy to take them from")
    opened = session.strategy(str(lock["strategy"]))
    strategy = opened.loaded()
    if not isinstance(strategy, Profile):
        raise UnsuitableError(f"{opened.name} is not a profile: a lock cannot be taken from it")
    check_profile(game, strategy)
    begin = game.form.treeplexes[player].begin.tolist()
    numbers = range(len(begin) - 1) if place is None else game.find_sets(player, place)
    return {j: strategy.strategies[player][begin[j] : begin[j + 1]].tolist() for j in numbers}


def texts(session: Session, locks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return each lock in words."""
    said = []
    for lock in locks:
        where = "everywhere" if lock.get("set") is None else f"at {lock['set']}"
        if lock.get("actions") is not None:
            plays = fact_text(lock["actions"])
        else:
            opened = session.strategies.get(str(lock.get("strategy")))
            plays = "as a strategy that is closed" if opened is None else f"as {opened.name}"
        said.append(f"player {lock['player']} {where}: {plays}")
    return said


def write_locks(path: Path, locks: Resolved) -> None:
    """Write resolved locks; set numbers are written as numbers, not as text."""
    write_text(path, json.dumps({str(player): list(sets.items()) for player, sets in locks.items()}))


def read_locks(path: Path) -> Resolved:
    """Read what `write_locks` wrote; `solve` checks it."""
    if not path.is_file():
        return {}
    try:
        told = json.loads(read_bytes(path))
        return {int(player): dict(sets) for player, sets in told.items()}
    except NONSENSE as error:
        raise FileError(f"{path} does not hold the locks of a run ({error})") from error
