"""Records of arrays by their address.

Numba hands a record over as all the words of all its arrays: seven for each array, and more than 200 in a walk over
histories. The parts of a kernel receive the address of a record that the kernel borrows. The compiler sees through it,
because a part becomes code of its caller.
"""

from __future__ import annotations

import hashlib
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.imputils import lower_cast, lower_getattr_generic
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, register_model


class Lent(types.Type):  # type: ignore[misc]  # numba has no types
    """The address of a record, which must outlive it."""

    def __init__(self, record: Any) -> None:
        self.record = record
        made = record.instance_class
        whole = f"{made.__module__}.{made.__qualname__} {record.fields} {record}"
        digest = hashlib.sha256(whole.encode()).hexdigest()[:16]  # the whole name would be in that of each function
        super().__init__(f"lent {made.__name__} {digest}")

    def can_convert_from(self, typing: Any, other: Any) -> Any:
        return Conversion.safe if other == self.record else None

    def can_convert_to(self, typing: Any, other: Any) -> Any:
        return Conversion.safe if other == self.record else None


def lent(kind: Any) -> Any:
    """Return the type by which a part receives something: records by their address."""
    return Lent(kind) if isinstance(kind, types.BaseNamedTuple) else kind


def whole(kind: Any) -> Any:
    """Return the type by which anything that is not a part receives something: records as they are."""
    return kind.record if isinstance(kind, Lent) else kind


@register_model(Lent)
class _Address(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _layout(manager, kind.record).as_pointer())


def _layout(manager: Any, kind: Any) -> Any:
    """Return how something lies in a record: truth values as bytes, since the compiler keeps bits in memory."""
    if isinstance(kind, types.BaseNamedTuple):
        return ir.LiteralStructType([_layout(manager, member) for member in kind.types])
    return _BYTE if isinstance(kind, types.Boolean) else manager.lookup(kind).get_value_type()


def _write(builder: Any, kind: Any, value: Any, where: Any) -> None:
    """Write a record where it has been given room."""
    for place, member in enumerate(kind.types):
        part, there = builder.extract_value(value, place), cgutils.gep_inbounds(builder, where, 0, place)
        if isinstance(member, types.BaseNamedTuple):
            _write(builder, member, part, there)
        else:
            builder.store(builder.zext(part, _BYTE) if isinstance(member, types.Boolean) else part, there)


def _read(builder: Any, kind: Any, where: Any) -> Any:
    """Read a member of a record, or give the address of a record in it."""
    if isinstance(kind, types.BaseNamedTuple):
        return where
    value = builder.load(where)
    return builder.trunc(value, _BIT) if isinstance(kind, types.Boolean) else value


VARIABLES = "variables"
"""Where `_held` lists the variables that were taken for arguments."""

_BYTE, _BIT = ir.IntType(8), ir.IntType(1)


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = Lent

    def generic_resolve(self, kind: Any, name: str) -> Any:
        fields = kind.record.fields
        return lent(kind.record.types[fields.index(name)]) if name in fields else None


@lower_getattr_generic(Lent)  # type: ignore[untyped-decorator]
def _member(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    place = kind.record.fields.index(name)
    member = kind.record.types[place]
    held = _held(builder.function)
    root = _argument(builder.function, value, held)
    if root is None:
        where = cgutils.gep_inbounds(builder, value, 0, place)
        return _read(builder, member, where)
    if (id(root), place) not in held:
        with builder.goto_entry_block():
            where = cgutils.gep_inbounds(builder, root, 0, place)
            held[id(root), place] = held[id(where)] = _read(builder, member, where)
    return held[id(root), place]


def _held(function: Any) -> dict[Any, Any]:
    """Return what a function has read of the records that are its arguments."""
    if not hasattr(function, "held"):
        function.held = {}
    held: dict[Any, Any] = function.held
    return held


def _argument(function: Any, value: Any, held: dict[Any, Any]) -> Any:
    """Return the argument that a value is, or the record in one; None if it is neither.

    Numba writes an argument into a variable in the first block of a function. `refuse_changed` sees to it that nothing
    else is written there.
    """
    arguments = {id(argument) for argument in function.args}
    if id(value) in held or id(value) in arguments:
        return value
    if not isinstance(value, ir.LoadInstr):
        return None
    variable = value.operands[0]
    if id(variable) not in held:
        stores = (one for block in function.blocks[:2] for one in block.instructions if isinstance(one, ir.StoreInstr))
        given = [value for value, place in (one.operands for one in stores) if place is variable]
        held[id(variable)] = next((value for value in given if id(value) in arguments), None)
        if held[id(variable)] is not None:
            held.setdefault(VARIABLES, []).append(variable)
    return held[id(variable)]


def refuse_changed(function: Any) -> None:
    """Refuse a function in which a record that was taken for an argument changes, which would go unnoticed."""
    held = _held(function)
    for variable in held.get(VARIABLES, ()):
        for block in function.blocks:
            for one in block.instructions:
                if isinstance(one, ir.StoreInstr) and one.operands[1] is variable:
                    value = one.operands[0]
                    same = _argument(function, value, held) is held[id(variable)]
                    if not (same or isinstance(value, ir.Constant)):  # numba clears variables that end
                        raise TypeError(f"{function.name}: a record that was borrowed changes; give the other a name")


@lower_cast(types.BaseNamedTuple, Lent)  # type: ignore[untyped-decorator]
def _lend(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    room = cgutils.alloca_once(builder, context.get_value_type(wanted).pointee)
    _write(builder, given, value, room)
    return room


@lower_cast(Lent, types.BaseNamedTuple)  # type: ignore[untyped-decorator]
def _gather(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    members = []
    for place, member in enumerate(wanted.types):
        where = cgutils.gep_inbounds(builder, value, 0, place)
        part = _read(builder, member, where)
        members.append(_gather(context, builder, Lent(member), member, part) if part is where else part)
    return context.make_tuple(builder, wanted, members)


@intrinsic  # type: ignore[untyped-decorator]
def borrowed(context: Any, record: Any) -> Any:
    """Return a record by its address, for the parts of a kernel; only in kernels that count no references."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return lent(record)(record), build
