"""How much memory is free, and how to write amounts of it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

from hannan.errors import SizeError

GROUPS, PROCESS = Path("/sys/fs/cgroup"), Path("/proc/self")
"""Where the system says what a process may have, and what it has."""

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The names of two settings of glibc's `mallopt`."""

LITTLE = 1 << 20
"""Bytes that are always there."""

LIBRARIES = 1 << 29
"""Bytes of addresses that the libraries of a command take, about."""

LEAN, FAST = 1 << 20, 32 << 20
"""Sizes from which on freed arrays go back to the system; the second is what glibc itself comes to."""


def available() -> int:
    """Return the bytes that a process may still take: the least that machine, container and `ulimit` leave it."""
    return max(min([_machine(), *_groups(), *_rlimits()]), 0)


def _groups() -> Iterator[int]:
    """Yield what the control groups of this process leave it, those above them included; caches can be given up."""
    try:
        lines = (PROCESS / "cgroup").read_text()
    except OSError:
        lines = ""
    for place, (most, used, cached) in _group_folders(str(GROUPS), lines):
        try:
            left = _number(f"{place}/{most}") - _number(f"{place}/{used}")
        except (OSError, ValueError):  # no such group, or one without a limit
            continue
        yield left + _statistic(f"{place}/memory.stat", cached)


NEWER = ("memory.max", "memory.current", "inactive_file")
OLDER = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""The names of what a group may have, has, and could give up, in control groups of both kinds."""


@lru_cache(maxsize=4)
def _group_folders(groups: str, lines: str) -> list[tuple[str, tuple[str, str, str]]]:
    """List where the groups of this process are kept, those above them included, each with its names of files."""
    older = f"{groups}/memory"
    folders = {(groups, NEWER): None, (older, OLDER): None}
    for line in lines.splitlines():
        _, kinds, path = [*line.split(":", 2), "", ""][:3]
        if kinds and "memory" not in kinds.split(","):
            continue
        own = PurePosixPath(path or "/")
        for folder in (own, *own.parents):
            root, names = (older, OLDER) if kinds else (groups, NEWER)
            folders[f"{root}/{str(folder).strip('/')}".rstrip("/"), names] = None
    return list(folders)


def _number(path: str) -> int:
    with open(path, "rb", 0) as file:
        return int(file.read(64))


def _statistic(path: str, name: str) -> int:
    try:
        with open(path, "rb", 0) as file:
            return int((b"\n" + file.read()).partition(f"\n{name} ".encode())[2].partition(b"\n")[0])
    except (OSError, ValueError):
        return 0


def _rlimits() -> Iterator[int]:
    """Yield what `ulimit -v` and `ulimit -d` leave this process."""
    try:
        import resource

        pages = [int(word) for word in (PROCESS / "statm").read_text().split()]
        taken = {resource.RLIMIT_AS: pages[0], resource.RLIMIT_DATA: pages[5]}
        for kind, used in taken.items():
            most = resource.getrlimit(kind)[0]
            if most != resource.RLIM_INFINITY:
                yield most - used * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return


def require_libraries() -> None:
    """Refuse a `ulimit` under which NumPy, SciPy and LLVM cannot be loaded; to be called before they are.

    OpenBLAS then tries for ever to get memory, and hears no signal. It takes less with one thread, which is what it
    gets wherever there is a limit.
    """
    if left := list(_rlimits()):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if min(left) < LIBRARIES:
            raise SizeError(
                f"`ulimit` leaves this process {readable(max(min(left), 0))}, and the libraries that hannan loads take "
                f"about {readable(LIBRARIES)}: raise the limit (`ulimit -v` and `ulimit -d` show it)"
            )


def _machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return 4 * 1024**3


def give_back() -> None:
    """Return to the system what was freed among pieces that are still in use, where the C library can (glibc)."""
    with suppress(OSError, AttributeError, TypeError):  # another C library, or another system
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def lean(large: bool = True) -> Iterator[None]:
    """Return arrays of a MiB or more to the system as soon as they are freed, inside the block (glibc).

    Else, or where nothing is `large`, the C library keeps those of up to 32 MiB for the next that fit: it is faster.
    """
    if not large:
        yield
        return
    _keep_freed(LEAN)
    try:
        yield
    finally:
        _keep_freed(FAST)
        give_back()


def _keep_freed(size: int) -> None:
    """Let the C library keep what is freed in pieces smaller than this."""
    with suppress(OSError, AttributeError, TypeError):  # another C library, or another system
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_THRESHOLD, size)
        library.mallopt(TRIM_THRESHOLD, 2 * size)


@contextmanager
def ending_well(what: str) -> Iterator[None]:
    """Turn an allocation that fails inside the block into a sentence."""
    try:
        yield
    except MemoryError as error:
        raise SizeError(
            f"there is not enough memory for {what}: {readable(available())} are free; choose smaller parameters, or a "
            "method that plays the rules directly, such as mccfr-os with a memory_limit"
        ) from error


def require(size: int, what: str) -> None:
    """Refuse work that does not fit into free memory. Requests up to 1 MiB skip this check, which takes 1 ms."""
    if size > LITTLE and size > (free := available()):
        raise SizeError(f"{what} takes about {readable(size)} of memory, and {readable(free)} are free")


def readable(size: float) -> str:
    """Write an amount of memory for people: `3.4 MiB`."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
