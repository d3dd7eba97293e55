"""A value function for variance reduction: values of histories under strategies that a sampler learnt on the rules.

N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling (2018), AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games. At each move with known probabilities (those of chance, and of players that
state theirs), the estimated value of the drawn move is replaced by its expectation. The mean does not change, whatever
the estimates are; with exact estimates the variance is 0. The average over other hands that a player might have held
is in `measures.imagined`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hannan.forms.expansion import is_small
from hannan.forms.game import PlayedGame
from hannan.forms.outline import walk_size
from hannan.kernels.sampling.records import ALL
from hannan.kernels.worth import average, grow
from hannan.measures.imagined import edges
from hannan.measures.players import playing
from hannan.measures.plays import PlayTable, Worth
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.splitmix import first_random
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile

MOST_MOVES, MOST_HISTORIES = 64, 2**21
"""Limits for a game that is not expanded: the moves of a play with values, and the number of histories with values."""
PRIOR = 16.0
"""The weight, in plays, with which the value of the parent enters a mean."""
PLAYS = 10
"""Plays per iteration of the sampler."""
LONGEST_WALK = 10_000.0
"""The largest number of histories in a walk of external sampling; for longer walks, outcome sampling learns."""
BATCH = 2048


def learnt_worth(game: PlayedGame, iterations: int, seed: int) -> Worth:
    """Learn by sampling on the rules, then return the values of histories under the learnt strategies.

    The measured players do not enter. If a game has too many histories to expand, only histories that plays of the
    learnt strategies reached have values; a later history takes the value of its last known ancestor.
    """
    small = is_small(game.rules)
    short = small or all(walk_size(game.rules, player, ALL, False) <= LONGEST_WALK for player in range(game.players))
    kind = ExternalSampling if short else OutcomeSampling
    sampler = kind(game, over="rules", seed=seed)
    sampler.run(iterations)
    learnt = sampler.average()
    if small:
        return worth_under(learnt.profile())
    return worth_by_plays(learnt.policy(), PLAYS * iterations, seed)


def worth_by_plays(policy: Policy, plays: int, seed: int) -> Worth:
    """Return the mean earnings of a policy's plays after each history that they reached."""
    game = policy.game.played()
    table = PlayTable(game, [playing(game, "learnt", policy)], np.zeros((1, game.players), np.int64))
    child, many = np.zeros(MOST_HISTORIES, np.int64), np.zeros(MOST_HISTORIES, np.int64)
    visits, total = np.zeros(MOST_HISTORIES), np.zeros((MOST_HISTORIES, game.players))
    used, first, second = 1, first_random(seed, 1), first_random(seed, 2)
    for begin in range(0, plays, BATCH):
        numbers = range(begin, min(begin + BATCH, plays))
        chances, draws = (
            np.array([[first_random(stream, number)] for number in numbers], np.uint64) for stream in (first, second)
        )
        batch = table.batch(chances, draws, tracing=MOST_MOVES)
        if batch.failure is not None:
            raise batch.failure
        used = int(grow(batch.trail[:, 0], batch.earned[:, 0], child, many, visits, total, used))
    average(used, child, many, visits, total, PRIOR)
    return Worth(child[:used].copy(), many[:used].copy(), total[:used].copy())


def worth_under(profile: Profile) -> Worth:
    """Return the value of every history under a profile."""
    game, tree = profile.game, profile.game.tree
    value = np.zeros((tree.nodes, game.players))
    value[tree.gain_node] = tree.gain
    edge, _, _ = edges(tree, dict(enumerate(profile.strategies)))
    for low, high in reversed(list(pairwise(tree.depth_begin.tolist()))):
        if low > 0:
            np.add.at(value, tree.parent[low:high], edge[low:high, None] * value[low:high])
    first = tree.children[:-1].astype(np.int64)
    many = np.diff(tree.children).astype(np.int64)
    return Worth(np.where(many > 0, first, 0), many, value, whole=True)
