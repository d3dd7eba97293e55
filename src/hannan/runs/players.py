"""From an address, a file, a strategy or a callable to a player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hannan import arguments
from hannan.addresses import parse
from hannan.errors import FileError, HannanError, ParameterError, UnknownNameError, nearest
from hannan.files import is_file
from hannan.forms.game import PlayedGame
from hannan.forms.loader import module_at
from hannan.forms.trust import Trust
from hannan.measures.players import Player, playing, rule_player
from hannan.runs.bots import BOT, bot_player, bots_player
from hannan.runs.searchplayer import search_player, searcher_player
from hannan.runs.strategies import read
from hannan.solvers import METHODS, method_class
from hannan.strategies.given import foreign
from hannan.strategies.policy import Policy
from hannan.strategies.ruled import Rule
from hannan.strategies.seats import Seat
from hannan.strategies.strategy import Strategy
from hannan.treesearch.searcher import Searcher

Given = str | Path | Strategy | Searcher | Rule | Player | Sequence[Any]
"""What takes a seat in a match."""

ITERATIONS = 1000
"""Of a method that plays and was not told how many."""

Maker = Callable[[PlayedGame, str, dict[str, Any]], Player]

MAKERS: dict[str, Maker] = {"search": search_player}
"""Other players by name: `name(parameter=value)` calls MAKERS[name](game, how results call it, its parameters).

What it returns is a `Player`: it sits down for a play, and then answers what it sees with probabilities. A maker checks
its parameters and refuses a game that it cannot play.
"""


def seated(
    game: PlayedGame, given: Sequence[Given], names: Sequence[str] | None = None, trust: Trust = False
) -> list[Player]:
    """Return the players of a match, with different names. `trust`: see `player`."""
    if not given:
        raise ParameterError("a match needs players: strategy files, `uniform`, file.py:Rule, a method, …")
    if names is not None and not (isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)):
        raise ParameterError(f"names={arguments.shown(names)} should be a list of names, one for each player")
    if names is not None and len(names) != len(given):
        raise ParameterError(f"{len(names)} names for {len(given)} players")
    players: list[Player] = []
    taken: dict[str, int] = {}
    for k, one in enumerate(given):
        name = names[k] if names is not None else _name(one)
        taken[name] = taken.get(name, 0) + 1
        players.append(player(game, one, name if taken[name] == 1 else f"{name} #{taken[name]}", trust))
    return players


def _name(given: Given) -> str:
    if isinstance(given, str | Path):
        return str(given)
    if isinstance(given, Strategy):
        return str(given.facts.get("method", type(given).__name__.lower()))
    if isinstance(given, Player):
        return str(given.name)
    one = given[0] if isinstance(given, list | tuple) and given else given  # the first of a list of bots
    return str(getattr(one, "__name__", type(one).__name__))


def player(game: PlayedGame, given: Given, name: str, trust: Trust = False) -> Player:
    """Return one player. `trust`: consent to run code that a file of strategies names."""
    if isinstance(given, Strategy):
        return playing(game, name, given)
    if isinstance(given, Searcher):
        return searcher_player(game, name, given)
    if not isinstance(given, str | Path):
        if (bots := bots_player(game, name, given)) is not None:
            return bots
        if (theirs := foreign(given, game)) is not None:
            return playing(game, name, theirs)
        return _Named(name, given) if isinstance(given, Player) else rule_player(game, name, given)
    text = str(given)
    if text == "uniform":
        return playing(game, name, Policy.uniform(game))
    if isinstance(given, Path) or is_file(text):
        return playing(game, name, read(given, game, trust=trust))
    if text.startswith(BOT):
        return bot_player(game, name, text)
    place, colon, what = text.rpartition(":")
    if colon and "(" not in place:
        return rule_player(game, name, _imported(place, what))
    return _named(game, name, text)


@dataclass(frozen=True)
class _Named:
    """A player under the name that it has in this match."""

    name: str
    player: Player

    def sit(self, seat: int, luck: int) -> Seat:
        return self.player.sit(seat, luck)


def _imported(place: str, name: str) -> Any:
    module = module_at(place)
    rule = getattr(module, name, None)
    if rule is None or name.startswith("__"):
        own = [key for key, thing in vars(module).items() if callable(thing) and not key.startswith("_")]
        raise UnknownNameError(f"{place} defines no {arguments.shown(name)}{nearest(name, own)}")
    return rule


def _named(game: PlayedGame, name: str, address: str) -> Player:
    """Return a method that solves the game first, or whatever else has a name."""
    if address.endswith(".py"):
        raise FileError(f"{address}: say which rule in the file plays, as in {address}:MyRule")
    try:
        method, parameters = parse(address)
    except HannanError:
        raise FileError(f"there is no file {address}, and it names no player") from None
    if method in MAKERS:
        return MAKERS[method](game, name, parameters)
    if method not in METHODS:
        known = nearest(method, ["uniform", *METHODS, *MAKERS])
        raise UnknownNameError(f"there is no file and no player {arguments.shown(address)}{known}")
    iterations = arguments.whole("iterations", parameters.pop("iterations", ITERATIONS))
    kind: Any = method_class(method)
    try:
        solver = kind(game, **parameters)
    except TypeError as error:
        raise ParameterError(f"{address}: {error}") from None
    solver.run(iterations)
    return playing(game, name, solver.average())
