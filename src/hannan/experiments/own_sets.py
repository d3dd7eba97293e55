"""Outcome sampling that averages at the traverser's own sets: its expected average strategy, computed without sampling.

At a history h of a set I of the traverser, such a sampler adds its reach times its strategy, divided by the
probability q(h) of the walk. The expectation of this term is the reach times the strategy, for each history with
q(h) > 0. The other players' moves are drawn by their current strategies. So the weight of iteration t is the number of
histories of I that these strategies reach, and it changes from one iteration to the next. In the right average all
iterations weigh the same.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Ints
from hannan.forms.game import ExpandedGame
from hannan.forms.treeplex import reaches
from hannan.measures.evaluation import evaluation_of
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.profile import Profile, normalised


class OwnSets:
    """The two averages of one sequence of play, in a game of two players who move in turn."""

    def __init__(self, game: ExpandedGame) -> None:
        self.game = game
        plexes = game.tree.treeplexes
        self._met = [_met(game, player) for player in range(2)]
        self.right = [np.zeros(plex.sequences) for plex in plexes]
        self.expected = [np.zeros(plex.sequences) for plex in plexes]

    def watch(self, profile: Profile) -> None:
        """Add one iteration, in which all players played `profile`."""
        plexes = self.game.tree.treeplexes
        reach = [reaches(plex, strategy) for plex, strategy in zip(plexes, profile.strategies, strict=True)]
        for player, (sets, others) in enumerate(self._met):
            plex = plexes[player]
            drawn = reach[1 - player][others] > 0
            many = np.bincount(sets[drawn], minlength=plex.sets)[plex.set_of[1:]]
            self.right[player] += reach[player]
            self.expected[player][1:] += many * reach[player][1:]

    def nash_conv(self, sums: list[Floats]) -> float:
        """Return the NashConv of one of the averages."""
        strategies = tuple(normalised(self.game, player, mine) for player, mine in enumerate(sums))
        return float(evaluation_of(self.game, Profile(self.game, strategies)).nash_conv)


def _met(game: ExpandedGame, player: int) -> tuple[Ints, Ints]:
    """Return the sets of a player's histories, and the sequence of the other player at each of them."""
    tree = game.tree
    sequence = np.zeros(tree.nodes, np.int32)
    sets, others = [], []
    for node in range(tree.nodes):
        mover = int(tree.turn[node]).bit_length() - 1
        first = None
        if tree.turn[node] > 0:
            number = int(tree.slots[tree.slot_begin[node]])
            if mover == player:
                sets.append(number)
                others.append(sequence[node])
            else:
                first = int(tree.treeplexes[mover].begin[number])
        for k, child in enumerate(range(tree.children[node], tree.children[node + 1])):
            sequence[child] = sequence[node] if first is None else first + k
    return np.array(sets, np.int32), np.array(others, np.int32)


def compared(game: ExpandedGame, iterations: int) -> tuple[float, float]:
    """Return the NashConv of the average of CFR's strategies, and of their expected average at own sets."""
    sums, solver = OwnSets(game), CFR(game, updates="simultaneous")
    for _ in range(iterations):
        sums.watch(solver.current())
        solver.run(1)
    return sums.nash_conv(sums.right), sums.nash_conv(sums.expected)
