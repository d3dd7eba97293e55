"""A game of one's own: a coin is tossed, player 0 sees it and may raise, player 1 calls or folds without seeing it.

Run `python examples/rules.py`, or `hannan solve examples/rules.py:CoinRaise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hannan as hn


class CoinRaise(hn.Rules):
    """States are tuples of what has happened: (coin, raise or pass, call or fold)."""

    players = 2

    def start(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        if not state:
            return hn.CHANCE
        if len(state) == 1:
            return 0
        return 1 if state[1:] == ("raise",) else hn.END

    def chance(self, state: tuple[str, ...]) -> list[tuple[Any, float]]:
        return [("heads", 0.5), ("tails", 0.5)]

    def actions(self, state: tuple[str, ...], player: int) -> list[str]:
        return ["pass", "raise"] if player == 0 else ["fold", "call"]

    def after(self, state: tuple[str, ...], move: str) -> tuple[str, ...]:
        return (*state, move)

    def observe(self, state: tuple[str, ...], player: int) -> str:
        return state[0] if player == 0 else "a raise"

    def gains(self, state: tuple[str, ...]) -> Sequence[float]:
        match state:
            case (coin, "pass"):
                won = 1.0 if coin == "heads" else -1.0
            case (_, "raise", "fold"):
                won = 1.0
            case (coin, "raise", "call"):
                won = 2.0 if coin == "heads" else -2.0
            case _:
                won = 0.0
        return (won, -won)


if __name__ == "__main__":
    print(hn.check_game(CoinRaise()))
    result = hn.solve(CoinRaise(), gap=1e-8)
    print(result)
    print(result.profile)
