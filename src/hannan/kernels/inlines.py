"""Kernels that are made part of their callers: how to compile them no more often, and no further, than that needs."""

from __future__ import annotations

from itertools import count
from typing import Any, NoReturn

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types.misc import unliteral

from hannan.kernels.lent import whole

_NUMBERS = count()
"""Numbers in the names of parts, which have to differ."""


class _Nowhere:
    """The machine code of a part: there is none."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: `environment` is for Python, which cannot call a part."""


class Part(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that is made part of its callers. They optimise it together with their own code."""

    codegen = _Nowhere()

    def _optimize_final_module(self) -> None:
        """Do nothing: this code is never called as it stands here."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: no function of a part has an address."""
        self._ensure_finalized()
        return 0


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
