"""What kernels rely on inside numba that numba promises to nobody: a version without it fails here, by name.

Each reliance is a sentence and a check of it. `hannan.kernels` says there what it does with each.
"""

from __future__ import annotations

import gc
import inspect
import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit, types
from numba.core import caching, event, registry
from numba.core.compiler import DefaultPassBuilder, Flags
from numba.core.errors import NumbaError

from hannan import kernels
from hannan.kernels import OPTIONS, inlined, kernel, shared
from hannan.kernels.addresses import address, fetch
from hannan.kernels.compilers import SPARED, KernelCompiler, Part
from hannan.kernels.inlines import UNWRAPPED
from hannan.kernels.lent import borrowed
from hannan.kernels.pointers import address_of, asked, told


def _plus_one(number: int) -> int:
    return number + 1


def _compiled() -> Any:
    function = njit(_plus_one)
    function.compile(types.int64(types.int64))
    return function


def _takes(function: Any, *names: str) -> bool:
    return tuple(inspect.signature(function).parameters) == names


def _calls_its_cache() -> bool:
    class Recording:
        def __init__(self) -> None:
            self.heard: list[str] = []

        def load_overload(self, signature: Any, target: Any) -> None:
            self.heard.append("load")

        def save_overload(self, signature: Any, data: Any) -> None:
            self.heard.append("save")

    function = njit(_plus_one)
    function._cache = recording = Recording()
    function(1)
    return recording.heard == ["load", "save"]


def _asks(name: str) -> bool:
    """Whether numba asks an object for what was put in place of a method."""
    heard = []
    inner = njit(_plus_one)
    real = getattr(inner, name)

    def listening(*arguments: Any, **named: Any) -> Any:
        heard.append(arguments)
        return real(*arguments, **named)

    setattr(inner, name, listening)
    if name == "get_call_template":

        def outer(number: int) -> int:
            return inner(number) + inner(2)  # a literal

        njit(outer)(1)
        return len(heard) >= 2 and all(len(arguments) == 2 for arguments in heard)
    inner(1)
    return len(heard) == 1


def _literal_is_a_number() -> bool:
    from numba.core.types.misc import unliteral

    return bool(unliteral(types.literal(3)) == types.int64)


def _unwrapped() -> bool:
    function = njit(**OPTIONS, **UNWRAPPED, forceinline=True)(_plus_one)
    return all(function.targetoptions.get(name) is True for name in (*UNWRAPPED, "forceinline"))


@inlined
def _twice(number: int) -> int:
    return 2 * number


@kernel
def _four_times(number: int) -> int:
    return _twice(_twice(number))


def _optimises_parts_in_their_callers() -> bool:
    _four_times._cache = caching.NullCache()  # type: ignore[attr-defined]  # compiled here, also in a second test run
    found = _four_times(5)
    (part,), (whole,) = _twice.overloads.values(), _four_times.overloads.values()  # type: ignore[attr-defined]
    made = [bool(one.library._codegen._engine.is_symbol_defined(one.fndesc.llvm_func_name)) for one in (part, whole)]
    return found == 20 and isinstance(part.library, Part) and made == [False, True]


def _spares_steps() -> bool:
    """Without the step that resolves functions in functions, numba refuses them."""

    def total(numbers: Any) -> float:
        factor = numbers[1]

        def scaled(number: float) -> float:
            return float(factor * number)

        return scaled(numbers[0])

    try:
        kernel(total)(np.array([1.0, 2.0]))
    except NumbaError:
        refused = True
    else:
        refused = False
    steps = [step for step, _ in _passes(_plus_one)]
    return refused and njit(total)(np.array([1.0, 2.0])) == 2.0 and bool(steps) and not set(SPARED) & set(steps)


def _passes(function: Any) -> list[Any]:
    """Return the steps by which a kernel is compiled."""
    seen: list[Any] = []

    class Watching(KernelCompiler):
        def define_pipelines(self) -> list[Any]:
            made = super().define_pipelines()
            seen.extend(made[0].passes)
            assert set(SPARED) <= {step for step, _ in DefaultPassBuilder.define_nopython_pipeline(self.state).passes}
            return made

    njit(pipeline_class=Watching, **OPTIONS)(function)(1)
    return seen


@shared
def _thrice(number: int) -> int:
    return 3 * number


@kernel
def _nine_times(number: int) -> int:
    return _thrice(_thrice(number))


def _takes_parts_in_place_of_kernels() -> bool:
    found = _nine_times(5)
    before = len(_thrice.overloads)  # type: ignore[attr-defined]
    return found == 45 and before == 0 and _thrice(5) == 15


def _counts_no_references() -> bool:
    @njit(**OPTIONS)  # type: ignore[untyped-decorator]
    def first(numbers: Any) -> float:
        row = numbers[1]
        return float(row[0])

    @njit(**OPTIONS)  # type: ignore[untyped-decorator]
    def allocates(size: int) -> Any:
        return np.zeros(size)

    found = first(np.array([[1.0], [2.0]]))
    (compiled,) = first.overloads.values()
    try:
        allocates(3)
    except NumbaError:
        return bool(found == 2.0 and "NRT_incref" not in compiled.library.get_llvm_str())
    return False


def _finds_functions_by_nrt() -> bool:
    flags = kernels._dispatcher(_plus_one, OPTIONS)._compiler._customize_flags(Flags())
    return bool(flags == kernels._Flags() and flags != Flags())


def _overloads() -> bool:
    function = _compiled()
    ((arguments, compiled),) = function.overloads.items()
    return arguments == (types.int64,) == tuple(compiled.signature.args)


class _Inner(NamedTuple):
    three: Any
    four: float


class _Pair(NamedTuple):
    one: Any
    inner: _Inner


@inlined
def _change(pair: _Pair, place: int) -> float:
    for k in range(place):  # each number is written before the next one is read
        pair.one[k + 1] += pair.one[k] * pair.inner.four
    return pair.one[place] + pair.inner.three[0, 1]


@kernel
def _total(inner: _Inner) -> float:
    return inner.three.sum() * inner.four


@inlined
def _either(pair: _Pair, other: _Pair, first: bool) -> float:
    chosen = pair
    for _ in range(2):
        if not first:
            chosen = other
    return chosen.one[0] + _total(chosen.inner)


@kernel
def _lending(pair: _Pair, other: _Pair, first: bool, numbers: Any) -> float:
    lent = borrowed(pair)
    fetch(numbers, 1)
    changed = _change(lent, 2) + _change(other, 1)
    return changed + 1000.0 * _either(lent, other, first) + address(numbers, 3)[1]


def _lends() -> bool:
    def pair(start: float) -> _Pair:
        return _Pair(np.array([start, 1.0, 1.0]), _Inner(np.array([[1.0, 2.0], [3.0, 4.0]]), 10.0))

    def expected(first: bool) -> float:
        # pair: 1, 11, 111; other: 2, 21
        return 111 + 2 + 21 + 2 + 1000 * ((1 if first else 2) + 100) + 40

    numbers = np.array([[0.0, 10.0, 20.0], [30.0, 40.0, 50.0]])
    return all(_lending(pair(1.0), pair(2.0), first, numbers) == expected(first) for first in (True, False))


@inlined
def _one_after_the_other(pair: _Pair, other: _Pair) -> float:
    total = 0.0
    for _ in range(2):
        total = 10.0 * total + pair.one[0]
        pair = other
    return total


def test_a_borrowed_record_that_changes_is_refused() -> None:
    @kernel
    def summed(pair: _Pair, other: _Pair) -> float:
        return _one_after_the_other(borrowed(pair), borrowed(other))

    one = _Pair(np.array([1.0]), _Inner(np.ones((2, 2)), 1.0))
    with pytest.raises(Exception, match="a record that was borrowed changes"):
        summed(one, one)


@kernel
def _by_address(function: int, teller: int, out: Any) -> int:
    told(teller, (address(out, 0),))
    return asked(function, (41,))


def _write(out: Any) -> None:
    out[0] = 7


def _calls_by_address() -> bool:
    writer, out = njit(_write), np.zeros(1, np.int64)
    writer.compile(types.void(types.CPointer(types.int64)))
    return bool(_by_address(address_of(_compiled()), address_of(writer), out) == 42 and out[0] == 7)


def _announces() -> bool:
    heard = []

    class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: Any) -> None:
            heard.append(event.data["dispatcher"].py_func)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        _compiled()
    return heard == [_plus_one]


RELIANCES: dict[str, Callable[[], bool]] = {
    "stamps: numba.core.registry.CPUDispatcher is the class of what njit returns, and keeps the function in py_func": (
        lambda: isinstance(njit(_plus_one), registry.CPUDispatcher) and njit(_plus_one).py_func is _plus_one
    ),
    "stamps: a dispatcher asks its _cache to load_overload(signature, target) and to save_overload(signature, data)": (
        _calls_its_cache
    ),
    "stamps: FunctionCache(function) has load_overload(signature, target) and save_overload(signature, data)": (
        lambda: (
            len(inspect.signature(caching.FunctionCache).parameters) == 1
            and len(inspect.signature(caching.FunctionCache.load_overload).parameters) == 3
            and len(inspect.signature(caching.FunctionCache.save_overload).parameters) == 3
        )
    ),
    "stamps: a FunctionCache has _py_func, _cache_path, _impl.filename_base and _cache_file._source_stamp": (
        lambda: (
            (made := caching.FunctionCache(_plus_one))._py_func is _plus_one
            and isinstance(made._cache_path, str)
            and isinstance(made._impl.filename_base, str)
            and made._cache_file._source_stamp is not None
        )
    ),
    "stamps: a FunctionCache keeps its files by IndexDataCacheFile(cache_path, filename_base, source_stamp)": (
        lambda: (
            _takes(caching.IndexDataCacheFile, "cache_path", "filename_base", "source_stamp")
            and type(caching.FunctionCache(_plus_one)._cache_file) is caching.IndexDataCacheFile
        )
    ),
    "stamps: IndexDataCacheFile has load(key) and _load_index()": (
        lambda: (
            _takes(caching.IndexDataCacheFile.load, "self", "key")
            and _takes(caching.IndexDataCacheFile._load_index, "self")
        )
    ),
    "inlining: numba.core.types.misc.unliteral makes of the type of a constant that of any such number": (
        _literal_is_a_number
    ),
    "inlining: callers ask a dispatcher for get_call_template(arguments, named), also if it was replaced": (
        lambda: _asks("get_call_template")
    ),
    "inlining: compiling ends with add_overload(compiled), also if it was replaced": lambda: _asks("add_overload"),
    "inlining: a first call from Python goes through _compile_for_args, also if it was replaced": (
        lambda: _asks("_compile_for_args")
    ),
    "inlining: njit takes no_cpython_wrapper, no_cfunc_wrapper and forceinline": _unwrapped,
    "compilers: a pipeline_class may give a library that is neither optimised nor made machine code; callers are": (
        _optimises_parts_in_their_callers
    ),
    "compilers: a pipeline_class chooses among the passes of define_nopython_pipeline, and SPARED are among them": (
        _spares_steps
    ),
    "inlining: callers ask a dispatcher for get_overload, also if it was replaced": _takes_parts_in_place_of_kernels,
    "__init__: njit takes _nrt; without it no reference is counted, and what allocates is refused": (
        _counts_no_references
    ),
    "__init__: a dispatcher's _compiler._customize_flags gives the flags, of a class derived from Flags": (
        _finds_functions_by_nrt
    ),
    "inlining, pointers: overloads holds what was compiled, by the types of its arguments": _overloads,
    "lent: a record as an argument, as a member and in a variable, by its address, in parts and in kernels": _lends,
    "addresses: make_array gives data": _lends,
    "pointers: library.get_pointer_to_function(fndesc.llvm_cfunc_wrapper_name) is where a function lies": (
        _calls_by_address
    ),
    "__init__: listeners of numba:compile hear of each kernel, with data['dispatcher']": _announces,
}


@pytest.mark.parametrize("reliance", RELIANCES)
def test_numba_has_what_kernels_rely_on(reliance: str) -> None:
    import numba

    missing = f"numba {numba.__version__} lacks what hannan.kernels relies on. {reliance}"
    try:
        held = RELIANCES[reliance]()
    except Exception as error:
        pytest.fail(f"{missing} ({type(error).__name__}: {error})")
    assert held, missing


def test_the_upper_limit_lets_in_the_version_that_is_tested() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    limit = re.search(r'"numba>=[\d.]+,<(\d+)\.(\d+)"', text)
    assert limit is not None
    here = metadata.version("numba").split(".")
    assert (int(here[0]), int(here[1])) < (int(limit[1]), int(limit[2]))


def test_no_garbage_is_collected_while_a_kernel_is_compiled() -> None:
    seen = []

    @njit  # type: ignore[untyped-decorator]
    def part(number: int) -> int:
        return number + 1

    real = part.get_call_template

    def watched(*arguments: Any) -> Any:
        seen.append(gc.isenabled())
        return real(*arguments)

    part.get_call_template = watched

    @kernel
    def whole(number: int) -> int:
        return int(part(number))

    whole.py_func.__module__ = "hannan.kernels"  # type: ignore[attr-defined]  # as the listener knows kernels
    assert gc.isenabled()
    assert whole(1) == 2
    assert seen
    assert not any(seen)
    assert gc.isenabled()
