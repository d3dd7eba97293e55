"""Tiny games in plain Python: a sound one, and the odd ones that views must still handle."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from hannan.rules.plain import CHANCE, END, Rules


class Coins(Rules):
    """Chance tosses a fair coin that player 0 sees; it calls, player 1 hears the call and guesses the coin.

    The state is the tuple of moves so far. Player 0 earns 0.25 for the call "h" at once, and player 1's right guess
    costs it 1.
    """

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (CHANCE, 0, 1, END)[len(state)]

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return ["h", "t"]

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        return [("H", 0.5), ("T", 0.5)]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        seen: Hashable = state[player]
        return seen

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) == 2 and state[1] == "h":
            return 0.25, 0.0
        if len(state) == 3:
            right = float(state[0].lower() == state[2])
            return 1 - right, right
        return 0.0, 0.0


class Over(Coins):
    """Over before it begins; everybody gains something."""

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return END

    def gains(self, state: Any) -> Sequence[float]:
        return 2.0, -3.0


class Lottery(Coins):
    """Only chance moves: three tickets."""

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return END if state else CHANCE

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        return [("a", 0.2), ("b", 0.3), ("c", 0.5)]

    def gains(self, state: Any) -> Sequence[float]:
        return {"a": (1.0, 0.0), "b": (0.0, 2.0), "c": (-1.0, -1.0)}[state[0]] if state else (0.0, 0.0)


class Alone(Coins):
    """One player, two choices: after "stay" a coin is tossed and seen, then it chooses once more."""

    players = 1

    def turn(self, state: Any) -> int | tuple[int, ...]:
        if len(state) == 1 and state[0] == "stay":
            return CHANCE
        return 0 if len(state) in (0, 2) else END

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return ("go", "stay") if not state else ("h", "t")

    def observe(self, state: Any, player: int) -> Hashable:
        return state[1:]

    def gains(self, state: Any) -> Sequence[float]:
        if state == ("go",):
            return (0.75,)
        if len(state) == 3:
            return (1.0,) if state[1].lower() == state[2] else (0.0,)
        return (0.0,)


class Split(Rules):
    """Two players divide ten units by moving at once, twice: the larger first number gets 7 of them, the second number
    moves half a unit.

    Utilities add up to 10, so it is competitive though not zero-sum; part of them is gained on the way.
    """

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (0, 1) if len(state) < 2 else END

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return (1, 2, 3)[: 3 - len(state)]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        return len(state)

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) == 1:
            return float(state[0][0]), 0.0  # player 0 is paid first …
        if len(state) == 2:
            (mine, yours), (more, less) = state
            part = 5.0 + 2.0 * ((mine > yours) - (mine < yours)) + 0.5 * (more - less)
            return part - mine, 10.0 - part  # … and settles up at the end
        return 0.0, 0.0


class Later(Rules):
    """Zero-sum in the end, and not on the way: player 0 is paid 1 + a for its choice at once, and player 1, who sees
    the choice and answers with b, pays all of it and b more when play is over.
    """

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (0, 1, END)[len(state)]

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return (0, 1)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        return state

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) == 1:
            return 1.0 + state[0], 0.0
        if len(state) == 2:
            return float(state[1]), -(1.0 + state[0] + state[1])
        return 0.0, 0.0
