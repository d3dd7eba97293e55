"""The strength of a poker hand: one whole number, higher is better, equal hands are equal.

A card is rank * 4 + suit. A hand is four masks of 13 bits, the ranks it holds in each suit. A strength is
class << 26 | first << 13 | second, where `first` and `second` are masks of ranks: what makes the class, then what
decides between equals of it. Of two masks with the same number of bits, the larger number has the higher ranks.
"""

from __future__ import annotations

from hannan.arrays import Ints, Longs
from hannan.kernels import inlined, kernel

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH = range(9)
CLASS_SHIFT, FIRST_SHIFT = 26, 13

THREE_HIGH, THREE_PAIR, THREE_FLUSH, THREE_STRAIGHT, THREE_EQUAL, THREE_STRAIGHT_FLUSH = range(6)
"""Classes of hands of three cards, in the order of Rhode Island hold'em."""

BLOCKED = -1
"""The strength of a hand that holds a card of the board."""


@inlined
def bits(mask: int) -> int:
    """Return the number of bits of a mask of at most 16."""
    mask = mask - ((mask >> 1) & 0x5555)
    mask = (mask & 0x3333) + ((mask >> 2) & 0x3333)
    mask = (mask + (mask >> 4)) & 0x0F0F
    return (mask + (mask >> 8)) & 0x1F


@inlined
def top(mask: int) -> int:
    """Return the highest bit of a mask of at most 16, alone; 0 for 0."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    return mask - (mask >> 1)


@inlined
def highest(mask: int, count: int) -> int:
    """Return the highest `count` bits of a mask, or all of them if there are fewer."""
    for _ in range(bits(mask) - count):
        mask &= mask - 1
    return mask


@inlined
def straight(mask: int) -> int:
    """Return the top rank of the best five in a row as a bit, shifted by 1; or 0. An ace is low, too."""
    low = (mask << 1) | (mask >> 12)
    return top(low & (low << 1) & (low << 2) & (low << 3) & (low << 4))


@inlined
def strength_of(clubs: int, diamonds: int, hearts: int, spades: int) -> int:
    """Return the strength of the best five of at most seven cards; with fewer than five, equal ranks alone count."""
    flush = 0
    if bits(clubs) >= 5:
        flush = clubs
    elif bits(diamonds) >= 5:
        flush = diamonds
    elif bits(hearts) >= 5:
        flush = hearts
    elif bits(spades) >= 5:
        flush = spades
    if flush:
        run = straight(flush)
        if run:
            return (STRAIGHT_FLUSH << CLASS_SHIFT) | run
        return (FLUSH << CLASS_SHIFT) | highest(flush, 5)  # seven cards with a flush hold no full house and no four
    held = clubs | diamonds | hearts | spades
    many = (clubs & diamonds) | (hearts & spades) | ((clubs | diamonds) & (hearts | spades))
    if many == 0:
        run = straight(held)
        return (STRAIGHT << CLASS_SHIFT) | run if run else (HIGH_CARD << CLASS_SHIFT) | highest(held, 5)
    four = clubs & diamonds & hearts & spades
    if four:
        return (FOUR << CLASS_SHIFT) | (four << FIRST_SHIFT) | top(held ^ four)
    three = many & (clubs ^ diamonds ^ hearts ^ spades)  # an odd number of at least two
    if three:
        best = top(three)
        rest = top(many ^ best)
        if rest:
            return (FULL_HOUSE << CLASS_SHIFT) | (best << FIRST_SHIFT) | rest
    run = straight(held)
    if run:
        return (STRAIGHT << CLASS_SHIFT) | run
    if three:
        return (THREE << CLASS_SHIFT) | (three << FIRST_SHIFT) | highest(held ^ three, 2)
    best = highest(many, 2)
    if best & (best - 1):
        return (TWO_PAIR << CLASS_SHIFT) | (best << FIRST_SHIFT) | top(held ^ best)
    return (PAIR << CLASS_SHIFT) | (many << FIRST_SHIFT) | highest(held ^ many, 3)


@inlined
def three_strength_of(a: int, b: int, c: int) -> int:
    """Return the strength of three cards: straight flush, three of a kind, straight, flush, pair, high card."""
    x, y, z = 1 << (a >> 2), 1 << (b >> 2), 1 << (c >> 2)
    held = x | y | z
    if x == y and y == z:
        return (THREE_EQUAL << CLASS_SHIFT) | held
    if (x & y) | (y & z) | (x & z):
        pair = (x & y) | (y & z) | (x & z)
        return (THREE_PAIR << CLASS_SHIFT) | (pair << FIRST_SHIFT) | (held ^ pair)
    low = (held << 1) | (held >> 12)
    run = top(low & (low << 1) & (low << 2))
    suited = (a & 3) == (b & 3) and (b & 3) == (c & 3)
    if run:
        return ((THREE_STRAIGHT_FLUSH if suited else THREE_STRAIGHT) << CLASS_SHIFT) | run
    return ((THREE_FLUSH if suited else THREE_HIGH) << CLASS_SHIFT) | held


@inlined
def suit_of(cards: int, suit: int) -> int:
    """Return the ranks of one suit in a set of cards that is four masks of 16 bits, one after another."""
    return (cards >> (16 * suit)) & 0x1FFF


@inlined
def packed(card: int) -> int:
    """Return a card as a bit of four masks of 16."""
    return 1 << (16 * (card & 3) + (card >> 2))


@inlined
def strength_packed(cards: int) -> int:
    """Return the strength of a set of cards that is four masks of 16 bits."""
    return strength_of(suit_of(cards, 0), suit_of(cards, 1), suit_of(cards, 2), suit_of(cards, 3))


@kernel
def hand_strengths(hands: Longs, out: Ints) -> None:
    """Write the strength of each row of cards into `out`."""
    for row in range(hands.shape[0]):
        cards = 0
        for column in range(hands.shape[1]):
            cards |= packed(hands[row, column])
        out[row] = strength_packed(cards)


@kernel
def board_strengths(board: Longs, combos: Longs, out: Ints) -> None:
    """Write the strength of each pair of cards with the board into `out`; `BLOCKED` if they share a card."""
    shared = 0
    for card in board:
        shared |= packed(card)
    for row in range(combos.shape[0]):
        own = packed(combos[row, 0]) | packed(combos[row, 1])
        out[row] = BLOCKED if own & shared else strength_packed(own | shared)


@kernel
def three_strengths(hands: Longs, out: Ints) -> None:
    """Write the strength of each row of three cards into `out`."""
    for row in range(hands.shape[0]):
        out[row] = three_strength_of(hands[row, 0], hands[row, 1], hands[row, 2])


@kernel
def five_card_classes(counts: Longs, out: Ints) -> None:
    """Count the classes of all hands of five cards of the full deck; write the strength of each into `out`."""
    row = 0
    for a in range(52):
        for b in range(a):
            two = packed(a) | packed(b)
            for c in range(b):
                three = two | packed(c)
                for d in range(c):
                    four = three | packed(d)
                    for e in range(d):
                        strength = strength_packed(four | packed(e))
                        counts[strength >> CLASS_SHIFT] += 1
                        out[row] = strength
                        row += 1


@kernel
def seven_card_classes(counts: Longs) -> None:
    """Count the classes of all hands of seven cards of the full deck."""
    for a in range(52):
        for b in range(a):
            two = packed(a) | packed(b)
            for c in range(b):
                three = two | packed(c)
                for d in range(c):
                    four = three | packed(d)
                    for e in range(d):
                        five = four | packed(e)
                        for f in range(e):
                            six = five | packed(f)
                            for g in range(f):
                                counts[strength_packed(six | packed(g)) >> CLASS_SHIFT] += 1
