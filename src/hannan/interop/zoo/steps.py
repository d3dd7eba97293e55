"""One interface to all kinds of environments: movers, actions, observations and gains after each step."""

from __future__ import annotations

import copy
import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import RulesError, UnsuitableError
from hannan.rules.plain import MOST_MOVES, MOST_PLAYERS

MASK = "action_mask"
"""The key of legal actions in observations and infos."""

SMALL = 64
"""The most numbers of an observation that is written out; a larger observation becomes a digest."""


class ZooPlay(ABC):
    """An environment in the middle of a play."""

    players: int
    name: str

    def __init__(self, env: Any, horizon: int | None) -> None:
        self.env, self.horizon, self.steps = env, horizon, 0
        self.movers: tuple[int, ...] = ()
        self.menus: list[tuple[int, ...]] = []
        self.seen: list[Hashable] = []
        self.gains: tuple[float, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> ZooPlay:
        twin = object.__new__(type(self))
        memo[id(self)] = twin
        for name, value in vars(self).items():
            vars(twin)[name] = _duplicate(value, memo) if name == "env" else copy.deepcopy(value, memo)
        return twin

    def reset(self, seed: int) -> None:
        """Begin a new play."""
        self.steps = 0
        self._reset(seed)
        self._look()

    def step(self, moves: Sequence[Any]) -> None:
        """Take one action for each mover."""
        self.steps += 1
        self._step(moves)
        if not all(map(math.isfinite, self.gains)):
            raise RulesError(f"{self.name}: the rewards {list(self.gains)} are not all finite numbers")
        self._look()

    def _look(self) -> None:
        """Set the movers, unless play is over or the horizon is reached."""
        self.movers, self.menus, self.seen = (), [], []
        if self.horizon is None or self.steps < self.horizon:
            self._see()

    @abstractmethod
    def _reset(self, seed: int) -> None: ...

    @abstractmethod
    def _step(self, moves: Sequence[Any]) -> None: ...

    @abstractmethod
    def _see(self) -> None:
        """Set movers, menus and observations; leave them empty if play is over."""

    def everything(self) -> Hashable:
        """Return all observations of players now, and the gains: all that is known of the draws of chance."""
        return (self.movers, tuple(self.menus), tuple(self.seen), self.gains, self._rest())

    def _rest(self) -> Hashable:
        return ()

    def _add(self, player: int, space: Any, observation: Any, info: Any) -> None:
        mask = None
        if isinstance(observation, Mapping) and MASK in observation:
            mask = observation[MASK]
            observation = {key: part for key, part in observation.items() if key != MASK}
            if list(observation) == ["observation"]:
                observation = observation["observation"]
        elif isinstance(info, Mapping) and info.get(MASK) is not None:
            mask = info[MASK]
        start, many = int(getattr(space, "start", 0)), int(space.n)
        menu = range(many) if mask is None else self._allowed(player, mask, many)
        self.movers = (*self.movers, player)
        self.menus.append(tuple(start + k for k in menu))
        self.seen.append(known(observation))

    def _allowed(self, player: int, mask: Any, many: int) -> list[int]:
        """Return the places of the actions that a mask allows; refuse a mask that is not `many` zeros and ones."""
        try:
            array = np.asarray(mask)
        except ValueError as error:  # lists of different lengths
            raise RulesError(f"{self.name}: the action mask of agent {player} is {shown(mask)} ({error})") from error
        if array.shape != (many,):
            raise RulesError(
                f"{self.name}: the action mask of agent {player} has the shape {array.shape}, and there are {many} "
                "actions"
            )
        if array.dtype.kind not in "biuf" or not np.all((array == 0) | (array == 1)):
            wrong = shown(array.tolist())
            raise RulesError(
                f"{self.name}: the action mask of agent {player} is {wrong}; it should hold zeros and ones"
            )
        allowed = np.flatnonzero(array).tolist()
        if not allowed:
            raise RulesError(f"{self.name}: agent {player} is to move and its action mask allows no action")
        return allowed


class _AgentsPlay(ZooPlay):
    """A PettingZoo environment: the players are its possible agents, in the order at the start."""

    def __init__(self, env: Any, horizon: int | None) -> None:
        super().__init__(env, horizon)
        self.name = str(getattr(env, "metadata", {}).get("name", type(env).__name__))
        self.agents = list(env.possible_agents)
        if len(set(self.agents)) < len(self.agents):
            raise UnsuitableError(f"{self.name}: an agent is listed twice in possible_agents: {shown(self.agents)}")
        self.players = _checked(self.name, [env.action_space(agent) for agent in self.agents])

    def _gained(self, rewards: Mapping[Any, Any], needed: Iterable[Any]) -> tuple[float, ...]:
        """Return the reward of each player; 0 for an agent without one, whose play may be over."""
        self._check_agents(rewards)
        if missing := [agent for agent in needed if agent not in rewards]:
            raise RulesError(f"{self.name}: the agents {shown(missing)} acted and have no reward")
        try:
            return tuple(float(rewards.get(agent, 0.0)) for agent in self.agents)
        except (TypeError, ValueError) as error:
            raise RulesError(f"{self.name}: the rewards {shown(dict(rewards))} are not all numbers") from error

    def _check_agents(self, agents: Iterable[Any]) -> None:
        """Refuse agents that are not in possible_agents."""
        if strangers := set(agents).difference(self.agents):
            raise RulesError(f"{self.name}: the agents {sorted(map(str, strangers))} are not among possible_agents")


class AecPlay(_AgentsPlay):
    """A PettingZoo environment in which agents act in turn."""

    def _reset(self, seed: int) -> None:
        self.env.reset(seed=seed)
        self.gains = (0.0,) * self.players

    def _step(self, moves: Sequence[Any]) -> None:
        env = self.env
        acted = env.agent_selection
        env.step(moves[0])
        self.gains = self._gained(env.rewards, (acted,) if acted in env.agents else ())

    def _see(self) -> None:
        env = self.env
        for _ in range(MOST_MOVES):
            if not env.agents:
                return
            agent = env.agent_selection
            self._check_agents((*env.agents, agent))
            if not (env.terminations[agent] or env.truncations[agent]):
                observation, _, _, _, info = env.last()
                self._add(self.agents.index(agent), env.action_space(agent), observation, info)
                return
            env.step(None)
        raise RulesError(f"{self.name}: agents for whom play is over are not removed by step(None)")

    def _rest(self) -> Hashable:
        env = self.env
        return tuple(known(env.observe(agent)) for agent in self.agents if agent in env.agents)


class ParallelPlay(_AgentsPlay):
    """A PettingZoo environment in which all living agents act at once."""

    def __init__(self, env: Any, horizon: int | None) -> None:
        super().__init__(env, horizon)
        self._shown: tuple[Mapping[Any, Any], Mapping[Any, Any]] = ({}, {})
        self._over: frozenset[Any] = frozenset()
        """The agents whose play ended with the last step; the environment may still list them."""

    def _reset(self, seed: int) -> None:
        observations, infos = self.env.reset(seed=seed)
        self.gains = (0.0,) * self.players
        self._shown, self._over = (observations, infos), frozenset()

    def _step(self, moves: Sequence[Any]) -> None:
        taken = {self.agents[player]: move for player, move in zip(self.movers, moves, strict=True)}
        observations, rewards, terminations, truncations, infos = self.env.step(taken)
        self.gains = self._gained(rewards, taken)
        self._shown = (observations, infos)
        self._over = frozenset(agent for flags in (terminations, truncations) for agent in flags if flags[agent])

    def _see(self) -> None:
        observations, infos = self._shown
        self._check_agents(self.env.agents)
        living = set(self.env.agents) - self._over
        for player, agent in enumerate(self.agents):
            if agent in living:
                if agent not in observations:
                    raise RulesError(f"{self.name}: agent {agent} is to move and observes nothing")
                self._add(player, self.env.action_space(agent), observations[agent], infos.get(agent))


class GymPlay(ZooPlay):
    """A Gymnasium environment: one player."""

    def __init__(self, env: Any, horizon: int | None) -> None:
        super().__init__(env, horizon)
        self.name = env.spec.id if env.spec is not None else type(env).__name__
        self.players = _checked(self.name, [env.action_space])
        self._shown: tuple[Any, Any, bool] = (None, {}, True)

    def _reset(self, seed: int) -> None:
        observation, info = self.env.reset(seed=seed)
        self.gains = (0.0,)
        self._shown = (observation, info, False)

    def _step(self, moves: Sequence[Any]) -> None:
        observation, reward, terminated, truncated, info = self.env.step(moves[0])
        try:
            self.gains = (float(reward),)
        except (TypeError, ValueError) as error:
            raise RulesError(f"{self.name}: the reward {shown(reward)} is not a number") from error
        self._shown = (observation, info, bool(terminated or truncated))

    def _see(self) -> None:
        observation, info, over = self._shown
        if not over:
            self._add(0, self.env.action_space, observation, info)

    def _rest(self) -> Hashable:
        return known(self._shown[0])


def _duplicate(value: Any, memo: dict[int, Any]) -> Any:
    """Copy an environment and the environments that it wraps, part by part; copies share objects of pygame.

    `copy.deepcopy` does not work: most environments pickle as a new one with the same arguments, without the state.
    """
    if id(value) in memo:
        return memo[id(value)]
    if type(value).__module__.partition(".")[0] == "pygame":
        return value
    if type(value) is dict:
        return {key: _duplicate(part, memo) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_duplicate(part, memo) for part in value)
    if not (hasattr(value, "step") and hasattr(value, "reset")):
        return copy.deepcopy(value, memo)
    memo[id(value)] = other = object.__new__(type(value))
    for name, part in vars(value).items():
        vars(other)[name] = _duplicate(part, memo)
    return other


def _checked(name: str, spaces: Sequence[Any]) -> int:
    """Return the number of players; refuse too many, or actions that are not discrete."""
    if not 1 <= len(spaces) <= MOST_PLAYERS:
        raise UnsuitableError(f"{name} has {len(spaces)} agents; expected 1 to {MOST_PLAYERS}")
    for space in spaces:
        if type(space).__name__ != "Discrete":
            raise UnsuitableError(f"{name} has actions {space}; only discrete ones can be listed")
    return len(spaces)


def known(observation: Any) -> Hashable:
    """Return an observation as a value that can be compared and written: numbers and words, or a digest of many."""
    if isinstance(observation, Mapping):
        return tuple((str(key), known(observation[key])) for key in sorted(observation, key=str))
    if isinstance(observation, tuple | list):
        return tuple(known(part) for part in observation)
    if isinstance(observation, np.ndarray | np.generic):
        array = np.asarray(observation)
        if array.ndim == 0:
            return known(array.item())
        if array.size <= SMALL:
            return tuple(map(known, array.reshape(-1).tolist()))
        return hashlib.sha256(f"{array.dtype}{array.shape}".encode() + array.tobytes()).hexdigest()
    if isinstance(observation, float) and math.isnan(observation):
        return "nan"  # which, unlike the float, equals itself
    return observation
