"""DREAM and ESCHER: guesses of any kind leave the mean alone; with learned ones both converge and resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Longs
from hannan.kernels.batches.moves import BASELINE
from hannan.neural.encoding import encoding_of
from hannan.neural.hauls import MenuRows
from hannan.neural.history_values import outcomes
from hannan.neural.traversals import EVERY_ACTION, Traversals, keys
from hannan.solvers import method_class
from tests.neural.plays import uniform_play
from tests.plaingames import Coins

METHODS = ("dream", "escher")


def guessing(walks: Traversals, player: int, chosen: Longs) -> None:
    """Play uniformly, and guess something that depends on the row alone."""
    uniform_play(walks, player, chosen)
    walks.rows.guess[chosen] = np.cos(walks.rows.known[chosen] @ np.arange(walks.row_size))[:, None] * [1.0, -2.0, 0.5]


@pytest.mark.parametrize("player", [0, 1])
def test_wrong_guesses_leave_the_mean_alone(player: int) -> None:
    """Uniform play in Kuhn poker: within 4 standard errors of the exact value, whatever was guessed."""
    game = hn.load("kuhn_poker").expanded()
    exact = hn.evaluate(game, hn.uniform(game)).values[player]
    walks = Traversals(game, encoding_of(game), everybody=True)
    walks.run(player, keys(1, 1, player, 6000), guessing, 1)
    walks.go_back(player, BASELINE)
    worth = walks.nodes.value[:6000, player]
    assert abs(worth.mean() - exact) < 4 * worth.std() / 6000**0.5


def test_regrets_that_are_guessed_are_those_of_the_guesses() -> None:
    game = hn.load("kuhn_poker").expanded()
    walks = Traversals(game, encoding_of(game), everybody=True)
    walks.run(0, keys(1, 1, 0, 50), guessing, 1)
    mine = walks.rows_of(0)
    said = np.arange(3.0) + np.arange(len(mine))[:, None] ** 2  # by head
    regrets = MenuRows.of(walks, mine).regrets(said)
    for row, number in enumerate(mine):
        heads = walks.rows.head[number, : walks.rows.size[number]]
        np.testing.assert_allclose(regrets[row, heads], said[row, heads] - said[row, heads].mean(), atol=1e-12)
        assert np.isnan(np.delete(regrets[row], heads)).all()


def test_outcomes_are_what_taken_actions_came_to() -> None:
    """With all actions taken and no guess, the mean over a mover's actions is what its node came to."""
    game = hn.load("kuhn_poker").expanded()
    walks = Traversals(game, encoding_of(game), everybody=True)
    walks.run(0, keys(1, 1, 0, 20), uniform_play, EVERY_ACTION)
    walks.go_back(0)
    lessons = outcomes(walks, 0, 2.0)
    assert set(lessons) == {0, 1}
    mine = np.flatnonzero(walks.rows.player[: walks.rows_used] == 0)
    assert len(lessons[0]) == 2 * len(mine)
    total = walks.nodes.value[walks.rows.node[mine], 0].sum()
    assert np.nansum(lessons[0].target) * 2.0 / 2 == pytest.approx(total)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_it_converges_on_kuhn(method: str) -> None:
    """One action a visit, 300 traversals: 11/12 at the start. Tables here; networks in the bench."""
    make: Any = method_class(method)
    solver = make("kuhn_poker", approximation="table", seed=1)
    solver.run(40)
    assert hn.evaluate("kuhn_poker", solver.average()).nash_conv <= 0.12


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_rules_need_not_say_what_those_see_who_are_not_to_move(method: str) -> None:
    """`Coins.observe` knows nothing of player 1 before the call, and raises an IndexError there. Player 0 calls "h" for
    0.25 and player 1 cannot tell more from that: its guess is right half of the time."""
    make: Any = method_class(method)
    solver = make(Coins(), approximation="table", seed=1)
    solver.run(30)
    known = hn.evaluate(solver.game.expanded(), solver.average())
    assert known.nash_conv <= 0.1
    assert known.values == pytest.approx((0.75, 0.5), abs=0.05)


@pytest.mark.parametrize("method", METHODS)
def test_resumed_it_goes_on_to_the_same_bits(method: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    make: Any = method_class(method)
    small = {"traversals": 20, "steps": 5, "value_steps": 4, "units": 8, "layers": 1, "memory_size": 300, "batch": 64}
    whole, half = make("kuhn_poker", seed=2, **small), make("kuhn_poker", seed=2, **small)
    whole.run(3)
    half.run(1)
    half.save(tmp_path / "half")
    again = hn.resume(tmp_path / "half")
    again.run(2)
    assert again.state().keys() == whole.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, again.state()[name], err_msg=name)
    assert whole.parameters["actions"] == 1
