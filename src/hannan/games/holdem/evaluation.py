"""Strengths of hands: whole numbers; higher is better, and equal hands have equal numbers.

Decks with fewer ranks or suits use the same classes. An ace is also low in a straight (A-2-3-4-5); small decks lack the
low ranks and have no such straight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.errors import ParameterError
from hannan.kernels.poker import hands

CLASSES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""Names of the classes of hands, weakest first."""

THREE_CARD_CLASSES = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")
"""Names of the classes of three cards, weakest first: J. Shi and M. Littman (2001), Rhode Island hold'em."""

FIVE_CARD_HANDS = 2_598_960


def _rows(cards: object, name: str) -> Longs:
    rows = np.ascontiguousarray(cards, np.int64)
    if rows.ndim != 2:
        raise ParameterError(f"{name} has shape {rows.shape}; expected one row of cards per hand")
    return rows


def strengths(board: Sequence[int], combos: Longs) -> Ints:
    """Return the strength of every pair of private cards with the cards of a board.

    Parameters
    ----------
    board
        Zero to five different cards. With fewer than five cards in all, only equal ranks count.
    combos
        Private cards, one row of two per hand.

    Returns
    -------
    Ints
        One strength per row; -1 for a hand that holds a card of the board.
    """
    rows = _rows(combos, "combos")
    out = np.empty(len(rows), np.int32)
    hands.board_strengths(np.array(board, np.int64), rows, out)
    return out


def hand_strengths(cards: Longs) -> Ints:
    """Return the strength of the best five cards of each row of five, six or seven different cards."""
    rows = _rows(cards, "cards")
    if not 5 <= rows.shape[1] <= 7:
        raise ParameterError(f"a hand has {rows.shape[1]} cards; expected 5, 6 or 7")
    out = np.empty(len(rows), np.int32)
    hands.hand_strengths(rows, out)
    return out


def three_card_strengths(cards: Longs) -> Ints:
    """Return the strength of each row of three different cards, as in Rhode Island hold'em.

    From the best: straight flush, three of a kind, straight, flush, pair, high card. Compare these numbers only with
    each other.
    """
    rows = _rows(cards, "cards")
    if rows.shape[1] != 3:
        raise ParameterError(f"a hand has {rows.shape[1]} cards; expected 3")
    out = np.empty(len(rows), np.int32)
    hands.three_strengths(rows, out)
    return out


def class_name(strength: int) -> str:
    """Return the name of the class of a strength of five or more cards."""
    return CLASSES[strength >> hands.CLASS_SHIFT]


def three_card_class_name(strength: int) -> str:
    """Return the name of the class of a strength of three cards."""
    return THREE_CARD_CLASSES[strength >> hands.CLASS_SHIFT]


def five_card_counts() -> tuple[dict[str, int], int]:
    """Return the number of five-card hands of each class, and the number of different strengths."""
    counts = np.zeros(len(CLASSES), np.int64)
    out = np.empty(FIVE_CARD_HANDS, np.int32)
    hands.five_card_classes(counts, out)
    return dict(zip(CLASSES, counts.tolist(), strict=True)), len(np.unique(out))


def seven_card_counts() -> dict[str, int]:
    """Return the number of seven-card hands of each class, all 133,784,560 of them."""
    counts = np.zeros(len(CLASSES), np.int64)
    hands.seven_card_classes(counts)
    return dict(zip(CLASSES, counts.tolist(), strict=True))
