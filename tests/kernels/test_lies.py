"""Compiled rules that begin to lie once everybody trusts them: whoever plays them says so, and is not hurt."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.certificates.choosing import certification
from hannan.forms.boxing import boxed
from hannan.forms.expanding import expand
from hannan.measures.responses.searching import Search, SearchPlayer
from hannan.neural.encoding import encoding_of
from hannan.neural.traversals import Traversals, keys
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END
from hannan.strategies.policy import Policy
from hannan.treesearch.backward import BackwardInduction
from hannan.treesearch.searcher import Searcher
from tests.neural.plays import uniform_play

# Chance draws, both see it and choose at once, then play ends. State: the number of moves, what chance drew, and one
# choice each. The first word of the table is the number of a lie, or 0.

(
    WRONG_TURN,
    LOW_TURN,
    NO_ACTIONS,
    MANY_ACTIONS,
    SAME_ACTIONS,
    NO_CHANCE,
    LARGE,
    NAN,
    BESIDE_STATE,
    BESIDE_GAINS,
    BEFORE_STATE,
) = range(1, 12)


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    if state[0] == 1 and table[0] == 1:
        return 1 << 5 | 3
    if state[0] == 1 and table[0] == 2:
        return -5
    return CHANCE if state[0] == 0 else END if state[0] == 2 else 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 0, 0 if table[0] == 5 else 1
    return -1 if table[0] == 3 else 3 if table[0] == 4 else 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for side in range(2):
        out[side] = side
        probabilities[side] = 0.5
    return -1 if table[0] == 6 else 2


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    if state[0] == 1:
        state[1] = choice[0]
    else:
        state[2], state[3] = choice[0], choice[1]
    if table[0] == 9:
        for k in range(4, 900):
            state[k] = 7
    if table[0] == 11 and state[0] == 2:
        state[table[0] - 12] = 7


def observe(table: Longs, state: Longs, player: int) -> int:
    seen: int = state[1]
    return seen


def gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2:
        out[0] = 1.0 if state[2] == state[3] else -1.0
        if table[0] == 7:
            out[0] = 1e300
        if table[0] == 8:
            out[0] = math.nan
        out[1] = -out[0]
        if table[0] == 10:
            out[5] = 1.0


def pennies() -> CompiledRules:
    """Return rules that tell the truth, so far."""
    book = Rulebook(start, turn, actions, chance, move, observe, gains)
    rules = CompiledRules("pennies", 2, book, np.zeros(1, np.int64), state_size=4, width=2)
    rules.table.setflags(write=True)
    return rules


Lie = Callable[[], None]


def expanded(rules: CompiledRules, lie: Lie) -> None:
    lie()
    expand(rules)


def sampled(rules: CompiledRules, lie: Lie) -> None:
    solver = hn.OutcomeSampling(hn.load(rules), on="rules", seed=1)
    lie()
    solver.run(50)


def searched(rules: CompiledRules, lie: Lie) -> None:
    searcher = Searcher(rules, bounds=(-1.0, 1.0))
    lie()
    searcher.run(50)


def proven(rules: CompiledRules, lie: Lie) -> None:
    solver = BackwardInduction(rules)
    lie()
    solver.run(1)


def traversed(rules: CompiledRules, lie: Lie) -> None:
    game = hn.load(rules).played()
    walks = Traversals(game, encoding_of(game))
    lie()
    walks.run(0, keys(1, 1, 0, 50), uniform_play)


def believed(rules: CompiledRules, lie: Lie) -> None:
    seat = SearchPlayer("one", Policy.uniform(hn.load(rules).played()), Search(simulations=20)).sit(0, 1)
    lie()
    seat.choose(0, [0, 1])


def matched(rules: CompiledRules, lie: Lie) -> None:
    policy = Policy.uniform(hn.load(rules).played())
    lie()
    hn.match(rules, policy, policy, games=20)


def certified(rules: CompiledRules, lie: Lie) -> None:
    told = boxed(rules, bounds=(-1.0, 1.0))
    work = certification(told.box, method="mccfr", bounds=told.range)
    lie()
    work.advance(20)


LIES = {
    "a player that there is not": (WRONG_TURN, r"turn\(\) returned"),
    "a turn below chance": (LOW_TURN, r"turn\(\) returned"),
    "minus one action": (NO_ACTIONS, "has no action|there are -1"),
    "more actions than width": (MANY_ACTIONS, r"announced \(width=2\)|width of the rules|there are 3"),
    "an action twice": (SAME_ACTIONS, "listed twice"),
    "minus one outcome": (NO_CHANCE, "do not sum to 1|has no action|there are -1"),
    "a gain of 1e300": (LARGE, r"larger than 1e\+150|bounds"),
    "a gain that is no number": (NAN, "not a finite number|larger than"),
    "writing beside the state": (BESIDE_STATE, "writes beside the arrays|index"),
    "writing before the state": (BEFORE_STATE, "writes beside the arrays|index"),
    "writing beside the gains": (BESIDE_GAINS, "writes beside the arrays|index"),
}

PARTIES = [expanded, sampled, searched, proven, traversed, believed, matched, certified]


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party.__name__)
def test_a_sentence_for_every_lie(party: Any, lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hannan.forms.expanding.try_rules", lambda rules: None)
    rules, (number, sentence) = pennies(), LIES[lie]
    with pytest.raises(hn.HannanError, match=sentence):
        party(rules, lambda: rules.table.__setitem__(0, number))


@pytest.mark.parametrize("party", PARTIES, ids=lambda party: party.__name__)
def test_the_truth_is_played(party: Any) -> None:
    party(pennies(), lambda: None)
