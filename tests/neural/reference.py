"""Tabular CFR with sampled traversals, K of them an iteration and linear weights: plain recursion over plain rules.

It shares no code with what it checks, but for the random numbers: each traversal's first one, and how a child's come
from its parent's.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from hannan.neural.traversals import keys
from hannan.rules.plain import CHANCE, END, Rules, movers

MASK = 2**64 - 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * FIRST) & MASK
    z = ((z ^ (z >> 27)) * SECOND) & MASK
    return z ^ (z >> 31)


class Numbers:
    """SplitMix64."""

    def __init__(self, state: int) -> None:
        self.state = state

    def uniform(self) -> float:
        self.state = (self.state + GOLDEN) & MASK
        return (mixed(self.state) >> 11) * 2.0**-53

    def draw(self, weights: list[float]) -> int:
        if len(weights) == 1:
            return 0
        u, k, reached = self.uniform(), 0, weights[0]
        while u >= reached and k < len(weights) - 1:
            k += 1
            reached += weights[k]
        while k > 0 and weights[k] == 0.0:
            k -= 1
        return k


class Reference:
    """Sums by information set, which is known by all that its player saw and did."""

    def __init__(self, rules: Rules, traversals: int, seed: int, actions: int | None = None) -> None:
        self.rules, self.traversals, self.seed, self.actions = rules, traversals, seed, actions
        self.regret: dict[Any, list[float]] = {}
        self.policy: dict[Any, list[float]] = {}
        self.touched = 0

    def run(self, iterations: int) -> None:
        for t in range(1, iterations + 1):
            for player in range(self.rules.players):
                fresh: dict[Any, list[float]] = defaultdict(list)
                for key in keys(self.seed, t, player, self.traversals):
                    self._walk(self.rules.start(), int(key), t, player, [()] * self.rules.players, fresh)
                for place, regrets in fresh.items():  # only now: all traversals see the same strategy
                    old = self.regret.setdefault(place, [0.0] * len(regrets))
                    self.regret[place] = [a + b for a, b in zip(old, regrets, strict=True)]

    def strategy(self, place: Any, size: int) -> list[float]:
        regrets = self.regret.get(place, [0.0] * size)
        total = sum(max(regret, 0.0) for regret in regrets)
        if total > 0.0:
            return [max(regret, 0.0) / total for regret in regrets]
        best = max(regrets)
        return [float(regret == best) / regrets.count(best) for regret in regrets]

    def _walk(self, state: Any, key: int, t: int, player: int, past: list[Any], fresh: Any) -> float:
        rules, numbers = self.rules, Numbers(key)
        gain = float(rules.gains(state)[player])
        while (turn := rules.turn(state)) == CHANCE:
            outcomes = rules.chance(state)
            state = rules.after(state, outcomes[numbers.draw([weight for _, weight in outcomes])][0])
            gain += float(rules.gains(state)[player])
        self.touched += 1
        if turn == END:
            return gain
        who = movers(turn)
        menus = {p: list(rules.actions(state, p)) for p in who}
        places = {p: (p, past[p], rules.observe(state, p)) for p in who}
        plays = {p: self.strategy(places[p], len(menus[p])) for p in who}
        drawn = {p: numbers.draw(plays[p]) for p in who if p != player}
        for p in drawn:
            sums = self.policy.setdefault(places[p], [0.0] * len(menus[p]))
            self.policy[places[p]] = [a + t * b for a, b in zip(sums, plays[p], strict=True)]
        if player not in who:
            return gain + self._child(state, turn, menus, drawn, places, past, numbers.state, t, player, fresh)
        size = len(menus[player])
        taken = self._taken(size, numbers)
        worth = [0.0] * size
        for number, k in enumerate(taken):
            begin = numbers.state if len(taken) == 1 else mixed((numbers.state + (number + 1) * SECOND) & MASK)
            joint = {**drawn, player: k}
            value = self._child(state, turn, menus, joint, places, past, begin, t, player, fresh)
            worth[k] = value * size / len(taken)
        mean = sum(a * b for a, b in zip(plays[player], worth, strict=True))
        sums = fresh[places[player]] or [0.0] * size
        fresh[places[player]] = [a + t * (b - mean) for a, b in zip(sums, worth, strict=True)]
        return gain + mean

    def _taken(self, size: int, numbers: Numbers) -> list[int]:
        places = list(range(size))
        if self.actions is None or self.actions >= size:
            return places
        for k in range(self.actions):
            other = k + int(numbers.uniform() * (size - k))
            places[k], places[other] = places[other], places[k]
        return sorted(places[: self.actions])

    def _child(
        self, state: Any, turn: Any, menus: Any, joint: dict[int, int], places: Any, past: list[Any], key: int, t: int,
        player: int, fresh: Any,
    ) -> float:  # fmt: skip
        moves = tuple(menus[p][joint[p]] for p in sorted(joint))
        after = self.rules.after(state, moves if isinstance(turn, tuple) else moves[0])
        further = [(*before, places[p][2], joint[p]) if p in joint else before for p, before in enumerate(past)]
        return self._walk(after, key, t, player, further, fresh)
