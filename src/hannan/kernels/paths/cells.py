"""Payoffs of mixed strategies and their derivatives, from the cells of a normal form.

Strategies stand end to end in one vector; player p's actions are `begin[p] … begin[p+1]-1`. Payoffs are multilinear, so
one table of derivatives gives all: `slopes[a, b]` is what action a pays its player if another player takes action b for
certain and the rest play as they do.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import owning


@owning
def pays(cells: Floats, begin: Longs, mixed: Floats, out: Floats) -> None:
    """Write what each action pays its player against the others' mixed strategies.

    cells: [players, combinations of actions], the last player's action runs fastest.
    """
    players = cells.shape[0]
    digit = np.zeros(players, np.int64)
    before = np.ones(players + 1)
    out[:] = 0.0
    for cell in range(cells.shape[1]):
        for p in range(players):
            before[p + 1] = before[p] * mixed[begin[p] + digit[p]]
        after = 1.0
        for p in range(players - 1, -1, -1):
            out[begin[p] + digit[p]] += cells[p, cell] * before[p] * after
            after *= mixed[begin[p] + digit[p]]
        for p in range(players - 1, -1, -1):
            digit[p] += 1
            if digit[p] < begin[p + 1] - begin[p]:
                break
            digit[p] = 0


@owning
def slopes(cells: Floats, begin: Longs, mixed: Floats, out: Floats) -> None:
    """Write the table of derivatives, [actions, actions]; a player's own block is 0."""
    players = cells.shape[0]
    digit = np.zeros(players, np.int64)
    last = begin[players] - begin[players - 1]
    out[:] = 0.0
    for row in range(cells.shape[1] // last):
        base = row * last
        for p in range(players - 1):
            a = begin[p] + digit[p]
            rest = 1.0  # the product over everybody but p and the last player
            for r in range(players - 1):
                if r != p:
                    rest *= mixed[begin[r] + digit[r]]
            if rest != 0.0:
                for k in range(last):
                    b = begin[players - 1] + k
                    out[a, b] += cells[p, base + k] * rest
                    out[b, a] += cells[players - 1, base + k] * rest
            for q in range(p + 1, players - 1):
                b = begin[q] + digit[q]
                rest = 1.0
                for r in range(players - 1):
                    if r not in (p, q):
                        rest *= mixed[begin[r] + digit[r]]
                if rest != 0.0:
                    mine, theirs = 0.0, 0.0
                    for k in range(last):
                        weight = mixed[begin[players - 1] + k]
                        mine += cells[p, base + k] * weight
                        theirs += cells[q, base + k] * weight
                    out[a, b] += mine * rest
                    out[b, a] += theirs * rest
        for p in range(players - 2, -1, -1):
            digit[p] += 1
            if digit[p] < begin[p + 1] - begin[p]:
                break
            digit[p] = 0
