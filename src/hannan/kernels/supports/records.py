"""What the subdivision of a support works on.

A support is a set of plans for each player. Its *entries* are the probabilities of the plans, player after player.
A *row* of a player is what one of its plans pays more than the first plan of its support: a multilinear function of the
other players' entries. The rows of the support come first (they are 0 in an equilibrium), then the others (at most 0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hannan.arrays import Floats, Longs

TINY = 2.0**-51
"""No payoff difference is wrong by more: payoffs lie in [-1, 1] and are rounded once, then the difference is."""

EXCLUDED, RESOLVED, SPLIT, OPEN = 0, 1, 2, 3
"""Of a box: no equilibrium, one candidate at most, to be halved, undecided."""

AT, DEPTH, USED, FOUND, TOTAL = 0, 1, 2, 3, 4
"""Places in `Search.state`: the support that is worked on, boxes on its stack (-1: it is not begun), boxes that it has
taken, candidates that wait, boxes of all supports."""


class Game(NamedTuple):
    """Payoffs in [-1, 1]."""

    payoffs: Floats  # [players, cells]
    shape: Longs  # [players]  plans
    stride: Longs  # [players]  cells from a plan to the next one


class Work(NamedTuple):
    """One support, and room to work on a box of it."""

    size: Longs  # [players]  plans in the support
    plan: Longs  # [players, most plans]  their numbers, then those outside
    begin: Longs  # [players + 1]  where the entries of a player begin
    parts: Longs  # [players]  combinations of the others' plans in the support
    row_begin: Longs  # [players]  where the rows of a player begin in `rows`
    offset: Longs  # [most parts]  where a combination lies in the payoffs
    rows: Floats  # a player: [plans - 1, parts]
    centred: Floats  # the same about a centre: the coefficients of a polynomial in the distances from it
    degree: Longs  # [players, most parts]  how many distances a coefficient is multiplied by
    weight: Floats  # [players, most parts]  the product of their bounds
    variable: Longs  # [players, most parts]  the variable of a coefficient of degree one
    low: Floats  # [most parts]
    high: Floats  # [most parts]
    sums: Floats  # [most parts or variables, whichever are more]
    eliminated: Longs  # [players]  the entry that is 1 less the others
    number: Longs  # [entries]  the variable of an entry, or -1
    jacobian: Floats  # [variables, variables]
    matrix: Floats  # [variables, 2 * variables]  what elimination leaves of it, then its inverse
    value: Floats  # [variables]  the rows at the centre
    step: Floats  # [variables]  Newton's step
    spread: Floats  # [variables]  how far a root may lie from the centre less the step
    slope: Floats  # [variables]  a bound on the derivative of Newton's map, times the radii
    noise: Floats  # [variables]  how far rounding may be off in the step
    width: Floats  # [variables]  the radii of the variables
    centre: Floats  # [entries]
    radius: Floats  # [entries]
    guess: Floats  # [entries]
    blame: Floats  # [entries]  how much an entry contributes to `spread`
    near: Floats  # [2, entries]


class Search(NamedTuple):
    """Supports to look at, the boxes that wait, and what was found."""

    masks: Longs  # [supports, players]  plans as bits
    verdict: Longs  # [supports]  how many boxes are undecided
    state: Longs  # [5]
    boxes: Floats  # [most, 2, entries]
    found: Floats  # [most, entries]  candidates of the support that is worked on


def room(shape: tuple[int, ...]) -> Work:
    """Return room for the supports of a game."""
    players, entries = len(shape), sum(shape)
    parts = [int(np.prod([m for q, m in enumerate(shape) if q != p], dtype=np.int64)) for p in range(players)]
    sizes = [(m - 1) * part for m, part in zip(shape, parts, strict=True)]
    most, variables = max(parts), max(entries - players, 1)

    def longs(*size: int) -> Longs:
        return np.zeros(size, np.int64)

    begin = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
    return Work(
        size=longs(players),
        plan=longs(players, max(shape)),
        begin=longs(players + 1),
        parts=longs(players),
        row_begin=begin,
        offset=longs(most),
        rows=np.zeros(sum(sizes)),
        centred=np.zeros(sum(sizes)),
        degree=longs(players, most),
        weight=np.zeros((players, most)),
        variable=longs(players, most),
        low=np.zeros(most),
        high=np.zeros(most),
        sums=np.zeros(max(most, variables)),
        eliminated=longs(players),
        number=longs(entries),
        jacobian=np.zeros((variables, variables)),
        matrix=np.zeros((variables, 2 * variables)),
        value=np.zeros(variables),
        step=np.zeros(variables),
        spread=np.zeros(variables),
        slope=np.zeros(variables),
        noise=np.zeros(variables),
        width=np.zeros(variables),
        centre=np.zeros(entries),
        radius=np.zeros(entries),
        guess=np.zeros(entries),
        blame=np.zeros(entries),
        near=np.zeros((2, entries)),
    )
