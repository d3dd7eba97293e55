"""What the experiment says of robust sampling, where it is known by hand."""

from __future__ import annotations

import pytest

from hannan.experiments.robust import memory, variances
from hannan.forms.loader import load_expanded


@pytest.mark.parametrize(("k", "factor"), [(1, 1.0), (2, 3.0), (3, 9.0)])
def test_the_variance_at_one_set(k: int, factor: float) -> None:
    """Four actions that pay 1, 2, 3, 4, one opponent without a choice.

    An action drawn with probability p is worth u/p or 0: variance u²(1/p - 1). At uniform strategies p is 1/4 by
    outcome sampling and k/4 by robust sampling, so variances are as 3 to 4/k - 1. 2,000 walks: the standard error of
    a variance is below 3 %, and 15 % are allowed; the next k is off by a factor of 3.
    """
    game = load_expanded("matrix_game(payoffs=[[1],[2],[3],[4]])")
    found, _ = variances(game, k, quick=True)
    assert found == pytest.approx(factor, rel=0.15)


def test_with_as_many_actions_as_there_are_both_hold_the_same() -> None:
    """Kuhn poker has two actions a set, so robust sampling with k = 2 is external sampling."""
    ours, theirs = memory("kuhn_poker", 20)
    assert ours == theirs
    ours, theirs = memory("leduc_poker", 20)  # up to three
    assert ours.histories < theirs.histories
    assert ours.sets < theirs.sets
