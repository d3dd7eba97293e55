"""Rules that lie: compiled ones that answer nonsense or reach beside their arrays, plain ones that return anything."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.expansion import expand
from hannan.forms.folded import fold
from hannan.rules.checks import check_rules
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.paths import menus_at, move_at, moves_at
from hannan.rules.plain import CHANCE, END, Rules
from tests.plaingames import Coins
from tests.rules import test_turns as sound


def far_turn(table: Longs, state: Longs) -> int:
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 3 else 1 << 3 | 1


def farther_turn(table: Longs, state: Longs) -> int:
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 3 else 1 << 20 | 1


def low_turn(table: Longs, state: Longs) -> int:
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 3 else -5


def minus_actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    return -1


def many_actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 0, 1
    return 3


def same_actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 1, 1
    return 2


def minus_chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    return -1


def same_chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    out[0], out[1] = 1, 1
    probabilities[0] = probabilities[1] = 0.5
    return 2


def large_gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 3:
        out[0], out[1] = 1e300, -1e300


def endless_gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 3:
        out[1] = math.inf


VALUES: dict[str, tuple[str, Any, str]] = {
    "a player that there is not": ("turn", far_turn, r"returned \(0, 3\)"),
    "a player far beyond": ("turn", farther_turn, r"returned \(0, 20\)"),
    "a turn below chance": ("turn", low_turn, "returned -5"),
    "minus one action": ("actions", minus_actions, "player 0 is to move and has no action"),
    "more actions than width": ("actions", many_actions, "there are 3 moves .* announced width=2"),
    "an action twice": ("actions", same_actions, "listed twice"),
    "minus one outcome": ("chance", minus_chance, "chance is to move and has no outcome"),
    "an outcome twice": ("chance", same_chance, "listed twice"),
    "a gain of 1e300": ("gains", large_gains, r"a gain is larger than 1e\+150"),
    "an infinite gain": ("gains", endless_gains, "not a finite number"),
}
"""What lies, and what checks of ordinary Python and the walks over compiled rules say."""


def lying(name: str, function: Any) -> CompiledRules:
    usual = {
        field: getattr(sound, field) for field in ("start", "turn", "actions", "chance", "move", "observe", "gains")
    }
    return CompiledRules(
        "coins", 2, Rulebook(**{**usual, name: function}), np.zeros(1, np.int64), state_size=4, width=2
    )


def sampled(rules: CompiledRules) -> None:
    hn.methods.OutcomeSampling(hn.load(rules), over="rules", seed=1).run(50)


@pytest.mark.parametrize("case", VALUES)
def test_wrong_values_are_refused_by_checks(case: str) -> None:
    name, function, sentence = VALUES[case]
    for check in (check_rules, expand, sampled):
        with pytest.raises(hn.errors.RulesError, match=f"node r.*{sentence}"):
            check(lying(name, function))


@pytest.mark.parametrize("case", VALUES)
def test_wrong_values_are_refused_by_the_walks_themselves(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no trial has found them: on the way to the tree, and while sampling."""
    name, function, sentence = VALUES[case]
    monkeypatch.setattr(CompiledRules, "ours", True)
    monkeypatch.setattr("hannan.forms.loader.is_small", lambda rules: False)
    checks: list[Callable[[CompiledRules], Any]] = []
    if case != "an outcome twice":  # which is as probable as both together: only checks look for it
        checks += [expand, sampled]
    for check in checks:
        with pytest.raises(hn.errors.RulesError, match=f"node r.*{sentence}"):
            check(lying(name, function))


def before_the_state(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    state[state[0]] = choice[0]
    state[state[0] - 4] = 5


def after_the_state(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    state[state[0]] = choice[0]
    state[state[0] + 3] = choice[0]


def beside_the_gains(table: Longs, state: Longs, out: Floats) -> None:
    out[2 + state[0]] = 1.0


def reading_observe(table: Longs, state: Longs, player: int) -> int:
    seen: int = state[4 + player]
    return seen


def changing_turn(table: Longs, state: Longs) -> int:
    state[3] = 7
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 3 else 1 << (state[0] - 1)


def changed_table(table: Longs, state: Longs, player: int) -> int:
    table[0] = 1
    seen: int = state[1 + player]
    return seen


BESIDE: dict[str, tuple[str, Any, str]] = {
    "before the state": ("move", before_the_state, r"(move|after)\(\)"),
    "after the state": ("move", after_the_state, r"(move|after)\(\)"),
    "beside the gains": ("gains", beside_the_gains, r"gains\(\)"),
    "reading beside the state": ("observe", reading_observe, r"observe\(\)"),
    "writing where it should read": ("turn", changing_turn, r"turn\(\), compiled, changes the table, or a state"),
    "writing to the table": ("observe", changed_table, r"observe\(\)"),
}


@pytest.mark.parametrize("case", BESIDE)
def test_reaching_beside_an_array_is_refused(case: str) -> None:
    """In ordinary Python some of it is an IndexError, and some, counted from the end, nothing at all."""
    name, function, sentence = BESIDE[case]
    for check in (check_rules, expand, fold, sampled):
        with pytest.raises(hn.errors.RulesError, match=f"node r.*{sentence}"):
            check(lying(name, function))


class Joint(Rules):
    """Two players choose at once among many actions."""

    def __init__(self, each: int) -> None:
        self.each, self.name = each, "joint"

    def start(self) -> tuple[int, ...]:
        return ()

    def turn(self, state: tuple[int, ...]) -> int | tuple[int, ...]:
        return END if state else (0, 1)

    def actions(self, state: tuple[int, ...], player: int) -> range:
        return range(self.each)

    def after(self, state: tuple[int, ...], move: tuple[int, ...]) -> tuple[int, ...]:
        return move

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return 0

    def gains(self, state: tuple[int, ...]) -> tuple[float, float]:
        return (1.0, -1.0) if state and state[0] == state[1] else (0.0, 0.0)


def test_joint_moves_are_counted_without_making_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """4,000,000 at one node: few of them may be made to find that they do not fit, or to play."""
    rules, made = Joint(2000), [0]
    usual = rules.after

    def after(state: Any, move: Any) -> Any:
        made[0] += 1
        return usual(state, move)

    monkeypatch.setattr(rules, "after", after)
    assert [len(menu) for _, menu in menus_at(rules, ())] == [2000, 2000]
    assert move_at(rules, (), 2001) == ((1, 1), "(1,1)")
    with pytest.raises(
        hn.errors.SizeError, match=r"joint with these parameters has about .* histories .*some 1,000 fit"
    ):
        expand(rules, limit=1000)
    monkeypatch.setattr("hannan.memory.available", lambda: 10**8)
    with pytest.raises(hn.errors.SizeError, match="the 4,000,000 joint moves at one history of joint"):
        fold(rules)
    monkeypatch.undo()
    monkeypatch.setattr(rules, "after", after)
    assert not check_rules(rules, most=1000).complete
    hn.methods.OutcomeSampling(rules, over="rules").run(20)
    assert made[0] < 10_000
    with pytest.raises(
        hn.errors.RulesError, match=r"there are 81,000,000 joint moves; at most 67,108,863 can be numbered"
    ):
        check_rules(Joint(9000))
    assert [text for _, text in moves_at(Joint(2), ())] == ["(0,0)", "(0,1)", "(1,0)", "(1,1)"]


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def leaving(*_: Any) -> Any:
    sys.exit("enough")


def mute(*_: Any) -> Any:
    raise MuteError


PLAIN: dict[str, tuple[str, Any, str]] = {
    "gains in a dictionary": (
        "gains",
        lambda self, state: {0: 1.0, 1: -1.0},
        r"gains\(\) returned \{0: 1.0, 1: -1.0\}",
    ),
    "gains in a set": ("gains", lambda self, state: {1.0, 2.0}, r"gains\(\) returned \{1.0, 2.0\}"),
    "gains in a text": ("gains", lambda self, state: "12", r"gains\(\) returned '12'"),
    "gains of many digits": ("gains", lambda self, state: [10**5000, 0], r"gains\(\) returned <list>"),
    "chance in a dictionary": ("chance", lambda self, state: {"H": 0.5, "T": 0.5}, r"chance\(\) r"),
    "sys.exit": ("after", leaving, "raised SystemExit: enough"),
    "sys.exit at the start": ("start", leaving, "raised SystemExit: enough"),
    "sys.exit in gains": ("gains", leaving, "raised SystemExit: enough"),
    "an error without words": ("after", mute, "raised MuteError"),
    "no players": ("players", 0, "players is 0; it should be 1 to 14"),
    "two and a half players": ("players", 2.5, "players is 2.5"),
    "players in words": ("players", "two", "players is 'two'"),
    "too many players": ("players", 15, "players is 15"),
}


@pytest.mark.parametrize("case", PLAIN)
def test_plain_rules_that_lie(case: str) -> None:
    name, lie, sentence = PLAIN[case]
    rules = type("Lying", (Coins,), {name: lie})()
    for check in (check_rules, expand, fold, lambda rules: hn.methods.OutcomeSampling(rules, over="rules").run(5)):
        with pytest.raises(hn.errors.RulesError, match=sentence):
            check(rules)


@pytest.mark.parametrize("text", ["import sys; sys.exit()", "raise SystemExit(3)"])
def test_a_rules_file_that_exits(text: str, tmp_path: Any) -> None:
    (tmp_path / "leaving.py").write_text(text)
    with pytest.raises(hn.errors.FileError, match=r"leaving.py could not be imported: SystemExit"):
        hn.load(f"{tmp_path}/leaving.py:Rules")


def test_a_number_of_players_that_raises() -> None:
    class Shy(hn.Rules):
        players = property(lambda rules: 1 / 0)

        def start(self) -> Any:
            return ()

        def turn(self, state: Any) -> int:
            return hn.END

        def actions(self, state: Any, player: int) -> Any:
            return []

        def after(self, state: Any, move: Any) -> Any:
            return state

        def observe(self, state: Any, player: int) -> Any:
            return None

    asking: list[Callable[[hn.Rules], Any]] = [hn.load, hn.check_game]
    for ask in asking:
        with pytest.raises(hn.errors.RulesError, match=r"Shy\.players raised ZeroDivisionError"):
            ask(Shy())


def test_a_module_that_raises_when_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "shy.py"
    path.write_text("def __getattr__(name): raise ValueError('no')", encoding="utf-8")
    for address in (f"{path}:Game", f"module:{path}:Game"):
        with pytest.raises(hn.errors.FileError, match="looking up 'Game' raised ValueError: no"):
            hn.load(address)
