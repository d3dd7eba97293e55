"""What can be said of a strategy in a game too large for a best response: by playing.

`rollouts` estimates what everybody earns, with a confidence interval. `search_response` learns a strategy against
the others' and measures, in fresh plays, what it gains: a lower bound on what a best response gains, never
exploitability itself. Intervals are those of the normal approximation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np

from hannan.errors import ParameterError
from hannan.kernels.samplingrecords import (
    ALL,
    CELLS,
    HISTORY,
    LAZY,
    MATCHING_PLUS,
    NO_BASELINE,
    ONE,
    ROOT,
    SETS,
    Plan,
)  # fmt: skip
from hannan.policy import Policy
from hannan.profile import Profile
from hannan.solvers.sampling import whole
from hannan.solvers.samplingtables import first_random, grown
from hannan.solvers.streams import RulesStream, gathered


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


def rollouts(policy: Policy | Profile, *, plays: int = 100_000, seed: int = 0, confidence: float = 0.95) -> Rollouts:
    """Play a strategy against itself and average what everybody earns."""
    plays, confidence = whole(plays=plays), _confidence(confidence)
    stream = _stream(policy, _plan(policy, ROOT, -1), first_random(seed, 0))
    stream.walk(plays * stream.game.players)
    count, sums, squares = stream.tables.root
    means = sums / count
    spread = np.sqrt(np.maximum(squares / count - means**2, 0.0) / count)
    return Rollouts(plays, confidence, tuple(means.tolist()), tuple(spread.tolist()))


def search_response(
    policy: Policy | Profile,
    player: int,
    *,
    iterations: int = 20_000,
    plays: int = 100_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> FoundResponse:
    """Learn a deviation of one player by external sampling, then measure in fresh plays what it gains."""
    confidence = _confidence(confidence)
    if not 0 <= player < policy.game.players:
        raise ParameterError(f"player={player!r} should be 0 to {policy.game.players - 1}")
    learning = _plan(policy, 0, player)._replace(own=ALL, learner=MATCHING_PLUS, power=1.0)
    stream = _stream(policy, learning, first_random(seed, 1))
    stream.walk(whole(iterations=iterations))
    learnt = _response(stream, player)
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


def _stream(policy: Policy | Profile, plan: Plan, random: int) -> RulesStream:
    """Return a stream on the rules in which everybody plays the policy."""
    policy = Policy.of_profile(policy) if isinstance(policy, Profile) else policy
    stream = RulesStream(policy.game, plan, random, None)
    sets, players = policy.sets, policy.game.players
    cells = players + int((1 + 3 * policy.size).sum())
    tables = grown(stream.tables, max(sets, len(stream.tables.set_parent)), max(cells, len(stream.tables.learnt)))
    sums = np.arange(len(policy.probability))  # the cell by which each sequence is known
    first = players + 1
    for j in range(sets):
        base, size = int(policy.base[j]), int(policy.size[j])
        tables.learnt[first : first + size] = policy.probability[base : base + size]
        sums[base : base + size] = first + 2 * size + np.arange(size)
        tables.set_parent[j], tables.set_observation[j] = sums[policy.parent[j]], policy.observation[j]
        tables.set_base[j], tables.set_size[j] = first, size
        first += 1 + 3 * size
    tables.counts[SETS], tables.counts[CELLS] = sets, cells
    stream.tables = grown(tables, len(tables.set_parent), len(tables.learnt))  # fills the buckets
    if stream.plain is not None:
        stream.plain.restore(stream.tables, policy.labels or ())
    return stream


def _response(stream: RulesStream, player: int) -> Policy:
    """Return the action that a stream has learnt to prefer at each set of a player that it updated; else given play."""
    totals, tables = stream.totals(), stream.tables
    facts = {"method": "sampled response", "player": player}
    policy = gathered(stream.game, [stream], [tables.learnt], 0, facts)
    probability = policy.probability.copy()
    for j in np.flatnonzero(policy.owner == player):
        size, first, base = int(policy.size[j]), int(tables.set_base[j]), int(policy.base[j])
        sums = totals[first + 2 * size : first + 3 * size]
        if sums.any():
            probability[base : base + size] = 0.0
            probability[base + int(sums.argmax())] = 1.0
    return replace(policy, probability=probability)


def _confidence(confidence: float) -> float:
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise ParameterError(f"confidence={confidence!r} should lie between 0 and 1")
    return float(confidence)
