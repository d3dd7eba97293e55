"""Deep CFR, and its variant with a single network.

N. Brown, A. Lerer, S. Gross, T. Sandholm (2019), Deep counterfactual regret minimization: Algorithm 1. E. Steinberger
(2019), Single deep counterfactual regret minimization: the average strategy is played from the advantage networks of
all iterations, so that no network has to learn it. Section 3.6 of the CFR survey.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Unpack, get_args

from hannan.arguments import choice, whole
from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.neural.approximators import Approximator
from hannan.neural.mixture import mixture
from hannan.neural.parameters import Common
from hannan.neural.policy import NetworkPolicy, shares
from hannan.neural.presets import preset_for
from hannan.neural.solver import ADVANTAGE, MOST_STEPS, POLICY, NeuralSolver, part_of
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile

AverageLoss = Literal["entropy", "squares"]
LOSSES = {"entropy": "entropy", "squares": "probabilities"}
"""The names of these losses in `networks.loss_of`."""


class AdvantageSolver(NeuralSolver):
    """Networks that learn, from scratch in every iteration, the weighted mean of all sampled regrets."""

    @property
    def memory_names(self) -> tuple[str, ...]:
        return tuple(f"advantage{player}" for player in range(self.game.players))

    def iterate(self, t: int) -> None:
        for player in range(self.game.players):
            regrets, policies = self.traverse(t, player)
            memory = self._memories[f"advantage{player}"]
            memory.add(regrets, t)
            self._remember(policies, t)
            lessons = memory.lessons(self.power, self.batch if self.merge else 0)
            random = self._random(ADVANTAGE, player, t)
            self._losses[f"advantage{player}"] = self.advantages[player].fit(lessons, random, fresh=True)
        self._iterated(t)

    def _remember(self, policies: Any, t: int) -> None:
        """Store the players' sampled policies, if the method trains a network of their average."""

    def _iterated(self, t: int) -> None:
        """Store the result of an iteration."""

    def current(self) -> Profile | NetworkPolicy:
        if not isinstance(self.game, ExpandedGame):
            return NetworkPolicy.of_regrets(self, [[net] for net in self.advantages], [1.0])
        return self._profile(self._matched(self.advantages))


class DeepCFR(AdvantageSolver):
    """Deep CFR: advantage networks, and networks that learn the average strategy."""

    method = "deep-cfr"
    trains_average = True
    meanings = by_name(
        policy_steps="training steps of the average strategy's network, each time that the average is computed; "
        "none: the preset's number",
        loss="what the average strategy's network minimises: entropy, or squares of the differences of probabilities "
        "(Algorithm 1 as printed)",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        policy_steps: int | None = None,
        loss: AverageLoss = "entropy",
        **common: Unpack[Common],
    ) -> None:
        choice("loss", loss, get_args(AverageLoss), self.method)
        self.loss: AverageLoss = loss
        super().__init__(game, **common)
        self.refuse_one_player()
        preset = preset_for(self.game, self.preset)
        wanted = preset.policy_steps if policy_steps is None else policy_steps
        self.policy_steps = whole("policy_steps", wanted, 0, MOST_STEPS)
        self._averages: tuple[int, list[Approximator]] = (-1, [])

    @property
    def memory_names(self) -> tuple[str, ...]:
        return (*super().memory_names, *(f"policy{player}" for player in range(self.game.players)))

    def _remember(self, policies: Any, t: int) -> None:
        for player, samples in enumerate(policies):
            if len(samples):
                self._memories[f"policy{player}"].add(samples, t)

    def averages(self) -> list[Approximator]:
        """Train the networks of the average strategy on the stored samples; later iterations do not depend on it."""
        if self._averages[0] != self.iterations:
            nets = []
            for player in range(self.game.players):
                random = self._random(POLICY, player, self.iterations)
                net = self.approximator(random, loss=LOSSES[self.loss], steps=self.policy_steps)
                lessons = self._memories[f"policy{player}"].lessons(self.power, self.batch if self.merge else 0)
                self._losses[f"policy{player}"] = net.fit(lessons, random, fresh=True)
                nets.append(net)
            self._averages = self.iterations, nets
        return self._averages[1]

    def policy(self) -> NetworkPolicy:
        """Return the networks of the average strategy as a strategy, also for an expanded game."""
        return NetworkPolicy.of_averages(self, self.averages())

    def average(self) -> Profile | NetworkPolicy:
        """Return the average strategy as the networks of `averages` have learnt it."""
        return self._said(self.averages())

    def untrained(self) -> Profile | NetworkPolicy:
        return self._said([self.approximator(self._random(POLICY, p, 0)) for p in range(self.game.players)])

    def _said(self, nets: list[Approximator]) -> Profile | NetworkPolicy:
        if not isinstance(self.game, ExpandedGame):
            return NetworkPolicy.of_averages(self, nets)
        if self.approximation == "table":
            return self._profile(self._matched(nets))
        pairs = zip(self.set_rows, nets, strict=True)
        return self._profile(tuple(rows.softened(net.values(rows.known)) for rows, net in pairs))


class SDCFR(AdvantageSolver):
    """Single Deep CFR: the average strategy mixes the advantage networks of all iterations."""

    method = "sd-cfr"

    def __init__(self, game: Loadable, **common: Unpack[Common]) -> None:
        super().__init__(game, **common)
        self.kept: list[list[Approximator]] = [[] for _ in range(self.game.players)]
        """For each player, the network that it played in each iteration, from 1 on; the first network outputs 0."""

    def iterate(self, t: int) -> None:
        for player, net in enumerate(self.advantages):
            self.kept[player].append(net.copied())
        super().iterate(t)

    def _undo(self) -> None:
        for nets in self.kept:
            del nets[self.iterations :]

    @property
    def weights(self) -> list[float]:
        """The weight of each iteration in the average."""
        return [float(t) ** self.power for t in range(1, self.iterations + 1)]

    def policy(self) -> NetworkPolicy:
        """Return the networks of all iterations as a strategy, also for an expanded game."""
        if self.iterations == 0:
            return NetworkPolicy.of_regrets(self, [[net] for net in self.advantages], [1.0])
        return NetworkPolicy.of_regrets(self, self.kept, self.weights)

    def average(self) -> Profile | NetworkPolicy:
        """Return the exact average of the strategies of all iterations, each weighted by its player's own reach."""
        if self.iterations == 0:
            return self.current()
        if not isinstance(self.game, ExpandedGame):
            return self.policy()
        return self._profile(mixture(self.game, self._strategies(), list(shares(self.weights))))

    def _strategies(self) -> list[tuple[Floats, ...]]:
        """Return the strategies of all iterations."""
        return [self._matched(nets[t] for nets in self.kept) for t in range(self.iterations)]

    def state(self) -> dict[str, Floats]:
        arrays = super().state()
        for player, nets in enumerate(self.kept):
            for t, net in enumerate(nets):
                arrays |= {f"kept{player}.{t}.{name}": array for name, array in net.state().items()}
        return arrays

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        super().restore(iterations, state)
        for player in range(self.game.players):
            self.kept[player] = []
            for t in range(iterations):
                net = self.approximator(0)
                net.restore(part_of(state, f"kept{player}.{t}."))
                self.kept[player].append(net)
