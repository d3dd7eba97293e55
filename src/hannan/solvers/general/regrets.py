"""Exact gains of players by deviating: from plans of a normal form, or from sequences of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nextafter

import numpy as np

from hannan.arrays import Floats
from hannan.forms.exactpayoffs import exact_payoffs
from hannan.forms.game import ExpandedGame
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.general.cells import ExactCells, Whole

BITS = 53
"""Probabilities are rounded to multiples of 2**-BITS: such numbers from 0 to 1 are floats."""


def rounded(strategy: Floats) -> Whole:
    """Return probabilities as multiples of 2**-BITS that sum to 1; the largest absorbs the rounding errors."""
    positive = np.where(np.isfinite(strategy) & (strategy > 0), strategy, 0.0)
    total = float(positive.sum())
    shares = positive / total if total > 0 else np.full(len(positive), 1 / len(positive))
    whole = np.array([round(Fraction(float(share)) * 2**BITS) for share in shares], object)
    whole[int(np.argmax(shares))] += 2**BITS - whole.sum()
    return whole


def upward(number: Fraction) -> float:
    """Return a float that is not below a number."""
    near = float(number)
    return near if Fraction(near) >= number else nextafter(near, inf)


def plan_regret(cells: ExactCells, weights: Sequence[Whole]) -> Fraction:
    """Return the largest gain of any player by deviating from mixed strategies in multiples of 2**-BITS."""
    used = [np.flatnonzero(own) for own in weights]
    worst = Fraction(0)
    for player, numbers in enumerate(cells.numbers):
        chosen = [np.arange(len(own)) if q == player else used[q] for q, own in enumerate(weights)]
        paid = np.moveaxis(numbers[np.ix_(*chosen)], player, 0)
        for q in reversed([q for q in range(len(weights)) if q != player]):
            paid = paid @ weights[q][used[q]]  # the last axis is the last remaining player of the others
        earned = (paid * weights[player]).sum()
        scale = cells.over[player] << BITS * len(weights)
        worst = max(worst, Fraction(int(max(paid) * 2**BITS - earned), scale))
    return worst


def behaviour_of(game: ExpandedGame, strategies: Sequence[Floats]) -> list[Whole]:
    """Return probabilities of sequences as behaviour in multiples of 2**-BITS; uniform at unreached sets."""
    behaviour = []
    for plex, strategy in zip(game.form.treeplexes, strategies, strict=True):
        whole = np.zeros(plex.sequences, object)
        whole[EMPTY] = 2**BITS
        for begin, end in zip(plex.begin[:-1].tolist(), plex.begin[1:].tolist(), strict=True):
            whole[begin:end] = rounded(np.asarray(strategy[begin:end], np.float64))
        behaviour.append(whole)
    return behaviour


def realized(plex: Treeplex, behaviour: Whole) -> tuple[Whole, int]:
    """Return the probabilities of sequences, and their common denominator, a power of two."""
    depth = [0] * plex.sequences
    reach = np.zeros(plex.sequences, object)
    reach[EMPTY] = 1
    for j, above in enumerate(plex.parent.tolist()):
        for sequence in range(int(plex.begin[j]), int(plex.begin[j + 1])):
            reach[sequence] = reach[above] * behaviour[sequence]
            depth[sequence] = depth[above] + 1
    deepest = max(depth)
    for sequence, down in enumerate(depth):
        reach[sequence] <<= BITS * (deepest - down)
    return reach, BITS * deepest


def sequence_regret(game: ExpandedGame, behaviour: Sequence[Whole]) -> Fraction:
    """Return the largest gain of any player by deviating from behaviour strategies in multiples of 2**-BITS."""
    payoffs, plexes = exact_payoffs(game), game.form.treeplexes
    reaches = [realized(plex, own) for plex, own in zip(plexes, behaviour, strict=True)]
    worst = Fraction(0)
    for player, plex in enumerate(plexes):
        paid = np.array(payoffs.gained[player], object)
        for q, (reach, _) in enumerate(reaches):
            if q != player:
                paid = paid * reach[payoffs.sequences[q]]
        values = [0] * plex.sequences
        for sequence, part in zip(payoffs.sequences[player], paid, strict=True):
            values[sequence] += part
        own, bits = reaches[player]
        earned = sum(weight * value for weight, value in zip(own, values, strict=True))
        begin, parent = plex.begin.tolist(), plex.parent.tolist()
        for j in reversed(range(plex.sets)):
            values[parent[j]] += max(values[begin[j] : begin[j + 1]])
        scale = payoffs.over[player] << sum(bits for _, bits in reaches)
        worst = max(worst, Fraction(int((values[EMPTY] << bits) - earned), scale))
    return worst
