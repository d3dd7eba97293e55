"""The gate for every address that comes out of a file: nothing that a file names is run without consent.

A file may name a built-in game or an OpenSpiel game: both come with installed libraries, and the file only chooses
parameters. Every other address (`file.py:Rules`, `module:`, `command:`, `pettingzoo:`, `gymnasium:`, a path) leads to
code or files on the reader's machine. So the caller must give it, or agree to exactly this address.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hannan.addresses import placed
from hannan.arguments import check_trust, shown
from hannan.errors import FileError, ParameterError, TrustError, UnknownNameError
from hannan.forms.foreign import GYMNASIUM, OPENSPIEL, PETTINGZOO, is_gambit, openspiel_game
from hannan.forms.loader import BOX, COMMAND, Loadable, built_in
from hannan.games import catalogue

LONGEST = 1000
"""The most characters of an address in a file, so that a person can read it. Built-in games are exempt."""

STARTS, RUNS, READS = "starts a program", "imports and runs Python code", "reads another file"
"""The possible effects of using an address."""

_WORD = re.compile(r"(\w+)(\s*=)?")
"""A word of an address, and whether it is the name of a parameter."""
_PLACE = re.compile("file|path|folder|root", re.IGNORECASE)
"""Parts of the name of a parameter that names a file, such as `filename` of OpenSpiel's efg_game."""


@dataclass(frozen=True)
class Named:
    """An address in a file, whose use would run code or open another file."""

    file: str
    what: str
    """What the address stands for: game, evaluation, rollout, or another parameter."""
    address: str
    effect: str
    """The effect of using the address, for example `starts a program`."""


Trust = bool | Callable[[Named], bool]
"""Consent to addresses in a file: to no address (False), to all in this file (True), or as a function decides."""


def named_game(file: str | PathLike[str], address: str, trust: Trust) -> Loadable:
    """Return the game that a file names if it is built in or from OpenSpiel; else its address, if the caller agrees.

    The name and parameters of a built-in game go to the catalogue only, so that no text in them is used as a path.
    """
    check_trust(trust)
    try:
        known, alone = catalogue.listed(address), not names_files(address)
        if known is not None and alone:
            return built_in(*known)
    except (ParameterError, UnknownNameError) as error:
        raise FileError(f"{file} names a game that cannot be made: {error}") from error
    if known is None and len(address) > LONGEST:
        raise FileError(
            f"{file} names a game in {len(address):,} characters; at most {LONGEST:,} are allowed: give the game too"
        )
    if address.startswith(OPENSPIEL) and alone and not is_gambit(address):
        return openspiel_game(address)
    if known is None and is_nameless(address):
        raise FileError(f"{file} belongs to {shown(address)}, which has no address: give the game too")
    agree(file, "game", address, trust)
    return address


def is_nameless(address: str) -> bool:
    """Return whether an address leads to no code and no file, as a built-in name or an unknown word does."""
    return ":" not in address.partition("(")[0] and placed(address) is None and not is_gambit(address)


def names_files(address: str) -> bool:
    """Return whether the name of a parameter in an address, also of a nested game, says that its value is a file."""
    return any(word[2] and _PLACE.search(word[1]) for word in _WORD.finditer(address))


def agree(file: str | PathLike[str], what: str, address: Any, trust: Trust) -> None:
    """Raise a TrustError unless the caller agrees to the use of an address in a file."""
    check_trust(trust)
    named = Named(str(file), what, str(address), _effect(what, str(address)))
    if trust is True or (callable(trust) and len(named.address) <= LONGEST and trust(named) is True):
        return
    raise TrustError(
        f"{file} names the {what} {shown(address)}, which {named.effect}; nothing that a file names is run without "
        f"consent: give the {what} yourself, or agree with --trust (in Python trust=True) if you trust this address"
    )


def _effect(what: str, address: str) -> str:
    """Return the effect of using an address, as `load` and `judge_from` interpret it."""
    if what == "game":
        if is_gambit(address) or address.startswith(OPENSPIEL):
            return READS
        if address.startswith(COMMAND):
            return STARTS
        if address.startswith((BOX, PETTINGZOO, GYMNASIUM)):
            return RUNS
    return READS if placed(address) is None else RUNS
