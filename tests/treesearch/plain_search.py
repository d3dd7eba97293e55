"""The search of a paper, slowly: recursive Python over the rules, with the random numbers of the kernels.

It follows Algorithm 1 of V. Lisý et al. (2013) line by line; X and n are kept in every node, cells are looked up in
their children.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules, movers
from tests.kernels.sampling.test_draws import splitmix


class Node:
    """A node of the tree."""

    def __init__(self, search: PlainSearch, state: Any) -> None:
        rules = search.rules
        self.state, self.turn = state, rules.turn(state)
        self.X, self.n, self.told = 0.0, 0, 0
        self.sizes = [1, 1]
        if self.turn not in (END, CHANCE):
            for player in movers(self.turn):
                self.sizes[player] = len(rules.actions(state, player))
        self.cells = list(product(range(self.sizes[0]), range(self.sizes[1])))
        self.child: dict[Any, Node] = {}
        self.played_out: dict[Any, float] = {}
        self.learnt = [[0.0] * size for size in self.sizes]
        self.counts = [[0] * size for size in self.sizes]
        self.fresh = True

    def after(self, rules: Rules, cell: tuple[int, int]) -> Any:
        chosen = tuple(rules.actions(self.state, player)[cell[player]] for player in movers(self.turn))
        return rules.after(self.state, chosen if len(chosen) > 1 else chosen[0])


class PlainSearch:
    """A search by `rm`, `hedge` or `exp3`, with a scheme of first visits."""

    def __init__(
        self, rules: Rules, rule: str, low: float, high: float, *, first_visits: str, mean: bool, gamma: float = 0.1,
        unvisited: str = "skip", explore: str = "own", seed: int = 0,
    ) -> None:  # fmt: skip
        self.rules, self.rule, self.low, self.high = rules, rule, low, high
        self.scheme, self.mean, self.gamma, self.unvisited = first_visits, mean, gamma, unvisited
        self.explore, self.random = explore, seed
        self.root = Node(self, rules.start())

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.visit(self.root, float(self.rules.gains(self.root.state)[0]))

    def uniform(self) -> float:
        self.random, u = splitmix(self.random)
        return u

    def any_of(self, size: int) -> int:
        return int(self.uniform() * size)

    def drawn(self, shares: list[float]) -> int:
        if len(shares) == 1:
            return 0
        u, reached = self.uniform(), 0.0
        for k, share in enumerate(shares):
            reached += share
            if u < reached:
                return k
        return len(shares) - 1

    def scaled(self, gain: float) -> float:
        return (gain - self.low) / (self.high - self.low)

    def roll_out(self, state: Any, gain: float) -> float:
        """Play at random to the end; `gain` is what player 0 has gained, on coming to the state too."""
        while (turn := self.rules.turn(state)) != END:
            if turn == CHANCE:
                outcomes = list(self.rules.chance(state))
                state = self.rules.after(state, outcomes[self.drawn([odds for _, odds in outcomes])][0])
            else:
                menus = [list(self.rules.actions(state, player)) for player in movers(turn)]
                chosen = tuple(menu[self.any_of(len(menu)) if len(menu) > 1 else 0] for menu in menus)
                state = self.rules.after(state, chosen if len(chosen) > 1 else chosen[0])
            gain += float(self.rules.gains(state)[0])
        return self.scaled(gain)

    def visit(self, h: Node, gain: float) -> float:
        """Return what the walk returns through h; `gain` is what player 0 has gained on the way, h included."""
        if h.turn == END:
            return self.scaled(gain)
        if h.turn == CHANCE:
            return self.back(h, self.chance_visit(h, gain))
        if self.scheme != "selected" and (untried := [cell for cell in h.cells if cell not in h.child]):
            one = len(h.cells) == 1
            cell = untried[0] if one else untried[self.any_of(len(untried))]
            u = self.expand(h, cell, h.after(self.rules, cell), gain)
            h.told += 1
            self.learn(h, cell, u, [1 / size for size in h.sizes])
            if self.scheme == "printed":
                return u
            h.X, h.n = h.X + u, h.n + 1
            return h.X / h.n if self.mean else u
        cell, probabilities = self.select(h)
        following = h.after(self.rules, cell)
        reached = gain + float(self.rules.gains(following)[0])
        if self.scheme == "selected" and h.fresh:
            h.fresh = False
            u = h.played_out[cell] = self.roll_out(following, reached)
        else:
            if cell not in h.child:
                h.child[cell] = Node(self, following)
                if cell in h.played_out and h.child[cell].turn != END:
                    h.child[cell].X, h.child[cell].n = h.played_out[cell], 1
            u = self.visit(h.child[cell], reached)
        h.X, h.n, h.told = h.X + u, h.n + 1, h.told + 1
        self.learn(h, cell, u, probabilities)
        return h.X / h.n if self.mean else u

    def chance_visit(self, h: Node, gain: float) -> float:
        outcomes = list(self.rules.chance(h.state))
        k = self.drawn([odds for _, odds in outcomes])
        following = self.rules.after(h.state, outcomes[k][0])
        if k in h.child:
            return self.visit(h.child[k], gain + float(self.rules.gains(following)[0]))
        if self.scheme == "selected":
            h.child[k] = Node(self, following)
            return self.visit(h.child[k], gain + float(self.rules.gains(following)[0]))
        return self.expand(h, k, following, gain)

    def expand(self, h: Node, cell: Any, following: Any, gain: float) -> float:
        """Lines 4 to 7: add a child, play on from it at random."""
        child = h.child[cell] = Node(self, following)
        u = self.roll_out(following, gain + float(self.rules.gains(following)[0]))
        child.X, child.n, child.told = u, 1, 1
        return u

    def back(self, h: Node, u: float) -> float:
        h.X, h.n = h.X + u, h.n + 1
        return h.X / h.n if self.mean else u

    def time(self, h: Node) -> int:
        """How often a rule whose rate falls was told of a node."""
        return h.n if self.scheme == "selected" else h.told

    def select(self, h: Node) -> tuple[tuple[int, int], list[float]]:
        taken, probabilities = [0, 0], [1.0, 1.0]
        for player, size in enumerate(h.sizes):
            if size == 1:
                continue
            if self.explore == "star" and self.uniform() < self.gamma:
                taken[player], probabilities[player] = self.any_of(size), 0.0  # nothing is learnt
                continue
            gamma = self.gamma if self.explore == "own" or self.rule == "exp3" else 0.0
            shares = [gamma / size + (1 - gamma) * share for share in self.strategy(h, player)]
            taken[player] = self.drawn(shares)
            probabilities[player] = shares[taken[player]]
        return (taken[0], taken[1]), probabilities

    def strategy(self, h: Node, player: int) -> list[float]:
        learnt, size = h.learnt[player], h.sizes[player]
        if self.rule == "rm":
            positive = [max(regret, 0.0) for regret in learnt]
            return [part / sum(positive) for part in positive] if sum(positive) > 0 else [1 / size] * size
        eta = self.gamma / size if self.rule == "exp3" else math.sqrt(8 * math.log(size) / max(self.time(h), 1))
        weights = [math.exp(eta * (part - max(learnt))) for part in learnt]
        return [weight / sum(weights) for weight in weights]

    def worth(self, h: Node, cell: tuple[int, int], u: float) -> float:
        """x(h, i, j): the mean of a cell."""
        if cell in h.child:
            child = h.child[cell]
            if child.turn == END:
                return self.scaled(self.gain_of(h, cell))
            return child.X / child.n
        if cell in h.played_out:
            return h.played_out[cell]
        return u if self.unvisited == "skip" else self.scaled(0.0)

    def gain_of(self, h: Node, cell: tuple[int, int]) -> float:
        """What player 0 has gained at an end of play: the games here pay at their ends alone."""
        return float(self.rules.gains(h.child[cell].state)[0])

    def learn(self, h: Node, cell: tuple[int, int], u: float, probabilities: list[float]) -> None:
        for player, size in enumerate(h.sizes):
            if size == 1:
                continue
            h.counts[player][cell[player]] += 1
            if probabilities[player] == 0.0:
                continue
            own = u if player == 0 else 1 - u
            if self.rule == "exp3":
                h.learnt[player][cell[player]] += own / probabilities[player]
                continue
            for k in range(size):
                other = (k, cell[1]) if player == 0 else (cell[0], k)
                x = u if other == cell else self.worth(h, other, u)
                would = x if player == 0 else 1 - x
                h.learnt[player][k] += would - own if self.rule == "rm" else would
