"""The parameters of a method: the keyword arguments of its class, with their meanings and possible values."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method."""

    name: str
    default: Any
    meaning: str
    choices: tuple[str, ...] | None
    """The words that the value may be; None if the value is not a word."""

    def record(self) -> dict[str, Any]:
        """Return the parameter as JSON has it."""
        return {"default": self.default, "help": self.meaning, "choices": self.choices}


def by_name(**given: T) -> Mapping[str, T]:
    """Return a read-only mapping by parameter: `by_name(alpha="…", gamma="…")`."""
    return MappingProxyType(given)


@cache
def defaults(kind: type) -> Mapping[str, Any]:
    """Return the keyword arguments of a class's constructor, with their default values; read-only."""
    return MappingProxyType({parameter.name: parameter.default for _, parameter in _keywords(kind)})


def meanings(kind: type) -> dict[str, str]:
    """Return the `meanings` of parameters from a class and its bases; the nearest class wins."""
    said: dict[str, str] = {}
    for above in kind.__mro__:
        said = {**vars(above).get("meanings", {}), **said}
    return said


def parameters(kind: type) -> tuple[Parameter, ...]:
    """Return all parameters of a method's class."""
    said, allowed = meanings(kind), getattr(kind, "allowed", {})
    return tuple(
        Parameter(p.name, p.default, said.get(p.name, ""), allowed.get(p.name) or _words(owner, p.name))
        for owner, p in _keywords(kind)
    )


@cache
def _keywords(kind: type) -> tuple[tuple[type, inspect.Parameter], ...]:
    return tuple(_listed(kind))


def _listed(kind: type) -> Iterator[tuple[type, inspect.Parameter]]:
    """Yield each keyword argument once, with the class whose constructor names it."""
    seen: set[str] = set()
    for above in kind.__mro__:
        if "__init__" not in vars(above):
            continue
        named = inspect.signature(vars(above)["__init__"]).parameters.values()
        for parameter in named:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in seen:
                seen.add(parameter.name)
                yield above, parameter
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in named):  # no keyword is passed on
            return


def _words(owner: type, name: str) -> tuple[str, ...] | None:
    """Return the words that a parameter's type allows; None if the type is not written, or cannot be read."""
    try:
        hints = get_type_hints(vars(owner)["__init__"])
    except (NameError, TypeError, AttributeError):  # names that only type checkers import
        return None
    return tuple(_literals(hints.get(name))) or None


def _literals(hint: Any) -> Iterator[str]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _literals(part)
