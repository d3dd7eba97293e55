"""Users' functions that judge new leaves: a rollout policy, or an evaluation of states. Their answers are checked.

A wrong answer raises a `RulesError`, like a wrong answer of the rules: a run then saves the tree so far.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

from hannan.arguments import shown
from hannan.errors import STRAY, HannanError, RulesError
from hannan.interrupts import Halted
from hannan.kernels.mcts.leaves import ADVICE
from hannan.kernels.mcts.records import POLICY
from hannan.rules.plainsource import Callback
from hannan.rules.promises import told

Where = Callable[[], tuple[Any, str]]
"""Returns the state where the walk is, and the name of its node."""


class Advice:
    """Calls the user's function for the leaves of a walk; keeps an error, which `raise_error` raises again."""

    def __init__(self, function: Callable[..., Any], where: Where) -> None:
        self._function, self._where = function, where
        self._error: BaseException | None = None
        self.enough: Callable[[], bool] | None = None
        """Called before each call of the user's function; True ends the walk with `Halted`."""
        self.source = Callback(ADVICE, self._answer)

    def raise_error(self) -> None:
        """Raise the error of the last walk, if there was one."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _answer(self, what: int, player: int, count: int, out: int) -> int:
        try:
            if self.enough is not None and self.enough():
                raise Halted
            state, name = self._where()
            if what == POLICY:
                said = self._shares(self._call(name, state, player), player, count, name)
            else:
                said = [self._worth(self._call(name, state), name)]
            (ctypes.c_double * len(said)).from_address(out)[:] = [*said]
            return 0
        except BaseException as error:  # raised again by raise_error
            self._error = error
            return -1

    def _call(self, name: str, *arguments: Any) -> Any:
        try:
            return self._function(*arguments)
        except HannanError:
            raise
        except STRAY as error:
            raise RulesError(f"the function raised {told(error)}, at {name}") from error

    @staticmethod
    def _shares(said: Any, player: int, count: int, name: str) -> list[float]:
        try:
            shares = [float(share) for share in said]
        except (TypeError, ValueError):
            shares = []
        if len(shares) != count or not all(share >= 0 for share in shares) or not abs(sum(shares) - 1) <= 1e-9:
            raise RulesError(
                f"the rollout policy returned {shown(said)} for player {player} at {name}; it should return {count} "
                "probabilities that sum to 1, one for each action in the order of the rules"
            )
        return shares

    @staticmethod
    def _worth(said: Any, name: str) -> float:
        if isinstance(said, bool) or not isinstance(said, int | float) or not math.isfinite(said):
            raise RulesError(
                f"the evaluation function returned {shown(said)} at {name}; it should return what player 0 can still "
                "expect to gain there, a finite number"
            )
        return float(said)
