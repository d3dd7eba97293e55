"""Compiled functions by their addresses: plain integers, which cost nothing to hand over.

Numba looks the address of a first-class function up each time it is handed over from Python, for a tenth of a
millisecond and more. Who calls a short kernel often looks it up once, here.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from hannan.kernels.signatures import NUMBERS


def address_of(function: Any) -> int:
    """Return where a function lies that was compiled for one signature; the function must outlive the number."""
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))


def _called(context: Any, arguments: Any, returned: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[1]
        taken = [context.get_value_type(member) for member in kind.types]
        form = ir.FunctionType(context.get_value_type(returned), taken)
        function = builder.inttoptr(values[0], form.as_pointer())
        parts = [builder.extract_value(values[1], k) for k in range(len(taken))]
        answer = builder.call(function, parts)
        return answer if returned is types.int64 else context.get_dummy_value()

    return returned(types.int64, arguments), build


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def asked(context: Any, function: Any, arguments: Any) -> Any:
    """Call the function at an address with a tuple of arguments; it returns an integer."""
    return _called(context, arguments, types.int64)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def told(context: Any, function: Any, arguments: Any) -> Any:
    """Call the function at an address with a tuple of arguments; it returns nothing."""
    return _called(context, arguments, types.void)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def numbers_at(context: Any, place: Any) -> Any:
    """Return the numbers at an address, which is given as an integer."""
    numbers = NUMBERS

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], context.get_value_type(numbers))

    return numbers(types.int64), build


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def numbers_from(context: Any, numbers: Any, place: Any) -> Any:
    """Return the address of one of the numbers at an address."""

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.gep(values[0], [values[1]])

    return numbers(numbers, types.int64), build
