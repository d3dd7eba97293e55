"""Imaginary observations: the scores that a play would have had with other hands of players whose strategy is known.

N. Burch, M. Schmid, M. Moravčík, D. Morrill, M. Bowling (2018), AIVAT. A player whose probabilities are unknown acts on
its own observations only. So all ends of play at which these players have seen and done the same differ only in the
moves of chance and of the known players, whose probabilities are known. A play is scored with the mean over these ends:
the expectation stays the same, and the variance does not grow. If the probabilities of all players are known, the mean
would be the exact value, and no match is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.tree import TERMINAL, GameTree
from hannan.measures.players import Player, Playing, table_of
from hannan.measures.plays import Worth


def imagined(
    game: PlayedGame, players: Sequence[Player], seatings: Longs, worth: Worth | None
) -> tuple[Floats | None, ...]:
    """Return the scores of all ends of play in each seating, [histories, seats]; None for a seating without them.

    A seating has them if the game has a tree, at least one seat plays a table, and at least one other seat plays a rule
    or a strategy that is not a table: such a player sees only the observations of its seat. Bots of other libraries
    may see more.
    """
    if worth is None or not worth.whole:
        return (None,) * len(seatings)
    return tuple(_seated(game.expanded(), [players[k] for k in seating], worth) for seating in seatings.tolist())


def _seated(game: ExpandedGame, seated: Sequence[Player], worth: Worth) -> Floats | None:
    known = tables(seated)
    hidden = [one for one in seated if table_of(one) is None]
    if not known or not hidden or not all(isinstance(one, Playing) for one in hidden):
        return None
    return scores(game.tree, known, worth)


def tables(seated: Sequence[Player]) -> dict[int, Floats]:
    """Return the strategies of the seats that play a table, by sequence."""
    known = {seat: table_of(one) for seat, one in enumerate(seated)}
    return {seat: table.profile().strategies[seat] for seat, table in known.items() if table is not None}


def scores(tree: GameTree, known: Mapping[int, Floats], worth: Worth) -> Floats:
    """Return the score of each end of play: the mean corrected score of all ends that look the same to the others.

    known: the strategies of players, by sequence. Only moves of chance and of these players are corrected for.
    """
    total, reach, sequence = corrected(tree, known, worth)
    ends = np.flatnonzero(tree.turn == TERMINAL)
    same = np.zeros(len(ends), np.int64)
    for last in sequence.values():
        _, same = np.unique(same * (int(last.max()) + 2) + last[ends] + 1, return_inverse=True)
    weight = np.bincount(same, reach[ends])
    result = np.zeros((tree.nodes, tree.players))
    for p in range(tree.players):
        mean = np.bincount(same, reach[ends] * total[ends, p]) / np.where(weight > 0, weight, 1.0)
        result[ends, p] = mean[same]
    return result


def corrected(tree: GameTree, known: Mapping[int, Floats], worth: Worth) -> tuple[Floats, Floats, dict[int, Longs]]:
    """Return three arrays that describe the way to each history.

    The earnings of each player, corrected for moves of chance and of known players, [histories, players]; the
    probability of these moves; and for each other player its last sequence, -1 before its first move.
    """
    above = np.maximum(tree.parent, 0)
    edge, group, sequence = edges(tree, known)
    means = np.stack([np.bincount(group, edge * worth.value[:, p], tree.nodes) for p in range(tree.players)], axis=1)
    total = means[group] - worth.value
    total[0] = 0.0
    total[tree.gain_node] += tree.gain
    reach = edge.copy()
    reach[0] = 1.0
    for low, high in list(pairwise(tree.depth_begin.tolist()))[1:]:
        total[low:high] += total[above[low:high]]
        reach[low:high] *= reach[above[low:high]]
        for last in sequence.values():
            last[low:high] = np.where(last[low:high] < 0, last[above[low:high]], last[low:high])
    return total, reach, sequence


def edges(tree: GameTree, known: Mapping[int, Floats]) -> tuple[Floats, Longs, dict[int, Longs]]:
    """Return three arrays that describe the move into each history.

    The probability of the parts of the move that chance and known players choose; a number that siblings share if they
    differ only in these parts; and for each other player the sequence that ends with the move, -1 if it did not move.
    """
    edge = tree.probability.copy()
    edge[0] = 0.0  # no move leads to the root
    above = np.maximum(tree.parent, 0)
    left, other = np.arange(tree.nodes) - tree.children[above], np.zeros(tree.nodes, np.int64)
    turn = np.where(tree.parent >= 0, np.maximum(tree.turn[above].astype(np.int64), 0), 0)
    sequence = {player: np.full(tree.nodes, -1, np.int64) for player in range(tree.players) if player not in known}
    for player in reversed(range(tree.players)):  # the last mover's actions run fastest
        mine = np.flatnonzero((turn >> player) & 1 == 1)
        earlier = sum(((turn[mine] >> before) & 1 for before in range(player)), np.zeros(len(mine), np.int64))
        begin = tree.treeplexes[player].begin.astype(np.int64)
        number = tree.slots[tree.slot_begin[above[mine]] + earlier]
        size = begin[number + 1] - begin[number]
        action = left[mine] % size
        left[mine] //= size
        if player in known:
            edge[mine] *= known[player][begin[number] + action]
        else:
            other[mine] = other[mine] * size + action
            sequence[player][mine] = begin[number] + action
    return edge, tree.children[above].astype(np.int64) + other, sequence
