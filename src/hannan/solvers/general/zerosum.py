"""Optimal plans of a two-player zero-sum tree in fractions, by the linear program of the sequence form.

D. Koller, N. Megiddo, B. von Stengel (1994), Fast algorithms for finding randomized strategies in game trees. With
trembles, P. B. Miltersen and T. B. Sørensen (2010), Computing a quasi-perfect equilibrium of a two-player game: every
sequence has at least ε to the power of its length, and the limit of the optimal plans is quasi-perfect.
"""

from __future__ import annotations

from typing import Any

from hannan.errors import UnsuitableError
from hannan.forms.exacttree import ExactTree
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.general.germs import Germ, ratio
from hannan.solvers.general.point import Fractions
from hannan.solvers.general.simplex import Row, maximise, whole_row

Plans = tuple[tuple[Any, ...], ...]
"""For each player, a number for each sequence: its probability times a common factor."""


def optimal_plans(tree: ExactTree) -> Fractions:
    """Return the probabilities of sequences of an optimal plan of each player, without rounding."""
    return tuple(tuple(ratio(x, plan[EMPTY]) for x in plan) for plan in zero_sum_plans(tree, trembling=False))


def zero_sum_plans(tree: ExactTree, trembling: bool) -> Plans:
    """Return optimal plans; if `trembling`, in polynomials of ε, with at least ε^length at each sequence."""
    if not tree.competitive:
        raise UnsuitableError(
            f"{tree.game.address} is not a two-player zero-sum game; its plans solve no linear program"
        )
    least = [least_shares(plex) if trembling else [0] * plex.sequences for plex in tree.game.form.treeplexes]
    return tuple(_best_plan(tree, player, least) for player in range(2))


def least_shares(plex: Treeplex) -> list[Any]:
    """Return ε to the power of the length of each sequence; 0 for the empty one."""
    long = [0] * plex.sequences
    for j in range(plex.sets):
        for k in range(int(plex.begin[j]), int(plex.begin[j + 1])):
            long[k] = long[int(plex.parent[j])] + 1
    return [Germ((0,) * length + (1,)) if length else 0 for length in long]


def _best_plan(tree: ExactTree, player: int, least: list[list[Any]]) -> tuple[Any, ...]:
    """Return the plan that earns most against the other's worst answer, if all sequences have their least shares.

    The worst answer's dual has a number q for each of the other's sets and one for the root. The excess of a sequence
    of the other over them is its slack, and slack times least share is the cost of trembling.
    """
    other = 1 - player
    mine, theirs = tree.game.form.treeplexes[player], tree.game.form.treeplexes[other]
    count = mine.sequences
    slack: list[dict[int, Any]] = [{} for _ in range(theirs.sequences)]
    for key, gained in tree.entries.items():
        row = slack[key[other]]
        row[key[player]] = row.get(key[player], 0) + gained[player]
    for number in range(theirs.sets + 1):  # the last one is for the root
        q, below = count + 2 * number, range(EMPTY, EMPTY + 1)
        if number < theirs.sets:
            below = range(int(theirs.begin[number]), int(theirs.begin[number + 1]))
            slack[int(theirs.parent[number])] |= {q: 1, q + 1: -1}
        for k in below:
            slack[k] |= {q: -1, q + 1: 1}
    root = count + 2 * theirs.sets
    cost: dict[int, Any] = {root: 1, root + 1: -1}
    for row, share in zip(slack, least[other], strict=True):
        for k, number in row.items():
            if share:
                cost[k] = cost.get(k, 0) + share * number
    rows = [_raised(terms, ">=", least[player]) for terms in slack]
    rows.append(_raised({EMPTY: 1}, "=", least[player], 1))
    for j in range(mine.sets):
        terms = {**dict.fromkeys(range(int(mine.begin[j]), int(mine.begin[j + 1])), 1), int(mine.parent[j]): -1}
        rows.append(_raised(terms, "=", least[player]))
    scaled = whole_row(cost, "<=").terms
    best = maximise(root + 2, scaled, rows)
    assert best is not None  # a treeplex is never empty
    return tuple(x + share * best.over for x, share in zip(best.columns[:count], least[player], strict=True))


def _raised(terms: dict[int, Any], sense: Any, least: list[Any], bound: Any = 0) -> Row:
    """Return a constraint on plans as a constraint on their excess over the least shares."""
    raised = sum((number * least[k] for k, number in terms.items() if k < len(least) and least[k]), 0)
    return whole_row(terms, sense, bound - raised)
