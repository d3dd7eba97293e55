"""`CHANCE` and `END` mean the same in plain rules and in compiled ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.forms.expansion import expand
from hannan.rules.checks import check_rules
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END
from tests.averages import average_of
from tests.games.checks import assert_same_tree
from tests.plaingames import Coins, Lottery, Over

# The coins game of tests.plaingames, compiled. State: the number of moves, and each of the first three.


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    if state[0] == 0:
        return CHANCE
    return END if state[0] == 3 else 1 << (state[0] - 1)


def bare_turn(table: Longs, state: Longs) -> int:
    """As `turn`, in bits: at chance there are none."""
    if state[0] == 0:
        return 0
    return -1 if state[0] == 3 else 1 << (state[0] - 1)


def nonsense_turn(table: Longs, state: Longs) -> int:
    return -3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0] = 0
    out[1] = 1
    return 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for side in range(2):
        out[side] = side
        probabilities[side] = 0.5
    return 2


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    state[state[0]] = choice[0]


def observe(table: Longs, state: Longs, player: int) -> int:
    seen: int = state[1 + player]
    return seen


def gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2 and state[2] == 0:
        out[0] = 0.25
    if state[0] == 3:
        out[1] = 1.0 if state[1] == state[3] else 0.0
        out[0] = 1.0 - out[1]


def coins(function: Any) -> CompiledRules:
    book = Rulebook(start, function, actions, chance, move, observe, gains)
    return CompiledRules("coins", 2, book, np.zeros(1, np.int64), state_size=4, width=2)


@pytest.mark.parametrize("function", [turn, bare_turn])
def test_compiled_rules_take_the_constants(function: Any) -> None:
    assert_same_tree(expand(coins(function)), expand(Coins()))
    assert check_rules(coins(function)).histories == 15


def test_sampling_on_compiled_rules_takes_them_too() -> None:
    ours, bare = (
        hn.methods.OutcomeSampling(hn.load(coins(function)), over="rules", seed=3) for function in (turn, bare_turn)
    )
    for solver in (ours, bare):
        solver.run(200)
    for mine, yours in zip(average_of(ours).strategies, average_of(bare).strategies, strict=True):
        np.testing.assert_array_equal(mine, yours)


def test_other_numbers_are_refused() -> None:
    with pytest.raises(
        hn.errors.RulesError, match=r"node r: turn\(\) returned -3; it may be END, CHANCE, a player below 2"
    ):
        expand(coins(nonsense_turn))


@pytest.mark.parametrize("rules", [Over(), Lottery()])
def test_nobody_ever_decides(rules: hn.Rules) -> None:
    checked = check_rules(rules)
    assert checked.decisions == 0
    assert str(checked).endswith("but no player ever acts")


def test_somebody_decides() -> None:
    """By hand: at 2 nodes player 0, at 4 player 1."""
    checked = check_rules(Coins())
    assert checked.decisions == 6
    assert "nobody" not in str(checked)
