"""Making players from addresses, files, strategies and callables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hannan import arguments
from hannan.addresses import parse, parse_place
from hannan.certificates.certificate import Certificate
from hannan.errors import FileError, HannanError, ParameterError, UnknownNameError, nearest
from hannan.files import is_file
from hannan.forms.classes import made, thing_at
from hannan.forms.game import PlayedGame
from hannan.forms.trust import Trust
from hannan.measures.players import Player, playing, rule_player
from hannan.runs.bots import BOT, bot_player, bots_player
from hannan.runs.result import Result
from hannan.runs.searchplayer import search_player, searcher_player
from hannan.runs.strategies import read
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.classes import blamed, make
from hannan.strategies.given import foreign
from hannan.strategies.policy import Policy
from hannan.strategies.ruled import Rule
from hannan.strategies.seats import Seat
from hannan.strategies.strategy import Strategy
from hannan.treesearch.searcher import Searcher

Given = str | Path | Strategy | Searcher | Rule | Player | Result | Certificate | Solver | type | Sequence[Any]
"""The objects that can take a seat in a match."""

ITERATIONS = 1000
"""The iterations of a method that plays, if its address does not give them."""

Maker = Callable[[PlayedGame, str, dict[str, Any]], Player]

MAKERS: dict[str, Maker] = {"search": search_player}
"""Other players by name: `name(parameter=value)` calls MAKERS[name](game, name in results, parameters).

Each returns a `Player`: it sits down for a play, and then answers its observations with probabilities. A maker checks
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
    if isinstance(given, Result | Solver):
        return given.method
    if isinstance(given, Player) and not isinstance(given, type):
        return str(given.name)
    one = given[0] if isinstance(given, list | tuple) and given else given  # the first of a list of bots
    return str(getattr(one, "__name__", type(one).__name__))


def player(game: PlayedGame, given: Given, name: str, trust: Trust = False) -> Player:
    """Return one player. `trust`: consent to run code that a file of strategies names."""
    if isinstance(given, Strategy):
        return playing(game, name, given)
    if isinstance(given, Searcher):
        return searcher_player(game, name, given)
    if isinstance(held := getattr(given, "strategy", None), Strategy) and not isinstance(given, Player):
        return playing(game, name, held)
    if isinstance(given, Solver):
        return playing(game, name, given.average())
    if not isinstance(given, str | Path):
        if (bots := bots_player(game, name, given)) is not None:
            return bots
        if (theirs := foreign(given, game)) is not None:
            return playing(game, name, theirs)
        return _own(game, name, given, {}, name)
    text = str(given)
    if text == "uniform":
        return playing(game, name, Policy.uniform(game))
    if isinstance(given, Path) or is_file(text):
        return playing(game, name, read(given, game, trust=trust))
    if text.startswith(BOT):
        return bot_player(game, name, text)
    if (place := parse_place(text)) is not None:
        return _own(game, name, thing_at(place[0]), place[1], place[0])
    return _named(game, name, text)


def _own(game: PlayedGame, name: str, thing: Any, parameters: dict[str, Any], address: str) -> Player:
    """Return what plays an object, a class or a function of the user's; the class of a method solves the game first."""
    if isinstance(thing, type):
        if issubclass(thing, Solver):
            return _solving(game, name, method_class(thing), parameters)
        thing, parameters = made(thing, parameters, address), {}
    if parameters:
        raise ParameterError(f"{address} is of type {type(thing).__name__}, and no class: it takes no parameters")
    if isinstance(thing, Strategy):
        return playing(game, name, thing)
    return _Named(name, thing) if isinstance(thing, Player) else rule_player(game, name, thing)


@dataclass(frozen=True)
class _Named:
    """A player under the name that it has in this match."""

    name: str
    player: Player

    def sit(self, seat: int, luck: int) -> Seat:
        return self.player.sit(seat, luck)


def _named(game: PlayedGame, name: str, address: str) -> Player:
    """Return a method that solves the game first, or whatever else has a name."""
    if address.endswith(".py"):
        raise FileError(f"{address}: say which rule in the file plays, as in {address}:MyRule")
    try:
        method, parameters = parse(address)
    except HannanError:
        raise FileError(f"{address} is neither a file nor a player") from None
    if method in MAKERS:
        return MAKERS[method](game, name, parameters)
    try:
        kind = method_class(method)
    except UnknownNameError:
        known = nearest(method, ["uniform", *METHODS, *MAKERS])
        raise UnknownNameError(f"{arguments.shown(address)} is neither a file nor a player{known}") from None
    return _solving(game, name, kind, parameters)


def _solving(game: PlayedGame, name: str, kind: type[Solver], parameters: dict[str, Any]) -> Player:
    """Return what plays the average strategies of a method after some iterations."""
    iterations = arguments.whole("iterations", parameters.pop("iterations", ITERATIONS))
    solver = make(kind, game, parameters)
    with blamed(kind, "run()"):
        solver.run(iterations)
    return playing(game, name, solver.average())
