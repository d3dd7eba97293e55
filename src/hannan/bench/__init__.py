"""Measurements of hannan and its peers: one file per group, and the table of all groups."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hannan.errors import ParameterError, UnknownNameError, nearest

if TYPE_CHECKING:
    from hannan.bench.rows import Say, Section

GROUPS = (
    "iterations", "nashconv", "compile", "memory", "to_gap", "auto", "sampling", "lp", "large", "factors", "exact",
    "certify", "matches", "responses", "search", "gpu", "neural", "imports", "equilibria", "holdem", "growth", "start",
    "scaling", "cluster", "explore",
)  # fmt: skip
"""The groups, each the name of the file in `hannan.bench` whose `run()` measures it."""

SCRIPTS = Path(__file__).parents[3] / "benchmarks"
"""The folder of benchmarks that are scripts and print a table of their own. It exists only in a clone."""


def scripts() -> dict[str, Path]:
    """Return the scripts by name."""
    return {path.stem: path for path in sorted(SCRIPTS.glob("*.py"))}


def groups(name: str | None = None) -> list[str]:
    """Return the named group, or all groups; refuse an unknown name and suggest the nearest."""
    if name is None:
        return list(GROUPS)
    if name not in GROUPS:
        raise UnknownNameError(f"benchmark {name!r} does not exist{nearest(name, [*GROUPS, *scripts()])}")
    return [name]


def measure(name: str | None, quick: bool, say: Say, choices: Mapping[str, Any] | None = None) -> Iterator[Section]:
    """Run groups one after another; with `quick`, small games and few repeats.

    `choices` are further keywords of a group's `run()`; those that a group does not take are refused.
    """
    wanted = {choice: value for choice, value in (choices or {}).items() if value is not None}
    for group in groups(name):
        run = importlib.import_module(f"hannan.bench.{group}").run
        for choice in wanted:
            if choice not in inspect.signature(run).parameters:
                raise ParameterError(f"the benchmark {group} has no --{choice}")
        section: Section = run(quick, say, **wanted)
        yield section
