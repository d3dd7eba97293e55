"""A value function for variance reduction: what histories are worth under play that a sampler learnt on the rules.

N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling (2018), AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games. At each move whose probabilities are known (chance's, and those of players
that tell theirs) the guessed worth of the drawn move is replaced by its expectation. The mean stays what it is,
whatever the guesses are; right guesses leave no variance. Their averaging over hands that a player might have held
as well is left out: where all probabilities are known, the corrections alone can take all variance away.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hannan.arrays import Floats
from hannan.errors import UnsuitableError
from hannan.forms.expanding import is_small
from hannan.forms.game import PlayedGame
from hannan.measures.playing import Worth
from hannan.solvers.sampling.external_sampling import ExternalSampling
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile


def learnt_worth(game: PlayedGame, iterations: int, seed: int) -> Worth:
    """Learn by external sampling on the rules, then value every history under the learnt play.

    Players that are measured have no part in it. Games that cannot be written out history by history are refused.
    """
    if not is_small(game.rules):
        raise UnsuitableError(
            f"{game.address} has too many histories for a value of each, which --aivat needs; play without it, or more "
            "games"
        )
    sampler = ExternalSampling(game, on="rules", seed=seed)
    sampler.run(iterations)
    learnt = sampler.average()
    return worth_under(learnt.profile() if isinstance(learnt, Policy) else learnt)


def worth_under(profile: Profile) -> Worth:
    """Return what every history is worth where everybody plays a profile."""
    game, tree = profile.game, profile.game.tree
    value = np.zeros((tree.nodes, game.players))
    value[tree.gain_node] = tree.gain
    edge = _probabilities(profile)
    for low, high in reversed(list(pairwise(tree.depth_begin.tolist()))):
        if low > 0:
            np.add.at(value, tree.parent[low:high], edge[low:high, None] * value[low:high])
    first = tree.children[:-1].astype(np.int64)
    return Worth(np.where(np.diff(tree.children) > 0, first, 0), value)


def _probabilities(profile: Profile) -> Floats:
    """Return the probability of each history given its parent, [histories]."""
    tree = profile.game.tree
    edge = tree.probability.copy()
    above = np.maximum(tree.parent, 0)
    left = np.arange(tree.nodes) - tree.children[above]
    for player in reversed(range(tree.players)):  # the last mover's actions run fastest
        turn = tree.turn[above].astype(np.int64)
        mine = np.flatnonzero((turn > 0) & ((turn >> player) & 1 == 1) & (tree.parent >= 0))
        earlier = np.zeros(len(mine), np.int64)
        for other in range(player):
            earlier += (turn[mine] >> other) & 1
        begin = tree.treeplexes[player].begin.astype(np.int64)
        number = tree.slots[tree.slot_begin[above[mine]] + earlier]
        size = begin[number + 1] - begin[number]
        edge[mine] *= profile.strategies[player][begin[number] + left[mine] % size]
        left[mine] //= size
    return edge
