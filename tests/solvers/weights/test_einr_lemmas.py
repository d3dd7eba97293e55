"""The lemmas of the EINR paper by enumeration of the full normal form, and what the solver keeps beside them.

C. Chhablani, M. Sullins, I. A. Kash (2023), Multiplicative weight updates for extensive form games: lemmas 1 to 5,
theorem 1 and corollary 1 as they are printed. λ(z) is what the others do, and chance, to reach z, times the utility
there; Λ(z) is its sum over iterations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.loader import load_expanded
from tests.matching import furthest, grown, keys_of, plan_of
from tests.normal_form import NormalForm, Pure, follows, full_strategies
from tests.reference import History, Key, Node, Plan, Tree, own_reach

PERFECT = (
    "single_player(right_left=-20)",
    "random_game(depth=1,branching=3,moves=turns,seed=1)",
    "random_game(depth=2,branching=2,moves=turns,seed=2)",
    "random_game(depth=1,branching=2,moves=turns,players=3,chance=2,seed=3)",
)
"""Perfect information, one move at a time: the games of the lemmas."""

GAMES = (*PERFECT, "random_game(depth=2,branching=2,seed=4)", "chicken", "kuhn_poker")
"""With simultaneous moves (corollary 1), and with hidden cards."""

TOLERANCE = 1e-10
"""Sums of some thousand numbers of a few units."""


@dataclass(frozen=True)
class Leaf:
    """A terminal history: the nodes on the way, what each player has done, and how likely chance makes it."""

    path: tuple[Node, ...]
    own: tuple[History, ...]
    chance: float

    @property
    def end(self) -> Node:
        return self.path[-1]

    def reach(self, plan: Plan, player: int) -> float:
        """The product of a player's own probabilities."""
        steps = ((player, self.own[player][:k], seen) for k, (seen, _) in enumerate(self.own[player]))
        return math.prod(plan[key][action] for key, (_, action) in zip(steps, self.own[player], strict=True))

    def counterfactual(self, plan: Plan, player: int) -> float:
        """λ: nothing in it depends on the player's own strategy."""
        others = (self.reach(plan, other) for other in range(len(self.own)) if other != player)
        return self.chance * math.prod(others) * self.end.gains[player]


@cache
def _game(address: str) -> tuple[hn.views.ExpandedGame, Tree, tuple[Leaf, ...], tuple[list[Pure], ...]]:
    game = load_expanded(address)
    tree = grown(game)
    return game, tree, tuple(_leaves(tree)), tuple(full_strategies(tree, player) for player in range(tree.players))


def _leaves(tree: Tree) -> Iterator[Leaf]:
    def visit(node: Node, above: tuple[Node, ...], own: tuple[History, ...], chance: float) -> Iterator[Leaf]:
        path = (*above, node)
        if not node.moves:
            yield Leaf(path, own, chance)
            return
        assert not any(node.gains), "utilities are at the ends"
        for probability, joint, child in node.moves:
            after = list(own)
            for key, action in zip(node.keys, joint, strict=True):
                after[key[0]] = (*own[key[0]], (key[2], action))
            yield from visit(child, path, tuple(after), chance * probability)

    return visit(tree.root, (), ((),) * tree.players, 1.0)


def _mixed(strategies: list[Pure], seed: int) -> Floats:
    drawn: Floats = np.random.default_rng(seed).dirichlet(np.full(len(strategies), 0.3))
    return drawn


def _normal_form(tree: Tree, pures: tuple[list[Pure], ...]) -> Floats:
    """Play every profile of pure strategies out; [strategy of player 0, of player 1, …, player]."""

    def visit(node: Node, profile: tuple[Pure, ...]) -> Floats:
        total = np.array(node.gains)
        for chance, joint, child in node.moves:
            if all(profile[key[0]][key] == action for key, action in zip(node.keys, joint, strict=True)):
                total = total + chance * visit(child, profile)
        return total

    cells = [visit(tree.root, profile) for profile in product(*pures)]
    return np.array(cells).reshape(*map(len, pures), tree.players)


@pytest.mark.parametrize("address", GAMES)
def test_lemma_1_reaches_are_sums_over_pure_strategies(address: str) -> None:
    _, tree, leaves, pures = _game(address)
    form = NormalForm(tree, list(pures))
    mixed = [_mixed(strategies, player) for player, strategies in enumerate(pures)]
    plan = form.behaviour([np.log(weights) for weights in mixed])
    for player, strategies in enumerate(pures):
        for key in tree.keys(player):
            there = sum(p for p, pure in zip(mixed[player], strategies, strict=True) if follows(pure, player, key[1]))
            assert own_reach(plan, key) == pytest.approx(there, abs=TOLERANCE)
        for leaf in leaves:
            own = leaf.own[player]
            there = sum(p for p, pure in zip(mixed[player], strategies, strict=True) if follows(pure, player, own))
            assert leaf.reach(plan, player) == pytest.approx(there, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("address", GAMES)
def test_lemma_2_utilities_are_sums_over_the_leaves_that_a_strategy_leaves_open(address: str) -> None:
    """Left: equation 3 over all profiles of pure strategies, played out. Right: behaviour strategies, leaves alone."""
    _, tree, leaves, pures = _game(address)
    mixed = [_mixed(strategies, 7 + player) for player, strategies in enumerate(pures)]
    plan = NormalForm(tree, list(pures)).behaviour([np.log(weights) for weights in mixed])
    payoffs = _normal_form(tree, pures)
    for player, strategies in enumerate(pures):
        expected = payoffs[..., player]
        for other in reversed(range(tree.players)):
            if other != player:
                expected = np.tensordot(expected, mixed[other], axes=(other, 0))
        statistic = [leaf.counterfactual(plan, player) for leaf in leaves]
        for pure, utility in zip(strategies, expected, strict=True):
            leads = [follows(pure, player, leaf.own[player]) for leaf in leaves]
            assert float(np.dot(leads, statistic)) == pytest.approx(utility, abs=TOLERANCE)


def _statistics(tree: Tree, leaves: tuple[Leaf, ...], plans: list[Plan]) -> list[list[float]]:
    """Λ(z) of each player, over the plans that were played."""
    return [
        [sum(leaf.counterfactual(plan, player) for plan in plans) for leaf in leaves] for player in range(tree.players)
    ]


def _run(game: hn.views.ExpandedGame, iterations: int, rate: float) -> tuple[hn.methods.EINR, list[Plan]]:
    solver, plans = hn.methods.EINR(game, rate=rate), list[Plan]()
    for _ in range(iterations):
        plans.append(plan_of(solver.current()))
        solver.run(1)
    return solver, plans


@pytest.mark.parametrize("address", GAMES)
def test_the_solver_keeps_the_statistic_of_lemma_2(address: str) -> None:
    """One number for each sequence: the sum of Λ(z) over the leaves that it is the last own sequence of."""
    game, tree, leaves, _ = _game(address)
    solver, plans = _run(game, 6, 0.5)
    kept = np.split(solver.state()["regret"], np.cumsum([plex.sequences for plex in game.form.treeplexes])[:-1])
    for player, statistic in enumerate(_statistics(tree, leaves, plans)):
        by_history: dict[History, float] = {}
        for leaf, worth in zip(leaves, statistic, strict=True):
            by_history[leaf.own[player]] = by_history.get(leaf.own[player], 0.0) + worth
        plex = game.form.treeplexes[player]
        for number, key in enumerate(keys_of(game, player)):
            for k, action in enumerate(tree.menus[key]):
                expected = by_history.get((*key[1], (key[2], action)), 0.0)
                assert kept[player][plex.begin[number] + k] == pytest.approx(expected, abs=TOLERANCE)


def _printed(tree: Tree, leaves: tuple[Leaf, ...], statistic: list[float], player: int) -> dict[int, float]:
    """V of theorem 1 and corollary 1 at every node, from the leaves up; chance is one of the others."""
    by_end = {id(leaf.end): worth for leaf, worth in zip(leaves, statistic, strict=True)}
    value: dict[int, float] = {}

    def visit(node: Node) -> float:
        if not node.moves:
            result = math.exp(by_end[id(node)])
        else:
            mine = next((k for k, key in enumerate(node.keys) if key[0] == player), None)
            below: dict[Any, float] = {}
            for _, joint, child in node.moves:
                action = None if mine is None else joint[mine]
                below[action] = below.get(action, 1.0) * visit(child)
            result = sum(below.values()) / len(below)
        value[id(node)] = result
        return result

    visit(tree.root)
    return value


@pytest.mark.parametrize("address", [game for game in GAMES if game != "kuhn_poker"])
def test_theorem_1_and_corollary_1_as_printed(address: str) -> None:
    """Equations 11, 12 and 13: the strategy from the leaves' statistics; 1e-9 on each probability."""
    rate = 0.7
    game, tree, leaves, _ = _game(address)
    solver, plans = _run(game, 8, rate)
    expected: Plan = {}
    for player, statistic in enumerate(_statistics(tree, leaves, plans)):
        value = _printed(tree, leaves, [rate * worth for worth in statistic], player)
        for node in {id(node): node for leaf in leaves for node in leaf.path}.values():
            for k, key in enumerate(node.keys):
                if key[0] == player:
                    after = dict.fromkeys(tree.menus[key], 1.0)
                    for _, joint, child in node.moves:
                        after[joint[k]] *= value[id(child)]
                    whole = sum(after.values())
                    expected[key] = {action: weight / whole for action, weight in after.items()}
    assert furthest(plan_of(solver.current()), expected) < 1e-9


def _reachable(pure: Pure, player: int, leaves: tuple[Leaf, ...], below: Node | None = None) -> frozenset[int]:
    """Z^r, or Z^r_h: the leaves (below a node) that a pure strategy leaves open."""
    return frozenset(
        k
        for k, leaf in enumerate(leaves)
        if (below is None or any(node is below for node in leaf.path)) and follows(pure, player, leaf.own[player])
    )


def _own_nodes(tree: Tree, player: int) -> list[tuple[Node, Key]]:
    """The histories at which a player moves alone."""
    found = []

    def visit(node: Node) -> None:
        if len(node.keys) == 1 and node.keys[0][0] == player:
            found.append((node, node.keys[0]))
        for _, _, child in node.moves:
            visit(child)

    visit(tree.root)
    return found


@pytest.mark.parametrize("address", PERFECT[:3])
def test_lemma_3_what_lies_elsewhere_cancels(address: str) -> None:
    """The sum over the strategies with action a at h is a constant times a factor of the subtree after a alone.

    The constant holds the sum over what lies elsewhere. It is the same for all actions of h, so it cancels.
    """
    game, tree, leaves, pures = _game(address)
    _, plans = _run(game, 5, 1.0)
    statistics = _statistics(tree, leaves, plans)
    for player, statistic in enumerate(statistics):
        for node, key in _own_nodes(tree, player):
            constants = []
            for action in tree.menus[key]:
                chosen = [p for p in pures[player] if follows(p, player, key[1]) and p[key] == action]
                inside = [math.exp(sum(statistic[k] for k in _reachable(p, player, leaves, node))) for p in chosen]
                outside = [
                    math.exp(sum(statistic[k] for k in _reachable(p, player, leaves)))
                    / math.exp(sum(statistic[k] for k in _reachable(p, player, leaves, node)))
                    for p in chosen
                ]
                whole = sum(one * two for one, two in zip(inside, outside, strict=True))
                constants.append(whole / (sum(inside) / len(chosen)))
                assert whole == pytest.approx(sum(inside) * sum(outside) / len(chosen), rel=TOLERANCE)
            assert constants == pytest.approx([constants[0]] * len(constants), rel=TOLERANCE)


@pytest.mark.parametrize("address", PERFECT)
def test_lemmas_4_and_5(address: str) -> None:
    """Which sets of leaves a strategy that reaches h may leave open there, and V as a mean over these strategies."""
    game, tree, leaves, pures = _game(address)
    _, plans = _run(game, 5, 1.0)
    number = {id(leaf.end): k for k, leaf in enumerate(leaves)}
    for player, statistic in enumerate(_statistics(tree, leaves, plans)):
        value = _printed(tree, leaves, statistic, player)

        def recurrence(node: Node, player: int = player) -> set[frozenset[int]]:
            """Lemma 4."""
            if not node.moves:
                return {frozenset((number[id(node)],))}
            below = [recurrence(child) for _, _, child in node.moves]
            if node.keys and node.keys[0][0] == player:
                return set().union(*below)
            return {frozenset().union(*parts) for parts in product(*below)}

        def visit(node: Node, own: tuple[History, ...], player: int = player) -> None:
            reaching = [pure for pure in pures[player] if follows(pure, player, own[player])]
            sets = [_reachable(pure, player, leaves, node) for pure in reaching]
            assert set(sets) == recurrence(node)
            weights = [math.exp(sum(statistic[k] for k in left)) for left in sets]  # noqa: B023
            assert value[id(node)] == pytest.approx(sum(weights) / len(weights), rel=TOLERANCE)  # noqa: B023
            for _, joint, child in node.moves:
                after = list(own)
                for key, action in zip(node.keys, joint, strict=True):
                    after[key[0]] = (*own[key[0]], (key[2], action))
                visit(child, tuple(after))

        visit(tree.root, ((),) * tree.players)
