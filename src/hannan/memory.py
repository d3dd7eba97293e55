"""How much memory is free, and how to write amounts of it."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

from hannan.errors import SizeError


def available() -> int:
    """Return the bytes that a process may still take: the machine's, or its container's where that is less."""
    amounts = [_machine()]
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            amounts.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    return max(min(amounts), 0)


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
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def require(size: int, what: str) -> None:
    """Refuse what would not fit into the memory that is free."""
    free = available()
    if size > free:
        raise SizeError(f"{what} takes about {readable(size)} of memory, and {readable(free)} are free")


def readable(size: float) -> str:
    """Write an amount of memory for people: `3.4 MiB`."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
