"""The CFR family by the papers' formulas, over `reference`: dictionaries, sums with weights, no decays.

At iteration t, counted from 1, r is the instantaneous counterfactual regret and R the cumulative one. Each method is a
`Variant`. An iteration updates the players in order. With alternating updates a player faces what the earlier ones
have just learnt; its own strategy of the iteration, the one from before its update, goes into the average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from tests.reference import Key, Plan, Tree, counterfactual, own_reach

Plays = dict[Hashable, float]
"""A number for each action of one information set."""

TIE = 1e-12
"""A regret this close to 0 may have either sign, or none: payoffs here are a few units, rounding errors 1e-16."""


def _plain(t: int, regret: float, instant: float) -> float:
    return regret + instant


@dataclass(frozen=True)
class Variant:
    """One method: how R changes, what the next strategy is proportional to, how much iteration t weighs."""

    update: Callable[[int, float, float], float] = _plain
    """(t, old R, r) to the new R."""
    predict: Callable[[int, float, float], float] = lambda t, regret, instant: regret
    """(t, new R, r) to what the next strategy is made from."""
    weight: Callable[[int], float] = lambda t: 1.0
    rate: Callable[[int], float] | None = None
    """For Hedge: after iteration t the next strategy is the softmax of rate(t) times the prediction."""


def discount(t: int, power: float, offset: float = 1.0) -> float:
    """t^power / (t^power + offset); at t = 0 there is nothing to discount."""
    return 1.0 if t == 0 else t**power / (t**power + offset)


def discounted(alpha: Callable[[int], float], beta: Callable[[int], float]) -> Callable[[int, float, float], float]:
    """Brown and Sandholm 2019: the old R is scaled by its sign, then r is added."""
    return lambda t, old, r: old * discount(t - 1, alpha(t) if old > 0 else beta(t)) + r


def dcfr(alpha: float = 1.5, beta: float = 0.0, gamma: float = 2.0) -> Variant:
    return Variant(update=discounted(lambda t: alpha, lambda t: beta), weight=lambda t: float(t) ** gamma)


def plus(weight: Callable[[int], float]) -> Variant:
    """Tammelin 2014: negative regrets are forgotten."""
    return Variant(update=lambda t, old, r: max(old + r, 0.0), weight=weight)


def scheduled(horizon: int) -> Variant:
    """Scheduled DCFR: S ← S·((t−1)/t)^γ_t + x_t is a sum in which iteration t weighs Π_{s=2..t} (s/(s−1))^γ_s."""

    def weight(t: int) -> float:
        return math.prod((s / (s - 1)) ** (30 - 5 * s / horizon) for s in range(2, t + 1))

    update = discounted(lambda t: 1 + 3 * t / horizon, lambda t: -1 - 2 * t / horizon)
    return Variant(update=update, weight=weight)


def hedge(rate: Callable[[int], float]) -> Variant:
    return Variant(rate=rate)


VARIANTS: dict[str, Variant] = {
    "cfr": Variant(),
    "cfr+": plus(lambda t: float(t)),
    "lcfr": dcfr(1.0, 1.0, 1.0),
    "dcfr": dcfr(),
    "dcfr+": Variant(
        update=lambda t, old, r: max(old * discount(t - 1, 1.5, 1.5) + r, 0.0), weight=lambda t: float(t) ** 4
    ),
    "pcfr+": Variant(
        update=lambda t, old, r: max(old + r, 0.0), predict=lambda t, new, r: new + r, weight=lambda t: float(t) ** 2
    ),
    "pdcfr+": Variant(
        update=lambda t, old, r: max(old * discount(t - 1, 2.3) + r, 0.0),
        predict=lambda t, new, r: new * discount(t, 2.3) + r,
        weight=lambda t: float(t) ** 5,
    ),
}
"""By the names of the methods; `scheduled` and `hedge` need to be told more."""


class Learner:
    """A run of one variant. `played` keeps (weight, everybody's strategy) of every iteration."""

    def __init__(self, tree: Tree, variant: Variant, updates: str) -> None:
        self.tree, self.variant, self.updates = tree, variant, updates
        self.iteration = 0
        self.current = tree.uniform()
        self.regret = {key: dict.fromkeys(menu, 0.0) for key, menu in tree.menus.items()}
        self.total = {key: dict.fromkeys(menu, 0.0) for key, menu in tree.menus.items()}
        self.played: list[tuple[float, Plan]] = []
        self.updated = self.differed = 0
        """How many sets were updated, and at how many of them the example was followed to another strategy."""

    def iterate(self, example: Plan | None = None) -> None:
        """Do one iteration; where rounding decides what is played next, do as the example does (see `_match`)."""
        self.iteration += 1
        weight = self.variant.weight(self.iteration)
        before = {key: dict(plays) for key, plays in self.current.items()}
        self.played.append((weight, before))
        for player in range(self.tree.players):
            facing = before if self.updates == "simultaneous" else self.current
            worth = counterfactual(self.tree, facing, player)
            changed: Plan = {}
            for key in self.tree.keys(player):
                reach = own_reach(before, key)
                for action, probability in before[key].items():
                    self.total[key][action] += weight * reach * probability
                changed[key] = self._learn(key, worth[key], before[key], None if example is None else example[key])
            self.current = {**self.current, **changed}

    def _learn(self, key: Key, worth: Plays, plays: Plays, example: Plays | None) -> Plays:
        value = sum(plays[action] * worth[action] for action in worth)
        wanted = {}
        for action in worth:
            instant = worth[action] - value
            new = self.variant.update(self.iteration, self.regret[key][action], instant)
            self.regret[key][action] = new
            wanted[action] = self.variant.predict(self.iteration, new, instant)
        if self.variant.rate is None:
            return self._match(wanted, example)
        rate, top = self.variant.rate(self.iteration), max(wanted.values())
        weights = {action: math.exp(rate * (x - top)) for action, x in wanted.items()}
        return {action: x / sum(weights.values()) for action, x in weights.items()}

    def _match(self, wanted: Plays, example: Plays | None) -> Plays:
        """Play in proportion to the positive part, uniformly where there is none.

        Where the largest number is 0 but for rounding, the next strategy depends on how sums were rounded: any mix of
        actions whose numbers are that close to 0 may follow, and the uniform strategy. Then the example is followed.
        """
        positive = {action: max(x, 0.0) for action, x in wanted.items()}
        total = sum(positive.values())
        uniform = dict.fromkeys(wanted, 1 / len(wanted))
        result = {action: x / total for action, x in positive.items()} if total > 0 else uniform
        self.updated += 1
        if example is None or abs(max(wanted.values())) > TIE:
            return result
        apart = max(abs(example[action] - result[action]) for action in wanted)
        if apart < TIE:
            return result
        self.differed += 1
        near = all(wanted[action] >= -TIE for action in wanted if example[action] > 0)
        assert near or max(abs(example[action] - uniform[action]) for action in wanted) < TIE
        return dict(example)

    def average(self) -> Plan:
        result: Plan = {}
        for key, weights in self.total.items():
            total = sum(weights.values())
            result[key] = {a: w / total if total > 0 else 1 / len(weights) for a, w in weights.items()}
        return result
