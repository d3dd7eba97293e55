"""A quasi-perfect equilibrium of a two-player tree, by Lemke's method with trembles of an infinitesimal ε.

P. B. Miltersen and T. B. Sørensen (2010), Computing a quasi-perfect equilibrium of a two-player game, on the linear
complementarity problem of D. Koller, N. Megiddo, B. von Stengel (1996), Efficient computation of equilibria for
extensive two-person games. Every sequence has at least ε to the power of its length. All arithmetic is exact, in
polynomials of ε, and the limit is read off their first coefficients. A quasi-perfect equilibrium is sequential, so
this finds a sequential equilibrium too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.errors import HannanError, UnsuitableError
from hannan.forms.exacttree import ExactTree, exact_tree
from hannan.forms.loader import Loadable, load_expanded
from hannan.forms.treeplex import EMPTY
from hannan.interrupts import go_on
from hannan.solvers.general.assessments import holds_for_two
from hannan.solvers.general.behaviour import Behaviour
from hannan.solvers.general.germs import ratio
from hannan.solvers.general.point import Ending, Fractions, Point, Points
from hannan.solvers.general.simplex import Number, whole_row
from hannan.solvers.general.zerosum import Plans, least_shares, zero_sum_plans


def quasi_perfect(game: Loadable) -> Points:
    """Find one quasi-perfect equilibrium of a two-player tree in fractions, with behaviour at every set.

    Zero-sum games are solved as a linear program, others by Lemke's method. The answer is checked by a linear program
    of its own before it is yielded.
    """
    expanded = load_expanded(game)
    if expanded.players != 2:
        raise UnsuitableError(
            f"{expanded.address} has {expanded.players} players, and quasi-perfect equilibria are found for two; "
            "`subgame_perfect` takes any number"
        )
    tree = exact_tree(expanded)
    plans = zero_sum_plans(tree, trembling=True) if tree.competitive else _complementary(tree)
    strategies = limit(tree, plans)
    behaviour = Behaviour(tree, strategies)
    if holds_for_two(behaviour, "quasi-perfect") is not None:
        raise HannanError(f"the trembles found for {expanded.address} have no quasi-perfect limit: a bug")
    floats = tuple(np.array([float(x) for x in part]) for part in behaviour.reach)
    yield Point(floats, "sequences", fractions=behaviour.reach, behaviour=strategies)
    return Ending(False, "one quasi-perfect equilibrium was looked for")


def limit(tree: ExactTree, plans: Plans) -> Fractions:
    """Return the behaviour that plans in polynomials of ε tend to, at every set."""
    strategies = []
    for plex, plan in zip(tree.game.form.treeplexes, plans, strict=True):
        part = [ratio(1, 1)]
        for j in range(plex.sets):
            part += [
                ratio(plan[k], plan[int(plex.parent[j])]) for k in range(int(plex.begin[j]), int(plex.begin[j + 1]))
            ]
        strategies.append(tuple(part))
    return tuple(strategies)


def _complementary(tree: ExactTree) -> Plans:
    """Solve the complementarity problem: plans above their least shares, and slack for plans at these shares.

    Unknowns of each player: the excess of each sequence over its least share, and the dual of each set as a difference.
    Equations (one complementary to each unknown): w = M z + q with z, w ≥ 0 and z·w = 0.
    """
    plexes = tree.game.form.treeplexes
    least = [least_shares(plex) for plex in plexes]
    sizes = [plex.sequences for plex in plexes]
    duals = [plex.sets + 1 for plex in plexes]
    begin = [0, sizes[0]]
    first = [sizes[0] + sizes[1], sizes[0] + sizes[1] + 2 * duals[0]]  # of the dual numbers, in pairs
    total = first[1] + 2 * duals[1]
    costs = _costs(tree)  # positive, so that the method ends with a solution
    rows: list[dict[int, Any]] = [{} for _ in range(total)]
    for p in range(2):
        plex, other = plexes[p], 1 - p
        for key, row in costs.items():  # slack of a sequence: its cost minus the values of its sets
            line = rows[begin[p] + key[p]]
            place = begin[other] + key[other]
            line[place] = line.get(place, 0) + row[p]
        for number in range(duals[p]):
            q = first[p] + 2 * number
            root = number == plex.sets
            below = [EMPTY] if root else list(range(int(plex.begin[number]), int(plex.begin[number + 1])))
            for k, sign in [*((k, 1) for k in below), *([] if root else [(int(plex.parent[number]), -1)])]:
                place = begin[p] + k
                rows[place] |= {q: -sign, q + 1: sign}
                rows[q][place], rows[q + 1][place] = sign, -sign
    shares = [*least[0], *least[1]]
    lines, bounds = [], []
    for number, terms in enumerate(rows):
        bound = sum((value * shares[k] for k, value in terms.items() if k < len(shares) and shares[k]), 0)
        for p in range(2):
            if number == first[p] + 2 * plexes[p].sets:
                bound = bound - 1
            elif number == first[p] + 2 * plexes[p].sets + 1:
                bound = bound + 1
        whole = whole_row(terms, "<=", bound)
        lines.append(whole.terms)
        bounds.append(whole.bound)
    above, over = _lemke(total, lines, bounds)
    return tuple(tuple(above[begin[p] + k] + least[p][k] * over for k in range(sizes[p])) for p in range(2))


def _costs(tree: ExactTree) -> dict[tuple[int, ...], list[Any]]:
    """Return the cost of each end of play to each player, with chance folded in: a constant minus utility, above 0."""
    utility: list[Any] = [node.gains for node in tree.nodes]
    for number, node in enumerate(tree.nodes):
        for child in node.children:
            utility[child] = tuple(a + b for a, b in zip(utility[number], utility[child], strict=True))
    ends = [number for number, node in enumerate(tree.nodes) if not node.children]
    top = [max(utility[number][p] for number in ends) + 1 for p in range(2)]
    costs: dict[tuple[int, ...], list[Any]] = {}
    for number in ends:
        row = costs.setdefault(tree.nodes[number].last, [0, 0])
        for p in range(2):
            row[p] += tree.chance[number] * (top[p] - utility[number][p])
    return costs


def _lemke(size: int, rows: list[Any], bounds: list[Number]) -> tuple[list[Number], Number]:
    """Return z ≥ 0 (times a number, and the number) with w = M z + q ≥ 0 and z·w = 0, by Lemke's path.

    The covering vector is 1 everywhere. The lexicographic rule breaks ties, so the path does not cycle.
    """
    # columns: z (0 … size-1), w (size … 2·size-1), the covering variable, the right side; rows say w − M z − z0 = q
    cover, right = 2 * size, 2 * size + 1
    table: list[list[Number]] = []
    for r, (terms, bound) in enumerate(zip(rows, bounds, strict=True)):
        line: list[Number] = [0] * (right + 1)
        for k, number in terms.items():
            line[k] = -number
        line[size + r], line[cover], line[right] = 1, -1, bound
        table.append(line)
    basis, over = list(range(size, 2 * size)), 1
    row = _least_row(table, right)
    if not table[row][right] < 0:
        return [0] * size, 1
    entering = cover
    while True:
        go_on()
        over = _exchange(table, row, entering, over)
        leaving, basis[row] = basis[row], entering
        if leaving == cover:
            break
        entering = leaving - size if leaving >= size else leaving + size
        row = _ratio_row(table, basis, entering, right, size, cover)
        if row < 0:
            raise HannanError("Lemke's method ended in a ray: the complementarity problem of this game has no solution")
    values: list[Number] = [0] * size
    for r, basic in enumerate(basis):
        if basic < size:
            values[basic] = table[r][right]
    return values, over


def _least_row(table: list[list[Number]], right: int) -> int:
    """Return the row with the least right side; of ties, the last by the lexicographic order."""
    least = 0
    for r in range(1, len(table)):
        if not table[least][right] < table[r][right]:
            least = r
    return least


def _exchange(table: list[list[Number]], row: int, column: int, over: Number) -> Number:
    """Pivot, with all entries whole; return the new common denominator, which is positive."""
    if table[row][column] < 0:
        table[row] = [-number for number in table[row]]
    chosen, pivot = table[row], table[row][column]
    for r, line in enumerate(table):
        if r == row:
            continue
        share = line[column]
        if share == 0:
            table[r] = [number * pivot // over if number != 0 else 0 for number in line]
            continue
        table[r] = [
            (number * pivot - share * other) // over if number != 0 or other != 0 else 0
            for number, other in zip(line, chosen, strict=True)
        ]
    return pivot


def _ratio_row(table: list[list[Number]], basis: list[int], column: int, right: int, size: int, cover: int) -> int:
    """Return the row in which a growing variable is stopped first, by the lexicographic rule; -1 if none is."""
    candidates = [r for r, line in enumerate(table) if line[column] > 0]
    for k in (right, *range(size, 2 * size)):
        if len(candidates) <= 1:
            break
        best = candidates[:1]
        for r in candidates[1:]:
            difference = table[r][k] * table[best[0]][column] - table[best[0]][k] * table[r][column]
            if difference < 0:
                best = [r]
            elif difference == 0:
                best.append(r)
        if k == right and (ending := [r for r in best if basis[r] == cover]):
            return ending[0]
        candidates = best
    return candidates[0] if candidates else -1
