from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games.goofspiel import goofspiel
from hannan.rules.plain import END
from tests.games.checks import assert_same_tree, load, tree_of, value
from tests.games.plain import Goofspiel


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_plain_twin(cards: int) -> None:
    assert_same_tree(tree_of(f"goofspiel(cards={cards})"), expand(Goofspiel(cards)))


def test_kinds_of_node() -> None:
    """The certificates paper's game: 1,793 chance, 38,804 (serial) decision and 13,824 terminal nodes."""
    tree = tree_of("goofspiel")
    counts = tree.counts
    assert (counts["chance"], counts["terminal"]) == (1_793, 13_824)
    assert tree.serialised - counts["chance"] - counts["terminal"] == 38_804
    assert counts["joint"] == counts["decision"]


def play(address: str, *moves: Any) -> list[float]:
    rules = load(address)
    state = rules.start()
    for move in moves:
        state = rules.after(state, move)
    assert rules.turn(state) == END
    return rules.gains(state)


def test_returns() -> None:
    """Prizes 1, 2, 3 in order; bids (3, 1), (2, 2), (1, 3): 1 and 3 points, and a tie over 2."""
    moves = ((2, 0), (1, 1), (0, 2))
    for returns, expected in (("difference", -2.0), ("half_difference", -1.0), ("win_loss", -1.0)):
        address = f"goofspiel(cards=3,order=ascending,returns={returns})"
        assert play(address, *moves) == [expected, -expected]
    # from 0 the prizes are 0, 1, 2
    assert play("goofspiel(cards=3,order=ascending,lowest=0)", *moves) == [-2.0, 2.0]


def test_three_players_share() -> None:
    """Prize 1 is shared by players 0 and 1, who both bid 2; prize 2 goes to player 2, who kept its 2."""
    moves = ((1, 1, 0), (0, 0, 1))
    assert play("goofspiel(cards=2,order=ascending,players=3)", *moves) == [-0.75, -0.75, 1.5]
    assert play("goofspiel(cards=2,order=ascending,players=3,ties=discard)", *moves) == [-1.0, -1.0, 2.0]
    assert play("goofspiel(cards=2,order=ascending,players=3,returns=win_loss)", *moves) == [-0.5, -0.5, 1.0]


def test_skipping_forced_bids_changes_no_return() -> None:
    keep, skip = (tree_of(f"goofspiel(order=descending,forced={word})") for word in ("keep", "skip"))
    np.testing.assert_array_equal(keep.gain, skip.gain)


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_fixed_order_has_no_chance(order: str) -> None:
    tree = tree_of(f"goofspiel(cards=3,order={order},information=open)")
    assert tree.counts["chance"] == 0
    assert value(tree) == pytest.approx(0.0, abs=1e-8)  # symmetric


def test_names() -> None:
    hidden, shown = (tree_of(f"goofspiel(cards=2,information={word})") for word in ("hidden", "open"))
    assert [hidden.set_text(0, k) for k in range(4)] == ["$1", "$2", "$1 1 =0,1$2", "$1 1 1$2"]
    assert shown.set_text(0, 3) == "$1 1 1,2$2"


def test_large_parameters() -> None:
    assert load("goofspiel(cards=13)").width == 13
    assert load("goofspiel(cards=60,information=open,players=6)").players == 6


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"cards": 0}, "cards=0 is out of range"),
        ({"cards": 1, "forced": "skip"}, "cards=1 is out of range"),
        ({"order": "rising"}, "order='rising' is not known"),
        ({"information": True}, "information=True"),
        ({"returns": "winloss"}, "did you mean 'win_loss'"),
        ({"ties": "shared"}, "ties='shared'"),
        ({"lowest": 2}, "lowest=2 is out of range"),
        ({"players": 1}, "players=1 is out of range"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        goofspiel(**parameters)
