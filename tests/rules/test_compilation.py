"""`check_game` compiles compiled rules, their optional functions too, and says what is in the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats, Longs
from hannan.errors import RulesError
from hannan.rules.checks import check_rules
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import END


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    return END if state[0] else 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0] = 0
    out[1] = 1
    return 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    return 0


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] = 1 + choice[0]


def observe(table: Longs, state: Longs, player: int) -> int:
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    out[0] = state[0]


def sliced(table: Longs, state: Longs, out: Floats) -> None:
    out[:1] = 1.0


def from_the_end(table: Longs, state: Longs, out: Floats) -> None:
    out[0] = state[-1]


def slice_of_bounds(table: Longs, state: Longs, out: Floats) -> None:
    out[:2] = (0.0, 0.0) if state[0] else (1.0, 2.0)


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    out[0] = 0.0 if state[0] else 1.0
    out[1] = 0.0 if state[0] else 2.0


def game(gains: Callable[..., Any] = gains, bounds: Callable[..., Any] | None = None) -> CompiledRules:
    book = Rulebook(start, turn, actions, chance, move, observe, gains, bounds=bounds)
    return CompiledRules("two ends", 1, book, np.zeros(1, np.int64), state_size=1, width=2)


def test_rules_that_compile() -> None:
    rules = game(bounds=bounds)
    assert check_rules(rules).optional == ("bounds",)
    assert rules.compiled_optional("bounds") is not None
    assert rules.compiled_optional("position") is None
    assert rules.position((1,)) == (1,)
    assert rules.features((0,), 0) is None


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (game(sliced), r"gains\(\) of these rules cannot be compiled; .* one element at a time.*numba says: .*setitem"),
        (game(from_the_end), r"gains\(\) of these rules reads state\[-1\]; compiled functions do not support negative"),
        (game(bounds=slice_of_bounds), r"bounds\(\) of these rules cannot be compiled; .*numba says: .*setitem"),
    ],
)
def test_rules_that_do_not(rules: CompiledRules, sentence: str) -> None:
    with pytest.raises(RulesError, match=sentence):
        check_rules(rules)
