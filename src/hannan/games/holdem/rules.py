"""Heads-up hold'em from a spot on: the hands of two ranges, betting, and the cards that are still to come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hannan.arrays import Ints, Longs
from hannan.games.holdem.cards import CARDS, COMBOS, HANDS, card_text, hand_text
from hannan.games.holdem.evaluation import strengths
from hannan.games.holdem.spot import Spot
from hannan.games.holdem.table import BettingRules, suit_changes
from hannan.rules.public import Cards, Mirror

MOST_BOARDS = 4096
"""The most boards whose strengths are kept; a flop has 1,176 boards of five cards."""


class HoldemRules(BettingRules):
    """The rules of a spot: types are hands, outcomes are single cards, gains are chips.

    Parameters
    ----------
    spot
        Board, ranges, chips and bet sizes.
    """

    name = "holdem"

    def __init__(self, spot: Spot) -> None:
        super().__init__(spot.betting, spot.rake, spot.rake_cap)
        self.spot = spot
        self._hands = tuple(COMBOS[spot.hands(player)] for player in (0, 1))  # [hands, 2] for each player
        self._types = tuple([hand_text((a, b)) for a, b in hands.tolist()] for hands in self._hands)
        self._strengths: dict[Cards, tuple[Ints, Ints]] = {}
        self._mirrors: dict[Cards, list[Mirror]] = {}

    def types(self, player: int) -> Sequence[str]:
        return self._types[player]

    def weights(self, player: int) -> Sequence[float]:
        weights: list[float] = self.spot.weights[player][self.spot.hands(player)].tolist()
        return weights

    def cards(self, player: int) -> Sequence[Cards]:
        return [(a, b) for a, b in self._hands[player].tolist()]

    def outcomes(self, board: Cards) -> Sequence[tuple[int, float]]:
        gone = {*self.spot.cards, *board}
        left = [card for card in self.spot.deck.cards if card not in gone]
        return [(card, 1 / (len(left) - 4)) for card in left]

    def outcome_cards(self, outcome: int) -> Cards:
        return (outcome,)

    def strengths(self, board: Cards, player: int) -> Ints:
        """Return the strength of each hand, [types]; -1 for a hand that holds a card of the board."""
        table = tuple(sorted(board))
        if table not in self._strengths:
            if len(self._strengths) >= MOST_BOARDS:
                self._strengths.clear()
            first, second = (strengths((*self.spot.cards, *table), hands) for hands in self._hands)
            self._strengths[table] = first, second
        return self._strengths[table][player]

    def mirrors(self, board: Cards) -> Sequence[Mirror]:
        """Return the changes of suits that keep the board of the spot, every card dealt since, and both ranges."""
        if board not in self._mirrors:
            self._mirrors[board] = [
                mirror for change, mirror in self._symmetries if all(change[card] == card for card in board)
            ]
        return self._mirrors[board]

    @cached_property
    def _symmetries(self) -> list[tuple[Longs, Mirror]]:
        """The changes of suits that keep the board and the ranges of the spot."""
        spot = self.spot
        table = np.isin(np.arange(CARDS), spot.cards)
        free = [card for card in spot.deck.cards if card not in spot.cards]
        places = [np.full(HANDS, -1) for _ in (0, 1)]
        for player in (0, 1):
            places[player][spot.hands(player)] = np.arange(len(self._hands[player]))
        found = []
        for change in suit_changes(spot.suits):
            if not table[change[list(spot.cards)]].all():
                continue
            changed = np.sort(change[COMBOS], axis=1)
            hands = changed[:, 0] * (103 - changed[:, 0]) // 2 + changed[:, 1] - changed[:, 0] - 1
            if all((spot.weights[p][hands] == spot.weights[p]).all() for p in (0, 1)):
                types = [places[p][hands[spot.hands(p)]].tolist() for p in (0, 1)]
                found.append((change, Mirror({card: int(change[card]) for card in free}, (types[0], types[1]))))
        return found

    def shown_cards(self, board: Cards) -> list[str]:
        return [card_text(card) for card in (*self.spot.cards, *board)]
