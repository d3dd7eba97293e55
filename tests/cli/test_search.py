"""`hannan search`: one object of the agreed keys, files, and sentences for what it cannot do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.cli import main
from hannan.runs.search_work import KEYS


def ran(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_one_object_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: str(tmp_path / name) for name in ("out", "log", "checkpoint")}
    words = ["search", "biased_rps", "--rule", "rm-mean", "--gamma", "0.2", "--iterations", "1e4", "--json"]
    code, out, _ = ran([*words, *(word for name, path in files.items() for word in (f"--{name}", path))], capsys)
    record: dict[str, Any] = json.loads(out)
    assert code == 0
    assert tuple(record) == KEYS
    assert (record["iterations"], record["stop"], record["parameters"]["gamma"]) == (10_000, "iterations", 0.2)
    assert sum(record["frequencies"][0].values()) == pytest.approx(1)
    measured = hn.evaluate("biased_rps", hn.read(files["out"]))
    assert measured.nash_conv == pytest.approx(record["nash_conv"])
    lines = [json.loads(line) for line in Path(files["log"]).read_text().splitlines()]
    assert lines[0]["method"] == "search(rm-mean)"
    assert lines[-1]["stop"] == "iterations"
    code, out, _ = ran(["search", "--resume", files["checkpoint"], "--iterations", "2e4", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["iterations"] == 20_000


def test_people_read_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["search", "goofspiel(cards=3,information=open,order=descending)", "--at", "(1,2)", "--iterations", "500"]
    code, out, _ = ran(words, capsys)
    assert code == 0
    assert "after (1,2)" in out
    assert "player 0 plays" in out
    code, out, _ = ran([*words, "--no-measure"], capsys)
    assert code == 0
    assert "value, exact" not in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["biased_rps", "--gamma", "1.1"], "gamma=1.1 is out of range"),
        (["kuhn_poker", "--iterations", "10"], "cannot tell r:"),
        (["biased_rps", "--rule", "ucb"], "rule='ucb' is not known"),
        (["biased_rps", "--tree", "half"], '"half" for --tree. Choose from: "incremental", "full"'),
        ([], "name the game to search"),
        (["biased_rps", "--rollout", "nothing"], "should be file.py:function"),
    ],
)
def test_what_it_cannot_do_is_a_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(["search", *words], capsys)
    assert code == 2
    assert sentence in err


def test_a_policy_from_a_file_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "play.py").write_text("def first(state, player):\n    return [0.5, 0.6]\n")
    words = ["search", "random_game(depth=2,branching=2)", "--rollout", f"{tmp_path / 'play.py'}:first"]
    code, _, err = ran(words, capsys)
    assert code == 2
    assert "it should return 2 probabilities that sum to 1" in err


def test_a_policy_that_returns_no_distribution_leaves_the_tree_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.py"
    policy.write_text("asked = 0\n\ndef tired(state, player):\n    global asked\n    asked += 1\n"
                      "    return [0.5, 0.5] if asked < 20 else [0.9, 0.2]\n")  # fmt: skip
    kept = tmp_path / "kept"
    words = [
        "search",
        "random_game(depth=3)",
        "--rule",
        "rm",
        "--rollout",
        f"{policy}:tired",
        "--checkpoint",
        str(kept),
    ]
    code, _, err = ran(words, capsys)
    assert code == 2
    assert "returned [0.9, 0.2] for player" in err
    policy.write_text("def tired(state, player):\n    return [0.5, 0.5]\n")
    code, out, _ = ran(
        ["search", "--resume", str(kept), "--iterations", "100", "--rollout", f"{policy}:tired", "--json"], capsys
    )
    assert code == 0
    assert json.loads(out)["iterations"] == 100


def test_a_search_plays_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    game, player = "goofspiel(cards=3,information=open)", "search(rule='rm-mean',iterations=50)"
    code, out, _ = ran(["match", game, player, "uniform", "--games", "4", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["players"] == [player, "uniform"]
    code, _, err = ran(["match", "kuhn_poker", player, "uniform", "--games", "4"], capsys)
    assert code == 2
    assert "cannot tell r:" in err
