"""Classes and functions of users: methods, players, responses and selection rules, from `file.py:Name`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hannan.arguments import shown
from hannan.errors import STRAY, HannanError, ParameterError, UnknownNameError, nearest
from hannan.forms.loader import module_at
from hannan.rules.promises import told

T = TypeVar("T")


def thing_at(address: str) -> Any:
    """Return the object that `file.py:Name` or `module:Name` names; importing the file runs it."""
    place, _, name = address.rpartition(":")
    module = module_at(place)
    thing = vars(module).get(name)
    if thing is None or name.startswith("__"):
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise UnknownNameError(f"{place} defines no {shown(name)}{nearest(name, own)}")
    return thing


def made(kind: Callable[..., T], parameters: Mapping[str, Any], address: str) -> T:
    """Make an object of a user's class, or call a user's function, with parameters by name."""
    try:
        named = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # a class that is written in C
        named = {}.values()
    known = [p.name for p in named if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for name in () if any(p.kind is p.VAR_KEYWORD for p in named) else parameters:
        if name not in known:
            raise UnknownNameError(f"{address} has no parameter {shown(name)}{nearest(name, known)}")
    for p in named:
        if p.default is p.empty and p.name in known and p.name not in parameters:
            raise ParameterError(f"{address} needs the parameter {p.name}, as in {address}({p.name}=…)")
    try:
        return kind(**parameters)
    except HannanError:
        raise
    except STRAY as error:
        raise ParameterError(f"{address}: making it raised {told(error)}") from error
