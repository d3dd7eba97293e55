"""OpenSpiel's bots as players of matches, in games of OpenSpiel's."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.addresses import parse
from hannan.arguments import shown
from hannan.errors import STRAY, ParameterError, PlayerError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.game import PlayedGame
from hannan.forms.objects import is_a
from hannan.interop.openspiel.look import CHANCE_PLAYER
from hannan.interop.openspiel.rules import SpielRules
from hannan.libraries import library
from hannan.measures.players import Player
from hannan.rules.promises import told
from hannan.strategies.seats import Answer, Seat

BOT = "openspiel:"
"""The beginning of a bot's address."""

THEIRS = "pyspiel.Bot"
"""The class of bots."""

SEARCHES = {"mcts": {"simulations": 1000, "uct_c": 2.0}}
"""Bots of OpenSpiel that its registry lacks, with their parameters."""

MOST_MEGABYTES = 1000
"""The most megabytes of a search's tree."""

_MASK = (1 << 31) - 1


@dataclass(frozen=True)
class BotPlayer:
    """Makes a bot for each play. If the bot takes a seed, the match gives it."""

    name: str
    theirs: Any
    """The game."""
    bot: str
    parameters: dict[str, Any]

    def sit(self, seat: int, luck: int) -> Seat:
        return _BotSeat(self.made(seat, luck & _MASK), self.theirs, seat)

    def made(self, seat: int, seed: int) -> Any:
        """Return a new bot."""
        pyspiel = library("pyspiel")
        try:
            if self.bot == "mcts":
                given = {**SEARCHES["mcts"], **self.parameters}
                rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
                constant, simulations = float(given["uct_c"]), int(given["simulations"])
                return pyspiel.MCTSBot(self.theirs, rollouts, constant, simulations, MOST_MEGABYTES, False, seed, False)
            if self.bot == "uniform_random" and not self.parameters:
                return pyspiel.make_uniform_random_bot(seat, seed)
            return pyspiel.load_bot(self.bot, self.theirs, seat, self.parameters)
        except STRAY as error:
            raise PlayerError(f"making OpenSpiel's bot {self.bot} raised {told(error)}") from error


@dataclass(frozen=True)
class BotsPlayer:
    """Bots that the caller has made, one for each seat. Each is restarted for each play."""

    name: str
    theirs: Any
    bots: Sequence[Any]

    def sit(self, seat: int, luck: int) -> Seat:
        try:
            self.bots[seat].restart()
        except STRAY as error:
            raise PlayerError(f"restart() of the bot in seat {seat} raised {told(error)}") from error
        return _BotSeat(self.bots[seat], self.theirs, seat)


class _BotSeat:
    """A bot in one play. It sees the state and is informed of the others' moves, as OpenSpiel's bots are."""

    def __init__(self, bot: Any, theirs: Any, seat: int) -> None:
        self._bot, self._seat = bot, seat
        self._state: Any = None
        self._heard = theirs.new_initial_state()

    def look(self, state: Any) -> None:
        self._state = state

    def _hear(self) -> None:
        """Inform the bot of the others' moves since its last choice. It learns joint moves from the state."""
        line, heard = self._state.full_history(), self._heard
        while len(heard.full_history()) < len(line):
            if heard.is_simultaneous_node():
                begin = len(heard.full_history())
                heard.apply_actions([one.action for one in line[begin : begin + heard.num_players()]])
                continue
            one = line[len(heard.full_history())]
            if one.player not in (self._seat, CHANCE_PLAYER):
                self._bot.inform_action(heard, one.player, one.action)
            heard.apply_action(one.action)

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        try:
            self._hear()
            action = self._bot.step(self._state)
        except STRAY as error:
            raise PlayerError(f"it raised {told(error)}") from error
        if action not in actions:
            legal = list(actions)
            raise PlayerError(f"it returned {shown(action)}, which is not a legal action; its actions are {legal}")
        weights = np.zeros(len(actions))
        weights[list(actions).index(action)] = 1.0
        return Answer(weights, False)

    def took(self, k: int) -> None:
        """Do nothing: the state has all that the bot needs."""


def bots_player(game: PlayedGame, name: str, given: Any) -> Player | None:
    """Return a player for OpenSpiel bots given as objects, one per seat; None if `given` is not a list."""
    if is_a(given, THEIRS):
        raise ParameterError(
            f"{name} is a bot for one seat, and players of a match take every seat: give a list of bots, one for each "
            f"seat, as in [bot] * {game.players} or [make(seat) for seat in range({game.players})]"
        )
    if not isinstance(given, list | tuple) or not given or not all(is_a(bot, THEIRS) for bot in given):
        return None
    theirs = _game_of(game, name)
    if len(given) != game.players:
        raise ParameterError(f"{name}: there are {len(given)} bots, and {game.address} has {game.players} seats")
    return BotsPlayer(name, theirs, tuple(given))


def _game_of(game: PlayedGame, name: str) -> Any:
    """Return the game of OpenSpiel's that is played; refuse any other."""
    if not isinstance(game.rules, SpielRules):
        raise UnsuitableError(
            f"{name} is a bot of OpenSpiel's, which plays OpenSpiel's games: load {game.address} as openspiel:NAME"
        )
    return game.rules.theirs


def bot_player(game: PlayedGame, name: str, address: str) -> Player:
    """Return a player that plays by one of OpenSpiel's bots, such as `openspiel:uniform_random`."""
    theirs = _game_of(game, address)
    bot, parameters = parse(address.removeprefix(BOT))
    known = [*library("pyspiel").registered_bots(), *SEARCHES]
    if bot not in known:
        raise UnknownNameError(f"OpenSpiel has no bot {shown(bot)}{nearest(bot, known)}")
    for parameter in parameters:
        if bot in SEARCHES and parameter not in SEARCHES[bot]:
            raise ParameterError(f"{bot} has no parameter {shown(parameter)}{nearest(parameter, SEARCHES[bot])}")
    kinds = library("pyspiel").GameType
    if bot == "mcts" and theirs.get_type().information != kinds.Information.PERFECT_INFORMATION:
        raise UnsuitableError(f"OpenSpiel's mcts needs a game of perfect information, and {game.address} is not one")
    player = BotPlayer(name, theirs, bot, parameters)
    player.made(0, 0)  # raises here if the bot cannot be made
    return player
