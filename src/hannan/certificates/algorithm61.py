"""Algorithm 6.1: play a black box, keep a confidence sequence of pseudogames, solve, and bound the Nash gap.

With the promised probability the true game lies between the two games of the pseudogame, so that β̂*(y) − α̂*(x) bounds
the Nash gap of (x, y), whatever these are. Exact solving makes the bound tight.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arguments import choice
from hannan.certificates.certification import Bound, Certification
from hannan.certificates.exploration import Explorer, explorer
from hannan.certificates.first_order import TOLERANCE, FullWidth
from hannan.certificates.induction import Induction, perfect
from hannan.certificates.pseudogame import Pair, Pseudogame
from hannan.certificates.solution import InterruptedSolveError, LinearProgramming, Method, Solved
from hannan.certificates.trunk import Trunk
from hannan.errors import ParameterError


class Automatic(Method):
    """Backward induction while information is perfect, then our own full-width method."""

    name = "auto"

    def __init__(self, tolerance: float = TOLERANCE) -> None:
        self._learner, self._induction = FullWidth(tolerance), Induction()

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        method: Method = self._induction if perfect(trunk) else self._learner
        return method.strategies(trunk, game, side)

    def state(self) -> dict[str, np.ndarray]:
        return self._learner.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self._learner.restore(state)


METHODS: dict[str, type[Method]] = {
    "auto": Automatic,
    "cfr": FullWidth,
    "lp": LinearProgramming,
    "induction": Induction,
}

CLOSE: dict[str, type[Automatic] | type[FullWidth]] = {"auto": Automatic, "cfr": FullWidth}
"""The methods that solve to a tolerance."""


class Resolving(Certification):
    """A certification that solves the pseudogame repeatedly."""

    def __init__(
        self, *arguments: Any, method: str | Method = "auto", explore: str | Explorer = "optimistic",
        tolerance: float | None = None, **options: Any,
    ) -> None:  # fmt: skip
        """As `Certification`; `explore` names the profiles with which playthroughs explore.

        `tolerance` is how close a solve by our own method must be, as a share of the distance of the two games.
        """
        self.solver = self._method(method, tolerance)
        super().__init__(*arguments, method=self.solver.name, **options)
        self.explore = explorer(explore)
        self.quickest = math.inf
        """Seconds of the quickest solve."""
        self.plans: list[Pair] = [(np.ones(1), np.ones(1))]
        self._game: tuple[int, Pseudogame] | None = None  # the last pseudogame, and its number of playthroughs

    @staticmethod
    def _method(method: str | Method, tolerance: float | None) -> Method:
        if tolerance is None:
            return method if isinstance(method, Method) else METHODS[choice("method", method, METHODS)]()
        if isinstance(method, Method) or method not in CLOSE:
            raise ParameterError("tolerance: only the method cfr, and auto while it takes cfr, solve to a tolerance")
        return CLOSE[method](tolerance)

    def _plans(self) -> Sequence[Sequence[np.ndarray]]:
        return self.plans

    def rehearse(self) -> None:
        kept = self.kept
        self._solved(self.pseudogame(), copy.deepcopy(self.solver))
        self.kept, self._proven = kept, None

    def settle(self) -> bool:
        if not self.due(self.playthroughs):
            return False
        begun = time.perf_counter()
        game = self.pseudogame()
        solved = self._solved(game, self.solver)
        self.plans = list(self.explore(game, solved))
        took = time.perf_counter() - begun
        self.solve_seconds += took
        self.quickest = min(self.quickest, took)
        return True

    def take(self, trunk: Trunk, actions: np.ndarray, lengths: np.ndarray, failed: np.ndarray) -> None:
        super().take(trunk, actions, lengths, failed)
        self._game = None

    def state(self) -> dict[str, np.ndarray]:
        state = {f"method_{name}": array for name, array in self.solver.state().items()}
        for number, plan in enumerate(self.plans):
            state |= {f"plan{number}_{player}": strategy for player, strategy in enumerate(plan)}
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.kept, self._proven = (state["strategy0"], state["strategy1"]), None
        numbers = range(sum(name.startswith("plan") for name in state) // 2)
        self.plans = [(state[f"plan{k}_0"], state[f"plan{k}_1"]) for k in numbers]
        if not self.plans:
            raise ValueError("it does not say what the next playthroughs follow")
        self.solver.restore({name[7:]: part for name, part in state.items() if name.startswith("method_")})

    def pseudogame(self) -> Pseudogame:
        """Return the pseudogame of the counts so far."""
        if self._game is None or self._game[0] != self.playthroughs:
            chance = self.confidence.estimates(self.trunk, self.playthroughs, self.scale)
            self._game = self.playthroughs, Pseudogame.of(self.trunk, chance)
        return self._game[1]

    def _solved(self, game: Pseudogame, method: Method) -> Solved:
        """Solve, and keep for each player the old or the new pessimistic strategy, whichever guarantees more."""
        self._proven = None
        if self.fixed is not None:
            self.kept = self.fixed(self.trunk)
            return Solved(self.kept, self.kept)
        old = self.trunk.extended(self.kept)
        try:
            solved = method.solve(self.trunk, game)
        except InterruptedSolveError:  # the earlier strategies are sound, too
            self.kept = old
            return Solved(old, self.trunk.extended(self.plans[0]))
        new = solved.pessimistic
        (low, high), (lower, upper) = game.guarantees(old), game.guarantees(new)
        self.kept = new[0] if lower >= low else old[0], new[1] if upper <= high else old[1]
        self._proven = self._bounded(max(lower, low), min(upper, high))
        return Solved(self.kept, solved.optimistic)

    def finish(self) -> None:
        if not self.due(self.playthroughs) or self.playthroughs == 0:
            self._solved(self.pseudogame(), copy.deepcopy(self.solver))

    def _prove(self) -> Bound:
        self.kept = self.trunk.extended(self.kept)
        return self._bounded(*self.pseudogame().guarantees(self.kept))
