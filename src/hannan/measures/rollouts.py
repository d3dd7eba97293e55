"""What can be said of a strategy in a game too large for a best response: by playing.

`rollouts` estimates what everybody earns, with a confidence interval. `search_response` learns a strategy against
the others' and measures, in fresh plays, what it gains: a lower bound on what a best response gains, never
exploitability itself. Intervals are those of the normal approximation.

M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling (2009), Monte Carlo sampling for regret minimization in extensive games:
the search is their sampling, external or outcome, by one player while the others' play is fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from time import perf_counter
from typing import Literal, get_args

import numpy as np

from hannan.arguments import between, choice, whole
from hannan.errors import ParameterError
from hannan.forms.survey import walk_size
from hannan.kernels.sampling.records import ALL, CELLS, HISTORY, LAZY, MATCHING_PLUS, NO_BASELINE, ONE, ROOT, SETS, Plan
from hannan.memory import available
from hannan.solvers.sampling.gathering import gathered
from hannan.solvers.sampling.growing import RulesStream
from hannan.solvers.sampling.tables import first_random, part_cells
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

Search = Literal["auto", "external", "outcome"]

AT_ONCE = 50_000
"""Plays after which the sets that they came by are forgotten."""
FIRST_SLICE = 100
"""Plays for each player that are made in any case: fewer say nothing about their spread."""
SLICE = 0.1
"""Seconds of playing between two questions whether to stop."""
LONGEST_WALK = 1000
"""Histories in a walk up to which a search takes every action of the player."""
EXTERNAL_WALKS, OUTCOME_WALKS = 20_000, 100_000
EXPLORATION = 0.2
"""How often a search that takes one action takes any."""
LEAST_MEMORY = 2**26
"""A search that has filled a third of the free memory, and no less than this, ends there; what it has learnt counts."""


@dataclass(frozen=True)
class Rollouts:
    """What everybody earns, estimated from `plays` plays for each player."""

    plays: int
    confidence: float
    values: tuple[float, ...]
    deviations: tuple[float, ...]
    """The standard error of each value."""

    @property
    def half_widths(self) -> tuple[float, ...]:
        """The interval of player p is values[p] ± half_widths[p]."""
        factor = NormalDist().inv_cdf(0.5 + self.confidence / 2)
        return tuple(factor * deviation for deviation in self.deviations)


@dataclass(frozen=True)
class FoundResponse:
    """What one learned deviation of a player gains: a lower bound on its gain by a best response."""

    player: int
    gain: float
    """The estimate of what the deviation gains."""
    lower_bound: float
    """With probability `confidence`, the best response gains at least this much; never below 0."""
    confidence: float
    policy: Policy
    """The deviation: what was learnt of the player's sets, and the given strategy of the others."""


def rollouts(
    policy: Policy | Profile,
    *,
    plays: int = 100_000,
    seed: int = 0,
    confidence: float = 0.95,
    stop: Callable[[], bool] | None = None,
) -> Rollouts:
    """Play a strategy against itself and average what everybody earns.

    `stop` is asked about every tenth of a second: once it says true, the plays made until then are all there are.
    """
    plays, confidence = whole("plays", plays), between("confidence", confidence)
    stream = _stream(policy, _plan(policy, ROOT, -1), first_random(seed, 0))
    known, used = int(stream.tables.counts[SETS]), int(stream.tables.counts[CELLS])
    made, unforgotten, size, players = 0, 0, FIRST_SLICE, stream.game.players
    while made < plays and not stream.full and not (made and stop is not None and stop()):
        size = min(size, plays - made, max(AT_ONCE // players, 1))
        before = perf_counter()
        stream.walk((made + size) * players)
        made, unforgotten = made + size, unforgotten + size * players
        size = max(1, min(2 * size, int(size * SLICE / max(perf_counter() - before, 1e-9))))
        if unforgotten >= AT_ONCE and stream.plain is None:
            stream.forget(known, used)  # what plays have added is played uniformly with and without an entry
            unforgotten = 0
    count, sums, squares = stream.tables.root
    means = sums / count
    spread = np.sqrt(np.maximum(squares / count - means**2, 0.0) / count)
    return Rollouts(int(count.min()), confidence, tuple(means.tolist()), tuple(spread.tolist()))


def search_response(
    policy: Policy | Profile,
    player: int,
    *,
    iterations: int | None = None,
    plays: int = 100_000,
    seed: int = 0,
    confidence: float = 0.95,
    sampling: Search = "auto",
    before: Rollouts | None = None,
) -> FoundResponse:
    """Learn a deviation of one player by sampling, then measure in fresh plays what it gains.

    sampling: a walk of `external` takes every action of the player, one of `outcome` takes one; `auto` takes every
    action where such walks are short. iterations: how many walks; None chooses by the kind. before: what `rollouts`
    of the policy has told, with a seed other than seed + 2; None plays them.
    """
    confidence = between("confidence", confidence)
    if not 0 <= player < policy.game.players:
        raise ParameterError(f"player={player!r} should be 0 to {policy.game.players - 1}")
    choice("sampling", sampling, get_args(Search))
    external = sampling == "external" or (
        sampling == "auto" and walk_size(policy.game.played().rules, player, ALL, False) <= LONGEST_WALK
    )
    if iterations is None:
        iterations = EXTERNAL_WALKS if external else OUTCOME_WALKS
    learning = _plan(policy, 0, player)._replace(
        own=ALL if external else ONE, epsilon=0.0 if external else EXPLORATION, power=1.0
    )
    stream = _stream(policy, learning, first_random(seed, 1), max(available() // 3, LEAST_MEMORY))
    stream.walk(whole("iterations", iterations))
    learnt = _response(stream, player)
    if before is None:
        before = rollouts(policy, plays=plays, seed=seed + 1, confidence=confidence)
    after = rollouts(learnt, plays=plays, seed=seed + 2, confidence=confidence)
    gain = after.values[player] - before.values[player]
    error = sqrt(after.deviations[player] ** 2 + before.deviations[player] ** 2)
    low = gain - NormalDist().inv_cdf(confidence) * error
    return FoundResponse(player, gain, max(low, 0.0), confidence, learnt)


def _plan(policy: Policy | Profile, measuring: int, only: int) -> Plan:
    return Plan(
        players=policy.game.players, own=ONE, others=0, averaging=LAZY, learner=MATCHING_PLUS, baseline=NO_BASELINE,
        key=HISTORY, explore=0, measuring=measuring, only=only, epsilon=0.0, alpha=0.0, beta=0.0, power=0.0, rate=1.0,
    )  # fmt: skip


def _stream(policy: Policy | Profile, plan: Plan, random: int, limit: int | None = None) -> RulesStream:
    """Return a stream on the rules in which everybody plays the policy."""
    policy = Policy.of_profile(policy) if isinstance(policy, Profile) else policy
    stream = RulesStream(policy.game.played(), plan, random, limit)
    stream.plant(policy)
    return stream


def _response(stream: RulesStream, player: int) -> Policy:
    """Return the action that a stream has learnt to prefer at each set of a player that it updated; else given play."""
    totals, tables = stream.totals(), stream.tables
    facts = {"method": "sampled response", "player": player}
    policy = gathered(stream.game, [stream], [tables.learnt], 0, facts)
    probability, size = policy.probability.copy(), policy.size
    if policy.sets:
        begin = policy.base - policy.game.players
        sums = totals[part_cells(tables.set_base[: policy.sets], size, 2)]
        peak = np.maximum.reduceat(sums, begin)
        at = np.arange(policy.game.players, len(probability))
        best = np.minimum.reduceat(np.where(sums == np.repeat(peak, size), at, len(probability)), begin)
        chosen = (policy.owner == player) & np.logical_or.reduceat(sums != 0.0, begin)
        probability[at[np.repeat(chosen, size)]] = 0.0
        probability[best[chosen]] = 1.0
    return replace(policy, probability=probability)
