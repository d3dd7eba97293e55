"""Plain rules that break a promise somewhere: a sentence, or an answer, and nothing else."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import hannan as hn
from tests.fuzz.sentences import sentence

LIES: list[Any] = [
    None, True, -3, -2, -1, 0, 1, 2, 7, 2**70, 0.5, math.nan, math.inf, "", "x", (), [], (0,), (0, 0), (1, 0),
    (0, 1, 2),
    [("a", 0.5)], [("a", 0.5), ("b", 0.6)], [("a", -1.0), ("b", 2.0)], [("a", math.nan)], [(1, 2, 3)], [1, 2],
    ["a", "a"],
    [[]], [{}], (1, -1, 0), (math.inf, -math.inf), (1e300, -1e300), ("1", "-1"), (None, None), object, [("a", "b")],
    (1,), iter(()), (2**70, -(2**70)), b"x", ((),),
]  # fmt: skip


class Liar(hn.Rules):
    """Two moves each after a draw of chance, told to the truth but for one answer of one method at one state."""

    players = 2

    def __init__(self, method: str, state: tuple[Any, ...], lie: Any, raises: bool) -> None:
        self.lie, self.raises, self.where = lie, raises, (method, state)

    def told(self, method: str, state: Any, truth: Any) -> Any:
        if (method, state) == self.where:
            if self.raises:
                raise ValueError(self.lie)
            return self.lie
        return truth

    def start(self) -> Any:
        return self.told("start", (), ())

    def turn(self, state: Any) -> Any:
        known = isinstance(state, tuple)
        return self.told("turn", state, [hn.CHANCE, 0, (0, 1), hn.END][min(len(state), 3)] if known else hn.END)

    def chance(self, state: Any) -> Any:
        return self.told("chance", state, [("a", 0.25), ("b", 0.75)])

    def actions(self, state: Any, player: int) -> Any:
        return self.told("actions", state, ["l", "r"])

    def after(self, state: Any, move: Any) -> Any:
        return self.told("after", state, (*state, move))

    def observe(self, state: Any, player: int) -> Any:
        return self.told("observe", state, state[0] if player == 0 else len(state))

    def gains(self, state: Any) -> Any:
        value = 1.0 if len(state) == 3 and state[2] == ("l", state[1]) else -1.0
        return self.told("gains", state, (value, -value) if len(state) == 3 else (0.0, 0.0))


STATES: list[tuple[Any, ...]] = [
    (), ("a",), ("b",), ("a", "l"), ("b", "r"), ("a", "l", ("l", "l")), ("b", "r", ("l", "r")),
]  # fmt: skip
METHODS = ["start", "turn", "chance", "actions", "after", "observe", "gains"]


def try_rules(draw: random.Random, folder: Path, told: list[str]) -> str:
    """Solve a game that lies once, in one of four ways."""
    method, state = draw.choice(METHODS), draw.choice(STATES)
    number, raises = draw.randrange(len(LIES)), draw.random() < 0.1
    way = draw.choice(["check", "cfr", "mccfr-os", "bi", "inspect"])
    told.extend([method, repr(state), repr(LIES[number]), str(raises), way])
    rules = Liar(method, state, LIES[number], raises)
    try:
        if way == "check":
            hn.check_game(rules, most=100, plays=5)
        elif way == "inspect":
            _ = hn.load(rules).played().sizes
        else:
            more: dict[str, Any] = {"over": "rules"} if way == "mccfr-os" else {}
            hn.solve(rules, way, iterations=3, **more)
    except hn.HannanError as error:
        return sentence(error)
    return "solved"
