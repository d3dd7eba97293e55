"""Actions of a player: check, bet, raise, all-in, call, fold."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Kinds of actions, in the order in which a menu lists them."""

    FOLD = 0
    CHECK = 1
    CALL = 2
    BET = 3
    RAISE = 4
    ALL_IN = 5


NAMES = {
    Kind.FOLD: "Fold",
    Kind.CHECK: "Check",
    Kind.CALL: "Call",
    Kind.BET: "Bet",
    Kind.RAISE: "Raise",
    Kind.ALL_IN: "AllIn",
}
LETTERS = {Kind.FOLD: "f", Kind.CHECK: "x", Kind.CALL: "c", Kind.BET: "b", Kind.RAISE: "r", Kind.ALL_IN: "a"}


class Action(NamedTuple):
    """An action; `amount` is what the player has put in on this street after it (0 for check, call and fold)."""

    kind: Kind
    amount: int = 0

    @property
    def text(self) -> str:
        """The short text: x, b120, r300, a900, c or f."""
        return LETTERS[self.kind] + (str(self.amount) if self.amount else "")

    @property
    def name(self) -> str:
        """The long text: Check, Bet(120), Raise(300), AllIn(900), Call or Fold."""
        return NAMES[self.kind] + (f"({self.amount})" if self.amount else "")


FOLD, CHECK, CALL = Action(Kind.FOLD), Action(Kind.CHECK), Action(Kind.CALL)
