"""Every full-width method against the papers' formulas, iterate by iterate."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded
from hannan.solvers import METHODS, method_class
from hannan.solvers.fullwidth.engine import FullWidth
from tests import loaded
from tests.matching import furthest, grown, plan_of
from tests.methods import CASES, FULL_WIDTH, HORIZON, UPDATES
from tests.reference import Tree
from tests.reference_cfr import Learner

TOLERANCE = 1e-9
"""On each probability, absolute. Both sides add the same numbers in another order: 1e-14 is usual, and regrets that
cancel lose a few digits more."""

MOST_TIES = 0.02
"""Where all regrets of a set are at most 0 the strategy is uniform, so a largest regret that is 0 but for rounding lets
the two sides part for good. There the reference follows hannan (`Learner._match` says when, and checks that rounding
can explain the choice), at no more than this share of the updates."""

LARGER = (
    "kuhn_poker(players=3)",
    "goofspiel(cards=3)",
    "random_game(seed=1,depth=2,branching=3)",
    "random_game(seed=3,depth=3,moves=turns,hidden=true)",
    "random_game(seed=4,depth=2,players=3,chance=2)",
    "random_game(seed=5,depth=2,players=3,hidden=true,moves=turns)",
    "random_game(seed=6,depth=3,utilities=edges,chance=2,hidden=true)",
)
GAMES = (
    "kuhn_poker",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "biased_rps",
    "chicken",
    "matrix_game(payoffs=[[3.1,-1.2,0.7],[-2.3,4.5,0.4]])",
    *(pytest.param(address, marks=pytest.mark.slow) for address in LARGER),
)


@cache
def _game(address: str) -> tuple[ExpandedGame, Tree]:
    game = loaded.game(address)
    return game, grown(game)


def test_every_full_width_method_is_here() -> None:
    assert [name for name in METHODS if issubclass(method_class(name), FullWidth) and name not in FULL_WIDTH] == []


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("address", GAMES)
def test_iterates_are_those_of_the_formulas(address: str, case: str, updates: str) -> None:
    game, tree = _game(address)
    make: Any = method_class(CASES[case].method)
    solver = make(game, updates=updates, **CASES[case].parameters)
    learner = Learner(tree, CASES[case].variant, updates)
    for t in range(1, HORIZON + 1):
        solver.run(1)
        current = plan_of(solver.current())
        learner.iterate(current)
        assert furthest(current, learner.current) < TOLERANCE, f"current, iteration {t}"
        assert furthest(plan_of(solver.average()), learner.average()) < TOLERANCE, f"average, iteration {t}"
    assert learner.differed <= MOST_TIES * learner.updated


def test_regret_matching_plus_plays_an_action_as_soon_as_it_is_good() -> None:
    """After much bad regret, one good iteration: regret matching waits, regret matching plus does not."""
    game = load_expanded("matrix_game(payoffs=[[0,0],[-1,1]])")
    played = 1.0, 1.0, 0.0, 1.0, 0.0, 1.0  # the first row, and now the second column
    chances = {}
    for method, bad in (("cfr", -100.0), ("cfr+", 0.0)):  # the second forgets negative regrets
        make: Any = method_class(method)
        solver = make(game)
        state = solver.state()
        state["regret"][1:3] = 1.0, bad
        state["strategy"][:] = state["reach"][:] = played
        solver.restore(1, state)
        solver.run(1)
        chances[method] = solver.current().strategies[0][2]
    assert chances == {"cfr": 0.0, "cfr+": 0.5}
