"""Files carry a digest over all that they hold: what was changed is refused, what is older is read and said."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.files import OldFileWarning, digest, read_arrays, write_arrays
from hannan.runs.log import read_log
from tests.fuzz.changes import changed

ARRAYS = {"a": np.arange(3.0), "empty": np.zeros((0, 4), np.int32), "flags": np.array([True, False])}
OLD = Path(__file__).parent / "runs" / "files" / "0.1.0"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Keys that are numbers become words, in whichever order JSON sorts them; NaN and infinities stay."""
    facts = {"by number": {2: "b", 10: "a"}, "nan": np.nan, "inf": -np.inf, "surrogate": "\ud800", "nested": [[1], {}]}
    write_arrays(tmp_path / "x", "thing", ARRAYS, facts)
    arrays, back = read_arrays(tmp_path / "x", "thing")
    assert back["by number"] == {"2": "b", "10": "a"}
    assert np.isnan(back["nan"])
    assert (back["inf"], back["surrogate"], back["nested"]) == (-np.inf, "\ud800", [[1], {}])
    assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())


@pytest.mark.parametrize(
    "change",
    [["number", "a", 1, 7], ["lose", "empty"], ["fact", ["n"], 2], ["fact", ["m"], 1], ["drop", ["n"]],
     ["type", "a", "float32"], ["shape", "a", [1]]],
    ids=str,
)  # fmt: skip
def test_whatever_is_changed_shows(change: list[Any], tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", "thing", ARRAYS, {"n": 1})
    (tmp_path / "x").write_bytes(changed(tmp_path / "x", [change], sealed=False))
    with pytest.raises(
        hn.errors.FileError, match="was changed after it was written, or is damaged: its digest does not fit"
    ):
        read_arrays(tmp_path / "x", "thing")


def test_the_digest_is_the_one_that_the_documents_state() -> None:
    import hashlib

    stated = hashlib.sha256(b"a <f8 (2,)\n" + np.array([1.0, 2.0]).tobytes() + b'{"facts": {}, "version": 1}')
    assert digest({"a": np.array([1.0, 2.0])}, {"version": 1, "facts": {}, "digest": "x"}) == stated.hexdigest()


@pytest.mark.parametrize("kind", ["float16", "complex64", "complex128"])
def test_types_that_no_file_has(kind: str, tmp_path: Path) -> None:
    if kind != "complex128":  # which safetensors does not write
        write_arrays(tmp_path / "x", "thing", {"a": np.zeros(2, kind)}, {})
        with pytest.raises(hn.errors.FileError, match=f"holds a as {kind}"):
            read_arrays(tmp_path / "x", "thing")


def test_older_files_are_read_and_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.files.said", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for _ in range(3):
            hn.resume(OLD / "cfr.checkpoint")
    assert [str(one.message).split(" is of an older version, without a digest")[0] for one in told] == [
        str(OLD / "cfr.checkpoint")
    ]
    with pytest.warns(OldFileWarning, match="run.log"):
        read_log(OLD / "run.log")


def test_lines_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    hn.solve("kuhn_poker", "cfr", iterations=6, log=path)
    lines = path.read_text().splitlines()
    read_log(path)
    other = {**json.loads(lines[2]), "gap": 0.0}
    for broken in (
        [*lines[:2], *lines[3:]],
        [lines[0], lines[2], lines[1], *lines[3:]],
        [*lines[:2], json.dumps(other), *lines[3:]],
        [*lines[:2], lines[2].replace("digest", "digesu"), *lines[3:]],
        [*lines[:2], *lines[1:]],
    ):
        path.write_text("".join(f"{line}\n" for line in broken))
        with pytest.raises(hn.errors.FileError, match=r"was changed after it was written.*\(line"):
            read_log(path)


def test_a_small_file_of_a_large_game_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game has about 300,000 histories; nothing of it may be expanded."""
    path = tmp_path / "x"
    game = {"name": "liars_dice", "parameters": hn.load("liars_dice").parameters}
    hn.save(hn.uniform("kuhn_poker"), path)
    arrays, facts = read_arrays(path, "strategy")
    write_arrays(path, "strategy", arrays, {**facts, "game": game["name"], "parameters": game["parameters"]})
    monkeypatch.setattr("hannan.forms.game.expand", lambda *_: pytest.fail("the game was expanded"))
    with pytest.raises(hn.errors.MismatchError, match="numbers, and liars_dice has more sequences: it does not fit"):
        hn.read(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a file without an end")
def test_a_device_is_not_read() -> None:
    with pytest.raises(hn.errors.FileError, match="/dev/zero is a device or a pipe"):
        read_log("/dev/zero")


def test_the_python_of_the_page_on_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parent.parent / "docs" / "reference" / "files.md"
    (block,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(block, {})
    assert capsys.readouterr().out.startswith("damaged.strategy was changed after it was written, or is damaged")
