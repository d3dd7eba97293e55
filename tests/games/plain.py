"""The same games once more, as plain Python, written from their descriptions and not from the package."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules

Moves = tuple[Any, ...]


class Kuhn(Rules):
    """Two players. The state is the list of moves: two cards, then p and b."""

    ENDS = ("pp", "pbp", "pbb", "bp", "bb")

    def start(self) -> Moves:
        return ()

    def turn(self, state: Moves) -> int:
        if len(state) < 2:
            return CHANCE
        return END if "".join(state[2:]) in self.ENDS else len(state) % 2

    def actions(self, state: Moves, player: int) -> Sequence[str]:
        return "pb"

    def chance(self, state: Moves) -> Sequence[tuple[Hashable, float]]:
        left = [card for card in range(3) if card not in state]
        return [(card, 1 / len(left)) for card in left]

    def after(self, state: Moves, move: Any) -> Moves:
        return (*state, move)

    def observe(self, state: Moves, player: int) -> Hashable:
        return state[player], state[2:]

    def gains(self, state: Moves) -> Sequence[float]:
        if len(state) < 2 or self.turn(state) != END:
            return 0.0, 0.0
        plays = "".join(state[2:])
        high = 1.0 if state[0] > state[1] else -1.0
        won = {"pp": high, "pbp": -1.0, "bp": 1.0}.get(plays, 2 * high)
        return won, -won


class Leduc(Rules):
    """Two players. The state is the list of moves: two cards, letters, a board card between the rounds."""

    OPEN = ("", "c", "r", "cr", "rr", "crr")
    """Rounds that go on; all others have ended, with a fold or a call."""

    def __init__(self, ranks: int = 3, suits: int = 2, by_rank: bool = False) -> None:
        deck = [(rank, 0 if by_rank else suit) for rank in range(ranks) for suit in range(suits)]
        self.deck = deck

    def start(self) -> Moves:
        return ()

    def rounds(self, state: Moves) -> list[str]:
        text = "".join("/" if isinstance(move, tuple) else move for move in state[2:])
        return text.split("/")

    def turn(self, state: Moves) -> int:
        if len(state) < 2:
            return CHANCE
        rounds = self.rounds(state)
        if rounds[-1] in self.OPEN:
            return len(rounds[-1]) % 2
        return END if rounds[-1].endswith("f") or len(rounds) == 2 else CHANCE

    def actions(self, state: Moves, player: int) -> Sequence[str]:
        return {"": "cr", "c": "cr", "rr": "fc", "crr": "fc"}.get(self.rounds(state)[-1], "fcr")

    def chance(self, state: Moves) -> Sequence[tuple[Hashable, float]]:
        left = list(self.deck)
        for move in state:
            if move in left:
                left.remove(move)
        return [(card, left.count(card) / len(left)) for card in dict.fromkeys(left)]

    def after(self, state: Moves, move: Any) -> Moves:
        return (*state, move)

    def observe(self, state: Moves, player: int) -> Hashable:
        return state[player], state[2:]

    def gains(self, state: Moves) -> Sequence[float]:
        if self.turn(state) != END:
            return 0.0, 0.0
        rounds = self.rounds(state)
        paid = [1, 1]
        for size, plays in zip((2, 4), rounds, strict=False):
            for k, play in enumerate(plays):
                if play != "f":
                    paid[k % 2] = max(paid) + (size if play == "r" else 0)
        if rounds[-1].endswith("f"):
            loser = (len(rounds[-1]) - 1) % 2
        else:
            board = next(move for move in state[2:] if isinstance(move, tuple))
            hands = [(state[p][0] == board[0], state[p][0]) for p in range(2)]
            if hands[0] == hands[1]:
                return 0.0, 0.0
            loser = int(hands[1] < hands[0])
        lost = float(paid[loser])
        return (-lost, lost) if loser == 0 else (lost, -lost)


class Goofspiel(Rules):
    """Two players, random order, hidden bids, ties split. The state is (prizes shown, joint bids made)."""

    def __init__(self, cards: int) -> None:
        self.cards = range(1, cards + 1)

    def start(self) -> Moves:
        return self.with_last_prize((), ())

    def with_last_prize(self, prizes: Moves, bids: Moves) -> Moves:
        left = [card for card in self.cards if card not in prizes]
        return ((*prizes, *left), bids) if len(left) == 1 and len(prizes) == len(bids) else (prizes, bids)

    def turn(self, state: Moves) -> int | tuple[int, ...]:
        prizes, bids = state
        if len(bids) == len(self.cards):
            return END
        return CHANCE if len(prizes) == len(bids) else (0, 1)

    def actions(self, state: Moves, player: int) -> Sequence[Hashable]:
        return [card for card in self.cards if card not in [joint[player] for joint in state[1]]]

    def chance(self, state: Moves) -> Sequence[tuple[Hashable, float]]:
        left = [card for card in self.cards if card not in state[0]]
        return [(card, 1 / len(left)) for card in left]

    def after(self, state: Moves, move: Any) -> Moves:
        prizes, bids = state
        if len(prizes) == len(bids):
            return (*prizes, move), bids
        return self.with_last_prize(prizes, (*bids, move))

    def observe(self, state: Moves, player: int) -> Hashable:
        prizes, bids = state
        return prizes, tuple((a > b) - (a < b) for a, b in bids)

    def gains(self, state: Moves) -> Sequence[float]:
        prizes, bids = state
        if len(bids) < len(self.cards):
            return 0.0, 0.0
        won = float(sum(prize * ((a > b) - (a < b)) for prize, (a, b) in zip(prizes, bids, strict=True)))
        return won, -won


class TicTacToe(Rules):
    """The state is the list of cells taken in turn."""

    LINES = ("012", "345", "678", "036", "147", "258", "048", "246")

    def start(self) -> str:
        return ""

    def won(self, state: str) -> bool:
        mine = state[::-1][::2]
        return len(mine) >= 3 and any(set(line) <= set(mine) for line in self.LINES)

    def turn(self, state: str) -> int:
        return END if self.won(state) or len(state) == 9 else len(state) % 2

    def actions(self, state: str, player: int) -> Sequence[str]:
        return [cell for cell in "012345678" if cell not in state]

    def after(self, state: str, move: Any) -> str:
        return state + str(move)

    def observe(self, state: str, player: int) -> Hashable:
        return state

    def gains(self, state: str) -> Sequence[float]:
        if not self.won(state):
            return 0.0, 0.0
        return (1.0, -1.0) if len(state) % 2 else (-1.0, 1.0)
