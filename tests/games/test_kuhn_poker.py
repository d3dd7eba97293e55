from __future__ import annotations

import pytest

from hannan.errors import ParameterError
from hannan.forms.expansion import expand
from hannan.games.kuhn_poker import kuhn_poker
from tests.games.checks import assert_same_tree, tree_of
from tests.games.plain import Kuhn


def test_plain_twin() -> None:
    assert_same_tree(tree_of("kuhn_poker"), expand(Kuhn()))


@pytest.mark.parametrize("players", [1, 11, 2.0, True, "two"])
def test_bad_players(players: object) -> None:
    with pytest.raises(ParameterError, match="players="):
        kuhn_poker(players)  # type: ignore[arg-type]
