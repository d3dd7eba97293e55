"""Addresses of games and methods: `name(parameter=value, …)`, read and written."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hannan.arguments import shown
from hannan.errors import ParameterError

_NAME = re.compile(r"[A-Za-z_][\w+-]*")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
_WORD = re.compile(r"[A-Za-z_][\w+.-]*")
_AMOUNT = re.compile(r"[0-9.]+[A-Za-z]+")
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[({]|[\])}]|,|[^'"\[\](){},]+""", re.DOTALL)

_PLACED = (
    re.compile(r"(?P<place>.+?\.py):(?P<name>[^:()='\"]*)(?P<call>\(.*\))?\s*", re.DOTALL),
    re.compile(r"(?P<place>[^(]+?):(?P<name>[^:()='\"]*)(?P<call>\(.*\))?\s*", re.DOTALL),
)
"""Patterns for an address of Python code: a file or a module, then a name in it, perhaps with parameters."""

CONSTANTS = {"true": True, "false": False, "none": None}
"""Bare words that are read as constants, in upper or lower case."""


def parse(address: str) -> tuple[str, dict[str, Any]]:
    """Split `name(a=1, b=word)` into the name and its parameters. Values are literals; bare words are strings."""
    text = address.strip()
    name, parenthesis, rest = text.partition("(")
    wrong = ParameterError(f"{shown(address)} is not of the form name(parameter=value, …)")
    if not _NAME.fullmatch(name := name.strip()) or (parenthesis and not rest.endswith(")")):
        raise wrong
    parameters: dict[str, Any] = {}
    for part in _parts(rest[:-1], wrong) if parenthesis else ():
        key = _KEY.match(part)
        if key is None:
            raise ParameterError(f"{shown(address)}: parameters are given by name, as in {name}(parameter=value)")
        if key[1] in parameters:
            raise ParameterError(f"{shown(address)}: {key[1]} is given twice")
        try:
            parameters[key[1]] = value(part[key.end() :])
        except ValueError:
            raise ParameterError(
                f"{shown(address)}: the value of {key[1]} is not a number, a word or a list; put other text in quotes, "
                f"{key[1]}='…'"
            ) from None
    return name, parameters


def placed(address: str) -> tuple[str, str, str] | None:
    """Split `file.py:Name(a=1)` or `module:Name(a=1)` into place, name and `(a=1)`; None for other addresses."""
    with suppress(ParameterError):
        parse(address)  # it has the form name(…), so it is not an address of code
        return None
    for form in _PLACED:
        if (parts := form.fullmatch(address)) is not None:
            return parts["place"], parts["name"].strip(), parts["call"] or ""
    return None


def parse_place(address: str) -> tuple[str, dict[str, Any]] | None:
    """Split `file.py:Name(a=1)` or `module:Name(a=1)` into the place with the name, and the parameters; else None."""
    parts = placed(address.strip())
    if parts is None or not parts[1].isidentifier():
        return None
    name, parameters = parse(parts[1] + parts[2])
    return f"{parts[0]}:{name}", parameters


def value(text: str) -> Any:
    """Read a Python literal, a bare word, or an amount such as 1GB; raise ValueError for any other text."""
    text = text.strip()
    if _WORD.fullmatch(text):
        return CONSTANTS.get(text.lower(), text)
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        if _AMOUNT.fullmatch(text):
            return text
        raise ValueError(f"{text!r} is neither a literal nor a word") from None


def _parts(text: str, wrong: ParameterError) -> list[str]:
    """Split at commas outside of brackets and quotes; a final comma is allowed."""
    parts, depth, end = [""], 0, 0
    for token in _TOKEN.finditer(text):
        if token.start() != end:  # a quote that is never closed
            raise wrong
        end = token.end()
        depth += (token[0] in "[({") - (token[0] in "])}")
        if depth < 0:
            raise wrong
        if token[0] == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token[0]
    if depth != 0 or end != len(text):
        raise wrong
    return parts if parts[-1].strip() else parts[:-1]


def write(name: str, parameters: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Write an address; parameters that have their default value are left out."""
    values = {key: written(given) for key, given in parameters.items()}
    shown = [f"{k}={text}" for k, text in values.items() if k not in defaults or written(defaults[k]) != text]
    return f"{name}({','.join(shown)})" if shown else name


def written(given: Any) -> str:
    """Return the text of a value in an address."""
    if isinstance(given, bool) or given is None:
        return str(given).lower()
    if hasattr(given, "tolist"):  # an array
        given = given.tolist()
    if isinstance(given, tuple | list):
        return f"[{','.join(repr(part) if isinstance(part, str) else written(part) for part in given)}]"
    return given if isinstance(given, str) and given.isidentifier() else repr(given)
