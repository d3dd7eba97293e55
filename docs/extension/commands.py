"""A page for each command, from what the command line itself knows: its arguments, options, defaults and help."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from cyclopts import App
from docstring_parser import parse
from sphinx.application import Sphinx

from extension.names import PAGE_OF, literals
from hannan.cli import COMMANDS, command

FOLDER = Path("reference", "commands")


def page(name: str) -> str:
    """Return the page of a command as reStructuredText."""
    function = command(name)
    doc = parse(inspect.getdoc(function) or "")
    meanings = {given.arg_name.strip("*"): given.description or "" for given in doc.params}
    app = App(name="hannan")
    app.command(function, name=name)
    arguments = list(app[name].assemble_argument_collection())
    said = "\n\n".join(part for part in (doc.short_description, doc.long_description) if part)
    title = f"hannan {name}"
    rows = [_row(one, meanings) for one in arguments if one.parameter.show is not False]
    places = [one for one in arguments if one.field_info.kind is one.field_info.POSITIONAL_ONLY]
    usage = " ".join([f"hannan {name}", *map(_usage, places)])
    text = f"{title}\n{'=' * len(title)}\n\n.. code-block:: sh\n\n   {usage} [OPTIONS]\n\n{_linked(said)}\n\n"
    text += ".. list-table::\n   :header-rows: 1\n   :widths: 24 16 60\n\n"
    for cells in [("option", "value", "meaning"), *rows]:
        text += "".join(f"   {'* -' if place == 0 else '  -'} {cell}\n" for place, cell in enumerate(cells))
    return text


def _usage(one: Any) -> str:
    many = "…" if one.field_info.kind is one.field_info.VAR_POSITIONAL else ""
    return f"{one.name}{many}" if one.required else f"[{one.name}{many}]"


def _row(one: Any, meanings: dict[str, str]) -> tuple[str, str, str]:
    names = ", ".join(f"``{name}``" for name in one.names if not name.startswith("--no-"))
    hint = str(one.field_info.annotation)
    kind = next((word for sign, word in _KINDS.items() if sign in hint), "text")
    if one.field_info.annotation is bool:
        kind = "flag"
    choices = one.get_choices() if hasattr(one, "get_choices") else None
    value = ", ".join(f"``{choice}``" for choice in choices) if choices else kind
    default = one.field_info.default
    if default not in (inspect.Parameter.empty, None, False, "", True):
        value += f"; default ``{default}``"
    meaning = one.parameter.help or meanings.get(one.field_info.name, "")
    return names, value, _linked(re.sub(r"\s+", " ", meaning)) or "See above."


_KINDS = {"int": "whole number", "float": "number", "Path": "path", "bool": "flag"}


def _linked(text: str) -> str:
    """Return prose as reStructuredText in which pages of docs/ are links."""
    return PAGE_OF.sub(r":doc:`/\1`", literals(text))


def written(app: Sphinx) -> None:
    """Write the page of each command and the page that lists them."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.rst": page(name) for name in COMMANDS}
    rows = [f"   * - :doc:`hannan {name} <{name}>`\n     - {literals(line)}\n" for name, line in COMMANDS.items()]
    texts["index.rst"] = (
        "Commands\n========\n\nEvery command takes ``--help``, and most take ``--json`` for one JSON object on "
        "standard output.\n\n.. list-table::\n   :widths: 25 75\n\n"
        + "".join(rows)
        + "\n.. toctree::\n   :hidden:\n\n"
        + "".join(f"   {name}\n" for name in COMMANDS)
    )
    for old in folder.glob("*.rst"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the build."""
    app.connect("builder-inited", written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
