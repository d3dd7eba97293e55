"""Compiled rules that begin to lie once everybody trusts them: whoever plays them says so, and is not hurt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END
from tests.rules.test_promises import USERS, checked, responded, stepped

# Chance draws, both see it and choose at once, then play ends. State: the number of moves, what chance drew, and one
# choice each. The first word of the table is the number of a lie, or 0.

NO_ACTIONS, NO_CHANCE, BESIDE_STATE, BESIDE_GAINS, BEFORE_STATE = range(1, 6)


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    return CHANCE if state[0] == 0 else END if state[0] == 2 else 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 0, 1
    return -1 if table[0] == 1 else 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for side in range(2):
        out[side] = side
        probabilities[side] = 0.5
    return -1 if table[0] == 2 else 2


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    if state[0] == 1:
        state[1] = choice[0]
    else:
        state[2], state[3] = choice[0], choice[1]
    if table[0] == 3:
        for k in range(4, 900):
            state[k] = 7
    if table[0] == 5 and state[0] == 2:
        state[table[0] - 6] = 7


def observe(table: Longs, state: Longs, player: int) -> int:
    seen: int = state[1]
    return seen


def gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2:
        out[0] = 1.0 if state[2] == state[3] else -1.0
        out[1] = -out[0]
        if table[0] == 4:
            out[5] = 1.0


def pennies() -> CompiledRules:
    """Return rules that tell the truth, so far."""
    book = Rulebook(start, turn, actions, chance, move, observe, gains)
    rules = CompiledRules("pennies", 2, book, np.zeros(1, np.int64), state_size=4, width=2)
    rules.table.setflags(write=True)
    return rules


LIES = {
    "minus one action": (NO_ACTIONS, "player 0 is to move and has no action"),
    "minus one outcome": (NO_CHANCE, "chance is to move and has no outcome"),
    "writing beside the state": (BESIDE_STATE, "writes outside of its arrays|index"),
    "writing before the state": (BEFORE_STATE, "writes outside of its arrays|index"),
    "writing beside the gains": (BESIDE_GAINS, "writes outside of its arrays|index"),
}

PARTIES = [user for user in USERS if user not in (stepped, responded, checked)]
"""Those who call compiled functions."""


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party.__name__)
def test_a_sentence_for_every_lie(party: Any, lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.forms.expansion.try_rules", lambda rules: None)
    rules, (number, sentence) = pennies(), LIES[lie]
    with pytest.raises(hn.HannanError, match=sentence):
        party(rules, lambda: rules.table.__setitem__(0, number))


@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party.__name__)
def test_the_truth_is_played(party: Any) -> None:
    party(pennies(), lambda: None)
