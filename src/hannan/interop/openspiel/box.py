"""An OpenSpiel game that draws chance inside itself, as a black box."""

from __future__ import annotations

from typing import Any

from hannan.errors import ParameterError
from hannan.interop.openspiel.games import Wanted, load_theirs
from hannan.interop.openspiel.look import CHANCE_PLAYER, TERMINAL_PLAYER, apply_joint, simultaneous_movers
from hannan.libraries import library
from hannan.rules.bounds import Bounds
from hannan.rules.box import Box, ChanceMove, View

SEED = "rng_seed"
"""The parameter of such games that seeds their random numbers."""


class SpielBox(Box):
    """Plays from the start. The players' information states after a draw of chance name its outcome."""

    def __init__(self, wanted: Wanted, theirs: Any = None) -> None:
        """theirs: the game, if it is loaded already."""
        self.wanted, self.theirs = wanted, load_theirs(wanted.address) if theirs is None else theirs
        if wanted.outcomes is None:
            raise ParameterError(
                f"OpenSpiel draws chance inside {wanted.address} and does not list the outcomes: give an upper bound "
                "on how many there are, as in openspiel:NAME(outcomes=1000)"
            )
        self.players, self.name = self.theirs.num_players(), wanted.name
        self.seeded = SEED in self.theirs.get_parameters()
        self._range: Bounds = [(float(self.theirs.min_utility()), float(self.theirs.max_utility()))] * self.players
        self._state: Any = None
        self._drawn = False

    def reset(self, seed: int) -> View:
        if self.seeded:
            parameters = {**self.theirs.get_parameters(), SEED: seed % (2**31 - 1)}
            name = self.theirs.get_type().short_name
            self._state = library("pyspiel").load_game(name, parameters).new_initial_state()
        else:
            self._state = self.theirs.new_initial_state()
        self._drawn = False
        return self._view()

    def step(self, moves: tuple[Any, ...]) -> View:
        if self._drawn:
            self._drawn = False
            return self._view()
        if self._state.current_player() >= 0:
            self._state.apply_action(moves[0])
        else:
            apply_joint(self._state, self.players, moves)
        return self._view()

    def _view(self) -> View:
        state, nothing = self._state, (0.0,) * self.players
        player = int(state.current_player())
        if player == TERMINAL_PLAYER:
            return View(tuple(state.returns()), [(0.0, 0.0)] * self.players)
        if player == CHANCE_PLAYER:
            state.apply_action(state.chance_outcomes()[0][0])
            self._drawn = True
            seen = tuple(
                "" if state.is_terminal() else state.information_state_string(other) for other in range(self.players)
            )
            return View(nothing, self._range, draw=ChanceMove(seen, most=self.wanted.outcomes))
        who = (player,) if player >= 0 else simultaneous_movers(state, self.players)
        menus = [tuple(state.legal_actions(mover)) for mover in who]
        return View(nothing, self._range, who, menus, [state.information_state_string(mover) for mover in who])
