"""What a game is says its type: expanded, played or boxed; and what becomes of games in other processes."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import hannan as hn
from hannan.forms.game import BoxedGame
from tests.games.plain import Kuhn
from tests.plaingames import Coins


class Box(BoxedGame):
    """A black box, as far as a name goes."""

    def __init__(self) -> None:
        self.name, self.parameters, self.players = "box", {}, 2


def test_small_games_are_expanded_and_large_ones_are_played() -> None:
    assert type(hn.load("leduc_poker")) is hn.views.ExpandedGame
    assert type(hn.load(Kuhn())) is hn.views.ExpandedGame
    assert type(hn.load("goofspiel(cards=13)")) is hn.views.PlayedGame
    assert type(hn.load("battleship(height=4,width=4,ship_sizes=[1],shots=2)")) is hn.views.PlayedGame


@pytest.mark.slow
def test_a_played_game_is_expanded_when_it_is_asked() -> None:
    game = hn.views.PlayedGame(hn.load("kuhn_poker").played().rules)
    solver = hn.methods.OutcomeSampling(game, seed=1)
    solver.run(100)
    assert isinstance(solver.average(), hn.Policy)
    assert isinstance(hn.CFR(game).average(), hn.Profile)
    assert isinstance(hn.methods.OutcomeSampling(game, over="tree").average(), hn.Profile)
    with pytest.raises(hn.errors.SizeError, match="histories"):
        hn.CFR("goofspiel(cards=13)")


def test_a_box_is_neither_expanded_nor_stepped() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="its tree cannot be written out; hannan certify plays it"):
        hn.CFR(Box())
    with pytest.raises(hn.errors.UnsuitableError, match="box is boxed: it can only be played from the start"):
        hn.methods.OutcomeSampling(Box())


def test_classes_and_matrices_are_games() -> None:
    assert hn.load(Kuhn).name == hn.load(Kuhn()).name
    game = hn.load([[1, -1], [-1, 1]])
    assert game.address == "matrix_game(payoffs=[[1,-1],[-1,1]])"
    assert hn.load(game.address).address == game.address
    assert hn.solve(np.array([[2.0, 0.0], [0.0, 1.0]])).values[0] == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        (3, "3 is of type int, not a game"),
        (int, "is the class int, not a game"),
        (hn.HannanError, "is the class HannanError, not a game"),
    ],
)
def test_what_is_no_game_is_named(thing: object, sentence: str) -> None:
    with pytest.raises(hn.errors.ParameterError, match=sentence):
        hn.solve(thing)  # type: ignore[call-overload]


def test_no_game_is_named() -> None:
    with pytest.raises(hn.errors.ParameterError, match="None is nothing, not a game"):
        hn.load(None)  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="name the game to solve"):
        hn.solve(None)


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(cards=3)", "matching_pennies", Coins()])
def test_games_and_what_is_found_in_them_pickle(game: str | hn.Rules) -> None:
    result = hn.solve(game, "cfr", iterations=10)
    again = pickle.loads(pickle.dumps(result))
    assert again.values == result.values
    for one, other in zip(again.profile.strategies, result.profile.strategies, strict=True):
        np.testing.assert_array_equal(one, other)
    assert hn.evaluate(game, again.profile) == hn.evaluate(game, result.profile)
    solver = hn.methods.OutcomeSampling(hn.views.PlayedGame(hn.load(game).played().rules), seed=1)
    solver.run(50)
    policy = solver.policy()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(policy)).probability, policy.probability)


@pytest.mark.slow
def test_solving_in_other_processes() -> None:
    names = ["kuhn_poker", "matching_pennies"]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(hn.solve, names))
    assert [result.game for result in results] == names
    assert results[0].values[0] == pytest.approx(-1 / 18, abs=1e-4)


def test_a_locked_game_pickles() -> None:
    locked = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0}}})
    assert pickle.loads(pickle.dumps(locked)).form.hash == locked.form.hash
