"""What histories are worth, against sums over the plays that went through them."""

from __future__ import annotations

import numpy as np

from hannan.kernels import worth

PLAYERS, MOVES = 2, 4


def plays(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw plays of two or three moves out of three, and what they earn."""
    random = np.random.default_rng(seed)
    trail = np.zeros((count, MOVES, 2), np.int64)
    for play in trail:
        for step in range(int(random.integers(2, MOVES))):
            play[step] = random.integers(3), 3
    return trail, random.integers(-5, 6, (count, PLAYERS)).astype(float)


def test_plays_are_added_to_the_histories_that_they_went_through() -> None:
    """A history is counted from its parent's second visit on, which is when the parent's moves get numbers."""
    trail, earned = plays(300, 3)
    room = 200
    child, many = np.zeros(room, np.int64), np.zeros(room, np.int64)
    visits, total = np.zeros(room), np.zeros((room, PLAYERS))
    used = worth.grow(trail, earned, child, many, visits, total, 1)
    expected: dict[tuple[int, ...], list[float]] = {(): [0.0] * (1 + PLAYERS)}
    for play, gains in zip(trail.tolist(), earned.tolist(), strict=True):
        path: tuple[int, ...] = ()
        for step in range(MOVES + 1):
            here = expected[path]
            for k, more in enumerate([1.0, *gains]):
                here[k] += more
            if step == MOVES or play[step][1] == 0:
                break
            if (*path, 0) not in expected:
                if here[0] < 2:
                    break
                expected.update({(*path, move): [0.0] * (1 + PLAYERS) for move in range(3)})
            path = (*path, play[step][0])
    assert used == len(expected) < room
    for path, numbers in expected.items():
        h = 0
        for move in path:
            h = int(child[h]) + move
        assert [visits[h], *total[h]] == numbers
    before = total.copy()
    worth.average(used, child, many, visits, total, 2.0)
    np.testing.assert_allclose(total[0], before[0] / 300, rtol=1e-15)
    for h in range(used):
        for c in range(child[h], child[h] + many[h]):
            np.testing.assert_allclose(total[c], (before[c] + 2.0 * total[h]) / (visits[c] + 2.0), rtol=1e-14)


def test_without_room_nothing_is_numbered() -> None:
    trail, earned = plays(300, 3)
    child, many = np.zeros(5, np.int64), np.zeros(5, np.int64)
    visits, total = np.zeros(5), np.zeros((5, PLAYERS))
    assert worth.grow(trail, earned, child, many, visits, total, 1) == 4
    assert visits[0] == 300
    assert many.tolist() == [3, 0, 0, 0, 0]


def test_the_most_that_corrections_come_to() -> None:
    """At each history, how far its moves lie apart, and the most that follows: along the path where that is most."""
    child, many = np.array([1, 3, 0, 0, 0]), np.array([2, 2, 0, 0, 0])
    value, most = np.array([[9.0], [1.0], [-2.0], [4.0], [0.5]]), np.full((5, 1), 7.0)
    worth.widest(child, many, value, most)
    assert most.ravel().tolist() == [3.0 + 3.5, 3.5, 0.0, 0.0, 0.0]
