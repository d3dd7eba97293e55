"""Small black boxes: bandits, trees, and boxes that break promises."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hannan.rules.box import Box, ChanceMove, View
from hannan.rules.plain import END, Rules


class Bandit(Box):
    """One player, one choice: sure arms pay what they pay, the others 1 with a probability and else 0."""

    players = 1
    name = "bandit"

    def __init__(self, sure: Sequence[float] = (), risky: Sequence[float] = ()) -> None:
        self.sure, self.risky = tuple(sure), tuple(risky)
        self._random = random.Random()
        self._won: int | None = None

    def value(self, arm: int) -> float:
        return self.risky[arm] if arm < len(self.risky) else self.sure[arm - len(self.risky)]

    def reset(self, seed: int) -> View:
        self._random.seed(seed)
        self._won = None
        return View([0.0], [(0.0, 1.0)], (0,), [range(len(self.risky) + len(self.sure))], ["which"])

    def step(self, moves: tuple[Any, ...]) -> View:
        if self._won is not None:
            return View([float(self._won)])
        (arm,) = moves
        if arm >= len(self.risky):
            return View([self.value(arm)])
        self._won = int(self._random.random() < self.risky[arm])
        return View([0.0], None, draw=ChanceMove(self._won, (0, 1)))


class Lottery(Box):
    """Chance draws one of many prizes, and cannot list them; then player 0 keeps it or changes to a sure prize."""

    players = 1
    name = "lottery"

    def __init__(self, prizes: int = 5, most: int = 8, grouped: bool = False, seeded: bool = True) -> None:
        self.prizes, self.most, self.grouped, self.seeded = prizes, most, grouped, seeded
        self._random = random.Random(7)

    def reset(self, seed: int) -> View:
        if self.seeded:
            self._random.seed(seed)
        self._rounds = 0
        self._total = 0.0
        return self._drawn()

    def _drawn(self) -> View:
        self._rounds += 1
        self._prize = self._random.randrange(self.prizes)
        drawn = ChanceMove(f"prize {self._prize}", most=self.most, group="prizes" if self.grouped else None)
        return View([0.0], [(0.0, 2.0)], draw=drawn)

    def step(self, moves: tuple[Any, ...]) -> View:
        if not moves:
            return View([0.0], None, (0,), [("keep", "change")], [(self._rounds, self._prize)])
        gain = self._prize / (self.prizes - 1) if moves[0] == "keep" else 0.5
        if self._rounds == 2:
            return View([gain])
        view = self._drawn()
        return view._replace(gains=[gain], bounds=None)

    @property
    def value(self) -> float:
        """What two rounds of the best play earn."""
        return 2 * sum(max(k / (self.prizes - 1), 0.5) for k in range(self.prizes)) / self.prizes


class Tree(Rules):
    """A random tree without chance: rewards on edges, players in turn, bounds that are true and not tight."""

    def __init__(self, seed: int, players: int, depth: int = 4, width: int = 3) -> None:
        draw = random.Random(seed)
        self.players, self.name = players, f"tree {seed}"
        self.menu: dict[tuple[int, ...], int] = {}
        self.reward: dict[tuple[int, ...], float] = {(): 0.0}
        self.least: dict[tuple[int, ...], float] = {}
        self.most: dict[tuple[int, ...], float] = {}
        self._grow((), depth, width, draw)

    def _grow(self, path: tuple[int, ...], depth: int, width: int, draw: random.Random) -> None:
        ends = depth == 0 or (len(path) > 0 and draw.random() < 0.15)
        self.menu[path] = 0 if ends else draw.randint(1, width)
        low, high = [], []
        for k in range(self.menu[path]):
            child = (*path, k)
            self.reward[child] = float(draw.randint(-4, 4))
            self._grow(child, depth - 1, width, draw)
            low.append(self.reward[child] + self.least[child])
            high.append(self.reward[child] + self.most[child])
        slack = draw.choice([0.0, 0.0, 1.0, 2.0])
        self.least[path] = min(low) - slack if low else 0.0
        self.most[path] = max(high) + slack if high else 0.0
        if low and self.players == 1:  # A* knows a bound from one side only
            self.least[path] = -50.0

    def start(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int:
        return len(state) % self.players if self.menu[state] else END

    def actions(self, state: tuple[int, ...], player: int) -> list[int]:
        return list(range(self.menu[state]))

    def after(self, state: tuple[int, ...], move: int) -> tuple[int, ...]:
        return (*state, move)

    def observe(self, state: tuple[int, ...], player: int) -> tuple[int, ...]:
        return state

    def gains(self, state: tuple[int, ...]) -> list[float]:
        return [self.reward[state], -self.reward[state]][: self.players]

    def bounds(self, state: tuple[int, ...]) -> list[tuple[float, float]]:
        low, high = self.least[state], self.most[state]
        return [(low, high), (-high, -low)][: self.players]
