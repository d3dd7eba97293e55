"""Cards, decks, and hands of two cards.

A card is a number from 0 to 51: rank * 4 + suit, with rank 0 = '2' to 12 = 'A' and suits 0 to 3 = 'cdhs'. A hand is an
unordered pair of cards. The 1326 hands have one order: by the lower card, then by the higher one.

A smaller deck keeps these numbers: it holds the *highest* `ranks` ranks (6 ranks: 9, T, J, Q, K, A) in the first
`suits` suits (2 suits: c and d). Arrays over hands always have 1326 places.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hannan.arguments import text as as_text
from hannan.arguments import whole
from hannan.arrays import Bools, Longs, frozen
from hannan.errors import ParameterError

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARDS: Final = 52
HANDS: Final = 1326


@dataclass(frozen=True)
class Deck:
    """A deck of the highest `ranks` ranks in the first `suits` suits of 'cdhs'."""

    ranks: int = 13
    suits: int = 4

    def __post_init__(self) -> None:
        whole("ranks", self.ranks, 1, 13)
        whole("suits", self.suits, 1, 4)

    @property
    def rank_letters(self) -> str:
        """Letters of the ranks, lowest first."""
        return RANKS[-self.ranks :]

    @property
    def suit_letters(self) -> str:
        """Letters of the suits."""
        return SUITS[: self.suits]

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The cards, ascending."""
        return tuple(card for card in range(CARDS) if self.holds(card))

    @cached_property
    def hands(self) -> Bools:
        """Which of the 1326 hands the deck holds."""
        inside = np.array([self.holds(card) for card in range(CARDS)])
        result: Bools = inside[COMBOS[:, 0]] & inside[COMBOS[:, 1]]
        frozen(result)
        return result

    def holds(self, card: int) -> bool:
        """Return whether the deck has a card."""
        return card >> 2 >= 13 - self.ranks and card & 3 < self.suits


FULL: Final = Deck()


def _combos() -> Longs:
    combos = np.stack(np.triu_indices(CARDS, 1), axis=1).astype(np.int64)
    frozen(combos)
    return combos


COMBOS: Final = _combos()
"""All hands in their order, (1326, 2): the lower card, then the higher one."""


def hand_index(a: int, b: int) -> int:
    """Return the place of a hand of two different cards, in any order, among the 1326."""
    low, high = (a, b) if a < b else (b, a)
    return low * (103 - low) // 2 + high - low - 1


def card_text(card: int) -> str:
    """Return a card as text, such as 'Td'."""
    return RANKS[card >> 2] + SUITS[card & 3]


def cards_text(cards: tuple[int, ...]) -> str:
    """Return cards as text, such as 'Td9d6h'."""
    return "".join(map(card_text, cards))


def hand_text(hand: tuple[int, int]) -> str:
    """Return a hand as text with the higher card first, such as 'AsKd'."""
    a, b = hand
    return card_text(max(a, b)) + card_text(min(a, b))


def group_of(a: int, b: int) -> str:
    """Return the group of a hand: 'AKs' (suited), 'AKo' (offsuit) or 'TT'."""
    low, high = sorted((a >> 2, b >> 2))
    if low == high:
        return RANKS[high] * 2
    return RANKS[high] + RANKS[low] + ("s" if a & 3 == b & 3 else "o")


def letters(allowed: str) -> str:
    """Return letters as a list in a sentence: 'c, d, h or s'."""
    return allowed if len(allowed) == 1 else f"{', '.join(allowed[:-1])} or {allowed[-1]}"


def misread(what: str, text: str, place: int, problem: str) -> ParameterError:
    """Return the error for a text that cannot be read; `place` counts its characters from 0."""
    return ParameterError(f"{what} {text!r}: character {place + 1}: {problem}")


def rank_at(what: str, text: str, place: int, deck: Deck) -> int:
    """Return the rank that a character names; refuse any other character."""
    letter = text[place : place + 1]
    known = deck.rank_letters[::-1]
    if not letter:
        raise misread(what, text, place, f"the text ends; expected a rank ({letters(known)})")
    if letter.upper() not in known:
        kind = "no rank of this deck" if letter.upper() in RANKS else "no rank"
        ten = "; T is the ten" if letter == "1" else ""
        raise misread(what, text, place, f"{letter!r} is {kind}; expected {letters(known)}{ten}")
    return RANKS.index(letter.upper())


def suit_at(what: str, text: str, place: int, deck: Deck) -> int:
    """Return the suit that a character names; refuse any other character."""
    letter = text[place : place + 1]
    known = deck.suit_letters
    if not letter:
        raise misread(what, text, place, f"the text ends; expected a suit ({letters(known)})")
    if letter.lower() not in known:
        kind = "no suit of this deck" if letter.lower() in SUITS else "no suit"
        raise misread(what, text, place, f"{letter!r} is {kind}; expected {letters(known)}")
    return SUITS.index(letter.lower())


def parse_cards(text: str, what: str = "board", deck: Deck = FULL) -> tuple[int, ...]:
    """Return the cards that a text names, in its order.

    Parameters
    ----------
    text
        Cards such as 'Td9d6h'. Spaces and commas between cards are skipped; letters may be of either case.
    what
        What the text is, for the error message.
    deck
        The deck from which the cards come.

    Raises
    ------
    ParameterError
        If a character is not a rank or a suit, or a card occurs twice. The message gives the position.
    """
    as_text(what, text)
    cards: list[int] = []
    place = 0
    while place < len(text):
        if text[place] in " ,\t\n":
            place += 1
            continue
        card = rank_at(what, text, place, deck) * 4 + suit_at(what, text, place + 1, deck)
        if card in cards:
            raise misread(what, text, place, f"the card {card_text(card)} occurs twice")
        cards.append(card)
        place += 2
    return tuple(cards)
