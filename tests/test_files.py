"""Writing files: whatever fails, the old file is intact, nothing is left behind, and there is a sentence."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import FileError
from hannan.files import check_writable, read_arrays, write_arrays, write_bytes
from hannan.strategies.files import read_locks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and locks as on Unix")

STEPS = ("fsync", "chmod", "replace", "listdir")
"""Calls of the system on the way to a file; opening and writing are broken by other means."""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step(step: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    write_bytes(path, b"old")

    def fails(*arguments: Any, **options: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(FileError, match=f"x cannot be written: {os.strerror(number)}"):
        write_bytes(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk(tmp_path: Path) -> None:
    """A process may write no more than 1,000 bytes to a file: the old one stays."""
    program = """
import resource, signal, sys
from hannan.files import write_bytes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
write_bytes(sys.argv[1], b"old")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_bytes(sys.argv[1], bytes(10_000))
"""
    ran = subprocess.run([sys.executable, "-c", program, tmp_path / "x"], capture_output=True, text=True, check=False)
    assert "FileError" in ran.stderr
    assert "cannot be written: File too large" in ran.stderr
    assert (tmp_path / "x").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "there").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("folder/there")
    check_writable(link)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "folder" / "there").read_bytes() == b"new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to("folder/later")
    write_bytes(dangling, b"first")
    assert (tmp_path / "folder" / "later").read_bytes() == b"first"
    dangling.unlink()
    dangling.symlink_to("nowhere/later")
    with pytest.raises(FileError, match=r"dangling cannot be written: there is no folder .*nowhere"):
        check_writable(dangling)
    around = tmp_path / "around"
    around.symlink_to("around")
    with pytest.raises(FileError, match="around' cannot be written: Too many levels"):
        write_bytes(around, b"")


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link to a pipe"])
def test_what_is_no_file_is_left_alone(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/null")
    else:
        os.mkfifo(tmp_path / "pipe")
        if kind == "pipe":
            path = tmp_path / "pipe"
        else:
            path.symlink_to("pipe")
    before = path.stat()
    for write in (check_writable, lambda path: write_bytes(path, b"new")):
        with pytest.raises(FileError, match=r"cannot be written: it is a (folder|device or a pipe)"):
            write(path)
    assert (path.stat().st_ino, stat.S_IFMT(path.stat().st_mode)) == (before.st_ino, stat.S_IFMT(before.st_mode))


def test_a_log_may_be_a_device() -> None:
    check_writable("/dev/null", renamed=False)


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path: Path) -> None:
    """A writer that is killed leaves its temporary file; the next one removes it. One that lives keeps its own."""
    path = tmp_path / "x"
    program = """
import os, signal, sys
from hannan import files
os.replace = lambda *names: (print("written", flush=True), os.kill(os.getpid(), int(sys.argv[2])))
files.write_bytes(sys.argv[1], b"half")
"""
    command: list[Any] = [sys.executable, "-c", program, path]
    subprocess.run([*command, "9"], check=False, capture_output=True)
    (dead,) = tmp_path.iterdir()
    with subprocess.Popen([*command, "19"], stdout=subprocess.PIPE, text=True) as living:  # it stops, and is not dead
        assert living.stdout is not None
        assert living.stdout.readline() == "written\n"
        assert not dead.exists()
        write_bytes(path, b"new")
        assert len(list(tmp_path.iterdir())) == 2
        living.kill()
    write_bytes(path, b"newer")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"newer"


def test_foreign_files_are_no_leftovers(tmp_path: Path) -> None:
    for name in (".x.backup", ".y.abc.part", "x.part", ".x.part2"):
        (tmp_path / name).write_bytes(b"mine")
    write_bytes(tmp_path / "x", b"new")
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("name", ["n" * 250, "ü" * 120, "a\nb", "*", "..."])
def test_names(name: str, tmp_path: Path) -> None:
    write_arrays(tmp_path / name, "strategy", {}, {"fact": 1})
    assert read_arrays(tmp_path / name, "strategy")[1] == {"fact": 1}


def test_names_that_are_none(tmp_path: Path) -> None:
    for name in ("n" * 300, "a\0b"):
        with pytest.raises(FileError, match="cannot be written"):
            write_bytes(tmp_path / name, b"")
        with pytest.raises(FileError, match="cannot be written"):
            check_writable(tmp_path / name)


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    """A pipe has no end until somebody closes it, and a device may have none: neither is waited for."""
    for name in ("x.efg", "x.nfg", "x.csv", "x.json", "x.strategy", "x.py"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "zeros.efg").symlink_to("/dev/zero")
    (tmp_path / "folder.py").mkdir()
    readings: dict[str, Callable[[str], Any]] = {
        "x.efg": hn.load,
        "x.nfg": hn.load,
        "zeros.efg": hn.load,
        "x.csv": lambda path: hn.profile("kuhn_poker", path),
        "x.json": read_locks,
        "x.strategy": hn.read,
        "x.py": lambda path: hn.load(f"{path}:Game"),
    }
    for name, reading in readings.items():
        with pytest.raises(FileError, match="is a device or a pipe, and not a file"):
            reading(str(tmp_path / name))
    with pytest.raises(FileError, match="is a folder, and not a file"):
        hn.load(f"{tmp_path / 'folder.py'}:Game")
    with pytest.raises(FileError, match="there is no file"):
        hn.load(str(tmp_path / "none.efg"))
    with pytest.raises(FileError, match="null"):
        hn.load("\0.efg")
