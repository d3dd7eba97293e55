"""EINR: Hedge over all pure strategies of the normal form, at the cost of a pass over the tree.

C. Chhablani, M. Sullins, I. A. Kash (2023), Multiplicative weight updates for extensive form games, theorem 1 and
corollary 1. On the treeplex the same recursion needs perfect recall only: G. Farina, C.-W. Lee, H. Luo, C. Kroer
(2022), Kernelized multiplicative weights for 0/1-polyhedral games.

With G the sum of gradients, b the prior and I a set, K(I) = log Σ_a b(a|I)·exp(η·G[Ia] + Σ K over the sets that follow
Ia), and the strategy at I is the softmax of these terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, Unpack, get_args

import numpy as np

from hannan.arguments import choice, fraction, positive, shown, truth
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.kernels.fullwidth import passes, weights
from hannan.kernels.fullwidth.records import FACTORS, FLOORED, WEIGHTS
from hannan.layouts.backend import Step
from hannan.layouts.layout import flat_of
from hannan.solvers.fullwidth.engine import CHUNK, Backed, Updates, Where
from hannan.solvers.guarantee import NO_REGRET
from hannan.solvers.parameters import by_name
from hannan.solvers.weights.priors import GIVEN, NAMES, Prior, depth, log_prior
from hannan.strategies.profile import Profile, check_profile, normalised

Schedule = Literal["constant", "sqrt", "bound"]
Rule = Literal["exponential", "linear", "floored"]
Output = Literal["average", "last"]
StateStep = Callable[[int, Profile], float]
"""β(i, p): the size of player i's step at the current profile p, in (0, 1]."""

LARGEST = 1e200
"""The largest rate times payoff, so that sums over iterations stay far from overflow."""

NARROWEST = 1e-300
"""A range of utilities up to this counts as 0: its rate would be infinite, or nearly so."""


LEARNERS = {"exponential": WEIGHTS, "linear": FACTORS, "floored": FLOORED}
"""The numbers of the rules in the loops."""

LEAST = 1e-6
"""The least prior of an action at a warm start: an action of prior 0 would never be played again."""


class EINR(Backed):
    """Multiplicative weights over pure strategies. The update is exact; nothing is enumerated.

    `rate` is η: a pure strategy with cumulative utility L weighs exp(η·L) times its prior. `schedule` makes the η of
    iteration t constant, `sqrt` (rate/√t) or `bound` (rate·(2/span)·√(D/t), with span the range of the player's
    utilities and D from `priors.depth`: it needs no tuning, and is the default without rate and epsilon).

    `epsilon` and `step` are equation 4 of the paper, read so that it maximises: after utility u a weight is multiplied
    by (1 − ε·β)^(−u). β = `step` is a number or, as β(i, p), a function of player and current profile; without
    `epsilon` the factor is exp(η·β·u).

    `optimistic` counts the last gradient twice. `rule="linear"` multiplies weights by 1 + η·β·u instead (R. Mehta,
    I. Panageas, G. Piliouras 2015); in games where a player chooses more than once, the mixed strategy is replaced
    after every step by the behaviour strategy that plays the same, because no other linear-time form is known.

    `rule="floored"` floors log weights as CFR+ floors regrets; nothing is proven of it. L(Ia) grows by η times the
    gradient of Ia plus what the sets that follow have gained, less the mean of this over current play at I, and
    negative numbers become 0. The strategy at I is proportional to prior·exp(L). What I gains is that mean plus the
    change of log Σ prior·exp(L). Without the floor these are the strategies of the exponential rule.

    `output="last"` makes `average` return the last iterate. Neither an average nor the correlated play is kept then,
    and the gap is the NashConv of that iterate.
    """

    method = "einr"
    guarantee = replace(
        NO_REGRET,
        rate="O(1/√T) with schedule=bound or sqrt",
        caveat="with a constant rate the proven bound does not fall to 0; nothing is proven for output=last and "
        "rule=floored",
    )
    meanings = by_name(
        rate="η: a pure strategy with cumulative utility L weighs exp(η·L) times its prior",
        schedule="the rate of iteration t: constant, rate/√t, or (the default without a rate) as the bound wants it",
        prior="where play begins: full or reduced (all pure strategies count alike, or all that differ in play), or "
        "a strategy or the file of one",
        optimistic="whether the last gradient counts twice",
        epsilon="after utility u a weight is multiplied by (1 - epsilon·step)^(-u), instead of by a rate",
        step="the size of a player's step: a number in (0, 1] or, in Python, a function of player and profile",
        rule="whether weights are multiplied by exp(rate·u), or by 1 + rate·u; floored: exponential, but log "
        "weights at each set never fall below 0 (nothing is proven)",
        updates="whether a player sees the others' new strategies within an iteration",
        output="whether the answer is the average of all strategies, or the last one",
        layout="where the loops run: plain for small games, tiled for large ones; numbers differ by rounding only",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        rate: float | None = None,
        schedule: Schedule | None = None,
        prior: Prior = "full",
        optimistic: bool = False,
        epsilon: float | None = None,
        step: float | StateStep = 1.0,
        rule: Rule = "exponential",
        updates: Updates = "simultaneous",
        output: Output = "average",
        **where: Unpack[Where],
    ) -> None:
        choice("rule", rule, get_args(Rule))
        if schedule is None:
            schedule = "bound" if rate is None and epsilon is None and rule == "exponential" else "constant"
        self.schedule = choice("schedule", schedule, get_args(Schedule))
        self.rule = rule
        self.output = choice("output", output, get_args(Output))
        self.optimistic = truth("optimistic", optimistic)
        self.epsilon = None if epsilon is None else fraction("epsilon", epsilon)
        self.step = step if callable(step) else fraction("step", step)
        self.chunk = 1 if callable(step) else CHUNK
        super().__init__(game, LEARNERS[rule], updates=updates, **where)
        self.rate = self._checked(rate)
        self.prior, logs = log_prior(self.game, prior)
        self._begin(logs)

    def _begin(self, logs: Floats) -> None:
        """Let all players play the prior."""
        strategy, reach = logs.copy(), np.zeros_like(logs)
        for player in range(self.game.players):
            weights.mix(flat_of(self.game.form), player, strategy)
            passes.spread(flat_of(self.game.form), player, strategy, reach)
        for name, array in {"prior": logs, "strategy": strategy, "reach": reach}.items():
            self._backend.write(name, array)
        self._depth = depth(self.game, logs)

    def _checked(self, rate: float | None) -> float | None:
        """Check the rate, and that the parameters do not contradict each other."""
        if self.epsilon is not None:
            if self.epsilon == 1.0:
                raise ParameterError("epsilon=1 leaves the base 1 - epsilon at 0; it should lie between 0 and 1")
            if rate is not None:
                raise ParameterError("give a rate or epsilon, not both: either says how large a step is")
            if self.rule != "exponential" or self.schedule == "bound":
                raise ParameterError(
                    "epsilon goes neither with rule=linear or floored nor with schedule=bound; give a rate"
                )
            return None
        rate = 1.0 if rate is None else positive("rate", rate)
        lowest, highest = self.game.payoff_range
        largest = float(max(np.abs(lowest).max(), np.abs(highest).max(), 1e-300))
        if rate * largest > LARGEST:
            raise ParameterError(f"rate={shown(rate)} times the largest payoff {largest:g} is beyond {LARGEST:g}")
        if self.rule == "floored" and (self.optimistic or self.schedule != "constant"):
            raise ParameterError("rule=floored goes with schedule=constant, and not with optimistic")
        if self.rule == "linear":
            if self.optimistic or self.schedule == "bound":
                raise ParameterError("rule=linear goes with schedules constant and sqrt, and not with optimistic")
            if rate * -float(lowest.min()) >= 1:
                raise ParameterError(
                    f"rate={shown(rate)} is too large for rule=linear: 1 + rate·payoff must stay positive, and the "
                    f"lowest payoff is {lowest.min():g}"
                )
        return rate

    @property
    def _span(self) -> Floats:
        """The range of each player's utilities."""
        lowest, highest = self.game.payoff_range
        span: Floats = highest - lowest
        return span

    def rates(self, t: Floats) -> Floats:
        """Return the η of iterations t = 1, 2, … for each player, [iterations, players]; 1 where epsilon says it."""
        rate = 1.0 if self.rate is None else self.rate
        if self.schedule == "constant":
            return np.full((len(t), self.game.players), rate)
        slowing = rate / np.sqrt(t)[:, None]
        if self.schedule == "sqrt":
            return np.repeat(slowing, self.game.players, axis=1)
        span = self._span
        wide = span > NARROWEST
        tuned = np.where(wide, 2 / np.where(wide, span, 1) * np.sqrt(self._depth), 1.0)
        result: Floats = slowing * tuned
        return result

    def _weight(self, beta: float) -> float:
        return beta if self.epsilon is None else -math.log1p(-self.epsilon * beta)

    def _betas(self) -> list[float]:
        if not callable(self.step):
            return [self.step] * self.game.players
        profile = self.current()
        return [fraction(f"step({p}, profile)", self.step(p, profile)) for p in range(self.game.players)]

    def rows(self, first: int, count: int) -> Floats:
        # iteration t makes the strategy of t + 1; a linear factor belongs to iteration t itself
        played = first if self.rule == "linear" else first + 1
        step = Step(
            floor=0.0 if self.rule == "floored" else -math.inf,
            weight=np.array([[self._weight(beta) for beta in self._betas()]]),
            rate=self.rates(np.arange(played, played + count, dtype=np.float64)),
            predict=float(self.optimistic),
        )
        return step.rows(count, self.game.players)

    def regret_bound(self) -> tuple[float, ...] | None:
        """Return Hedge's bound on each player's regret so far, if it proves one: D/η_T + span²/8 · Σ η_t."""
        if callable(self.step) or self.optimistic or self.rule != "exponential" or self.iterations == 0:
            return None
        first, last = self._weight(self.step) * self.rates(np.array([1.0, self.iterations]))
        added = first * (self.iterations if self.schedule == "constant" else 2 * math.sqrt(self.iterations))
        bounds = np.array(self._depth) / last + self._span**2 / 8 * added
        return tuple(float(bound) for bound in bounds)

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return super().memory(sizes) + 16 * sum(sizes.sequences)  # the prior, and the sums of later sets

    @classmethod
    def names_a_place(cls, parameter: str, value: Any) -> bool:
        return parameter == "prior" and value not in (*NAMES, GIVEN)

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        """Take `profile` as the prior, with no action less likely than `LEAST`; `weight` has no effect."""
        if self.iterations > 0:
            raise ParameterError(f"{self!r} has begun; a warm start comes before the first iteration")
        check_profile(self.game, profile)
        floored = (normalised(profile.game, p, np.maximum(s, LEAST)) for p, s in enumerate(profile.strategies))
        self._begin(log_prior(self.game, Profile(profile.game, tuple(floored)))[1])

    @property
    def averaged(self) -> bool:
        return self.output != "last"

    def average(self) -> Profile:
        return self.current() if self.iterations == 0 else super().average()

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
        if callable(self.step):
            raise ParameterError("a step that is a Python function cannot be saved; give a number")
        super().save(path, facts)

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        super().restore(iterations, state)
        self._depth = depth(self.game, np.asarray(state["prior"]))
