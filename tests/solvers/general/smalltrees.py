"""Small trees written as nested tuples, and the games of the literature that tests judge.

("node", player, set, {action: tree}), ("chance", {outcome: (probability, tree)}), or a tuple of payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import hannan as hn
from hannan.rules.exact import ExactRules
from hannan.rules.plain import CHANCE, END


class Nested(ExactRules):
    """A tree of nested tuples as rules; a state is a subtree."""

    def __init__(self, tree: Any, players: int = 2, name: str = "nested") -> None:
        self.tree, self.players, self.name = tree, players, name

    def start(self) -> Any:
        return self.tree

    def turn(self, state: Any) -> int:
        return state[1] if state[0] == "node" else CHANCE if state[0] == "chance" else END

    def actions(self, state: Any, player: int) -> Sequence[str]:
        return list(state[3])

    def chance(self, state: Any) -> Sequence[tuple[str, float]]:
        return [(name, float(odds)) for name, (odds, _) in state[1].items()]

    def after(self, state: Any, move: Any) -> Any:
        return state[3][move] if state[0] == "node" else state[1][move][1]

    def observe(self, state: Any, player: int) -> str:
        return str(state[2])

    def gains(self, state: Any) -> Sequence[float]:
        return tuple(map(float, self.exact_gains(state)))

    def exact_gains(self, state: Any) -> Sequence[Fraction]:
        ended = state[0] not in ("node", "chance")
        return tuple(map(Fraction, state)) if ended else (Fraction(0),) * self.players

    def exact_odds(self, state: Any) -> Sequence[Fraction]:
        return [Fraction(odds) for odds, _ in state[1].values()]


def game(tree: Any, players: int = 2, name: str = "nested") -> hn.views.ExpandedGame:
    """Return a nested tree as a game."""
    return hn.load(Nested(tree, players, name)).expanded()


def selten_horse() -> hn.views.ExpandedGame:
    """R. Selten (1975), Reexamination of the perfectness concept, figure 1."""

    def third(left: Any, right: Any) -> Any:
        return ("node", 2, "3", {"L": left, "R": right})

    second = ("node", 1, "2", {"d": third((4, 4, 0), (0, 0, 1)), "c": (1, 1, 1)})
    return game(("node", 0, "1", {"D": third((3, 2, 2), (0, 0, 0)), "C": second}), 3, "horse")


def entry_game() -> hn.views.ExpandedGame:
    """An entrant stays out or enters; the incumbent fights or yields."""
    after = ("node", 1, "entered", {"fight": (-1, -1), "yield": (1, 1)})
    return game(("node", 0, "start", {"out": (0, 2), "in": after}), name="entry")


def beer_quiche() -> hn.views.ExpandedGame:
    """I.-K. Cho and D. M. Kreps (1987), Signaling games and stable equilibria: 9/10 strong, 1/10 weak.

    The sender gains 1 by the breakfast it likes (strong: beer) and 2 if no duel follows; the other gains 1 by a duel
    with the weak one or by none with the strong one.
    """

    def answer(seen: str, strong: bool) -> Any:
        liked = (seen == "beer") == strong
        duel, peace = (int(liked), int(not strong)), (2 + int(liked), int(strong))
        return ("node", 1, seen, {"duel": duel, "peace": peace})

    def sender(strong: bool) -> Any:
        kind = "strong" if strong else "weak"
        return ("node", 0, kind, {seen: answer(seen, strong) for seen in ("beer", "quiche")})

    odds = {"strong": (Fraction(9, 10), sender(True)), "weak": (Fraction(1, 10), sender(False))}
    return game(("chance", odds), name="beer_quiche")


def out_or_coordinate() -> hn.views.ExpandedGame:
    """Player 0 takes 2 and leaves 2, or goes on to a simultaneous game: T and M at once, without being seen."""
    reply = {
        "T": ("node", 1, "in", {"l": (3, 1), "r": (1, 0)}),
        "B": ("node", 1, "in", {"l": (0, 0), "r": (0, 1)}),
    }
    return game(("node", 0, "start", {"out": (2, 2), **reply}), name="out_or_coordinate")
