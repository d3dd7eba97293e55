"""How good a profile is in every subgame of a game in which everybody sees everything, by plain backward induction."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.strategies.profile import Profile


def worst_subgame(profile: Profile) -> float:
    """Return the largest NashConv of a two-player zero-sum profile in any subgame, reached or not.

    Every information set has to be one history, so that each history starts a subgame.
    """
    tree = profile.game.tree
    own: Any = np.zeros((tree.nodes, 2))  # [player 0's best response, player 1's], as utilities of player 0
    own[tree.gain_node] += tree.gain[:, :1]
    worst = 0.0
    for node in reversed(range(tree.nodes)):
        below = own[tree.children[node] : tree.children[node + 1]]
        if len(below) == 0:
            continue
        if tree.turn[node] == 0:
            own[node] += tree.probability[tree.children[node] : tree.children[node + 1]] @ below
        else:
            plays = [np.ones(1), np.ones(1)]
            movers = [p for p in range(2) if tree.turn[node] >> p & 1]
            for p, number in zip(movers, tree.slots[tree.slot_begin[node] : tree.slot_begin[node + 1]], strict=True):
                begin = tree.treeplexes[p].begin
                plays[p] = profile.strategies[p][begin[number] : begin[number + 1]]
            first, second = (below[:, p].reshape(len(plays[0]), len(plays[1])) for p in range(2))
            own[node] += (first @ plays[1]).max(), (plays[0] @ second).min()
        worst = max(worst, own[node, 0] - own[node, 1])
    return worst
