"""Rhode Island hold'em.

J. Shi and M. Littman (2001), Abstraction methods for game theoretic poker; solved by A. Gilpin and T. Sandholm (2007),
Lossless abstraction of imperfect information games. Each player antes 5 and gets one private card. Then follow a round
with bets of 10, a card on the table, a round with bets of 20, another card, and another round with bets of 20. Each
round has at most three bets; the paper calls all three raises. The best three cards win.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import whole
from hannan.arrays import Ints, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry
from hannan.games.holdem.betting import UNLIMITED, Betting
from hannan.games.holdem.cards import Deck
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.evaluation import three_card_strengths
from hannan.rules.public import Cards

STREETS = ("preflop", "flop", "turn")
MOST_CHIPS = 1_000_000
MOST_RAISES = 20


class RhodeIslandRules(DealtRules):
    """One private card for each player, two cards on the table, three rounds of fixed-limit betting."""

    name = "rhode_island"

    def __init__(self, deck: Deck, betting: Betting) -> None:
        cards = np.array(deck.cards)[:, None]
        even = [1.0] * len(cards)
        super().__init__(deck, (cards, cards), (even, even), betting)

    def judged(self, table: Cards, hands: Longs) -> Ints:
        shared = np.broadcast_to(np.array(table), (len(hands), 2))
        return three_card_strengths(np.concatenate((hands, shared), axis=1))


def rhode_island(
    ranks: int = 13, suits: int = 4, ante: int = 5, first_bet: int = 10, later_bet: int = 20, most_raises: int = 2
) -> RhodeIslandRules:
    """Build the rules."""
    deck = Deck(ranks, suits)
    if len(deck.cards) < 4:
        raise ParameterError(f"a deck of {ranks} ranks and {suits} suits has {len(deck.cards)} cards; 4 are needed")
    for name, chips in (("ante", ante), ("first_bet", first_bet), ("later_bet", later_bet)):
        whole(name, chips, 1, MOST_CHIPS)
    whole("most_raises", most_raises, 0, MOST_RAISES)
    betting = Betting(
        pot=0,
        stack=UNLIMITED,
        streets=STREETS,
        limits=(first_bet, later_bet, later_bet),
        most_raises=most_raises,
        ante=ante,
    )
    betting.counts()  # refuses a tree that is too large
    return RhodeIslandRules(deck, betting)


ENTRY = Entry(
    name="rhode_island",
    make=rhode_island,
    summary="one private card each, two on the table, three rounds of fixed-limit betting",
    source="J. Shi and M. Littman (2001), Abstraction methods for game theoretic poker",
    parameters={
        "ranks": "the highest ranks of the deck",
        "suits": "the first suits of the deck, of c, d, h and s",
        "ante": "chips that each player pays before the deal",
        "first_bet": "the bet of the first round",
        "later_bet": "the bet of the second and third round",
        "most_raises": "the most raises of a round after its first bet",
    },
)
