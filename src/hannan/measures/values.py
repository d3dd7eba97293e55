"""A value function for variance reduction: what histories are worth under play that a sampler learnt on the rules.

N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling (2018), AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games. At each move whose probabilities are known (chance's, and those of players
that tell theirs) the guessed worth of the drawn move is replaced by its expectation. The mean stays what it is,
whatever the guesses are; right guesses leave no variance. Their averaging over hands that a player might have held
as well is in `imagining`.
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
"""Of a game that is not written out: moves of a play, and histories in all, that have values."""
PRIOR = 16.0
"""A mean is drawn towards the one before it as by so many plays."""
PLAYS = 10
"""Plays for each iteration of the sampler."""
LONGEST_WALK = 10_000.0
"""Histories in a walk of external sampling; where there are more, outcome sampling learns."""
BATCH = 2048


def learnt_worth(game: PlayedGame, iterations: int, seed: int) -> Worth:
    """Learn by sampling on the rules, then value histories under the learnt play: all of them, or as many as fit.

    Players that are measured have no part in it. Where a game has too many histories to write them all out, those have
    values that plays of what was learnt came to; what lies beyond is worth what its last known history is.
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
    """Return what the histories that plays of a policy came to were worth in them."""
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
    """Return what every history is worth where everybody plays a profile."""
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
