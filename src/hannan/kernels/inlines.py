"""Kernels that are made part of their callers: how to compile them no more often, and no further, than that needs."""

from __future__ import annotations

from typing import Any, NoReturn

from numba.core.types.misc import unliteral

from hannan.kernels.compilers import PartCompiler
from hannan.kernels.lent import whole

UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Compile nothing by which Python, or a pointer, could call a kernel."""
INLINED = {**UNWRAPPED, "forceinline": True, "pipeline_class": PartCompiler}
"""The options of a kernel that is made part of its callers."""


def taken(dispatcher: Any) -> Any:
    """Let callers take a kernel into their own code, and return the kernel.

    A constant argument counts as any number of its type. Numba would compile a version for each constant, but the
    compiler sees the constant in the callers all the same.
    """
    return _called_with(dispatcher, unliteral)


def apart(dispatcher: Any) -> Any:
    """Let a kernel that is not part of its callers receive records as they are, and return the kernel."""
    return _called_with(dispatcher, whole)


def _called_with(dispatcher: Any, change: Any) -> Any:
    """Change the types of the arguments with which other kernels call a kernel."""
    template = dispatcher.get_call_template

    def changed(arguments: Any, named: Any) -> Any:
        return template(
            tuple(change(argument) for argument in arguments),
            {name: change(argument) for name, argument in named.items()},
        )

    dispatcher.get_call_template = changed
    return dispatcher


def replaced(dispatcher: Any, part: Any) -> Any:
    """Let other kernels take `part`, which is the same function, wherever they call a kernel; return the kernel."""
    dispatcher.get_call_template, dispatcher.get_overload = part.get_call_template, part.get_overload
    return dispatcher


def uncalled(dispatcher: Any) -> Any:
    """Refuse calls from Python, for which the kernel has no entry; return the kernel."""
    name = dispatcher.py_func.__name__

    def add(compiled: Any) -> None:
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{name} is made part of its callers, and Python cannot call it; `shared` kernels it can")

    dispatcher.add_overload = add
    dispatcher._compile_for_args = refuse
    return dispatcher
