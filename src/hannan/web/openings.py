"""Opening the games, strategies and files that the command line or Python gives to the explorer; all are trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.errors import FileError
from hannan.web.folder import kind_in

if TYPE_CHECKING:
    from hannan.web.session import Session


@dataclass(frozen=True)
class Opening:
    """Something to open."""

    given: Any
    path: Path | None = None
    """The file, if it is one that hannan wrote."""


def opening_of(given: Any) -> Opening:
    """Return what to open; refuse a missing path, and a file that the explorer cannot show."""
    if isinstance(given, str | PathLike) and Path(given).is_file():
        path = Path(given)
        kind, _, _ = kind_in(path)
        if kind is not None and kind != "game":
            return Opening(given, path)
        if kind is None and not str(given).endswith(".py"):
            raise FileError(f"the explorer cannot show {path}; it shows games, and most files that hannan writes")
    elif isinstance(given, PathLike):
        raise FileError(f"{given} is missing, or is not a file")
    return Opening(given)


def open_all(session: Session, openings: Sequence[Opening]) -> None:
    """Open everything: games first, so that files find their games."""
    for one in openings:
        if one.path is None:
            _open(session, one.given)
    for one in openings:
        if one.path is not None:
            kind, address, _ = kind_in(one.path)
            if kind not in ("strategy", "checkpoint", "certificate"):
                continue  # pages list it with the files of the folder
            games = list(session.games.values())
            game = next((opened for opened in games if address in (opened.address, opened.given)), None)
            if game is None and address is not None and not _is_built_in(address):
                game = games[0] if games else None
            session.open_path(one.path, one.path.name, game)


def _is_built_in(address: str) -> bool:
    from hannan.games import catalogue

    return address.partition("(")[0] in catalogue.MODULES


def _open(session: Session, given: Any) -> None:
    """Open a game, or a strategy with its game."""
    from hannan.strategies.strategy import Strategy

    held = given if isinstance(given, Strategy) else getattr(given, "strategy", None)
    if isinstance(held, Strategy):
        from hannan.strategies.locks import Locked

        base = held.game.base if isinstance(held.game, Locked) else held.game
        known = next((one for one in session.games.values() if one.given is base), None)
        game = session.open_game(base, base.address) if known is None else known
        session.give(held, game, str(held.facts.get("method", type(held).__name__.lower())))
    elif isinstance(given, str):
        session.open_game(given, given, told=True)
    else:
        session.open_game(given, str(getattr(given, "address", None) or getattr(given, "name", "") or "a game"))
