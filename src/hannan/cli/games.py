"""The command `hannan games`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hannan import addresses
from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.files import check_writable
from hannan.games.catalogue import Entry, entries, entry, installed

MOST_LISTED = 12
"""The most parameters of a game in the list of all games; `hannan games NAME` shows all of them."""
WIDE = 120
"""Columns of a terminal that has room for parameters in a column of their own."""


def games(
    name: str | None = None, /, *, openspiel: bool = False, out: Path | None = None, as_json: Json = False
) -> None:
    """List the built-in games; with NAME, everything that is known of one.

    Parameters
    ----------
    name
        A game's name.
    openspiel
        List the games of the installed OpenSpiel instead: which of them load, how large they are, or why not.
    out
        With --openspiel: write the table here, too, as a page of Markdown.
    """
    if out is not None:
        if not openspiel:
            raise ParameterError("--out writes the table of --openspiel, and nothing else")
        check_writable(out)
    if openspiel:
        from hannan.cli.openspiel import show_openspiel

        show_openspiel(as_json, out)
    elif name is None:
        brought, refused = installed()
        for sentence in refused:
            report.note(sentence)
        known = [*entries(), *brought]
        answer(as_json, {"games": [_record(game) for game in known]}, lambda: _list(known))
    else:
        answer(as_json, _record(entry(name)), lambda: _describe(entry(name)))


def _list(known: Sequence[Entry]) -> None:
    rows = []
    for game in known:
        fact = game.known.get(game.name)
        told = [_parameter(name, default) for name, default in game.defaults.items()]
        parameters = ", ".join(told if len(told) <= MOST_LISTED else [*told[:MOST_LISTED], "…"])
        value = None if fact is None or fact.value is None else f"{fact.value:.6g}"
        rows.append([game.name, parameters, None if fact is None else fact.histories, value, _summary(game)])
    header = ["game", "parameters", "histories", "value", "what it is"]
    if report.console().width < WIDE:  # parameters below the summary
        rows = [[name, *numbers, f"{summary}\n{told}".strip()] for name, told, *numbers, summary in rows]
        header = ["game", "histories", "value", "what it is, and its parameters"]
    report.grid("", header, rows)


def _summary(game: Entry) -> str:
    return game.summary if game.package is None else f"{game.summary} (from {game.package})"


def _describe(game: Entry) -> None:
    rows: dict[str, Any] = {"summary": game.summary, "source": game.source}
    for parameter, default in game.defaults.items():
        rows[_parameter(parameter, default)] = game.parameters.get(parameter, "")
    for address, fact in game.known.items():
        steps = {"histories": fact.histories, "histories, joint moves one by one": fact.one_by_one}
        facts = {**steps, "information sets": fact.sets, "value": fact.value}
        known = ", ".join(f"{what} {report.written(number)}" for what, number in facts.items() if number is not None)
        rows[address] = f"{known} ({fact.source})" if fact.source else known
    for ours, theirs in game.openspiel.items():
        rows[f"OpenSpiel: {ours}"] = theirs
    report.facts(game.name, rows)


def _parameter(name: str, default: Any) -> str:
    if default is inspect.Parameter.empty:
        return name
    return f"{name}={report.written(default) if default is None else addresses.written(default)}"


def _record(game: Entry) -> dict[str, Any]:
    return {
        "name": game.name,
        "summary": game.summary,
        "source": game.source,
        "parameters": {
            name: {
                "default": None if default is inspect.Parameter.empty else default,
                "help": game.parameters.get(name, ""),
            }
            for name, default in game.defaults.items()
        },
        "known": {address: vars(fact) for address, fact in game.known.items()},
        "openspiel": dict(game.openspiel),
        "package": game.package,
    }
