"""Functions in a form that pickle accepts: by name if another process can import them, otherwise by value."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Any

from hannan.rules.compilation import plain_function

Packed = tuple[str, str] | bytes | None


def packed(function: Callable[..., Any] | None) -> Packed:
    """Return the module and name of a function, or its code if it cannot be imported by name."""
    if function is None:
        return None
    plain = plain_function(function)
    name = getattr(plain, "__module__", None), getattr(plain, "__qualname__", None)
    if isinstance(name[0], str) and isinstance(name[1], str) and _imported(name[0], name[1]) is function:
        return name[0], name[1]
    from numba import cloudpickle

    code: bytes = cloudpickle.dumps(plain)
    return code


def unpacked(function: Packed) -> Any:
    """Return the function that was packed."""
    if function is None:
        return None
    return pickle.loads(function) if isinstance(function, bytes) else _resolved(*function)


def _resolved(module: str, name: str) -> Any:
    """Import a module and return the object with a dotted name in it."""
    return reduce(getattr, name.split("."), import_module(module))


def _imported(module: str, name: str) -> Any:
    """Return the object with a dotted name in a module; None if it cannot be imported."""
    try:
        return _resolved(module, name)
    except (ImportError, AttributeError):
        return None
