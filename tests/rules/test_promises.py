"""One broken promise of each kind, in both doors of the rules: whoever asks them says the same sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import hannan as hn
from hannan.arrays import Floats, Longs
from hannan.certificates.choice import certification
from hannan.forms.boxes import boxed
from hannan.forms.expansion import expand
from hannan.measures.responses.search import LookAhead, LookAheadPlayer
from hannan.neural.encoding import encoding_of
from hannan.neural.traversals import Traversals, keys
from hannan.rules.checks import check_rules
from hannan.rules.compiled import CompiledRules, Rulebook
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules
from hannan.strategies.policy import Policy
from hannan.treesearch.backward import BackwardInduction
from hannan.treesearch.searcher import Searcher
from tests.delegating import Delegating
from tests.neural.plays import uniform_play

# Chance draws, both see it and choose at once, then play ends. State: the number of moves, what chance drew, and one
# choice each. The first word of the table is the number of the promise that is broken, or 0.

(
    FAR_TURN,
    LOW_TURN,
    NO_OUTCOME,
    LITTLE,
    NEGATIVE,
    NO_PROBABILITY,
    OUTCOME_TWICE,
    NO_ACTION,
    TOO_WIDE,
    ACTION_TWICE,
    OTHER_ACTIONS,
    NO_GAIN,
    LARGE_GAIN,
    THREE_GAINS,
    ENDLESS,
    RESERVED,
) = range(1, 17)


def start(table: Longs, state: Longs) -> None:
    """Nothing has happened."""


def turn(table: Longs, state: Longs) -> int:
    if state[0] == 1 and table[0] == 1:
        return 1 << 5 | 3
    if state[0] == 1 and table[0] == 2:
        return -5
    if state[0] == 0 or table[0] == 15:
        return CHANCE
    return END if state[0] == 2 else 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    out[0], out[1] = 0, 0 if table[0] == 10 else 1
    if table[0] == 9:
        out[2] = 2
        return 3
    if table[0] == 11 and player == 1 and state[1] == 1:
        return 1
    return 0 if table[0] == 8 else 2


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    for side in range(2):
        out[side] = side
        probabilities[side] = 0.5
    if table[0] == 4:
        probabilities[1] = 0.4
    if table[0] == 5:
        probabilities[0], probabilities[1] = 1.5, -0.5
    if table[0] == 6:
        probabilities[1] = math.nan
    if table[0] == 7:
        out[1] = 0
    if state[0] > 0:
        probabilities[0] = 1.0
        return 1
    return 0 if table[0] == 3 else 2


def move(table: Longs, state: Longs, choice: Longs) -> None:
    state[0] += 1
    if state[0] == 1:
        state[1] = choice[0]
    elif state[0] == 2 and table[0] != 15:
        state[2], state[3] = choice[0], choice[1]


def observe(table: Longs, state: Longs, player: int) -> int:
    seen: int = state[1]
    if table[0] == 16:
        seen = -(2**63) + 1
    return 0 if table[0] == 11 else seen


def gains(table: Longs, state: Longs, out: Floats) -> None:
    if state[0] == 2 and table[0] != 15:
        out[0] = 1.0 if state[2] == state[3] else -1.0
        if table[0] == 12:
            out[0] = math.nan
        if table[0] == 13:
            out[0] = 1e300
        out[1] = -out[0]


def compiled_door() -> CompiledRules:
    """Return rules that keep their promises, so far."""
    book = Rulebook(start, turn, actions, chance, move, observe, gains)
    rules = CompiledRules("pennies", 2, book, np.zeros(1, np.int64), state_size=4, width=2)
    rules.table.setflags(write=True)
    return rules


class PlainDoor(Delegating):
    """The same rules in plain Python."""

    rules: CompiledRules

    def __init__(self) -> None:
        super().__init__(compiled_door())

    @property
    def table(self) -> Longs:
        """What is broken."""
        return self.rules.table

    def chance(self, state: Any) -> Sequence[tuple[Hashable, float]]:
        return self.rules.chance(state)

    def gains(self, state: Any) -> Sequence[float]:
        given = self.rules.gains(state)
        return [*given, 0.0] if self.table[0] == THREE_GAINS else given


Door = CompiledRules | PlainDoor
Break = Callable[[], None]


def expanded(rules: Door, broken: Break) -> None:
    broken()
    expand(rules)


def sampled(rules: Door, broken: Break) -> None:
    solver = hn.methods.OutcomeSampling(hn.load(rules), over="rules", seed=1)
    broken()
    solver.run(50)


def searched(rules: Door, broken: Break) -> None:
    searcher = Searcher(rules, bounds=(-1.0, 1.0))
    broken()
    searcher.run(50)


def proven(rules: Door, broken: Break) -> None:
    solver = BackwardInduction(rules)
    broken()
    solver.run(1)


def traversed(rules: Door, broken: Break) -> None:
    game = hn.load(rules).played()
    walks = Traversals(game, encoding_of(game))
    broken()
    walks.run(0, keys(1, 1, 0, 50), uniform_play)


RANGE = (-1e6, 1e6)
"""Of payoffs: it is given, so that no game is expanded to find it."""


def matched(rules: Door, broken: Break) -> None:
    game = hn.load(rules).played()
    policy = Policy.uniform(game)
    broken()
    hn.match(game, policy, policy, games=20, bounds=RANGE)


def stepped(rules: Door, broken: Break) -> None:
    """Play as a person does, or a rule, or a network: step by step."""
    game = hn.load(rules).played()
    broken()
    hn.match(game, Policy.uniform(game), lambda sight: sight.names[0], games=20, bounds=RANGE)


def believed(rules: Door, broken: Break) -> None:
    seat = LookAheadPlayer("one", Policy.uniform(hn.load(rules).played()), LookAhead(simulations=20)).sit(0, 1)
    broken()
    seat.choose(0, [0, 1])


def responded(rules: Door, broken: Break) -> None:
    policy = Policy.uniform(hn.load(rules).played())
    broken()
    hn.respond(policy, 0, "learned", walks=50, plays=100, bounds=RANGE)


def certified(rules: Door, broken: Break) -> None:
    told = boxed(rules, bounds=(-1.0, 1.0))
    work = certification(told.box, method="mccfr", bounds=told.range)
    broken()
    work.advance(20)


def checked(rules: Door, broken: Break) -> None:
    broken()
    check_rules(rules)


USERS = [
    expanded, sampled, searched, proven, traversed, matched, stepped, believed, responded, certified, checked,
]  # fmt: skip


class Promise(NamedTuple):
    """A promise that is broken: its number, the sentence, and who cannot say it, with the reason."""

    number: int
    sentence: str
    unnoticed: Mapping[str, str] = MappingProxyType({})
    doors: tuple[str, ...] = ("compiled", "plain")


BY_POSITION = "looks at positions and matrices, and at no information sets"
NO_TABLE = "finds no strategy of its own for this set, plays uniformly, and compares nothing"
ONLY_COMPARED = "outcomes are not compared: one that is listed twice is as probable as both together"

COMPARE_NO_OUTCOMES = {f"{user.__name__}, compiled": ONLY_COMPARED for user in USERS if user not in (checked, stepped)}
COMPARE_NO_ACTIONS = {
    "searched": BY_POSITION, "proven": BY_POSITION,
    "traversed": "networks are asked about what is seen; there are no sets",
    "responded, compiled": "sets that are in no table are one set for each number of actions",
    "believed": NO_TABLE,
}  # fmt: skip

PROMISES = {
    "a player that there is not": Promise(
        FAR_TURN,
        "turn() returned (0, 1, 5); it may be END, CHANCE, a player below 2, or a tuple of such players, ascending",
    ),
    "a turn below chance": Promise(
        LOW_TURN, "turn() returned -5; it may be END, CHANCE, a player below 2, or a tuple of such players, ascending"
    ),
    "chance without outcomes": Promise(NO_OUTCOME, "chance is to move and has no outcome"),
    "probabilities of 0.9": Promise(LITTLE, "probabilities sum to 0.9, not 1"),
    "a negative probability": Promise(NEGATIVE, "a probability is negative or not a number: [1.5, -0.5]"),
    "a probability that is no number": Promise(NO_PROBABILITY, "a probability is negative or not a number: [0.5, nan]"),
    "an outcome twice": Promise(OUTCOME_TWICE, "an outcome of chance is listed twice", COMPARE_NO_OUTCOMES),
    "no action": Promise(NO_ACTION, "player 0 is to move and has no action"),
    "more actions than announced": Promise(
        TOO_WIDE,
        "there are 3 moves of one player or of chance, and the rules announced width=2",
        doors=("compiled",),  # plain rules announce nothing
    ),
    "an action twice": Promise(ACTION_TWICE, "an action of player 0 is listed twice: [0, 0]"),
    "other actions in one information set": Promise(
        OTHER_ACTIONS,
        "player 1 may do [0] here, and something else at another history of the same information set (observation "
        "'0'); observations must tell them apart, or actions must agree",
        COMPARE_NO_ACTIONS,
    ),
    "an observation that is reserved": Promise(
        RESERVED,
        "observe() returned -9223372036854775807 for player 0, which is reserved; return another",
        doors=("compiled",),  # plain rules may show anything
    ),
    "a gain that is no number": Promise(NO_GAIN, "a gain is not a finite number: [nan, nan]"),
    "a gain of 1e300": Promise(
        LARGE_GAIN, "a gain is larger than 1e+150: [1e+300, -1e+300]; measure it in larger units"
    ),
    "gains of three players": Promise(
        THREE_GAINS,
        "gains() returned 3 numbers for 2 players",
        doors=("plain",),  # compiled rules write into as many places as there are players, and no more is read
    ),
    "no end": Promise(ENDLESS, f"play has not ended after {MOST_MOVES} moves"),
}

CASES = [(name, door, user) for name, promise in PROMISES.items() for door in promise.doors for user in USERS]


def said(error: hn.HannanError) -> str:
    """Return the sentence without the path of play, or whatever else names the place."""
    return re.sub(r"^[^\[\]]*?(node r\S*( …)?|in a simulated play|in a traversal|played at random): ", "", str(error))


@pytest.mark.parametrize(
    ("name", "door", "user"), CASES, ids=[f"{name}-{door}-{user.__name__}" for name, door, user in CASES]
)
def test_the_same_sentence_everywhere(name: str, door: str, user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials that come before are left out, so that each user notices by itself."""
    monkeypatch.setattr("hannan.forms.walks.make_plays", lambda rules, plays: None)
    rules: Door = compiled_door() if door == "compiled" else PlainDoor()
    promise = PROMISES[name]

    def broken() -> None:
        rules.table[0] = promise.number

    if user.__name__ in promise.unnoticed or f"{user.__name__}, {door}" in promise.unnoticed:
        with suppress(hn.errors.UnsuitableError):
            user(rules, broken)
        return
    with pytest.raises(hn.HannanError) as caught:
        user(rules, broken)
    found = said(caught.value)
    if name == "other actions in one information set":  # which history comes second is a matter of the draws
        found = found.replace("[0, 1]", "[0]", 1)
    assert found.startswith(promise.sentence)


@pytest.mark.parametrize("door", ["compiled", "plain"])
@pytest.mark.parametrize("user", USERS, ids=lambda user: user.__name__)
def test_kept_promises_are_played(user: Any, door: str) -> None:
    rules: Rules = compiled_door() if door == "compiled" else PlainDoor()
    user(rules, lambda: None)
