"""Every promise that rules can break: the right error, with the path of play, from checking and from solving alike."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import ChanceError, RulesError
from hannan.forms.expansion import expand
from hannan.games.matrix import matrix_game
from hannan.rules.checks import check_rules
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import END, Rules
from hannan.runs.solve import solve
from tests.plaingames import Alone, Coins, Lottery, Over, Split


@pytest.mark.parametrize(
    ("rules", "histories"), [(Coins(), 15), (Over(), 1), (Lottery(), 4), (Alone(), 9), (Split(), 46)]
)
def test_sound_games_pass(rules: Rules, histories: int) -> None:
    """Counted by hand: coins 1+2+4+8, tickets 1+3, alone 1+2+2+4, split 1+9+9·4."""
    found = check_rules(rules)
    assert found.histories == histories
    assert found.complete
    assert str(found).startswith(f"no promise is broken: {histories} histories (all of them) and 100 plays")


def test_compiled_games_pass_too() -> None:
    assert check_rules(matrix_game([[1.0, 2.0], [3.0, 4.0]])).histories == 5


def test_large_games_are_checked_in_part() -> None:
    found = check_rules(Split(), most=12)
    assert not found.complete
    assert "the first ones, level by level" in str(found)


def broken(**methods: Callable[..., Any]) -> Rules:
    """Return the coins game with some methods replaced."""
    made: Rules = type("Broken", (Coins,), methods)()
    return made


def at(place: tuple[Any, ...], answer: Any, name: str) -> Callable[..., Any]:
    """Return a method that answers differently at one state and as always elsewhere."""
    usual = getattr(Coins(), name)

    def method(self: Rules, state: Any, *more: Any) -> Any:
        return answer if state == place else usual(state, *more)

    return method


def _raise(*_: Any) -> Any:
    raise ZeroDivisionError("division by zero")


def _changing_after(self: Rules, state: Any, move: Any) -> Any:
    state.append(move)
    return list(state)


def _odds(*weights: float) -> Callable[..., Any]:
    return at((), [("H", weights[0]), ("T", weights[1])], "chance")


counter = itertools.count()


def _nameless(self: Rules, player: int, thing: Any) -> Any:
    """Name what chance does, and nothing else."""
    return thing if thing in ("H", "T") and player < 0 else _raise()


BROKEN: dict[str, tuple[Rules, type[RulesError], str]] = {
    "actions differ inside an information set": (
        broken(actions=at(("T", "h"), ["h", "t", "x"], "actions")),
        RulesError,
        r"node r:T:h: player 1 may do \['h', 't', 'x'\] here, and something else at another history",
    ),
    "the order of actions differs inside an information set": (
        broken(actions=at(("T", "h"), ["t", "h"], "actions")),
        RulesError,
        r"node r:T:h: player 1 may do \['t', 'h'\]",
    ),
    "probabilities sum to 0.9": (broken(chance=_odds(0.5, 0.4)), ChanceError, r"node r: .*sum to 0\.9, not 1"),
    "a probability is negative": (broken(chance=_odds(1.5, -0.5)), ChanceError, "node r: .*negative"),
    "a probability is not a number": (broken(chance=_odds(math.nan, 1)), ChanceError, "node r: .*not a number"),
    "a probability is infinite": (broken(chance=_odds(math.inf, 0)), ChanceError, "node r: "),
    "an outcome comes twice": (
        broken(chance=lambda *_: [("H", 0.5), ("H", 0.5)]),
        ChanceError,
        "node r: an outcome of chance is listed twice",
    ),
    "chance has no outcome": (broken(chance=lambda *_: []), RulesError, "node r: "),
    "a gain is not a number": (
        broken(gains=at(("H", "t"), (math.nan, 0), "gains")),
        RulesError,
        "node r:H:t: a gain is not a finite number",
    ),
    "a gain is infinite": (
        broken(gains=at(("H", "h", "t"), (0.0, -math.inf), "gains")),
        RulesError,
        "node r:H:h:t: a gain is not a finite number",
    ),
    "too few gains": (broken(gains=at(("T",), (1.0,), "gains")), RulesError, r"node r:T: gains\(\) returned 1 number"),
    "too many gains": (
        broken(gains=at(("T",), (1.0, 2.0, 3.0), "gains")),
        RulesError,
        r"node r:T: gains\(\) returned 3 numbers for 2 players",
    ),
    "too few gains, all 0": (broken(gains=at(("T",), (0.0,), "gains")), RulesError, "node r:T: "),
    "no gains": (broken(gains=at(("T",), (), "gains")), RulesError, "node r:T: "),
    "gains are not a sequence": (broken(gains=at(("T",), None, "gains")), RulesError, r"node r:T: .* returned None"),
    "a player has no action": (broken(actions=at(("H", "t"), [], "actions")), RulesError, "node r:H:t: "),
    "an action comes twice": (
        broken(actions=lambda *_: ["h", "h"]),
        RulesError,
        "node r:H: an action of player 0 is listed twice",
    ),
    "nobody like that": (broken(turn=at(("H",), 2, "turn")), RulesError, r"node r:H: .*turn\(\)"),
    "nobody below the end": (broken(turn=at(("H",), -3, "turn")), RulesError, r"node r:H: .*turn\(\)"),
    "movers out of order": (broken(turn=at(("H",), (1, 0), "turn")), RulesError, r"node r:H: .*turn\(\)"),
    "the same mover twice": (broken(turn=at(("H",), (0, 0), "turn")), RulesError, r"node r:H: .*turn\(\)"),
    "no movers": (broken(turn=at(("H",), (), "turn")), RulesError, r"node r:H: .*turn\(\)"),
    "turn is None": (broken(turn=at(("H",), None, "turn")), RulesError, "node r:H: "),
    "turn is a list": (broken(turn=at(("H",), [0, 1], "turn")), RulesError, "node r:H: "),
    "turn is a word": (broken(turn=at(("H",), "end", "turn")), RulesError, "node r:H: "),
    "an observation cannot be hashed": (
        broken(observe=at(("H",), ["H"], "observe")),
        RulesError,
        r"node r:H: observe\(\) returned \[.H.\], which cannot be looked up \(unhashable",
    ),
    "answers change": (
        broken(actions=lambda *_: [next(counter)]),
        RulesError,
        r"node r:H: actions\(\) answered \[\d+\], then \[\d+\]",
    ),
    "chance changes": (
        broken(chance=lambda *_: [("H", w := 0.1 + 0.2 * (next(counter) % 2)), ("T", 1 - w)]),
        RulesError,
        r"node r: chance\(\) answered \[.*\], then \[",
    ),
    "gains change": (
        broken(gains=lambda *_: (0.0, float(next(counter)))),
        RulesError,
        r"node r: gains\(\) answered \[0\.0, \d+\.0\], then \[0\.0, \d+\.0\]",
    ),
    "the start changes": (
        broken(start=lambda _: (next(counter),)),
        RulesError,
        r"node .*: start\(\) answered \(\d+,\), then \(\d+,\)",
    ),
    "what comes after changes": (
        broken(after=lambda _, state, move: (*state, f"{move}{next(counter)}")),
        RulesError,
        r"node r: after\(\) returned \('H\d+',\), then \('H\d+',\) for 'H'",
    ),
    "a gain is too large": (
        broken(gains=at(("H", "h", "t"), (0.0, -1e151), "gains")),
        RulesError,
        r"node r:H:h:t: a gain is larger than 1e\+150",
    ),
    "action_text raises": (
        broken(action_text=_nameless),
        RulesError,
        r"node r:H: action_text\(\) raised ZeroDivisionError",
    ),
    "action_text raises for chance": (
        broken(action_text=_raise),
        RulesError,
        r"node r: action_text\(\) raised ZeroDivisionError",
    ),
    "action_text is no text": (
        broken(action_text=lambda _, player, action: 7),
        RulesError,
        r"node r: action_text\(\) returned 7, which is not a string",
    ),
    "observation_text raises": (
        broken(observation_text=_raise),
        RulesError,
        r"node r:H: observation_text\(\) raised ZeroDivisionError",
    ),
    "the state is changed": (
        broken(start=lambda _: [], after=_changing_after),
        RulesError,
        r"node r: after\(\) changed its argument `state`",
    ),
    "start raises": (broken(start=_raise), RulesError, r"node r: start\(\) raised ZeroDivisionError: division"),
    "turn raises": (broken(turn=_raise), RulesError, r"node r: turn\(\) raised ZeroDivisionError"),
    "actions raise": (broken(actions=_raise), RulesError, r"node r:H: .*ZeroDivisionError"),
    "chance raises": (broken(chance=_raise), RulesError, r"node r: .*ZeroDivisionError"),
    "after raises": (broken(after=_raise), RulesError, r"node r: .*ZeroDivisionError"),
    "observe raises": (broken(observe=_raise), RulesError, r"node r:H: .*ZeroDivisionError"),
    "gains raise": (broken(gains=_raise), RulesError, r"node r: .*ZeroDivisionError"),
    "chance is not written": (broken(chance=Rules.chance), RulesError, r"node r: .*chance\(\) is not defined"),
    "a cycle": (
        broken(turn=lambda *_: 0, after=lambda _, state, move: (len(state) + 1) % 3 * ("h",), observe=lambda *_: 0),
        RulesError,
        r"node r:h:h:h.*: a state occurs twice, so play may never end",
    ),
    "an endless line of play": (
        broken(start=lambda _: 0, turn=lambda *_: 0, after=lambda _, state, move: state + 1, observe=lambda *_: 0,
               gains=lambda *_: (0.0, 0.0)),
        RulesError,
        r"node r:h:h:h:.* …: play has not ended after 4096 moves",
    ),
}  # fmt: skip


@pytest.mark.parametrize("promise", BROKEN)
def test_broken_promises_are_named(promise: str) -> None:
    rules, kind, sentence = BROKEN[promise]
    with pytest.raises(kind, match=sentence):
        check_rules(rules)


@pytest.mark.parametrize("promise", BROKEN)
@pytest.mark.parametrize("door", [expand, lambda rules: solve(rules, iterations=1)], ids=["expand", "solve"])
def test_expanding_and_solving_say_the_same(door: Callable[[Rules], Any], promise: str) -> None:
    rules, kind, sentence = BROKEN[promise]
    with pytest.raises(kind, match=sentence):
        door(rules)


def test_actions_that_print_alike() -> None:
    """They can be told apart by a program, and by nobody who reads its results."""
    rules = broken(actions=at(("T", "h"), [1, "1"], "actions"), observe=lambda _, state, player: state)
    with pytest.raises(RulesError, match=r"node r:T:h: two actions of player 1 have the same name: \[1, '1'\]"):
        check_rules(rules, plays=0)
    renamed = type("Renamed", (type(rules),), {"action_text": lambda _, player, action: repr(action)})()
    assert check_rules(renamed).complete


@pytest.mark.parametrize("players", [0, 15, -1, "two", None, True, 2.0])
def test_the_number_of_players(players: Any) -> None:
    rules = broken()
    rules.players = players
    with pytest.raises(RulesError, match=r"Broken\.players is .*; it should be 1 to 14"):
        check_rules(rules)
    with pytest.raises(RulesError, match=r"Broken\.players is .*; it should be 1 to 14"):
        expand(rules)


def test_what_is_no_rules_object() -> None:
    thing: Any = 3
    with pytest.raises(RulesError, match="3 is not a Rules object"):
        check_rules(thing)


def test_a_rare_fault_is_found_by_the_walk() -> None:
    """One history of many: random plays may miss it, visiting them all cannot."""
    rules = broken(gains=at(("T", "h", "t"), (math.nan, 0.0), "gains"))
    with pytest.raises(RulesError, match="node r:T:h:t: "):
        check_rules(rules, plays=0)


class Boards(Coins):
    """States that are arrays, or hold some: they have no truth value, cannot be hashed, and are fine all the same."""

    def __init__(self, wrap: Callable[[np.ndarray], Any], unwrap: Callable[[Any], np.ndarray]) -> None:
        self.wrap, self.unwrap = wrap, unwrap

    def start(self) -> Any:
        return self.wrap(np.zeros(0, np.int64))

    def turn(self, state: Any) -> int | tuple[int, ...]:
        return (0, 1, END)[len(self.unwrap(state))]

    def actions(self, state: Any, player: int) -> Sequence[int]:
        return (0, 1)

    def after(self, state: Any, move: Any) -> Any:
        return self.wrap(np.append(self.unwrap(state), move))

    def observe(self, state: Any, player: int) -> str:
        return "your turn"

    def gains(self, state: Any) -> Sequence[float]:
        board = self.unwrap(state)
        return (float(board[0]), float(board[1])) if len(board) == 2 else (0.0, 0.0)


@pytest.mark.parametrize(
    ("wrap", "unwrap"),
    [(lambda a: a, lambda s: s), (lambda a: (a, "more"), lambda s: s[0])],
    ids=["array", "tuple with an array"],
)
def test_states_may_be_arrays(wrap: Callable[[np.ndarray], Any], unwrap: Callable[[Any], np.ndarray]) -> None:
    rules = Boards(wrap, unwrap)
    assert check_rules(rules).histories == 7
    assert expand(rules).nodes == 7


class Record:
    """A state that is only equal to itself."""

    def __init__(self, moves: tuple[str, ...]) -> None:
        self.moves = moves


class Records(Coins):
    """Sound but for one thing: equal histories do not give equal states."""

    def start(self) -> Record:
        return Record(())

    def turn(self, state: Record) -> int | tuple[int, ...]:
        return super().turn(state.moves)

    def after(self, state: Record, move: str) -> Record:
        return Record((*state.moves, move))

    def observe(self, state: Record, player: int) -> str:
        return state.moves[player]

    def gains(self, state: Record) -> Sequence[float]:
        return super().gains(state.moves)


def test_states_without_equality_are_not_called_changed() -> None:
    """They may be accepted, or refused for what is wrong with them; after() changes nothing here."""
    try:
        check_rules(Records())
    except RulesError as error:
        sentence = str(error)
    else:
        sentence = ""
    assert "changed" not in sentence


def test_compiled_rules_are_watched_too() -> None:
    """The table of a matrix game with a payoff that is not a number, past the checks of its maker."""
    good = matrix_game([[1.0, 2.0], [3.0, 4.0]])
    table = good.table.copy()
    table[-1] = np.array([math.nan]).view(np.int64)[0]
    rules = CompiledRules("bad", 2, good.book, table, state_size=good.state_size, width=good.width)
    with pytest.raises(RulesError, match=r"node r:\(1,1\): a gain is not a finite number"):
        expand(rules)
    with pytest.raises(RulesError, match=r"node r:\(1,1\): a gain is not a finite number"):
        check_rules(rules)


ODDS: dict[str, tuple[tuple[Any, Any], str | None]] = {
    "fractions": ((Fraction(1, 2), Fraction(1, 2)), None),
    "float32": ((np.float32(0.5), np.float32(0.5)), None),
    "whole numbers": ((1, 0), None),
    "decimals": ((Decimal("0.5"), Decimal("0.5")), "probabilities that can be multiplied by a float"),
    "a decimal that is no number": ((Decimal("nan"), Decimal(1)), "it should be a list of pairs"),
    "texts": (("0.5", "0.5"), "it should be a list of pairs"),
    "complex numbers": ((0.5 + 0j, 0.5 + 0j), "it should be a list of pairs"),
    "no number": ((math.nan, 1.0), "a probability is negative or not a number"),
    "negative": ((-0.5, 1.5), "a probability is negative or not a number"),
    "too large": ((10**400, 0), "it should be a list of pairs"),
}


@pytest.mark.parametrize("odds", ODDS)
def test_odds_of_any_type_have_one_answer_everywhere(odds: str) -> None:
    """A game that the check accepts is solved, played and certified; else all of them say the same sentence."""
    (heads, tails), wrong = ODDS[odds]

    class Odd(Coins):
        def chance(self, state: Any) -> Any:
            return [("H", heads), ("T", tails)]

        def gains(self, state: Any) -> Sequence[float]:
            own = super().gains(state)[0]
            return own, -own

    users: list[Callable[[], Any]] = [
        lambda: hn.check_game(Odd()),
        lambda: hn.solve(Odd(), "cfr", iterations=2),
        lambda: hn.solve(Odd(), "mccfr-os", over="rules", iterations=2),
        lambda: hn.match(Odd(), "uniform", "uniform", games=2),
        lambda: hn.certify(Odd(), playthroughs=2, bounds=(-9, 9)),
    ]
    for use in users:
        if wrong is None:
            use()
        else:
            with pytest.raises(hn.errors.RulesError, match=f"^node r: .*{wrong}"):
                use()
