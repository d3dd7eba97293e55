"""Vectors of 16 numbers as values of compiled code: LLVM's own vector types, which fit the vector unit of any machine.

Numba's loops over short rows are not made into vector code where arrays might overlap. Here a kernel says what it
wants: `load` 16 neighbours, calculate, `store` them. A `Vector` of doubles takes two registers where one of floats
takes one. Arithmetic is by functions (`add`, `times`, …), not by operators.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import make_array

LANES = 16
"""Numbers in a vector."""

EIGHT = 8
"""Numbers in a short vector: one register of doubles."""


class Vector(types.Type):  # type: ignore[misc]  # numba has no types
    """The type of 16 numbers of one kind; or of fewer."""

    def __init__(self, dtype: Any, lanes: int = LANES) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Vector({dtype}, {lanes})")


@register_model(Vector)
class _Model(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(_part(kind.dtype), kind.lanes))


def _part(dtype: Any) -> Any:
    return ir.DoubleType() if dtype == types.float64 else ir.FloatType()


def _data(context: Any, builder: Any, kind: Any, value: Any, place: Any) -> Any:
    """Return the address of an item of an array, or of what a pointer points to."""
    start = value if isinstance(kind, types.CPointer) else make_array(kind)(context, builder, value=value).data
    return builder.gep(start, [place])


def _read(builder: Any, where: Any, dtype: Any, lanes: int = LANES) -> Any:
    """Read 16 numbers, or `lanes`; the place need not be aligned."""
    if isinstance(dtype, types.Integer):
        kind, align = ir.VectorType(ir.IntType(dtype.bitwidth), lanes), dtype.bitwidth // 8
    else:
        kind, align = ir.VectorType(_part(dtype), lanes), dtype.bitwidth // 8
    return builder.load(builder.bitcast(where, kind.as_pointer()), align=align)


def _converted(builder: Any, value: Any, dtype: Any, wanted: Any) -> Any:
    """Return numbers as floats or doubles; or 16 floats or doubles as integers, rounded to the nearest."""
    if isinstance(wanted, types.Integer):
        form = value.type
        half = [ir.Constant(form, [sign] * LANES) for sign in (-0.5, 0.5)]
        below = builder.fcmp_ordered("<", value, ir.Constant(form, [0.0] * LANES))
        value = builder.fadd(value, builder.select(below, *half))
        return builder.fptosi(value, ir.VectorType(ir.IntType(wanted.bitwidth), LANES))
    form = ir.VectorType(_part(wanted), value.type.count)
    if isinstance(dtype, types.Integer):
        return (builder.sitofp if dtype.signed else builder.uitofp)(value, form)
    if dtype == wanted:
        return value
    return builder.fpext(value, form) if wanted == types.float64 else builder.fptrunc(value, form)


@intrinsic  # type: ignore[untyped-decorator]
def load(context: Any, array: Any, place: Any) -> Any:
    """Return the 16 numbers of an array from a place on."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _read(builder, _data(context, builder, signature.args[0], given[0], given[1]), array.dtype)

    return Vector(array.dtype)(array, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def pick(context: Any, array: Any, begin: Any, places: Any, at: Any) -> Any:
    """Return array[begin + places[at + k]] for k from 0 to 15; places are 16-bit integers, 0 or more."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, indices = signature.args[0], signature.args[2]
        start = _data(context, builder, kind, given[0], given[1])
        found = _read(builder, _data(context, builder, indices, given[2], given[3]), indices.dtype)
        result, word = ir.Constant(ir.VectorType(_part(kind.dtype), LANES), ir.Undefined), ir.IntType(32)
        for k in range(LANES):
            place = builder.zext(builder.extract_element(found, word(k)), ir.IntType(64))
            result = builder.insert_element(result, builder.load(builder.gep(start, [place])), word(k))
        return result

    return Vector(array.dtype)(array, types.int64, places, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def load_like(context: Any, array: Any, place: Any, other: Any) -> Any:
    """Return the 16 numbers of an array from a place on, in the precision of another vector."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        dtype = signature.args[0].dtype
        value = _read(builder, _data(context, builder, signature.args[0], given[0], given[1]), dtype)
        return _converted(builder, value, dtype, other.dtype)

    return other(array, types.int64, other), build


@intrinsic  # type: ignore[untyped-decorator]
def load_double(context: Any, array: Any, place: Any) -> Any:
    """Return the 16 numbers of an array from a place on, as doubles."""
    kind = Vector(types.float64)

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        dtype = signature.args[0].dtype
        value = _read(builder, _data(context, builder, signature.args[0], given[0], given[1]), dtype)
        return _converted(builder, value, dtype, types.float64)

    return kind(array, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def store(context: Any, array: Any, place: Any, vector: Any) -> Any:
    """Write 16 numbers into an array from a place on, in the precision of the array."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = signature.args[0]
        value = _converted(builder, given[2], signature.args[2].dtype, kind.dtype)
        where = builder.bitcast(_data(context, builder, kind, given[0], given[1]), value.type.as_pointer())
        builder.store(value, where, align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector), build


@intrinsic  # type: ignore[untyped-decorator]
def store_some(context: Any, array: Any, place: Any, vector: Any, count: Any) -> Any:
    """Write the first `count` numbers of a vector; the places behind them are read and written back as they are."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = signature.args[0]
        value = _converted(builder, given[2], signature.args[2].dtype, kind.dtype)
        where = _data(context, builder, kind, given[0], given[1])
        word = ir.IntType(64)
        form = ir.VectorType(word, LANES)
        one = builder.insert_element(ir.Constant(form, ir.Undefined), given[3], ir.IntType(32)(0))
        count = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))
        inside = builder.icmp_signed("<", ir.Constant(form, list(range(LANES))), count)
        value = builder.select(inside, value, _read(builder, where, kind.dtype))
        builder.store(value, builder.bitcast(where, value.type.as_pointer()), align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def splat(context: Any, number: Any, other: Any) -> Any:
    """Return 16 times the same number, in the precision of another vector."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        part = _part(other.dtype)
        number = builder.fptrunc(given[0], part) if other.dtype == types.float32 else given[0]
        form, word = ir.VectorType(part, LANES), ir.IntType(32)
        one = builder.insert_element(ir.Constant(form, ir.Undefined), number, word(0))
        return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(word, LANES), [0] * LANES))

    return other(types.float64, other), build


def _binary(name: str, meaning: str) -> Any:
    def typed(context: Any, one: Any, two: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            return getattr(builder, name)(given[0], given[1])

        return one(one, one), build

    typed.__doc__ = meaning
    return intrinsic(typed)


add = _binary("fadd", "Return the sums.")
minus = _binary("fsub", "Return the differences.")
times = _binary("fmul", "Return the products.")
over = _binary("fdiv", "Return the quotients.")


@intrinsic  # type: ignore[untyped-decorator]
def fused(context: Any, one: Any, two: Any, three: Any) -> Any:
    """Return one · two + three, rounded once."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        form = given[0].type
        name = f"llvm.fma.v{LANES}f{64 if one.dtype == types.float64 else 32}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(form, [form] * 3), name)
        return builder.call(function, given)

    return one(one, one, one), build


@intrinsic  # type: ignore[untyped-decorator]
def eight_zeros(context: Any) -> Any:
    """Return a vector of 8 doubles, all 0."""
    kind = Vector(types.float64, EIGHT)

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return ir.Constant(ir.VectorType(_part(kind.dtype), EIGHT), [0.0] * EIGHT)

    return kind(), build


@intrinsic  # type: ignore[untyped-decorator]
def fused_row(context: Any, array: Any, place: Any, factor: Any, total: Any) -> Any:
    """Return array[place + k] · factor + total[k], rounded once, for each of the 8 lanes of `total`."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        dtype, form, word = signature.args[0].dtype, given[3].type, ir.IntType(32)
        row = _read(builder, _data(context, builder, signature.args[0], given[0], given[1]), dtype, total.lanes)
        row = _converted(builder, row, dtype, total.dtype)
        one = builder.insert_element(ir.Constant(form, ir.Undefined), given[2], word(0))
        factor = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(word, total.lanes), [0] * total.lanes))
        name = f"llvm.fma.v{total.lanes}f64"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(form, [form] * 3), name)
        return builder.call(function, [row, factor, given[3]])

    return total(array, types.int64, types.float64, total), build


@intrinsic  # type: ignore[untyped-decorator]
def if_above(context: Any, one: Any, two: Any, yes: Any, no: Any) -> Any:
    """Return `yes` where one > two, and `no` elsewhere."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", given[0], given[1]), given[2], given[3])

    return one(one, one, one, one), build


@intrinsic  # type: ignore[untyped-decorator]
def is_whole(context: Any, array: Any) -> Any:
    """Return whether an array has integers: a constant, so that code for the other kind is left out."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return ir.Constant(ir.IntType(1), int(isinstance(array.dtype, types.Integer)))

    return types.boolean(array), build


@intrinsic  # type: ignore[untyped-decorator]
def largest(context: Any, vector: Any) -> Any:
    """Return the largest of 16 numbers, as a double."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        word, value = ir.IntType(32), given[0]
        size = LANES // 2
        while size:
            mask = ir.Constant(ir.VectorType(word, LANES), [(k + size) % LANES for k in range(LANES)])
            other = builder.shuffle_vector(value, value, mask)
            value = builder.select(builder.fcmp_ordered(">", value, other), value, other)
            size //= 2
        first = builder.extract_element(value, word(0))
        return first if vector.dtype == types.float64 else builder.fpext(first, ir.DoubleType())

    return types.float64(vector), build


@intrinsic  # type: ignore[untyped-decorator]
def add_double(context: Any, array: Any, place: Any, vector: Any) -> Any:
    """Add a vector of doubles to 16 doubles of an array in place."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        where = _data(context, builder, signature.args[0], given[0], given[1])
        value = builder.fadd(_read(builder, where, types.float64), given[2])
        builder.store(value, builder.bitcast(where, value.type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector), build


@intrinsic  # type: ignore[untyped-decorator]
def transpose(context: Any, source: Any, rows: Any, place: Any, target: Any, out: Any) -> Any:
    """Write 16 columns of 16 rows as rows: target[out + 16·k + r] = source[rows[r] + place + k].

    `rows` holds the places where the rows begin.
    """

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, indices = signature.args[0], signature.args[1]
        vectors = []
        for r in range(LANES):
            begin = builder.load(_data(context, builder, indices, given[1], ir.IntType(64)(r)))
            where = _data(context, builder, kind, given[0], builder.add(begin, given[2]))
            vectors.append(_read(builder, where, kind.dtype))
        _write_rows(context, builder, signature.args[3], given[3], given[4], _transposed(builder, vectors))
        return context.get_dummy_value()

    return types.void(source, rows, types.int64, target, types.int64), build


@intrinsic  # type: ignore[untyped-decorator]
def transpose_back(context: Any, source: Any, at: Any, target: Any, rows: Any, place: Any) -> Any:
    """Write 16 rows of 16 as columns: target[rows[r] + place + k] = source[at + 16·k + r]."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, out, indices = signature.args[0], signature.args[2], signature.args[3]
        vectors = []
        for k in range(LANES):
            where = _data(context, builder, kind, given[0], builder.add(given[1], ir.IntType(64)(LANES * k)))
            vectors.append(_read(builder, where, kind.dtype))
        for r, vector in enumerate(_transposed(builder, vectors)):
            begin = builder.load(_data(context, builder, indices, given[3], ir.IntType(64)(r)))
            where = _data(context, builder, out, given[2], builder.add(begin, given[4]))
            builder.store(vector, builder.bitcast(where, vector.type.as_pointer()), align=out.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, rows, types.int64), build


def _write_rows(context: Any, builder: Any, kind: Any, target: Any, out: Any, vectors: list[Any]) -> None:
    for k, vector in enumerate(vectors):
        where = _data(context, builder, kind, target, builder.add(out, ir.IntType(64)(LANES * k)))
        builder.store(vector, builder.bitcast(where, vector.type.as_pointer()), align=kind.dtype.bitwidth // 8)


def _transposed(builder: Any, vectors: list[Any]) -> list[Any]:
    """Transpose a 16 by 16 block in four rounds of exchanges between two vectors each."""
    word = ir.IntType(32)
    size = 1
    while size < LANES:
        low = [k if k & size == 0 else k - size + LANES for k in range(LANES)]
        high = [k + size if k & size == 0 else k + LANES for k in range(LANES)]
        low_mask = ir.Constant(ir.VectorType(word, LANES), low)
        high_mask = ir.Constant(ir.VectorType(word, LANES), high)
        for k in range(LANES):
            if k & size == 0:
                one, two = vectors[k], vectors[k + size]
                vectors[k] = builder.shuffle_vector(one, two, low_mask)
                vectors[k + size] = builder.shuffle_vector(one, two, high_mask)
        size *= 2
    return vectors
