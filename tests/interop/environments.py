"""Environments of PettingZoo's kind, small enough to know everything about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv


class Pennies(ParallelEnv):  # type: ignore[misc]
    """Matching pennies, `rounds` times; the first agent wins where they match. Both see the last round."""

    metadata = {"name": "pennies", "render_modes": []}  # noqa: RUF012

    def __init__(self, rounds: int = 1, noise: float = 0.0) -> None:
        self.possible_agents = ["even", "odd"]
        self.rounds, self.noise = rounds, noise

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(0, 2, (2,), np.int64)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def _seen(self) -> dict[str, Any]:
        return {agent: np.array(self.last_round) for agent in self.possible_agents}

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.random = np.random.default_rng(seed)
        self.agents, self.played, self.last_round = list(self.possible_agents), 0, (2, 2)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        one, other = actions["even"], actions["odd"]
        if self.noise and self.random.random() < self.noise:
            one = 1 - one
        self.played, self.last_round = self.played + 1, (one, other)
        won, over = 1.0 if one == other else -1.0, self.played >= self.rounds
        rewards = {"even": won, "odd": -won}
        flags = dict.fromkeys(self.agents, over)
        infos: dict[str, Any] = {agent: {} for agent in self.agents}
        if over:
            self.agents = []
        return self._seen(), rewards, flags, dict.fromkeys(flags, False), infos


class Takes(AECEnv):  # type: ignore[misc]
    """Nim with one pile: agents take one or two in turn, by a mask; who takes the last one wins 1."""

    metadata = {"name": "takes", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, pile: int = 4, endless: bool = False) -> None:
        super().__init__()
        self.possible_agents = ["a", "b"]
        self.pile, self.endless = pile, endless

    def observation_space(self, agent: str) -> Any:
        return spaces.Dict({"observation": spaces.Discrete(100), "action_mask": spaces.Box(0, 1, (2,), np.int8)})

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents, self.left = list(self.possible_agents), self.pile
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def observe(self, agent: str) -> Any:
        return {"observation": self.left, "action_mask": np.array([1, self.left >= 2], np.int8)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        other = "b" if agent == "a" else "a"
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0.0
        self.left -= 0 if self.endless else action + 1
        if self.left <= 0:
            self.rewards = {agent: 1.0, other: -1.0}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
        self._accumulate_rewards()


class Broken(Pennies):
    """Matching pennies that break one rule of how environments are written; `fault` names it."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        if fault == "agents":
            del self.possible_agents

    def _seen(self) -> dict[str, Any]:
        masks = {"mask": np.ones(5), "table": np.ones((2, 2))}
        if self.fault in masks:
            return {agent: {"observation": 0, "action_mask": masks[self.fault]} for agent in self.possible_agents}
        if self.fault == "nan":
            return {agent: np.array([np.nan, 1.0]) for agent in self.possible_agents}
        return super()._seen()

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        if self.fault == "nothing":
            return None
        observations, infos = super().reset(seed, options)
        if self.fault == "blind":
            del observations["odd"]
        if self.fault == "stranger":
            self.agents.append("third")
        return observations, infos

    def step(self, actions: dict[str, int]) -> Any:
        observations, rewards, *rest = super().step(actions)
        return observations, {**rewards, "even": float("nan")} if self.fault == "reward" else rewards, *rest


class Undead(Takes):
    """Whoever's play is over stays among the agents."""

    def step(self, action: int | None) -> None:
        if action is not None:
            super().step(action)
