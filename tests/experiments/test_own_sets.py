"""What an average at the traverser's own sets expects, by all walks of outcome sampling on Kuhn poker."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.experiments.own_sets import OwnSets, compared
from hannan.forms.loader import load_expanded
from hannan.solvers.fullwidth.cfr import CFR
from tests.matching import grown, keys_of, plan_of
from tests.reference import Key, Node, Plan, Tree

EPSILON = 0.6


def _expected(tree: Tree, plan: Plan, player: int) -> dict[Key, dict[object, float]]:
    """Return the mean of what a walk adds: at own sets, own reach times strategy over the probability of the walk."""
    sums: dict[Key, dict[object, float]] = {key: dict.fromkeys(tree.menus[key], 0.0) for key in tree.keys(player)}

    def visit(node: Node, mine: float, drawn: float) -> None:
        for key in node.keys:
            if key[0] == player:
                for action, probability in plan[key].items():
                    sums[key][action] += drawn * (mine * probability / drawn)
        for chance, joint, child in node.moves:
            odds, own = chance, mine
            for key, action in zip(node.keys, joint, strict=True):
                probability = plan[key][action]
                if key[0] == player:
                    odds *= EPSILON / len(tree.menus[key]) + (1 - EPSILON) * probability
                    own *= probability
                else:
                    odds *= probability
            if odds > 0:  # never drawn otherwise
                visit(child, own, drawn * odds)

    visit(tree.root, 1.0, 1.0)
    return sums


def test_the_sums_are_those_of_all_walks() -> None:
    """1e-12: sums of a few dozen numbers below 10."""
    game = load_expanded("kuhn_poker")
    tree, ours, solver = grown(game), OwnSets(game), CFR(game, updates="simultaneous")
    walked = [{key: dict.fromkeys(tree.menus[key], 0.0) for key in tree.keys(player)} for player in range(2)]
    zeros = 0
    for _ in range(20):
        plan = plan_of(solver.current())
        zeros += sum(p == 0 for plays in plan.values() for p in plays.values())
        for player, sums in enumerate(walked):
            for key, added in _expected(tree, plan, player).items():
                for action, more in added.items():
                    sums[key][action] += more
        ours.watch(solver.current())
        solver.run(1)
    assert zeros > 0  # else nothing is left out, and both averages are the same
    for player, sums in enumerate(walked):
        plex = game.form.treeplexes[player]
        for number, key in enumerate(keys_of(game, player)):
            found = ours.expected[player][plex.begin[number] : plex.begin[number + 1]]
            assert list(found) == pytest.approx([sums[key][action] for action in tree.menus[key]], abs=1e-12)


def test_without_zeros_both_averages_are_the_same() -> None:
    game = load_expanded("leduc_poker(ranks=2)")
    sums = OwnSets(game)
    for seed in range(3):
        sums.watch(hn.random_profile(game, seed=seed))
    assert sums.nash_conv(sums.expected) == pytest.approx(sums.nash_conv(sums.right), abs=1e-12)


def test_the_right_average_is_the_solvers() -> None:
    game, solver = load_expanded("kuhn_poker"), CFR("kuhn_poker", updates="simultaneous")
    solver.run(50)
    right, expected = compared(game, 50)
    assert right == pytest.approx(hn.evaluate(game, solver.average()).nash_conv, abs=1e-12)
    assert expected > right
