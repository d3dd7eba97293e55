"""Load an OpenSpiel game by its address, or say why it cannot be used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hannan.arguments import shown
from hannan.errors import STRAY, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.libraries import library
from hannan.rules.plain import MOST_PLAYERS
from hannan.rules.promises import told

PREFIX = "openspiel:"

OURS = {"recall": ("stated", "split"), "outcomes": None}
"""Parameters that OpenSpiel does not get. `recall`: whether to solve the refinement if information states forget.
`outcomes`: the most outcomes of a draw of chance, if OpenSpiel does not list them."""


@dataclass(frozen=True)
class Wanted:
    """The OpenSpiel game that an address names, with hannan's own parameters."""

    address: str
    """The address within OpenSpiel: a name with parameters."""
    split: bool
    outcomes: int | None

    @property
    def name(self) -> str:
        """The whole address in the form that `load` takes."""
        ours = [f"outcomes={self.outcomes}"] * (self.outcomes is not None) + ["recall=split"] * self.split
        name, _, rest = self.address.partition("(")
        inside = [rest[:-1]] * bool(rest[:-1]) + ours
        return f"{PREFIX}{name}({','.join(inside)})" if inside else f"{PREFIX}{name}"


def wanted(address: str) -> Wanted:
    """Take hannan's parameters out of an address; the others belong to OpenSpiel and may contain games."""
    text = address.removeprefix(PREFIX).strip()
    name, parenthesis, rest = text.partition("(")
    if not name or (parenthesis and not rest.endswith(")")):
        raise ParameterError(f"{shown(address)} is not of the form {PREFIX}name(parameter=value, …)")
    theirs, ours = [], dict[str, str]()
    for part in _parts(rest[:-1]) if parenthesis else []:
        key, equals, value = part.partition("=")
        if key.strip() in OURS and equals:
            ours[key.strip()] = value.strip()
        else:
            theirs.append(part)
    recall, outcomes = ours.get("recall", "stated"), ours.get("outcomes")
    if recall not in ("stated", "split"):
        raise ParameterError(f"{shown(address)}: recall={recall} should be stated or split")
    if outcomes is not None and not (outcomes.isdigit() and int(outcomes) > 0):
        raise ParameterError(f"{shown(address)}: outcomes={outcomes} should be a whole number, 1 or more")
    short = f"{name.strip()}({','.join(theirs)})" if theirs else name.strip()
    return Wanted(short, recall == "split", None if outcomes is None else int(outcomes))


def _parts(text: str) -> list[str]:
    """Split at the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def load_theirs(address: str) -> Any:
    """Return a game that OpenSpiel makes; refuse unknown games, and pass on OpenSpiel's own errors."""
    pyspiel = library("pyspiel")
    name = address.partition("(")[0]
    if name.startswith("python_"):
        library("open_spiel.python.games")  # registers these games
    known = pyspiel.registered_names()
    if name not in known:
        raise UnknownNameError(f"OpenSpiel has no game {shown(name)}{nearest(name, known)}")
    with quiet():
        try:
            return pyspiel.load_game(address)
        except STRAY as error:
            raise ParameterError(f"OpenSpiel cannot make {address}: {_said(error)}") from error


def unsuitable(theirs: Any) -> UnsuitableError | None:
    """Return the error that says why an OpenSpiel game cannot be played here; None if it can."""
    pyspiel, kind, name = library("pyspiel"), theirs.get_type(), str(theirs)
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return UnsuitableError(f"{name} is a mean-field game: a crowd instead of players; no method here plays it")
    if not kind.provides_information_state_string:
        return UnsuitableError(
            f"{name} has no information states in OpenSpiel: observations alone do not say what a player knows"
        )
    if not 1 <= theirs.num_players() <= MOST_PLAYERS:
        return UnsuitableError(f"{name} has {theirs.num_players()} players; expected 1 to {MOST_PLAYERS}")
    return None


def is_sampled(theirs: Any) -> bool:
    """Return whether OpenSpiel draws chance inside the game, without listing outcomes and odds."""
    pyspiel = library("pyspiel")
    return bool(theirs.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC)


@contextmanager
def quiet() -> Iterator[None]:
    """Hide the standard error output of OpenSpiel's C++ code inside the block."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _said(error: BaseException) -> str:
    return " ".join(told(error).removeprefix(f"{type(error).__name__}: ").split())
