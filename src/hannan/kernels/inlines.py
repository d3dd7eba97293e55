"""Kernels that are made part of their callers: how to compile them no more often, and no further, than that needs."""

from __future__ import annotations

from typing import Any, NoReturn

from numba.core.types.misc import unliteral as typed

UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Compile nothing by which Python, or a pointer, could call a kernel."""


def unliteral(dispatcher: Any) -> Any:
    """Let a constant argument count as any number of its type, and return the kernel.

    Numba would compile a version for each constant. In a kernel that is made part of its callers, the compiler sees the
    constant all the same.
    """
    template = dispatcher.get_call_template

    def general(arguments: Any, named: Any) -> Any:
        return template(
            tuple(typed(argument) for argument in arguments),
            {name: typed(argument) for name, argument in named.items()},
        )

    dispatcher.get_call_template = general
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
