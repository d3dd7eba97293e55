"""Flop hold'em: limit hold'em that ends after the betting on the flop.

N. Brown, A. Lerer, S. Gross and T. Sandholm (2019), Deep counterfactual regret minimization. Player 0 puts in the big
blind, player 1 the small blind. Both get two private cards; player 1 acts first. Then three cards are dealt to the
table, player 0 acts first, and the best five cards win.
"""

from __future__ import annotations

from hannan.arguments import whole
from hannan.arrays import Ints, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry
from hannan.games.holdem.betting import IP, OOP, UNLIMITED, Betting
from hannan.games.holdem.cards import COMBOS, Deck
from hannan.games.holdem.dealt import DealtRules
from hannan.games.holdem.evaluation import strengths
from hannan.rules.public import Cards

MOST_CHIPS = 1_000_000
MOST_RAISES = 100
FLOP = 3


class FlopHoldemRules(DealtRules):
    """Two private cards for each player, three cards on the table, two rounds of fixed-limit betting."""

    name = "flop_holdem"

    def __init__(self, deck: Deck, betting: Betting) -> None:
        hands = COMBOS[deck.hands]
        even = [1.0] * len(hands)
        super().__init__(deck, (hands, hands), (even, even), betting, street_cards=FLOP)

    def judged(self, table: Cards, hands: Longs) -> Ints:
        return strengths(table, hands)


def flop_holdem(
    ranks: int = 13, suits: int = 4, small_blind: int = 50, big_blind: int = 100, bet: int = 100, most_raises: int = 3
) -> FlopHoldemRules:
    """Build the rules."""
    deck = Deck(ranks, suits)
    if len(deck.cards) < 2 + 2 + FLOP:
        raise ParameterError(f"a deck of {ranks} ranks and {suits} suits has {len(deck.cards)} cards; 7 are needed")
    for name, chips in (("small_blind", small_blind), ("big_blind", big_blind), ("bet", bet)):
        whole(name, chips, 1, MOST_CHIPS)
    whole("most_raises", most_raises, 0, MOST_RAISES)
    if small_blind >= big_blind:
        raise ParameterError(f"small_blind={small_blind} should be less than big_blind={big_blind}")
    betting = Betting(
        pot=0,
        stack=UNLIMITED,
        streets=("preflop", "flop"),
        limits=(bet, bet),
        most_raises=most_raises,
        blinds=(big_blind, small_blind),
        first=(IP, OOP),
    )
    return FlopHoldemRules(deck, betting)


ENTRY = Entry(
    name="flop_holdem",
    make=flop_holdem,
    summary="limit hold'em that ends after the betting on the flop",
    source="N. Brown, A. Lerer, S. Gross and T. Sandholm (2019), Deep counterfactual regret minimization",
    parameters={
        "ranks": "the highest ranks of the deck",
        "suits": "the first suits of the deck, of c, d, h and s",
        "small_blind": "chips of player 1, who acts first before the flop",
        "big_blind": "chips of player 0",
        "bet": "the size of every bet and raise",
        "most_raises": "the most raises of a round after its first bet; the big blind counts as a bet",
    },
)
