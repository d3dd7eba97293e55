"""Double Neural CFR: one network for the sums of regrets, one for the sums of strategies, and no memory of samples.

H. Li, K. Hu, Z. Ge, T. Jiang, Y. Qi, L. Song (2018), Double neural counterfactual regret minimization: recurrent
networks with attention, robust sampling, mini-batches of `traversals`, networks that go on from the weights of the last
iteration. Section 3.5 of the CFR survey. Robust sampling: the traverser takes k = `actions` of its actions, drawn
uniformly. Default: k is the largest number of actions, so the traverser takes all of them, which is external sampling;
with k = 1 it is outcome sampling with a uniform traverser.

A sum is learnt as a mean and an amount (the total weight of its samples), because sums of different sets differ by
orders of magnitude, and a strategy depends on the mean alone. At the sets that an iteration visited, the networks learn
their previous outputs with the new samples added. At other sets, drawn from a memory of sets, they learn their previous
outputs (`rehearse`). With tables in place of networks this is exactly tabular sampling: the tabular twin.

H. Xu, K. Li, H. Fu, Q. Fu, J. Xing, J. Cheng (2024), Minimizing weighted counterfactual regret with optimistic online
mirror descent: with learner='pdcfr+' old regrets are discounted, never fall below 0, and the last ones count twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Unpack, get_args

import numpy as np

from hannan.arguments import choice, number, whole
from hannan.arrays import Floats, Longs
from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.kernels.batches.moves import match_regrets
from hannan.neural.approximators import Approximator
from hannan.neural.memories import Lessons, Reservoir, Words, marks
from hannan.neural.parameters import Common
from hannan.neural.policy import NetworkPolicy
from hannan.neural.solver import ADVANTAGE, POLICY, NeuralSolver
from hannan.neural.traversals import Samples, Singles, Traversals
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile, check_profile

Learner = Literal["rm", "pdcfr+"]

ALPHA = 2.3
"""The power in the discount of old regrets by pdcfr+."""
FINE, WIDE = 1e4, 10.0
"""A network outputs an amount as log(1 + FINE · amount) / WIDE."""
REMEMBERED = 200_000
"""The largest number of rows in a memory of sets."""
FIRST_STEPS = 4
"""The first iteration and a warm start take this many times the training steps of other iterations."""


@dataclass(frozen=True)
class Gathered:
    """The samples of an iteration, added up by row."""

    known: Singles  # [rows, row size]
    mark: Words  # [rows]
    total: Floats  # [rows, heads]  NaN: no such action
    count: Floats  # [rows]

    @staticmethod
    def of(samples: Samples) -> Gathered:
        """Add up samples."""
        mark, first, which = np.unique(marks(samples.known), return_index=True, return_inverse=True)
        total: Floats = np.stack(
            [np.bincount(which, column, len(first)) for column in samples.target.T], axis=1
        ).astype(np.float64)
        count: Floats = np.bincount(which, minlength=len(first)).astype(np.float64)
        return Gathered(samples.known[first], mark, total, count)


class DoubleNeuralCFR(NeuralSolver):
    """Double Neural CFR: networks that learn the sums of regrets and of strategies, iteration by iteration."""

    method = "double-neural"
    usual_network = "recurrent"
    share_of_range = 0.25
    meanings = by_name(
        learner="regret matching on sums of regrets, or predictive discounted CFR+ (pdcfr+)",
        rehearse="how many rows of other sets are trained on their previous outputs, per row of the iteration; 0: "
        "none, and no memory of sets is kept",
    )

    def __init__(
        self, game: Loadable, *, learner: Learner = "rm", rehearse: float = 1.0, **common: Unpack[Common]
    ) -> None:
        choice("learner", learner, get_args(Learner), self.method)
        self.learner: Learner = learner
        self.rehearse = number("rehearse", rehearse, 0.0)
        super().__init__(game, **common)
        self.refuse_one_player()
        self._started = 0
        """Iterations that a warm start stands for."""

    @property
    def outputs(self) -> int:
        return self.encoding.heads * (2 if self.learner == "pdcfr+" else 1) + 1

    @property
    def memory_names(self) -> tuple[str, ...]:
        names = ("advantage", "policy") if self.rehearse else ()
        return tuple(f"{name}{player}" for name in names for player in range(self.game.players))

    def _new_memories(self) -> dict[str, Reservoir]:
        self.memory_size = min(self.memory_size, REMEMBERED)
        return super()._new_memories()

    @property
    def rehearsed(self) -> int:
        """The number of stored rows for `rehearse`."""
        return sum(len(memory) for memory in self._memories.values())

    @cached_property
    def strategies(self) -> list[Approximator]:
        """The average strategy of each player: one network per player."""
        return [self.approximator(self._random(POLICY, player, 0)) for player in range(self.game.players)]

    def parts(self) -> dict[str, Approximator]:
        return super().parts() | {f"policy{player}": net for player, net in enumerate(self.strategies)}

    # --- the loop --------------------------------------------------------------------------------------------------

    def iterate(self, t: int) -> None:
        time = t + self._started
        for player in range(self.game.players):
            regrets, policies = self.traverse(t, player)
            self._learn(f"advantage{player}", regrets, time, self._regret_targets)
            for other, samples in enumerate(policies):
                if other != player and len(samples):
                    self._learn(f"policy{other}", samples, time, self._strategy_targets)

    def _learn(self, name: str, samples: Samples, t: int, targets: Any) -> None:
        """Train a network on its previous outputs with an iteration's samples added."""
        net, memory, new = self.parts()[name], self._memories.get(name), Gathered.of(samples)
        before = net.values(new.known)
        known, target = new.known, targets(before, new, t)
        if memory is not None:
            others, kept = self._rehearsed(memory, new, t)
            known = np.concatenate((known, others))
            target = np.concatenate((target, self._without(net.values(others), kept)))
            unmet = ~np.isin(new.mark, memory.mark[: len(memory)])
            memory.add(Samples(new.known[unmet], new.total[unmet]), t)
        lessons = Lessons(known, target, np.ones(len(known)))
        stream = ADVANTAGE if name.startswith("advantage") else POLICY
        player = int(name.removeprefix("advantage").removeprefix("policy"))
        random = self._random(stream + 10, player, t * self.game.players + (t if stream == POLICY else 0))
        steps = FIRST_STEPS * self.steps if t == 1 else None
        self._losses[name] = net.fit(lessons, random, fresh=False, steps=steps)

    def _regret_targets(self, before: Floats, new: Gathered, t: int) -> Floats:
        heads, weight = self.encoding.heads, float(t) ** self.power
        mean, amount = before[:, :heads], amount_of(before[:, -1:])
        more = new.count[:, None] / self.traversals
        if self.learner == "rm":
            total = amount + weight * more
            mean = (amount * mean + weight * new.total / self.traversals) / total
            return np.concatenate((mean, said_of(total)), axis=1)
        last = new.total / self.traversals  # the weights t**power do not apply to discounted regrets
        old = discount(t) * amount
        total = old + more
        mean = np.maximum((old * mean + last) / total, 0.0)
        following = discount(t + 1) * total
        predicted = (following * mean + last) / (following + more)
        return np.concatenate((mean, predicted, said_of(total)), axis=1)

    def _strategy_targets(self, before: Floats, new: Gathered, t: int) -> Floats:
        heads, weight = self.encoding.heads, float(t) ** (5.0 if self.learner == "pdcfr+" else self.power)
        amount, more = amount_of(before[:, -1:]), weight * new.count[:, None] / self.traversals
        mean = (amount * before[:, :heads] + weight * new.total / self.traversals) / (amount + more)
        rest = [np.zeros_like(mean)] if self.learner == "pdcfr+" else []
        return np.concatenate((mean, *rest, said_of(amount + more)), axis=1)

    def _rehearsed(self, memory: Reservoir, new: Gathered, t: int) -> tuple[Singles, Any]:
        """Draw rows of sets that this iteration did not visit; return them and their stored totals."""
        others = np.flatnonzero(~np.isin(memory.mark[: len(memory)], new.mark))
        most = int(self.rehearse * len(new.known))
        if len(others) > most:
            draws = np.random.Generator(np.random.Philox(key=[self.seed & (2**63 - 1), t]))
            others = np.sort(draws.choice(others, most, replace=False))
        return memory.known[others], memory.target[others]

    def _without(self, values: Floats, like: Any) -> Floats:
        """Return values with NaN for each action that is NaN in `like`."""
        heads = self.encoding.heads
        gone = np.isnan(like)
        result: Floats = np.array(values)
        for begin in range(0, self.outputs - 1, heads):
            result[:, begin : begin + heads][gone] = np.nan
        return result

    def _play(self, walks: Traversals, player: int, chosen: Longs) -> None:
        match_regrets(self._current(self.advantages[player], walks.rows.known[chosen]), walks.rows, chosen)

    def _current(self, net: Approximator, known: Singles) -> Floats:
        """Return the regrets that the next strategy matches."""
        heads = self.encoding.heads
        values = net.values(known)
        part = values[:, heads : 2 * heads] if self.learner == "pdcfr+" else values[:, :heads]
        result: Floats = np.ascontiguousarray(part)
        return result

    # --- strategies ------------------------------------------------------------------------------------------------

    def policy(self) -> NetworkPolicy:
        """Return the networks of the average strategy as a strategy, also for an expanded game."""
        return NetworkPolicy.of_regrets(self, [[net] for net in self.strategies], [1.0])

    def average(self) -> Profile | NetworkPolicy:
        if not isinstance(self.game, ExpandedGame):
            return self.policy()
        return self._profile(self._matched(self.strategies))

    def current(self) -> Profile | NetworkPolicy:
        if not isinstance(self.game, ExpandedGame):
            raise UnsuitableError(
                f"the current strategy needs an expanded game, and {self.game.address} is not one: use the average"
            )
        pairs = zip(self.set_rows, self.advantages, strict=True)
        return self._profile(tuple(rows.matched(self._current(net, rows.known)) for rows, net in pairs))

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        """Start as if `weight` iterations (default: 10) had been played with a profile; only before iteration 1."""
        weight = 10 if weight is None else weight
        game = self.game.expanded()
        check_profile(game, profile)
        if self.iterations:
            raise UnsuitableError(f"{self.method} has begun: a warm start comes before the first iteration")
        self._started = whole("weight", weight)
        amount = sum(float(t) ** self.power for t in range(1, weight + 1))
        for player, rows in enumerate(self.set_rows):
            share = rows.targets(profile.strategies[player], self.encoding.heads)
            for name, scale in (("advantage", weight**-0.5), ("policy", 1.0)):
                twice = [share * scale] * (2 if self.learner == "pdcfr+" else 1)
                often = said_of(np.full((len(share), 1), amount / max(len(share), 1)))
                lessons = Lessons(rows.known, np.concatenate((*twice, often), axis=1), np.ones(len(share)))
                net = self.parts()[f"{name}{player}"]
                net.fit(lessons, self._random(POLICY, player, 0), fresh=True, steps=FIRST_STEPS * self.steps)

    def state(self) -> dict[str, Floats]:
        return {**super().state(), "started": np.array([self._started], np.float64)}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        super().restore(iterations, state)
        self._started = int(state["started"][0])


def discount(t: int) -> float:
    """Return the factor by which iteration t multiplies old regrets."""
    return float((t - 1) ** ALPHA / ((t - 1) ** ALPHA + 1.0))


def amount_of(said: Floats) -> Floats:
    """Return the amount that a network's output stands for."""
    result: Floats = np.maximum(np.expm1(np.minimum(said, 5.0) * WIDE), 0.0) / FINE
    return result


def said_of(amount: Floats) -> Floats:
    """Return the network output that stands for an amount."""
    result: Floats = np.log1p(FINE * amount) / WIDE
    return result
