"""Predictions of `auto`, in counted work: when a curve reaches a gap, and the cost of an exact answer.

No clock is read. The unit of work is one iteration of a full-width method. The constants turn the sizes of a game into
microseconds of one core, and only their ratios decide. They were fitted to poker, dice, bidding and random games of 200
to 50,000 sequences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from hannan.forms.sequence import SequenceForm
from hannan.layouts.blocks import unit_of

ITERATION = (0.8, 1.6e-3, 4e-4)
"""Microseconds of one iteration: of itself, for each sequence, for each payoff."""

UNEVEN = 6e-4
"""What an iteration takes longer for each payoff, in microseconds, if payoffs are no small multiples of one number."""

CHECK = (25.0, 6.5e-3, 1.3e-3)
"""Microseconds of one measurement of an average: of itself, for each sequence, for each payoff."""

PROGRAM = (4e3, 2.2, 1.5)
"""Microseconds to build and presolve the linear program, likewise."""

PIVOT = (20.0, 0.02)
"""Microseconds of one simplex iteration: of itself, and for each simplex iteration of the whole solve."""

PIVOTS, DENSITY, PLAYED = 0.55, 0.7, 0.6
"""Simplex iterations per sequence in play, if each sequence has one payoff; the power of the payoffs per sequence by
which they grow; and the share of sequences that are in play. Players who mix at many places need more iterations."""

FINISH = 4e3
"""Microseconds of a finish (`solvers.exact.finish`) of itself."""

STEP = (600.0, 0.11, 0.02, 4.5e-4)
"""Microseconds of one step of its interior-point method: of itself, for each sequence in play, for each number of the
factors, and for each multiplication in computing them."""

STEPS, MOST_STEPS = (8.0, 0.011), 150.0
"""Its steps in all rounds: of itself, and for each sequence in play; and the largest number that is predicted."""

FILL = 3.8
"""The guess for the numbers of the factors, for each sequence and each payoff in play: that of poker and dice. In games
without such structure there may be six times as many."""

SURE = 0.3
"""The share of the cost that counts if the systems of a finish were set up: that cost is known better than what the
curves predict, so the finish may take over sooner."""

LOOK = (1e3, 0.5)
"""Microseconds of setting up the first system of a finish: of itself, for each sequence and each payoff in play."""

SLOWEST, FASTEST = 0.25, 8.0
"""The range of slopes on log-log scales that a forecast accepts."""

WINDOW, FEWEST = 4, 3
"""A line goes through the measurements since the iteration that is the last one divided by WINDOW; this many at least.
"""

NEAR = math.log(10.0)
"""How far the log of a gap may fall in a forecast before the measured slope is replaced."""

FARTHEST = 1e15
"""The largest number of iterations that is forecast."""

MOST_APART = 16
"""The most iterations between the first measurements."""


@dataclass(frozen=True)
class Costs:
    """The predicted costs of the work on a game, from its sizes and its layout."""

    sequences: int
    entries: int
    even: bool
    """Whether payoffs are small multiples of one number, as in most games that people play."""

    @classmethod
    def of(cls, form: SequenceForm) -> Costs:
        """Return the costs of a sequence form."""
        even = form.numbers.dtype == np.int8 or form.entries == 0 or unit_of(form) is not None
        return cls(sequences_of(form), int(form.entries), even)

    @property
    def iteration(self) -> float:
        """Microseconds of an iteration."""
        return _sum(ITERATION, self._sizes) + (0.0 if self.even else UNEVEN * self.entries)

    @property
    def _sizes(self) -> tuple[int, int, int]:
        return 1, self.sequences, self.entries

    @property
    def distance(self) -> int:
        """Iterations between the first measurements, so that iterating takes about as long as measuring."""
        return max(1, min(MOST_APART, round(2.0 * _sum(CHECK, self._sizes) / _sum(ITERATION, self._sizes))))

    def finish(self, played: int, numbers: float, products: float) -> float:
        """Return the cost of a finish, in iterations, that begins with this many sequences in play.

        numbers, products: of the factors of its first system, and the multiplications in computing them.
        """
        steps = min(_sum(STEPS, (1, played)), MOST_STEPS)
        return (FINISH + steps * _sum(STEP, (1, played, numbers, products))) / self.iteration

    def look(self, played: int, payoffs: int) -> float:
        """Return the cost of setting up the first system of a finish, in iterations."""
        return _sum(LOOK, (1, played + payoffs)) / self.iteration

    def guess(self, played: int, payoffs: int) -> float:
        """Return a guess at the cost of a finish, in iterations, from the sequences and payoffs in play."""
        numbers = FILL * (played + payoffs)
        return self.finish(played, numbers, numbers * numbers / played)


def program_seconds(form: SequenceForm) -> float:
    """Return the predicted seconds of the linear program on one core."""
    sequences, entries = sequences_of(form), int(form.entries)
    pivots = PIVOTS * PLAYED * sequences * (entries / sequences) ** DENSITY
    return (_sum(PROGRAM, (1, sequences, entries)) + pivots * (PIVOT[0] + PIVOT[1] * pivots)) * 1e-6


def sequences_of(form: SequenceForm) -> int:
    """Return the number of sequences of all players."""
    return sum(plex.sequences for plex in form.treeplexes)


def _sum(rates: Sequence[float], amounts: Sequence[float]) -> float:
    return sum(rate * amount for rate, amount in zip(rates, amounts, strict=True))


@dataclass(frozen=True)
class Curve:
    """The gaps of one method at the iterations at which it was measured."""

    iterations: Sequence[int]
    gaps: Sequence[float]

    @property
    def done(self) -> int:
        """Iterations at the last measurement."""
        return self.iterations[-1] if self.iterations else 0

    @property
    def last(self) -> float:
        """The last gap; infinite before the first measurement."""
        return self.gaps[-1] if self.gaps else math.inf

    def end(self, target: float, steady: tuple[float, float] = (SLOWEST, FASTEST)) -> float:
        """Forecast the iteration at which the curve reaches `target`.

        Down to a tenth of the last gap, the forecast is a line through the later part of the curve, log-log. Beyond, it
        has the slope in the range `steady` that is nearest to that of the line.
        """
        if not self.gaps or self.last <= target:
            return float(self.done)
        later = [k for k, done in enumerate(self.iterations) if WINDOW * done >= self.done and self.gaps[k] > 0.0]
        if len(later) < FEWEST or target <= 0.0:
            return FARTHEST
        at = [math.log(self.iterations[k]) for k in later]
        gaps = [math.log(self.gaps[k]) for k in later]
        middle, height = fmean(at), fmean(gaps)
        spread = sum((x - middle) ** 2 for x in at)
        slope = -sum((x - middle) * (y - height) for x, y in zip(at, gaps, strict=True)) / spread
        level = min(height - slope * (at[-1] - middle), gaps[-1])
        fall = max(level - math.log(target), 0.0)
        near = min(fall, NEAR)
        power = (
            at[-1] + near / min(max(slope, SLOWEST), FASTEST) + (fall - near) / min(max(slope, steady[0]), steady[1])
        )
        return max(math.exp(min(power, math.log(FARTHEST))), self.done + 1.0)
