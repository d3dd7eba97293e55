"""The commands that tell about games and methods: `games`, `methods` and `inspect`."""

from __future__ import annotations

import inspect
from typing import Any

from hannan.cli import report
from hannan.cli.app import print_json
from hannan.errors import HannanError, SizeError
from hannan.forms.expanding import BYTES_PER_PLAIN_HISTORY
from hannan.forms.game import Game
from hannan.forms.loading import load
from hannan.forms.sizes import Sizes
from hannan.forms.survey import DIRECTLY, estimate, outline
from hannan.games.catalogue import Entry, entries, entry
from hannan.layouts.layout import choose
from hannan.memory import available, readable
from hannan.rules.checks import make_plays
from hannan.rules.compiled import CompiledRules
from hannan.runs.guarantees import promise, statement
from hannan.solvers import METHODS, method_class
from hannan.solvers.sampling.sampler import Sampling

NOTHING = {True: "does not apply", False: "nothing is proven"}
"""Where a method promises nothing: an exact one refuses the game, an iterative one runs all the same."""


def list_games(as_json: bool) -> None:
    """Print the catalogue."""
    if as_json:
        print_json({"games": [_record(found) for found in entries()]})
        return
    rows = []
    for found in entries():
        fact = found.known.get(found.name)
        rows.append(
            [
                found.name,
                ", ".join(_parameter(name, default) for name, default in found.defaults.items()),
                None if fact is None else fact.histories,
                None if fact is None else fact.value,
                found.summary,
            ]
        )
    report.grid("", ["game", "parameters", "histories", "value", "what it is"], rows)


def describe(name: str, as_json: bool) -> None:
    """Print everything that the catalogue knows of one game."""
    found = entry(name)
    if as_json:
        print_json(_record(found))
        return
    rows: dict[str, Any] = {"summary": found.summary, "source": found.source}
    for parameter, default in found.defaults.items():
        rows[_parameter(parameter, default)] = found.parameters.get(parameter, "")
    for address, fact in found.known.items():
        facts = {"histories": fact.histories, "information sets": fact.sets, "value": fact.value}
        known = ", ".join(f"{what} {report.written(number)}" for what, number in facts.items() if number is not None)
        rows[address] = f"{known} ({fact.source})" if fact.source else known
    for ours, theirs in found.openspiel.items():
        rows[f"OpenSpiel: {ours}"] = theirs
    report.facts(name, rows)


def _parameter(name: str, default: Any) -> str:
    return name if default is inspect.Parameter.empty else f"{name}={report.written(default)}"


def _record(found: Entry) -> dict[str, Any]:
    return {
        "name": found.name,
        "summary": found.summary,
        "source": found.source,
        "parameters": {
            name: {
                "default": None if default is inspect.Parameter.empty else default,
                "help": found.parameters.get(name, ""),
            }
            for name, default in found.defaults.items()
        },
        "known": {address: vars(fact) for address, fact in found.known.items()},
        "openspiel": dict(found.openspiel),
    }


def list_methods(name: str | None, as_json: bool) -> None:
    """Print every method, or one of them: what it converges to where, and its parameters."""
    records = [_method_record(method) for method in (METHODS if name is None else [name])]
    if as_json:
        print_json({"methods": records} if name is None else records[0])
        return
    if name is not None:
        (record,) = records
        rows = {what: record[what] for what in ("class", "summary", "guarantee")}
        report.facts(name, rows | {f"parameter {key}": default for key, default in record["parameters"].items()})
        return
    header = ["method", "class", "what it converges to, where", "parameters"]
    lines = [
        [
            record["name"],
            record["class"],
            record["guarantee"],
            ", ".join(_parameter(key, default) for key, default in record["parameters"].items()),
        ]
        for record in records
    ]
    report.grid("", header, lines)


def _method_record(method: str) -> dict[str, Any]:
    kind = method_class(method)
    return {
        "name": method,
        "class": kind.__name__,
        "summary": " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()),
        "guarantee": kind.guarantee,
        "parameters": kind.parameter_defaults(),
    }


def inspect_game(address: str, as_json: bool) -> None:
    """Print sizes, and memory before it is taken; of a game that is too large, what plays can tell."""
    game = load(address)
    try:
        found = _sizes(game)
    except SizeError as error:
        _outline(game, str(error), as_json)
        return
    views = {
        "tree": found.tree_bytes,
        "sequence form": found.form_bytes,
        "compiling both": found.compile_bytes,
    }
    kinds = {method: method_class(method) for method in METHODS}
    methods = {method: kind.memory(found) for method, kind in kinds.items()}
    promises = {method: promise(kind.guarantee, found.competitive) for method, kind in kinds.items()}
    free = available()
    rows: dict[str, Any] = {
        "players": found.players,
        "kind": found.kind,
        "histories": found.histories,
        "serialised": found.serialised,
        "terminal": found.terminal,
        "chance": found.chance,
        "decision": found.decision,
        "joint": found.joint,
        "depth": found.depth,
        "information_sets": found.sets,
        "sequences": found.sequences,
        "entries": found.entries,
        "lowest": found.lowest,
        "highest": found.highest,
        "value": game.known_value,
        "layout": ", ".join(choose(sum(found.sequences))),
    }
    if as_json:
        told = {"statement": statement(found), "promises": promises}
        memory = {"memory": views, "memory_of_methods": methods, "free": free}
        print_json({"game": game.address, **rows, **memory, **told})
        return
    names = {
        "serialised": "histories, joint moves one by one",
        "information_sets": "information sets",
        "entries": "payoff entries, at most",
        "value": "known value",
        "layout": "layout of full-width methods",
    }
    report.facts(
        game.address,
        {names.get(name, name): fact for name, fact in rows.items()}
        | {f"memory, {name}": readable(size) for name, size in views.items()}
        | {"memory, free now": readable(free), "what is promised": statement(found)},
    )
    lines = [
        [method, readable(methods[method]), promises[method] or NOTHING[kinds[method].exact]] for method in METHODS
    ]
    report.grid("", ["method", "memory", "promises here"], lines)
    if views["compiling both"] > free:
        report.note("This does not fit into memory: methods that need the whole game will refuse it.")


def _sizes(game: Game) -> Sizes:
    """Return the sizes; refuse plain-Python rules that are far too large before memory is full of them."""
    if not isinstance(game.rules, CompiledRules):
        make_plays(game.rules, plays=8)
        fits = available() // BYTES_PER_PLAIN_HISTORY
        if (guess := estimate(game.rules)) > 10 * fits:
            raise SizeError(
                f"{game.address} has about {guess:.1e} histories (estimated); some {fits:,} fit into the "
                f"{readable(available())} of memory that are free. {DIRECTLY}"
            )
    return game.sizes


def _outline(game: Game, sentence: str, as_json: bool) -> None:
    """Print what can be said of a game that is too large to be counted, and which methods play it all the same."""
    found = outline(game.rules)
    methods = {method: _direct(game, method) for method in METHODS if issubclass(method_class(method), Sampling)}
    record = {"players": game.players, "estimated_histories": found.histories, "longest_random_play": found.longest}
    if as_json:
        walks = {method: {"plays_it": not refusal, "refusal": refusal or None} for method, refusal in methods.items()}
        print_json({"game": game.address, "too_large": sentence, **record, "methods": walks, "free": available()})
        return
    report.facts(
        game.address,
        {
            "players": game.players,
            "histories, estimated": f"{found.histories:.1e}",
            "moves in the longest of some random plays": found.longest,
            "memory, free now": readable(available()),
        },
    )
    lines = [[method, f"no: {refusal}" if refusal else "yes"] for method, refusal in methods.items()]
    report.grid("", ["method", "plays it without expanding it"], lines)
    report.note(sentence)


def _direct(game: Game, method: str) -> str:
    """Say why a sampler does not play the rules of a game; nothing where it does."""
    kind: Any = method_class(method)
    try:
        kind(game, on="rules")
    except HannanError as error:
        return str(error)
    return ""
