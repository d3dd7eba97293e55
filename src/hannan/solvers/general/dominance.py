"""Whether a strategy is weakly dominated, decided by one linear program in fractions.

A strategy is weakly dominated if another earns no less against every combination of the others' plans, and more
against one. In two-player games an equilibrium of undominated strategies is (trembling-hand) perfect, and no other is:
E. van Damme (1991), Stability and perfection of Nash equilibria, chapter 3.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

from hannan.forms.exacttree import ExactTree
from hannan.forms.treeplex import EMPTY
from hannan.solvers.exact.normalform import NormalForm, normal_form, plan_counts, taken
from hannan.solvers.general.behaviour import Behaviour
from hannan.solvers.general.simplex import Row, maximise, whole_row

MOST_CELLS = 2_000
"""The most combinations of plans of a game in which dominance is decided."""


def small_normal_form(tree: ExactTree) -> NormalForm | None:
    """Return the reduced normal form of a small game; None for a larger game."""
    return normal_form(tree.game) if prod(plan_counts(tree.game)) <= MOST_CELLS else None


def against_plans(tree: ExactTree, form: NormalForm, player: int) -> list[dict[int, Fraction]]:
    """Return the gain of each sequence of a player, for every combination of the others' plans."""
    plays = [taken(plex, plans) for plex, plans in zip(tree.game.form.treeplexes, form.plans, strict=True)]
    others = [q for q in range(tree.players) if q != player]
    columns = []
    for combination in product(*(range(len(form.plans[q])) for q in others)):
        column: dict[int, Fraction] = {}
        for key, gained in tree.entries.items():
            if gained[player] and all(plays[q][plan, key[q]] for q, plan in zip(others, combination, strict=True)):
                column[key[player]] = column.get(key[player], Fraction(0)) + gained[player]
        columns.append(column)
    return columns


def is_dominated(behaviour: Behaviour, form: NormalForm, player: int) -> bool:
    """Return whether another strategy of a player weakly dominates the given one."""
    tree, reach = behaviour.tree, behaviour.reach[player]
    plex = tree.game.form.treeplexes[player]
    rows = [Row({EMPTY: 1}, "=", 1)]
    for j in range(plex.sets):
        below = range(int(plex.begin[j]), int(plex.begin[j + 1]))
        rows.append(Row({**dict.fromkeys(below, 1), int(plex.parent[j]): -1}, "="))
    cost: dict[int, Fraction] = {}
    earned = Fraction(0)
    seen = set()
    for column in against_plans(tree, form, player):
        if (key := tuple(sorted(column.items()))) in seen:
            continue
        seen.add(key)
        here = sum((reach[k] * number for k, number in column.items()), Fraction(0))
        rows.append(whole_row(column, ">=", here))
        earned += here
        for k, number in column.items():
            cost[k] = cost.get(k, Fraction(0)) + number
    scaled = whole_row(cost, "<=", earned)  # the objective and its present value, times the same number
    best = maximise(plex.sequences, scaled.terms, rows)
    assert best is not None  # the strategy itself fulfils all rows
    return bool(best.value > scaled.bound * best.over)
