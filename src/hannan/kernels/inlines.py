"""Kernels that are made part of their callers: how to compile them no more often, and no further, than that needs."""

from __future__ import annotations

from itertools import count
from typing import Any, NoReturn

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types.misc import unliteral as typed

_NUMBERS = count()
"""Numbers in the names of parts, which have to differ."""


class Part(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that is made part of its callers. They optimise it together with their own code."""

    def _optimize_final_module(self) -> None:
        """Do nothing: this code is never called as it stands here."""


class PartCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel as far as its callers need: without the last and most expensive optimisation."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = Part(target.codegen(), f"part{next(_NUMBERS)}")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)


UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Compile nothing by which Python, or a pointer, could call a kernel."""
INLINED = {**UNWRAPPED, "forceinline": True, "pipeline_class": PartCompiler}
"""The options of a kernel that is made part of its callers."""


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
