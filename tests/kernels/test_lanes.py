"""Thresholds draw what probabilities draw; steps of a play draw, list and take what the tables say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel, lanes, step
from hannan.kernels.sampling.draws import pick, uniform
from hannan.kernels.sets import SET_ROW
from hannan.kernels.step import UNKNOWN, StepScratch, Tables
from tests.kernels.sampling.test_draws import splitmix, state_before

WIDTH = 5


@kernel
def _by_both(first: int, size: int, probability: Floats, fast: Any, plays: Any, random: Any, out: Longs) -> None:
    """Draw by thresholds and by probabilities from the same numbers."""
    for k in range(out.shape[0]):
        state = random[0]
        plays.will[0], plays.mover[0, 0, lanes.SIZE], plays.mover[0, 0, lanes.PLACE] = state, size, first
        out[k, 0] = lanes.draw_at(0, 0, fast, plays)
        u = uniform(random)
        if first == UNKNOWN:
            out[k, 1] = int(u * size)
        else:
            out[k, 1] = pick(u, probability, first, size, 0.0, 1.0) if size > 1 else 0


def lanes_of(players: int) -> lanes.Lanes:
    none, words = np.zeros((1, 1), np.int64), np.zeros(1, np.uint64)
    mover = np.zeros((1, players, lanes.MOVER_ROW), np.int64)
    return lanes.Lanes(
        none, none, np.zeros((1, players), np.int64), none, mover, np.zeros((1, lanes.LANE_ROW), np.int64),
        np.zeros(1, np.int64), words, words.copy(),
    )  # fmt: skip


def test_thresholds_draw_what_probabilities_draw() -> None:
    """Sets of 1 to 9 actions, some never played, the last among them."""
    random = np.random.default_rng(2)
    sizes = [1, 2, 2, 3, 5, 8, 9]
    row, parts = np.zeros((len(sizes), SET_ROW), np.int64), []
    for j, size in enumerate(sizes):
        part = random.dirichlet(np.ones(size)) * (random.random(size) < 0.7)
        if j == 2:
            part = np.array([1.0, 0.0])
        part = part / part.sum() if part.sum() > 0 else np.eye(size)[0]
        row[j, 2:] = sum(sizes[:j]), size
        parts.append(part)
    probability = np.concatenate(parts)
    threshold = np.zeros(probability.size)
    lanes.add_up(row, probability, threshold)
    fast = lanes.Fast(row, np.full(16, -1, np.int64), threshold)
    state, out = np.array([3], np.uint64), np.zeros((500, 2), np.int64)
    for j, size in enumerate(sizes):
        _by_both(sum(sizes[:j]), size, probability, fast, lanes_of(2), state, out)
        assert np.array_equal(out[:, 0], out[:, 1])
        assert set(out[:, 0].tolist()) <= set(np.flatnonzero(parts[j]).tolist())
    _by_both(UNKNOWN, 3, probability, fast, lanes_of(2), state, out)
    assert np.array_equal(out[:, 0], out[:, 1])
    assert set(out[:, 0].tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("state", "probability", "expected"),
    [(3, [splitmix(3)[1], 1 - splitmix(3)[1]], 1), (state_before(2**64 - 1), [*[0.1] * 10, 0.0, 0.0], 9)],
    ids=["on a threshold", "beyond the sum"],
)
def test_numbers_at_the_edge(state: int, probability: list[float], expected: int) -> None:
    """A number on a threshold draws the next action; ten tenths sum to the last number that there is, which draws the
    last of them all the same."""
    size, odds = len(probability), np.array(probability)
    row, threshold = np.array([[0, 0, 0, size]]), np.zeros(size)
    lanes.add_up(row, odds, threshold)
    fast, out = lanes.Fast(row, np.full(2, -1, np.int64), threshold), np.zeros((1, 2), np.int64)
    _by_both(0, size, odds, fast, lanes_of(1), np.array([state], np.uint64), out)
    assert out.tolist() == [[expected, expected]]


@kernel
def _step(tables: Tables, room: StepScratch, random: Any) -> None:
    """Let two movers draw and take an action."""
    step.list_odds(2, WIDTH, tables, room)
    for m in range(2):
        step.take(m, step.draw_action(m, tables, room, random), WIDTH, room)


def longs(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def test_a_step_of_two_movers() -> None:
    """Seat 2 is at a known set, whose second action is certain; seat 0 is in no table, and plays uniformly."""
    probability = np.array([9.0, 0.0, 1.0, 0.0, 9.0])
    tables = Tables(np.zeros((1, SET_ROW), np.int64), np.full(2, -1, np.int64), probability)
    room = StepScratch(
        longs(0), longs(*range(10, 10 + 3 * WIDTH)), np.zeros(3 * WIDTH), longs(1, UNKNOWN, 0), longs(3, 2, 0),
        longs(0, 0, 0), longs(2, 0, 0), longs(7, 8, 9), longs(UNKNOWN, UNKNOWN, UNKNOWN), longs(0, 0, 0), np.zeros(3),
    )  # fmt: skip
    seen, state = set(), np.array([1], np.uint64)
    for _ in range(40):
        room.last[:] = 7, 8, 9
        _step(tables, room, state)
        assert room.odds[:3].tolist() == [0.0, 1.0, 0.0]
        assert room.odds[WIDTH : WIDTH + 2].tolist() == [0.5, 0.5]
        assert room.taken[0] == 1
        assert room.choice[:2].tolist() == [11, 10 + WIDTH + room.taken[1]]
        assert room.last.tolist() == [UNKNOWN, 8, 2]  # whoever did not move is where it was
        seen.add(int(room.taken[1]))
    assert seen == {0, 1}
