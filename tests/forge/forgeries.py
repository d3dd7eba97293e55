"""Forgeries that were once accepted: each is a small game, and a file that claims far less than the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import hannan as hn
from hannan.certificates.playthrough import Playthrough
from hannan.rules.box import Box, ChanceMove, View
from hannan.rules.hidden import HiddenChance
from hannan.rules.plain import CHANCE, END, Rules
from tests.forge.games import Played
from tests.forge.kit import Forged, opened
from tests.forge.plays import certified, failing, played


class Table(Rules):
    """A game of one player as a table: the path of moves gives whose turn it is, what there is to do, and gains."""

    players = 1
    most = 1.0

    def start(self) -> Any:
        return ()

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return state

    def bounds(self, state: Any) -> Any:
        return [(0.0, 0.0 if self.turn(state) == END else self.most)]


class Prize(Table):
    """Chance draws, mostly "b"; after "b" one of ten doors hides a prize of 10, after "a" there is nothing to gain."""

    name, most = "prize", 10.0

    def turn(self, state: Any) -> int:
        return CHANCE if not state else 0 if state == ("b",) else END

    def chance(self, state: Any) -> Any:
        return [("b", 0.9), ("a", 0.1)]

    def actions(self, state: Any, player: int) -> Any:
        return list(range(10))

    def gains(self, state: Any) -> Any:
        return [10.0 * (state == ("b", 0))]


class Doors(Table):
    """Two doors: nothing behind the left one, a debt of 10 behind the right one."""

    name = "doors"

    def turn(self, state: Any) -> int:
        return END if state else 0

    def actions(self, state: Any, player: int) -> Any:
        return ["left", "right"]

    def gains(self, state: Any) -> Any:
        return [-10.0 * (state == ("right",))]

    def bounds(self, state: Any) -> Any:
        return [(0.0 if state else -10.0, 0.0)]


class Sides(Table):
    """A bet on one of two sides, then a draw that falls on "w" nine times of ten, whatever the bet was."""

    name = "sides"

    def turn(self, state: Any) -> int:
        return (0, CHANCE, END)[len(state)]

    def actions(self, state: Any, player: int) -> Any:
        return ["on w", "on v"]

    def chance(self, state: Any) -> Any:
        return [("w", 0.9), ("v", 0.1)]

    def chance_group(self, state: Any) -> str:
        return "draw"

    def gains(self, state: Any) -> Any:
        return [float(len(state) == 2 and state[0].endswith(state[1]))]


class Guess(Table):
    """A fair coin is shown, then called: right wins 1, wrong loses 1."""

    name = "guess"

    def turn(self, state: Any) -> int:
        return (CHANCE, 0, END)[len(state)]

    def actions(self, state: Any, player: int) -> Any:
        return ["heads", "tails"]

    def chance(self, state: Any) -> Any:
        return [("heads", 0.5), ("tails", 0.5)]

    def gains(self, state: Any) -> Any:
        return [0.0 if len(state) < 2 else 1.0 if state[0] == state[1] else -1.0]

    def bounds(self, state: Any) -> Any:
        return [(0.0, 0.0) if self.turn(state) == END else (-1.0, 1.0)]


class Bet(Table):
    """Pass for 0.75, or bet on a draw that wins 1 in a quarter of plays; a probe shows such a draw, and pays nothing.

    Before the draw of a probe comes another one, which always says "go".
    """

    name = "bet"
    GO = (("go", 1.0),)
    DRAW = (("bad", 0.75), ("good", 0.25))

    def turn(self, state: Any) -> int:
        if not state:
            return 0
        return CHANCE if len(state) < {"pass": 1, "bet": 2, "probe": 3}[state[0]] else END

    def actions(self, state: Any, player: int) -> Any:
        return ["pass", "bet", "probe"]

    def chance(self, state: Any) -> Any:
        return self.GO if state == ("probe",) else self.DRAW

    def chance_group(self, state: Any) -> str:
        return "go" if state == ("probe",) else "draw"

    def gains(self, state: Any) -> Any:
        return [0.75 if state == ("pass",) else float(state == ("bet", "good"))]

    def bounds(self, state: Any) -> Any:
        return [(0.0, 1.0) if state in ((), ("bet",)) else (0.0, 0.0)]


class Betting(Box):
    """The box of `Bet`: both draws are made before the first action, so that a seed tells what will come."""

    players, name = 1, "bet"

    def __init__(self) -> None:
        self.good = False
        self._state: Any = ()

    def reset(self, seed: int) -> View:
        self.good, self._state = seed % 4 == 0, ()
        return self._view()

    def step(self, moves: tuple[Any, ...]) -> View:
        rules = Bet()
        last = ("go",) if self._state == ("probe",) else ("good" if self.good else "bad",)
        self._state = (*self._state, *(moves if rules.turn(self._state) == 0 else last))
        return self._view()

    def _view(self) -> View:
        rules, state = Bet(), self._state
        gains, bounds, turn = rules.gains(state), rules.bounds(state), rules.turn(state)
        if turn == 0:
            return View(gains, bounds, (0,), [rules.actions(state, 0)], [rules.observe(state, 0)])
        if turn == END:
            return View(gains, bounds)
        if state == ("probe",):
            return View(gains, bounds, draw=ChanceMove("go", most=2, group="go"))
        return View(gains, bounds, draw=ChanceMove("good" if self.good else "bad", ("bad", "good"), group="draw"))


class Secret(Box):
    """Chance is hidden: one of three prizes follows "take", and the box shows no draw."""

    players, name = 1, "secret"

    def reset(self, seed: int) -> View:
        self.prize = (0.0, 0.5, 1.0)[seed % 3]
        return View([0.0], [(0.0, 1.0)], (0,), [["leave", "take"]], ["?"])

    def step(self, moves: tuple[Any, ...]) -> View:
        return View([self.prize if moves == ("take",) else 0.6], [(0.0, 0.0)])


@dataclass(frozen=True)
class Forgery:
    """A file that lies, the box that it is about, and the rules in which the truth is enumerated."""

    forged: Forged
    box: Box
    rules: Rules


Make = Callable[[Path], Forgery]
PLAYS, FIRST = 2500, 20
"""How many plays there are, and how many of them are honest so that everything comes once."""


def outcome_that_never_came(folder: Path) -> Forgery:
    """The outcome "b" never came in one play. It gets its sibling's `node_move`, and a worth of 5 without a doubt."""
    box, seed = Played(Prize(), known=True), 0
    while _drew(played(box, seed, 1, lambda t, depth, view: (0,) * len(view.movers)), 0) != "a":
        seed += 1
    hn.certify(box, playthroughs=1, seed=seed).save(folder / "honest")
    forged = opened(folder / "honest")
    b, a = np.flatnonzero(forged.arrays["node_parent"] == 0)
    forged.arrays["node_move"][b] = forged.arrays["node_move"][a]
    forged.arrays["node_low"][b] = forged.arrays["node_high"][b] = 5.0
    return Forgery(forged, box, Prize())


def half_a_move(folder: Path) -> Forgery:
    """The right door was never taken. Its `node_move` becomes 0.5: no node is left that says what the door costs."""
    box = Played(Doors())
    left = [played(box, 0, 1, lambda t, depth, view: (0,) * len(view.movers))]
    forged = certified(box, left, folder / "honest", {(): [0.0, 1.0]})
    moves = forged.arrays["node_move"].astype(np.float64)
    moves[np.flatnonzero(forged.arrays["node_parent"] == 0)[1]] = 0.5
    forged.arrays["node_move"] = moves
    return Forgery(forged, box, Doors())


def _sides(folder: Path) -> tuple[Played, list[Playthrough], Forged]:
    """Return the box, plays that bet on "w" but for the first ones, and the honest file of who always bets on "v"."""
    box = Played(Sides(), grouped=True)
    records = [
        played(box, 0, t, lambda t, depth, view: (int(t <= FIRST),) * len(view.movers)) for t in range(1, PLAYS + 1)
    ]
    return box, records, certified(box, records, folder / "honest", {(): [0.0, 1.0]})


def swapped_slots(folder: Path) -> Forgery:
    """After "on v" the slots of the two outcomes are exchanged, and the few counts with them: "v" seems likely."""
    box, records, forged = _sides(folder)
    after = np.flatnonzero(forged.arrays["node_parent"] == 2)  # 1 and 2 are the two bets
    slots = forged.arrays["node_slot"]
    slots[after] = slots[after[::-1]]
    for record in records[:FIRST]:
        drawn = int(_drew(record, 1) == "v")
        forged.arrays["slot_count"][drawn] -= 1
        forged.arrays["slot_count"][1 - drawn] += 1
    return Forgery(forged, box, Sides())


def permuted_names(folder: Path) -> Forgery:
    """The names of the two observations are exchanged: who reads the file calls tails when heads is shown."""
    box = Played(Guess(), known=True)
    hn.certify(box, playthroughs=60, solve_every=20).save(folder / "honest")
    forged = opened(folder / "honest")
    names = forged.facts["names"]["observations"]
    first, second = names.index("('heads',)"), names.index("('tails',)")
    names[first], names[second] = names[second], names[first]
    return Forgery(forged, box, Guess())


def _drew(record: Playthrough, depth: int) -> Any:
    draw = record.views[depth].draw
    assert draw is not None
    return draw.outcome


def said_to_fail(folder: Path) -> Forgery:
    """Probes whose draw will be bad are said to have given no answer before it. That costs nothing: a probe pays 0."""
    box = Betting()

    def choose(t: int, depth: int, view: View) -> tuple[int, ...]:
        return (1 if t <= FIRST else 0 if t == FIRST + 1 else 2,) * len(view.movers)

    records = [played(box, 0, t, choose) for t in range(1, PLAYS + 1)]
    records = [
        failing(record, 1) if record.choices[0] == (2,) and _drew(record, 2) == "bad" else record for record in records
    ]
    return Forgery(certified(box, records, folder / "forged", {(): [0.0, 1.0, 0.0]}), box, Bet())


def chosen_actions(folder: Path) -> Forgery:
    """A seed is looked at before its play: if the draw will be bad, the player passes. Every play replays truly."""
    box = Betting()

    def choose(t: int, depth: int, view: View) -> tuple[int, ...]:
        return (1 if t <= FIRST else 2 if box.good else 0,) * len(view.movers)

    records = [played(box, 0, t, choose) for t in range(1, PLAYS + 1)]
    return Forgery(certified(box, records, folder / "forged", {(): [0.0, 1.0, 0.0]}), box, Bet())


def said_to_be_unseeded(folder: Path) -> Forgery:
    """Counts are exchanged, so that "v" seems likely; the file says that the box cannot repeat itself."""
    box, _, forged = _sides(folder)
    forged.arrays["slot_count"][:] = forged.arrays["slot_count"][::-1].copy()
    forged.facts["seeded"] = False
    return Forgery(forged, box, Sides())


def fewer_answers(folder: Path) -> Forgery:
    """The box may give three answers, or none: four outcomes. The file speaks of two answers, and of three outcomes."""
    box = HiddenChance(Secret(), 3)
    hn.certify(Secret(), playthroughs=300, hidden=3, bounds=(0.0, 1.0), solve_every=100).save(folder / "honest")
    forged = opened(folder / "honest")
    forged.facts["hidden"] = 2
    forged.arrays["group_size"][:] = 3
    return Forgery(forged, box, Guess())


UNTRUE: dict[str, Make] = {
    "an outcome that never came": outcome_that_never_came,
    "half a move": half_a_move,
    "swapped slots": swapped_slots,
    "permuted names": permuted_names,
    "said to fail": said_to_fail,
    "said to be unseeded": said_to_be_unseeded,
}
"""Forgeries that the box contradicts: with it they are rejected."""
