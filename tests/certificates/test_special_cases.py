"""What Algorithm 6.1 becomes in the special cases that the paper names, beside textbook versions written here."""

from __future__ import annotations

import heapq
import math

import pytest

import hannan as hn
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.certification import Certification
from hannan.certificates.pseudogame import Confidence
from hannan.certificates.trunk import CHOICE, Trunk
from hannan.experiments.theorems import uncertainty
from hannan.rules.rulesbox import RulesBox
from tests.certificates.boxes import Bandit, Tree

TREES = range(100)
TINY = 1e-6


def path_to(trunk: Trunk, node: int) -> list[int]:
    """The moves from the root to a node."""
    above = int(trunk.nodes.parent[node])
    return [] if above < 0 else [*path_to(trunk, above), int(trunk.nodes.move[node])]


def expanded(trunk: Trunk) -> set[tuple[int, ...]]:
    """The inner nodes that were expanded, by the moves that lead there."""
    return {tuple(path_to(trunk, node)) for node in range(trunk.nodes.used) if trunk.nodes.kind[node] == CHOICE}


def search(tree: Tree) -> Certification:
    """Certify a tree, one new node a playthrough, until the gap is 0."""
    box = RulesBox(tree, children=True)
    work = Resolving(box, method="induction", every=1, expansion="first")
    while work.bound().gap > TINY:
        assert work.playthroughs < 200
        work.advance(1)
    return work


def a_star(tree: Tree) -> set[tuple[int, ...]]:
    """Textbook A* for the largest sum: ties go to goals, then to the path that comes first in dictionary order."""
    frontier: list[tuple[float, bool, tuple[int, ...], float]] = [(-tree.most[()], True, (), 0.0)]
    opened: set[tuple[int, ...]] = set()
    while True:
        _, _, path, gained = heapq.heappop(frontier)
        if tree.menu[path] == 0:
            return opened
        opened.add(path)
        for k in range(tree.menu[path]):
            child = (*path, k)
            total = gained + tree.reward[child]
            heapq.heappush(frontier, (-(total + tree.most[child]), tree.menu[child] > 0, child, total))


@pytest.mark.parametrize("seed", TREES)
def test_with_one_player_exactly_the_nodes_of_a_star_are_expanded(seed: int) -> None:
    tree = Tree(seed, players=1)
    assert expanded(search(tree).trunk) == a_star(tree)


def alpha_beta(tree: Tree) -> set[tuple[int, ...]]:
    """Textbook incremental alpha–beta: open the leaf where each mover follows its best bound, until bounds meet."""
    opened: set[tuple[int, ...]] = set()

    def bounds(path: tuple[int, ...]) -> tuple[float, float]:
        """All that a node brings lies between these numbers."""
        gain = tree.reward[path]
        if path not in opened:
            return gain + tree.least[path], gain + tree.most[path]
        best = max if len(path) % 2 == 0 else min
        low, high = zip(*(bounds((*path, k)) for k in range(tree.menu[path])), strict=True)
        return gain + best(low), gain + best(high)

    while bounds(())[1] - bounds(())[0] > TINY:
        path: tuple[int, ...] = ()
        while path in opened:
            children = [(*path, k) for k in range(tree.menu[path])]
            if len(path) % 2 == 0:
                path = max(children, key=lambda c: bounds(c)[1])
            else:
                path = min(children, key=lambda c: bounds(c)[0])
        opened.add(path)
    return opened


@pytest.mark.parametrize("seed", TREES)
def test_deterministic_perfect_information_is_incremental_alpha_beta(seed: int) -> None:
    tree = Tree(seed, players=2)
    work = search(tree)
    assert expanded(work.trunk) == {path for path in alpha_beta(tree) if tree.menu[path]}
    value = minimax(tree, ())
    assert work.bound().lower - TINY <= value <= work.bound().upper + TINY


def minimax(tree: Tree, path: tuple[int, ...]) -> float:
    best = max if len(path) % 2 == 0 else min
    return tree.reward[path] + best((minimax(tree, (*path, k)) for k in range(tree.menu[path])), default=0.0)


def test_a_bandit_is_played_like_ucb1() -> None:
    """The index of an arm is its mean plus ρ; an arm that was never pulled has the upper bound 1."""
    box, confidence = Bandit(sure=(0.45,), risky=(0.3, 0.6, 0.5)), 0.9
    work = Resolving(box, method="induction", every=1, confidence=Confidence("anytime", confidence), seed=3)
    wins, pulls = [0, 0, 0, 0], [0, 0, 0, 0]
    order: list[int] = []
    for t in range(400):
        index = []
        for arm in range(4):
            if pulls[arm] == 0:
                index.append(1.0)
            elif arm == 3:
                index.append(0.45)
            else:
                m, k = pulls[arm], order.index(arm) + 1
                logs = 2 * math.log(2) + math.log(m * (m + 1)) + math.log(k * (k + 1)) - math.log(1 - confidence)
                index.append(wins[arm] / m + min(math.sqrt(logs / (2 * m)), 1.0))
        best = index.index(max(index)) if t else None  # the first is chosen before anything is solved
        record = work.next()
        (arm,) = record.actions
        assert best is None or arm == best
        if pulls[arm] == 0 and arm != 3:
            order.append(arm)
        pulls[arm] += 1
        wins[arm] += int(record.views[-1].gains[0]) if arm != 3 else 0
        work.add(record)
        work.settle()
    assert min(pulls[:3]) > 0


@pytest.mark.parametrize("game", ["kuhn_poker", "goofspiel(cards=3)"])
def test_known_chance_leaves_no_sampling_error(game: str) -> None:
    """Proposition 6.5: the gap is exactly 0 once all that the optimistic profile reaches is expanded."""
    certificate = hn.certify(
        game, groups="known", gap=1e-6, playthroughs=50_000, method="lp", solve_every=20, check=True
    )
    assert certificate.stop == "gap"
    assert certificate.true_gap is not None
    assert certificate.true_gap <= certificate.gap <= 1e-6


def test_the_proven_gap_is_at_most_the_uncertainty_of_optimistic_play() -> None:
    """Proposition 6.5, at every solve."""
    work = Resolving(RulesBox(hn.load("kuhn_poker").played().rules), method="lp", every=50)
    for _ in range(10):
        work.advance(50)
        game = work.pseudogame()
        lower, upper = game.guarantees(work.kept)
        assert upper - lower <= uncertainty(game, work.plans[0]) + 1e-7
