from __future__ import annotations

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.oshi_zumo import oshi_zumo
from tests.games.checks import assert_names_are_unique, tree_of, value
from tests.games.lockstep import assert_same_game, pairs


@pytest.mark.parametrize("address", catalogue.entry("oshi_zumo").known)
def test_known(address: str) -> None:
    known, tree = catalogue.entry("oshi_zumo").known[address], tree_of(address)
    assert (tree.nodes, tree.serialised) == (known.histories, known.one_by_one)
    assert tuple(plex.sets for plex in tree.treeplexes) == known.sets
    assert tree.total == 0.0


def test_value() -> None:
    """Both players stand alike."""
    assert value(tree_of("oshi_zumo(coins=4)")) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize(("ours", "theirs"), pairs("oshi_zumo"))
def test_openspiel(ours: str, theirs: str) -> None:
    assert_same_game(ours, theirs)


def test_default_horizon_is_no_limit_where_bids_cost() -> None:
    for min_bid in (1, 2):
        free = expand(oshi_zumo(coins=6, size=2, min_bid=min_bid, horizon=1000))
        assert free.nodes == expand(oshi_zumo(coins=6, size=2, min_bid=min_bid)).nodes


def test_names() -> None:
    tree = expand(oshi_zumo(coins=3))
    assert_names_are_unique(tree)
    assert tree.set_text(1, 0) == "-"
    assert tree.path_text(tree.nodes - 1) == "r:(3,2):(0,0):(0,1)"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("coins=0", "coins=0 is out of range; it may be 1 to 1000"),
        ("size=-1", "size=-1 is out of range"),
        ("min_bid=6", "min_bid=6 is more than the 5 coins that each player has"),
        ("horizon=0", "horizon=0 is out of range"),
        ("alesia=1", "alesia=1 should be true or false"),
    ],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"oshi_zumo({parameters})"))
