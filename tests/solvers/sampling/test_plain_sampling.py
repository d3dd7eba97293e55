"""Samplers on plain-Python rules that break promises, are long, wide, interrupted or changed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan import methods
from hannan.errors import ChanceError, HannanError, RulesError
from hannan.rules.plain import END, MOST_MOVES, Rules
from hannan.strategies.policy import Policy
from tests.averages import average_of
from tests.solvers.sampling.guesses import Guess, average


def test_turns_may_be_numbers_of_numpy() -> None:
    class Turns(Guess):
        def turn(self, state: Any) -> Any:
            return np.int64(super().turn(state))

        def after(self, state: Any, move: Any) -> Any:
            assert not isinstance(move, tuple)  # nobody moves at once
            return super().after(state, move)

    for over in ("tree", "rules"):
        for ours, theirs in zip(average(Turns(), over), average(Guess(), "tree"), strict=True):
            assert np.array_equal(ours, theirs)


def turns(at: int, answer: Any) -> dict[str, Any]:
    return {"turn": lambda rules, state: answer if len(state) == at else Guess.turn(rules, state)}


def ends(*answer: Any) -> dict[str, Any]:
    return {"gains": lambda rules, state: answer if len(state) == 3 else (0.0, 0.0)}


def always(name: str, answer: Any) -> dict[str, Any]:
    return {name: lambda rules, *_: answer}


NO_TURN = r"turn\(\) returned {}; it may be END, CHANCE, a player below 2, or a tuple of such players, ascending"
NO_CHANCE = r"chance\(\) returned .*; it should be a list of pairs \(outcome, probability\)"
NO_GAINS = r"gains\(\) returned .*; it should be a list of numbers, one for each player"

BROKEN: dict[str, tuple[dict[str, Any], type[HannanError], str]] = {
    "no turn": (turns(2, None), RulesError, "node r:[ab]:[01]: " + NO_TURN.format("None")),
    "a list": (turns(1, [0, 1]), RulesError, "node r:[ab]: " + NO_TURN.format(r"\[0, 1\]")),
    "a wrong player": (turns(1, 7), RulesError, "node r:[ab]: " + NO_TURN.format("7")),
    "a player below 0": (turns(1, -3), RulesError, "node r:[ab]: " + NO_TURN.format("-3")),
    "a truth": (turns(1, True), RulesError, "node r:[ab]: " + NO_TURN.format("True")),
    "the wrong order": (turns(1, (1, 0)), RulesError, "node r:[ab]: " + NO_TURN.format(r"\(1, 0\)")),
    "a player twice": (turns(1, (0, 0)), RulesError, "node r:[ab]: " + NO_TURN.format(r"\(0, 0\)")),
    "nobody": (turns(1, ()), RulesError, "node r:[ab]: " + NO_TURN.format(r"\(\)")),
    "an array": (turns(1, np.array([0, 1])), RulesError, "node r:[ab]: turn"),
    "chance: no pairs": (always("chance", ["a", "b"]), ChanceError, "node r: " + NO_CHANCE),
    "chance: nothing": (always("chance", None), ChanceError, "node r: " + NO_CHANCE),
    "chance: empty": (always("chance", []), ChanceError, "node r: chance is to move and has no outcome"),
    "chance: words": (always("chance", [("a", "0.5"), ("b", "0.5")]), ChanceError, "node r: " + NO_CHANCE),
    "chance: not a number": (always("chance", [("a", np.nan), ("b", 1.0)]), ChanceError, "node r: a probability is"),
    "chance: too much": (always("chance", [("a", 0.6), ("b", 0.6)]), ChanceError, "node r: .*sum to 1.2, not 1"),
    "chance: one twice": (always("chance", [("a", 0.5)] * 2), ChanceError, "node r: an outcome .* listed twice"),
    "gains: words": (ends("1", "x"), RulesError, "node r:[ab]:[01]:[01]: " + NO_GAINS),
    "gains: nothing": (always("gains", None), RulesError, "node r: " + NO_GAINS),
    "gains: nothing of each": (always("gains", (None, None)), RulesError, "node r: " + NO_GAINS),
    "gains: not a number": (ends(np.nan, 0.0), RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: of the other": (ends(0.0, np.nan), RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: infinite": (ends(np.inf, 0.0), RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: too large": (ends(1e200, 0.0), RulesError, "node r:[ab]:[01]:[01]: a gain is larger than 1e"),
    "gains: far too large": (ends(10**400, 0), RulesError, "node r:[ab]:[01]:[01]: " + NO_GAINS),
    "gains: too few": (always("gains", (0.0,)), RulesError, r"node r: gains\(\) returned 1 number for 2 players"),
    "gains: too many": (always("gains", (0.0,) * 3), RulesError, r"node r: gains\(\) returned 3 numbers"),
    "a list is seen": (always("seen", [1]), RulesError, r"node r:[ab]: observe\(\) returned \[1\], which cannot be"),
    "no action": (always("actions", ()), RulesError, "node r:[ab]: player 0 is to move and has no action"),
    "actions: nothing": (always("actions", None), RulesError, r"node r:[ab]: actions\(\) raised TypeError"),
    "an action twice": (always("actions", (0, 0)), RulesError, "node r:[ab]: an action of player 0 is listed twice"),
    "actions that are lists": (always("actions", ([],)), RulesError, r"node r:[ab]: actions\(\) raised TypeError"),
    "other actions": (
        {"actions": lambda rules, state, player: (0, 1) if state[0] == "a" or player == 0 else (1, 0)},
        RulesError,
        r"node r:[ab]:[01]: player 1 may do \[(1, 0|0, 1)\] here, and something else at another",
    ),
    "more actions": (
        {"actions": lambda rules, state, player: (0, 1) if state[0] == "a" or player == 0 else (0, 1, 2)},
        RulesError,
        r"node r:[ab]:[01]: player 1 may do .* at another history",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", [methods.OutcomeSampling, methods.VRMCCFR])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_promises_are_named_by_their_path(name: str, make: Any, tmp_path: Path) -> None:
    methods, kind, sentence = BROKEN[name]
    solver = make(hn.views.PlayedGame(type("Broken", (Guess,), methods)()), over="rules", seed=1)
    with pytest.raises(kind, match=f"^{sentence}"):
        solver.run(100)
    solver.save(tmp_path / "state")  # what was learnt before is not lost
    assert isinstance(solver.policy(), Policy)


class Long(Rules):
    """One player has nothing to choose, many times."""

    players = 1

    def __init__(self, moves: int) -> None:
        self.moves = moves

    def start(self) -> int:
        return 0

    def turn(self, state: int) -> int:
        return END if state == self.moves else 0

    def actions(self, state: int, player: int) -> Any:
        return (0,)

    def after(self, state: int, move: Any) -> int:
        return state + 1

    def observe(self, state: int, player: int) -> int:
        return state

    def gains(self, state: int) -> Any:
        return (float(state == self.moves),)


@pytest.mark.slow
def test_plays_may_be_longer_than_pythons_stack() -> None:
    moves = sys.getrecursionlimit() + 500
    solver = methods.VRMCCFR(Long(moves), over="rules", seed=1)
    solver.run(1)
    assert solver.sets == moves


def test_plays_that_do_not_end_are_refused() -> None:
    solver = methods.OutcomeSampling(hn.views.PlayedGame(Long(MOST_MOVES)), over="rules", seed=1)
    with pytest.raises(RulesError, match=rf"^node r(:0){{12}} …: play has not ended after {MOST_MOVES} moves"):
        solver.run(1)
    methods.OutcomeSampling(hn.views.PlayedGame(Long(MOST_MOVES - 1)), over="rules", seed=1).run(1)


def test_rules_that_call_themselves_without_end() -> None:
    class Endless(Long):
        def gains(self, state: int) -> Any:
            return self.gains(state) if state == 3 else (0.0,)

    with pytest.raises(RulesError, match=re.escape("node r:0:0:0: gains() raised RecursionError: maximum")):
        methods.OutcomeSampling(hn.views.PlayedGame(Endless(9)), over="rules").run(1)


class Wide(Guess):
    """Chance and both players have many moves, all of them as good as the first two."""

    many = 40

    def chance(self, state: Any) -> Any:
        return [((letter, k), 0.5 / self.many) for k in range(self.many) for letter in "ab"]

    def actions(self, state: Any, player: int) -> Any:
        return range(self.many)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move[0] if not state else move % 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [methods.OutcomeSampling, methods.ExternalSampling, methods.ChanceSampling, methods.VRMCCFR]
)
def test_wide_menus_are_made_room_for(make: Any) -> None:
    tree, rules = (make(Wide(), over=over, seed=3) for over in ("tree", "rules"))
    for solver in (tree, rules):
        solver.run(8)
        solver.run(2)
    for ours, theirs in zip(tree.average().strategies, rules.average().strategies, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("method", ["start", "turn", "chance", "actions", "after", "observe", "gains"])
def test_an_interrupt_inside_the_rules_is_not_swallowed(method: str) -> None:
    """Nothing is learnt from the walk that it cut, and the next one begins where that one began."""
    rules, left = Guess(), 10**6
    answer = getattr(rules, method)

    def interrupted(*arguments: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise KeyboardInterrupt
        return answer(*arguments)

    setattr(rules, method, interrupted)
    cut, whole = (
        methods.ExternalSampling(rules, over="rules", seed=4),
        methods.ExternalSampling(Guess(), over="rules", seed=4),
    )
    left = 50
    with pytest.raises(KeyboardInterrupt):
        cut.run(60)
    cut.run(60 - cut.iterations)
    whole.run(60)
    for ours, theirs in zip(average_of(cut).strategies, average_of(whole).strategies, strict=True):
        assert np.array_equal(ours, theirs)


def test_rules_that_have_changed_since_the_run_was_saved() -> None:
    class Changed(Guess):
        def chance(self, state: Any) -> Any:
            return [("a", 0.5), ("b", 0.25), ("c", 0.25)]

    solver = methods.VRMCCFR(Guess(), over="rules", seed=4)
    solver.run(10)
    state = solver.state()
    other = methods.VRMCCFR(Changed(), over="rules", seed=4)
    other.restore(10, state)
    with pytest.raises(RulesError, match="node r: there are other moves here than when this run was saved"):
        other.run(10)
