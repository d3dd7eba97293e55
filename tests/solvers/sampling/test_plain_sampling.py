"""Samplers on plain-Python rules: observations of every kind, and rules that break promises."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError
from hannan.forms.loading import load_expanded
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules
from hannan.solvers.sampling.asking import Asking
from hannan.solvers.sampling.sampler import Sampling
from hannan.strategies.files import read_policy, save
from hannan.strategies.policy import Policy
from tests.averages import average_of, current_of


class Guess(Rules):
    """Chance draws a or b; player 0 sees it and acts; player 1 sees the action only. They meet, or do not."""

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> Any:
        return (CHANCE, 0, 1, END)[len(state)]

    def chance(self, state: Any) -> Any:
        return [("a", 0.5), ("b", 0.5)]

    def actions(self, state: Any, player: int) -> Any:
        return [0, 1]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> Any:
        return self.seen(int(state[0] == "b") if player == 0 else state[1], state[0])

    def seen(self, number: int, hidden: str) -> Any:
        """Return what stands for a number; `hidden` may change its form."""
        return number

    def gains(self, state: Any) -> Any:
        if len(state) < 3:
            return 0.0, 0.0
        won = (state[1] == state[2]) * (1.0 if state[0] == "a" else -1.0)
        return won, -won


class Shown:
    """An observation that has the text of all objects, an address; equal where its number is."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


class Hidden(Shown):
    """Says the same of every number."""

    def __repr__(self) -> str:
        return "hidden"


@dataclass(frozen=True)
class Card:
    rank: Any


class Colour(Enum):
    RED = 0
    BLACK = 1


class Numbers(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return bool(number) if hidden == "a" else np.int64(number)


class Tuples(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return ("card", float(number) if hidden == "a" else number)


class Sets(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return frozenset({"x", "y", str(number)})


class Cards(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Card(bool(number) if hidden == "a" else number)


class Colours(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Colour(number)


class Addresses(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Shown(number)


class Alike(Guess):
    def seen(self, number: int, hidden: str) -> Any:
        return Hidden(number)


LASTING = (Guess, Numbers, Tuples, Sets, Cards, Colours)
PASSING = (Addresses, Alike)


def average(rules: Rules, on: Any, **parameters: Any) -> list[Any]:
    solver = hn.ExternalSampling(rules, on=on, seed=4, **parameters)
    solver.run(30)
    return [*average_of(solver).strategies, *current_of(solver).strategies]


@pytest.mark.parametrize("make", [*LASTING, *PASSING])
def test_observations_are_compared_as_on_the_tree(make: type[Guess]) -> None:
    """All of them are one game, so they have one strategy: to the same bits from one stream."""
    truth = average(Guess(), "tree")
    assert not np.allclose(truth[0][1:], 0.5)
    for on in ("tree", "rules"):
        for ours, theirs in zip(average(make(), on), truth, strict=True):
            assert np.array_equal(ours, theirs)
    gathered = zip(average(make(), "rules", streams=3), average(Guess(), "tree", streams=3), strict=True)
    for ours, theirs in gathered:
        np.testing.assert_allclose(ours, theirs, atol=1e-12)  # sums over streams are added in another order


@pytest.mark.parametrize("streams", [1, 2])
@pytest.mark.parametrize("make", LASTING)
def test_a_run_resumes_to_the_same_bits(make: type[Guess], streams: int, tmp_path: Path) -> None:
    solver = hn.ExternalSampling(make(), on="rules", seed=4, streams=streams)
    solver.run(10)
    solver.save(tmp_path / "state")
    again = hn.resume(tmp_path / "state", make())
    assert isinstance(again, Sampling)
    for walks in (20, 26):  # first nothing is met again, then by one stream, then by all
        for ours, theirs in zip(average_of(again).strategies, average_of(solver).strategies, strict=True):
            assert np.array_equal(ours, theirs)
        for one in (solver, again):
            one._streams[0].walk(walks)
    for one in (solver, again):
        one.run(10)
    assert again.sets == solver.sets == 4
    assert np.array_equal(again.policy().probability, solver.policy().probability)


@pytest.mark.parametrize("make", LASTING)
def test_a_policy_is_saved_and_read(make: type[Guess], tmp_path: Path) -> None:
    solver = hn.ExternalSampling(make(), on="rules", seed=4)
    solver.run(30)
    for policy in (solver.policy(), Policy.of_profile(average_of(solver))):
        save(policy, tmp_path / "policy")
        back = read_policy(tmp_path / "policy", make())
        for ours, theirs in zip(back.profile().strategies, average_of(solver).strategies, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(("make", "sentence"), [(Addresses, "cannot be saved"), (Alike, "have one text in files")])
def test_what_a_text_cannot_stand_for_is_not_saved(make: type[Guess], sentence: str, tmp_path: Path) -> None:
    solver = hn.ExternalSampling(make(), on="rules", seed=4)
    solver.run(10)
    policies = solver.policy(), Policy.of_profile(average_of(solver))
    writes: list[Callable[[Path], None]] = [solver.save, *(partial(save, policy) for policy in policies)]
    for write in writes:
        with pytest.raises(hn.ParameterError, match=rf"{sentence}.*let observe\(\) return numbers and words"):
            write(tmp_path / "state")
    assert not (tmp_path / "state").exists()
    solver.run(20)
    for ours, theirs in zip(average_of(solver).strategies, average(Guess(), "tree"), strict=False):
        assert np.array_equal(ours, theirs)


def test_a_policy_whose_texts_mean_two_observations_is_refused(tmp_path: Path) -> None:
    """A file of a run that has met one of them only."""
    one = np.zeros(1, np.int64)
    policy = Policy(load_expanded(Alike()), one, one, one + 2, one + 2, np.array([1.0, 1.0, 0.5, 0.5]), ("hidden",), {})
    save(policy, tmp_path / "policy")
    with pytest.raises(hn.MismatchError, match="two observations of Alike have the same text"):
        read_policy(tmp_path / "policy", Alike()).profile()
    asking = Asking(Alike())
    asking.recall(["hidden"])
    assert asking.code(Hidden(1)) == asking.code(Hidden(1)) == 0
    with pytest.raises(hn.RulesError, match="node r: two observations that are not equal"):
        asking.code(Hidden(2))


def test_what_is_recalled_is_met_by_equality_or_by_text() -> None:
    asking = Asking(Guess())
    asking.recall(["hidden", "3", "hidden"], {Hidden(1): 0, Hidden(2): 2})
    assert [asking.code(seen) for seen in (Hidden(2), 3.0, Hidden(1), Hidden(3), True, 3)] == [2, 1, 0, 3, 4, 1]
    assert asking.texts() == ["hidden", "3", "hidden", "hidden", "1"]
    with pytest.raises(hn.MismatchError, match="have the same text"):
        asking.recall(["hidden", "3", "hidden"])


def test_turns_may_be_numbers_of_numpy() -> None:
    class Turns(Guess):
        def turn(self, state: Any) -> Any:
            return np.int64(super().turn(state))

        def after(self, state: Any, move: Any) -> Any:
            assert not isinstance(move, tuple)  # nobody moves at once
            return super().after(state, move)

    for on in ("tree", "rules"):
        for ours, theirs in zip(average(Turns(), on), average(Guess(), "tree"), strict=True):
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
    "no turn": (turns(2, None), hn.RulesError, "node r:[ab]:[01]: " + NO_TURN.format("None")),
    "a list": (turns(1, [0, 1]), hn.RulesError, "node r:[ab]: " + NO_TURN.format(r"\[0, 1\]")),
    "a wrong player": (turns(1, 7), hn.RulesError, "node r:[ab]: " + NO_TURN.format("7")),
    "a player below 0": (turns(1, -3), hn.RulesError, "node r:[ab]: " + NO_TURN.format("-3")),
    "a truth": (turns(1, True), hn.RulesError, "node r:[ab]: " + NO_TURN.format("True")),
    "the wrong order": (turns(1, (1, 0)), hn.RulesError, "node r:[ab]: " + NO_TURN.format(r"\(1, 0\)")),
    "a player twice": (turns(1, (0, 0)), hn.RulesError, "node r:[ab]: " + NO_TURN.format(r"\(0, 0\)")),
    "nobody": (turns(1, ()), hn.RulesError, "node r:[ab]: " + NO_TURN.format(r"\(\)")),
    "an array": (turns(1, np.array([0, 1])), hn.RulesError, "node r:[ab]: turn"),
    "chance: no pairs": (always("chance", ["a", "b"]), hn.ChanceError, "node r: " + NO_CHANCE),
    "chance: nothing": (always("chance", None), hn.ChanceError, "node r: " + NO_CHANCE),
    "chance: empty": (always("chance", []), hn.ChanceError, "node r: chance is to move and has no outcome"),
    "chance: words": (always("chance", [("a", "0.5"), ("b", "0.5")]), hn.ChanceError, "node r: " + NO_CHANCE),
    "chance: not a number": (always("chance", [("a", np.nan), ("b", 1.0)]), hn.ChanceError, "node r: a probability is"),
    "chance: too much": (always("chance", [("a", 0.6), ("b", 0.6)]), hn.ChanceError, "node r: .*sum to 1.2, not 1"),
    "chance: one twice": (always("chance", [("a", 0.5)] * 2), hn.ChanceError, "node r: an outcome .* listed twice"),
    "gains: words": (ends("1", "x"), hn.RulesError, "node r:[ab]:[01]:[01]: " + NO_GAINS),
    "gains: nothing": (always("gains", None), hn.RulesError, "node r: " + NO_GAINS),
    "gains: nothing of each": (always("gains", (None, None)), hn.RulesError, "node r: " + NO_GAINS),
    "gains: not a number": (ends(np.nan, 0.0), hn.RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: of the other": (ends(0.0, np.nan), hn.RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: infinite": (ends(np.inf, 0.0), hn.RulesError, "node r:[ab]:[01]:[01]: a gain is not a finite number"),
    "gains: too large": (ends(1e200, 0.0), hn.RulesError, "node r:[ab]:[01]:[01]: a gain is larger than 1e"),
    "gains: far too large": (ends(10**400, 0), hn.RulesError, "node r:[ab]:[01]:[01]: " + NO_GAINS),
    "gains: too few": (always("gains", (0.0,)), hn.RulesError, r"node r: gains\(\) returned 1 numbers for 2 players"),
    "gains: too many": (always("gains", (0.0,) * 3), hn.RulesError, r"node r: gains\(\) returned 3 numbers"),
    "a list is seen": (always("seen", [1]), hn.RulesError, r"node r:[ab]: observe\(\) returned \[1\], which cannot be"),
    "no action": (always("actions", ()), hn.RulesError, "node r:[ab]: player 0 is to move and has no action"),
    "actions: nothing": (always("actions", None), hn.RulesError, r"node r:[ab]: actions\(\) raised TypeError"),
    "an action twice": (always("actions", (0, 0)), hn.RulesError, "node r:[ab]: an action of player 0 is listed twice"),
    "actions that are lists": (always("actions", ([],)), hn.RulesError, r"node r:[ab]: actions\(\) raised TypeError"),
    "other actions": (
        {"actions": lambda rules, state, player: (0, 1) if state[0] == "a" or player == 0 else (1, 0)},
        hn.RulesError,
        r"node r:[ab]:[01]: player 1 may do \[(1, 0|0, 1)\], but \[(1, 0|0, 1)\] at another history",
    ),
    "more actions": (
        {"actions": lambda rules, state, player: (0, 1) if state[0] == "a" or player == 0 else (0, 1, 2)},
        hn.RulesError,
        r"node r:[ab]:[01]: player 1 may do .* at another history",
    ),
}  # fmt: skip


@pytest.mark.parametrize("make", [hn.OutcomeSampling, hn.VRMCCFR])
@pytest.mark.parametrize("name", BROKEN)
def test_broken_promises_are_named_by_their_path(name: str, make: Any, tmp_path: Path) -> None:
    methods, kind, sentence = BROKEN[name]
    solver = make(hn.PlayedGame(type("Broken", (Guess,), methods)()), on="rules", seed=1)
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


def test_plays_may_be_longer_than_pythons_stack() -> None:
    moves = sys.getrecursionlimit() + 500
    solver = hn.VRMCCFR(Long(moves), on="rules", seed=1)
    solver.run(1)
    assert solver.sets == moves


def test_plays_that_do_not_end_are_refused() -> None:
    solver = hn.OutcomeSampling(hn.PlayedGame(Long(MOST_MOVES)), on="rules", seed=1)
    with pytest.raises(hn.RulesError, match=rf"^node r(:0){{12}} …: play has not ended after {MOST_MOVES} moves"):
        solver.run(1)
    hn.OutcomeSampling(hn.PlayedGame(Long(MOST_MOVES - 1)), on="rules", seed=1).run(1)


def test_rules_that_call_themselves_without_end() -> None:
    class Endless(Long):
        def gains(self, state: int) -> Any:
            return self.gains(state) if state == 3 else (0.0,)

    with pytest.raises(hn.RulesError, match=re.escape("node r:0:0:0: gains() raised RecursionError: maximum")):
        hn.OutcomeSampling(hn.PlayedGame(Endless(9)), on="rules").run(1)


class Wide(Guess):
    """Chance and both players have many moves, all of them as good as the first two."""

    many = 40

    def chance(self, state: Any) -> Any:
        return [((letter, k), 0.5 / self.many) for k in range(self.many) for letter in "ab"]

    def actions(self, state: Any, player: int) -> Any:
        return range(self.many)

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move[0] if not state else move % 2)


@pytest.mark.parametrize("make", [hn.OutcomeSampling, hn.ExternalSampling, hn.ChanceSampling, hn.VRMCCFR])
def test_wide_menus_are_made_room_for(make: Any) -> None:
    tree, rules = (make(Wide(), on=on, seed=3) for on in ("tree", "rules"))
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
    cut, whole = hn.ExternalSampling(rules, on="rules", seed=4), hn.ExternalSampling(Guess(), on="rules", seed=4)
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

    solver = hn.VRMCCFR(Guess(), on="rules", seed=4)
    solver.run(10)
    state = solver.state()
    other = hn.VRMCCFR(Changed(), on="rules", seed=4)
    other.restore(10, state)
    with pytest.raises(hn.RulesError, match="node r: there are other moves here than when this run was saved"):
        other.run(10)


@pytest.mark.parametrize("make", [*LASTING, *PASSING])
def test_policies_are_played_and_followed_by_equality(make: type[Guess]) -> None:
    """What rollouts earn, and where a sampling policy leads, does not depend on how an observation is written."""
    found = []
    for rules in (Guess(), make()):
        solver = hn.ExternalSampling(rules, on="rules", seed=4)
        solver.run(30)
        policy = solver.policy()
        guided = hn.OutcomeSampling(solver.game, on="rules", seed=5, sampling_policy=policy, epsilon=0.1)
        guided.run(40)
        found.append([hn.rollouts(policy, plays=300).values, *map(tuple, average_of(guided).strategies)])
    assert found[0] == found[1]
