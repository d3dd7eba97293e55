"""A box around an equilibrium, checked again: interval Newton (Krawczyk's operator) with fractions as ends.

The unknowns are the probabilities of the support, without one plan per player, its base. The equations say that every
plan of a support pays as much as the base. Y is any matrix; here it is the inverse of the Jacobian at the centre in
floats. The box holds exactly one root if each row of |1 - Y J| over the box sums to less than 1, and Newton's map takes
the box into its interior. The root is an equilibrium if, on all of the box, probabilities are positive and other plans
pay less.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from hannan.verifier.deviations import Cells, Strategy
from hannan.verifier.verdict import RejectedError, need


class Interval(NamedTuple):
    """All numbers between two fractions."""

    low: Fraction
    high: Fraction


def _plus(a: Interval, b: Interval) -> Interval:
    return Interval(a.low + b.low, a.high + b.high)


def _times(a: Interval, b: Interval) -> Interval:
    if a.low == a.high and b.low == b.high:
        exact = a.low * b.low
        return Interval(exact, exact)
    ends = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return Interval(min(ends), max(ends))


def _scaled(factor: Fraction, a: Interval) -> Interval:
    return Interval(factor * a.low, factor * a.high) if factor >= 0 else Interval(factor * a.high, factor * a.low)


NOTHING, ONE = Interval(Fraction(0), Fraction(0)), Interval(Fraction(1), Fraction(1))

Box = list[dict[int, Interval]]
"""For each player, its plans with their probabilities."""


def _mean(box: Box, fixed: tuple[int, ...], gain: Callable[[list[int]], Fraction]) -> Interval:
    """Return the mean of a gain while all players but the fixed ones draw plans from the box."""
    total = NOTHING
    for cell in product(*([(-1, ONE)] if q in fixed else list(own.items()) for q, own in enumerate(box))):
        exact = gain([plan for plan, _ in cell])
        weight = Interval(exact, exact)
        for q, (_, part) in enumerate(cell):
            if q not in fixed:
                weight = _times(weight, part)
        total = _plus(total, weight)
    return total


def _paid(form: Cells, player: int, plan: int, box: Box) -> Interval:
    """Return what a plan pays against the box."""
    return _mean(box, (player,), lambda plans: form.gain(player, _with(plans, {player: plan})))


def _more(form: Cells, player: int, plan: int, base: int, box: Box) -> Interval:
    """Return how much more than `base` a plan pays against the box."""

    def gain(plans: list[int]) -> Fraction:
        return form.gain(player, _with(plans, {player: plan})) - form.gain(player, _with(plans, {player: base}))

    return _mean(box, (player,), gain)


def _slope(form: Cells, row: tuple[int, int], base: list[int], unknown: tuple[int, int], box: Box) -> Interval:
    """Return the derivative of what a plan pays minus what its base pays, by an unknown of another player."""
    (player, plan), (other, own) = row, unknown
    if player == other:
        return NOTHING

    def gain(plans: list[int]) -> Fraction:
        total = Fraction(0)
        for mine, sign in ((plan, 1), (base[player], -1)):
            for theirs, also in ((own, 1), (base[other], -1)):
                total += sign * also * form.gain(player, _with(plans, {player: mine, other: theirs}))
        return total

    return _mean(box, (player, other), gain)


def _with(plans: list[int], taken: dict[int, int]) -> list[int]:
    """Return `plans` with the plans of some players replaced."""
    return [taken.get(q, plan) for q, plan in enumerate(plans)]


def check_box(
    form: Cells,
    support: list[list[int]],
    base: list[int],
    centre: list[Strategy],
    radius: Fraction,
    bounds: list[tuple[Fraction, Fraction]],
    index: object,
) -> None:
    """Reject a box unless exactly one equilibrium with this support, these payoffs and this index lies in it."""
    players = len(form.shape)
    need(len(support) == len(base) == len(centre) == len(bounds) == players, "there should be a strategy per player")
    for size, plans, one, part in zip(form.shape, support, base, centre, strict=True):
        need(plans == sorted(set(plans)) and bool(plans) and plans[-1] < size, "a support is not a list of plans")
        need(one in plans and len(part) == len(plans), "a centre does not fit its support")
        need(sum(part) == 1, "the probabilities of a centre should sum to 1")
    unknowns = [(p, plan) for p, plans in enumerate(support) for plan in plans if plan != base[p]]
    need(radius > 0 if unknowns else radius == 0, "the radius should be positive, and 0 if no player mixes")
    box: Box = []
    for plans, one, part in zip(support, base, centre, strict=True):
        reach = {plan: radius * (len(plans) - 1) if plan == one else radius for plan in plans}
        box.append({plan: Interval(x - reach[plan], x + reach[plan]) for plan, x in zip(plans, part, strict=True)})
        need(
            all(interval.low > 0 for interval in box[-1].values()), "the box holds probabilities that are not positive"
        )
    middle: Box = [
        {plan: Interval(x, x) for plan, x in zip(plans, part, strict=True)}
        for plans, part in zip(support, centre, strict=True)
    ]
    sign = _contracts(form, unknowns, base, box, middle, radius)
    need(type(index) is int and index == sign, f"the index is {sign}, and the file claims {index!r:.20}")
    for player, plans in enumerate(support):
        for plan in range(form.shape[player]):
            if plan not in plans:
                more = _more(form, player, plan, base[player], box)
                need(more.high < 0, f"plan {plan} of player {player} may pay as much as the support")
        paid = _paid(form, player, base[player], box)
        low, high = bounds[player]
        need(low <= paid.low and paid.high <= high, f"player {player} may earn other payoffs than claimed")


def _contracts(
    form: Cells, unknowns: list[tuple[int, int]], base: list[int], box: Box, middle: Box, radius: Fraction
) -> int:
    """Check Krawczyk's condition; return the index."""
    if not unknowns:
        return 1
    slopes = [[_slope(form, row, base, unknown, box) for unknown in unknowns] for row in unknowns]
    scales = [max(max(abs(slope.low), abs(slope.high)) for slope in row) or Fraction(1) for row in slopes]
    floats = [
        [float((slope.low + slope.high) / (2 * scale)) for slope in row]
        for row, scale in zip(slopes, scales, strict=True)
    ]
    try:
        inverse = np.linalg.inv(np.array(floats))
    except np.linalg.LinAlgError:
        raise RejectedError("the Jacobian is singular") from None
    need(bool(np.isfinite(inverse).all()), "the Jacobian is singular")
    matrix = [[Fraction(float(y)) / scale for y, scale in zip(row, scales, strict=True)] for row in inverse]
    values = [_more(form, player, plan, base[player], middle).low for player, plan in unknowns]
    for k, row in enumerate(matrix):
        spread = Fraction(0)
        for c in range(len(unknowns)):
            entry = NOTHING
            for r, factor in enumerate(row):
                entry = _plus(entry, _scaled(factor, slopes[r][c]))
            if c == k:
                entry = Interval(entry.low - 1, entry.high - 1)
            spread += max(abs(entry.low), abs(entry.high))
        step = abs(sum((factor * value for factor, value in zip(row, values, strict=True)), Fraction(0)))
        need(spread < 1, "Newton's map does not contract on the box")
        need(step + spread * radius < radius, "Newton's map leads out of the box")
    return _sign(matrix) * (-1) ** len(unknowns)


def _sign(matrix: list[Strategy]) -> int:
    """Return the sign of a determinant, by elimination in fractions."""
    rows, sign = [list(row) for row in matrix], 1
    for k in range(len(rows)):
        pivot = next((r for r in range(k, len(rows)) if rows[r][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        sign = sign if rows[k][k] > 0 else -sign
        for r in range(k + 1, len(rows)):
            factor = rows[r][k] / rows[k][k]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[k], strict=True)]
    return sign


def index_at(form: Cells, strategies: list[Strategy]) -> int | None:
    """Return the index of an exact equilibrium; None if it is not regular or another plan pays as much."""
    support = [[plan for plan, weight in enumerate(one) if weight] for one in strategies]
    base = [plans[0] for plans in support]
    middle: Box = [
        {plan: Interval(one[plan], one[plan]) for plan in plans} for one, plans in zip(strategies, support, strict=True)
    ]
    for player, plans in enumerate(support):
        for plan in range(form.shape[player]):
            if plan not in plans and _more(form, player, plan, base[player], middle).low >= 0:
                return None
    unknowns = [(p, plan) for p, plans in enumerate(support) for plan in plans[1:]]
    slopes = [[_slope(form, row, base, unknown, middle).low for unknown in unknowns] for row in unknowns]
    return (_sign(slopes) * (-1) ** len(unknowns) or None) if unknowns else 1
