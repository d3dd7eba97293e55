"""Finding an exact equilibrium from a profile, in rounds: restrict, solve near the profile, project, check, widen.

A round keeps the sequences that are played, finds the equilibrium of the restricted game that is nearest to the profile
(`interior`), and moves it onto its face (`projection`). Then it measures in the whole game what the players could gain
by a deviation. Sequences that would gain join the restriction, and the next round starts from the solution. The weight
that holds the solution near the profile falls from round to round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hannan.arrays import Bools, Floats
from hannan.forms.game import ExpandedGame
from hannan.forms.sizes import Sizes
from hannan.forms.treeplex import EMPTY, Treeplex, best_actions, reaches, worth
from hannan.interrupts import go_on
from hannan.solvers.base import alike
from hannan.solvers.exact.interior import Point, constraints, nearest
from hannan.solvers.exact.lift import lifted
from hannan.solvers.exact.linear import DROWNED
from hannan.solvers.exact.projection import projected
from hannan.solvers.exact.restriction import behaviour, closed, restricted, widened
from hannan.solvers.exact.systems import factor_sizes

PLAYED = 1e-6
"""A sequence that the first profile plays with at most this probability is left out at first."""

WEIGHTS, FALL, LEAST = 1e-5, 0.1, 1e-7
"""The weight that holds the first round's solution near the profile; its factor per round; and its least value."""

BETTER = 1e-9
"""A deviation that gains more than this share of the largest payoff joins the restriction."""

EXACT, ROUNDING = 1e-12, 1e-15
"""The largest NashConv of an exact answer: shares of the range of payoffs, and of the largest payoff."""

NEAREST = 1e-6
"""The least gap of its centre that a round assumes, as a share of the largest payoff."""

WIDER = (1.0, 1e3, 1e6)
"""Factors on this gap, one after the other while the interior-point method does not end: it then starts farther away.
"""

MOST_ROUNDS = 12
"""Rounds after which a better profile is needed to begin with."""

FINISH = "finish."
CENTRE, KEPT, ANSWER, FACTS = f"{FINISH}centre", f"{FINISH}kept", f"{FINISH}answer", f"{FINISH}facts"
"""The names of the arrays of a state, and their prefix."""

Pair = tuple[Floats, Floats]


class Finish:
    """The rounds on one game. The state is the centre, the kept sequences, the number of rounds, and the gap."""

    def __init__(self, game: ExpandedGame) -> None:
        from scipy.sparse import csr_array

        form = game.form
        self.plexes: Sequence[Treeplex] = form.treeplexes
        first, second = self.plexes
        payoffs = csr_array((form.payoff(0), tuple(form.sequences)), shape=(first.sequences, second.sequences))
        low, high = (float(payoff[0]) for payoff in game.payoff_range)
        largest = max(abs(low), abs(high))
        if largest > DROWNED * (high - low):
            payoffs, _ = lifted(payoffs, self.plexes)
        self.enough = EXACT * (high - low) + ROUNDING * largest
        biggest = float(np.abs(payoffs.data).max(initial=0.0))
        self._scale = float(2.0 ** -np.round(np.log2(biggest))) if biggest > 0.0 else 1.0
        self._payoffs: Any = self._scale * payoffs
        self._transposed = self._payoffs.T.tocsr()
        self.rounds = 0
        self.gap = np.inf
        """The lowest NashConv of a round's answer in the whole game, and of the profile before."""
        self.answer: Pair = np.zeros(first.sequences), np.zeros(second.sequences)
        """The behaviour with that NashConv."""
        self.centre: Pair = self.answer
        self.kept: tuple[Bools, ...] = tuple(np.zeros(plex.sequences, np.bool_) for plex in self.plexes)

    @property
    def solved(self) -> bool:
        """Whether the answer is exact, to rounding."""
        return self.gap <= self.enough

    def begin(self, strategies: Sequence[Floats]) -> None:
        """Take over a profile, as the probabilities of actions at their sets."""
        x, y = (reaches(plex, one) for plex, one in zip(self.plexes, strategies, strict=True))
        self.centre = x, y
        self.kept = closed(self.plexes[0], x, PLAYED), closed(self.plexes[1], y, PLAYED)
        self.rounds, self.gap = 0, np.inf
        self._judge(self.centre)

    def state(self) -> dict[str, Floats]:
        """Return the arrays from which `restore` continues, over the sequences of both players, end to end."""
        kept = np.concatenate(self.kept).astype(np.float64)
        facts = [float(self.rounds), min(self.gap, float(np.finfo(float).max))]
        return {
            CENTRE: np.concatenate(self.centre),
            KEPT: kept,
            ANSWER: np.concatenate(self.answer),
            FACTS: np.array(facts),
        }

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        """Return whether the arrays could be those of rounds on this game."""
        if not all(name in state and alike(array, state[name]) for name, array in self.state().items()):
            return False
        rounds, gap = state[FACTS].tolist()
        inside = all(np.all((state[name] >= 0.0) & (state[name] <= 1.0 + 1e-9)) for name in (CENTRE, KEPT, ANSWER))
        return bool(inside) and rounds >= 0 and rounds == int(rounds) and gap >= 0.0

    def restore(self, state: Mapping[str, Floats]) -> None:
        """Take over the arrays of `state`, which `accepts` has checked."""
        cut = [self.plexes[0].sequences]
        self.centre, self.answer = _pair(state[CENTRE], cut), _pair(state[ANSWER], cut)
        wanted = _pair(state[KEPT], cut)
        self.kept = tuple(closed(plex, one.copy(), 0.5) for plex, one in zip(self.plexes, wanted, strict=True))
        rounds, gap = state[FACTS].tolist()
        self.rounds, self.gap = int(rounds), gap

    def round(self) -> None:
        """Make one round. If it is halted, the state does not change."""
        (kept_x, kept_y), (x, y) = self.kept, self.centre
        plexes, payoffs = self._restricted()
        go_on()
        spread = max(self._scale * self.gap, NEAREST)
        for wider in WIDER:
            point = nearest(payoffs, plexes, (x[kept_x], y[kept_y]), self._weight, wider * spread)
            if point.complete:
                break
        exact = projected(payoffs, plexes, point) if point.complete else None
        go_on()
        self.rounds += 1
        self.centre = self._whole((point.x, point.y))
        self._judge(self.centre)
        if exact is not None:
            self._judge(self._whole(exact))
        if not self.solved:
            self._widen(point)

    @staticmethod
    def memory(sizes: Sizes) -> int:
        """Return the bytes that a finish needs."""
        return 60 * sizes.entries + 1200 * sum(sizes.sequences)  # measured

    def remember(self, other: Finish) -> None:
        """Take over the answer of another finish on this game if it is better."""
        if other.gap < self.gap:
            self.gap, self.answer = other.gap, other.answer

    def factors(self) -> tuple[int, float]:
        """Return the numbers of the factors of the next round's systems, and the multiplications in computing them."""
        plexes, payoffs = self._restricted()
        go_on()
        return factor_sizes(constraints(plexes, payoffs))

    def _restricted(self) -> tuple[list[Treeplex], Any]:
        """Return the game restricted to the kept sequences: the treeplexes and the payoffs."""
        kept_x, kept_y = self.kept
        plexes = [restricted(plex, one) for plex, one in zip(self.plexes, self.kept, strict=True)]
        return plexes, self._payoffs[kept_x][:, kept_y].tocsr()

    @property
    def _weight(self) -> float:
        return max(WEIGHTS * FALL**self.rounds, LEAST)

    def _whole(self, weights: Pair) -> Pair:
        """Return weights of the kept sequences as probabilities of all sequences."""
        x, y = (
            _unfolded(plex, kept, np.maximum(one, 0.0))
            for plex, kept, one in zip(self.plexes, self.kept, weights, strict=True)
        )
        return x, y

    def _judge(self, reach: Pair) -> None:
        """Measure a profile in the whole game; keep the best one, with best actions at sets off its own path."""
        gradients = self._gradients(reach)
        gap = sum(float(worth(p, gain)[EMPTY]) for p, gain in zip(self.plexes, gradients, strict=True)) / self._scale
        if gap < self.gap:
            self.gap = max(gap, 0.0)
            self.answer = tuple(  # type: ignore[assignment]
                np.where(
                    np.concatenate(([True], np.repeat(one[plex.parent] > 0.0, plex.sizes))),
                    behaviour(plex, one),
                    behaviour(plex, best_actions(plex, gain)),
                )
                for plex, one, gain in zip(self.plexes, reach, gradients, strict=True)
            )

    def _widen(self, point: Point) -> None:
        """Also keep the sequences that would gain against the solution."""
        values = [worth(plex, gain) for plex, gain in zip(self.plexes, self._gradients(self.centre), strict=True)]
        wider = []
        for plex, kept, value, limits in zip(self.plexes, self.kept, values, (point.u, -point.v), strict=True):
            of_sets = np.full(plex.sets, -np.inf)
            of_sets[kept[plex.parent]] = limits[1:] + BETTER
            wider.append(widened(plex, kept, value, of_sets))
        self.kept = tuple(wider)

    def _gradients(self, reach: Pair) -> Pair:
        """Return the gain of each sequence against the other player's play, scaled."""
        x, y = reach
        return self._payoffs @ y, -(self._transposed @ x)


def _pair(array: Floats, cut: list[int]) -> Pair:
    x, y = np.split(np.array(array), cut)
    return x, y


def _unfolded(plex: Treeplex, kept: Bools, weights: Floats) -> Floats:
    """Return the probabilities of all sequences, given the weights of the kept ones."""
    whole = np.zeros(plex.sequences)
    whole[kept] = weights
    if plex.sets:
        played = behaviour(plex, whole)
        played[1:][~kept[1:] & np.repeat(np.add.reduceat(whole, plex.begin[:-1]) > 0.0, plex.sizes)] = 0.0
        whole = reaches(plex, played)
        whole[~kept] = 0.0
    whole[EMPTY] = 1.0
    return whole
