"""The command `hannan methods`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json
from hannan.cli.report import answer
from hannan.runs.solve import AUTO, split_method
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.classes import installed, package_of
from hannan.solvers.parameters import Parameter, parameters

WIDE = 120
"""Columns of a terminal that has room for four columns of words."""


def methods(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the methods: what each converges to, where, and its parameters.

    Parameters
    ----------
    name
        A method's name, or file.py:Class: describe only this method.
    """
    if name is not None:
        answer(as_json, _record(name), lambda: _describe(name))
        return
    brought, refused = installed(METHODS)
    for sentence in refused:
        report.note(sentence)
    kinds = {method: method_class(method) for method in METHODS} | brought
    kinds = {method: kinds[method] for method in sorted(kinds)}
    answer(as_json, {"methods": [_record(kind) for kind in kinds.values()]}, lambda: _list(kinds))


def show_parameters(method: str | None) -> None:
    """Print the parameters of `method`; without a method, say how to list them."""
    name = AUTO if method is None else split_method(method)[0]
    if name == AUTO:
        report.console().print("Parameters of a method: hannan solve --method NAME --help, or hannan methods NAME.")
    if method is not None:
        kind = method_class(name)
        _grid(f"Parameters of {kind.method}", kind)


def _list(kinds: Mapping[str, type[Solver]]) -> None:
    header = ["method", "class", "what it converges to, where", "parameters"]
    rows = []
    for method, kind in kinds.items():
        named = ", ".join(f"{p.name}={_written(p.default)}" for p in parameters(kind))
        package = package_of(kind)
        rows.append(
            [
                method,
                kind.__name__ if package is None else f"{kind.__name__}, from {package}",
                str(kind.guarantee),
                named,
            ]
        )
    if report.console().width < WIDE:  # one below the other
        rows = [[method, f"{kind}: {promise}\n{named}"] for method, kind, promise, named in rows]
        header = ["method", "class: what it converges to, where; and its parameters"]
    report.grid("", header, rows)


def _describe(method: str) -> None:
    kind, record = method_class(method), _record(method)
    report.facts(kind.method, {what: record[what] for what in ("class", "summary", "guarantee", "paper")})
    _grid("\nparameters", kind)


def _grid(title: str, kind: type[Solver]) -> None:
    rows = [[_option(p), _written(p.default), ", ".join(p.choices or ()), p.meaning] for p in parameters(kind)]
    report.grid(title, ["option", "default", "one of", "what it means"], rows)


def _option(parameter: Parameter) -> str:
    return f"--{parameter.name.replace('_', '-')}"


def _written(default: Any) -> str:
    return "none" if default is None else report.written(default)


def _paper(kind: type[Solver]) -> str | None:
    """Return the second paragraph of a method's file, which names its source."""
    said = (inspect.getdoc(sys.modules.get(kind.__module__)) or "").split("\n\n")
    return " ".join(said[1].split()) if len(said) > 1 else None


def _record(method: str | type[Solver]) -> dict[str, Any]:
    kind = method_class(method)
    return {
        "name": kind.method,
        "class": kind.__name__,
        "summary": " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()),
        "guarantee": str(kind.guarantee),
        "paper": _paper(kind),
        "package": package_of(kind),
        "parameters": {parameter.name: parameter.record() for parameter in parameters(kind)},
    }
