"""A real card, through CuPy: the compiled program, launched so that all of its threads can synchronise.

Why CuPy and plain CUDA C++: an iteration is a dozen short phases that depend on each other, so the time between phases
matters most. Launched one by one, or as a graph, a phase costs 2 to 3 microseconds in addition to its work. Inside one
cooperative kernel, synchronising all threads costs about one microsecond, and the threads of one block almost nothing.
Triton and torch cannot synchronise all threads. CuPy compiles the source at first use and keeps the result on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import DeviceError, SizeError
from hannan.layouts.cuda import program
from hannan.layouts.cuda.program import Options
from hannan.memory import readable

FEW = 4096
"""A program with at most this many items in its widest phase runs in one block, which synchronises by itself."""

THREADS, BLOCKS = 512, 1
"""Threads of a block, and blocks that a multiprocessor should hold."""

THREADS_ALONE = 256
"""Threads of a single block."""

LITTLE = 48 << 10
"""Bytes of shared memory that a block gets by default."""

SPARE = 64 << 20
"""Bytes of the card's memory that are left to other programs."""


class CupyMemory:
    """Arrays on the current card."""

    def __init__(self) -> None:
        self._cupy = _cupy()
        self._failures = _failures(self._cupy)
        self._arrays: dict[int, Any] = {}

    @property
    def free(self) -> int:
        """Bytes of the card's memory that are available."""
        with _failing("starting", self._failures):
            free, _ = self._cupy.cuda.runtime.memGetInfo()
            return int(free + self._cupy.get_default_memory_pool().free_bytes() - SPARE)

    def require(self, size: int, instead: str) -> None:
        """Refuse to begin if `size` bytes are not free."""
        if size > self.free:
            raise SizeError(
                f"the card has {readable(self.free + SPARE)} of free memory, and {readable(size + SPARE)} are needed; "
                f"{instead}device=cpu uses the machine's memory"
            )

    def array(self, array: Any) -> int:
        """Copy an array to the card for as long as this object lives; return its address."""
        with _failing("copying to the card", self._failures):
            mine = self._cupy.asarray(np.ascontiguousarray(array))
        address = int(mine.data.ptr)
        self._arrays[address] = mine
        return address

    def results(self, size: int) -> tuple[int, Floats]:
        """As `Card.results`: memory of the host that the card writes to, so that nothing is copied."""
        with _failing("starting", self._failures):
            pages = self._cupy.cuda.alloc_pinned_memory(8 * size)
        view: Floats = np.frombuffer(pages, np.float64, size)
        view[:] = 0
        return int(pages.ptr), view

    def read(self, address: int) -> Any:
        """Return a copy of the array at an address."""
        with _failing("copying from the card", self._failures):
            return self._arrays[address].get()

    def write(self, address: int, array: Any) -> None:
        """Overwrite the array at an address."""
        with _failing("copying to the card", self._failures):
            self._arrays[address].set(array)


class CupyCard(CupyMemory):
    """The two kernels of the program, and their arrays."""

    def __init__(self, options: Options, widest: int, size: int) -> None:
        super().__init__()
        self.require(size, "payoffs=float32 needs less, and ")
        with _failing("starting", self._failures):
            alone = widest <= FEW
            self._threads, blocks = (THREADS_ALONE, 1) if alone else (THREADS, BLOCKS)
            self._module = self._cupy.RawModule(
                code=program.source(),
                options=(*options.words, "--std=c++17", f"-DTHREADS={self._threads}", f"-DBLOCKS={blocks}"),
                enable_cooperative_groups=not alone,  # such a launch takes longer
            )
            self._kernels = {name: self._module.get_function(name) for name in ("iterate", "measure")}
            self._blocks = {name: self._most_blocks(kernel, widest) for name, kernel in self._kernels.items()}
            self._counter = self._cupy.zeros(1, np.uint32)

    def _most_blocks(self, kernel: Any, widest: int) -> int:
        """Return the number of blocks with work, at most as many as run at one time: blocks wait for each other."""
        if widest <= FEW:
            return 1
        device = self._cupy.cuda.Device()
        each = self._cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.kernel.ptr, self._threads, 0)
        return int(min(-(-widest // self._threads), each * device.attributes["MultiProcessorCount"]))

    def iterate(self, header: Longs, schedule: Floats) -> None:
        with _failing("iterating", self._failures):
            rows = self._cupy.asarray(schedule)
            self._launch("iterate", header, rows, *schedule.shape[:2])

    def measure(self, header: Longs, correlated: bool) -> None:
        with _failing("measuring", self._failures):
            self._launch("measure", header, int(correlated))

    def _launch(self, name: str, header: Longs, *arguments: Any) -> None:
        if self._blocks[name] > 1:  # the threads of one block synchronise by themselves
            self._counter.data.memset_async(0, self._counter.nbytes)
        numbers = (np.int64(value) if isinstance(value, int) else value for value in arguments)
        self._kernels[name]((self._blocks[name],), (self._threads,), (_record(header), self._counter, *numbers))
        self._cupy.cuda.get_current_stream().synchronize()


class CupyKernels(CupyMemory):
    """Programs of plain kernels: each launch is one phase of a walk, and phases follow each other in order."""

    @contextmanager
    def lent(self, array: Any) -> Iterator[int]:
        """Copy an array to the card for a while; yield its address."""
        with _failing("copying to the card", self._failures):
            mine = self._cupy.asarray(np.ascontiguousarray(array))
        yield int(mine.data.ptr)

    def compiled(self, source: str) -> dict[str, Any]:
        """Return the kernels of a program, compiled at the first use of each."""
        with _failing("compiling", self._failures):
            module = self._cupy.RawModule(code=source, options=("--std=c++17",))
        return _Kernels(module)

    def launch(
        self, kernel: Any, grid: tuple[int, int, int], threads: int, shared: int, tree: Longs, *numbers: int
    ) -> None:
        """Launch a kernel. Its first argument is a record of 8-byte fields, the others are numbers or addresses."""
        with _failing("walking", self._failures):
            if shared > LITTLE:
                kernel.max_dynamic_shared_size_bytes = shared
            kernel(grid, (threads,), (_record(tree), *map(np.int64, numbers)), shared_mem=shared)

    def wait(self) -> None:
        """Return when all kernels have ended."""
        with _failing("walking", self._failures):
            self._cupy.cuda.get_current_stream().synchronize()


class _Kernels(dict[str, Any]):
    """Kernels by name."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self._module = module

    def __missing__(self, name: str) -> Any:
        self[name] = self._module.get_function(name)
        return self[name]


def _record(fields: Longs) -> Any:
    """Return numbers and addresses as one kernel argument, passed by value."""
    return fields.view([(f"f{k}", np.int64) for k in range(len(fields))])[0]


def _cupy() -> Any:
    """Return CuPy, with a card that works."""
    try:
        cupy = import_module("cupy")
    except ImportError as error:
        raise DeviceError(
            f"device=cuda needs CuPy ({error}): pip install 'hannan[cuda]' installs it for CUDA 13; for another CUDA, "
            "install the CuPy that is made for it"
        ) from error
    try:
        cards = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise DeviceError(f"device=cuda: the driver does not answer ({error}); device=cpu needs no card") from error
    if cards == 0:
        raise DeviceError("device=cuda: this machine has no CUDA card; device=cpu needs none")
    return cupy


def _failures(cupy: Any) -> tuple[type[Exception], ...]:
    """Return the errors that the driver and the compiler raise."""
    return (
        cupy.cuda.runtime.CUDARuntimeError,
        cupy.cuda.driver.CUDADriverError,
        cupy.cuda.compiler.CompileException,
        cupy.cuda.memory.OutOfMemoryError,
    )


@contextmanager
def _failing(doing: str, failures: tuple[type[Exception], ...]) -> Iterator[None]:
    """Turn an error of the driver or the compiler into a sentence."""
    try:
        yield
    except failures as error:
        raise DeviceError(
            f"the card failed while {doing} ({str(error).strip().splitlines()[0]}). A checkpoint written before is "
            "whole: --resume continues from it, also with --device cpu"
        ) from error
