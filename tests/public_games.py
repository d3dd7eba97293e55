"""Known games as public rules: public play, and one private type for each player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hannan.games import catalogue
from hannan.rules.public import Cards, Ending, Fold, PublicRules, Showdown, Table
from hannan.turns import CHANCE, END


class Kuhn(PublicRules):
    """Kuhn poker: a line is the word of actions so far, p for pass (or fold) and b for bet (or call)."""

    def types(self, player: int) -> Sequence[str]:
        return ["J", "Q", "K"]

    def cards(self, player: int) -> Sequence[Cards]:
        return [(0,), (1,), (2,)]

    def opening(self) -> str:
        return ""

    def mover(self, line: str) -> int:
        return END if line in ("pp", "bp", "bb", "pbp", "pbb") else len(line) % 2

    def options(self, line: str) -> Sequence[str]:
        return ["p", "b"]

    def following(self, line: str, action: str) -> str:
        return line + action

    def ending(self, line: str) -> Ending:
        if line in ("bp", "pbp"):
            return Fold((1.0, -1.0) if line == "bp" else (-1.0, 1.0))
        stake = 1.0 if line == "pp" else 2.0
        return Showdown((stake, stake), (-stake, -stake), (0.0, 0.0))

    def strengths(self, board: tuple[Any, ...], player: int) -> Sequence[int]:
        return [0, 1, 2]


class Round(NamedTuple):
    """A line of Leduc poker."""

    street: int
    paid: tuple[int, int]
    raises: int
    calls: int
    actor: int
    folded: int


class Leduc(PublicRules):
    """Leduc poker with every card a type of its own; a card is rank * suits + suit."""

    def __init__(self, ranks: int = 3, suits: int = 2) -> None:
        self.ranks, self.suits = ranks, suits

    def types(self, player: int) -> Sequence[str]:
        return [f"{rank}{'abcd'[suit]}" for rank in range(self.ranks) for suit in range(self.suits)]

    def cards(self, player: int) -> Sequence[Cards]:
        return [(card,) for card in range(self.ranks * self.suits)]

    def opening(self) -> Round:
        return Round(0, (1, 1), 0, 0, 0, -1)

    def mover(self, line: Round) -> int:
        return line.actor

    def options(self, line: Round) -> Sequence[str]:
        facing = line.paid[0] != line.paid[1]
        return [*("f" if facing else ""), "c", *("r" if line.raises < 2 else "")]

    def following(self, line: Round, action: str) -> Round:
        me, high = line.actor, max(line.paid)
        if action == "f":
            return line._replace(actor=END, folded=me)
        if action == "r":
            mine = high + (4 if line.street else 2)
            paid = (mine, line.paid[1]) if me == 0 else (line.paid[0], mine)
            return line._replace(paid=paid, raises=line.raises + 1, actor=1 - me)
        over = line.raises > 0 or line.calls == 1
        actor = (END if line.street else CHANCE) if over else 1 - me
        return line._replace(paid=(high, high), calls=line.calls + 1, actor=actor)

    def ending(self, line: Round) -> Ending:
        stake = float(min(line.paid))
        if line.folded >= 0:
            return Fold((-stake, stake) if line.folded == 0 else (stake, -stake))
        return Showdown((stake, stake), (-stake, -stake), (0.0, 0.0))

    def outcomes(self, board: tuple[Any, ...]) -> Sequence[tuple[int, float]]:
        cards = self.ranks * self.suits
        return [(card, 1 / (cards - 2)) for card in range(cards)]

    def dealt(self, line: Round, outcome: int) -> Round:
        return Round(1, line.paid, 0, 0, 0, -1)

    def outcome_cards(self, outcome: int) -> Cards:
        return (outcome,)

    def outcome_text(self, outcome: int) -> str:
        return self.types(0)[outcome]

    def strengths(self, board: tuple[Any, ...], player: int) -> Sequence[int]:
        shown = board[0] // self.suits
        ranks = [card // self.suits for card in range(self.ranks * self.suits)]
        return [self.ranks if rank == shown else rank for rank in ranks]


class Bids(NamedTuple):
    """A line of liar's dice."""

    moves: int = 0
    bid: int = -1
    called: bool = False


class LiarsDice(PublicRules):
    """Liar's dice with one die each; a bid is (quantity - 1) * faces + face - 1, and the highest face is wild."""

    def __init__(self, faces: int = 6) -> None:
        self.faces = faces

    def types(self, player: int) -> Sequence[str]:
        return [str(face) for face in range(1, self.faces + 1)]

    def opening(self) -> Bids:
        return Bids()

    def mover(self, line: Bids) -> int:
        return END if line.called else line.moves % 2

    def options(self, line: Bids) -> Sequence[str]:
        return [*map(str, range(line.bid + 1, 2 * self.faces)), *(["liar"] if line.moves else [])]

    def following(self, line: Bids, action: str) -> Bids:
        return line._replace(called=True) if action == "liar" else Bids(line.moves + 1, int(action))

    def ending(self, line: Bids) -> Ending:
        need, face = divmod(line.bid, self.faces)
        dice = np.arange(self.faces)
        counts = ((dice == face) | (dice == self.faces - 1)).astype(int)
        bidder = 1 - line.moves % 2
        holds = counts[:, None] + counts[None, :] > need
        wins = np.where(holds, 1.0, -1.0)
        return Table(np.array([wins, -wins] if bidder == 0 else [-wins, wins]))


def holdem_case(**parameters: Any) -> PublicRules:
    """Return hold'em rules with a small deck."""
    rules = catalogue.make("holdem", parameters)
    assert isinstance(rules, PublicRules)
    return rules


def built_in(name: str, **parameters: Any) -> PublicRules:
    """Return other rules of the catalogue that have a public tree."""
    rules = catalogue.make(name, parameters)
    assert isinstance(rules, PublicRules)
    return rules


HANDS = "AA,KK,QQ,JJ,AK,AQ,AJ,KQ,KJ,QJ"
RIVER: dict[str, Any] = {
    "ranks": 4,
    "suits": 3,
    "board": "AcKdQcJhAd",
    "oop": HANDS,
    "ip": HANDS,
    "pot": 20,
    "stack": 35,
}
TURN: dict[str, Any] = {
    "ranks": 5,
    "suits": 2,
    "board": "AcKdQcTc",
    "pot": 20,
    "stack": 35,
    "bets": "50%",
    "raises": "a",
}
CASES: dict[str, Callable[[], PublicRules]] = {
    "kuhn": Kuhn,
    "leduc": Leduc,
    "dice": lambda: LiarsDice(3),
    "river": lambda: holdem_case(**RIVER, bets="50%,a", raises="2.5x"),
    "river raked": lambda: holdem_case(**RIVER, bets="50%,a", raises="2.5x", rake=0.05, rake_cap=2),
    "turn": lambda: holdem_case(**TURN, oop="AA,KK:0.5,AQ,JTs:0.25,KJ", ip="AK,QJ:0.75,TT,AT"),
    "turn raked": lambda: holdem_case(**TURN, oop="AA,KK,JT,AJ", ip="AK,QJ,TT", rake=0.1),
    "turn gone": lambda: holdem_case(**TURN, oop="JdTd", ip="AK,QJ"),  # cards leave the first player no hand
    "flop": lambda: holdem_case(
        ranks=3, suits=4, board="AcKcQc", oop="AA,KQs:0.5", ip="KK,AQs", pot=6, stack=5, bets="a", raises=""
    ),
    "three cards": lambda: built_in("flop_holdem", ranks=4, suits=2, most_raises=0, bet=60),
}
"""Small games by name: one stage, one deal, two deals, a deal of three cards; with mirrors and without, and rake."""
