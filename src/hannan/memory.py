"""The amount of free memory, checks against it, and amounts of memory as text."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

from hannan.errors import SizeError

GROUPS, PROCESS = Path("/sys/fs/cgroup"), Path("/proc/self")
"""Folders in which the system states the limits and the use of memory."""

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""The numbers of two settings of glibc's `mallopt`."""

LITTLE = 1 << 20
"""Requests up to this number of bytes are not checked."""

LIBRARIES = 1 << 29
"""The approximate size of the address space that the libraries of a command take, in bytes."""

LEAN, FAST = 1 << 20, 32 << 20
"""Sizes in bytes from which freed arrays go back to the system; glibc itself ends up with the second."""


def available() -> int:
    """Return the bytes that this process may still take: the least that machine, container and `ulimit` allow."""
    return max(min([_machine(), *_groups(), *_rlimits()]), 0)


def _groups() -> Iterator[int]:
    """Yield the free bytes of this process's control groups and their parents; caches count as free."""
    try:
        lines = (PROCESS / "cgroup").read_text()
    except OSError:
        lines = ""
    for place, (most, used, cached) in _group_folders(str(GROUPS), lines):
        try:
            left = _number(f"{place}/{most}") - _number(f"{place}/{used}")
        except (OSError, ValueError):  # the group does not exist, or has no limit
            continue
        yield left + _statistic(f"{place}/memory.stat", cached)


NEWER = ("memory.max", "memory.current", "inactive_file")
OLDER = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""The names of a group's limit, use, and cache that it could free, for control groups of versions 2 and 1."""


@lru_cache(maxsize=4)
def _group_folders(groups: str, lines: str) -> list[tuple[str, tuple[str, str, str]]]:
    """List the folders of this process's control groups and their parents, each with its file names."""
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
    """Yield the bytes that `ulimit -v` and `ulimit -d` still allow this process."""
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
    """Refuse a `ulimit` under which NumPy, SciPy and LLVM cannot be loaded; call this before loading them.

    Under such a limit, OpenBLAS would try forever to get memory, without reacting to signals. It takes less memory with
    one thread, so it gets one thread if there is any limit.
    """
    if left := list(_rlimits()):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if min(left) < LIBRARIES:
            raise SizeError(
                f"`ulimit` leaves this process {readable(max(min(left), 0))}, but the libraries that hannan loads take "
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
    """Return freed memory between used blocks to the system, if the C library supports this (glibc)."""
    with suppress(OSError, AttributeError, TypeError):  # another C library, or another system
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def lean(large: bool = True) -> Iterator[None]:
    """Return arrays of 1 MiB or more to the system as soon as they are freed, inside the block (glibc).

    Otherwise, or if not `large`, the C library keeps freed arrays of up to 32 MiB for later arrays, which is faster.
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
    """Let the C library keep freed blocks smaller than `size` bytes."""
    with suppress(OSError, AttributeError, TypeError):  # another C library, or another system
        library = ctypes.CDLL(None)
        library.mallopt(MMAP_THRESHOLD, size)
        library.mallopt(TRIM_THRESHOLD, 2 * size)


@contextmanager
def ending_well(what: str) -> Iterator[None]:
    """Turn a MemoryError inside the block into a SizeError with a message."""
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
    """Return the text of an amount of memory, such as `3.4 MiB`."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
