"""Hold'em once more, slow and plain: hands as sets of cards, chips in two purses, every deal one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from hannan.games.holdem.actions import Action, Kind
from hannan.games.holdem.betting import Line
from hannan.games.holdem.chips import BettingRules
from hannan.turns import CHANCE, END


def best_five(cards: tuple[int, ...]) -> tuple[Any, ...]:
    """Return what to compare hands by: the best five of five to seven cards."""
    return max(_five(five) for five in combinations(cards, 5))


def _five(cards: tuple[int, ...]) -> tuple[Any, ...]:
    ranks = sorted((card // 4 for card in cards), reverse=True)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = tuple(count for count, _ in groups)
    flush = len({card % 4 for card in cards}) == 1
    run = 0
    if len(set(ranks)) == 5:
        run = ranks[0] if ranks[0] - ranks[4] == 4 else 3 if ranks == [12, 3, 2, 1, 0] else 0
    order = tuple(rank for _, rank in groups)
    if run:
        return (8 if flush else 4, run)
    if shape[0] == 4:
        return (7, order)
    if shape[:2] == (3, 2):
        return (6, order)
    if flush:
        return (5, order)
    return ({(3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0), order)


def best_three(cards: tuple[int, ...]) -> tuple[Any, ...]:
    """Return what to compare hands of three cards by, as in Rhode Island hold'em."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    straight = ranks[0] - ranks[1] == ranks[1] - ranks[2] == 1
    top = ranks[0]
    if ranks == [12, 1, 0]:
        straight, top = True, 1
    if straight:
        return (5 if flush else 3, top)
    if len(set(ranks)) == 1:
        return (4, top)
    if flush:
        return (2, ranks)
    if len(set(ranks)) == 2:
        return (1, ranks[1], ranks)  # the middle one of three is in the pair
    return (0, ranks)


class Purses:
    """What each player has paid, counted from the texts of actions."""

    def __init__(self, pot: float, paid: tuple[float, float]) -> None:
        self.pot, self.paid, self.before = pot, list(paid), min(paid)
        self.folded: int | None = None

    def copy(self) -> Purses:
        purses = Purses(self.pot, (self.paid[0], self.paid[1]))
        purses.before = self.before
        return purses

    def act(self, player: int, action: Action) -> None:
        if action.kind == Kind.FOLD:
            self.folded = player
        elif action.kind == Kind.CALL:
            self.paid[player] = self.paid[1 - player]
        elif action.kind != Kind.CHECK:
            self.paid[player] = self.before + action.amount

    def settle(self, winner: int | None, rake: float, cap: float) -> tuple[float, float]:
        """Return what each player has won; both have paid half of the pot before. None: they share."""
        back = [paid - min(self.paid) for paid in self.paid]
        pot = self.pot + 2 * min(self.paid)
        left = pot - min(rake * pot, cap)
        won = [left / 2 if winner is None else left if winner == p else 0.0 for p in (0, 1)]
        first, second = (won[p] + back[p] - self.paid[p] - self.pot / 2 for p in (0, 1))
        return first, second


def random_play(rules: BettingRules, start: tuple[int, ...], judge: Any, cards: list[int]) -> tuple[float, float]:
    """Return what each player gains on average if both choose evenly: all deals, all actions.

    `judge` compares hands with all cards on the table; `cards` is the deck.
    """
    totals, weight = [0.0, 0.0], 0.0
    weights = rules.weights(0), rules.weights(1)
    held = [[tuple(hand) for hand in rules.cards(p)] for p in (0, 1)]
    for i, mine in enumerate(held[0]):
        for j, yours in enumerate(held[1]):
            if {*mine} & {*yours}:
                continue
            odds = weights[0][i] * weights[1][j]
            weight += odds
            opening = rules.opening()
            purses = Purses(rules.betting.pot, opening.chips)
            purses.before = rules.betting.ante
            deck = [card for card in cards if card not in {*start, *mine, *yours}]
            for share, gains in _ends(rules, opening, purses, (mine, yours), start, deck, judge):
                for p in (0, 1):
                    totals[p] += odds * share * gains[p]
    return totals[0] / weight, totals[1] / weight


def _ends(
    rules: BettingRules, line: Line, purses: Purses, hands: Any, table: tuple[int, ...], deck: list[int], judge: Any
) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield the probability of every end below a line, and what each player gains there."""
    cap = float("inf") if rules.rake_cap is None else rules.rake_cap
    if line.actor == END:
        winner: int | None
        if purses.folded is not None:
            winner = 1 - purses.folded
        else:
            mine, yours = (judge((*hand, *table)) for hand in hands)
            winner = None if mine == yours else int(yours > mine)
        yield 1.0, purses.settle(winner, rules.rake, cap)
        return
    if line.actor == CHANCE:
        deals = [*combinations(deck, getattr(rules, "street_cards", 1))]
        for dealt in deals:
            later = purses.copy()
            later.before = min(later.paid)
            left = [card for card in deck if card not in dealt]
            for share, gains in _ends(rules, rules.betting.deal(line), later, hands, (*table, *dealt), left, judge):
                yield share / len(deals), gains
        return
    menu = rules.betting.actions(line)
    for action in menu:
        later = purses.copy()
        later.act(line.actor, action)
        for share, gains in _ends(rules, rules.betting.after(line, action), later, hands, table, deck, judge):
            yield share / len(menu), gains
