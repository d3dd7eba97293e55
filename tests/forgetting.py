"""Maps that let players forget, and games in which that is known to be harmless, or nearly so."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from hannan.forms.game import ExpandedGame
from hannan.rules.plain import CHANCE, END, Rules


def suits(player: int, name: str) -> str:
    """Leduc poker: forget suits, which decide nothing."""
    return name.replace("s", "").replace("h", "")


def betting(player: int, name: str) -> str:
    """Leduc poker: after the board card, know both ranks and the betting since, and not how the first round was bet."""
    first, slash, rest = name.partition("/")
    return f"{first[0]}/{rest[0]}{rest[2:]}" if slash else name[0] + name[2:]


def scrambled(game: ExpandedGame, seed: int, parts: int = 2) -> Callable[[int, str], str]:
    """Tie sets of one level with the same actions by chance: nothing is proven about that."""
    of: list[dict[str, str]] = []
    for player, plex in enumerate(game.form.treeplexes):
        levels = [0] * plex.sets
        for j in range(plex.sets):
            above = int(plex.parent[j])
            levels[j] = levels[int(plex.set_of[above])] + 1 if above else 0
        names = {}
        for j, name in enumerate(game.set_texts(player)):
            menu = ",".join(game.actions_at(player, j))
            names[name] = f"{levels[j]} {menu} {zlib.crc32(f'{seed} {player} {name}'.encode()) % parts}"
        of.append(names)
    return lambda player, name: of[player][name]


class Scaled(Rules):
    """Chance tells player 0 how high the stakes are; it goes in or stays out, and then both choose a side.

    The state is the tuple of moves. What follows after going in is one matrix game times the stakes, plus `noise` for
    high stakes, so that player 0 may forget the stakes once it is in. Staying out earns it `safe`.
    """

    players = 2
    matrix = ((2.0, -1.0), (-1.0, 1.0))
    stakes = (1.0, 3.0)
    odds = (0.7, 0.3)
    safe = (0.15, 0.7)

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> int | tuple[int, ...]:
        if len(state) == 2 and state[1] == "out":
            return END
        return (CHANCE, 0, 0, 1, END)[len(state)]

    def actions(self, state: Any, player: int) -> Sequence[Hashable]:
        return ["in", "out"] if len(state) == 1 else ["left", "right"]

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        return list(zip(("low", "high"), self.odds, strict=True))

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Hashable:
        if player == 1:
            return "called"
        return str(state[0]) if len(state) == 1 else "inside"

    def gains(self, state: Any) -> Sequence[float]:
        if len(state) == 2 and state[1] == "out":
            earned = self.safe[state[0] == "high"]
        elif len(state) == 4:
            row, column = (move == "right" for move in state[2:])
            earned = self.stakes[state[0] == "high"] * self.matrix[row][column]
            earned += self.noise if state[0] == "high" and row and column else 0.0
        else:
            earned = 0.0
        return earned, -earned


def stakes(player: int, name: str) -> str:
    """`Scaled`: forget the stakes, and what was done before, once inside."""
    return name if player == 1 or "in" not in name else "inside"
