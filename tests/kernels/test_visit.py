"""Each question of a visit against the promise written in plain Python; the rules say what their table tells them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.addresses import address
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import BROKEN, DONE, TOO_WIDE
from hannan.kernels.visit import (
    LONG,
    ask_actions,
    ask_bounds,
    ask_chance,
    ask_gains,
    ask_observation,
    ask_position,
    ask_turn,
)
from hannan.turns import CHANCE, END, MOST_GAIN, NO_MOVERS, UNSEEN

PLAYERS, WIDTH, WORDS = 3, 400, 4

# The table: an answer, then the codes or words that go with it. Numbers come in `said`, as the state of the play.


@kernel
def _answer(table: Any, state: Any) -> int:
    return table[0]


@kernel
def _actions(table: Any, state: Any, player: int, out: Any) -> int:
    for k in range(min(table[0], WIDTH)):
        out[k] = table[1 + k]
    return table[0]


@kernel
def _chance(table: Any, state: Any, out: Any, odds: Any) -> int:
    for k in range(min(table[0], WIDTH)):
        out[k], odds[k] = k, state[k]
    return table[0]


@kernel
def _observe(table: Any, state: Any, player: int) -> int:
    return table[player]


@kernel
def _numbers(table: Any, state: Any, out: Any) -> None:
    for k in range(table[0]):
        out[k] = state[k]


@kernel
def _nothing(table: Any, state: Any) -> None:
    pass


@kernel
def _visit(question: int, table: Longs, said: Floats, codes: Longs, odds: Floats) -> tuple[int, int]:
    """Ask one question of rules that answer as they are told; return the status and what the kernel says besides."""
    here = address(said, 0)
    book = Book(_nothing, _answer, _actions, _chance, _nothing, _observe, _numbers, address(table, 0))
    if question == 0:
        return ask_turn(book, here, PLAYERS)
    if question == 1:
        status, gainful = ask_gains(book, here, PLAYERS, address(odds, 0))
        return status, int(gainful)
    if question == 2:
        status, count, even = ask_chance(book, here, WIDTH, address(codes, 0), address(odds, 0))
        return status, count + 10 * WIDTH * int(even)
    if question == 3:
        return ask_actions(book, here, 0, WIDTH, address(codes, 0))
    if question == 4:
        return ask_actions(book, here, 0, WIDTH, address(codes, 0), False)
    if question == 5:
        return ask_observation(book, here, 1)
    if question == 6:
        return ask_bounds(_numbers, book, here, PLAYERS, address(odds, 0)), 0
    return ask_position(_answer_position, book, here, WORDS, address(codes, 0))


@kernel
def _answer_position(table: Any, state: Any, out: Any) -> int:
    return table[0]


TURN, GAINS, CHANCES, ACTIONS, UNCOMPARED, OBSERVATION, BOUNDS, POSITION = range(8)


def visit(question: int, table: list[int], said: list[float] | None = None) -> tuple[int, int]:
    words, numbers = np.zeros(1000, np.int64), np.zeros(1000)
    words[: len(table)] = table
    numbers[: len(said or [])] = said or []
    return tuple(_visit(question, words, numbers, np.zeros(WIDTH, np.int64), np.full(WIDTH, 7.0)))  # type: ignore[return-value]


@pytest.mark.parametrize("turned", [-(2**62), -3, CHANCE, END, 0, 1, 5, 7, 8, 9, 2**62])
def test_turn(turned: int) -> None:
    """END, CHANCE, or some of three players as bits."""
    status, told = visit(TURN, [turned])
    assert status == (DONE if turned in (CHANCE, END, *range(2**PLAYERS)) else BROKEN)
    assert told == (NO_MOVERS if turned == CHANCE else turned)


@pytest.mark.parametrize(
    "gains",
    [[], [0.0, 0.0, 0.0], [-0.0, 1.0, -1.0], [MOST_GAIN, -MOST_GAIN, 0.0], [0.0, 0.0, 1.1 * MOST_GAIN],
     [-math.inf, 0.0, 0.0], [0.0, math.nan, 0.0]],
)  # fmt: skip
def test_gains(gains: list[float]) -> None:
    """What is not written counts as 0, whatever lay there before."""
    status, gainful = visit(GAINS, [len(gains)], gains)
    assert status == (DONE if all(abs(gain) <= MOST_GAIN for gain in gains) else BROKEN)
    assert gainful == any(gain != 0 for gain in gains)


ODDS = [
    [1.0], [0.5], [0.5, 0.5], [0.25] * 4, [0.1] * 10, [0.2, 0.3, 0.5], [0.2, 0.3, 0.4], [0.2, 0.3, 0.6],
    [1.5, -0.5], [-0.5, 1.5], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [math.nan], [0.5, math.nan], [math.inf, 0.0],
    [0.5, 0.5 + 1e-12], [0.5, 0.5 + 1e-6], [1 / 400] * 400, [1 / 300] * 299,
]  # fmt: skip


@pytest.mark.parametrize("odds", ODDS, ids=lambda odds: f"{len(odds)} of {odds[0]:g}")
def test_chance(odds: list[float]) -> None:
    """Probabilities of 0 and more sum to 1 within 1e-9."""
    status, told = visit(CHANCES, [len(odds)], odds)
    fair = all(number >= 0 for number in odds) and abs(math.fsum(odds) - 1) < 1e-9
    assert status == (DONE if fair else BROKEN)
    if fair:
        assert divmod(told, 10 * WIDTH) == (len(set(odds)) == 1, len(odds))


@pytest.mark.parametrize("question", [CHANCES, ACTIONS, UNCOMPARED])
def test_how_many_moves_there_are(question: int) -> None:
    assert visit(question, [0])[0] == visit(question, [-1])[0] == BROKEN
    assert visit(question, [WIDTH + 1])[0] == TOO_WIDE


def test_an_action_that_is_listed_twice() -> None:
    """Lists of every length up to 40, in order and not, with and without a double, and long ones, which ascend."""
    random = np.random.default_rng(5)
    for count in range(1, 41):
        for kind in range(4):
            codes = random.choice(10**9, count, replace=False) - 5 * 10**8
            if kind % 2:
                codes = np.sort(codes)
            if kind >= 2 and count > 1:
                one, other = random.choice(count, 2, replace=False)
                codes[one] = codes[other]
            expected = BROKEN if len(set(codes.tolist())) < count else DONE
            assert visit(ACTIONS, [count, *codes.tolist()]) == (expected, count)
            assert visit(UNCOMPARED, [count, *codes.tolist()]) == (DONE, count)
    assert visit(ACTIONS, [LONG, 3, 2, 1, *range(4, LONG), 1])[0] == BROKEN
    assert visit(ACTIONS, [LONG + 1, *range(LONG + 1)])[0] == DONE


def test_observation() -> None:
    assert visit(OBSERVATION, [3, -4]) == (DONE, -4)
    assert visit(OBSERVATION, [3, UNSEEN])[0] == BROKEN


@pytest.mark.parametrize(
    "bounds",
    [[0.0] * 6, [-1, 1, -2, 2, 3, 3], [-1, 1, -2, 2, 3, 2.9], [1, -1, 0, 0, 0, 0], [0, math.inf, 0, 0, 0, 0],
     [0, 0, -math.inf, 0, 0, 0], [0, 0, 0, math.nan, 0, 0], [math.nan, 0, 0, 0, 0, 0]],
)  # fmt: skip
def test_bounds(bounds: list[float]) -> None:
    fair = all(math.isfinite(number) for number in bounds) and all(
        bounds[p] <= bounds[p + 1] for p in range(0, 2 * PLAYERS, 2)
    )
    assert visit(BOUNDS, [6], bounds)[0] == (DONE if fair else BROKEN)


@pytest.mark.parametrize("words", [-1, 0, 1, WORDS, WORDS + 1])
def test_position(words: int) -> None:
    assert visit(POSITION, [words]) == (DONE if 0 <= words <= WORDS else BROKEN, words)
