"""EINR on sampled gradients: Hedge over whole plans for games that are only played.

C. Chhablani, M. Sullins, I. A. Kash (2023), Multiplicative weight updates for extensive form games; M. Lanctot,
K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games: outcome and
external sampling.

T. Kozuno, P. Ménard, R. Munos, M. Valko (2021), Learning in two-player zero-sum partially observable Markov games with
perfect recall, have the same update with biased estimates, and prove a rate with high probability. Estimates here have
no bias.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from hannan.arguments import choice, number, positive
from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.kernels.sampling.records import ALL, ONE
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.solvers.sampling.sampler import Over, Sampling
from hannan.solvers.sampling.ways import Walks

Schedule = Literal["constant", "sqrt"]

TUNED = 10.0
"""The default rate times the range of the payoffs. On Kuhn, Leduc, liar's dice and goofspiel, 5 to 20 were best."""


class SampledEINR(Sampling):
    """Multiplicative weights over pure strategies, each gradient estimated from one walk.

    The weight of a plan is multiplied by exp(η_t·û), where û is an unbiased estimate of what the plan earns against the
    others' current strategies, less a constant `shift`. The constant changes no plan's share of the exact weights. It
    changes how much estimates vary: they are divided by the probability of the draw, and so is the constant. The
    average weighs iteration t by η_t, too.
    """

    guarantee = Guarantee(
        "average profile → Nash in expectation",
        rate="O(log T/√T) with schedule=sqrt",
        caveat="the constant grows with the variance of the estimates; with a constant rate the proven bound does not "
        "fall to 0",
    )
    meanings = by_name(
        rate="η of the first iteration: a plan with estimated utility û weighs exp(η·û). Default: 10 over the range of "
        "the payoffs",
        schedule="the rate of iteration t: rate/√t, or constant; iteration t weighs as much in the average",
        shift="the number that is subtracted from payoffs. Default: the middle of the range of the payoffs",
    )

    def __init__(
        self,
        game: Loadable,
        walks: Walks,
        *,
        rate: float | None,
        schedule: Schedule,
        shift: float | None,
        **common: Any,
    ) -> None:
        self.schedule = choice("schedule", schedule, get_args(Schedule))
        self.rate = None if rate is None else positive("rate", rate)
        self.shift = None if shift is None else number("shift", shift)
        super().__init__(game, replace(walks, plans=True, power=-0.5 if schedule == "sqrt" else 0.0), **common)

    def _terms(self) -> Floats:
        if self.rate is not None and self.shift is not None:
            return np.repeat([[self.shift], [self.rate]], self.game.players, axis=1)
        lowest, highest = self._range()
        span = highest - lowest
        most = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            tuned = np.minimum(np.divide(TUNED, span, out=np.ones_like(span), where=span > 0), most)
        rates = tuned if self.rate is None else self.rate
        middle = (lowest + highest) / 2 if self.shift is None else self.shift
        result: Floats = np.array([middle + 0.0 * span, rates + 0.0 * span])
        return result

    def _range(self) -> tuple[Floats, Floats]:
        """Return the lowest and the highest payoff of each player, by the rules' own bounds or by the expanded game."""
        rules = self.game.rules
        state = rules.start()
        told = rules.bounds(state)
        if told is not None:
            gains = np.array(rules.gains(state), np.float64)
            lowest, highest = (gains + np.array(told, np.float64).T).copy()
            if np.isfinite(lowest).all() and np.isfinite(highest).all():
                return lowest, highest
        if isinstance(self.game, ExpandedGame):
            return self.game.payoff_range
        raise UnsuitableError(
            f"{self.method} needs to know the lowest and the highest payoff in {self.game.address}: write bounds() "
            "into the rules, or give rate and shift"
        )


class OutcomeEINR(SampledEINR):
    """EINR with outcome sampling: one play of the game for each player and iteration."""

    method = "einr-os"
    meanings = by_name(
        epsilon="the probability with which the traverser's move is drawn uniformly instead of by its strategy"
    )

    def __init__(
        self,
        game: Loadable,
        *,
        epsilon: float = 0.6,
        rate: float | None = None,
        schedule: Schedule = "sqrt",
        shift: float | None = None,
        seed: int = 0,
        over: Over = "auto",
        memory_limit: int | str | None = None,
        streams: int = 1,
        threads: int = 1,
    ) -> None:
        self.epsilon = epsilon
        super().__init__(
            game, Walks(ONE, epsilon=epsilon), rate=rate, schedule=schedule, shift=shift, seed=seed,
            over=over, memory_limit=memory_limit, streams=streams, threads=threads,
        )  # fmt: skip


class ExternalEINR(SampledEINR):
    """EINR with external sampling: the traverser takes every action, chance and the others are drawn."""

    method = "einr-es"

    def __init__(
        self,
        game: Loadable,
        *,
        rate: float | None = None,
        schedule: Schedule = "sqrt",
        seed: int = 0,
        over: Over = "auto",
        memory_limit: int | str | None = None,
        streams: int = 1,
        threads: int = 1,
    ) -> None:
        super().__init__(
            game, Walks(ALL), rate=rate, schedule=schedule, shift=0.0, seed=seed,
            over=over, memory_limit=memory_limit, streams=streams, threads=threads,
        )  # fmt: skip
