"""The chips of betting games of two players, from the opening to the end of a hand; all such games share this part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hannan.games.holdem.actions import Action
from hannan.games.holdem.betting import NOBODY, Betting, Line
from hannan.rules.public import Fold, PublicRules, Showdown
from hannan.turns import END


class BettingRules(PublicRules):
    """Public rules whose lines are lines of a `Betting`; subclasses define the deal and the strength of hands.

    Gains are chips. Each player has paid half of the pot before the betting, so a game without rake is zero-sum.

    Parameters
    ----------
    betting
        The rules of the betting.
    rake, rake_cap
        The share of the pot that the house takes from the winner, also after a fold, and the most chips it takes
        (None: no limit). An uncalled bet is returned first.
    """

    def __init__(self, betting: Betting, rake: float = 0.0, rake_cap: float | None = None) -> None:
        self.betting = betting
        self.rake, self.rake_cap = rake, rake_cap

    def opening(self) -> Line:
        return self.betting.opening()

    def mover(self, line: Line) -> int:
        return line.actor

    def options(self, line: Line) -> tuple[Action, ...]:
        return self.betting.actions(line)

    def following(self, line: Line, action: Action) -> Line:
        return self.betting.after(line, action)

    def dealt(self, line: Line, outcome: Any) -> Line:
        return self.betting.deal(line)

    def ending(self, line: Line) -> Fold | Showdown:
        paid = self.betting.pot / 2 + min(line.chips)
        taken = self.rake * 2 * paid
        if self.rake_cap is not None:
            taken = min(taken, self.rake_cap)
        if line.folded == NOBODY:
            return Showdown((paid - taken,) * 2, (-paid,) * 2, (-taken / 2,) * 2)
        return Fold((-paid, paid - taken) if line.folded == 0 else (paid - taken, -paid))

    def bounds(self, state: Any) -> Sequence[tuple[float, float]]:
        """Let each player lose half the first pot and all chips that it can put in, or win as much; 0 at the end."""
        if self.turn(state) == END:
            return [(0.0, 0.0)] * 2
        line = self.opening() if state.line is None else state.line
        put = line.chips[0] if self.betting.all_in(line) else self._most
        most = self.betting.pot / 2 + put
        return [(-most, most)] * 2

    @property
    def _most(self) -> int:
        """The most chips that a player can put in."""
        betting = self.betting
        limit = betting.ante + max(betting.blinds) + sum(betting.limits) * (betting.most_raises + 1)
        return min(betting.stack, limit) if betting.limits else betting.stack

    def option_text(self, option: Action) -> str:
        return option.text

    def action_help(self, player: int, action: Action) -> str:
        return action.name

    def board_text(self, state: Any, player: int) -> str:
        line = state.line
        cards = self.table_text(state.board) or "no cards"
        pot = self.betting.pot + sum(line.chips)
        left = self.betting.stack - line.chips[player]
        chips = f"{self.betting.to_call(line)} to call"
        stack = "" if self.betting.limits else f", {left} left"
        return f"you hold {self.types(player)[state.types[player]]}; on the table {cards}; pot {pot}, {chips}{stack}"

    def table_text(self, board: tuple[Any, ...]) -> str:
        """Name the cards on the table."""
        return " ".join(map(self.outcome_text, board))
