"""Extensive-form correlated equilibria by regret minimisation: no regret for leaving the advice at any trigger.

A. Celli, A. Marchesi, G. Farina, N. Gatti (2020), No-regret learning dynamics for extensive-form correlated
equilibrium; G. Farina, A. Celli, A. Marchesi, N. Gatti (2022), Simple uncoupled no-regret learning dynamics for
extensive-form correlated equilibrium. Each trigger has a learner for the play after it, one more learner mixes the
triggers, and the strategy is a fixed point of the mixture. The learners use regret matching plus.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.arguments import count
from hannan.arrays import Floats
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.forms.treeplex import even, reaches
from hannan.interrupts import go_on
from hannan.memory import require
from hannan.solvers.base import CorrelatedPlay, FormSolver
from hannan.solvers.general.correlated import CorrelatedEquilibrium, advice_gains
from hannan.solvers.general.forest import Forest, forest
from hannan.solvers.guarantee import Guarantee
from hannan.strategies.profile import Profile

MOST_ADVICE = 1_000_000
"""The most combinations of sequences of a game whose average advice is kept."""

SLIGHT = 1e-12
"""The probability, at each set, that the advice is redrawn uniformly, so that the fixed point is unique."""


class EFCE(FormSolver):
    """Play whose average is an extensive-form correlated equilibrium, in games of any number of players."""

    method = "efce"
    guarantee = Guarantee("correlated average → EFCE", "correlated average → EFCE", "O(1/√T)")

    def __init__(self, game: Loadable) -> None:
        super().__init__(game)
        form = self.game.form
        require(self.memory(Sizes.of_form(form)), f"{self.method} on {self.game.address}")
        self._forests = [forest(plex) for plex in form.treeplexes]
        self._sequences = [form.sequence(p) for p in range(form.players)]
        self._payoffs = [form.payoff(p) for p in range(form.players)]
        many = [plex.sequences for plex in form.treeplexes]
        places = [one.places for one in self._forests]
        advice = tuple(many) if np.prod([float(n) for n in many]) <= MOST_ADVICE else (0,)
        sizes = {"regret": places, "choice": many, "left": places, "followed": many, "played": many, "gradient": many}
        self._state: dict[str, list[Floats]] = {name: [np.zeros(n) for n in sizes[name]] for name in sizes}
        self._value, self._advice = np.zeros(form.players), np.zeros(advice)
        self._plans = [reaches(plex, even(plex)) for plex in form.treeplexes]

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        # a trigger has a copy of its subtree; so a sequence is in as many copies as there are actions before it
        return sum(sizes.sequences) * 64 * max(4, sizes.depth) * 2

    def run(self, iterations: int) -> None:
        for _ in range(count("iterations", iterations)):
            go_on()
            gradients = [self._gradient(player) for player in range(self.game.players)]
            self._note(gradients)
            for player, gradient in enumerate(gradients):
                self._learn(player, gradient)
            self._plans = [self._fixed_point(player) for player in range(self.game.players)]
            self.iterations += 1

    def _gradient(self, player: int) -> Floats:
        """Return the gain of each sequence of a player against the others' plans."""
        gained = self._payoffs[player].copy()
        for q, plan in enumerate(self._plans):
            if q != player:
                gained *= plan[self._sequences[q]]
        return np.bincount(self._sequences[player], gained, len(self._plans[player])).astype(np.float64, copy=False)

    def _note(self, gradients: list[Floats]) -> None:
        """Add the current play to the average, and the payoff of leaving it at each trigger."""
        for player, (trees, plan, gradient) in enumerate(zip(self._forests, self._plans, gradients, strict=True)):
            state = {name: part[player] for name, part in self._state.items()}
            state["left"] += plan[trees.trigger] * gradient[trees.sequence]
            state["followed"] += plan * gradient
            state["played"] += plan
            state["gradient"] += gradient
            self._value[player] += plan @ gradient
        if self._advice.ndim == self.game.players and self._advice.size:
            joint: Any = self._plans[0]
            for plan in self._plans[1:]:
                joint = np.multiply.outer(joint, plan)
            self._advice += joint

    def _learn(self, player: int, gradient: Floats) -> None:
        """Update the learners of all triggers, and the one that mixes them, with the gradient."""
        trees, plan = self._forests[player], self._plans[player]
        regret, choice = self._state["regret"][player], self._state["choice"][player]
        behaviour = trees.matched(regret)
        places, sets = trees.worth(plan[trees.trigger] * gradient[trees.sequence], behaviour)
        np.maximum(regret + places - np.repeat(sets, trees.sizes), 0.0, out=regret)
        added = trees.beginnings(sets) - _after(trees, plan * gradient)
        shares = _shares(choice)
        np.maximum(choice[1:] + added[1:] - shares[1:] @ added[1:], 0.0, out=choice[1:])

    def _fixed_point(self, player: int) -> Floats:
        """Return the plan that the mixture of triggers maps to itself, from the root down."""
        trees = self._forests[player]
        plex, shares = trees.plex, _shares(self._state["choice"][player])
        behaviour = trees.matched(self._state["regret"][player])
        reach = trees.reach(behaviour)
        plan, before = np.zeros(plex.sequences), np.zeros(plex.sequences)  # shares of the triggers up to a sequence
        plan[0] = 1.0
        for depth, (first, last) in enumerate(zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True)):
            low, high = int(plex.begin[first]), int(plex.begin[last])
            begin, end = trees.begin[trees.level_begin[depth]], trees.begin[trees.level_begin[depth + 1]]
            trigger, sequence = trees.trigger[begin:end], trees.sequence[begin:end]
            own = trees.level[trigger] == depth
            sent = shares[trigger] * reach[begin:end]
            earlier = ~own
            arrived: Any = np.bincount(  # from triggers above
                sequence[earlier] - low, sent[earlier] * plan[trigger[earlier]], high - low
            )
            parents = np.repeat(plex.parent[first:last], plex.sizes[first:last])
            before[low:high] = before[parents] + shares[low:high]
            plan[low:high] = _solved(
                plex.begin[first : last + 1] - low, before[low:high], arrived, plan[parents],
                (sequence[own] - low, trigger[own] - low, sent[own]),
            )  # fmt: skip
        return plan

    def average(self) -> Profile:
        played = self._state["played"] if self.iterations else self._plans
        return self._profile(np.concatenate(played))

    def current(self) -> Profile:
        return self._profile(np.concatenate(self._plans))

    def correlated(self) -> CorrelatedPlay | None:
        if self.iterations == 0:
            return None
        values = tuple((self._value / self.iterations).tolist())
        return CorrelatedPlay(values, np.concatenate(self._state["gradient"]) / self.iterations)

    def own_gap(self) -> tuple[str, float] | None:
        if self.iterations == 0:
            return None
        return "EFCE gap", max(self.trigger_gains())

    def trigger_gains(self) -> tuple[float, ...]:
        """Return the exact gain of each player from leaving the average advice at its best trigger."""
        return tuple(max(0.0, float(added[1:].max(initial=0.0))) for added in self._added())

    def leaving_gains(self) -> tuple[float, ...]:
        """Return the gain of each player's best way to leave the advice, at one trigger on each line of play.

        This is never less than the gain of one trigger, nor than the gain of a coarse correlated equilibrium.
        """
        gains = []
        for trees, added in zip(self._forests, self._added(), strict=True):
            plex, later = trees.plex, np.zeros(trees.plex.sequences)
            for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
                low, high = int(plex.begin[first]), int(plex.begin[last])
                best = np.maximum(np.maximum(added[low:high], later[low:high]), 0.0)
                np.add.at(later, np.repeat(plex.parent[first:last], plex.sizes[first:last]), best)
            gains.append(float(later[0]))
        return tuple(gains)

    def _added(self) -> list[Floats]:
        """Return the best gain of leaving the average play at each trigger, [sequences] of each player."""
        found = []
        for trees, left, followed in zip(self._forests, self._state["left"], self._state["followed"], strict=True):
            best = trees.beginnings(trees.worth(left, None)[1])
            found.append((best - _after(trees, followed)) / max(1, self.iterations))
        return found

    def findings(self) -> dict[str, Any]:
        known = self.own_gap()
        return {} if known is None else {"efce_gap": known[1], "efce_gains": self.leaving_gains()}

    def advice(self) -> CorrelatedEquilibrium | None:
        """Return the average play as advice for sequences, with gains measured on it; None for a large game."""
        if self._advice.ndim != self.game.players or not self._advice.size or not self.iterations:
            return None
        plan = self._advice / self.iterations
        values = tuple((self._value / self.iterations).tolist())
        return CorrelatedEquilibrium(self.game, "efce", values, advice_gains(self.game, plan, "efce"), None, None, plan)

    def state(self) -> dict[str, Floats]:
        parts = {name: np.concatenate(part) for name, part in self._state.items()}
        return {**parts, "value": self._value.copy(), "advice": self._advice.copy()}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        for name, parts in self._state.items():
            ends = np.cumsum([len(part) for part in parts])[:-1]
            for part, kept in zip(parts, np.split(state[name], ends), strict=True):
                part[:] = kept
        self._value[:], self._advice[:] = state["value"], state["advice"]
        if iterations:
            self._plans = [self._fixed_point(player) for player in range(self.game.players)]


def _shares(choice: Floats) -> Floats:
    """Return the mixture of the triggers, in proportion to regrets; uniform if all are 0. The empty one has 0."""
    total = choice[1:].sum()
    shares = choice / total if total > 0 else np.full(len(choice), 1.0 / max(1, len(choice) - 1))
    shares[0] = 0.0
    return shares


def _after(trees: Forest, numbers: Floats) -> Floats:
    """Return, of each sequence, the sum of numbers over it and all that follow it."""
    plex, total = trees.plex, numbers.copy()
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        sums = np.add.reduceat(total, plex.begin[first:last])[: last - first] if last > first else np.zeros(0)
        if last > first and last < plex.sets:  # the last slice of reduceat runs to the end: cut it
            sums[-1] = total[plex.begin[last - 1] : plex.begin[last]].sum()
        np.add.at(total, plex.parent[first:last], sums)
    return total


def _solved(begin: Any, before: Floats, arrived: Floats, parents: Floats, sent: tuple[Any, Any, Floats]) -> Floats:
    """Solve the fixed point at all sets of a level: the flow out of an action is the flow into it.

    before[a] is the rate at which action a is left, arrived[a] the flow from triggers above, and `sent` (to, from,
    share) the flows from the set's own triggers; the actions of a set sum to parents[a].
    """
    solved = np.empty(len(before))
    sizes = np.diff(begin)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    inside = np.arange(len(before)) - begin[:-1][owner]
    to, source, share = sent
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        number = np.full(len(sizes), -1)
        number[chosen] = np.arange(len(chosen))
        mine = number[owner] >= 0
        matrix = np.full((len(chosen), size, size), -SLIGHT / size)
        matrix[:, np.arange(size), np.arange(size)] += SLIGHT
        matrix[number[owner[mine]], inside[mine], inside[mine]] += before[mine]
        moved = number[owner[to]] >= 0
        np.add.at(matrix, (number[owner[to[moved]]], inside[to[moved]], inside[source[moved]]), -share[moved])
        total = parents[mine].reshape(len(chosen), size)
        right = arrived[mine].reshape(len(chosen), size) + total
        answer = np.linalg.solve(matrix + 1.0, right[..., None])[..., 0]  # 1.0: the actions sum to the parent
        answer = np.maximum(answer, 0.0)
        sums = answer.sum(axis=1, keepdims=True)
        solved[mine] = np.where(sums > 0, answer * total[:, :1] / np.where(sums > 0, sums, 1.0), total / size).ravel()
    return solved
