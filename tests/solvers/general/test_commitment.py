"""Commitment: known values, mixtures on a grid by brute force, and zero-sum games, where it adds nothing."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.solvers.general.commitment import stackelberg
from tests.solvers.general.smalltrees import entry_game


def test_textbook() -> None:
    """Conitzer and Sandholm (2006), section 1: committing to both rows evenly earns 3.5, the equilibrium 2."""
    rows, columns = [[2, 4], [1, 3]], [[1, 0], [0, 1]]
    found = stackelberg(hn.matrix_game([rows, columns]))
    assert found.values == pytest.approx((3.5, 0.5), abs=1e-9)
    assert found.reach == pytest.approx([1, 0.5, 0.5], abs=1e-9)
    assert found.gain < 1e-12


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("leader", [0, 1])
def test_against_a_grid(seed: int, leader: int) -> None:
    """Two actions of the leader: no mixture of 2,001 earns more, and the best of them comes within the spacing."""
    draw = np.random.default_rng(seed)
    shape = (2, 4) if leader == 0 else (4, 2)
    payoffs = draw.integers(-9, 10, (2, *shape)).astype(float)
    found = stackelberg(hn.matrix_game(payoffs.tolist()), leader)
    mine, theirs = (payoffs[p] if leader == 0 else payoffs[p].T for p in (leader, 1 - leader))
    best = -np.inf
    for share in np.linspace(0, 1, 2001):
        mixed = np.array([share, 1 - share])
        replies = mixed @ theirs
        best = max(best, float((mixed @ mine)[replies >= replies.max() - 1e-9].max()))
    assert best <= found.values[leader] + 1e-8
    assert found.values[leader] <= best + 36 / 2000


def test_zero_sum_and_trees() -> None:
    """In Kuhn poker commitment is worth the value, −1/18; in the entry game the incumbent deters: (0, 2)."""
    assert stackelberg("kuhn_poker").values[0] == pytest.approx(-1 / 18, abs=1e-9)
    assert stackelberg("kuhn_poker", 1).values[0] == pytest.approx(-1 / 18, abs=1e-9)
    deterred = stackelberg(entry_game(), 1)
    # by hand: fighting half of the time leaves an entrant 0, so ties go to the leader, who likes `out` (2) best
    assert deterred.values == pytest.approx((0, 2), abs=1e-9)
    assert set(deterred.record()) == {"game", "leader", "values", "gain", "plans", "strategies"}


def test_refusals() -> None:
    with pytest.raises(hn.errors.UnsuitableError, match="3 players"):
        stackelberg("random_game(players=3)")
    with pytest.raises(hn.errors.SizeError, match="plans; a follower may have"):
        stackelberg("leduc_poker")
    with pytest.raises(hn.errors.ParameterError):
        stackelberg("chicken", 2)
