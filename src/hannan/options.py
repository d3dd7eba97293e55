"""Make signatures and documentation of public functions from the declarations of their options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import Parameter, cleandoc, formatannotation, signature
from os import PathLike
from textwrap import fill, indent
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from hannan.arguments import Option, declared, option_of

F = TypeVar("F", bound=Callable[..., Any])

WIDTH = 100
"""Columns of a documentation string."""

SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE)
"""The title of a section of a documentation string, such as Returns or Examples."""

TYPES: Mapping[Any, str] = MappingProxyType(
    {
        bool: "true or false", int: "whole number", float: "number", str: "text", tuple: "two numbers",
        Callable: "function", Mapping: "dictionary", Sequence: "list", type: "class",
        Any: "what the meaning names",
    }
)  # fmt: skip


def declaring(kind: type) -> Callable[[F], F]:
    """Show the options that a TypedDict declares in the signature and the documentation of a function.

    The function takes them as `**options`. Its other parameters may carry an `Option` too; their defaults come from the
    signature. The attribute `options` holds all options by name.
    """

    def shown(function: F) -> F:
        made, hints = signature(function), get_type_hints(function, include_extras=True)
        own = {
            name: replace(option, default=parameter.default)
            for name, parameter in made.parameters.items()
            if (option := option_of(name, hints.get(name)))
        }
        before = [p for p in made.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        rest = [p for p in made.parameters.values() if p.kind is Parameter.VAR_KEYWORD and p.name != "options"]
        before = [p.replace(annotation=_short(own[p.name].kind)) if p.name in own else p for p in before]
        keywords = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=_short(option.kind))
            for name, option in declared(kind).items()
        ]
        public: Any = function
        public.options = MappingProxyType({**own, **declared(kind)})
        public.__signature__ = made.replace(parameters=[*before, *keywords, *rest])
        public.__doc__ = with_parameters(cleandoc(function.__doc__ or ""), public.options)
        return function

    return shown


def with_parameters(text: str, options: Mapping[str, Option]) -> str:
    """Return a documentation string with the section `Parameters` before its first section, or at its end."""
    first = SECTION.search(text)
    place = first.start() if first else len(text)
    return f"{text[:place].rstrip()}\n\n{parameters_text(options)}\n\n{text[place:]}".rstrip()


def parameters_text(options: Mapping[str, Option]) -> str:
    """Return the section `Parameters` of a documentation string."""
    lines = ["Parameters", "----------"]
    for name, option in options.items():
        default = "" if option.default in (None, "", Parameter.empty) else f"; default: {option.default}"
        said = fill(option.text, WIDTH - 4, break_on_hyphens=False)
        lines += [f"{name} : {type_text(option)}{default}", indent(said, "    ")]
    return "\n".join(lines)


def _short(kind: Any) -> str:
    """Return the text of a type without module names."""
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", formatannotation(kind))


def type_text(option: Option) -> str:
    """Return the allowed values of an option, in words."""
    kinds = option.kinds
    a_path = any(get_origin(kind) is PathLike for kind in kinds)
    said: list[str] = []
    for kind in kinds:
        if get_origin(kind) is Literal:
            said += get_args(kind)
        elif get_origin(kind) is PathLike or (a_path and kind is str):
            said.append("path")
        else:
            said.append(TYPES.get(get_origin(kind) or kind, getattr(kind, "__name__", str(kind))))
    return ", ".join(dict.fromkeys(said))
