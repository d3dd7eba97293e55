"""The choices that pages offer: built-in games, and methods with their parameters, as the code declares them."""

from __future__ import annotations

import inspect
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from hannan.arguments import Option
from hannan.web.numbers import fact_text, plain

if TYPE_CHECKING:
    from hannan.forms.game import Game
    from hannan.solvers.base import Solver

OPTIONS = ("updates", "seed", "measure_every")
"""Options of `solve` that pages may give in addition to limits."""
AUTO = "auto"


@cache
def catalogue() -> list[dict[str, Any]]:
    """Return the built-in games."""
    from hannan.games.catalogue import entries

    listed = []
    for entry in entries():
        required = any(default is inspect.Parameter.empty for default in entry.defaults.values())
        example = next(iter(entry.known), entry.name) if required else entry.name
        parameters = [
            {
                "name": name, "default": None if default is inspect.Parameter.empty else plain(default),
                "default_text": "" if default is inspect.Parameter.empty else fact_text(default),
                "meaning": str(entry.parameters.get(name, "")),
            }
            for name, default in entry.defaults.items()
        ]  # fmt: skip
        listed.append({
            "name": entry.name, "summary": entry.summary, "source": entry.source, "example": example,
            "parameters": parameters,
        })  # fmt: skip
    return listed


@cache
def methods() -> list[dict[str, Any]]:
    """Return the methods, `auto` first."""
    from hannan.solvers import METHODS, method_class
    from hannan.solvers.parameters import parameters

    listed: list[dict[str, Any]] = [{
        "name": AUTO, "summary": "Choose a method that suits the game, and say why.", "guarantee": "", "paper": None,
        "suits": None, "why_not": None, "parameters": [],
    }]  # fmt: skip
    for name in METHODS:
        kind = method_class(name)
        said = [one for one in parameters(kind) if one.name not in OPTIONS]
        listed.append({
            "name": name, "summary": " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()),
            "guarantee": str(kind.guarantee), "paper": _paper(kind), "suits": None, "why_not": None,
            "parameters": [
                _parameter(one.name, one.default, one.meaning, one.choices) for one in said
            ],
        })  # fmt: skip
    return listed


def suited(game: Game) -> list[dict[str, Any]]:
    """Return the methods, each with whether it takes this kind of game, and why not."""
    from hannan.solvers import method_class

    listed = []
    for one in methods():
        why = None if one["name"] == AUTO else _refusal(game, method_class(one["name"]))
        listed.append({**one, "suits": why is None, "why_not": why})
    return listed


def _refusal(game: Game, kind: type[Solver]) -> str | None:
    """Return why a method does not take a game; None if it does, judging by the types of both."""
    from hannan.forms.game import LARGEST_PUBLIC, ExpandedGame, PublicGame
    from hannan.solvers.base import FormSolver
    from hannan.solvers.fullwidth.engine import FullWidth

    if isinstance(game, PublicGame):
        if issubclass(kind, FullWidth) or game.form.histories <= LARGEST_PUBLIC:
            return None
        return "it does not work on a public tree, and the game is too large to expand"
    if not isinstance(game, ExpandedGame):
        return "it needs an expanded game, and this game is too large" if issubclass(kind, FormSolver) else None
    if kind.method == "lp" and not game.form.competitive:
        return "it needs two players with opposed interests"
    return None


def _paper(kind: type[Solver]) -> str | None:
    said = (inspect.getdoc(sys.modules.get(kind.__module__)) or "").split("\n\n")
    return " ".join(said[1].split()) if len(said) > 1 else None


def _parameter(name: str, default: Any, meaning: str, choices: Any) -> dict[str, Any]:
    kind = "text"
    if choices:
        kind = "choice"
    elif isinstance(default, bool):
        kind = "truth"
    elif isinstance(default, int):
        kind = "whole"
    elif isinstance(default, float):
        kind = "number"
    return {
        "name": name, "kind": kind, "default": plain(default), "default_text": fact_text(default),
        "choices": list(choices) if choices else None, "meaning": meaning,
    }  # fmt: skip


@cache
def options() -> list[dict[str, Any]]:
    """Return the options of all methods."""
    from hannan.runs.solve import solve

    return [_option(name, solve.options[name]) for name in OPTIONS]


@cache
def limits() -> list[dict[str, Any]]:
    """Return the limits of a run."""
    from hannan.runs.solve import solve

    return [_option(name, solve.options[name]) for name in ("gap", "iterations", "seconds")]


def _option(name: str, option: Option) -> dict[str, Any]:
    found = _parameter(name, option.default, option.text, option.words)
    if found["kind"] == "text":
        found["kind"] = "whole" if int in option.kinds else "number" if float in option.kinds else "text"
    return found
