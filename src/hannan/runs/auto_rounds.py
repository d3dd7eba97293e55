"""The rounds of `auto`: which methods run, which pauses, and when the exact finish takes over.

All decisions follow from gaps and counts of iterations. `state` has all that a resumed run needs to decide alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hannan.arrays import Floats
from hannan.runs.auto_forecast import FARTHEST, FASTEST, FEWEST, SLOWEST, Curve

STEADY = {"pdcfr+": (1.7, FASTEST), "dcfr+": (SLOWEST, 1.0)}
"""The slopes that far forecasts assume for a method: predictive methods become faster, the others slower."""

SHARE = 0.1
"""The share of the forecast work for which both methods run."""

CLEAR = 4.0
"""A method that needs this many times the iterations of the other for the next tenth of the gap pauses at once."""

STALE = 2.0
"""The factor on the forecast of a paused method: it is assumed to need this many times longer."""

AGAIN, HOPE = 4.0, 0.25
"""A paused method runs again when the iterations are AGAIN times those at its pause, if the other still needs more than
HOPE times the iterations that are done."""

SLOW = 3.0
"""A paused method runs again if the other needs this many times its work; twice as many times after each turn."""

DEAR, FAR_DEARER, PATIENCE = 3.0, 6.0, 3
"""The finish takes over if the methods need DEAR times its work at PATIENCE checks in a row, or FAR_DEARER times at
one check; or if they need more than its work after they have spent as much."""

BEFORE = 0.3
"""Before it takes over, the method from whose average it begins runs alone, for this share of its work in all: a better
average leaves less to do. After a look at the cost, only a share of the work counts, here and below
(`auto_forecast.SURE`)."""

BACK = 0.5
"""The methods continue after all if meanwhile they are forecast to need less than this share of its work."""

SPARED = 0.03
"""A look may take at most this share of what the methods still need."""

OFTEN = 2.0
"""The cost of the finish is looked up before it takes over, and again when the iterations are OFTEN times as many."""

MOST = 512
"""The most measurements of one method that a state holds."""

CURVES, FACTS = "auto.curves", "auto.facts"


class Rounds:
    """Two methods, their curves, and the decisions so far."""

    def __init__(self, names: Sequence[str], last: int = 1) -> None:
        self.names, self.last = tuple(names), last
        """The names of the methods, and the number of the one from whose average the finish begins."""
        self.running: list[int] = list(range(len(self.names)))
        """The numbers of the methods that run."""
        self.exact = False
        """Whether the finish has taken over."""
        self._ending = False
        self._failed = 0
        self._curves: list[tuple[list[int], list[float]]] = [([], []) for _ in self.names]
        self._since = self._paused = self._dear = 0
        self._slow = SLOW
        self._looked, self.dearer = 0, 1.0
        """The iterations when the cost of the finish was looked up last; and the factor from a guess to the cost that
        counts."""

    @property
    def leader(self) -> int:
        """The number of the method whose last measured gap is the lowest; the first before any measurement."""
        return min(range(len(self.names)), key=lambda k: self._curve(k).last)

    @property
    def lowest(self) -> float:
        """The lowest last gap of any method; infinite before the first measurement."""
        return self._curve(self.leader).last

    def _curve(self, k: int) -> Curve:
        return Curve(*self._curves[k])

    def note(self, k: int, iterations: int, gap: float) -> None:
        """Record the gap of a method."""
        self._curves[k][0].append(iterations)
        self._curves[k][1].append(gap)

    def fail(self) -> None:
        """Record that the finish found no answer: it may try again after twice the iterations."""
        self.exact, self._ending, self._failed = False, False, self._spent

    @property
    def looked(self) -> bool:
        """Whether the cost of the finish has been looked up."""
        return self._looked > 0

    def tempting(self, iteration: int, target: float, cost: float, look: float) -> bool:
        """Return whether the cost of the finish should be looked up, which costs `look` iterations.

        It should if the finish would take over at the assumed `cost`, once the methods have worked as long as a look
        takes.
        """
        late = iteration >= OFTEN * self._looked and self._spent >= look
        if self._ending or not late or not (left := self.lefts(target)):
            return False
        return min(left) * SPARED >= look and self._tempts(min(left), cost, self._dear + 1)

    def look(self, iteration: int, dearer: float) -> None:
        """Record that the cost that counts is this many times a guess."""
        self._looked, self.dearer = iteration, dearer

    def lefts(self, aim: float) -> list[float]:
        """Forecast the iterations that each method still needs to a gap; none while there are too few measurements."""
        curves = [self._curve(k) for k in range(len(self.names))]
        if any(len(curve.gaps) < FEWEST for curve in curves) or self.lowest <= aim:
            return []
        return [self._left(k, curve, aim) for k, curve in enumerate(curves)]

    def decide(self, iteration: int, target: float | None, cost: float | None) -> None:
        """Decide what runs after this iteration. `cost` is that of the finish, None if it may not take over."""
        lowest = self.lowest
        aim = lowest / 10.0 if target is None else target
        if not (left := self.lefts(aim)):
            return
        curves = [self._curve(k) for k in range(len(self.names))]
        best = min(range(len(left)), key=left.__getitem__)
        if cost is not None and self._too_dear(left[best], cost):
            if len(self.running) > 1:
                self._paused = iteration
            self._ending, self.running = True, [self.last]
            self.exact = curves[self.last].done >= BEFORE * cost
        elif len(self.running) > 1:
            near = max(aim, lowest / 10.0)
            other = max(range(len(left)), key=left.__getitem__)
            later = curves[other].end(near) > CLEAR * curves[best].end(near) and left[other] > 2.0 * left[best]
            if other != best and (later or iteration - self._since > SHARE * left[best]):
                self.running, self._paused = [best], iteration
        elif self._flat(left[self.running[0]], min(left), iteration):
            self.running, self._since = list(range(len(self.names))), iteration
            self._slow *= 2.0

    def _left(self, k: int, curve: Curve, aim: float) -> float:
        """Forecast how many more iterations a method needs."""
        needed = curve.end(aim, STEADY[self.names[k]]) - curve.done
        return needed if k in self.running else STALE * needed

    def _too_dear(self, left: float, cost: float) -> bool:
        if self._ending:
            self._ending = left > BACK * cost
            return self._ending
        self._dear = self._dear + 1 if left > DEAR * cost else 0
        return self._tempts(left, cost, self._dear)

    def _tempts(self, left: float, cost: float, dear: int) -> bool:
        """Return whether the finish should take over. For `dear` checks in a row it has been DEAR times cheaper."""
        if self._spent < 2 * self._failed:
            return False
        dearer = left > DEAR * cost and dear >= PATIENCE
        return left > FAR_DEARER * cost or dearer or min(left, self._spent) > cost

    @property
    def _spent(self) -> int:
        """The iterations of all methods."""
        return sum(self._curve(k).done for k in range(len(self.names)))

    def _flat(self, mine: float, least: float, iteration: int) -> bool:
        """Return whether the only running method is so slow that the other one should try again."""
        return mine > self._slow * least or (iteration >= AGAIN * self._paused and mine > HOPE * iteration)

    def story(self, winner: str) -> str:
        """Return the events so far in one line; `winner` is the method that solved the game, or empty."""
        both = " and ".join(self.names)
        if winner:
            return f"{both} began, and {winner} ended the run exactly"
        if len(self.running) > 1:
            return f"{both} ran from one start, and {self.names[self.leader]} leads"
        alone = self.names[self.running[0]]
        ahead = "" if self.leader == self.running[0] else f", and {self.names[self.leader]} still leads"
        return f"{both} ran from one start, and {alone} goes on alone from iteration {self._paused:,}{ahead}"

    def state(self) -> dict[str, Floats]:
        """Return the arrays from which `restore` continues."""
        curves = np.zeros((len(self.names), MOST, 2))
        for k, (iterations, gaps) in enumerate(self._curves):
            curves[k, : len(gaps), 0], curves[k, : len(gaps), 1] = iterations[-MOST:], gaps[-MOST:]
        runs = [float(k in self.running) for k in range(len(self.names))]
        counts = [self._failed, self._since, self._paused, self._dear, self._looked]
        facts = [self.exact, self._ending, *counts, self._slow, self.dearer, *runs]
        return {CURVES: curves, FACTS: np.array(facts, np.float64)}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        """Return whether the arrays could be those of rounds like these."""
        curves, facts = state[CURVES], state[FACTS]
        ours = self.state()
        if any(state[name].shape != ours[name].shape or state[name].dtype != np.float64 for name in ours):
            return False
        if not (np.isfinite(curves).all() and np.isfinite(facts).all() and np.all(curves >= 0)):
            return False
        counts, flags = np.concatenate([curves[..., 0].ravel(), facts[2:7]]), np.concatenate([facts[:2], facts[9:]])
        whole = bool(np.all(counts == np.floor(counts)) and np.all((counts >= 0) & (counts <= FARTHEST)))
        rising = all(bool(np.all(np.diff(one[one[:, 0] > 0, 0]) > 0)) for one in curves)
        known = bool(np.isin(flags, (0.0, 1.0)).all() and facts[9:].any() and facts[7] >= SLOW and facts[8] > 0.0)
        return whole and rising and known

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Take over the arrays of `state`, which `accepts` has checked."""
        for k, one in enumerate(state[CURVES]):
            measured = one[one[:, 0] > 0]
            self._curves[k] = [int(count) for count in measured[:, 0]], [float(gap) for gap in measured[:, 1]]
        exact, ending, failed, since, paused, dear, looked, slow, dearer, *runs = state[FACTS].tolist()
        self.exact, self._ending, self._failed, self._slow = bool(exact), bool(ending), int(failed), slow
        self._since, self._paused, self._dear = int(since), int(paused), int(dear)
        self._looked, self.dearer = int(looked), dearer
        self.running = [k for k, runs_on in enumerate(runs) if runs_on]
