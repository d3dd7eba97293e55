from __future__ import annotations

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games import catalogue
from hannan.games.sheriff import sheriff
from tests.games.checks import assert_names_are_unique, tree_of
from tests.games.lockstep import assert_same_game, pairs


@pytest.mark.parametrize("address", catalogue.entry("sheriff").known)
def test_known(address: str) -> None:
    known, tree = catalogue.entry("sheriff").known[address], tree_of(address)
    assert tree.serialised == known.histories
    assert tuple(plex.sets for plex in tree.treeplexes) == known.sets
    assert tree.total is None


@pytest.mark.parametrize(("ours", "theirs"), pairs("sheriff"))
def test_openspiel(ours: str, theirs: str) -> None:
    assert_same_game(ours, theirs)


def test_names() -> None:
    tree = expand(sheriff(rounds=2))
    assert_names_are_unique(tree)
    assert tree.set_text(1, tree.treeplexes[1].sets - 1) == "3 inspect 3"
    assert tree.path_text(tree.nodes - 1) == "r:3:3:inspect:3:inspect"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ("item_penalty=-1", "item_penalty=-1 is out of range; it may be at least 0"),
        ("item_value=much", "item_value='much' should be a number"),
        ("sheriff_penalty=true", "sheriff_penalty=True should be a number"),
        ("max_bribe=-1", "max_bribe=-1 is out of range"),
        ("max_items=0", "max_items=0 is out of range; it may be 1 to 1000"),
        ("rounds=0", "rounds=0 is out of range"),
    ],
)
def test_bad_parameters(parameters: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        catalogue.make(*catalogue.parse(f"sheriff({parameters})"))
