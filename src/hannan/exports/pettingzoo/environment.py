"""A game as a PettingZoo environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.tree import CHANCE_TURN, ROOT, TERMINAL
from hannan.libraries import library


def to_pettingzoo(game: Loadable) -> Any:
    """Return a game that can be expanded as an `AECEnv`.

    Agents are player_0, player_1, …. The actions of a joint move are taken one after another; later agents do not see
    them. An observation holds the number of the agent's information set (its number of sets if it does not move) and
    the mask of its legal actions. An action is its place in the list of legal actions. `reset(seed=)` seeds the draws
    of chance. Rewards are the gains of the rules.
    """
    base: Any = library("pettingzoo").AECEnv
    expanded = load_expanded(game)
    return _environment_class(base)(expanded)


def _environment_class(base: Any) -> Any:
    spaces = library("gymnasium.spaces")

    class HannanEnv(base):  # type: ignore[misc]
        """Walks the tree of a game."""

        metadata: dict[str, Any] = {"render_modes": [], "name": "hannan", "is_parallelizable": False}  # noqa: RUF012

        def __init__(self, game: ExpandedGame) -> None:
            super().__init__()
            self.game, self.tree = game, game.tree
            self.metadata = {**self.metadata, "name": game.address}
            self.render_mode = None
            self.possible_agents = [f"player_{player}" for player in range(game.players)]
            self._number = {agent: player for player, agent in enumerate(self.possible_agents)}
            self._gains = {int(node): row for node, row in zip(self.tree.gain_node, self.tree.gain, strict=True)}
            self.observation_spaces, self.action_spaces = {}, {}
            for agent, plex in zip(self.possible_agents, self.tree.treeplexes, strict=True):
                widest = int(plex.sizes.max(initial=1))
                self.action_spaces[agent] = spaces.Discrete(widest)
                self.observation_spaces[agent] = spaces.Dict(
                    {"observation": spaces.Discrete(plex.sets + 1), "action_mask": spaces.Box(0, 1, (widest,), np.int8)}
                )

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: Any = None) -> None:
            if seed is not None or not hasattr(self, "_random"):
                self._random = np.random.default_rng(seed)
            self.agents = list(self.possible_agents)
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
            self.agent_selection = self.agents[0]
            self._left: list[int] = []
            self._arrive(ROOT)
            self._accumulate_rewards()

        def _arrive(self, node: int) -> None:
            """Go to a node, draw chance moves, and set the agent that moves."""
            while True:
                self.node = node
                for player, gain in enumerate(self._gains.get(node, ())):
                    self.rewards[self.possible_agents[player]] += float(gain)
                turn = int(self.tree.turn[node])
                if turn != CHANCE_TURN:
                    break
                first, last = int(self.tree.children[node]), int(self.tree.children[node + 1])
                odds = self.tree.probability[first:last]
                node = first + int(self._random.choice(last - first, p=odds / odds.sum()))
            if turn == TERMINAL:
                self._left = []
                self.terminations = dict.fromkeys(self.agents, True)
                return
            self._left = [player for player in range(self.game.players) if turn >> player & 1]
            self._joint = 0
            self.agent_selection = self.possible_agents[self._left[0]]

        def _set(self, player: int) -> int:
            """Return the number of a player's information set; its number of sets if it does not move."""
            turn = max(int(self.tree.turn[self.node]), 0)
            if player not in self._left:
                return int(self.tree.treeplexes[player].sets)
            slot = int(self.tree.slot_begin[self.node]) + (turn & ((1 << player) - 1)).bit_count()
            return int(self.tree.slots[slot])

        def observe(self, agent: str) -> dict[str, Any]:
            player = self._number[agent]
            number, plex = self._set(player), self.tree.treeplexes[player]
            mask = np.zeros(int(self.action_spaces[agent].n), np.int8)
            if number < plex.sets:
                mask[: int(plex.sizes[number])] = 1
            return {"observation": np.int64(number), "action_mask": mask}

        def step(self, action: int | None) -> None:
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            player = self._left[0]
            size = int(self.tree.treeplexes[player].sizes[self._set(player)])
            if action is None or not 0 <= int(action) < size:
                raise ValueError(f"{agent} may take actions 0 to {size - 1} here, not {action!r}")
            self._cumulative_rewards[agent] = 0.0
            self._clear_rewards()
            self._joint = self._joint * size + int(action)
            if len(self._left) > 1:
                self._left = self._left[1:]
                self.agent_selection = self.possible_agents[self._left[0]]
            else:
                self._arrive(int(self.tree.children[self.node]) + self._joint)
            self._accumulate_rewards()

        def render(self) -> None:
            """Do nothing: the environment has no picture."""

        def close(self) -> None:
            """Do nothing: the environment holds no resources."""

    return HannanEnv
