"""Compile the Python functions of a rulebook to numba first-class functions, with readable errors."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

from hannan.errors import RulesError


@cache
def compile_function(name: str, function: Callable[..., Any]) -> Any:
    """Compile one function of a rulebook, or load it from the cache; its name decides the signature."""
    from numba.core.errors import NumbaError

    from hannan.kernels import OWNING, pointed
    from hannan.kernels.signatures import BOOK, OPTIONAL

    function = plain_function(function)
    _refuse_ends(name, function)
    try:
        return pointed(function, {**BOOK, **OPTIONAL}[name], OWNING)
    except NumbaError as error:
        raise RulesError(
            f"{name}() of these rules cannot be compiled; read and write table, state and out one element at a time, "
            f"without slices, lengths or methods. numba says: {gist(error)}"
        ) from error


def plain_function(function: Any) -> Any:
    """Return the Python function behind a kernel, or the function itself."""
    return getattr(function, "py_func", function)


def _refuse_ends(name: str, function: Any) -> None:
    """Refuse `state[-1]`: compiled code would read before the start of the state without an error."""
    try:
        code = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return
    for part in ast.walk(code):
        place = part.slice if isinstance(part, ast.Subscript) else None
        if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub):
            raise RulesError(
                f"{name}() of these rules reads {ast.unparse(part)}; compiled functions do not support negative indices"
            )


def gist(error: Exception) -> str:
    """Return the lines of a compiler's error message that say what is wrong and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith((">>>", "File", "Unknown", "Use of", "Cannot"))]
    return "; ".join(told[:3] or lines[1:2] or lines[:1])
