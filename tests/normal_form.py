"""Hedge over an enumerated normal form: every pure strategy has a weight of its own, and nothing is clever.

Games are walked by `reference`, so no code is shared with hannan's kernels. All arithmetic on weights is in logs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product

import numpy as np

from hannan.arrays import Floats
from tests.reference import History, Key, Node, Plan, Tree

Pure = dict[Key, Hashable]
"""The action at each information set; a reduced strategy leaves out the sets that it never reaches."""


def full_strategies(tree: Tree, player: int) -> list[Pure]:
    keys = tree.keys(player)
    return [dict(zip(keys, chosen, strict=True)) for chosen in product(*(tree.menus[key] for key in keys))]


def reduced_strategies(tree: Tree, player: int) -> list[Pure]:
    keys = tree.keys(player)

    def after(history: History) -> list[Pure]:
        found: list[Pure] = [{}]
        for key in (key for key in keys if key[1] == history):
            here = [{key: action, **rest} for action in tree.menus[key] for rest in after((*history, (key[2], action)))]
            found = [{**earlier, **later} for earlier in found for later in here]
        return found

    return after(())


class NormalForm:
    """One player's pure strategies, and where they lead."""

    def __init__(self, tree: Tree, strategies: list[list[Pure]]) -> None:
        self.tree, self.strategies = tree, strategies
        self.gains: list[tuple[float, ...]] = []
        self.chance: list[float] = []
        histories: list[tuple[History, ...]] = []

        def visit(node: Node, chance: float, own: tuple[History, ...]) -> None:
            if any(node.gains):
                self.gains.append(node.gains)
                self.chance.append(chance)
                histories.append(own)
            for probability, joint, child in node.moves:
                after = list(own)
                for key, action in zip(node.keys, joint, strict=True):
                    after[key[0]] = (*own[key[0]], (key[2], action))
                visit(child, chance * probability, tuple(after))

        visit(tree.root, 1.0, ((),) * tree.players)
        self.leads = [
            np.array([[follows(pure, p, own[p]) for own in histories] for pure in strategies[p]], float)
            for p in range(tree.players)
        ]
        """[player][strategy, place of gain]: whether the strategy does its part in getting there."""

    def utilities(self, mixed: list[Floats], player: int) -> Floats:
        """Return what each pure strategy of a player earns against the mixed strategies of the others."""
        weight = np.array(self.chance) * np.array([gain[player] for gain in self.gains])
        for other, mix in enumerate(mixed):
            if other != player:
                weight = weight * (mix @ self.leads[other])
        result: Floats = self.leads[player] @ weight
        return result

    def behaviour(self, logs: list[Floats]) -> Plan:
        """Return the behaviour strategies that log weights over pure strategies induce: equation 7 of the paper."""
        plan: Plan = {}
        for key in self.tree.menus:
            player, history, _ = key
            there = [k for k, pure in enumerate(self.strategies[player]) if follows(pure, player, history)]
            top = max(logs[player][k] for k in there)
            mass = dict.fromkeys(self.tree.menus[key], 0.0)
            for k in there:
                mass[self.strategies[player][k][key]] += float(np.exp(logs[player][k] - top))
            plan[key] = {action: x / sum(mass.values()) for action, x in mass.items()}
        return plan


def follows(pure: Pure, player: int, history: History) -> bool:
    """Whether a pure strategy plays everything in a history of its player."""
    return all(pure.get((player, history[:k], seen)) == action for k, (seen, action) in enumerate(history))


def softmax(logs: Floats) -> Floats:
    weights = np.exp(logs - logs.max())
    result: Floats = weights / weights.sum()
    return result


class ExplicitHedge:
    """All players run multiplicative weights at once. `factor(t, player, plan, L, l)` gives the new log weights from
    the sum of utilities L so far, without the prior."""

    def __init__(self, form: NormalForm, prior: list[Floats]) -> None:
        self.form, self.prior, self.t = form, prior, 0
        self.total = [np.zeros(len(logs)) for logs in prior]
        self.logs = [logs.copy() for logs in prior]

    def iterate(
        self, read: Callable[[int, Floats, Floats], Floats], weight: Callable[[int, Plan], float] = lambda p, plan: 1.0
    ) -> None:
        """`weight` is what this iteration's utilities l count; `read` makes log weights from (t, L, l)."""
        self.t += 1
        mixed = [softmax(logs) for logs in self.logs]
        plan = self.form.behaviour(self.logs)
        earned = [self.form.utilities(mixed, player) for player in range(len(mixed))]
        for player, utilities in enumerate(earned):
            counted = weight(player, plan) * utilities
            self.total[player] = self.total[player] + counted
            self.logs[player] = self.prior[player] + read(self.t, self.total[player], counted)

    def plan(self) -> Plan:
        return self.form.behaviour(self.logs)
