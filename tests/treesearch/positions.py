"""Games that begin in the middle of another one, through the plain door; and every position of a small game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hannan.rules.plain import END, Rules
from hannan.rules.positions import moves
from tests.delegating import Delegating


class Plainly(Delegating):
    """The same game through the plain door, under the same names."""

    def action_text(self, player: int, action: Any) -> str:
        return self.rules.action_text(player, action)


class From(Plainly):
    """The rest of a game: it begins at a state of the other rules."""

    def __init__(self, rules: Rules, state: Any) -> None:
        super().__init__(rules)
        self.state = state

    def start(self) -> Any:
        return self.state


class Unbounded(Plainly):
    """The same game through the plain door, without bounds and with states as positions."""

    def bounds(self, state: Any) -> Sequence[tuple[float, float]] | None:
        return None

    def position(self, state: Any) -> Any:
        return state


def positions(rules: Rules, most: int) -> Iterator[tuple[list[Any], Any]]:
    """Yield the first inner positions of a game, breadth first, each with the moves that lead there."""
    waiting: list[tuple[list[Any], Any]] = [([], rules.start())]
    seen = 0
    for before, state in waiting:
        if rules.turn(state) == END:
            continue
        yield before, state
        seen += 1
        if seen == most:
            return
        waiting += [([*before, move], rules.after(state, move)) for move in moves(rules, state)]
