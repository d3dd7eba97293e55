"""Betting games with cards of one deck: private hands, cards that are dealt to the table, and symmetries of suits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, permutations
from math import comb

from hannan.arrays import Ints, Longs
from hannan.games.holdem.betting import Betting
from hannan.games.holdem.cards import Deck, cards_text
from hannan.games.holdem.chips import BettingRules
from hannan.rules.public import Cards, Mirror

MOST_BOARDS = 4096
"""The most boards whose strengths are kept in memory: a flop has 1,176 boards of five cards."""

SUITS = 4


class DealtRules(BettingRules):
    """Rules of a betting game whose types are cards of a deck. Subclasses define the strength of hands.

    Parameters
    ----------
    deck
        The deck.
    hands
        The cards of each type, for each player: [types, cards of a hand].
    weights
        The weight of each type in the deal, for each player.
    betting, rake, rake_cap
        As in `BettingRules`.
    table
        Cards that lie on the table from the start.
    street_cards
        The number of cards that are dealt to the table between two streets. An outcome is a card, or a tuple of
        several cards in ascending order.
    """

    def __init__(
        self,
        deck: Deck,
        hands: tuple[Longs, Longs],
        weights: tuple[Sequence[float], Sequence[float]],
        betting: Betting,
        rake: float = 0.0,
        rake_cap: float | None = None,
        table: Cards = (),
        street_cards: int = 1,
    ) -> None:
        super().__init__(betting, rake, rake_cap)
        self.deck, self.hands, self.table, self.street_cards = deck, hands, table, street_cards
        self._weights = weights
        self._cards = tuple([tuple(hand) for hand in held.tolist()] for held in hands)
        self._types = tuple([cards_text(hand[::-1]) for hand in held] for held in self._cards)
        self._strengths: dict[Cards, tuple[Ints, Ints]] = {}
        self._kept: dict[tuple[int | Cards, ...], list[Mirror]] = {}

    @abstractmethod
    def judged(self, table: Cards, hands: Longs) -> Ints:
        """Return the strength of each hand, [types], with the cards on the table; any number if they share a card."""

    def types(self, player: int) -> Sequence[str]:
        return self._types[player]

    def weights(self, player: int) -> Sequence[float]:
        return self._weights[player]

    def cards(self, player: int) -> Sequence[Cards]:
        return self._cards[player]

    def outcomes(self, board: tuple[int | Cards, ...]) -> Sequence[tuple[int | Cards, float]]:
        gone = self.on_table(board)
        left = [card for card in self.deck.cards if card not in gone]
        private = self.hands[0].shape[1] + self.hands[1].shape[1]
        if len(left) - private < self.street_cards:
            return []
        odds = 1 / comb(len(left) - private, self.street_cards)
        if self.street_cards == 1:
            return [(card, odds) for card in left]
        return [(cards, odds) for cards in combinations(left, self.street_cards)]

    def outcome_cards(self, outcome: int | Cards) -> Cards:
        return outcome if isinstance(outcome, tuple) else (outcome,)

    def outcome_text(self, outcome: int | Cards) -> str:
        return cards_text(self.outcome_cards(outcome))

    def on_table(self, board: tuple[int | Cards, ...]) -> Cards:
        """Return all cards on the table: first the starting cards, then the cards dealt since."""
        return (*self.table, *(card for outcome in board for card in self.outcome_cards(outcome)))

    def table_text(self, board: tuple[int | Cards, ...]) -> str:
        return cards_text(self.on_table(board))

    def strengths(self, board: tuple[int | Cards, ...], player: int) -> Ints:
        """Return the strength of each type, [types]; any number for types with a card of the board."""
        table = tuple(sorted(self.on_table(board)))
        if table not in self._strengths:
            if len(self._strengths) >= MOST_BOARDS:
                self._strengths.clear()
            self._strengths[table] = self.judged(table, self.hands[0]), self.judged(table, self.hands[1])
        return self._strengths[table][player]

    def mirrors(self, board: tuple[int | Cards, ...]) -> Sequence[Mirror]:
        """Return the permutations of suits that keep the starting cards, each outcome since, and the types' weights."""
        if board not in self._kept:
            symmetries = self._symmetries
            self._kept[board] = [m for m in symmetries if all(m.outcomes[outcome] == outcome for outcome in board)]
        return self._kept[board]

    @cached_property
    def _symmetries(self) -> list[Mirror]:
        """The permutations of suits that keep the starting cards and the types' weights."""
        found = []
        places = [{hand: place for place, hand in enumerate(held)} for held in self._cards]
        outcomes = [outcome for outcome, _ in self.outcomes(())]
        for change in _changes(self.deck.suits):
            if set(_changed(change, self.table)) != set(self.table):
                continue
            types = [[places[p].get(_changed(change, hand), -1) for hand in self._cards[p]] for p in (0, 1)]
            if all(
                j >= 0 and self._weights[p][j] == self._weights[p][i] for p in (0, 1) for i, j in enumerate(types[p])
            ):
                onto: dict[Hashable, Hashable] = {
                    outcome: _changed(change, outcome) if isinstance(outcome, tuple) else change[outcome]
                    for outcome in outcomes
                }
                found.append(Mirror(onto, (types[0], types[1])))
        return found


def _changes(suits: int) -> Iterator[list[int]]:
    """Yield, for each permutation of the first `suits` suits but the identity, the image of each card."""
    for order in permutations(range(suits)):
        to = [*order, *range(suits, SUITS)]
        if to != sorted(to):
            yield [card - card % SUITS + to[card % SUITS] for card in range(13 * SUITS)]


def _changed(change: list[int], cards: Cards) -> Cards:
    """Return the images of several cards under a permutation of suits, ascending."""
    return tuple(sorted(change[card] for card in cards))
