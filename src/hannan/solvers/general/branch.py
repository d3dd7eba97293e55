"""The principal branch of logit equilibria, followed from the uniform strategies.

R. D. McKelvey, T. R. Palfrey (1995), Quantal response equilibria for normal form games, section 3: at λ = 0 each player
plays every action equally often, and one branch of equilibria starts there. T. L. Turocy (2005), A dynamic homotopy
interpretation of the logistic quantal response equilibrium correspondence, section 3: follow it in logarithms of
probabilities, which stay finite numbers however rare an action becomes. E. L. Allgower, K. Georg (1990), Numerical
continuation methods, chapters 3, 6 and 8: Euler steps along the tangent, Newton steps back to the branch, the length of
a step from how well Newton's steps contract; a turning point is a sign change of dλ, a bifurcation a sign change of the
determinant of the whole system.

With payoffs u and logarithms y, the equations of a choice are y_a − y_r = λ (u_a − u_r) for every action a but one, r,
and Σ_a exp y_a = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from hannan.arrays import Floats
from hannan.interrupts import go_on
from hannan.solvers.general.choices import Choices

FIRST_STEP = 0.03
"""The length of the first step, in λ times the spread of payoffs."""

SHORTEST, CLOSE = 1e-7, 1e-4
"""Step lengths below which steps are not halved, as shares of λ: if they fail, and if they cross a bifurcation."""

CONTRACTION, DISTANCE, ANGLE = 0.3, 0.4, 0.3
"""The measures of a good step: the ratio of the second Newton step to the first, the length of the first, and the bend
of the branch in radians. If they are half of this, the next step is longer; if they are twice, the step is undone."""

NEWTON = 8
"""The most Newton steps from a prediction."""

LEAPS = (1e-3, 1e-2, 0.1, 0.5)
"""The step lengths to try across a point at which short steps fail, such as a bifurcation."""


@dataclass(frozen=True, eq=False)
class Stand:
    """One equilibrium on a branch."""

    rate: float
    """λ times the spread of payoffs."""
    logs: Floats
    tangent: Floats
    """[actions + 1]  the direction in which the branch continues, with λ times the spread last."""
    turned: bool = False
    """Whether λ had a maximum or minimum between the stand before and this one."""
    bifurcated: bool = False
    """Whether another branch crosses between the stand before and this one."""
    settled: bool = True
    """Whether the branch continues; false for the last stand of a branch that was lost there."""


class System:
    """The equations of logit equilibria, and their derivatives."""

    def __init__(self, choices: Choices) -> None:
        self.choices, self.spread = choices, choices.spread
        self.heads, self.sizes = choices.begin[:-1], np.diff(choices.begin)
        self.actions = int(choices.begin[-1])
        self.numbers = np.arange(self.actions)

    def even(self) -> Floats:
        """Return the logarithms of uniform strategies."""
        return np.repeat(-np.log(self.sizes), self.sizes)

    def equations(self, logs: Floats, rate: float) -> tuple[Floats, Floats]:
        """Return the residuals of the equations, [actions], and their derivatives, [actions, actions + 1].

        At each choice the most probable action is compared with the others, because it has the least rounding. Another
        one would change neither the solutions nor the determinant.
        """
        pays, slopes = self.choices.pays(logs)
        pays, slopes = pays / self.spread, slopes * (-rate / self.spread)
        highest = np.maximum.reduceat(logs, self.heads)
        reference = np.maximum.reduceat(np.where(logs == np.repeat(highest, self.sizes), self.numbers, -1), self.heads)
        against = np.repeat(reference, self.sizes)
        odds = np.exp(logs - np.repeat(highest, self.sizes))
        sums = np.add.reduceat(odds, self.heads)
        left = logs - logs[against] - rate * (pays - pays[against])
        left[reference] = highest + np.log(sums)
        table = np.empty((self.actions, self.actions + 1))
        table[:, :-1] = slopes
        table[self.numbers, self.numbers] += 1.0
        table[:, :-1] -= table[against, :-1]
        table[:, -1] = pays[against] - pays
        table[reference] = 0.0
        table[against, self.numbers] = odds / np.repeat(sums, self.sizes)
        return left, table

    def tolerance(self, logs: Floats, rate: float) -> float:
        """Return the residual that counts as 0: the rounding of payoffs, times λ."""
        return 1e-10 + rate * self.choices.rounding(logs)


@dataclass(frozen=True, eq=False)
class Move:
    """The result of a step."""

    logs: Floats
    rate: float
    tangent: Floats  # [actions + 1]
    sign: float
    """The sign of the determinant of the equations with the tangent below them."""
    factor: float
    """The factor by which the next step may be longer."""


class Follower:
    """A point on a branch that moves along it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.logs, self.rate, self.length = self.system.even(), 0.0, FIRST_STEP
        self.tangent = np.zeros(self.system.actions + 1)
        self.tangent[-1] = 1.0
        self.sign = 0.0
        _, table = self.system.equations(self.logs, self.rate)
        self.tangent, self.sign = self._direction(table, self.tangent)

    def _direction(self, table: Floats, along: Floats) -> tuple[Floats, float]:
        """Return the unit tangent that does not turn back from `along`, and the sign of the determinant with it."""
        last = np.zeros(len(along))
        last[-1] = 1.0
        solution, sign = bordered(table, along, last)
        if solution is None:
            return along, 0.0
        tangent = solution / np.linalg.norm(solution)
        return tangent, sign

    def advance(self, to: float | None = None) -> Stand:
        """Move to the next stand; if λ reaches `to` before it, return that stand without moving.

        If every length of a step fails, the stand is the present one, not settled.
        """
        while True:
            scale = max(1.0, self.rate)
            moved = self._step(self.length)
            if moved is None and self.length > SHORTEST * scale:
                self.length /= 2
                continue
            if moved is None:
                moved = next(filter(None, (self._step(leap * scale, careful=False) for leap in LEAPS)), None)
            if moved is None:
                return Stand(self.rate, self.logs, self.tangent, settled=False)
            bifurcated = self.sign * moved.sign < 0
            if bifurcated and self.length > CLOSE * scale:  # a short step tells a bifurcation from a jump
                self.length /= 4
                continue
            stand = Stand(moved.rate, moved.logs, moved.tangent, self.tangent[-1] * moved.tangent[-1] < 0, bifurcated)
            if to is not None and (self.rate - to) * (moved.rate - to) <= 0:
                found = between(self.system, Stand(self.rate, self.logs, self.tangent), stand, to)
                if found is not None:
                    return Stand(to, found[0], moved.tangent, bifurcated=bifurcated)
                if self.length > SHORTEST * scale:
                    self.length /= 4
                    continue
            self.logs, self.rate, self.tangent, self.sign = moved.logs, moved.rate, moved.tangent, moved.sign
            self.length *= moved.factor
            return stand

    def _step(self, length: float, *, careful: bool = True) -> Move | None:
        """Try one step; None if Newton's steps do not contract or the branch bends too much."""
        point = np.append(self.logs, self.rate) + length * self.tangent
        if point[-1] < 0:
            return None
        first, worst = 0.0, 0.0
        for turn in range(NEWTON):
            left, table = self.system.equations(point[:-1], point[-1])
            if not np.isfinite(left).all():
                return None
            size = float(np.abs(left).max())
            if size <= self.system.tolerance(point[:-1], point[-1]):
                break
            change, _ = bordered(table, self.tangent, np.append(-left, 0.0))
            if change is None:
                return None
            moved = float(np.abs(change[:-1] / (1 + 0.01 * np.abs(point[:-1]))).max())
            if turn == 0:
                first = moved
                worst = max(worst, moved / DISTANCE)
            elif turn == 1:
                worst = max(worst, moved / max(first, 1e-300) / CONTRACTION) if moved > 1e-6 else worst
            if (careful and worst > 2) or moved > 5.0:
                return None
            point = point + change
        else:
            return None
        if point[-1] < 0:
            return None
        tangent, sign = self._direction(table, self.tangent)
        bend = float(np.arccos(np.clip(tangent @ self.tangent, -1.0, 1.0)))
        worst = max(worst, bend / ANGLE)
        if (careful and worst > 2) or bend > 1.0:
            return None
        return Move(point[:-1], float(point[-1]), tangent, sign, float(np.clip(1 / max(worst, 0.01), 0.5, 2.0)))


def bordered(table: Floats, border: Floats, right: Floats) -> tuple[Any, float]:
    """Solve the equations with one more row below; also the sign of the determinant. None if it is singular."""
    lu, pivots, wrong = lapack.dgetrf(np.vstack((table, border)))
    if wrong:
        return None, 0.0
    solution, _ = lapack.dgetrs(lu, pivots, right)
    swaps = int((pivots != np.arange(len(pivots))).sum())
    negative = int((np.diagonal(lu) < 0).sum())
    return (solution if np.isfinite(solution).all() else None), -1.0 if (swaps + negative) % 2 else 1.0


def at_rate(system: System, logs: Floats, rate: float) -> tuple[Floats, Floats] | None:
    """Return the equilibrium at one λ that Newton's method finds near `logs`, and its derivative by λ.

    λ is in units of one over the spread of payoffs. None: no equilibrium was found, or the branch turns there.
    """
    for _ in range(4 * NEWTON):
        left, table = system.equations(logs, rate)
        if not np.isfinite(left).all():
            return None
        try:
            both = np.linalg.solve(table[:, :-1], np.stack((-left, -table[:, -1]), axis=1))
        except np.linalg.LinAlgError:
            return None
        if float(np.abs(left).max()) <= system.tolerance(logs, rate):
            return logs, np.asarray(both[:, 1], np.float64)
        logs = logs + both[:, 0]
    return None


def between(system: System, one: Stand, other: Stand, rate: float) -> tuple[Floats, Floats] | None:
    """Return the equilibrium at a λ between two neighbours on a branch, and its derivative; None if it is not there."""
    part = (rate - one.rate) / (other.rate - one.rate) if other.rate != one.rate else 0.0
    guess = one.logs + part * (other.logs - one.logs)
    found = at_rate(system, guess, rate)
    apart = float(np.abs(np.exp(other.logs) - np.exp(one.logs)).max())
    if found is None or np.abs(np.exp(found[0]) - np.exp(guess)).max() > apart + 1e-6:
        return None
    return found


def branch(choices: Choices, steps: int, to: float | None = None) -> Iterator[Stand]:
    """Yield the stands of the principal branch, the uniform strategies first; at most `steps` more.

    to: λ times the spread of payoffs at which the branch ends. The last stand is then exactly where the branch first
    reaches it.
    """
    follower = Follower(System(choices))
    yield Stand(0.0, follower.logs, follower.tangent)
    for _ in range(steps if to != 0 else 0):
        go_on()
        stand = follower.advance(to)
        yield stand
        if not stand.settled or stand.rate == to:
            return
