"""An environment as rules, if its states can be copied and it draws nothing."""

from __future__ import annotations

import copy
import random
from collections.abc import Hashable, Sequence
from typing import Any

from hannan.errors import STRAY, HannanError, RulesError, UnsuitableError
from hannan.interop.zoo.games import GYMNASIUM, PETTINGZOO, Wanted, wanted
from hannan.interop.zoo.steps import ParallelPlay, ZooPlay
from hannan.rules.plain import END, MOST_MOVES, Rules
from hannan.rules.promises import told

TRIALS = 12
"""Random plays, each made three times over, that test whether an environment draws."""


class Copied:
    """An environment after the moves of `path`; it is never stepped, only copied."""

    def __init__(self, play: ZooPlay, path: tuple[Any, ...]) -> None:
        self.play, self.path = play, path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Copied) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.path,)  # for comparisons only; play goes on from the object

    def __repr__(self) -> str:
        return f"after {list(self.path)}"


class ZooRules(Rules):
    """Steps copies of an environment."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        made = wanted.make()
        self.name = wanted.address
        self._first = self._copied(made)  # an environment object of the caller is not changed
        self.players = self._first.players
        self._joint = isinstance(self._first, ParallelPlay)
        try:
            self._check()
            self._first.reset(0)
        except HannanError:
            raise
        except STRAY as error:
            raise RulesError(f"{self.name}: playing it raised {told(error)}") from error

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.name.startswith((PETTINGZOO, GYMNASIUM)):
            raise UnsuitableError(
                f"{self.name} was given as an object, which another process cannot make again: give its address, such "
                "as pettingzoo:package.module:function(copies=true)"
            )
        return _again, (self.name,)

    def _check(self) -> None:
        """Refuse an environment that cannot be copied, that draws in a trial, or that does not end."""
        draw, play = random.Random(0), self._first
        for trial in range(TRIALS):
            play.reset(trial)
            shown, moves = [play.everything()], list[tuple[Any, ...]]()
            while play.movers:
                if len(moves) >= MOST_MOVES:
                    raise UnsuitableError(f"{self.name} need not end: impose a horizon, as in NAME(horizon=100)")
                moves.append(tuple(map(draw.choice, play.menus)))
                twin = self._copied(play)
                try:
                    twin.step(moves[-1])
                except RulesError:
                    raise
                except STRAY as error:
                    raise self._whole(error) from error
                play.step(moves[-1])
                shown.append(play.everything())
                if twin.everything() != shown[-1]:
                    raise self._draws(moves)
            play.reset(trial + TRIALS)  # the same moves with another seed
            for k, seen in enumerate(shown):
                if k:
                    play.step(moves[k - 1])
                if play.everything() != seen:
                    raise self._draws(moves[:k])

    def _copied(self, play: ZooPlay) -> ZooPlay:
        try:
            return copy.deepcopy(play)
        except STRAY as error:
            raise self._whole(error) from error

    def _whole(self, error: BaseException) -> UnsuitableError:
        return UnsuitableError(f"{self.name} cannot be copied ({told(error)}): leave copies out for a black box")

    def _draws(self, moves: list[tuple[Any, ...]]) -> UnsuitableError:
        return UnsuitableError(
            f"{self.name} draws at random, after {moves}: it has no rules to step; leave copies out for a black box"
        )

    def start(self) -> Any:
        return Copied(self._first, ())

    def turn(self, state: Copied) -> int | tuple[int, ...]:
        who = state.play.movers
        return END if not who else who if self._joint else who[0]

    def actions(self, state: Copied, player: int) -> Sequence[Hashable]:
        return state.play.menus[state.play.movers.index(player)]

    def after(self, state: Copied, move: Any) -> Any:
        play = copy.deepcopy(state.play)
        moves = move if isinstance(move, tuple) else (move,)
        play.step(moves)
        return Copied(play, (*state.path, moves))

    def observe(self, state: Copied, player: int) -> Hashable:
        return state.play.seen[state.play.movers.index(player)]

    def gains(self, state: Copied) -> Sequence[float]:
        return state.play.gains


def _again(address: str) -> ZooRules:
    return ZooRules(wanted(address))
