"""A stand-in for CuPy whose card is the host: what `CupyCard` uses of CuPy, and failures on request."""

from __future__ import annotations

import ctypes
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from hannan.layouts.cuda.program import Options
from tests.layouts import hostkernels
from tests.layouts.hostcard import compiled


class DriverError(RuntimeError):
    """What the driver raises."""


class Array:
    """An array on the card."""

    def __init__(self, array: Any) -> None:
        self.host = np.array(array, order="C")
        self.nbytes = self.host.nbytes
        self.data = SimpleNamespace(ptr=self.host.ctypes.data, memset_async=lambda value, size: self.host.fill(value))

    def get(self) -> Any:
        return self.host.copy()

    def set(self, array: Any) -> None:
        self.host[:] = array


class Pages(bytearray):
    """Memory of the host that the card sees too."""

    @property
    def ptr(self) -> int:
        return int(np.frombuffer(self, np.uint8).ctypes.data)


class FakeCupy:
    """A machine with one card. `free` is its memory; launch number `fails_at` fails, as a driver does."""

    def __init__(self, free: int = 1 << 30, cards: int = 1, fails_at: int = 10**9) -> None:
        self.launches: list[tuple[str, int, int]] = []
        self.fails_at = fails_at
        attributes = {"MultiProcessorCount": 3}
        self.cuda = SimpleNamespace(
            runtime=SimpleNamespace(
                CUDARuntimeError=DriverError, memGetInfo=lambda: (free, free), getDeviceCount=lambda: cards
            ),
            driver=SimpleNamespace(
                CUDADriverError=DriverError, occupancyMaxActiveBlocksPerMultiprocessor=lambda pointer, threads, size: 1
            ),
            compiler=SimpleNamespace(CompileException=DriverError),
            memory=SimpleNamespace(OutOfMemoryError=DriverError),
            Device=lambda: SimpleNamespace(attributes=attributes),
            alloc_pinned_memory=Pages,
            get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None),
        )

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_bytes=lambda: 0)

    def asarray(self, array: Any) -> Array:
        return Array(array)

    def zeros(self, size: int, kind: Any) -> Array:
        return Array(np.zeros(size, kind))

    def RawModule(  # noqa: N802
        self, code: str, options: tuple[str, ...], enable_cooperative_groups: bool | None = None
    ) -> Any:
        if enable_cooperative_groups is None:  # plain kernels
            plain = hostkernels.library(code, False)
            return SimpleNamespace(get_function=lambda name: partial(self._plain, name, getattr(plain, name)))
        told = dict(word.removeprefix("-D").split("=") for word in options if word.startswith("-D"))
        payoffs = "float32" if told["PAYOFF"] == "float" else "float64"
        averaged, coded = told["AVERAGED"] == "1", told["CODED"] == "1"
        chosen = Options(
            int(told["LEARNER"]), payoffs, int(told["OTHERS"]), averaged, coded, int(told["PLAN_SIZE"]),
            told["SIMULTANEOUS"] == "1", int(told["TRACKING"]),
        )  # fmt: skip
        library = compiled(chosen, False)
        kernel = partial(self._kernel, meeting=enable_cooperative_groups)
        return SimpleNamespace(get_function=lambda name: kernel(name, getattr(library, name)))

    def _plain(
        self, name: str, function: Any, grid: tuple[int, ...], block: tuple[int], arguments: tuple[Any, ...],
        shared_mem: int,
    ) -> None:  # fmt: skip
        assert shared_mem <= 48 << 10
        self.launches.append((name, grid[0], block[0]))
        if len(self.launches) == self.fails_at:
            raise DriverError("cudaErrorLaunchFailure: unspecified launch failure")
        record = np.array(arguments[0])
        numbers = (ctypes.c_longlong(int(number)) for number in arguments[1:])
        function(ctypes.c_void_p(record.ctypes.data), *numbers)

    def _kernel(self, name: str, function: Any, meeting: bool) -> Any:
        def launch(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            assert meeting or grid == (1,), "blocks that wait for each other must run at one time"
            self.launches.append((name, *grid, *block))
            if len(self.launches) == self.fails_at:
                raise DriverError("cudaErrorLaunchFailure: unspecified launch failure")
            header, *others = arguments
            numbers = (one.host.ctypes.data if isinstance(one, Array) else int(one) for one in others)
            function(np.array(header).ctypes.data, *numbers)

        launch.kernel = SimpleNamespace(ptr=0)  # type: ignore[attr-defined]
        return launch
