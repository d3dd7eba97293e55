"""The built-in games: their names, parameters, sources, sizes and known values."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from typing import Any

from hannan import packages
from hannan.addresses import parse as parse
from hannan.addresses import write
from hannan.arguments import shown
from hannan.errors import STRAY, HannanError, ParameterError, UnknownNameError, nearest
from hannan.rules.plain import Rules

SINGLE = (
    "battleship", "goofspiel", "identical_interest", "kuhn_poker", "leduc_poker", "liars_dice", "oshi_zumo",
    "pursuit_evasion", "random_game", "sheriff", "single_player", "tic_tac_toe", "tron",
)  # fmt: skip
MATRICES = (
    "biased_rps", "chicken", "matching_pennies", "matrix_game", "prisoners_dilemma", "rock_paper_scissors", "shapley",
)  # fmt: skip
PUBLIC = {
    "flop_holdem": "holdem.flop_holdem",
    "holdem": "holdem.entry",
    "rhode_island": "holdem.rhode_island",
}
"""The files of games with public rules (`hannan.rules.public`). All other games have compiled rules."""
MODULES = dict(sorted({**{name: name for name in SINGLE}, **dict.fromkeys(MATRICES, "matrix"), **PUBLIC}.items()))
"""The file of each game in `hannan.games`. A file with one game has an `ENTRY`, a file with several has `ENTRIES`."""

_SHORT = re.compile(r"matrix_game\([0-9x]+, [0-9a-f]+\)")
"""The name that `hannan.games.matrix` gives to a matrix with many payoffs."""


@dataclass(frozen=True)
class Known:
    """Known facts about a game with given parameters, from a source other than this package."""

    histories: int | None = None
    """Number of histories as `hannan inspect` counts them: a joint move is one step."""
    sets: tuple[int, ...] | None = None
    """Information sets of each player."""
    value: float | None = None
    """The value to player 0 of a two-player zero-sum game."""
    source: str = ""
    one_by_one: int | None = None
    """Number of histories in the source, if it counts simultaneous moves one after another."""


@dataclass(frozen=True)
class Entry:
    """One built-in game."""

    name: str
    make: Callable[..., Rules]
    """A function that takes the parameters by keyword, checks them and returns the rules."""
    summary: str
    """One line."""
    source: str
    """The paper or book that defines the game."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """A short description of each parameter of `make`. The signature of `make` has the defaults."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """Facts by address, such as `leduc_poker` or `leduc_poker(ranks=13)`."""
    openspiel: Mapping[str, str] = field(default_factory=dict)
    """OpenSpiel's address by our address, for pairs that are exactly the same game."""
    package: str | None = None
    """The installed package that brings the game; None if it is built in."""

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters with their default values, in order."""
        return dict(_defaults(self.make))


@cache
def _defaults(make: Callable[..., Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, p.default) for name, p in inspect.signature(make).parameters.items())


_BROUGHT: dict[str, Entry] = {}
"""Games of installed packages that have been looked up so far."""


def entry(name: str) -> Entry:
    """Return the entry of a game, built in or from a package. The error for an unknown name suggests the nearest."""
    if is_known(name):
        return _listed(name) if name in MODULES else _BROUGHT[name]
    known = [*MODULES, *(one.name for one in packages.brought(packages.GAMES))]
    raise UnknownNameError(f"game {shown(name)} does not exist{nearest(name, known)}")


@cache
def _listed(name: str) -> Entry:
    """Return the entry of a built-in game."""
    module = importlib.import_module(f"hannan.games.{MODULES[name]}")
    listed: Entry = module.ENTRIES[name] if hasattr(module, "ENTRIES") else module.ENTRY
    return listed


def is_known(name: str) -> bool:
    """Return whether a game of this name exists. If an installed package brings it, import that package."""
    if name in MODULES or name in _BROUGHT:
        return True
    one = packages.find(packages.GAMES, name) if name.isidentifier() else None
    if one is None:
        return False
    _BROUGHT[name] = _entry_of(one)
    return True


def _entry_of(one: packages.Brought) -> Entry:
    """Return the entry of a game from a package. The package gives an `Entry`, a class or a function."""
    thing = one.load()
    if isinstance(thing, Entry):
        if thing.name != one.name:
            raise one.refusal(f"its entry calls the game {thing.name!r}")
        return replace(thing, package=one.package)
    if not callable(thing):
        raise one.refusal(
            f"it is of type {type(thing).__name__}; expected a subclass of hannan.Rules or a function that makes rules"
        )
    if isinstance(thing, type) and not issubclass(thing, Rules):
        raise one.refusal(f"{thing.__name__} is not a subclass of hannan.Rules")
    said = inspect.getdoc(thing) or ""
    return Entry(one.name, _making(one, thing), said.partition("\n")[0], one.package, package=one.package)


def _making(one: packages.Brought, make: Callable[..., Any]) -> Callable[..., Rules]:
    """Wrap the function `make` of a package, so that its errors name the package. The parameters stay the same."""

    @wraps(make, updated=())
    def made(**parameters: Any) -> Rules:
        try:
            rules = make(**parameters)
        except HannanError:
            raise
        except STRAY as error:
            raise one.refusal(f"making its rules raised {type(error).__name__}: {error}") from error
        if not isinstance(rules, Rules):
            raise one.refusal(f"it makes an object of type {type(rules).__name__}; expected hannan.Rules")
        return rules

    return made


def is_short(text: str) -> bool:
    """Return whether a text is the short name of a large matrix: its shape and a digest, without payoffs."""
    return _SHORT.fullmatch(text) is not None


def listed(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the parameters of an address if it begins with the name of a known game; else None.

    Such an address is never read as a path, whatever its parameters are. The short name of a large matrix is refused,
    because it does not hold the payoffs.
    """
    if is_short(text):
        raise ParameterError(
            f"{text} is the name of a matrix that is too large for an address, and does not hold its payoffs: give the "
            "game too, in Python as an array, on the command line as a file (.nfg)"
        )
    return parse(text) if is_listed(text) else None


def is_listed(text: str) -> bool:
    """Return whether an address begins with the name of a game, built in or from a package."""
    return is_known(text.partition("(")[0].strip())


def entries() -> list[Entry]:
    """Return the entries of all built-in games, by name."""
    return [entry(name) for name in sorted(MODULES)]


def installed() -> tuple[list[Entry], list[str]]:
    """Return the entries of games from installed packages, and for each refused game the reason."""
    found, refused = [], []
    for one in packages.brought(packages.GAMES):
        try:
            if one.name in MODULES:
                raise one.refusal("the name is that of a built-in game")
            found.append(entry(one.name))
        except HannanError as error:
            refused.append(str(error))
    return found, refused


def check_names(name: str, defaults: Mapping[str, Any], parameters: Iterable[str]) -> None:
    """Raise an error if a parameter is unknown, or if a parameter without a default is missing."""
    given = list(parameters)
    for parameter in given:
        if parameter not in defaults:
            raise UnknownNameError(f"{name} has no parameter {shown(parameter)}{nearest(parameter, defaults)}")
    missing = [p for p, default in defaults.items() if default is inspect.Parameter.empty and p not in given]
    if missing:
        raise ParameterError(f"{name} needs the parameter {missing[0]}, as in {name}({missing[0]}=…)")


def make(name: str, parameters: Mapping[str, Any]) -> Rules:
    """Build the rules of a game, after checking the names of its parameters."""
    game = entry(name)
    check_names(name, game.defaults, parameters)
    try:
        return game.make(**parameters)
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None


def address(name: str, parameters: Mapping[str, Any]) -> str:
    """Write a game's address; parameters that have their default value are left out."""
    return write(name, parameters, entry(name).defaults if name in MODULES or name in _BROUGHT else {})


def canonical(text: str) -> str:
    """Rewrite the address of a game as `address` does: without parameters that have their default value."""
    name, parameters = parse(text)
    return address(name, {**entry(name).defaults, **parameters})
