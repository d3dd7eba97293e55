"""A back end in plain Python, slow and obvious: lists, dictionaries and the formulas, over the sequence form itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels.fullwidth.records import REGRETS, VALUES, WEIGHTS
from hannan.layouts.backend import Setup, Step, Verbs


class Obvious(Verbs):
    """It shares nothing with the compiled back ends but the interface."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        form = setup.form
        self.state = {name: [0.0] * size for name, size in setup.sizes.items()}
        self.worth = [0.0] * setup.sequences
        self.root = [sum(plex.sequences for plex in form.treeplexes[:p]) for p in range(form.players)]
        self.mine = [range(at, at + plex.sequences) for at, plex in zip(self.root, form.treeplexes, strict=True)]
        self.sets = [  # for each player (the sequence that leads to the set, its own sequences), parents first
            [
                (at + int(plex.parent[j]), range(at + int(plex.begin[j]), at + int(plex.begin[j + 1])))
                for j in range(plex.sets)
            ]
            for at, plex in zip(self.root, form.treeplexes, strict=True)
        ]

    def read(self, name: str) -> Floats:
        return np.array(self.state[name], np.float64)

    def write(self, name: str, array: Floats) -> None:
        self.state[name] = array.tolist()

    def gradient(self, player: int) -> None:
        form = self.setup.form
        for s in self.mine[player]:
            self.worth[s] = 0.0
        for entry, gain in enumerate(form.payoff(player).tolist()):
            sequence = [at + int(s) for at, s in zip(self.root, form.sequences[:, entry], strict=True)]
            reached = math.prod(self.state["reach"][s] for q, s in enumerate(sequence) if q != player)
            self.worth[sequence[player]] += gain * reached

    def track(self, player: int, decay: float) -> None:
        for s in self.mine[player]:
            self.state["played"][s] = decay * self.state["played"][s] + self.worth[s]
        self.state["value"][player] = decay * self.state["value"][player] + self.earned(player)

    def average(self, player: int, decay: float) -> None:
        total, reach, strategy = self.state["total"], self.state["reach"], self.state["strategy"]
        if self.setup.averaged:
            for s in self.mine[player]:
                total[s] = decay * total[s] + reach[s]
        for above, actions in self.sets[player]:
            for s in actions:
                reach[s] = reach[above] * strategy[s]
        if player == 0:
            self.state["value"][-1] = decay * self.state["value"][-1] + 1

    def learn(self, player: int, step: Floats) -> None:
        now: Any = Step(*step.tolist())  # numbers, not arrays
        if self.setup.tracking == VALUES and player == 0:
            self.state["value"][0] = now.decay * self.state["value"][0] + self.earned(0)
        if self.setup.learner == REGRETS:
            self.regrets(player, now)
        elif self.setup.learner == WEIGHTS:
            self.weights(player, now)
        else:
            self.factors(player, now)

    def earned(self, player: int) -> float:
        return sum(self.worth[s] * self.state["reach"][s] for s in self.mine[player])

    def later(self, player: int) -> dict[int, float]:
        """What each sequence earns with what its player does after it."""
        value = {s: self.worth[s] for s in self.mine[player]}
        for above, actions in reversed(self.sets[player]):
            value[above] += sum(self.state["strategy"][s] * value[s] for s in actions)
        return value

    def regrets(self, player: int, now: Any) -> None:
        value, strategy, regret = self.later(player), self.state["strategy"], self.state["regret"]
        for _, actions in self.sets[player]:
            mean = sum(strategy[s] * value[s] for s in actions)
            forecast = {}
            for s in actions:
                instant = value[s] - mean
                discount = now.positive if regret[s] > 0 else now.negative
                regret[s] = max(discount * regret[s] + instant, now.floor)
                forecast[s] = now.keep * regret[s] + now.predict * instant
            if now.rate > 0:
                self.softmax({s: now.rate * forecast[s] for s in actions})
                continue
            positive = {s: forecast[s] if forecast[s] > now.noise else 0.0 for s in actions}
            whole = sum(positive.values())
            for s in actions:
                strategy[s] = positive[s] / whole if whole > 0 else 1 / len(actions)

    def weights(self, player: int, now: Any) -> None:
        logit = {}
        for s in self.mine[player]:
            instant = now.weight * self.worth[s]
            self.state["regret"][s] += instant
            logit[s] = self.state["prior"][s] + now.rate * (self.state["regret"][s] + now.predict * instant)
        for above, actions in reversed(self.sets[player]):
            logit[above] += self.softmax({s: logit[s] for s in actions})

    def factors(self, player: int, now: Any) -> None:
        value, strategy = self.later(player), self.state["strategy"]
        given = {self.root[player]: value[self.root[player]]}  # what is earned in all, given that a sequence is played
        for above, actions in self.sets[player]:
            elsewhere = given[above] - sum(strategy[s] * value[s] for s in actions)
            for s in actions:
                given[s] = elsewhere + value[s]
                self.state["regret"][s] += math.log(1 + now.rate * now.weight * given[s])
        for _, actions in self.sets[player]:
            self.softmax({s: self.state["prior"][s] + self.state["regret"][s] for s in actions})

    def softmax(self, logits: dict[int, float]) -> float:
        """Play in proportion to the exponentials; return the log of their sum."""
        highest = max(logits.values())
        whole = sum(math.exp(logit - highest) for logit in logits.values())
        for s, logit in logits.items():
            self.state["strategy"][s] = math.exp(logit - highest) / whole
        return highest + math.log(whole)
