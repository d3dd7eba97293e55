"""Leduc poker as plain-Python rules: what anyone writes for a game of their own.

    hannan solve examples/leduc.py:Leduc

Six cards, two of each rank. Both players ante 1 and get a card; a round of betting in which a raise adds 2; a board
card for all; a round in which a raise adds 4. Two raises a round at most. A pair with the board wins, then the higher
card; equals share the pot. It is the built-in `leduc_poker`: the same histories, sets and payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import hannan as hn

CHOICES = {"": "cr", "c": "cr", "r": "fcr", "cr": "fcr", "rr": "fc", "crr": "fc"}
"""What may be done (fold, call or check, raise) in a round that has gone so far; all other rounds are over."""


class State(NamedTuple):
    """Cards (player 0's, player 1's, the board's) and what was done in the two rounds, a letter an action."""

    cards: tuple[int, ...] = ()
    first: str = ""
    second: str = ""


class Leduc(hn.Rules):
    """Cards are 0 to 5; the rank of a card is half its number."""

    name = "leduc"

    def start(self) -> State:
        return State()

    def turn(self, state: State) -> int:
        cards, first, second = state
        if len(cards) < 2:
            return hn.CHANCE
        if first in CHOICES:
            return len(first) % 2
        if first[-1] == "f":
            return hn.END
        if len(cards) < 3:
            return hn.CHANCE
        return len(second) % 2 if second in CHOICES else hn.END

    def actions(self, state: State, player: int) -> Sequence[str]:
        return CHOICES[state.first if len(state.cards) < 3 else state.second]

    def chance(self, state: State) -> Sequence[tuple[int, float]]:
        left = [card for card in range(6) if card not in state.cards]
        return [(card, 1 / len(left)) for card in left]

    def after(self, state: State, move: int | str) -> State:
        cards, first, second = state
        if isinstance(move, int):
            return State((*cards, move), first, second)
        if len(cards) < 3:
            return State(cards, first + move, second)
        return State(cards, first, second + move)

    def observe(self, state: State, player: int) -> tuple[object, ...]:
        cards, first, second = state
        return cards[player], cards[2:], first, second

    def gains(self, state: State) -> tuple[float, float]:
        if self.turn(state) != hn.END:
            return 0.0, 0.0
        cards, first, second = state
        paid = pay(second, 4, pay(first, 2, (1, 1)))
        last = second or first
        if last[-1] == "f":
            loser = (len(last) - 1) % 2
        else:
            mine, yours = (strength(card, cards[2]) for card in cards[:2])
            if mine == yours:
                return 0.0, 0.0
            loser = 0 if mine < yours else 1
        lost = float(paid[loser])
        return (-lost, lost) if loser == 0 else (lost, -lost)


def pay(plays: str, raised: int, paid: tuple[int, int]) -> tuple[int, int]:
    """Return what each player has put into the pot after a round; the players act in turn, player 0 first."""
    zero, one = paid
    for k, play in enumerate(plays):
        if play != "f":
            stake = max(zero, one) + (raised if play == "r" else 0)
            zero, one = (stake, one) if k % 2 == 0 else (zero, stake)
    return zero, one


def strength(card: int, board: int) -> int:
    """Order hands: a pair beats every single card, a higher rank a lower one."""
    return card // 2 + (3 if card // 2 == board // 2 else 0)


if __name__ == "__main__":
    print(hn.solve(Leduc(), gap=1e-4))
