"""One visit to a node of compiled rules: what walks ask there, and every promise, checked once for all of them.

A walk asks as much as it needs: who moves, what was gained, what chance or each mover may do, what a mover sees. Each
kernel asks one question and returns a status first. `BROKEN` says that the answer breaks a promise, and not which one:
`hannan.rules.promises` finds the sentence, by asking the same functions about the same state as ordinary Python. So a
new promise is a check here and a sentence there.

here: the address of the state; `out`, `codes` and `odds` are addresses, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.kernels import inlined, kernel
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import BROKEN, DONE, TOO_WIDE
from hannan.turns import CHANCE, END, MOST_GAIN, NO_MOVERS, UNSEEN

LONG = 256
"""Codes beyond which a list is only looked at in order: `hannan.check_game` compares all."""

SHORT = 16
"""Codes below which a loop that ends early is quicker than one over vectors."""

CLOSE = 1e-9
"""How far from 1 the probabilities of chance may sum."""


@inlined
def ask_turn(book: Book, here: Any, players: int) -> tuple[int, int]:
    """Return a status, and who moves: END, NO_MOVERS where chance does, or players as bits."""
    turned = book.turn(book.table, here)
    if turned == CHANCE:
        turned = NO_MOVERS
    return BROKEN if turned < END or turned >> players > 0 else DONE, turned


@inlined
def ask_gains(book: Book, here: Any, players: int, out: Any) -> tuple[int, bool]:
    """Write what each player gains on reaching the state; return a status, and whether any player gains."""
    for p in range(players):
        if out[p] != 0.0:  # a test, because a loop of stores becomes a call that takes longer
            out[p] = 0.0
    book.gains(book.table, here, out)
    gainful = False
    for p in range(players):
        if out[p] != 0.0:
            gainful = True
            if not abs(out[p]) <= MOST_GAIN:
                return BROKEN, True
    return DONE, gainful


@inlined
def ask_chance(book: Book, here: Any, width: int, codes: Any, odds: Any) -> tuple[int, int, bool]:
    """Return a status, the number of outcomes, and whether all of them are equally probable."""
    count = book.chance(book.table, here, codes, odds)
    if count < 1 or count > width:
        return BROKEN if count < 1 else TOO_WIDE, count, False
    first, alike = odds[0], 1
    while alike < count and odds[alike] == first:
        alike += 1
    if alike == count:
        return DONE if abs(count * first - 1.0) < CLOSE else BROKEN, count, True
    whole = 0.0
    for k in range(count):
        whole += odds[k]
        if not odds[k] >= 0.0:
            return BROKEN, count, False
    return DONE if abs(whole - 1.0) < CLOSE else BROKEN, count, False


@inlined
def ask_actions(book: Book, here: Any, player: int, width: int, codes: Any, compared: bool = True) -> tuple[int, int]:
    """Return a status, and how many actions a mover has.

    compared: whether an action that is listed twice is looked for. A walk for which that takes long may look now and
    then.
    """
    count = book.actions(book.table, here, player, codes)
    if count < 1 or count > width:
        return BROKEN if count < 1 else TOO_WIDE, count
    return BROKEN if compared and repeated(codes, count) else DONE, count


@inlined
def repeated(codes: Any, count: int) -> bool:
    """Return whether a code is listed twice; where codes ascend, which is usual, one look at each says that none is."""
    if count < SHORT:
        place = 1
        while place < count and codes[place] > codes[place - 1]:
            place += 1
        ascending = place >= count
    else:
        ascending = True
        for k in range(1, count):  # which the compiler makes vectors of
            ascending &= codes[k] > codes[k - 1]
    if ascending or count > LONG:
        return False
    for k in range(1, count):
        for j in range(k):
            if codes[j] == codes[k]:
                return True
    return False


@inlined
def ask_observation(book: Book, here: Any, player: int) -> tuple[int, int]:
    """Return a status, and what a mover sees."""
    seen = book.observe(book.table, here, player)
    return BROKEN if seen == UNSEEN else DONE, seen


@inlined
def ask_bounds(bounds: Any, book: Book, here: Any, players: int, out: Any) -> int:
    """Write the least and the most that each player can still gain; return a status.

    From minus infinity to infinity for every player: the rules do not say.
    """
    bounds(book.table, here, out)
    sound = True
    for p in range(players):
        low, high = out[2 * p], out[2 * p + 1]
        sound &= (low <= high) & (high - low < np.inf)
    return DONE if sound else _doubted_bounds(players, out)


@kernel
def _doubted_bounds(players: int, out: Any) -> int:
    """Return a status for bounds that are not all close to each other: a call, because there are seldom any."""
    unknown = True
    for p in range(players):
        unknown &= out[2 * p] == -np.inf and out[2 * p + 1] == np.inf
    return DONE if unknown else judge_bounds(players, out)


@inlined
def judge_bounds(players: int, out: Any) -> int:
    """Return a status for bounds that were written."""
    for p in range(players):
        low, high = out[2 * p], out[2 * p + 1]
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            return BROKEN
    return DONE


@inlined
def ask_position(position: Any, book: Book, here: Any, most: int, out: Any) -> tuple[int, int]:
    """Return a status, and how many words of a position were written."""
    words = position(book.table, here, out)
    return BROKEN if words < 0 or words > most else DONE, words
