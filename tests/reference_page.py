"""The reference page: every public name with its kind, how it is called, and one line of its documentation.

    python -m tests.reference_page

writes docs/reference/names.md.
"""

from __future__ import annotations

import enum
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import hannan

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "names.md"
HEAD = """# Reference: every public name

Made by `python -m tests.reference_page`. `help(name)` in Python tells the rest. Names of 0.1 that stand elsewhere
now raise an error that says where; the changelog has the table.
"""


def kind_of(thing: Any) -> str:
    """Return what a name is, in a word."""
    if inspect.isclass(thing):
        return "error" if issubclass(thing, Exception) else "words" if issubclass(thing, enum.Enum) else "class"
    return "function" if callable(thing) and hasattr(thing, "__name__") else "value"


def called(thing: Any) -> str:
    """Return the arguments by name, with their defaults; nothing of values and errors, which take none of their own."""
    if kind_of(thing) in ("value", "error", "words"):
        return ""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # a type alias, or a class of another language
        return ""
    parts = []
    for parameter in signature.parameters.values():
        default = parameter.default
        shown = "" if default is parameter.empty else f"={_short(default)}"
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        parts.append(f"{stars}{parameter.name}{shown}")
    return f"({', '.join(parts)})"


def _short(default: Any) -> str:
    text = repr(default)
    return "…" if " at 0x" in text or len(text) > 40 or text.startswith("<") else text


def line_of(thing: Any) -> str:
    """Return the first line of the documentation."""
    text = inspect.getdoc(thing) or "" if kind_of(thing) != "value" else ""
    return re.sub(r"\s+", " ", text.split("\n\n")[0]).replace("|", "\\|")


def rows(module: str) -> list[tuple[str, str, str, str]]:
    """Return name, kind, arguments and first line of every public name of a module."""
    place = import_module(module)
    names = [name for name in place.__all__ if not name.startswith("__")]
    return [(name, kind_of(t := getattr(place, name)), called(t), line_of(t)) for name in names]


def page() -> str:
    """Return the whole page."""
    text = HEAD
    for module in ("hannan", *(f"hannan.{name}" for name in hannan.SUBMODULES)):
        said = (import_module(module).__doc__ or "").partition("\n")[0]
        text += f"\n## `{module}`\n\n{said}\n\n| name | kind | what it is |\n| --- | --- | --- |\n"
        for name, kind, arguments, line in rows(module):
            text += f"| `{name}{arguments}` | {kind} | {line} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)
