"""What the walk asks a selection rule: `choose` an action for one player, and `learn` from what came of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.mcts import exp3, rm, uct
from hannan.kernels.mcts.records import (
    CELLS,
    COLUMNS,
    EXP3,
    EXP3_IX,
    HEDGE,
    OOS,
    OWN,
    PLUS,
    RM,
    RM_PLUS,
    ROWS,
    STAR,
    SUM,
    UCT,
    UCT_RANDOM,
    VISITS,
    Plan,
    Tree,
)
from hannan.kernels.sampling.draws import uniform


@inlined
def anything(random: Any, size: int) -> int:
    """Draw one of so many, all alike."""
    return min(int(uniform(random) * size), size - 1)


@inlined
def wandering(random: Any, plan: Plan, visits: float) -> bool:
    """Say whether a wrapper explores now: with probability γ (A*), or at visits 1, 4, 9, … (A+)."""
    if plan.explore == STAR:
        return uniform(random) < plan.gamma
    if plan.explore == PLUS:
        root = np.floor(np.sqrt(visits) + 0.5)
        return root * root == visits
    return False


@inlined
def choose(
    random: Any, plan: Plan, stat: Floats, first: int, size: int, visits: float, gamma: float
) -> tuple[int, float]:
    """Return an action and the probability with which it was drawn; add the current strategy to the average.

    A probability below 0 says that a wrapper explores, and that nothing is learnt.
    """
    rule = plan.rule
    if plan.explore != OWN:
        if rule != EXP3:  # whose exploration is part of it
            gamma = 0.0
        if wandering(random, plan, visits):
            return anything(random, size), -1.0 / size
    if rule in (UCT, UCT_RANDOM):
        k = uct.select(random, stat, first, size, visits, plan.constant, plan.margin, rule == UCT_RANDOM)
        stat[first + 2 * size + k] += 1.0
        return k, 1.0
    regrets = rule in (RM, RM_PLUS, OOS)
    weights = rule in (EXP3, EXP3_IX, HEDGE)
    total, most, eta = 0.0, 0.0, 0.0
    if regrets:
        total = rm.weigh(stat, first, size)
    elif weights:
        eta = exp3.rate(rule, size, visits, plan.gamma)
        most, total = exp3.weigh(stat, first, size, eta)
    inverse = 1.0 / total if total > 0.0 else 0.0
    counted = 0.0 if rule == OOS else 1.0
    otherwise = 1.0 / size
    even, keep = gamma * otherwise, 1.0 - gamma
    u, reached, taken, played = uniform(random), 0.0, -1, 0.0
    for k in range(size):
        own = otherwise
        if inverse > 0.0:
            own = (max(stat[first + k], 0.0) if regrets else math.exp(eta * (stat[first + k] - most))) * inverse
        stat[first + 2 * size + k] += counted * own
        probability = even + keep * own
        here = (probability > 0.0) & ((played == 0.0) | (u >= reached))  # no branch: it would be a coin's toss
        taken, played = k if here else taken, probability if here else played
        reached += probability
    return taken, played


@inlined
def mean(tree: Tree, cell: int, plan: Plan, otherwise: float) -> float:
    """Return the mean of what a cell's child has returned, or what a cell without a visit counts."""
    child = tree.cell[cell]
    if child > 0 and tree.number[child, VISITS] > 0.0:
        return tree.number[child, SUM] / tree.number[child, VISITS]
    return otherwise if np.isnan(plan.unvisited) else plan.unvisited


@inlined
def learn(
    tree: Tree, plan: Plan, node: int, player: int, first: int, row: int, column: int, played: float, u: float
) -> None:
    """Update one player's numbers at a node after (row, column) has returned u, scaled, to player 0."""
    stat, rule = tree.stat, plan.rule
    columns, cells = tree.node[node, COLUMNS], tree.node[node, CELLS]
    size = tree.node[node, ROWS] if player == 0 else columns
    taken = row if player == 0 else column
    own = u if player == 0 else 1.0 - u
    if rule in (UCT, UCT_RANDOM):
        stat[first + taken] += own
        return
    if rule in (EXP3, EXP3_IX):
        eta = exp3.rate(rule, size, tree.number[node, VISITS], plan.gamma)
        exp3.update(rule, stat, first + taken, own, played, eta)
        return
    for k in range(size):
        gained = mean(tree, cells + (k * columns + column if player == 0 else row * columns + k), plan, u)
        gained = u if k == taken else gained  # after the mean: a select is faster than a branch here
        gained = gained if player == 0 else 1.0 - gained
        if rule == HEDGE:
            stat[first + k] += gained
        elif rule in (RM, RM_PLUS):
            rm.update(stat, first + k, gained, own, rule == RM_PLUS)
