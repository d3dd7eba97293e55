"""Pure equilibria of potential games: that the games have a potential, and what counts as pure."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hannan.experiments import reproduce
from hannan.experiments.einr_pure import PATHS, PLAYERS, Congestion, is_pure, said
from hannan.forms.loader import load_expanded
from hannan.strategies.profile import Profile


@pytest.mark.parametrize("seed", range(5))
def test_a_congestion_game_has_the_potential_of_rosenthal(seed: int) -> None:
    """What a player gains by another path is what the sum of c_r(1) + … + c_r(load) over all resources falls by."""
    game = Congestion(seed)

    def potential(state: tuple[int, ...]) -> float:
        load = np.zeros(len(game.cost), int)
        for player, k in enumerate(state):
            load[list(game.paths[player][k])] += 1
        return float(sum(game.cost[r, :n].sum() for r, n in enumerate(load)))

    for state in product(range(PATHS), repeat=PLAYERS):
        gains = game.gains(state)
        assert all(0 <= gain <= 1 for gain in gains)
        for player, k in product(range(PLAYERS), range(PATHS)):
            other = (*state[:player], k, *state[player + 1 :])
            assert game.gains(other)[player] - gains[player] == pytest.approx(potential(state) - potential(other))


def solver_at(game: Any, plays: list[list[float]]) -> Any:
    profile = Profile(game, tuple(np.array([1.0, *part]) for part in plays), {})
    return SimpleNamespace(game=game, current=lambda: profile)


def test_what_counts_as_a_pure_equilibrium() -> None:
    """In chicken, one swerves: two pure equilibria."""
    game = load_expanded("chicken")
    assert is_pure(solver_at(game, [[1, 0], [0, 1]]))
    assert is_pure(solver_at(game, [[0, 1], [1, 0]]))
    assert not is_pure(solver_at(game, [[1, 0], [1, 0]]))  # pure, and no equilibrium
    assert not is_pure(solver_at(game, [[0, 1], [0, 1]]))
    assert not is_pure(solver_at(game, [[0.5, 0.5], [0.5, 0.5]]))


def test_standard_errors() -> None:
    assert said(0.5, 100) == "0.50 ± 0.05"
    assert said(1.0, 100) == "1.00 ± 0.00"


@pytest.mark.slow
def test_the_quick_figure(tmp_path: Path) -> None:
    ((report, paths),) = reproduce("einr", "pure", tmp_path, quick=True)
    assert [panel.title[:4] for panel in report.panels] == ["cong", "iden", "iden"]
    assert all(claim.held is None for claim in report.claims)
    assert paths[0].read_bytes().startswith(b"\x89PNG")
