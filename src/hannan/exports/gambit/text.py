"""The text of `.efg` and `.nfg` files from Gambit records."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from os import PathLike

from hannan.arguments import file_name
from hannan.errors import FileError
from hannan.exports.gambit.records import efg_record, nfg_record
from hannan.files import write_text
from hannan.forms.loader import Loadable, load
from hannan.interop.gambit.record import CHANCE, TERMINAL, EfgGame, NfgGame
from hannan.interop.gambit.text import quote

ENDINGS = (".efg", ".nfg")


def check_ending(path: str | PathLike[str]) -> None:
    """Refuse a file name that ends neither in `.efg` nor in `.nfg`."""
    file_name(path)
    if not str(path).lower().endswith(ENDINGS):
        raise FileError(f"{path}: a game is written to a file that ends in {' or '.join(ENDINGS)}")


def export_game(game: Loadable, path: str | PathLike[str]) -> None:
    """Write a game to a Gambit file: its tree (`.efg`) or its reduced normal form (`.nfg`).

    In a tree, simultaneous moves are made one after another, and later movers do not see earlier moves. Numbers are
    written as fractions, and reading them gives the same floats.

    Parameters
    ----------
    game : whatever `load` takes
        A game that can be expanded.
    path : str or Path
        The file. Its ending decides the format.

    Raises
    ------
    SizeError
        If the game is too large to expand.
    FileError
        If the file cannot be written, or ends in neither `.efg` nor `.nfg`.

    Examples
    --------
    >>> import hannan as hn
    >>> hn.export_game("kuhn_poker", "kuhn.efg")
    >>> round(hn.solve("kuhn.efg").values[0], 6)
    -0.055556
    """
    check_ending(path)
    write_text(path, (efg_text if str(path).lower().endswith(".efg") else nfg_text)(game))


def efg_text(game: Loadable) -> str:
    """Return a game as the text of a `.efg` file."""
    return "".join(_efg_lines(efg_record(load(game))))


def nfg_text(game: Loadable) -> str:
    """Return a game as the text of a `.nfg` file."""
    return "".join(_nfg_lines(nfg_record(load(game))))


def _header(kind: str, game: EfgGame | NfgGame) -> str:
    return f"{kind} R {quote(game.title)} {{ {' '.join(map(quote, game.players))} }}\n"


def _efg_lines(game: EfgGame) -> Iterator[str]:
    yield _header("EFG 2", game)
    yield f"{quote(game.comment)}\n\n"
    outcomes = [
        f"{game.outcome_numbers.get(k, k + 1)} {quote(game.outcome_names.get(k, ''))} {{ {payoffs} }}\n"
        for k, payoffs in enumerate(game.payoffs)
    ]
    sets = []
    for stated in game.sets:
        actions = " ".join(map(quote, stated.actions))
        if stated.odds is not None:
            actions = " ".join(f"{quote(a)} {odd}" for a, odd in zip(stated.actions, stated.odds, strict=True))
        who = "" if stated.player == CHANCE else f"{stated.player} "
        sets.append(f"{who}{stated.number} {quote(stated.name)} {{ {actions} }}")
    labels = game.labels
    for node, player in enumerate(game.player):
        outcome = game.outcome_of[node]
        gained = outcomes[outcome] if outcome >= 0 else "0\n"
        label = quote(labels[node]) if node in labels else '""'
        if player == TERMINAL:
            yield f"t {label} {gained}"
        else:
            yield f"{'c' if player == CHANCE else 'p'} {label} {sets[game.set_of[node]]} {gained}"


def _nfg_lines(game: NfgGame) -> Iterator[str]:
    yield _header("NFG 1", game)
    menus = "\n".join(f"{{ {' '.join(map(quote, menu))} }}" for menu in game.strategies)
    yield f"\n{{ {menus}\n}}\n{quote(game.comment)}\n\n"
    if game.outcomes is None:
        for row in game.payoffs:
            yield f"{' '.join(map(str, row))}\n"
        return
    yield "{\n"
    for name, payoffs in game.outcomes:
        yield f"{{ {quote(name)} {_numbers(payoffs)} }}\n"
    yield "}\n" + " ".join(map(str, game.cells)) + "\n"


def _numbers(row: tuple[Fraction, ...]) -> str:
    return ", ".join(map(str, row))
