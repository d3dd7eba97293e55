"""Rules go through pickle: built-in games as a call, others by the names of their functions, or by value."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.kuhn_poker import kuhn_poker
from hannan.games.matrix import matrix_game
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import CHANCE
from tests.games.checks import assert_same_tree, load
from tests.rules.test_compilation import game

NEEDED = {"matrix_game": "matrix_game(payoffs=[[1,2],[0,3]])", "tic_tac_toe": "tic_tac_toe"}


def copied(rules: CompiledRules) -> CompiledRules:
    made = pickle.loads(pickle.dumps(rules))
    assert isinstance(made, CompiledRules)
    return made


@pytest.mark.parametrize("name", sorted(set(catalogue.MODULES) - set(catalogue.PUBLIC)))
def test_every_compiled_game(name: str) -> None:
    rules = load(NEEDED.get(name, name))
    made = copied(rules)
    assert made.book is rules.book
    assert (made.name, made.players, made.width) == (rules.name, rules.players, rules.width)
    np.testing.assert_array_equal(made.table, rules.table)
    state = rules.start()
    assert made.start() == state
    player = CHANCE if rules.turn(state) == CHANCE else 0
    actions = rules.actions(state, 0) if player == 0 else [outcome for outcome, _ in rules.chance(state)]
    assert [made.action_text(player, a) for a in actions] == [rules.action_text(player, a) for a in actions]


def test_parameters_are_kept_as_they_were() -> None:
    payoffs = [[1.0, 2.0], [3.0, 4.0]]
    rules = matrix_game(payoffs)
    payoffs[0][0] = 9.0
    assert copied(rules).gains((1, 0)) == rules.gains((1, 0)) == [1.0, -1.0]
    assert copied(copied(rules)).recipe is not None


def test_a_game_of_ones_own() -> None:
    """Functions at the top of a module travel by name, so that nothing is compiled again."""
    rules = game()
    made = copied(rules)
    assert made.book == rules.book
    assert not made.table.flags.writeable
    assert_same_tree(expand(made), expand(rules))


def test_names_that_are_closures() -> None:
    words = ["left", "right"]
    plain = game()
    rules = CompiledRules(
        "named",
        1,
        plain.book,
        np.zeros(1, np.int64),
        state_size=1,
        width=2,
        action_text=lambda player, action: words[action],
    )
    assert copied(rules).action_text(0, 1) == "right"


def nodes(rules: CompiledRules) -> int:
    return expand(rules).nodes


@pytest.mark.slow
def test_another_process() -> None:
    """By hand: 3 nodes of the game here; 58 histories of Kuhn poker (OpenSpiel)."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert [*pool.map(nodes, [game(), kuhn_poker()])] == [3, 58]
