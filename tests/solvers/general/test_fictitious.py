"""Fictitious play against its definition, for two players and for three."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest

from hannan.solvers.general.fictitious import against, fictitious_play


@pytest.mark.parametrize("shape", [(2, 3), (3, 3), (2, 3, 2)])
def test_rounds_are_best_responses_to_what_was_played(shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(2)
    payoffs = draw.normal(size=(len(shape), *shape))
    start = tuple(draw.dirichlet(np.ones(count)) for count in shape)
    history = [start]
    for played in islice(fictitious_play(payoffs, start), 50):
        beliefs = tuple(np.mean([one[p] for one in history], axis=0) for p in range(len(shape)))
        for player, count in enumerate(shape):
            worth = np.zeros(count)
            for cell in product(*map(range, shape)):
                others = np.prod([beliefs[p][k] for p, k in enumerate(cell) if p != player])
                worth[cell[player]] += others * payoffs[(player, *cell)]
            assert against(payoffs[player], player, beliefs) == pytest.approx(worth, abs=1e-12)
            assert played[player].tolist() == np.eye(count)[worth.argmax()].tolist()
        history.append(played)
