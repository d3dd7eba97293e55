"""Machine code in the cache is never older than any source that it was made of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hannan.kernels import inlined, shared, stamps
from hannan.kernels.fullwidth import passes

CALLEE = """
from hannan.kernels import {decorator}

@{decorator}
def number():
    return {number}
"""

CALLER = """
from hannan.kernels import kernel
{imported}

@kernel
def middle():
    return {name}() + 0

@kernel
def answer():
    return 10 * middle()

print(answer(), len(answer.stats.cache_hits))
"""


def run(folder: Path) -> list[int]:
    source = str(Path(stamps.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", "import caller"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
def test_a_change_in_another_file_is_noticed(tmp_path: Path) -> None:
    """Whichever way the other file is imported, and whichever way its kernel is compiled: four callers at once."""
    ways = [
        (decorator, imported, name)
        for decorator in ("kernel", "inlined", "shared")
        for imported, name in (("from {} import number", "number"), ("import {}", "{}.number"))
    ]

    def write(number: int) -> None:
        for k, (decorator, _, _) in enumerate(ways):
            (tmp_path / f"callee{k}.py").write_text(CALLEE.format(number=number, decorator=decorator))

    for k, (_, imported, name) in enumerate(ways):
        text = CALLER.format(imported=imported.format(f"callee{k}"), name=name.format(f"callee{k}"))
        (tmp_path / f"caller{k}.py").write_text(text)
    (tmp_path / "caller.py").write_text("".join(f"import caller{k}\n" for k in range(len(ways))))
    write(1)
    assert run(tmp_path) == [10, 0] * len(ways)
    assert run(tmp_path) == [10, 1] * len(ways)  # from the cache
    write(2)
    assert run(tmp_path) == [20, 0] * len(ways)  # the callers' own files have not changed


def test_python_cannot_call_what_is_part_of_its_callers() -> None:
    """There is no entry for it; what is shared has one."""

    def plus_one(x: int) -> int:
        return x + 1

    with pytest.raises(TypeError, match="plus_one is made part of its callers, and Python cannot call it"):
        inlined(plus_one)(1)
    assert shared(plus_one)(1) == 2


def test_any_file_under_kernels_counts(tmp_path: Path) -> None:
    copy = tmp_path / "kernels"
    shutil.copytree(stamps.KERNELS, copy)
    assert stamps.folder_digest(copy) == stamps.folder_digest(stamps.KERNELS)
    for path in sorted(copy.rglob("*.py")):
        before = path.read_text()
        path.write_text(before + "\nEXTRA = 1\n")
        stamps.folder_digest.cache_clear()
        assert stamps.folder_digest(copy) != stamps.folder_digest(stamps.KERNELS), path
        path.write_text(before)


def test_kernels_are_stamped() -> None:
    """The stamp of each kernel of ours has the digest of the folder in it."""
    digest = stamps.folder_digest(stamps.KERNELS)
    assert digest in passes.gradient._cache._cache_file._source_stamp  # type: ignore[attr-defined]


@pytest.mark.slow
def test_files_that_cannot_be_read_are_made_again(tmp_path: Path) -> None:
    """The index without its end, the code without its end, and both cut in half."""
    (tmp_path / "caller.py").write_text(CALLER.format(imported="from callee import number", name="number"))
    (tmp_path / "callee.py").write_text(CALLEE.format(number=1, decorator="kernel"))
    assert run(tmp_path) == [10, 0]
    for kind, share in (("nbi", 0.0), ("nbc", 0.0), ("nb?", 0.5)):
        paths = list((tmp_path / "__pycache__").glob(f"*.{kind}"))
        assert paths
        for path in paths:
            path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size) or -20])
        assert run(tmp_path) == [10, 0]
    assert run(tmp_path) == [10, 1]


LOCKED = """
import errno, os, sys
from numba.core import caching

def refuse(self, *rest):
    raise OSError(errno.EROFS if sys.argv[1] == "read-only" else errno.ENOSPC, sys.argv[1])

if sys.argv[1] == "read-only":
    caching._CacheLocator.ensure_cache_path = refuse
else:
    caching.IndexDataCacheFile.save = refuse
from hannan.kernels import kernel
import caller
"""


@pytest.mark.slow
@pytest.mark.parametrize("why", ["read-only", "disk is full"])
def test_without_a_cache_everything_runs_and_it_is_said_once(why: str, tmp_path: Path) -> None:
    """Install and home that cannot be written, and a disk that is full when compiled code should be kept."""
    (tmp_path / "caller.py").write_text(CALLER.format(imported="from callee import number", name="number"))
    (tmp_path / "callee.py").write_text(CALLEE.format(number=1, decorator="kernel"))
    source = str(Path(stamps.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", LOCKED, why],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["10", "0"]
    assert done.stderr.count("compiled code cannot be kept here") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in done.stderr


PROMPT = """
import numpy as np
import hannan as hn
from hannan.rules.compiled import CompiledRules, Rulebook

def start(table, state): pass
def turn(table, state): return -1 if state[0] else 1
def actions(table, state, player, out):
    out[0], out[1] = 0, 1
    return 2
def chance(table, state, out, probabilities): return 0
def move(table, state, choice): state[0] = choice[0] + 1
def observe(table, state, player): return 0
def gains(table, state, out): out[0] = float(state[0])

rules = CompiledRules("typed", 1, Rulebook(start, turn, actions, chance, move, observe, gains),
                      np.zeros(1, np.int64), state_size=1, width=2)
print(hn.load(rules).expanded().tree.nodes)
"""


@pytest.mark.slow
def test_rules_typed_into_a_prompt() -> None:
    """Their functions come from no file: they are compiled, not kept, and nobody is told about caches."""
    source = str(Path(stamps.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-"],
        input=PROMPT,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["3"]
    assert "NUMBA_CACHE_DIR" not in done.stderr
