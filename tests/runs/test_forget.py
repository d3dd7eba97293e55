"""Solving with `forget`: commands, files, stops and resumes, locks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import FileError, MismatchError, ParameterError, UnknownNameError
from hannan.files import read_arrays, write_arrays
from hannan.forms.coarsening import forget
from tests.forgetting import Scaled, betting, stakes, suits

MAPS = """
def suits(player, name):
    return name.replace("s", "").replace("h", "")

def other(player, name):
    return name.replace("s", "x").replace("h", "x") if player else name
"""
KEYS = {
    "recall", "abstraction", "full_sets", "abstract_sets", "regrets", "regret_bounds", "abstract_gains",
    "abstract_gain_bounds", "abstract_nash_conv",
}  # fmt: skip


@pytest.fixture
def maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "maps.py"
    path.write_text(MAPS, encoding="utf-8")
    return path


def test_the_command_and_the_function_say_the_same(maps: Path, hannan: Any) -> None:
    words = ("solve", "leduc_poker", "--forget", "maps.py:suits", "--method", "cfr+", "--iterations", "20")
    record = hannan(*words, "--json", "--out", "s.strategy").record
    result = hn.solve("leduc_poker", "cfr+", forget=suits, iterations=20)
    assert record.keys() == result.record().keys()
    assert record.keys() >= KEYS
    skipped = ("seconds",)
    ours = json.loads(json.dumps(result.record()))
    assert {k: v for k, v in record.items() if k not in skipped} == {k: v for k, v in ours.items() if k not in skipped}
    saved = hn.read("s.strategy")
    assert saved.facts["abstraction"] == record["abstraction"]
    assert saved.game.address == "leduc_poker"
    assert hn.evaluate(saved).nash_conv == pytest.approx(record["nash_conv"], abs=1e-12)
    assert "well-formed" in hannan(*words).out
    assert hannan("show", "leduc_poker", "s.strategy", "--top", "2").out


def test_a_run_without_forget_has_no_such_keys() -> None:
    assert not KEYS & hn.solve("kuhn_poker", "cfr", iterations=2).record().keys()


def test_what_the_command_refuses(maps: Path, hannan: Any) -> None:
    for words, said in (
        (("--forget", "maps.py:suit"), "defines no 'suit'"),
        (("--forget", "maps"), "file.py:function"),
        (("--forget", "maps.py:suits", "--method", "lp"), "Full-width methods"),
    ):
        ran = hannan("solve", "leduc_poker", *words, "--iterations", "1")
        assert ran.code == 2
        assert said in " ".join(ran.err.split())


@pytest.mark.parametrize("method", ["cfr", "cfr+", "pdcfr+"])
def test_a_resumed_run_has_the_same_bits_and_needs_no_map(tmp_path: Path, method: str) -> None:
    path = tmp_path / "c.checkpoint"
    whole = hn.solve("leduc_poker", method, forget=betting, iterations=30, gap=0.0)
    hn.solve("leduc_poker", method, forget=betting, iterations=11, gap=0.0, checkpoint=path)
    rest = hn.solve(resume=path, iterations=30, gap=0.0)
    for ours, theirs in zip(rest.profile.strategies, whole.profile.strategies, strict=True):
        assert ours.tolist() == theirs.tolist()
    left = {"seconds"}
    assert {k: v for k, v in rest.record().items() if k not in left} == {
        k: v for k, v in whole.record().items() if k not in left
    }
    assert hn.read(path).profile().game.address == "leduc_poker"
    hn.solve(resume=path, forget=betting, iterations=12)
    with pytest.raises(MismatchError, match="was made without this map"):
        hn.solve(resume=path, forget=suits, iterations=12)
    with pytest.raises(ParameterError, match="leave locks out"):
        hn.solve(resume=path, locks={0: {"Js": {"c": 1.0, "r": 0.0}}}, iterations=12)


def test_a_map_comes_too_late_for_a_run_that_began_without_one(tmp_path: Path) -> None:
    path = tmp_path / "c.checkpoint"
    hn.solve("leduc_poker", "cfr", iterations=2, checkpoint=path)
    with pytest.raises(MismatchError, match="was made without this map"):
        hn.solve(resume=path, forget=suits, iterations=3)


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda numbers: numbers[:1],
        lambda numbers: [numbers[0], numbers[1][:-1]],
        lambda numbers: [[0] * 468, numbers[1]],
        lambda numbers: [[-1, *numbers[0][1:]], numbers[1]],
        lambda numbers: [["a", *numbers[0][1:]], numbers[1]],
        lambda numbers: "none",
        lambda numbers: 7,
    ],
)
def test_a_checkpoint_whose_map_was_changed_is_refused(tmp_path: Path, spoilt: Any) -> None:
    path = tmp_path / "c.checkpoint"
    hn.solve("leduc_poker", "cfr", forget=suits, iterations=2, checkpoint=path)
    arrays, facts = read_arrays(path, "checkpoint")
    write_arrays(path, "checkpoint", arrays, {**facts, "forget": spoilt(facts["forget"])})
    with pytest.raises(FileError):
        hn.solve(resume=path, iterations=3)


def test_a_checkpoint_of_a_map_is_no_checkpoint_of_other_methods(tmp_path: Path) -> None:
    """The name of a method that takes sets one by one, written into the file, passes over no tie."""
    path = tmp_path / "c.checkpoint"
    hn.solve("leduc_poker", "cfr", forget=suits, iterations=2, checkpoint=path)
    arrays, facts = read_arrays(path, "checkpoint")
    write_arrays(path, "checkpoint", arrays, {**facts, "method": "einr", "method_parameters": {}})
    with pytest.raises(hn.HannanError):
        hn.solve(resume=path, iterations=3)


def test_locks_and_forgetting_go_together(tmp_path: Path) -> None:
    """What is locked is locked, what is tied is tied, and numbers are those of the game with locks."""
    locks: Any = {0: {"Js": {"c": 0.25, "r": 0.75}, "Jh": {"c": 0.25, "r": 0.75}}}
    result = hn.solve("leduc_poker", "cfr+", forget=suits, locks=locks, iterations=40, checkpoint=tmp_path / "c")
    assert result.profile.game.address == "leduc_poker"
    assert result.profile.at(0, "Js") == {"c": 0.25, "r": 0.75}
    assert result.profile.at(1, "Qs c") == result.profile.at(1, "Qh c") if _has(result.profile, "Qs c") else True
    locked = hn.lock("leduc_poker", locks)
    assert result.nash_conv == pytest.approx(hn.evaluate(locked.project(result.profile)).nash_conv, abs=1e-12)
    rest = hn.solve(resume=tmp_path / "c", iterations=40)
    assert [one.tolist() for one in rest.profile.strategies] == [one.tolist() for one in result.profile.strategies]


def _has(profile: hn.Profile, name: str) -> bool:
    return bool(profile.game.sets_named(1, name))


def test_a_gambit_file_is_resumed_with_the_file(tmp_path: Path) -> None:
    hn.export_game(forget("leduc_poker", betting), tmp_path / "l.efg")
    whole = hn.solve(tmp_path / "l.efg", "cfr", iterations=9, gap=0.0)
    hn.solve(tmp_path / "l.efg", "cfr", iterations=4, gap=0.0, checkpoint=tmp_path / "c")
    rest = hn.solve(tmp_path / "l.efg", resume=tmp_path / "c", iterations=9, gap=0.0)
    assert [one.tolist() for one in rest.profile.strategies] == [one.tolist() for one in whole.profile.strategies]


def test_the_bound_that_is_proven_holds() -> None:
    """Stakes with noise: after 20,000 iterations regrets are below the bound and what regret matching may leave.

    At T iterations that is at most Δ·√(A/T) at each abstract set (Zinkevich et al. 2007), here 3 sets, Δ ≤ 6.4, A = 2.
    """
    result = hn.solve(forget(Scaled(0.05), stakes), "cfr", updates="simultaneous", iterations=20_000, gap=0.0)
    record = result.record()
    assert record["recall"] == "skew well-formed"
    assert record["regret_bounds"][0] > 0
    for regret, bound in zip(record["regrets"], record["regret_bounds"], strict=True):
        assert regret <= bound + 3 * 6.4 * (2 / 20_000) ** 0.5
    alternating = hn.solve(forget(Scaled(0.05), stakes), "cfr", updates="alternating", iterations=2, gap=0.0)
    assert alternating.record()["regret_bounds"] == (None, None)  # the proof is about simultaneous updates
    unproven = hn.solve(forget(Scaled(0.05), stakes), "hs-dcfr", horizon=9, updates="simultaneous", iterations=2)
    assert unproven.record()["regret_bounds"] == (None, None)


def test_suits_that_are_forgotten_cost_nothing() -> None:
    """The value of Leduc poker to player 0 is −0.085606424078."""
    result = hn.solve("leduc_poker", "cfr+", forget=suits, gap=2e-3, iterations=3000)
    assert result.stop == "gap"
    assert result.values[0] == pytest.approx(-0.085606424078, abs=2e-3)


def test_misspelt() -> None:
    with pytest.raises(UnknownNameError):
        hn.solve("kuhn_poker", forgets=suits)
