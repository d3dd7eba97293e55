from __future__ import annotations

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.forms.walks import walk
from hannan.games import catalogue
from hannan.games.battleship import battleship
from hannan.rules.plain import END
from tests.games.checks import assert_names_are_unique, tree_of
from tests.games.lockstep import assert_same_game, pairs

KNOWN = catalogue.entry("battleship").known


@pytest.mark.parametrize("address", [a for a, known in KNOWN.items() if (known.histories or 0) < 20_000_000])
def test_ladder(address: str) -> None:
    """The histories that Kim and Sandholm (2026) count; the fourth, of 52 million, takes several seconds."""
    found = walk(battleship(**catalogue.parse(address)[1]), limit=10**8).survey()
    assert found.nodes == KNOWN[address].histories
    if KNOWN[address].sets is not None:
        assert tuple(int((found.sets.player == p).sum()) for p in (0, 1)) == KNOWN[address].sets


@pytest.mark.parametrize(("ours", "theirs"), pairs("battleship"))
def test_openspiel(ours: str, theirs: str) -> None:
    assert_same_game(ours, theirs)


def test_height_and_width_may_be_exchanged() -> None:
    assert (
        walk(battleship(height=3), limit=10**7).survey().nodes == walk(battleship(width=3), limit=10**7).survey().nodes
    )


def test_no_room_is_lost() -> None:
    """On 2 by 3 cells a ship of two may not stand in the middle where one of three comes after it."""
    rules = battleship(height=2, width=3, ship_sizes=[2, 3], shots=1)
    places = [rules.action_text(0, action) for action in rules.actions(rules.start(), 0)]
    assert places == ["-a1", "-b1", "-a2", "-b2"]


def test_ships_pay_when_they_sink() -> None:
    rules = battleship(height=1, width=3, ship_sizes=[1, 1], ship_values=[1, 2], shots=3, loss_multiplier=3)
    state = rules.start()
    for action in (3, 3, 4, 4, 2, 0):  # a1, a1, b1, b1; player 0 misses, player 1 sinks the ship on a1
        state = rules.after(state, action)
    assert rules.gains(state) == [-3.0, 1.0]
    assert rules.observation_text(0, rules.observe(state, 0)) == "(water at a1)"
    state = rules.after(state, 1)
    assert rules.gains(state) == [2.0, -6.0]
    state = rules.after(state, 0)  # shooting at a wreck answers "sank" again and pays nothing
    assert rules.gains(state) == [0.0, 0.0]
    assert rules.observation_text(1, rules.observe(state, 1)) == "(sank at b1)"
    state = rules.after(rules.after(state, 0), 0)
    assert rules.turn(state) == END  # player 1's fleet is gone, with a shot left


def test_sums() -> None:
    assert tree_of("battleship").total == 0.0
    assert tree_of("battleship(shots=2,loss_multiplier=2)").total is None


def test_names() -> None:
    assert_names_are_unique(expand(battleship(height=1, width=3, shots=2, allow_repeated_shots=False)))


def test_the_largest_board() -> None:
    """Play with OpenSpiel's fleet, shots at one cell after another: player 0 is first, and the last cell is met."""
    rules = battleship(10, 10, [5, 4, 3, 3, 2], None, 100, False)
    state = rules.start()
    for move in range(10):
        state = rules.after(state, rules.actions(state, move % 2)[-1])
    for move in range(199):
        assert rules.turn(state) == move % 2
        assert rules.actions(state, move % 2) == list(range(move // 2, 100))
        state = rules.after(state, move // 2)
    assert rules.turn(state) == END
    assert rules.gains(state) == [1.0, -1.0]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("height=0", "height=0 is out of range; it may be 1 to 10"),
        ("width=2.5", "width=2.5 should be a whole number"),
        ("ship_sizes=2", r"ship_sizes=2 should be a list, such as \[1,2\]"),
        ("ship_sizes=[]", "ship_sizes lists 0 ships; it may list 1 to 26"),
        ("ship_sizes=[3]", r"ship_sizes\[0\]=3 is out of range; it may be 1 to 2"),
        ("ship_sizes=[2,2,1]", r"ships of sizes \[2, 2, 1\] do not fit on a board of 2 by 2 cells"),
        ("height=3,width=3,ship_sizes=[3,3,3,1]", "do not fit"),
        ("ship_values=[1,1]", "ship_values lists 2 values for 1 ships"),
        ("ship_values=[-1]", r"ship_values\[0\]=-1 is out of range; it may be at least 0"),
        ("ship_values=[word]", "is not a number, a word or a list"),
        ("shots=5,allow_repeated_shots=false", "shots=5 is out of range; it may be 1 to 4"),
        ("allow_repeated_shots=2", "allow_repeated_shots=2 should be true or false"),
        ("loss_multiplier=1e999", "loss_multiplier=inf should be a number"),
    ],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"battleship({parameters})"))
