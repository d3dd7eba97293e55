"""A node of a public strategy by enumeration: every deal and every continuation, from the plain rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hannan.games.holdem.dealt import DealtRules
from hannan.strategies.public import PublicStrategy
from hannan.turns import CHANCE, END


@dataclass
class Sums:
    """Sums over the histories at a node at which a player holds one type."""

    reach: float = 0.0
    gain: float = 0.0
    share: float = 0.0
    """The pot that it would win if nobody bet any more."""
    gains: dict[str, float] = field(default_factory=dict)
    """By action."""


class Enumeration:
    """Walks plain rules beside a strategy."""

    def __init__(self, strategy: PublicStrategy, judge: Any) -> None:
        assert isinstance(strategy.game.rules, DealtRules)
        self.rules, self.judge = strategy.game.rules, judge
        self.tables: dict[str, Any] = {}
        self.strategy = strategy

    def play(self, state: Any, path: str) -> dict[str, float]:
        """Return what the player who acts does with its type."""
        if path not in self.tables:
            self.tables[path] = self.strategy.table(path)
        texts, rows = self.tables[path]
        mover = self.rules.mover(state.line)
        weights = rows[self.rules.types(mover)[state.types[mover]]]
        return dict(zip(texts, (weights / weights.sum()).tolist(), strict=True))

    def text(self, state: Any, move: Any) -> str:
        return self.rules.action_text(self.rules.turn(state), move)

    def value(self, state: Any, path: str) -> tuple[float, float]:
        """Return what both players gain from a history on."""
        turn = self.rules.turn(state)
        if turn == END:
            first, second = self.rules.gains(state)
            return float(first), float(second)
        if turn == CHANCE:
            odds = [(move, p) for move, p in self.rules.chance(state)]
        else:
            played = self.play(state, path)
            odds = [(move, played[self.text(state, move)]) for move in self.rules.actions(state, turn)]
        total = [0.0, 0.0]
        for move, p in odds:
            worth = self.value(self.rules.after(state, move), f"{path} {self.text(state, move)}".strip())
            total = [total[k] + p * worth[k] for k in (0, 1)]
        return total[0], total[1]

    def share(self, state: Any) -> float:
        """Return player 0's share of the pot over all cards that may still come, by the judge of the tests."""
        rules = self.rules
        streets = len(rules.betting.streets) - 1 - state.line.street
        if state.line.street == len(rules.betting.streets) - 1 or not streets:
            hands = [rules.cards(p)[state.types[p]] for p in (0, 1)]
            table = rules.on_table(state.board)
            one, two = (self.judge((*hand, *table)) for hand in hands)
            return 1.0 if one > two else 0.5 if one == two else 0.0
        held = {card for p in (0, 1) for card in rules.cards(p)[state.types[p]]}
        outcomes = [o for o, _ in rules.outcomes(state.board) if held.isdisjoint(rules.outcome_cards(o))]
        line = state.line._replace(street=state.line.street + 1)
        later = [self.share(state._replace(board=(*state.board, o), line=line)) for o in outcomes]
        return sum(later) / len(later)

    def node(self, path: str) -> tuple[dict[str, Sums], dict[str, Sums]]:
        """Return the sums of each type of both players at a node."""
        found: tuple[dict[str, Sums], dict[str, Sums]] = ({}, {})
        rules, start = self.rules, self.rules.start()
        for first, p in rules.chance(start):
            middle = rules.after(start, first)
            for second, q in rules.chance(middle):
                self._follow(rules.after(middle, second), path.split(), "", p * q, found)
        return found

    def _follow(self, state: Any, words: list[str], path: str, p: float, found: Any) -> None:
        rules = self.rules
        if words:
            turn = rules.turn(state)
            moves = [m for m, _ in rules.chance(state)] if turn == CHANCE else list(rules.actions(state, turn))
            named = {self.text(state, move): move for move in moves}
            if words[0] not in named:  # a card that a player holds
                return
            odds = dict(rules.chance(state))[named[words[0]]] if turn == CHANCE else self.play(state, path)[words[0]]
            after = rules.after(state, named[words[0]])
            self._follow(after, words[1:], f"{path} {words[0]}".strip(), p * odds, found)
            return
        gains, share = self.value(state, path), self.share(state)
        for player in (0, 1):
            sums = found[player].setdefault(rules.types(player)[state.types[player]], Sums())
            sums.reach += p
            sums.gain += p * gains[player]
            sums.share += p * (share if player == 0 else 1 - share)
            if rules.turn(state) == player:
                for move in rules.actions(state, player):
                    text = self.text(state, move)
                    worth = self.value(rules.after(state, move), f"{path} {text}".strip())[player]
                    sums.gains[text] = sums.gains.get(text, 0.0) + p * worth
