"""Read `.nfg` files, Gambit's tables: the payoff version and the outcome version."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from os import PathLike

from hannan.interop.gambit.record import NfgGame
from hannan.interop.gambit.text import Scanner, exact, source


def read_nfg(path: str | PathLike[str]) -> NfgGame:
    """Read a file."""
    return parse_nfg(source(path), str(path))


def parse_nfg(text: str, path: str = "the text") -> NfgGame:
    """Read a table; an error names the line and column."""
    scanner = Scanner(text, path)
    title, players = scanner.header("NFG", 1)
    scanner.skip()
    at = scanner.at
    strategies = _strategies(scanner, players)
    cells = prod(len(menu) for menu in strategies)
    comment = scanner.quoted("the comment") if scanner.next == '"' else ""
    game = NfgGame(title, players, strategies, comment)
    if cells > len(text):
        scanner.fail(f"the strategies make {cells:,} cells, more than the file has letters", at)
    if scanner.next == "{":
        _outcome_version(scanner, game, cells)
    else:
        _payoff_version(scanner, game, cells)
    if scanner.next:
        scanner.fail(f"the table is complete, but {scanner.shown()} follows")
    return game


def _strategies(scanner: Scanner, players: list[str]) -> list[tuple[str, ...]]:
    """Read the strategies of each player: their number or their names."""
    scanner.sign("{", "the list of strategies")
    menus: list[tuple[str, ...]] = []
    while scanner.next != "}":
        at = scanner.at
        if scanner.next == "{":
            menus.append(tuple(scanner.quotes(f"the strategies of player {len(menus) + 1}")))
        else:
            many = scanner.whole(f"the number of strategies of player {len(menus) + 1}")
            if many > len(scanner.text):
                scanner.fail(f"player {len(menus) + 1} has {many:,} strategies, more than the file has letters", at)
            menus.append(tuple(str(k + 1) for k in range(many)))
        if not menus[-1]:
            scanner.fail(f"player {len(menus)} has no strategy", at)
    if len(menus) != len(players):
        scanner.fail(f"there are strategies for {len(menus)} players, but {len(players)} players")
    scanner.at += 1
    return menus


def _outcome_version(scanner: Scanner, game: NfgGame, cells: int) -> None:
    scanner.at += 1
    game.outcomes = []
    while scanner.next != "}":
        scanner.sign("{", "an outcome")
        name = scanner.quoted("the name of an outcome")
        scanner.comma()
        at = scanner.at
        payoffs = scanner.numbers(f"the payoffs of outcome {len(game.outcomes) + 1}")
        if len(payoffs) != len(game.players):
            scanner.fail(
                f"there should be a payoff for each player, {len(game.players)} in all, not {len(payoffs)}", at
            )
        game.outcomes.append((name, tuple(exact(payoff) for payoff in payoffs)))
    scanner.at += 1
    for cell in range(cells):
        at = scanner.at
        number = scanner.whole(f"the outcome of cell {cell + 1} of {cells:,}")
        if number > len(game.outcomes):
            scanner.skip()
            scanner.fail(f"outcome {number} does not exist; there are {len(game.outcomes)}", at)
        game.cells.append(number)
        scanner.comma()


def _payoff_version(scanner: Scanner, game: NfgGame, cells: int) -> None:
    many = len(game.players)
    for cell in range(cells):
        row: list[Fraction] = []
        for player in range(many):
            row.append(exact(scanner.number(f"payoff {player + 1} of {many} of cell {cell + 1} of {cells:,}")))
            scanner.comma()
        game.payoffs.append(tuple(row))
