"""Every full-width method against the papers' formulas, iterate by iterate."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from tests.matching import furthest, grown, plan_of
from tests.reference import Tree
from tests.reference_cfr import VARIANTS, Learner, Variant

from hannan.game import Game, load
from hannan.solvers import METHODS, method_class

ITERATIONS = 20

TOLERANCE = 1e-9
"""On each probability, absolute. Both sides add the same numbers in another order: 1e-14 is usual, and regrets that
cancel lose a few digits more."""

MOST_TIES = 0.02
"""Where all regrets of a set are at most 0 the strategy is uniform, so a largest regret that is 0 but for rounding lets
the two sides part for good. There the reference follows hannan (`Learner._match` says when, and checks that rounding
can explain the choice), at no more than this share of the updates."""

CASES: dict[str, tuple[str, dict[str, Any], Variant]] = {
    name: (name, {}, VARIANTS[name]) for name in METHODS if name in VARIANTS
}
"""Test id: method, parameters, formula. A method of the table of variants comes in by its name."""

GAMES = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "goofspiel(cards=3)",
    "random_game(seed=1,depth=2,branching=3)",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=3,depth=3,moves=turns,hidden=true)",
    "random_game(seed=4,depth=2,players=3,chance=2)",
    "random_game(seed=5,depth=2,players=3,hidden=true,moves=turns)",
    "random_game(seed=6,depth=3,utilities=edges,chance=2,hidden=true)",
    "biased_rps",
    "chicken",
    "matrix_game(payoffs=[[3.1,-1.2,0.7],[-2.3,4.5,0.4]])",
)


@cache
def _game(address: str) -> tuple[Game, Tree]:
    game = load(address)
    return game, grown(game)


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("address", GAMES)
def test_iterates_are_those_of_the_formulas(address: str, case: str, updates: str) -> None:
    game, tree = _game(address)
    method, parameters, variant = CASES[case]
    make: Any = method_class(method)
    solver = make(game, updates=updates, **parameters)
    learner = Learner(tree, variant, updates)
    for t in range(1, ITERATIONS + 1):
        solver.run(1)
        current = plan_of(solver.current())
        learner.iterate(current)
        assert furthest(current, learner.current) < TOLERANCE, f"current, iteration {t}"
        assert furthest(plan_of(solver.average()), learner.average()) < TOLERANCE, f"average, iteration {t}"
    assert learner.differed <= MOST_TIES * learner.updated
