"""Methods of the CFR family where players forget, against the formulas over dictionaries, iterate by iterate."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn
from hannan.forms.coarsening import forget
from hannan.layouts.backend import Verbs
from hannan.solvers import method_class
from tests import loaded
from tests.forgetting import scrambled
from tests.matching import furthest, grown, keys_of, plan_of
from tests.methods import CASES, HORIZON, UPDATES
from tests.reference import Key, Plan, Tree, counterfactual, own_reach
from tests.reference_cfr import Learner, Variant

GAMES = (
    "kuhn_poker",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    pytest.param("kuhn_poker(players=3)", marks=pytest.mark.slow),
    pytest.param("random_game(seed=3,depth=3,moves=turns,hidden=true)", marks=pytest.mark.slow),
)
TOLERANCE = 1e-9
"""On each probability, absolute: both sides add the same numbers in another order."""


class TiedLearner(Learner):
    """A run in which sets of one name learn as one: regrets and averages are summed over them."""

    def __init__(self, tree: Tree, variant: Variant, updates: str, name: dict[Key, Any]) -> None:
        super().__init__(tree, variant, updates)
        self.first: dict[Key, Key] = {}
        known: dict[Any, Key] = {}
        for key in tree.menus:
            self.first[key] = known.setdefault((key[0], name[key]), key)

    def iterate(self, example: Plan | None = None) -> None:
        self.iteration += 1
        weight = self.variant.weight(self.iteration)
        before = {key: dict(plays) for key, plays in self.current.items()}
        for player in range(self.tree.players):
            facing = before if self.updates == "simultaneous" else self.current
            worth = counterfactual(self.tree, facing, player)
            summed: dict[Key, dict[Any, float]] = {}
            for key in self.tree.keys(player):
                first, value = self.first[key], sum(before[key][a] * worth[key][a] for a in worth[key])
                reach = own_reach(before, key)
                whole = summed.setdefault(first, dict.fromkeys(worth[key], 0.0))
                for action, probability in before[key].items():
                    whole[action] += worth[key][action] - value
                    self.total[first][action] += weight * reach * probability
            learnt = {
                first: self._learn(
                    first,
                    {a: r + sum(before[first][b] * x for b, x in regrets.items()) for a, r in regrets.items()},
                    before[first],
                    None if example is None else example[first],
                )
                for first, regrets in summed.items()
            }
            self.current = {**self.current, **{key: learnt[self.first[key]] for key in self.tree.keys(player)}}

    def average(self) -> Plan:
        mine = super().average()
        return {key: mine[self.first[key]] for key in mine}


@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("address", GAMES)
def test_iterates_are_those_of_the_formulas(address: str, case: str, updates: str) -> None:
    game = loaded.game(address)
    map, tree = scrambled(game, 1), grown(game)
    name = {
        key: map(player, text)
        for player in range(game.players)
        for key, text in zip(keys_of(game, player), game.set_texts(player), strict=True)
    }
    make: Any = method_class(CASES[case].method)
    solver = make(forget(game, map), updates=updates, **CASES[case].parameters)
    learner = TiedLearner(tree, CASES[case].variant, updates, name)
    assert all(set(weights.tolist()) == {1.0} for weights in solver.game.recall.weights)  # members weigh alike
    for t in range(1, HORIZON + 1):
        solver.run(1)
        current = plan_of(solver.current())
        learner.iterate(current)
        assert furthest(current, learner.current) < TOLERANCE, f"current, iteration {t}"
        assert furthest(plan_of(solver.average()), learner.average()) < TOLERANCE, f"average, iteration {t}"
    assert learner.differed <= 0.02 * learner.updated


@pytest.mark.parametrize("updates", UPDATES)
def test_the_verbs_and_the_compiled_loop_are_one(updates: Any) -> None:
    game = loaded.game("kuhn_poker")
    one, other = (hn.CFRPlus(forget(game, scrambled(game, 2)), updates=updates) for _ in range(2))
    one.run(9)
    backend: Any = other._backend
    Verbs.run(backend, other.rows(1, 9))
    for name, array in one.state().items():
        if name != "warm":
            assert backend.read(name).tolist() == array.tolist(), name
