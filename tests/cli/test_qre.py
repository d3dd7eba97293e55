"""`hannan qre`: the record as JSON, tables for people, files by their endings."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import hannan as hn
from hannan.cli import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as stop:
        main(["qre", *words])
    told = capsys.readouterr()
    assert stop.value.code == 0, told.err
    return told.out


def test_json_is_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(run(capsys, "kuhn_poker", "--lambda", "2", "--json"))
    assert record == json.loads(json.dumps(hn.qre("kuhn_poker", lambda_=2.0).record()))
    assert record["lambda"] == 2
    assert record["path"] is None


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "kuhn_poker", "--path")
    assert "A Nash equilibrium is next to it" in " ".join(out.split())
    assert "at the equilibrium" in out


def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, strategy = tmp_path / "branch.csv", tmp_path / "kuhn.strategy"
    run(capsys, "kuhn_poker", "--max-lambda", "3", "--out", str(table))
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["lambda", "choice", "action", "probability"]
    first = [row for row in rows if float(row["lambda"]) == 0]
    assert len(first) == 24
    assert {row["probability"] for row in first} == {"0.5"}
    assert float(rows[-1]["lambda"]) == 3
    run(capsys, "kuhn_poker", "--lambda", "3", "--out", str(strategy))
    assert hn.read(strategy).profile().strategies[0][0] == 1


def test_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    seen, picture = tmp_path / "seen.csv", tmp_path / "branch.svg"
    seen.write_text("player,action,count\n0,0,30\n0,1,20\n1,0,15\n1,1,35\n", encoding="utf-8")
    game = "matrix_game(payoffs=[[[9,0],[0,1]],[[0,1],[1,0]]])"
    out = run(capsys, game, "--data", str(seen), "--out", str(picture))
    assert "standard error" in out
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_a_picture_of_one_point_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(SystemExit) as stop:
        main(["qre", "kuhn_poker", "--lambda", "1", "--out", str(tmp_path / "one.png")])
    assert stop.value.code == 2
    assert "leave one of them out" in capsys.readouterr().err
