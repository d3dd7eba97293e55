"""Bounds over boxes and Newton's method with bounds, against strategies drawn from the boxes."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.kernels.supports.bounds import row_range, trim
from hannan.kernels.supports.newton import newton
from hannan.kernels.supports.records import Game, Work, room
from hannan.kernels.supports.restriction import restrict
from hannan.kernels.supports.subdivision import _aim

SHAPES = [(3, 3, 3), (2, 4, 3), (2, 2, 2, 2), (4, 3)]


def laid_out(shape: tuple[int, ...], draw: np.random.Generator) -> tuple[Game, Work]:
    """Return a random game, and the support of all its plans."""
    players = len(shape)
    stride = np.array([int(np.prod(shape[p + 1 :])) for p in range(players)], np.int64)
    game = Game(draw.uniform(-1, 1, (players, int(np.prod(shape)))), np.array(shape, np.int64), stride)
    work = room(shape)
    while not restrict(game, np.array([2**m - 1 for m in shape], np.int64), work):
        game.payoffs[:] = draw.uniform(-1, 1, game.payoffs.shape)
    return game, work


def rows(game: Game, point: list[np.ndarray]) -> list[np.ndarray]:
    """Return what each plan but the first pays a player more than the first."""
    answer = []
    for player in range(len(point)):
        paid = np.moveaxis(game.payoffs[player].reshape(tuple(game.shape)), player, 0)
        for q in reversed([q for q in range(len(point)) if q != player]):
            paid = paid @ point[q]
        answer.append(paid[1:] - paid[0])
    return answer


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_hold(shape: tuple[int, ...]) -> None:
    """Rows, steps and spreads hold for strategies in the box; rounding is below 1e-12."""
    draw = np.random.default_rng(3)
    game, work = laid_out(shape, draw)
    entries, variables = sum(shape), sum(shape) - len(shape)
    met = 0
    for _ in range(60):
        centre = [draw.dirichlet(np.ones(m)) for m in shape]
        wide = draw.choice([0.5, 0.1, 0.01])
        low = np.clip(np.concatenate(centre) - wide * draw.random(entries), 0, 1)
        high = np.clip(np.concatenate(centre) + wide * draw.random(entries), 0, 1)
        assert trim(work, low, high)
        inside = [centre]
        for _ in range(30):
            other = [x + draw.uniform(0, 0.2) * (draw.dirichlet(np.ones(len(x))) - x) for x in centre]
            flat = np.concatenate(other)
            if (flat >= low).all() and (flat <= high).all():
                inside.append(other)
        for player in range(len(shape)):
            for r in range(shape[player] - 1):
                below, above = row_range(work, player, r, low, high)
                for point in inside:
                    assert below - 1e-12 <= rows(game, point)[player][r] <= above + 1e-12
        _aim(work, low, high, -1)
        if not newton(work, -1, variables, 1.0):
            continue
        met += 1
        inverse, number = work.matrix[:, variables : 2 * variables], work.number[:entries]
        for point in inside:
            flat = np.concatenate(point)
            far = np.zeros(variables)
            far[number[number >= 0]] = (flat - work.centre[:entries])[number >= 0]
            left = inverse[:variables] @ np.concatenate(rows(game, point)) - work.step[:variables] - far
            assert (np.abs(left) <= work.spread[:variables] + 1e-12).all()
    assert met > 30 or 2 * max(shape) > sum(shape) - len(shape) + 2  # some shapes have no regular Jacobian


def test_trim_uses_the_sum() -> None:
    """If two of three probabilities are at most 0.2 and 0.3, the third is at least 0.5."""
    _, work = laid_out((3, 3), np.random.default_rng(0))
    low, high = np.zeros(6), np.array([0.2, 0.3, 1.0, 1.0, 1.0, 1.0])
    assert trim(work, low, high)
    np.testing.assert_allclose(low, [0, 0, 0.5, 0, 0, 0], atol=1e-13)
    assert not trim(work, np.zeros(6), np.array([0.2, 0.3, 0.4, 1, 1, 1]))
    assert not trim(work, np.array([0.6, 0.6, 0, 0, 0, 0]), np.ones(6))


def test_restriction_finds_dominated_plans() -> None:
    """A plan that is worse than one outside of the support is dominated there, and not elsewhere."""
    game = Game(np.array([[0.0, 0, 1, -1], [0, 1, 1, 0]]), np.array([2, 2], np.int64), np.array([2, 1], np.int64))
    work = room((2, 2))
    assert not restrict(game, np.array([1, 1]), work)  # row 1 pays more against column 0
    assert restrict(game, np.array([3, 3]), work)
    assert not restrict(game, np.array([2, 2]), work)  # against column 1, row 0 pays more
