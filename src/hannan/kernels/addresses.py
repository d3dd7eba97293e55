"""The addresses of items of arrays, and asking for memory before it is read."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def address(context: Any, array: Any, place: Any) -> Any:
    """Return where an item of a contiguous array lies, items counted through all its rows. Only for arguments."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, value=arguments[0])
        return builder.gep(view.data, [arguments[1]])

    return types.CPointer(array.dtype)(array, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def fetch(context: Any, array: Any, place: Any) -> Any:
    """Prefetch the memory around an item of a contiguous array, which need not exist; the code does not wait for it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(signature.args[0])(context, builder, value=arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        where = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [where, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, types.int64), build
