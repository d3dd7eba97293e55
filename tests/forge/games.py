"""Small random games with known chance, and black boxes that play them."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

from hannan.rules.box import FAILED, Box, ChanceMove, Child, SimulatorError, View
from hannan.rules.plain import CHANCE, END, Rules, movers

Path = tuple[Any, ...]
Own = tuple[tuple[Hashable, Hashable], ...]
"""What one player has seen and done."""


class Small(Rules):
    """A random tree: chance, single and joint moves, gains on the way, ties, sets of several nodes.

    The k-th draw of chance has one distribution wherever it comes, so groups may be told by history and by rules.
    """

    def __init__(
        self, seed: int, players: int = 2, *, zero_sum: bool = True, depth: int = 4, scale: float = 1.0,
        luck: float = 0.4, slack: float = 0.0, perfect: bool = False,
    ) -> None:  # fmt: skip
        """`scale` multiplies gains, `luck` is how often chance moves, `slack` widens the bounds.

        With `perfect` information everybody sees all that has happened, and nobody moves at once.
        """
        draw = random.Random(seed)
        self.players, self.name, self.slack = players, f"small {seed} {players} {depth} {scale:g} {luck:g}", slack
        if not zero_sum:
            self.name += " general"
        if perfect:
            self.name += " perfect"
        self._scale, self._luck, self._zero_sum, self._perfect = scale, luck, zero_sum, perfect
        self._odds = [_odds(draw) for _ in range(depth)]
        self._menus: dict[tuple[int, Own, Hashable], tuple[str, ...]] = {}
        self._turn: dict[Path, Any] = {}
        self._seen: dict[tuple[Path, int], Hashable] = {}
        self._own: dict[Path, tuple[Own, ...]] = {}
        self._gains: dict[Path, tuple[float, ...]] = {}
        self._least: dict[Path, list[tuple[float, float]]] = {}
        self._grow((), ((),) * players, depth, draw)

    def _grow(self, path: Path, own: tuple[Own, ...], depth: int, draw: random.Random) -> None:
        first = float(draw.choice([-3, -2, -1, 0, 0, 1, 2, 3])) * self._scale
        others = [float(draw.choice([-2, -1, 0, 0, 1, 2])) * self._scale for _ in range(self.players - 1)]
        if self._zero_sum and self.players == 2:
            others = [-first]
        on_the_way = depth > 0 and draw.random() < 0.7
        self._gains[path] = (0.0,) * self.players if on_the_way else (first, *others)
        if depth == 0 or (len(path) > 1 and draw.random() < 0.15):
            self._turn[path], self._least[path] = END, [(0.0, 0.0)] * self.players
            return
        if draw.random() < self._luck:
            self._turn[path] = CHANCE
            moves: list[Any] = [outcome for outcome, _ in self.chance(path)]
        else:
            joint = self.players > 1 and not self._perfect and draw.random() < 0.2
            who = (0, 1) if joint else (draw.randrange(self.players),)
            self._turn[path] = who if joint else who[0]
            for player in who:
                seen = self._seen[path, player] = path if self._perfect else draw.choice(["x", "y", (0, "z")])
                key = (player, own[player], seen)
                self._menus.setdefault(key, tuple("lmr"[: draw.choice([2, 2, 3])]))
            self._own[path] = own
            menus = [self.actions(path, player) for player in who]
            moves = [(a, b) for a in menus[0] for b in menus[1]] if joint else list(menus[0])
        low, high = [], []
        for move in moves:
            after = list(own)
            if self._turn[path] != CHANCE:
                taken = move if isinstance(self._turn[path], tuple) else (move,)
                for player, action in zip(movers(self._turn[path]), taken, strict=True):
                    after[player] = (*own[player], (self._seen[path, player], action))
            child = (*path, move)
            self._grow(child, tuple(after), depth - 1, draw)
            pairs = list(zip(self._gains[child], self._least[child], strict=True))
            low.append([gain + least for gain, (least, _) in pairs])
            high.append([gain + most for gain, (_, most) in pairs])
        self._least[path] = list(zip(map(min, zip(*low, strict=True)), map(max, zip(*high, strict=True)), strict=True))

    def start(self) -> Path:
        return ()

    def turn(self, state: Path) -> Any:
        return self._turn[state]

    def actions(self, state: Path, player: int) -> Sequence[str]:
        return self._menus[player, self._own[state][player], self._seen[state, player]]

    def chance(self, state: Path) -> Sequence[tuple[str, float]]:
        return self._odds[self._drawn(state)]

    def _drawn(self, state: Path) -> int:
        return sum(self._turn[state[:k]] == CHANCE for k in range(len(state)))

    def chance_group(self, state: Path) -> int:
        return self._drawn(state)

    def after(self, state: Path, move: Any) -> Path:
        return (*state, move)

    def observe(self, state: Path, player: int) -> Hashable:
        return self._seen[state, player]

    def gains(self, state: Path) -> tuple[float, ...]:
        return self._gains[state]

    def bounds(self, state: Path) -> list[tuple[float, float]]:
        wide = self.slack * self._scale * (self._turn[state] != END)
        return [(low - wide, high + wide) for low, high in self._least[state]]


def _odds(draw: random.Random) -> list[tuple[str, float]]:
    """Return a distribution of two or three outcomes, in eighths."""
    weights = draw.choice([(4, 4), (2, 6), (7, 1), (1, 3, 4), (6, 1, 1)])
    return [(name, weight / 8) for name, weight in zip("abc", weights, strict=False)]


class Played(Box):
    """Rules as a box of its own: draws with `random`, tells what it is asked to, and may fail."""

    def __init__(
        self, rules: Rules, *, listed: bool = True, grouped: bool = False, known: bool = False, children: bool = False,
        every_bound: bool = True, seeded: bool = True, fails: int = 0,
    ) -> None:  # fmt: skip
        """`fails`: after a draw there is no answer at about one of so many seeds, however often it is asked.

        An unseeded box draws, and fails, as it likes.
        """
        self.rules, self.players, self.name, self.seeded = rules, rules.players, f"played {rules.name}", seeded
        self.listed, self.grouped, self.known, self.children = listed, grouped, known, children
        self.every_bound, self.fails = every_bound, fails
        self._random = random.Random(5)
        self._state: Any = None
        self._seed, self._move = 0, None

    def reset(self, seed: int) -> View:
        if self.seeded:
            self._random.seed(seed)
        self._seed = seed if self.seeded else self._random.getrandbits(60)
        self._state = self.rules.start()
        return self._view()

    def step(self, moves: tuple[Any, ...]) -> View:
        turn, move = self.rules.turn(self._state), self._move
        if turn != CHANCE:
            move = moves if isinstance(turn, tuple) else moves[0]
        elif self.fails and (self._seed >> 3) % self.fails == 0:
            raise SimulatorError("the simulator fell asleep")
        self._state = self.rules.after(self._state, move)
        return self._view()

    def _view(self) -> View:
        rules, state = self.rules, self._state
        turn, gains = rules.turn(state), rules.gains(state)
        bounds = rules.bounds(state) if self.every_bound or state == rules.start() else None
        if turn == END:
            return View(gains, bounds)
        if turn == CHANCE:
            return View(gains, bounds, draw=self._draw(), children=self._told([o for o, _ in rules.chance(state)]))
        who = movers(turn)
        menus = [list(rules.actions(state, player)) for player in who]
        joint: list[Any] = [(a, b) for a in menus[0] for b in menus[1]] if len(who) == 2 else menus[0]
        seen = [rules.observe(state, player) for player in who]
        return View(gains, bounds, who, menus, seen, children=self._told(joint))

    def _told(self, moves: Sequence[Any]) -> list[Child] | None:
        if not self.children:
            return None
        states = [self.rules.after(self._state, move) for move in moves]
        return [Child(self.rules.gains(state), self.rules.bounds(state) or ()) for state in states]

    def _draw(self) -> ChanceMove:
        names, odds = zip(*self.rules.chance(self._state), strict=True)
        (self._move,) = self._random.choices(names, odds)
        group = self.rules.chance_group(self._state) if self.grouped else None
        if not self.listed:
            return ChanceMove(self._move, most=len(names) + 1, group=group)
        if self.fails:
            return ChanceMove(self._move, (*names, FAILED), group=group)
        return ChanceMove(self._move, names, group=group, odds=odds if self.known else None)
