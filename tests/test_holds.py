"""One run per file: a second run on a file is refused before it writes, and a killed run blocks nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.experiments import reproduce
from hannan.holds import held, lock_of

BUSY = "is being written by a run that is under way; wait for its end, or give another file"


def test_a_file_is_held_once_at_a_time_under_every_name(tmp_path: Path) -> None:
    path, link = tmp_path / "x", tmp_path / "link"
    link.symlink_to(path)
    with held(path):
        for name in (path, str(path), link):
            with pytest.raises(hn.errors.FileError, match=BUSY), held(name):
                pass
        with held(tmp_path / "y"):
            pass
    with held(link):
        pass
    assert {one.name for one in tmp_path.iterdir()} == {"link"}


def test_names_too_long_for_a_lock_of_their_own_are_told_apart(tmp_path: Path) -> None:
    with held(tmp_path / ("a" * 250)), held(tmp_path / ("a" * 249 + "b")):
        assert len(list(tmp_path.iterdir())) == 2


def test_a_killed_run_leaves_nothing_that_blocks(tmp_path: Path) -> None:
    path = tmp_path / "x"
    code = (
        "import os, sys\nfrom hannan.holds import held\n"
        "with held(sys.argv[1]):\n    print(flush=True)\n    sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(hn.errors.FileError, match=BUSY), held(path):
            pass
        process.kill()
    assert lock_of(path).exists()
    with held(path):
        pass
    assert not lock_of(path).exists()


def _solve(path: Path) -> Any:
    return hn.solve("kuhn_poker", "cfr", iterations=3, checkpoint=path)


def _search(path: Path) -> Any:
    return hn.search("goofspiel(cards=3,information=open)", iterations=3, measure=False, checkpoint=path)


def _match(path: Path) -> Any:
    return hn.match("kuhn_poker", "uniform", "uniform", games=4, checkpoint=path)


def _record(path: Path) -> Any:
    return hn.match("kuhn_poker", "uniform", "uniform", games=4, record=path)


def _certify(path: Path) -> Any:
    return hn.certify("kuhn_poker", playthroughs=3, checkpoint=path)


@pytest.mark.parametrize("run", [_solve, _search, _match, _record, _certify])
def test_runs_refuse_a_file_that_another_one_holds(run: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"what the other run has saved")
    with held(path), pytest.raises(hn.errors.FileError, match=BUSY):
        run(path)
    assert path.read_bytes() == b"what the other run has saved"
    run(path)
    run(path)  # which it lets go of, too


def test_a_run_that_was_refused_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for _ in range(2):
        with pytest.raises(hn.errors.ParameterError):
            hn.solve("kuhn_poker", iterations=3, every=-1, checkpoint=path)
    assert not lock_of(path).exists()


def test_what_a_resumed_run_reads_cannot_change_before_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is held before it is read: else two runs could go on from one state, and one of them would be lost."""
    path = tmp_path / "x"
    _solve(path)
    from hannan.solvers.checkpoint import Checkpoint

    read, seen = Checkpoint.read, []

    def noting(*given: Any) -> Any:
        seen.append(lock_of(path).exists())
        return read(*given)

    monkeypatch.setattr(Checkpoint, "read", noting)
    hn.solve(resume=path, checkpoint=path, iterations=5)
    assert seen == [True]


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "kuhn_poker", "--iterations", "3", "--out"),
        ("solve", "kuhn_poker", "--iterations", "3", "--checkpoint"),
        ("certify", "kuhn_poker", "--playthroughs", "3", "--out"),
        ("match", "kuhn_poker", "uniform", "uniform", "--games", "4", "--record"),
        ("bench", "compile", "--quick", "--out"),
        ("play", "kuhn_poker", "uniform", "--record"),
    ],
    ids=lambda words: f"{words[0]} {words[-1]}",
)
def test_commands_refuse_a_file_that_another_run_holds(words: tuple[str, ...], hannan: Any, tmp_path: Path) -> None:
    path = tmp_path / "x"
    with held(path):
        ran = hannan(*words, str(path))
    assert (ran.code, ran.out) == (2, "")
    assert BUSY in ran.err
    assert not path.exists()


def test_one_figure_of_a_folder_is_made_by_one_run(tmp_path: Path) -> None:
    with held(tmp_path / "einr4.md"), pytest.raises(hn.errors.FileError, match=BUSY):
        next(reproduce("einr", "4", tmp_path, quick=True))
    assert not os.listdir(tmp_path)
