"""Every public name, from its docstring: a page for each name of `hannan`, and one for each public module.

The pages are written into docs/reference/api before the sources are read, so that no name can be missing or left over.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import hannan

FOLDER = Path("reference", "api")
PAGE_OF = re.compile(r"`?docs/((?:howto|theory|reference|tutorials)/\w+)\.(?:md|ipynb)`?")
"""A page of the documentation that a docstring names: a link on the site."""
LITERAL = re.compile(r"(?<!`)`([^`\n]+)`(?!`)(?!_)")


def _directive(thing: Any) -> str:
    if inspect.isclass(thing) and thing.__module__.startswith("hannan"):
        return "autoexception" if issubclass(thing, Exception) else "autoclass"
    return "autofunction" if inspect.isroutine(thing) else "py:data"


def _documented(module: str, name: str) -> str:
    thing = getattr(import_module(module), name)
    kind = _directive(thing)
    if module != "hannan" and kind != "py:data" and getattr(hannan, name, None) is thing:
        return f"The same as :doc:`hn.{name} <hannan.{name}>`."
    lines = [f".. {kind}:: {module}.{name}"]
    if kind == "autoclass":
        lines += ["   :members:", "   :inherited-members: dict, tuple, Exception, TypedDict, Enum, object"]
        lines += ["   :exclude-members: __init__, __new__"]
    return "\n".join(lines)


def _titled(title: str, mark: str = "=") -> str:
    return f"{title}\n{mark * len(title)}\n"


def _first_line(thing: Any) -> str:
    text = "" if _directive(thing) == "py:data" else (inspect.getdoc(thing) or "")
    return literals(re.sub(r"\s+", " ", text.split("\n\n")[0]))


def pages() -> dict[str, str]:
    """Return the text of each page, by its file name without the ending."""
    made = {}
    front = [name for name in hannan.__all__ if not name.startswith("__")]
    for name in front:
        made[f"hannan.{name}"] = f"{_titled(f'hannan.{name}')}\n{_documented('hannan', name)}\n"
    for part in hannan.SUBMODULES:
        module = f"hannan.{part}"
        place = import_module(module)
        said = literals((place.__doc__ or "").partition("\n")[0])
        texts = [
            f"{_titled(name, '-')}\n{_documented(module, name)}\n"
            for name in place.__all__
            if not name.startswith("__")
        ]
        made[module] = f"{_titled(module)}\n{said}\n\n" + "\n".join(texts)
    made["index"] = _index(front)
    return made


def _index(front: list[str]) -> str:
    text = _titled("Python: every public name")
    text += "\n``import hannan as hn`` gives the names of this page. Nothing is loaded before it is used.\n\n"
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Values": []}
    for name in front:
        kind = _directive(getattr(hannan, name))
        group = {"autofunction": "Functions", "py:data": "Values"}.get(kind, "Classes")
        groups[group].append(name)
    for title, names in groups.items():
        text += f"\n{_titled(title, '-')}\n.. list-table::\n   :widths: 25 75\n\n"
        for name in names:
            said = _first_line(getattr(hannan, name)) or "See its page."
            text += f"   * - :doc:`hn.{name} <hannan.{name}>`\n     - {said}\n"
    text += f"\n{_titled('Modules', '-')}\n.. list-table::\n   :widths: 25 75\n\n"
    for part in hannan.SUBMODULES:
        said = literals((import_module(f"hannan.{part}").__doc__ or "").partition("\n")[0])
        text += f"   * - :doc:`hannan.{part}`\n     - {said}\n"
    listed = "\n".join([*(f"   hannan.{name}" for name in front), *(f"   hannan.{part}" for part in hannan.SUBMODULES)])
    return f"{text}\n.. toctree::\n   :hidden:\n\n{listed}\n"


def literals(text: str) -> str:
    """Return prose as reStructuredText: `names` become literals, and stars, bars and underscores stay what they are."""
    parts = re.split(r"(``.+?``|(?<![`:])`[^`\n]+`(?!`)|:[\w:]+:`[^`]+`|`[^`<]+<[^>]+>`__?)", text)
    for place, part in enumerate(parts):
        if place % 2 == 0:
            part = re.sub(r"(?<!\\)([*|])", r"\\\1", part)
            parts[place] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", part)
        elif LITERAL.fullmatch(part):
            parts[place] = f"`{part}`"
    return "".join(parts)


def cleaned(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Make reStructuredText of a docstring; examples and literal blocks stay as they are."""
    inside = False
    lines[:] = [PAGE_OF.sub(r":doc:`/\1`", line) for line in lines]
    for number, line in enumerate(lines):
        if line.strip():
            if inside and not line.startswith(" "):
                inside = False
            if not inside and not line.lstrip().startswith((">>>", "...", "..", ".. ")):
                lines[number] = literals(line)
        if line.rstrip().endswith("::"):
            inside = True


def written(app: Sphinx) -> None:
    """Write the pages; files that would not change are left alone, and those of old names are deleted."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.rst": text for name, text in pages().items()}
    for old in folder.glob("*.rst"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before the build, and read docstrings as they are written here."""
    app.connect("builder-inited", written)
    app.connect("autodoc-process-docstring", cleaned, priority=100)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
