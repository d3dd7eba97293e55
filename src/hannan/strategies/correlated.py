"""Correlated play: one of several strategies is drawn before each play, and all players play it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import isclose
from os import PathLike
from random import Random
from typing import Any

import numpy as np

from hannan.arguments import numbers, shown
from hannan.errors import FileError, MismatchError, ParameterError, UnsuitableError
from hannan.files import read_arrays, write_arrays
from hannan.forms.loader import Loadable, load
from hannan.strategies.files import TABLE, locked_game, policy_contents, policy_from
from hannan.strategies.given import check_same_game
from hannan.strategies.locks import LockedGame
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.seats import Seat
from hannan.strategies.strategy import Strategy

KIND = "correlated"
"""The kind of file."""


class CorrelatedPlay(Strategy):
    """Several strategies of one game, each with a probability. One is drawn before each play; all players play it.

    A player who deviates does not know which one was drawn.
    """

    kind = "correlated play"
    instead = "take one of its `strategies`"

    def __init__(self, strategies: Sequence[Strategy], weights: Sequence[float] | None = None) -> None:
        if not strategies or not all(isinstance(one, Strategy) for one in strategies):
            raise ParameterError("correlated play needs a list of one Strategy or more")
        for one in strategies[1:]:
            check_same_game(one, strategies[0].game)
        many = len(strategies)
        shares = np.full(many, 1 / many) if weights is None else numbers("weights", weights)
        if shares.shape != (many,) or np.any(shares < 0) or not isclose(float(shares.sum()), 1.0, abs_tol=1e-6):
            raise ParameterError(f"weights={shown(weights)} should be {many} probabilities that sum to 1")
        inner = [
            (share * part, member)
            for share, one in zip(shares.tolist(), strategies, strict=True)
            for part, member in (one.members() if isinstance(one, CorrelatedPlay) else ((1.0, one),))
        ]
        self.strategies, self.weights = tuple(one for _, one in inner), tuple(share for share, _ in inner)
        self.game, self.facts = strategies[-1].game, strategies[-1].facts

    def __reduce__(self) -> tuple[Any, ...]:
        return CorrelatedPlay, (self.strategies, self.weights)

    def members(self) -> tuple[tuple[float, Strategy], ...]:
        return tuple(zip(self.weights, self.strategies, strict=True))

    @property
    def is_drawn(self) -> bool:
        return len(self.strategies) > 1 or self.strategies[0].is_drawn

    def sit(self, seat: int, luck: int) -> Seat:
        (one,) = Random(luck // self.game.players).choices(self.strategies, self.weights)  # the same in all seats
        return one.sit(seat, luck)

    def profile(self) -> Profile:
        if len(self.strategies) == 1:
            return self.strategies[0].profile()
        raise UnsuitableError(
            "correlated play is not a profile, because all players draw together: take one of its `strategies`, or "
            "give the correlated play itself to `evaluate` or `respond`"
        )

    @property
    def digest(self) -> str:
        total = blake2b(digest_size=16)
        for weight, one in self.members():
            total.update(f"{weight!r} {one.digest}".encode())
        return total.hexdigest()

    def save(self, path: str | PathLike[str]) -> None:
        tables = [one.policy() for one in self.strategies]
        for table in tables[1:]:
            if not all(np.array_equal(getattr(tables[0], name), getattr(table, name)) for name in TABLE[:-1]):
                raise UnsuitableError("these strategies know different information sets: save each in its own file")
        arrays, facts = policy_contents(tables[0])
        arrays["probability"] = np.stack([table.probability for table in tables])
        arrays["weight"] = np.array(self.weights)
        facts["profiles"] = all(isinstance(one, Profile) for one in self.strategies)
        if isinstance(self.game, LockedGame):
            facts["locks"] = self.game.locks
        write_arrays(path, KIND, arrays, facts)

    def __repr__(self) -> str:
        many = len(self.strategies)
        which = f"one of {many} strategies is drawn" if many > 1 else "one strategy"
        return f"CorrelatedPlay of {self.game.address}: {which}"


def read_correlated_play(path: str | PathLike[str], game: Loadable | None = None) -> CorrelatedPlay:
    """Read correlated play that `save` wrote; one for another game is refused."""
    arrays, facts = read_arrays(path, KIND)
    weights, profiles = arrays.pop("weight", None), facts.pop("profiles", False)
    rows: Any = arrays.pop("probability", None)
    if rows is None or weights is None or rows.ndim != 2 or weights.shape != rows.shape[:1] or not len(rows):
        raise FileError(f"{path} is not correlated play that this hannan can read")
    locks, given = facts.pop("locks", None), None if game is None else load(game)
    base = given.base if isinstance(given, LockedGame) and locks is not None else given
    tables: list[Policy] = [
        policy_from(path, {**arrays, "probability": np.ascontiguousarray(row)}, dict(facts), base) for row in rows
    ]
    if locks is None:
        return CorrelatedPlay([table.profile() if profiles else table for table in tables], weights.tolist())
    locked = locked_game(path, tables[0].game.played(), locks)
    if isinstance(given, LockedGame) and given.form.hash != locked.form.hash:
        raise MismatchError(f"{path} belongs to {locked.address}, not to one with other locks")
    return CorrelatedPlay([locked.project(table.profile()) for table in tables], weights.tolist())
