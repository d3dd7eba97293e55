"""The page of all options, docs/reference/options.md, made from their declarations.

    python -m tests.options_page

writes it. A test compares it with the declarations.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.arguments import Option
from hannan.cli import command
from hannan.options import type_text

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "options.md"
COMMANDS = ("solve", "search", "match", "certify", "evaluate", "equilibria", "qre", "sweep")
HEAD = """# Options

What `hn.NAME` takes in Python and `hannan NAME` on the command line, under the same words: `solve_every=50` is
`--solve-every 50`, and `measure=False` is `--no-measure`. `python -m tests.options_page` makes this page from the
declarations in the code. The parameters of a method are not listed here: `hannan methods NAME` prints them.
"""


def public(name: str) -> Any:
    """Return the function of a command's name."""
    return getattr(hn, name)


def own_options(name: str) -> list[str]:
    """Return the options that a command has and its function has not."""
    offered = signature(command(name)).parameters.values()
    wanted = [p.name for p in offered if p.kind is p.KEYWORD_ONLY and p.name not in public(name).options]
    return ["json" if option == "as_json" else option for option in wanted]


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *("\n".join(_part(name)) for name in COMMANDS)])


def _part(name: str) -> Iterator[str]:
    yield f"## {name}\n"
    yield "| option | may be | default | meaning |\n| --- | --- | --- | --- |"
    for option in public(name).options.values():
        yield f"| `{option.name}` | {type_text(option)} | {_default(option)} | {' '.join(_meaning(option))} |"
    only = ", ".join(f"`--{option}`" for option in own_options(name))
    yield f"\nOnly the command has {only}.\n"


def _default(option: Option) -> str:
    if option.default is Parameter.empty:
        return ""
    return "" if option.default in (None, "") else f"`{option.default}`"


def _meaning(option: Option) -> Iterator[str]:
    yield option.text
    if option.kept:
        yield "A checkpoint keeps it."
    if option.python_only:
        yield "Python only."


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
