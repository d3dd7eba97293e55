"""The forms in which a strategy can be given: itself, a result, a file, a callable, or another library's policy."""

from __future__ import annotations

from os import PathLike
from typing import Any

from hannan.arguments import shown
from hannan.errors import FileError, MismatchError, ParameterError
from hannan.files import is_file
from hannan.forms.game import ExpandedGame, Game
from hannan.forms.loader import Loadable, load
from hannan.forms.trust import Trust
from hannan.strategies.strategy import Strategy, later

Given = Any
"""A `Strategy`; an object with one in `strategy` (a result, a certificate, a response); the path of a file; or, if a
game is given too, the word `uniform`, a callable from a `Sight`, or a policy of OpenSpiel's."""

FOREIGN: dict[str, tuple[str, str]] = {
    "open_spiel": ("exports.openspiel.strategy", "strategy_from"),
    "pyspiel": ("exports.openspiel.strategy", "strategy_from"),
    "pygambit": ("exports.gambit.profiles", "strategy_from"),
}
"""Converters for policies of other libraries. The key is the first word of the module that defines the policy's class
or a base class of it. The value is our module and its function (thing, game), which returns a strategy or None."""


def strategy_of(given: Given, game: Loadable | None = None, *, trust: Trust = False) -> Strategy:
    """Return the strategy that `given` stands for. Only a file is compared with `game`: it must belong to that game."""
    loaded = None if game is None else load(game)
    if isinstance(given, Strategy):
        return given
    if isinstance(held := getattr(given, "strategy", None), Strategy):
        return held
    if isinstance(given, str | PathLike):
        return _named(given, loaded, trust)
    if (theirs := foreign(given, loaded)) is not None:
        return theirs
    if loaded is not None and _is_rule(given):
        made: Strategy = later("strategies.ruled", "Ruled")(loaded.played(), given)
        return made
    raise ParameterError(
        f"{shown(given)} is not a strategy; `solve` and `read` return one, `uniform(game)` is uniform play, and a "
        "callable needs its game too"
    )


def _is_rule(given: Any) -> bool:
    """Return whether an object, or an instance of a class, can be called."""
    if isinstance(given, type):
        return any("__call__" in vars(kind) for kind in given.__mro__)
    return callable(given)


def _named(given: str | PathLike[str], game: Game | None, trust: Trust) -> Strategy:
    if given == "uniform" and game is not None:
        return uniform_play(game)
    if game is None and not is_file(given):
        raise FileError(f"the strategy file {given} does not exist; if this is a game, give its strategy after it")
    strategy: Strategy = later("runs.strategies", "read")(given, game, trust=trust)
    return strategy


def uniform_play(game: Game) -> Strategy:
    """Return uniform play: a profile if the game is expanded, else a policy that knows no set."""
    made: Strategy
    if isinstance(game, ExpandedGame):
        made = later("strategies.profile", "uniform")(game)
    else:
        made = later("strategies.policy", "Policy").uniform(game)
    return made


def foreign(given: Any, game: Game | None) -> Strategy | None:
    """Return another library's policy as a strategy; None for anything else. The test imports no library."""
    for library in dict.fromkeys(kind.__module__.partition(".")[0] for kind in type(given).__mro__):
        if library in FOREIGN:
            made: Strategy | None = later(*FOREIGN[library])(given, game)
            if made is not None:
                return made
    return None


def two_forms(first: Any, second: Any, *, trust: Trust = False) -> Strategy:
    """Return the strategy in the arguments of a call `f(strategy)` or `f(game, strategy)`."""
    if second is None:
        return strategy_of(first, trust=trust)
    strategy, game = strategy_of(second, first, trust=trust), load(first)
    if not (isinstance(first, str) and strategy.game.address == game.address):
        check_same_game(strategy, game)
    return strategy


def check_same_game(strategy: Strategy, game: Game) -> None:
    """Refuse a strategy of another game. Expanded games are compared by their payoffs, other games by address."""
    own = strategy.game
    same = own.address == game.address
    both = isinstance(own, ExpandedGame) and isinstance(game, ExpandedGame)
    if own is game or (same and ((own.built_in and game.built_in) or not both)):
        return
    if isinstance(own, ExpandedGame) and game.expanded().form.hash == own.form.hash:
        return
    other = "one with other rules or locks" if same else game.address
    raise MismatchError(f"the strategy is for {own.address}, not for {other}")
