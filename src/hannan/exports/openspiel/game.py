"""Rules as an OpenSpiel game, written in Python."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.tree import CHANCE_TURN
from hannan.libraries import library
from hannan.rules.plain import CHANCE, END, movers


@dataclass(frozen=True)
class _Facts:
    """The game behind an OpenSpiel game. All states share this object."""

    game: ExpandedGame

    def __deepcopy__(self, memo: Any) -> _Facts:
        return self  # OpenSpiel copies states; they share this object, which never changes


def to_openspiel_game(game: Loadable) -> Any:
    """Return a game as a `pyspiel.Game`, for OpenSpiel's algorithms; simultaneous moves are supported.

    It must be possible to expand the game, because OpenSpiel needs its sizes in advance. An action is its place in the
    list of legal actions, from 0; an information state lists the player's observations and actions.
    """
    pyspiel = library("pyspiel")
    expanded = load_expanded(game)
    facts = _Facts(expanded)
    kind, info = _described(pyspiel, expanded)

    base: Any = pyspiel.Game

    class HannanGame(base):  # type: ignore[misc]
        """A game of hannan in OpenSpiel."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> Any:
            return _state_class(pyspiel)(self, facts)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return _Observer()

    return HannanGame()


def _described(pyspiel: Any, game: ExpandedGame) -> tuple[Any, Any]:
    """Return the `GameType` and the `GameInfo` of a game."""
    tree, total = game.tree, game.form.total
    kinds = pyspiel.GameType
    joint, chance = game.sizes.joint > 0, game.sizes.chance > 0
    widths = np.diff(tree.children)
    kind = kinds(
        short_name="hannan_" + "".join(letter if letter.isalnum() else "_" for letter in game.address),
        long_name=game.address,
        dynamics=kinds.Dynamics.SIMULTANEOUS if joint else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM
        if total is None
        else kinds.Utility.ZERO_SUM
        if total == 0
        else kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=max([1, *(int(plex.sizes.max(initial=1)) for plex in tree.treeplexes)]),
        max_chance_outcomes=int(widths[tree.turn == CHANCE_TURN].max(initial=0)),
        num_players=game.players,
        min_utility=float(tree.lowest.min()),
        max_utility=float(tree.highest.max()),
        utility_sum=0.0 if total is None else float(total),
        max_game_length=max(1, game.sizes.depth),
    )
    return kind, info


@cache
def _state_class(pyspiel: Any) -> Any:
    """Return the class of states; it is defined once OpenSpiel is imported."""
    base: Any = pyspiel.State

    class HannanState(base):  # type: ignore[misc]
        """A state of the rules, with the gains so far and the observations and actions of each player."""

        def __init__(self, game: Any, facts: _Facts) -> None:
            super().__init__(game)
            self.facts = facts
            self.here = facts.game.rules.start()
            self.earned = [float(gain) for gain in facts.game.rules.gains(self.here)]
            self.known: list[tuple[str, ...]] = [()] * facts.game.players

        def current_player(self) -> Any:
            turn = self.facts.game.rules.turn(self.here)
            if turn == END:
                return pyspiel.PlayerId.TERMINAL
            if turn == CHANCE:
                return pyspiel.PlayerId.CHANCE
            who = movers(turn)
            return pyspiel.PlayerId.SIMULTANEOUS if len(who) > 1 else who[0]

        def _legal_actions(self, player: int) -> list[int]:
            if player not in movers(self.facts.game.rules.turn(self.here)):
                return []
            return list(range(len(self._menu(player))))

        def _menu(self, player: int) -> Sequence[Hashable]:
            return self.facts.game.rules.actions(self.here, player)

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return [(k, float(odd)) for k, (_, odd) in enumerate(self.facts.game.rules.chance(self.here))]

        def _apply_action(self, action: int) -> None:
            rules = self.facts.game.rules
            turn = rules.turn(self.here)
            if turn == CHANCE:
                self._go(rules.chance(self.here)[action][0])
                return
            (player,) = movers(turn)
            chosen = self._menu(player)[action]
            self._note(player, chosen)
            self._go((chosen,) if isinstance(turn, tuple) else chosen)

        def _apply_actions(self, actions: list[int]) -> None:
            who = movers(self.facts.game.rules.turn(self.here))
            chosen = tuple(self._menu(player)[actions[player]] for player in who)
            for player, action in zip(who, chosen, strict=True):
                self._note(player, action)
            self._go(chosen)

        def _note(self, player: int, action: Hashable) -> None:
            self.known[player] = (*self.known[player], self._seen(player), self._name(player, action))

        def _seen(self, player: int) -> str:
            rules = self.facts.game.rules
            return rules.observation_text(player, rules.observe(self.here, player))

        def _name(self, player: int, action: Hashable) -> str:
            return self.facts.game.rules.action_text(player, action)

        def _go(self, move: Any) -> None:
            rules = self.facts.game.rules
            self.here = rules.after(self.here, move)
            self.earned = [total + float(gain) for total, gain in zip(self.earned, rules.gains(self.here), strict=True)]

        def _action_to_string(self, player: int, action: int) -> str:
            rules = self.facts.game.rules
            if player == pyspiel.PlayerId.CHANCE:
                return rules.action_text(CHANCE, rules.chance(self.here)[action][0])
            return self._name(player, self._menu(player)[action])

        def is_terminal(self) -> bool:
            return bool(self.facts.game.rules.turn(self.here) == END)

        def returns(self) -> list[float]:
            return list(self.earned) if self.is_terminal() else [0.0] * self.facts.game.players

        def knowledge(self, player: int) -> str:
            """Return the text of a player's observations and actions so far; if it moves now, with its observation."""
            words = self.known[player]
            if player in movers(self.facts.game.rules.turn(self.here)):
                words = (*words, self._seen(player))
            return f"{player}: {' '.join(words)}"

        def __str__(self) -> str:
            return f"{self.here}"

    return HannanState


class _Observer:
    """The observer that gives OpenSpiel information states as text; it has no tensors."""

    def __init__(self) -> None:
        self.tensor: Any = None
        self.dict: dict[str, Any] = {}

    def set_from(self, state: Any, player: int) -> None:
        """Do nothing: the observer has no tensor."""

    def string_from(self, state: Any, player: int) -> str:
        """Return the information state of a player."""
        known: str = state.knowledge(player)
        return known
