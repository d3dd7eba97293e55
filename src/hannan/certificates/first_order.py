"""Solving a growing pseudogame by our own full-width method: predictive CFR+, run to a tolerance, warm-started.

A new set begins with regret 0 and uniform play (an extendable family, Definition 7.1). At other sets regrets continue
from the last solve, whose game was nearly the same.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.pseudogame import Pair, Pseudogame
from hannan.certificates.solution import Method
from hannan.certificates.trunk import Trunk
from hannan.kernels.fullwidth import passes, plain
from hannan.kernels.fullwidth.records import REGRETS, VALUES, Learning
from hannan.layouts.backend import Step
from hannan.solvers.fullwidth.engine import NOISE, polynomial

BLOCK = 25
"""Iterations between two checks of how close the average play is."""

TOLERANCE = 0.01
"""The gain at which a solve ends, as a share of the distance of the two games."""

MOST = 2000
"""The most iterations of a solve with this tolerance; a smaller one allows proportionally more, up to `UTMOST`."""

UTMOST = 100 * MOST


class FullWidth(Method):
    """Predictive CFR+ on each game until a best response gains little against its average play."""

    name = "cfr"

    def __init__(self, tolerance: float = TOLERANCE, most: int | None = None) -> None:
        """Stop when the gain is below `tolerance` times the distance of the two games, or after `most` iterations."""
        self.tolerance = tolerance
        self.most = round(min(MOST * max(1.0, TOLERANCE / tolerance), UTMOST)) if most is None else most
        self.iterations = 0
        """Iterations on both games since the beginning."""
        self._regret: dict[int, Pair] = {}
        self._strategy: dict[int, Pair] = {}
        self._values = [-np.inf, np.inf]

    def strategies(self, trunk: Trunk, game: Pseudogame, side: int) -> Pair:
        flat, (mine, theirs) = game.flats[side], game.sequences
        size = mine + theirs
        start = np.concatenate(trunk.extended(self._strategy.get(side, (np.ones(1), np.ones(1)))))
        regret = np.zeros(size)
        for part, offset in zip(self._regret.get(side, ()), (0, mine), strict=False):
            regret[offset : offset + len(part)] = part
        learning = Learning(start, np.zeros(size), regret, np.zeros(size), np.zeros(0), np.zeros(3))
        for player in (0, 1):
            passes.spread(flat, player, learning.strategy, learning.reach)
        worth, done = np.zeros(size), 0
        best: Pair = game.uniform()
        while done < self.most:
            rows = _schedule(done + 1, BLOCK, float(np.abs(flat.payoff).max(initial=0.0)))
            plain.run(flat, learning, None, rows, REGRETS, False, VALUES, worth)
            done += BLOCK
            best = trunk.behaviour(0, learning.total[:mine]), trunk.behaviour(1, learning.total[mine:])
            high, low = game.best(side, 0, best)[0], -game.best(side, 1, best)[0]
            self._values[side] = low if side == 0 else high
            apart = min(self._values[1] - self._values[0], game.high - game.low)
            if high - low <= max(self.tolerance * apart, 1e-9 * (game.high - game.low)):
                break
        self.iterations += done
        self._regret[side] = regret[:mine].copy(), regret[mine:].copy()
        self._strategy[side] = start[:mine].copy(), start[mine:].copy()
        return best

    def state(self) -> dict[str, np.ndarray]:
        state = {"values": np.array(self._values), "iterations": np.array([self.iterations])}
        for name, parts in (("regret", self._regret), ("strategy", self._strategy)):
            for side, pair in parts.items():
                for player, array in enumerate(pair):
                    state[f"{name}{side}{player}"] = array
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        if state["values"].shape != (2,) or np.any(np.isnan(state["values"])):
            raise ValueError("values: two numbers are wanted")
        self._values, self.iterations = state["values"].tolist(), int(state["iterations"][0])
        for name, parts in (("regret", self._regret), ("strategy", self._strategy)):
            for side in (0, 1):
                if f"{name}{side}0" in state:
                    parts[side] = state[f"{name}{side}0"], state[f"{name}{side}1"]


def _schedule(first: int, count: int, largest: float) -> Floats:
    """Return the rows of predictive CFR+ (regret matching plus, averages weighted by t²) for the kernel."""
    decay = polynomial(np.arange(first, first + count, dtype=np.float64), 2)
    return Step(floor=0.0, predict=1.0, decay=decay, noise=NOISE * largest).rows(count)
