"""Proper equilibria that are found: they exist in every game, and the judge, which starts from them, agrees."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.proper import _ordered_partitions, proper
from hannan.solvers.general.refinements import refinements


def test_orders_are_counted() -> None:
    """The numbers of weak orders are 1, 3, 13, 75 and 541 (Fubini's numbers)."""
    assert [sum(1 for _ in _ordered_partitions(range(n))) for n in range(1, 6)] == [1, 3, 13, 75, 541]


@pytest.mark.parametrize("seed", range(8))
def test_every_game_has_one(seed: int) -> None:
    """Myerson (1978): every finite game has a proper equilibrium. With payoffs 0 and 1 there are ties everywhere."""
    draw = np.random.default_rng(seed)
    shape = (2, 3) if seed % 2 else (3, 3)
    form = hn.normal_form(hn.matrix_game(draw.integers(0, 2, (2, *shape)).tolist()))
    found = list(islice(proper(form), 3))
    assert found
    for point in found:
        assert point.fractions is not None
        judged = refinements(form.game, behaviour=tuple((Fraction(1), *part) for part in point.fractions))
        assert judged.proper.holds is True, judged.proper.why
        assert judged.undominated


def test_myersons_example() -> None:
    """Of three pure equilibria only the first is proper."""
    table = [[1, 0, -9], [0, 0, -7], [-9, -7, -7]]
    form = hn.normal_form(hn.matrix_game([table, np.array(table).T.tolist()]))
    first = (Fraction(1), Fraction(0), Fraction(0))
    assert {point.fractions for point in proper(form)} == {(first, first)}


def test_refusals() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="3 players"):
        next(proper(hn.normal_form("random_game(depth=1,branching=2,players=3)")))
    with pytest.raises(hn.errors.SizeError, match="5 by 5 plans"):
        next(proper(hn.normal_form("random_game(depth=1,branching=5)")))
