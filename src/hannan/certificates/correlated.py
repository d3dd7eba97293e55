"""Algorithm 7.2 for any number of players and any gains: a coarse correlated ε-equilibrium, with a gap for each player.

The average of all joint play cannot be kept on a trunk that grows. But any correlated play has a sound gap. So the
certification keeps iterates σᵗ at evenly spaced moments, and certifies the play of one of them, drawn uniformly. The
gap of player i is β̂ᵢ*(σ₋ᵢ) − α̂ᵢ(σ): the best that it can earn by deviating without knowing the draw, minus what it
earns in joint play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.certification import NOTHING_KNOWN, Bound
from hannan.certificates.minimizers import Sweep
from hannan.certificates.playthrough import Playthrough
from hannan.certificates.trunk import ROOT, Trunk

Joint = list[Floats]
"""One behaviour strategy for each player."""

ITERATES = 32
"""The fewest iterates that are kept, once there have been that many."""


class Correlating(Regretting):
    """A certification of correlated play."""

    averages = False

    def __init__(self, *arguments: Any, iterates: int = ITERATES, **options: Any) -> None:
        """Keep between `iterates` and twice as many iterates."""
        self.most, self.stride = iterates, 1
        self.joint: list[Joint] = []
        """The iterates that were kept, oldest first; uniform at sets that are newer."""
        self.chosen: list[Joint] = []
        """The profiles that a certificate would hold now."""
        self._measured = False
        """Whether a measurement chose them. Before the first measurement they are uniform play."""
        super().__init__(*arguments, **options)
        self._responses: list[Joint] = [[np.ones(1)] * self.trunk.seats]

    def _tree(self, players: int, bounds: tuple[float, float] | None) -> Trunk:
        view = self._root()
        told = [NOTHING_KNOWN] * players if view.bounds is None else view.bounds
        ranges = self._ranges(view, told, bounds, " of player {}")
        self._bounds = tuple(float(low) for low, _ in ranges), tuple(float(high) for _, high in ranges)
        return Trunk(players, *self._bounds)

    def _pause(self, t: int) -> int:
        return min(super()._pause(t), t - t % self.stride + self.stride)

    def add(self, record: Playthrough) -> int:
        depth = super().add(record)
        self._sample()
        return depth

    def _noted(self) -> None:
        self._sample()

    def _sample(self) -> None:
        """Keep the current strategies at the kept moments; if there are too many, keep every second."""
        if self.playthroughs % self.stride or self.fixed is not None:
            return
        self.minimizer.extend(self.trunk)
        strategy = self.minimizer.strategy
        self.joint.append([strategy[p, : self.trunk.sets[p].sequences].copy() for p in range(self.trunk.seats)])
        if len(self.joint) == 2 * self.most:
            self.joint, self.stride = self.joint[1::2], 2 * self.stride

    def _measure(self) -> None:
        """Choose among all iterates, the newer half of them, and the averages: the smallest largest gap wins."""
        if self.fixed is not None:
            self.chosen, self._proven = [list(self.fixed(self.trunk))], None
            self._responses = self._respond(self.chosen[0])
            return
        self.minimizer.extend(self.trunk)
        players = range(self.trunk.seats)
        average = [self.trunk.behaviour(p, self.minimizer.average(self.trunk, p)) for p in players]
        candidates = [self.joint, self.joint[len(self.joint) // 2 :], [average], self.chosen if self._measured else []]
        game, self._measured = self.sweep(), True
        gaps = [(self._gaps(game, some), some) for some in candidates if some]
        best, chosen = min(gaps, key=lambda each: max(each[0]))
        self.chosen = [self.trunk.extended(strategies) for strategies in chosen]
        self._proven = self._widened(best)

    def _judge(self, game: Sweep, strategies: Sequence[Floats]) -> None:
        self._gaps(game, [list(strategies)])

    def _respond(self, joint: Joint) -> list[Joint]:
        """Return for each player a profile of its optimistic best response and the others' given strategies."""
        game, responses = self.sweep(), []
        reach = game.reaches(self._stacked(joint))
        for player in range(self.trunk.players):
            _, choices = game.respond(player, game.gradient(player, reach))
            pure = np.zeros(self.trunk.sets[player].sequences)
            pure[0] = 1.0
            pure[self.trunk.sets[player].rows.view("first") + choices] = 1.0
            responses.append([pure if p == player else strategy for p, strategy in enumerate(joint)])
        return responses

    def _horizon(self, t: int) -> int:
        return super()._horizon(t) if self.fixed is None else self.next_due(t)

    def _plans(self) -> Sequence[Sequence[np.ndarray]]:
        """Return the profiles to follow; if strategies are given, best responses to them in turn."""
        return super()._plans() if self.fixed is None else self._responses

    def _gaps(self, game: Sweep, joint: Sequence[Joint]) -> list[float]:
        """Return a bound on what each player could add by deviating from joint play, drawn uniformly from `joint`."""
        players = range(self.trunk.players)
        worth = [np.zeros(self.trunk.sets[player].sequences) for player in players]
        earned = [0.0 for _ in players]
        for strategies in joint:
            reach = game.reaches(self._stacked(self.trunk.extended(strategies)))
            for player in players:
                game.gradient(player, reach, 1.0 / len(joint), worth[player])
                earned[player] += game.value(player, reach, 0) / len(joint)
        return [game.respond(player, worth[player])[0] - earned[player] for player in players]

    def _prove(self) -> Bound:
        self.chosen = [self.trunk.extended(strategies) for strategies in self.chosen or [self._uniform()]]
        return self._widened(self._gaps(self.sweep(), self.chosen))

    def _widened(self, found: Sequence[float]) -> Bound:
        """Return gaps, widened, and no larger than the bounds of the box give."""
        nodes = self.trunk.nodes
        wide = (nodes.most[ROOT] - nodes.least[ROOT]).tolist()
        gaps = tuple(
            float(min(gap, most) + self.rounding(most, player))
            for player, (gap, most) in enumerate(zip(found, wide, strict=True))
        )
        return Bound(self.playthroughs, np.nan, np.nan, nodes.used, self.trunk.expanded, gaps)

    def _uniform(self) -> Joint:
        return self.trunk.extended([np.ones(1)] * self.trunk.seats)

    def strategies(self) -> dict[str, np.ndarray]:
        joint = [self.trunk.extended(strategies) for strategies in self.chosen or [self._uniform()]]
        return {f"strategy{p}": np.array([strategies[p] for strategies in joint]) for p in range(self.trunk.players)}

    def state(self) -> dict[str, np.ndarray]:
        state = super().state() | {"stride": np.array([self.stride])}
        for k, strategies in enumerate(self._responses):
            state |= {f"response{k}_{p}": strategy for p, strategy in enumerate(strategies)}
        for k, strategies in enumerate(self.joint):
            state |= {f"joint{k}_{p}": strategy for p, strategy in enumerate(strategies)}
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        seats = self.trunk.seats
        rows = [state.get(f"strategy{p}", np.ones((1, 1))) for p in range(seats)]
        many = len(rows[0])
        rows = [row if p < self.trunk.players else np.ones((many, 1)) for p, row in enumerate(rows)]
        self.chosen = [[row[k] for row in rows] for k in range(many)]
        self._measured = self.playthroughs >= self.next_due(1)
        self.stride = int(state["stride"][0])
        self.joint, self._responses = (
            [[state[f"{name}{k}_{p}"] for p in range(seats)] for k in range(_many(name, state) // seats)]
            for name in ("joint", "response")
        )
        self._resume(state)


def _many(name: str, state: dict[str, np.ndarray]) -> int:
    return sum(key.startswith(name) for key in state)
