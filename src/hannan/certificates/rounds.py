"""Bounds on the averages of Algorithm 7.2 from all rounds: ε̄ and ε̃ of section 7.3, with the constants it hides.

In round t, the pseudogame of that round bounds what each strategy of player i would earn against the others' σᵗ. The
weighted mean of these bounds over all rounds bounds what player i can earn against the others' averages. With whole
gradients the mean is known: this is ε̄ (Proposition 7.4). Outcome sampling has an estimate of it, which can be too low
by chance: `raised` adds a bound on the shortfall, and this is ε̃ (Proposition 7.5).
docs/howto/certificates.md derives the constants, and says which share of the failure probability they take.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.minimizers import Manner, Minimizer, Sweep
from hannan.certificates.trunk import LEAF, ROOT, Trunk
from hannan.kernels.certifying import sweeps

SHARE = 0.01
"""The share of the failure probability that sampled rounds take; counts have the rest."""

NEIGHBOURS = range(-2, 3)
"""The rates to try, next to the best one, which is only approximately known."""


@dataclass(frozen=True)
class Rounds:
    """The facts about the rounds in a file, in addition to their sums."""

    kind: Literal["exact", "sampled"]
    count: int
    """The number of rounds."""
    power: int
    """Round t has the weight t to this power."""
    epsilon: float | None
    sampling: str | None
    of: tuple[int, ...]
    """The players whose guarantees rest on the rounds."""

    @property
    def facts(self) -> dict[str, Any]:
        """The record, for a file."""
        return {**asdict(self), "of": list(self.of)}


def raised(sums: Floats, caps: Floats, failure: float, wide: float) -> Floats:
    """Return upper bounds on the sums of conditional means, for sums of numbers from 0 to caps, [sequences].

    With probability 1 − `failure` it holds for all sequences and at all times together. Sequence number j = 1, 2, … and
    rate number k = 0, 1, … have a share 1/j(j+1) · 1/(k+1)(k+2) of the failure. The rates are λ = 2^(-k/2) / `wide`,
    and any of them gives a bound: (λ·sum + ln 1/share) · cap / (1 − exp(−λ·cap)).
    """
    j = np.arange(1.0, len(sums) + 1.0)
    logs = np.log(j * (j + 1.0)) - math.log(failure)
    best = np.sqrt(2.0 * (logs + 5.0) / np.maximum(caps * sums, 1e-300))
    middle = np.round(-2.0 * np.log2(np.minimum(best * wide, 1.0)))
    least = np.full(len(sums), np.inf)
    for step in NEIGHBOURS:
        k = np.maximum(middle + step, 0.0)
        rate = 2.0 ** (-k / 2.0) / wide
        bound = (rate * sums + logs + np.log((k + 1.0) * (k + 2.0))) * caps / -np.expm1(-rate * caps)
        least = np.minimum(least, bound)
    return least


def caps(trunk: Trunk, minimizer: Minimizer, manner: Manner, player: int, heaviest: float) -> tuple[Floats, float]:
    """Return the most that one round can add to the sum of each sequence, [sequences], and the range of gains.

    A walk is worth at most the range of gains above the player's sure gain, plus the range once more at each chance
    node with unknown odds. It is divided by the probability of the player's own choices.
    """
    nodes, sequences = trunk.nodes, trunk.sets[player].sequences
    wide = float(nodes.high[ROOT, 0] - nodes.low[ROOT, 0])
    odds = np.full(sequences, manner.epsilon / minimizer.breadth[player, 0])
    if manner.sampling == "uniform":
        sweeps.least_odds(trunk.flat(player), manner.epsilon, odds)
    unknown = sweeps.unknown_depth(trunk.records(), nodes.used)
    return heaviest * wide * (1 + unknown) / odds, wide


def most(
    game: Sweep, minimizer: Minimizer, manner: Manner, player: int, count: int, failure: float, scale: float = 1.0
) -> float:
    """Return the bound from all rounds on what a player can earn against the averages of the others.

    `scale` multiplies the amounts added to estimates: any value but 1 proves nothing, and is for tests of the tests.
    """
    trunk = game.trunk
    sums = minimizer.rounds[player, : trunk.sets[player].sequences]
    weight = float(minimizer.total[player, 0])
    if not minimizer.sampled:
        return game.respond(player, sums / weight)[0]
    largest, wide = caps(trunk, minimizer, manner, player, float(count) ** minimizer.power)
    if wide == 0.0:
        return sure(trunk, player)
    bound = sums + scale * (raised(sums, largest, failure / trunk.players, wide) - sums)
    return sure(trunk, player) + game.respond(player, bound / weight)[0]


def sure(trunk: Trunk, player: int) -> float:
    """Return the least that a player gains, by the bounds told at the root."""
    nodes = trunk.nodes
    gain = 0.0 if nodes.kind[ROOT] == LEAF else float(nodes.gain[ROOT, 0])
    return gain + float(nodes.low[ROOT, 0]) if player == 0 else -gain - float(nodes.high[ROOT, 0])
