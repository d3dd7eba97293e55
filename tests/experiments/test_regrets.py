"""Both sides of Theorem 1 of the CFR survey against plain walks over histories, and the rate of regret matching."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hannan as hn
from hannan.experiments.cfr_theory import report
from hannan.experiments.regrets import Regrets, informed, matching
from hannan.forms.loader import load_expanded
from hannan.solvers.fullwidth.cfr import CFR
from tests.matching import grown, plan_of
from tests.normal_form import NormalForm, reduced_strategies
from tests.reference import Plan, Tree, best_value, counterfactual, values

GAMES = (
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "single_player(right_left=-20)",
    "random_game(seed=3,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=4,depth=2,players=3,hidden=true)",
)
TOLERANCE = 1e-10
"""Sums of a few dozen numbers of a few units."""


def _played(game: hn.views.ExpandedGame) -> list[hn.Profile]:
    """Some strategies of CFR, then some that no method has made."""
    solver = CFR(game, updates="simultaneous")
    profiles = []
    for _ in range(12):
        profiles.append(solver.current())
        solver.run(1)
    return [*profiles, *(hn.random_profile(game, seed=seed) for seed in range(4))]


def _right(tree: Tree, plans: list[Plan], player: int) -> float:
    """The sum over sets of the positive part of equation 4."""
    worths = [counterfactual(tree, plan, player) for plan in plans]
    total = 0.0
    for key in tree.keys(player):
        summed = {
            action: sum(
                worth[key][action] - sum(plan[key][a] * worth[key][a] for a in plan[key])
                for worth, plan in zip(worths, plans, strict=True)
            )
            for action in tree.menus[key]
        }
        total += max(0.0, *summed.values())
    return total / len(plans)


@pytest.mark.parametrize("address", GAMES)
def test_both_sides_are_those_of_a_walk_over_histories(address: str) -> None:
    game = load_expanded(address)
    tree, regrets, plans = grown(game), Regrets(game), list[Plan]()
    for profile in _played(game):
        regrets.watch(profile)
        plans.append(plan_of(profile))
        for player in range(tree.players if len(plans) % 5 == 1 else 0):
            earned = sum(values(tree, plan)[player] for plan in plans)
            left = (best_value(tree, player, [(1.0, plan) for plan in plans]) - earned) / len(plans)
            right = _right(tree, plans, player)
            assert regrets.total()[player] == pytest.approx(left, abs=TOLERANCE)
            assert regrets.decomposed()[player] == pytest.approx(right, abs=TOLERANCE)
            assert left <= right + TOLERANCE  # Theorem 1


def test_the_regret_is_the_largest_over_all_pure_strategies() -> None:
    """Equation 1 by enumeration: a mixed strategy is never better than the best pure one."""
    game = load_expanded("kuhn_poker")
    tree, regrets = grown(game), Regrets(game)
    form = NormalForm(tree, [reduced_strategies(tree, player) for player in range(2)])
    summed, earned = [np.zeros(len(pure)) for pure in form.strategies], np.zeros(2)
    for profile in _played(game):
        regrets.watch(profile)
        plan = plan_of(profile)
        mixed = [
            np.array([math.prod(plan[key][action] for key, action in pure.items()) for pure in strategies])
            for strategies in form.strategies
        ]
        for player in range(2):
            utilities = form.utilities(mixed, player)
            summed[player] += utilities
            earned[player] += mixed[player] @ utilities
    expected = [(summed[p].max() - earned[p]) / regrets.iterations for p in range(2)]
    np.testing.assert_allclose(regrets.total(), expected, rtol=0, atol=TOLERANCE)


def test_with_one_set_a_player_nothing_is_lost() -> None:
    """Both sides are the same, so that any constant below 1 on the right side is wrong."""
    game = load_expanded("matrix_game(payoffs=[[2,-1],[-1,1]])")
    regrets, solver = Regrets(game), CFR(game, updates="simultaneous")
    for _ in range(50):
        regrets.watch(solver.current())
        solver.run(1)
    np.testing.assert_allclose(regrets.total(), regrets.decomposed(), rtol=0, atol=TOLERANCE)
    assert (regrets.total() > 0.99 * regrets.decomposed() + TOLERANCE).all()


def test_equation_6() -> None:
    assert matching(np.array([3.0, -1.0, 1.0])) == pytest.approx([0.75, 0, 0.25])
    assert matching(np.array([-3.0, 0.0])) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("actions", [2, 4, 10])
def test_the_rate_of_regret_matching_and_its_constant(actions: int) -> None:
    """Against any opponent √|A|; this one forces nearly √(|A| - 1), so no much smaller constant is right."""
    found = [regret for _, regret in informed(actions, 1 << 13)]
    assert max(found) <= math.sqrt(actions)
    assert found[-1] >= 0.92 * math.sqrt(actions - 1)


@pytest.mark.slow
def test_the_quick_report_holds() -> None:
    found = report(quick=True)
    assert found.held, found.table()
    assert len(found.claims) == 7
