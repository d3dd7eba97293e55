"""Environments of PettingZoo's kind, small enough to know everything about them."""

from __future__ import annotations

from typing import Any

import gymnasium
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

    def __init__(self, pile: int = 4, endless: bool = False, stop: int | None = None) -> None:
        """After `stop` moves play is truncated."""
        super().__init__()
        self.possible_agents = ["a", "b"]
        self.pile, self.endless, self.stop = pile, endless, stop

    def observation_space(self, agent: str) -> Any:
        return spaces.Dict({"observation": spaces.Discrete(100), "action_mask": spaces.Box(0, 1, (2,), np.int8)})

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents, self.left, self.moves = list(self.possible_agents), self.pile, 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.agent_selection = "a"

    def observe(self, agent: str) -> Any:
        return {"observation": self.left, "action_mask": np.array([1, self.left >= 2], np.int8)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
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
        self.moves += 1
        if self.moves == self.stop:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
        self._accumulate_rewards()


MASKS: dict[str, Any] = {
    "mask": np.ones(5), "table": np.ones((2, 2)), "zeros": np.zeros(2), "twos": np.array([2, 0]),
    "halves": np.array([0.5, 1.0]), "nans": np.array([np.nan, 1.0]), "words": ["0", "1"], "ragged": [[1], 1],
    "lists": [1, 1], "bools": np.array([True, True]),
}  # fmt: skip
INFOS: dict[str, Any] = {"in_info": [1, 1, 1], "infos": np.ones(2, np.int8), "only_one_in_info": [0, 1]}


class Broken(Pennies):
    """Matching pennies that break one rule of how environments are written, or stretch it; `fault` names it."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault, self.resets = fault, 0
        if fault == "agents":
            del self.possible_agents
        if fault == "twice":
            self.possible_agents = ["even", "even"]

    def _seen(self) -> dict[str, Any]:
        if self.fault in MASKS:
            return {agent: {"observation": 0, "action_mask": MASKS[self.fault]} for agent in self.possible_agents}
        if self.fault == "only_one":
            return {agent: {"action_mask": [agent == "odd", 1], "observation": 0} for agent in self.possible_agents}
        if self.fault == "nan":
            return {agent: np.array([np.nan, 1.0]) for agent in self.possible_agents}
        return super()._seen()

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        if self.fault == "nothing":
            return None
        self.resets += 1
        observations, infos = super().reset(seed, options)
        if self.fault in INFOS:
            infos["even"] = {"action_mask": INFOS[self.fault]}
        if self.fault == "blind":
            del observations["odd"]
        if self.fault == "stranger":
            self.agents.append("third")
        if self.fault == "reordered" and self.resets % 2:
            self.agents = self.agents[::-1]
        if self.fault == "fewer" and self.resets > 1:
            self.agents = ["odd"]
        return observations, infos

    def step(self, actions: dict[str, int]) -> Any:
        if self.fault == "fewer":
            actions = {"even": 0, **actions}
        observations, rewards, ended, cut, infos = super().step(actions)
        if self.fault in ("listed", "truncated"):
            self.agents = list(self.possible_agents)  # though their play is over
        if self.fault == "truncated":
            ended, cut = cut, ended
        if self.fault == "unseeded" and RANDOM.random() < 0.5:
            rewards = {"even": 0.0, "odd": 0.0}
        if self.fault == "no_reward":
            del rewards["odd"]
        more: dict[str, dict[str, Any]] = {
            "reward": {"even": float("nan")}, "word": {"even": "won"}, "stray_reward": {"third": 1.0},
        }  # fmt: skip
        return observations, {**rewards, **more.get(self.fault, {})}, ended, cut, infos


RANDOM = np.random.default_rng(1)
"""Chance that no seed of an environment reaches."""


class Guests(Pennies):
    """Three rounds; the second agent is away in the second one, and is paid 10 in it. A third one never comes.

    Each agent that plays 1 is paid 1.
    """

    def __init__(self) -> None:
        super().__init__(rounds=3)
        self.possible_agents = ["host", "guest", "nobody"]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        observations, infos = super().reset(seed, options)
        self.agents = ["host", "guest"]
        return observations, infos

    def step(self, actions: dict[str, int]) -> Any:
        self.played += 1
        rewards: dict[str, float] = {agent: float(action) for agent, action in actions.items()}
        if self.played == 2:
            rewards["guest"] = 10.0
        self.agents = [["host"], ["host", "guest"], []][self.played - 1]
        ended = {agent: agent not in self.agents for agent in actions}
        return self._seen(), rewards, ended, dict.fromkeys(ended, False), {}


class Stranger(Takes):
    """After the first move somebody acts who is no agent."""

    def step(self, action: int | None) -> None:
        super().step(action)
        self.agent_selection = "c"


class Undead(Takes):
    """Whoever's play is over stays among the agents."""

    def step(self, action: int | None) -> None:
        if action is not None:
            super().step(action)


class Walker(gymnasium.Env):  # type: ignore[misc]
    """One agent takes one or two steps at a time, each worth 1; `fault` names what is wrong. It is truncated at 3."""

    def __init__(self, fault: str = "none") -> None:
        self.fault = fault
        self.observation_space, self.action_space = spaces.Discrete(10), spaces.Discrete(2, start=1)

    def _info(self) -> dict[str, Any]:
        masks = {"mask": [1], "zeros": [0, 0], "nans": [float("nan"), 1.0]}
        return {"action_mask": masks.get(self.fault, [1, self.place < 2])}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.place = 0
        return self.place, self._info()

    def step(self, action: int) -> Any:
        self.place += action
        reward: Any = {"nan": float("nan"), "word": "won"}.get(self.fault, float(action))
        return self.place, reward, False, self.place >= 3, self._info()


gymnasium.register("hannan-tests/Walker-v0", Walker, max_episode_steps=5, disable_env_checker=True)
