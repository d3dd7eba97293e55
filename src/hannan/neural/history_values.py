"""Networks that estimate the values of actions at histories: baselines for DREAM, regrets for ESCHER."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Unpack

import numpy as np

from hannan.arguments import whole
from hannan.arrays import Floats, Longs
from hannan.forms.loader import Loadable
from hannan.kernels.batches.moves import BASELINE, by_menu
from hannan.neural.approximators import Approximator, TableApproximator
from hannan.neural.deep_cfr import SDCFR
from hannan.neural.design import Design
from hannan.neural.hauls import Haul
from hannan.neural.memories import Lessons, all_lessons
from hannan.neural.parameters import Shared
from hannan.neural.solver import MOST_STEPS
from hannan.neural.traversals import Traversals
from hannan.solvers.parameters import by_name

VALUE = 103
"""The number of the random stream for training these networks."""


class Guessing(SDCFR):
    """A method with a network for each traverser and mover: the values of the mover's actions to the traverser."""

    mode, everybody = BASELINE, True
    meanings = by_name(
        value_steps="training steps per iteration of each network that estimates the values of actions at histories"
    )

    def __init__(
        self, game: Loadable, *, actions: int | None = 1, value_steps: int = 100, **shared: Unpack[Shared]
    ) -> None:
        super().__init__(game, actions=actions, **shared)
        self.value_steps = whole("value_steps", value_steps, 0, MOST_STEPS)
        self._traverser = 0

    @cached_property
    def guesses(self) -> dict[tuple[int, int], Approximator]:
        """The networks by traverser and mover."""
        everybody = range(self.game.players)
        return {(who, mover): self._guess_network(who, mover) for who in everybody for mover in everybody}

    def _guess_network(self, traverser: int, mover: int) -> Approximator:
        row, heads = self.encoding.size * self.game.players, self.encoding.heads
        if self.approximation == "table":
            return TableApproximator(row, heads)
        from hannan.neural.networks import Network, Training

        design = Design(row, heads, self.layers, self.units)
        training = Training(self.rate, self.value_steps, self.batch)
        random = self._random(VALUE, traverser * self.game.players + mover, 0)
        return Network(design, training, random, self.device)  # type: ignore[arg-type]

    def haul(self, t: int, player: int, low: int, high: int) -> Haul:
        self._traverser = player
        made = super().haul(t, player, low, high)
        return replace(made, lessons=outcomes(self.walks, player, self.scale))

    def _play(self, walks: Traversals, player: int, chosen: Longs) -> None:
        super()._play(walks, player, chosen)
        self._guess(walks, player, chosen)

    def _guess(self, walks: Traversals, player: int, chosen: Longs) -> None:
        values = self.guesses[self._traverser, player].values(walks.rows.known[chosen]) * self.scale
        by_menu(values, walks.rows, chosen, walks.rows.guess)

    def _study(self, player: int, hauls: list[Haul]) -> None:
        """Train the networks on the sampled values of actions."""
        for mover in self._everybody:
            told = [haul.lessons[mover] for haul in hauls if mover in haul.lessons]
            if told:
                random = self._random(VALUE, player * self.game.players + mover, self.iterations + 1)
                net = self.guesses[player, mover]
                self._losses[f"value{player}{mover}"] = net.fit(all_lessons(told), random, fresh=False)

    def _asked(self, player: int) -> dict[str, Approximator]:
        guesses = {f"value{player}.{mover}": self.guesses[player, mover] for mover in self._everybody}
        return super()._asked(player) | guesses

    def parts(self) -> dict[str, Approximator]:
        guesses = {f"value{who}.{mover}": net for (who, mover), net in self.guesses.items()}
        return super().parts() | guesses


def outcomes(walks: Traversals, player: int, scale: float) -> dict[int, Lessons]:
    """Return, for each mover, the sampled values to `player` of the actions taken, divided by `scale`.

    Nodes at which several players move are left out, because their values depend on all moves together.
    """
    nodes, rows = walks.nodes, walks.rows
    child = np.flatnonzero(nodes.parent[: walks.used] >= 0)
    parent = nodes.parent[child]
    single = nodes.turn[parent] & (nodes.turn[parent] - 1) == 0
    child, parent = child[single], parent[single]
    row = nodes.row[parent]
    head = rows.head[row, nodes.place[child]]
    came: Floats = (nodes.gain[child, player] + nodes.value[child, player]) / scale
    lessons: dict[int, Lessons] = {}
    for mover in range(walks.players):
        mine = rows.player[row] == mover
        if not mine.any():
            continue
        target = np.full((int(mine.sum()), walks.encoding.heads), np.nan)
        target[np.arange(len(target)), head[mine]] = came[mine]
        lessons[mover] = Lessons(rows.known[row[mine]], target, np.ones(len(target)))
    return lessons
