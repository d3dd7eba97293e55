"""Passes over the plain layout: what each sequence gains, how it is reached, what is best against it.

They do not know which learner there is: `regrets` and `weights` hold those. Evaluation uses them too.
"""

from __future__ import annotations

from hannan.arrays import Floats, Ints, Longs, Numbers
from hannan.kernels import inlined, kernel, shared
from hannan.kernels.fullwidth.records import Flat, Learning


@inlined
def sum_rows(
    low: int, high: int, begin: Longs, place: Ints | None, others: Ints, payoff: Numbers, unit: float, reach: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Write the payoffs of the rows `low … high`, each times the others' reaches, added up; to `place`, or in order.

    Payoffs are in units.
    """
    for row in range(low, high):
        total = 0.0
        if others.shape[0] == 1:
            other = others[0]
            for k in range(begin[row], begin[row + 1]):
                total += payoff[k] * reach[other[k]]
        else:
            for k in range(begin[row], begin[row + 1]):
                term = payoff[k]
                for o in range(others.shape[0]):
                    term *= reach[others[o, k]]
                total += term
        if place is None:
            out[row] = unit * total
        else:
            out[place[row]] = unit * total


@kernel
def gradient(flat: Flat, player: int, reach: Floats, out: Floats) -> None:
    """Write what each sequence of `player` gains against the others' play."""
    begin, end = flat.sequence_begin[player], flat.sequence_begin[player + 1]
    sum_rows(begin, end, flat.row_begin, None, flat.other, flat.payoff, 1.0, reach, out)


@shared
def spread(flat: Flat, player: int, strategy: Floats, reach: Floats) -> None:
    """Write the reach of every sequence of `player`, from the root down."""
    reach[flat.sequence_begin[player]] = 1.0
    for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
        above = reach[flat.parent[j]]
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            reach[s] = above * strategy[s]


@kernel
def spread_below(sets: Longs, strategy: Floats, sums: Floats) -> None:
    """Write reaches, or sums of reaches, at sets whose strategy never changes; `sets` is that of a `Layout`."""
    for k in range(sets.shape[0]):
        first, size, above = sets[k]
        for s in range(first, first + size):
            sums[s] = sums[above] * strategy[s]


@shared
def respond(flat: Flat, player: int, worth: Floats, best: Ints) -> float:
    """Return the value of a best response to the gradient in `worth`, and write its choice at each set.

    `worth` becomes the value of each sequence under best play after it; ties go to the first action.
    """
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        choice = flat.first[j]
        for s in range(flat.first[j] + 1, flat.first[j] + flat.size[j]):
            if worth[s] > worth[choice]:
                choice = s
        best[j] = choice - flat.first[j]
        worth[flat.parent[j]] += worth[choice]
    value: float = worth[flat.sequence_begin[player]]
    return value


@kernel
def expect(flat: Flat, player: int, strategy: Floats, worth: Floats) -> float:
    """Turn the gradient in `worth` into the value of each sequence when `strategy` is played after it."""
    for j in range(flat.set_begin[player + 1] - 1, flat.set_begin[player] - 1, -1):
        for s in range(flat.first[j], flat.first[j] + flat.size[j]):
            worth[flat.parent[j]] += strategy[s] * worth[s]
    value: float = worth[flat.sequence_begin[player]]
    return value


@kernel
def average(flat: Flat, player: int, learning: Learning, decay: float) -> None:
    """Add the reach of the strategy just played to the average, then spread the next one. Player 0 counts weights.

    An empty `total` says that no average is kept.
    """
    reach, total, strategy = learning.reach, learning.total, learning.strategy
    if total.size == 0:
        spread(flat, player, strategy, reach)
    else:
        root = flat.sequence_begin[player]
        total[root] = total[root] * decay + 1.0
        for j in range(flat.set_begin[player], flat.set_begin[player + 1]):
            above = reach[flat.parent[j]]
            for s in range(flat.first[j], flat.first[j] + flat.size[j]):
                total[s] = total[s] * decay + reach[s]
                reach[s] = above * strategy[s]
    if player == 0:
        learning.value[-1] = learning.value[-1] * decay + 1.0


@kernel
def track(sequence_begin: Longs, player: int, learning: Learning, decay: float, worth: Floats) -> None:
    """Record what the joint play of this iteration gives to `player` and leaves for it to gain; in any layout.

    The reach of a sequence counts what is gained exactly there, so the products add up to the value.
    """
    value = 0.0
    for s in range(sequence_begin[player], sequence_begin[player + 1]):
        learning.played[s] = learning.played[s] * decay + worth[s]
        value += worth[s] * learning.reach[s]
    learning.value[player] = learning.value[player] * decay + value
