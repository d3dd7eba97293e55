"""The built-in games: their names, parameters, sources, sizes and known values."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hannan.addresses import parse as parse
from hannan.addresses import write
from hannan.arguments import shown
from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.rules.plain import Rules

SINGLE = (
    "battleship", "goofspiel", "identical_interest", "kuhn_poker", "leduc_poker", "liars_dice", "oshi_zumo",
    "pursuit_evasion", "random_game", "sheriff", "single_player", "tic_tac_toe", "tron",
)  # fmt: skip
MATRICES = (
    "biased_rps", "chicken", "matching_pennies", "matrix_game", "prisoners_dilemma", "rock_paper_scissors", "shapley",
)  # fmt: skip
MODULES = dict(sorted({**{name: name for name in SINGLE}, **dict.fromkeys(MATRICES, "matrix")}.items()))
"""In which file of `hannan.games` each game is. A file of one game has an `ENTRY`, one of several `ENTRIES` by name."""

_SHORT = re.compile(r"matrix_game\([0-9x]+, [0-9a-f]+\)")
"""What `hannan.games.matrix` calls a matrix with many payoffs."""


@dataclass(frozen=True)
class Known:
    """What is known of a game at particular parameters, from a source other than this package."""

    histories: int | None = None
    """As `hannan inspect` counts them: a joint move is one step."""
    sets: tuple[int, ...] | None = None
    """Information sets of each player."""
    value: float | None = None
    """The value to player 0 of a two-player zero-sum game."""
    source: str = ""
    one_by_one: int | None = None
    """Histories as the source counts them where several players move at once: their moves one after another."""


@dataclass(frozen=True)
class Entry:
    """One built-in game."""

    name: str
    make: Callable[..., Rules]
    """Takes the parameters by keyword, checks them, returns the rules."""
    summary: str
    """One line."""
    source: str
    """The paper or book that defines the game."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """A few words on each parameter of `make`; the defaults are in its signature."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """Facts by address, such as `leduc_poker` or `leduc_poker(ranks=13)`."""
    openspiel: Mapping[str, str] = field(default_factory=dict)
    """Our address to OpenSpiel's, for pairs that are exactly the same game."""

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters with their default values, in order."""
        return dict(_defaults(self.make))


@cache
def _defaults(make: Callable[..., Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, p.default) for name, p in inspect.signature(make).parameters.items())


def entry(name: str) -> Entry:
    """Return the catalogue's entry for a game, or say which name is nearest."""
    if name not in MODULES:
        raise UnknownNameError(f"there is no game {shown(name)}{nearest(name, MODULES)}")
    module = importlib.import_module(f"hannan.games.{MODULES[name]}")
    listed: Entry = module.ENTRY if MODULES[name] == name else module.ENTRIES[name]
    return listed


def is_short(text: str) -> bool:
    """Return whether a text is the short name of a large matrix: its shape and a digest, and no payoffs."""
    return _SHORT.fullmatch(text) is not None


def listed(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name and the parameters of an address that begins with the name of a built-in game; else None.

    Such an address is never taken for a path, whatever its parameters hold. The short name of a large matrix is
    refused: it does not hold the payoffs.
    """
    if is_short(text):
        raise ParameterError(
            f"{text} is the name of a matrix that is too large for an address, and does not hold its payoffs: give the "
            "game too, in Python as an array, on the command line as a file (.nfg)"
        )
    return parse(text) if is_listed(text) else None


def is_listed(text: str) -> bool:
    """Return whether an address begins with the name of a built-in game."""
    return text.partition("(")[0].strip() in MODULES


def entries() -> list[Entry]:
    """Return all entries, by name."""
    return [entry(name) for name in sorted(MODULES)]


def check_names(name: str, defaults: Mapping[str, Any], parameters: Iterable[str]) -> None:
    """Refuse parameters that a game does not have, and a game that lacks one without a default."""
    given = list(parameters)
    for parameter in given:
        if parameter not in defaults:
            raise UnknownNameError(f"{name} has no parameter {shown(parameter)}{nearest(parameter, defaults)}")
    missing = [p for p, default in defaults.items() if default is inspect.Parameter.empty and p not in given]
    if missing:
        raise ParameterError(f"{name} needs the parameter {missing[0]}, as in {name}({missing[0]}=…)")


def make(name: str, parameters: Mapping[str, Any]) -> Rules:
    """Build the rules of a built-in game, after checking the names of its parameters."""
    game = entry(name)
    check_names(name, game.defaults, parameters)
    try:
        return game.make(**parameters)
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None


def address(name: str, parameters: Mapping[str, Any]) -> str:
    """Write a game's address; parameters that have their default value are left out."""
    return write(name, parameters, entry(name).defaults if name in MODULES else {})


def canonical(text: str) -> str:
    """Write the address of a built-in game as `address` does: without parameters that have their default value."""
    name, parameters = parse(text)
    return address(name, {**entry(name).defaults, **parameters})
