"""Proper equilibria of two-player games in normal form, decided without rounding.

R. B. Myerson (1978), Refinements of the Nash equilibrium concept. In an ε-proper equilibrium every plan is possible,
and a plan that earns less than another has at most ε times its probability. An equilibrium is proper if it is a limit
of such. Along a sequence of them the order of the plans by what they earn can be taken as constant, so one order for
each player is tried after another. With the orders fixed, each player's trembles solve a linear system, and there are
trembles for every δ > 0 exactly if it has a solution with an infinitesimal δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from hannan.interrupts import go_on
from hannan.solvers.general.germs import EPSILON
from hannan.solvers.general.simplex import Row, maximise, whole_row

Matrix = Sequence[Sequence[Fraction]]
"""What each plan of a player (a row) earns against each plan of the other (a column)."""

Order = tuple[tuple[int, ...], ...]
"""Plans by what they earn, the best first; plans in one class earn the same."""

MOST_ORDERS = 1_000
"""The most pairs of orders that are tried."""


def is_proper(payoffs: tuple[Matrix, Matrix], mixed: tuple[Sequence[Fraction], Sequence[Fraction]]) -> bool | None:
    """Decide whether an equilibrium is proper; None if there are too many orders to try.

    payoffs[p][k][j] is what player p earns by its plan k against the other's plan j.
    """
    orders = []
    for player in range(2):
        found = []
        for count, order in enumerate(_orders(payoffs[player], mixed[player], mixed[1 - player])):
            go_on()
            if count > MOST_ORDERS:
                return None
            if _trembles(mixed[1 - player], payoffs[player], order, None):
                found.append(order)
        orders.append(found)
    if len(orders[0]) * len(orders[1]) > MOST_ORDERS:
        return None
    for first in orders[0]:
        for second in orders[1]:
            go_on()
            if _trembles(mixed[1], payoffs[0], first, second) and _trembles(mixed[0], payoffs[1], second, first):
                return True
    return False


def _orders(payoff: Matrix, own: Sequence[Fraction], other: Sequence[Fraction]) -> Iterator[Order]:
    """Yield the orders that trembles of the other can lead to: they only split plans that earn the same now."""
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


def _trembles(mixed: Sequence[Fraction], payoff: Matrix, order: Order, own: Order | None) -> bool:
    """Return whether a player can tremble, near its mixed strategy, so that the other's plans earn by `order`.

    own: the order of the player's own plans, where those of a worse class have at most δ times any of a better one.
    """
    count = len(mixed)
    rows: list[Row] = []
    for place, above in enumerate(order):
        for k in above[1:]:
            rows.append(_difference(payoff, above[0], k, "="))
        if place + 1 < len(order):
            rows.append(_difference(payoff, above[0], order[place + 1][0], ">="))
    for k, share in enumerate(mixed):
        if share and count > 1:  # at least share − δ of the total
            terms: dict[int, Any] = dict.fromkeys(range(count), EPSILON - share)
            terms[k] = terms[k] + 1
            rows.append(whole_row(terms, ">="))
    for above, below in zip(own or (), (own or ())[1:], strict=False):
        rows += [Row({better: EPSILON, worse: -1}, ">=") for better in above for worse in below]
    shifted = [Row(row.terms, row.sense, row.bound - sum(row.terms.values(), 0)) for row in rows]  # all at least 1
    return maximise(count, {}, shifted) is not None


def _difference(payoff: Matrix, better: int, worse: int, sense: Any) -> Row:
    """Say that a plan earns as much as another ("="), or more by at least 1, which is a matter of scale."""
    row = whole_row({j: a - b for j, (a, b) in enumerate(zip(payoff[better], payoff[worse], strict=True))}, sense)
    return Row(row.terms, sense, 0 if sense == "=" else 1)
