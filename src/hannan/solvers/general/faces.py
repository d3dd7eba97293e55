"""Vertices of a face of a best-response polytope, in whole numbers.

A face of player p is the set of its mixed strategies that use only `free` strategies and make every answer in `tight` a
best one. It is a cone of whole-number inequalities, cut where probabilities sum to 1. Most faces are one point, which a
system of equations gives. The others are listed by the double description method: T. S. Motzkin, H. Raiffa,
G. L. Thompson, R. M. Thrall (1953); K. Fukuda, A. Prodon (1996), Double description method revisited, Proposition 7.
"""

from __future__ import annotations

from functools import cache
from math import gcd
from typing import Any

from hannan.interrupts import go_on
from hannan.solvers.general.bimatrix import Bimatrix
from hannan.solvers.general.elimination import kernel_of

Ray = tuple[int, ...]
"""A mixed strategy times a whole number: entries without a common divisor."""

Cone = list[tuple[Ray, int]]
"""Extreme rays, each with the inequalities that hold with equality there, as bits."""


class Faces:
    """The faces of both best-response polytopes of a game; listed faces are kept."""

    def __init__(self, game: Bimatrix) -> None:
        self._answers = [[row.tolist() for row in matrix] for matrix in game.answers]
        self.vertices = cache(self._vertices)

    def _vertices(self, player: int, free: tuple[int, ...], tight: tuple[int, ...]) -> tuple[Ray, ...]:
        """Return all vertices of a face, as rays with one entry for each strategy of the player; () if it is empty."""
        answers = self._answers[player]
        if not free or not tight:
            return ()
        best = [answers[tight[0]][c] for c in free]
        equal = [[top - answers[e][c] for top, c in zip(best, free, strict=True)] for e in tight[1:]]
        others = set(range(len(answers))).difference(tight)
        above = [[top - answers[e][c] for top, c in zip(best, free, strict=True)] for e in sorted(others)]
        dimension, ray = kernel_of(equal, len(free))
        if dimension == 0:
            return ()
        found = [tuple(ray)] if dimension == 1 else [ray for ray, _ in _rays(equal, above, len(free))]
        if dimension == 1:
            found = _alone(found[0], above)
        return tuple(_spread(ray, free, len(answers[0])) for ray in found)


def _alone(ray: Ray, above: list[list[int]]) -> list[Ray]:
    """Return the one ray of a face, with positive entries, if it satisfies all inequalities."""
    if sum(ray) < 0:
        ray = tuple(-number for number in ray)
    if min(ray) < 0 or any(_value(row, ray) < 0 for row in above):
        return []
    return [ray]


def _spread(ray: Ray, free: tuple[int, ...], size: int) -> Ray:
    whole = [0] * size
    for c, number in zip(free, ray, strict=True):
        whole[c] = number
    return tuple(whole)


def _value(row: list[int], ray: Ray) -> int:
    return sum(map(_product, row, ray))


def _product(one: int, other: int) -> int:
    return one * other


def _rays(equal: list[list[int]], above: list[list[int]], size: int) -> Cone:
    """Return the extreme rays of {z ≥ 0: equal·z = 0, above·z ≥ 0}."""
    everything = (1 << size) - 1
    cone: Cone = [(tuple(int(c == k) for c in range(size)), everything & ~(1 << k)) for k in range(size)]
    dimension = size
    for row in equal:
        dimension -= 1  # or less: then a few more pairs pass the first test of neighbours
        cone = _cut(cone, row, None, dimension + 1)
    for number, row in enumerate(above):
        cone = _cut(cone, row, size + number, dimension)
    return cone


def _cut(cone: Cone, row: list[int], bit: int | None, dimension: int) -> Cone:
    """Intersect a cone with row·z ≥ 0, which gets a bit; or with row·z = 0 if `bit` is None."""
    values = [_value(row, ray) for ray, _ in cone]
    mark = 0 if bit is None else 1 << bit
    kept = [(ray, zeros | mark) for (ray, zeros), value in zip(cone, values, strict=True) if value == 0]
    up = [(k, value) for k, value in enumerate(values) if value > 0]
    down = [(k, value) for k, value in enumerate(values) if value < 0]
    if bit is not None:
        kept += [cone[k] for k, _ in up]
    for k, high in up:
        go_on()
        for j, low in down:
            common = cone[k][1] & cone[j][1]
            if common.bit_count() < dimension - 2 or not _neighbours(cone, k, j, common):
                continue
            mixed = [high * one - low * other for one, other in zip(cone[j][0], cone[k][0], strict=True)]
            divisor = gcd(*mixed)
            kept.append((tuple(number // divisor for number in mixed), common | mark))
    return kept


def _neighbours(cone: Cone, k: int, j: int, common: int) -> bool:
    """Return whether no other ray lies in the smallest face that holds both rays."""
    return not any(zeros & common == common for at, (_, zeros) in enumerate(cone) if at not in (k, j))


def support(strategy: Any) -> tuple[int, ...]:
    """Return the strategies that have a positive probability."""
    return tuple(c for c, weight in enumerate(strategy) if weight)


def isolated(game: Bimatrix, faces: Faces, x: Ray, y: Ray) -> bool:
    """Return whether no other equilibrium is close to an extreme one: none shares x, and none shares y.

    The equilibria are a finite union of products of faces, each the hull of extreme equilibria. If such a product holds
    (x, y) and more, it holds some (x, y′) or (x′, y) as well.
    """
    to_x, to_y = game.best(0, x), game.best(1, y)
    if support(x) == to_y and support(y) == to_x:
        return True  # a vertex in the interior of its face: the face is this point
    return faces.vertices(0, to_y, support(y)) == (x,) and faces.vertices(1, to_x, support(x)) == (y,)
