"""Proper equilibria of two-player games in normal form, decided without rounding.

R. B. Myerson (1978), Refinements of the Nash equilibrium concept. In an ε-proper equilibrium every plan is possible,
and a plan that earns less than another has at most ε times its probability. An equilibrium is proper if it is a limit
of such. Along a sequence of them the order of the plans by payoff can be taken as constant, so the orders of each
player are tried in turn. With the orders fixed, each player's trembles solve a linear system, and there are
trembles for every δ > 0 exactly if it has a solution with an infinitesimal δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from hannan.errors import SizeError, UnsuitableError
from hannan.interrupts import go_on
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import exact_cells
from hannan.solvers.general.germs import EPSILON, ratio
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.simplex import Row, maximise, whole_row

Matrix = Sequence[Sequence[Fraction]]
"""The payoff of each plan of a player (a row) against each plan of the other (a column)."""

Order = tuple[tuple[int, ...], ...]
"""Plans by payoff, the best first; plans in one class have equal payoffs."""

MOST_ORDERS = 1_000
"""The most pairs of orders that are tried to judge one equilibrium."""

MOST_SEARCHED = 4
"""The most plans of a player of a game whose proper equilibria are looked for."""


def is_proper(payoffs: tuple[Matrix, Matrix], mixed: tuple[Sequence[Fraction], Sequence[Fraction]]) -> bool | None:
    """Decide whether an equilibrium is proper; None if there are too many orders to try.

    payoffs[p][k][j] is the payoff of player p's plan k against the other's plan j.
    """
    orders = []
    for player in range(2):
        found = []
        for count, order in enumerate(_orders(payoffs[player], mixed[player], mixed[1 - player])):
            go_on()
            if count > MOST_ORDERS:
                return None
            if _trembles(mixed[1 - player], payoffs[player], order, None) is not None:
                found.append(order)
        orders.append(found)
    if len(orders[0]) * len(orders[1]) > MOST_ORDERS:
        return None
    for first in orders[0]:
        for second in orders[1]:
            go_on()
            theirs = _trembles(mixed[1], payoffs[0], first, second)
            if theirs is not None and _trembles(mixed[0], payoffs[1], second, first) is not None:
                return True
    return False


def proper(form: NormalForm) -> Points:
    """Find proper equilibria of a small two-player game in fractions: one for each pair of orders that allows one.

    The orders of the plans are tried one after another, so players may have few plans only.
    """
    if form.players != 2:
        raise UnsuitableError(
            f"{form.game.address} has {form.players} players, and proper equilibria are found for two; `refinements` "
            "judges a profile of any number"
        )
    shape = form.payoffs.shape[1:]
    if max(shape) > MOST_SEARCHED:
        raise SizeError(
            f"{form.game.address} has {shape[0]} by {shape[1]} plans, and proper equilibria are looked for among "
            f"{MOST_SEARCHED} each; `refinements` judges an equilibrium that another method finds"
        )
    cells, seen = exact_cells(form), set()
    payoffs = [
        [[Fraction(x) for x in row] for row in (cells.numbers[p] if p == 0 else cells.numbers[p].T)] for p in range(2)
    ]
    orders = [
        [order for order in _ordered_partitions(range(n)) if _trembles(None, payoffs[p], order, None, m) is not None]
        for p, (n, m) in enumerate((shape, shape[::-1]))
    ]
    for first, second in product(*orders):
        go_on()
        theirs = _trembles(None, payoffs[0], first, second, shape[1])
        mine = None if theirs is None else _trembles(None, payoffs[1], second, first, shape[0])
        if theirs is None or mine is None:
            continue
        mixed = tuple(tuple(ratio(x, sum(part, 0)) for x in part) for part in (mine, theirs))
        if mixed not in seen:
            seen.add(mixed)
            yield Point(tuple(np.array([float(x) for x in part]) for part in mixed), fractions=mixed)
    return Ending(False, "each pair of orders of the plans gives one proper equilibrium of perhaps many")


def _orders(payoff: Matrix, own: Sequence[Fraction], other: Sequence[Fraction]) -> Iterator[Order]:
    """Yield the orders that trembles of the other can lead to: they only split plans with equal payoffs."""
    earned = [sum((a * b for a, b in zip(row, other, strict=True)), Fraction(0)) for row in payoff]
    groups = [[k for k, number in enumerate(earned) if number == level] for level in sorted(set(earned), reverse=True)]

    def split(rest: list[list[int]], first: bool) -> Iterator[Order]:
        if not rest:
            yield ()
            return
        for head in _ordered_partitions(rest[0]):
            if first and any(own[k] and k not in head[0] for k in rest[0]):
                continue  # plans in use stay among the best
            for tail in split(rest[1:], False):
                yield (*head, *tail)

    yield from split(groups, True)


def _ordered_partitions(items: Sequence[int]) -> Iterator[Order]:
    """Yield every way to cut items into classes with an order among the classes."""
    if not items:
        yield ()
        return
    for size in range(1, len(items) + 1):
        for head in combinations(items, size):
            rest = [one for one in items if one not in head]
            for tail in _ordered_partitions(rest):
                yield (head, *tail)


def _trembles(
    mixed: Sequence[Fraction] | None, payoff: Matrix, order: Order, own: Order | None, count: int = 0
) -> list[Any] | None:
    """Return trembles of a player, near its mixed strategy, that give the other's plans the `order`; or None.

    mixed: None for any strategy of `count` plans. own: the order of the player's own plans. A plan of a worse class has
    at most δ times the probability of any plan of a better class. Returns the weights of the plans, times a common
    number.
    """
    count = count if mixed is None else len(mixed)
    rows: list[Row] = []
    for place, above in enumerate(order):
        for k in above[1:]:
            rows.append(_difference(payoff, above[0], k, "="))
        if place + 1 < len(order):
            rows.append(_difference(payoff, above[0], order[place + 1][0], ">="))
    for k, share in enumerate(mixed or ()):
        if share and count > 1:  # at least share − δ of the total
            terms: dict[int, Any] = dict.fromkeys(range(count), EPSILON - share)
            terms[k] = terms[k] + 1
            rows.append(whole_row(terms, ">="))
    for above, below in zip(own or (), (own or ())[1:], strict=False):
        rows += [Row({better: EPSILON, worse: -1}, ">=") for better in above for worse in below]
    shifted = [Row(row.terms, row.sense, row.bound - sum(row.terms.values(), 0)) for row in rows]  # all at least 1
    found = maximise(count, {}, shifted)
    return None if found is None else [x + found.over for x in found.columns]


def _difference(payoff: Matrix, better: int, worse: int, sense: Any) -> Row:
    """Return the constraint that a plan earns as much as another ("="), or more by at least 1 (after scaling)."""
    row = whole_row({j: a - b for j, (a, b) in enumerate(zip(payoff[better], payoff[worse], strict=True))}, sense)
    return Row(row.terms, sense, 0 if sense == "=" else 1)
