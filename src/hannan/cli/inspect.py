"""The command `hannan inspect`: sizes and needed memory; if a game is too large, estimates from random plays."""

from __future__ import annotations

from math import inf
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.forms.outline import histories_text
from hannan.memory import readable
from hannan.runs.inspection import EXACT_SEARCH, Inspection
from hannan.runs.inspection import inspect as inspecting
from hannan.runs.status_line import expansion_line
from hannan.solvers import METHODS, method_class

NOTHING = {True: "does not apply", False: "nothing is proven"}
"""For a method without a promise: an exact one (True) refuses the game, an iterative one (False) still runs."""

COUNTS = ("players", "kind", "histories", "serialised", "terminal", "chance", "decision", "joint", "depth")
"""The facts that are printed first."""
STORED = ("information_sets", "sets_presented_alike", "sequences", "entries", "payoff_numbers")
"""The facts that are printed next if no player forgets."""

NAMES = {
    "serialised": "histories, joint moves one by one",
    "information_sets": "information sets",
    "sets_presented_alike": "sets distinguished only by own past actions",
    "refined_sets": "information sets of the refinement",
    "entries": "payoff entries",
    "payoff_numbers": "payoff numbers, with factors",
    "value": "known value",
    "layout": "layout of full-width methods",
}
"""The labels of keys."""

PUBLIC = {
    "types": "types of each player",
    "boards": "boards",
    "decisions": "decision nodes of each player",
    "deals": "deals",
    "ends": "ends",
    "entries": "entries, actions times types",
}
"""The labels of keys, for a public tree."""
MEMORY = {
    "public tree": "memory, public tree",
    "float32": "memory, solve in float32",
    "int16": "memory, solve in int16",
}
EXPANDED = "Other methods expand the plain game."
UNEXPANDED = "The plain game is too large to expand: methods that need the whole game refuse it; samplers play it."

SEARCHED = "yes, if it is zero-sum: only the current joint move is hidden; hannan search answers at any time"
NETWORKS = "with networks in place of tables; with --actions 1 or 2 where a player has many choices in a play"

ROUGH = "Where random plays end early, the number of histories may be many times larger."
STOPPED = f"The count was stopped: these are estimates from random plays. {ROUGH}"
ASKED = f"These are estimates from random plays; without --estimate the game is counted. {ROUGH}"


def inspect(game: str, /, *, estimate: bool = False, as_json: Json = False) -> None:
    """Print the sizes of a game, and what each method promises there and the memory that it would need.

    Ctrl-C while a large game is counted prints estimates from random plays.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, module:MyRules, file.efg, openspiel:NAME.
    estimate
        Print estimates from random plays at once, and do not count the game.
    """
    with expansion_line():
        found = inspecting(game, estimate=estimate)

    def show() -> None:
        if found.forgets is not None:
            _show_forgetful(found)
        elif found.methods is not None:
            _show_outline(found, ASKED if estimate else STOPPED)
        elif found.public is not None:
            _show_public(found, found.public)
        else:
            _show_counts(found)

    answer(as_json, found.record(), show)


def _facts(found: Inspection, *names: str) -> dict[str, Any]:
    """Return the facts that were found, by label."""
    return {NAMES.get(name, name): getattr(found, name) for name in names}


def _show_counts(found: Inspection) -> None:
    assert found.memory is not None
    assert found.memory_of_methods is not None
    assert found.promises is not None
    rows = _facts(found, *COUNTS, *STORED, "lowest", "highest", "value", "layout")
    if found.payoff_numbers is None:
        rows = {"payoff entries, at most" if name == NAMES["entries"] else name: fact for name, fact in rows.items()}
    memory = {f"memory, {name}": readable(size) for name, size in found.memory.items()}
    more = {"memory, free now": readable(found.free), "what is promised": found.statement}
    report.facts(found.game, rows | memory | more)
    lines = [
        [
            method,
            readable(found.memory_of_methods[method]),
            found.promises[method] or NOTHING[method_class(method).exact],
        ]
        for method in sorted(METHODS)
    ]
    report.grid("", ["method", "memory", "promises here"], lines)
    if found.warning:
        report.note(found.warning)
    if found.memory["compiling"] > found.free:
        report.note("This does not fit into memory: methods that need the whole game will refuse it.")


def _show_public(found: Inspection, public: dict[str, Any]) -> None:
    """Print the sizes of a game that is solved on its public tree."""
    assert found.memory is not None
    assert found.promises is not None
    tree = {meaning: public[name] for name, meaning in PUBLIC.items()}
    counts = [name for name in COUNTS if name not in ("players", "kind", "serialised", "joint")]
    plain = {f"plain game, {NAMES.get(name, name)}": getattr(found, name) for name in (*counts, "information_sets")}
    memory = {meaning: readable(found.memory[name]) for name, meaning in MEMORY.items()}
    more = {"memory, free now": readable(found.free), "what is promised": found.statement}
    ends = _facts(found, "lowest", "highest", "value")
    report.facts(found.game, _facts(found, "players", "kind") | tree | plain | ends | memory | more)
    lines = [[method, promise or NOTHING[False]] for method, promise in sorted(found.promises.items())]
    report.grid("", ["method on the public tree", "promises here"], lines)
    report.note(EXPANDED if public["expanded"] else UNEXPANDED)
    if found.memory["int16"] > found.free:
        report.note("This does not fit into memory, not even with --precision int16: give fewer bet sizes or hands.")


def _show_forgetful(found: Inspection) -> None:
    """Print the sizes of a game in which a player forgets, and of its refinement."""
    if found.too_large is not None:
        report.facts(found.game, _facts(found, "players", "forgets"))
        report.note(found.too_large)
        return
    counts = [name for name in COUNTS if name not in ("serialised", "joint")]
    report.facts(found.game, _facts(found, *counts, "information_sets", "refined_sets", "lowest", "highest"))
    report.note(f"{found.forgets}. {_solved(found)}; {found.refinement} is the refinement in which no player forgets")


def _solved(found: Inspection) -> str:
    """Return which methods solve a game in which players forget."""
    return "No method solves it" if "absent-minded" in str(found.forgets) else "Only full-width methods solve it"


def _show_outline(found: Inspection, why: str) -> None:
    """Print estimates from random plays. why: the reason the game was not counted, if it is not too large."""
    assert found.methods is not None
    guess = inf if found.estimated_histories is None else found.estimated_histories
    report.facts(
        found.game,
        {
            "players": found.players,
            "histories, estimated": histories_text(guess),
            "moves in the longest of some random plays": found.longest_random_play,
            "memory, free now": readable(found.free),
        },
    )
    lines = [[method, _plays_it(method, one["refusal"])] for method, one in found.methods.items()]
    lines += [[method, NETWORKS] for method in sorted(METHODS) if _neural(method)]
    report.grid("", ["method", "plays it without expanding it"], lines)
    report.note(found.too_large or why)


def _plays_it(method: str, refusal: str | None) -> str:
    if refusal is not None:
        return f"no: {refusal}"
    return SEARCHED if method in EXACT_SEARCH else "yes"


def _neural(method: str) -> bool:
    """Return whether a method learns by networks, which play any rules."""
    return METHODS[method][0].startswith("hannan.neural.")
