"""The equilibrium of a restricted game that is nearest to a profile, by an interior-point method.

R. T. Rockafellar (1976), Monotone operators and the proximal point algorithm; S. Mehrotra (1992), On the implementation
of a primal-dual interior point method; M. P. Friedlander, D. Orban (2012), A primal-dual regularized interior-point
method for convex quadratic programs.

Let Ex = e and Fy = f be the flows of both treeplexes, and (x̂, ŷ) a centre. The method solves the game in which
player 0 also pays w/2·|x - x̂|² and player 1 w/2·|y - ŷ|². Its conditions are Ex = e, Fy = f and

    r = Eᵀu - Ay + w(x - x̂) ≥ 0,   x ≥ 0,   x·r = 0,      s = Aᵀx - Fᵀv + w(y - ŷ) ≥ 0,   y ≥ 0,   y·s = 0.

Without w the solution of a restricted game may be any of its equilibria, most of which lose outside of the restriction.
With w the play stays near a profile that is known to be good in the whole game. The systems of both players are
transposes of each other, so each step needs one sparse factorisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.forms.treeplex import Treeplex, even, flow, reaches
from hannan.interrupts import go_on
from hannan.solvers.exact.restriction import behaviour
from hannan.solvers.exact.systems import Systems

MOST = 100
"""The most interior-point steps."""

DONE, FEASIBLE = 1e-12, 1e-9
"""The sum of all products x·r and y·s at which a solution is complete, and its largest residuals."""

SHORTEST = 1e-6
"""A step that is shorter than this share of the whole one makes no progress."""

BACK = 0.995
"""The share of the way to the boundary that a step goes."""

EVEN = 1e-3
"""The share of uniform play in the starting point."""

TINY = 1e-300


@dataclass(frozen=True)
class Point:
    """A solution of a restricted game, or the last point of the method."""

    x: Floats  # [sequences of 0]
    y: Floats  # [sequences of 1]
    u: Floats  # [1 + sets of 0]  the value of each set to player 0; first the whole game
    v: Floats  # [1 + sets of 1]  the most that each set leaves to player 0
    r: Floats  # [sequences of 0]  the value of its set minus that of each sequence
    s: Floats  # [sequences of 1]
    complete: bool


def constraints(plexes: Sequence[Treeplex], payoffs: Any) -> Any:
    """Return M, [flows of 0, sequences of 1; sequences of 0, flows of 1]; its transpose is that of player 1."""
    from scipy.sparse import block_array

    E, F = (flow_from_root(plex) for plex in plexes)
    return block_array([[E, None], [-payoffs.T, F.T]], format="csr")


def flow_from_root(plex: Treeplex) -> Any:
    """Return the flow constraints, with one for the empty sequence before them, [1 + sets, sequences]."""
    from scipy.sparse import csr_array, vstack

    return vstack([csr_array(([1.0], ([0], [0])), shape=(1, plex.sequences)), flow(plex)], format="csr")


def nearest(
    payoffs: Any, plexes: Sequence[Treeplex], centre: tuple[Floats, Floats], weight: float, spread: float
) -> Point:
    """Solve the restricted game near a centre, whose NashConv is about `spread`: both are probabilities of sequences.

    `payoffs` are those of player 0, [sequences of 0, sequences of 1], the largest near 1.
    """
    with np.errstate(all="ignore"):  # a step that overflows is not taken
        return _Interior(payoffs, plexes, centre, weight, spread).solve()


class _Interior:
    """The method at work."""

    def __init__(
        self, payoffs: Any, plexes: Sequence[Treeplex], centre: tuple[Floats, Floats], weight: float, spread: float
    ) -> None:
        self.A, self.AT, self.weight = payoffs, payoffs.T.tocsr(), weight
        self.E, self.F = (flow_from_root(plex) for plex in plexes)
        self.ET, self.FT = self.E.T.tocsr(), self.F.T.tocsr()
        self.sizes = [len(centre[0]), self.F.shape[0], self.E.shape[0], len(centre[1])]  # of x, v, u, y
        self.cuts = np.cumsum(self.sizes)[:-1]
        self.e, self.f = np.eye(1, self.E.shape[0])[0], np.eye(1, self.F.shape[0])[0]
        self.xc, self.yc = (
            reaches(plex, behaviour(plex, np.maximum(one, TINY))) for plex, one in zip(plexes, centre, strict=True)
        )
        self.x, self.y = (
            (1.0 - EVEN) * one + EVEN * reaches(plex, even(plex))
            for plex, one in zip(plexes, (self.xc, self.yc), strict=True)
        )
        mu = spread / (len(self.x) + len(self.y))
        self.u = _barrier(plexes[0], self.A @ self.y, self.x, mu)
        self.v = -_barrier(plexes[1], -(self.AT @ self.x), self.y, mu)
        self.r, self.s = self.ET @ self.u - self.A @ self.y, self.AT @ self.x - self.FT @ self.v
        signs = np.repeat([1.0, -1.0], [self.sizes[0] + self.sizes[1], self.sizes[2] + self.sizes[3]])
        self.systems = Systems(constraints(plexes, payoffs), signs)

    def solve(self) -> Point:
        """Step until the solution is complete or no step makes progress."""
        total, worst = np.inf, np.inf
        for _ in range(MOST):
            go_on()
            self.lacking = (
                self.e - self.E @ self.x,
                self.f - self.F @ self.y,
                self.r - (self.ET @ self.u - self.A @ self.y + self.weight * (self.x - self.xc)),
                self.s - (self.AT @ self.x - self.FT @ self.v + self.weight * (self.y - self.yc)),
            )
            worst = max(float(np.abs(one).max()) for one in self.lacking)
            total = float(np.sum(self.x * self.r) + np.sum(self.y * self.s))
            if (total < DONE and worst < FEASIBLE) or not self._step(total / (len(self.x) + len(self.y))):
                break
        done = total < DONE and worst < FEASIBLE
        return Point(self.x, self.y, self.u, self.v, self.r, self.s, done)

    def _step(self, mu: float) -> bool:
        """Take a step; return False if no step makes progress."""
        x, y, r, s, w = self.x, self.y, self.r, self.s, self.weight
        middle = np.zeros(self.sizes[1] + self.sizes[2])
        try:
            self.systems.factor(np.concatenate((r / x + w, middle, -s / y - w)))
        except ArithmeticError:  # singular to rounding
            return False
        ahead = self._direction(-x * r, -y * s)
        reach = self._reach(ahead)
        dx, _, _, dy, dr, ds = ahead
        left = float(np.sum((x + reach * dx) * (r + reach * dr)) + np.sum((y + reach * dy) * (s + reach * ds)))
        aim = mu * (left / (mu * (len(x) + len(y)))) ** 3
        step = self._direction(aim - x * r - dx * dr, aim - y * s - dy * ds)
        length = min(1.0, BACK * self._reach(step))
        if not (length > SHORTEST and all(np.isfinite(one).all() for one in step)):
            return False
        dx, dv, du, dy, dr, ds = step
        self.x, self.v, self.u, self.y = x + length * dx, self.v + length * dv, self.u + length * du, y + length * dy
        self.r, self.s = r + length * dr, s + length * ds
        return True

    def _direction(self, cx: Floats, cy: Floats) -> tuple[Floats, ...]:
        """Return the step after which the products have changed by `cx` and `cy`, to first order."""
        flow_x, flow_y, of_r, of_s = self.lacking
        right = np.concatenate((cx / self.x + of_r, flow_y, flow_x, -cy / self.y - of_s))
        dx, dv, du, dy = np.split(self.systems.solve(right), self.cuts)
        return dx, dv, du, dy, (cx - self.r * dx) / self.x, (cy - self.s * dy) / self.y

    def _reach(self, step: tuple[Floats, ...]) -> float:
        """Return the largest share of a step, up to 1, at which nothing becomes negative."""
        dx, _, _, dy, dr, ds = step
        return min(_until(z, dz) for z, dz in ((self.x, dx), (self.y, dy), (self.r, dr), (self.s, ds)))


def _until(z: Floats, dz: Floats) -> float:
    falling = dz < 0.0
    return min(1.0, float((z[falling] / -dz[falling]).min(initial=1.0)))


def _barrier(plex: Treeplex, gradient: Floats, reach: Floats, mu: float) -> Floats:
    """Return values of sets a little above their best actions: at each, ∑ mu/(value - action's value) is its reach.

    The first number is for the whole game, [1 + sets].
    """
    values, worth = gradient.copy(), np.zeros(1 + plex.sets)
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        begin, sizes, parent = plex.begin[first:last], plex.sizes[first:last], plex.parent[first:last]
        mine, starts = values[begin[0] : plex.begin[last]], begin - begin[0]
        best, share = np.maximum.reduceat(mine, starts), mu / reach[parent]
        height = best + share
        for _ in range(30):  # Newton on a falling convex function, from the left
            apart = 1.0 / (np.repeat(height, sizes) - mine)
            too_much = np.add.reduceat(apart, starts) - 1.0 / share
            height = np.minimum(height + too_much / np.add.reduceat(apart * apart, starts), best + sizes * share)
        worth[1 + first : 1 + last] = height
        np.add.at(values, parent, height)
    worth[0] = values[0] + mu
    return worth
