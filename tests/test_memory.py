"""What a process may still take: of the machine, of its control groups, under `ulimit`."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from hannan import memory
from hannan.errors import SizeError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says")

MiB = 2**20


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with much memory, and control groups of one's own making."""
    (tmp_path / "process").mkdir()
    (tmp_path / "groups").mkdir()
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(memory, "PROCESS", tmp_path / "process")
    monkeypatch.setattr(memory, "_machine", lambda: 1000 * MiB)
    return tmp_path


def write(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(f"{content}\n")


def test_the_machine_alone(system: Path) -> None:
    assert memory.available() == 1000 * MiB


def test_a_container(system: Path) -> None:
    """As a container sees it: its own group is the root. What is cached can be given up."""
    cached = f"inactive_file {100 * MiB}"
    write(system / "groups", memory__max=500 * MiB, memory__current=300 * MiB, memory__stat=cached)
    assert memory.available() == 300 * MiB


def test_a_group_below_one_with_a_limit(system: Path) -> None:
    (system / "process" / "cgroup").write_text("0::/user.slice/run.scope\n")
    write(system / "groups" / "user.slice" / "run.scope", memory__max="max", memory__current=5)
    assert memory.available() == 1000 * MiB
    write(system / "groups" / "user.slice", memory__max=70 * MiB, memory__current=20 * MiB)
    assert memory.available() == 50 * MiB
    write(system / "groups" / "user.slice" / "run.scope", memory__max=30 * MiB, memory__current=31 * MiB)
    assert memory.available() == 0


def test_groups_of_the_older_kind(system: Path) -> None:
    (system / "process" / "cgroup").write_text("11:cpu,cpuacct:/x\n9:memory:/box\n")
    group = system / "groups" / "memory" / "box"
    write(group, memory__limit_in_bytes=90 * MiB, memory__usage_in_bytes=10 * MiB)
    assert memory.available() == 80 * MiB


@pytest.mark.parametrize("kind", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_ulimit(kind: str) -> None:
    program = f"""
import resource
from hannan.memory import available
pages = [int(word) for word in open("/proc/self/statm").read().split()]
used = pages[0 if "{kind}" == "RLIMIT_AS" else 5] * resource.getpagesize()
resource.setrlimit(resource.{kind}, (used + {64 * MiB}, -1))
print(available())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 48 * MiB < int(ran.stdout) <= 64 * MiB


def test_an_allocation_that_fails_is_a_sentence() -> None:
    with pytest.raises(SizeError, match=r"not enough memory for the tables: .* are free; choose smaller parameters"):  # noqa: SIM117
        with memory.ending_well("the tables"):
            raise MemoryError


class Library:
    """A C library that notes how it is called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int]] = []

    def mallopt(self, name: int, value: int) -> None:
        self.calls.append(("mallopt", name, value))

    def malloc_trim(self, kept: int) -> None:
        self.calls.append(("malloc_trim", kept, 0))


def test_freed_arrays_go_back_inside_the_block_and_are_kept_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    with memory.lean(False):
        pass
    assert library.calls == []
    with memory.lean():
        assert library.calls == [("mallopt", -3, MiB), ("mallopt", -1, 2 * MiB)]
    assert library.calls[2:] == [("mallopt", -3, 32 * MiB), ("mallopt", -1, 64 * MiB), ("malloc_trim", 0, 0)]


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_other_c_libraries_do_as_they_do(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: object) -> None:
        raise error

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with memory.lean():
        memory.give_back()


def test_a_little_is_taken_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 0)
    memory.require(MiB, "a table")
    with pytest.raises(SizeError, match=r"a table takes about 2\.0 MiB of memory, and 0 bytes are free"):
        memory.require(2 * MiB, "a table")
