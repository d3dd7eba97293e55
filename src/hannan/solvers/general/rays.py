"""A game with a bonus, and the path of its equilibria, which both methods of Govindan and Wilson follow.

Action a pays its player t·g_a more. For large t each player takes the action with the largest bonus. From there the
equilibria form a path along which t changes; at t = 0 it is at an equilibrium of the game itself (S. Govindan,
R. Wilson 2003, A global Newton method to compute Nash equilibria, section 3, after E. Kohlberg, J.-F. Mertens 1986, On
the strategic stability of equilibria, theorem 1).

A path runs through *cells*: in a cell the actions in use stay the same, their payoffs are equal, and those of the other
actions are not larger. The path leaves a cell when an action in use reaches probability 0, or another one pays as much.
In the next cell that action is out of use, or in use, and the number that was 0 grows: this gives the direction.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import lapack

from hannan.arrays import Floats, Longs
from hannan.interrupts import go_on

Payoffs = Callable[[Floats], tuple[Floats, Floats]]
"""A function of mixed strategies, end to end, that returns the payoff of each action, and the derivatives."""

CROSSED = -1
"""The event that t is 0; other events are actions."""

NEWTON, CLOSE = 6, 1e-11
"""The most Newton steps back to the path, and the largest residual of its equations."""

GOOD, BAD, SHORTEST = 0.02, 0.1, 1e-9
"""The longest first Newton step for the next step to be longer, and for this one to count; the least step."""


def bonuses(begin: Longs, seed: int) -> Floats:
    """Return a random bonus for each action, the same for the same seed."""
    return np.random.Generator(np.random.Philox(key=[seed, 0])).random(int(begin[-1]))


class RayPath:
    """A point that moves along the path."""

    def __init__(self, payoffs: Payoffs, begin: Longs, bonus: Floats, largest: float, *, linear: bool) -> None:
        """Begin where t is so large that each player takes the action with the largest bonus.

        largest: a bound on differences of payoffs. linear: payoffs are linear, so cells are crossed in one step.
        """
        self.payoffs, self.begin, self.bonus = payoffs, begin, bonus
        self.owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        self.players, self.actions = len(begin) - 1, len(bonus)
        self.used, gap = np.zeros(self.actions, bool), np.inf
        for a, b in pairwise(begin.tolist()):
            self.used[a + int(bonus[a:b].argmax())] = True
            if b - a > 1:
                gap = min(gap, float(np.diff(np.sort(bonus[a:b])[-2:])[0]))
        self.far = 1.0 if gap == np.inf else 1.0 + largest / gap
        self.length = np.inf if linear else 0.1
        self.linear = linear
        # probabilities of all actions, then the value of each player, then t
        pays, _ = payoffs(self.used.astype(np.float64))
        self.point = np.concatenate((self.used, (pays + self.far * bonus)[self.used], [self.far]))
        self.direction = np.zeros(len(self.point))
        self.event: int | None = None

    @property
    def mixed(self) -> Floats:
        """The strategies at the point, end to end."""
        mixed: Floats = self.point[: self.actions]
        return mixed

    @property
    def t(self) -> float:
        """The factor on the bonus at the point."""
        return float(self.point[-1])

    def advance(self) -> int | None:
        """Move to the end of the cell or by one step in it; return the event that was met, None if there was none.

        A path that is lost raises an ArithmeticError.
        """
        if self.event not in (None, CROSSED):
            self.used[self.event] = not self.used[self.event]
        places = np.concatenate((np.flatnonzero(self.used), np.arange(self.actions, len(self.point))))
        pays, table = self.payoffs(self.mixed)
        tangent = self._tangent(places, table)
        room, speed = self._room(self.point, pays), self._room_speed(tangent, table)
        while True:
            go_on()
            event, ahead = self._first(room, speed, tangent)
            near = ahead <= self.length
            step = min(ahead, self.length)
            if not np.isfinite(step):
                raise ArithmeticError("the path has no end")
            found, moved = self._corrected(places, self.point + step * tangent, tangent, event if near else None)
            if found is not None and (self.linear or moved <= BAD) and self._inside(found, event if near else None):
                break
            if self.linear or step < SHORTEST:
                raise ArithmeticError("the path is lost")
            self.length = step / 2
        if moved < GOOD and not near and not self.linear:
            self.length = min(2 * self.length, max(1.0, abs(self.t)))
        self.point, self.direction = found, tangent
        self.event = event if near else None
        return self.event

    def _equations(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the residuals of the equations of the cell, and the derivatives of payoffs."""
        pays, table = self.payoffs(point[: self.actions])
        values = point[self.actions : -1]
        equal = (pays + point[-1] * self.bonus - values[self.owner])[self.used]
        return np.concatenate((equal, np.add.reduceat(point[: self.actions], self.begin[:-1]) - 1.0)), table

    def _jacobian(self, table: Floats) -> Floats:
        """Return the derivatives of the equations by the unknowns of the cell: probabilities in use, values, t."""
        used = np.flatnonzero(self.used)
        size, owner = len(used), self.owner[used]
        rows = np.zeros((size + self.players, size + self.players + 1))
        rows[:size, :size] = table[np.ix_(used, used)]
        rows[np.arange(size), size + owner] = -1.0
        rows[:size, -1] = self.bonus[used]
        rows[size + owner, np.arange(size)] = 1.0
        return rows

    def _tangent(self, places: Longs, table: Floats) -> Floats:
        """Return the unit vector along which the equations of the cell stay valid, in the direction of the path."""
        rows = self._jacobian(table)
        tangent = np.zeros(len(self.point))
        tangent[places] = np.linalg.qr(rows.T, mode="complete")[0][:, -1]
        if self.event in (None, CROSSED):
            along = float(tangent @ self.direction) if self.direction.any() else -tangent[-1]
        else:
            along = float(self._room_speed(tangent, table)[self.event])
        return tangent if along >= 0 else -tangent

    def _room(self, point: Floats, pays: Floats) -> Floats:
        """Return the numbers that may not become negative: probabilities of actions in use, deficits of the others."""
        lack = point[self.actions : -1][self.owner] - pays - point[-1] * self.bonus
        return np.where(self.used, point[: self.actions], lack)

    def _room_speed(self, tangent: Floats, table: Floats) -> Floats:
        mixed = tangent[: self.actions]
        lack = tangent[self.actions : -1][self.owner] - table @ mixed - tangent[-1] * self.bonus
        return np.where(self.used, mixed, lack)

    def _inside(self, point: Floats, event: int | None) -> bool:
        """Return whether a point is still in the cell, and t did not pass 0 on the way to it, except by an event."""
        crossed = self.event != CROSSED and event != CROSSED and self.t * point[-1] < 0
        return not crossed and float(self._room(point, self.payoffs(point[: self.actions])[0]).min()) >= -1e-9

    def _first(self, room: Floats, speed: Floats, tangent: Floats) -> tuple[int, float]:
        """Return which event comes first along the tangent, and how far ahead it is."""
        ahead = np.full(self.actions, np.inf)
        falling = speed < -1e-13
        if self.event not in (None, CROSSED):
            falling[self.event] = False
        ahead[falling] = np.maximum(room[falling], 0.0) / -speed[falling]
        event = int(ahead.argmin())
        distance = float(ahead[event])
        if self.event != CROSSED and self.t * tangent[-1] < 0 and self.t / -tangent[-1] <= distance:
            return CROSSED, self.t / -float(tangent[-1])
        return event, distance

    def _corrected(self, places: Longs, point: Floats, tangent: Floats, event: int | None) -> tuple[Any, float]:
        """Return the point of the path near a prediction, at the event if there is one; and the first Newton step."""
        first = 0.0
        for turn in range(NEWTON):
            left, table = self._equations(point)
            rows = self._jacobian(table)
            if event is None:
                border, more = tangent[places], 0.0
            elif event == CROSSED:
                border, more = np.zeros(len(places)), -point[-1]
                border[-1] = 1.0
            else:
                whole = np.zeros(len(point))
                if self.used[event]:
                    whole[event] = 1.0
                else:
                    whole[self.actions + self.owner[event]], whole[-1] = 1.0, -self.bonus[event]
                    whole[: self.actions] -= table[event]
                border = whole[places]
                more = -float(self._room(point, self.payoffs(point[: self.actions])[0])[event])
            if max(np.abs(left).max(), abs(more)) <= CLOSE * max(1.0, abs(float(point[-1]))):
                return point, first
            lu, pivots, wrong = lapack.dgetrf(np.vstack((rows, border)))
            if wrong:
                return None, np.inf
            change, _ = lapack.dgetrs(lu, pivots, np.append(-left, more))
            if not np.isfinite(change).all():
                return None, np.inf
            if turn == 0:
                first = float(np.abs(change).max())
            point = point.copy()
            point[places] += change
        return None, np.inf
