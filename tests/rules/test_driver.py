"""The one driver, with a kernel that asks for everything."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from hannan.arrays import Longs
from hannan.errors import HannanError, RulesError
from hannan.games.kuhn_poker import kuhn_poker
from hannan.kernels import kernel, statuses
from hannan.rules.doors import source_of
from hannan.rules.plainsource import FIRST_WIDTH
from hannan.rules.source import drive, fenced, states
from tests.measures.rare import rare_loss
from tests.plaingames import Coins

ROOMS = (
    statuses.MORE_SETS, statuses.MORE_HISTORIES, statuses.MORE_DEPTH, statuses.MORE_WIDTH, statuses.MORE_VISITS,
    statuses.MORE_GAINS, statuses.MORE_NODES, statuses.MORE_TRUNK,
)  # fmt: skip


@kernel
def hungry(asked: Longs, room: Longs, wanted: int) -> int:
    """Ask for room of one kind after another until there is enough of all."""
    for k in range(room.size):
        if room[k] < wanted:
            return asked[k]
    return 0


def nothing_written() -> tuple[Sequence[Any], Sequence[Any]]:
    return (), ()


def complain(status: int) -> HannanError:
    return RulesError(f"status {status}")


def test_every_kind_of_room_is_made_until_there_is_enough() -> None:
    asked, room = np.array(ROOMS), np.ones(len(ROOMS), np.int64)
    made = list[int]()

    def more(k: int) -> None:
        made.append(k)
        room[k] *= 2

    answers = {status: partial(more, k) for k, status in enumerate(ROOMS)}
    source = source_of(kuhn_poker())
    assert drive(source, lambda: hungry(asked, room, 8), complain, answers, nothing_written) == statuses.DONE
    assert made == [k for k in range(len(ROOMS)) for _ in range(3)]
    assert room.tolist() == [8] * len(ROOMS)


def test_an_answer_may_end_it_and_a_status_without_one_is_an_error() -> None:
    source = source_of(Coins())
    asked = [statuses.MORE_SETS, statuses.PAUSE, statuses.BROKEN]
    call = iter(asked).__next__
    answers = {statuses.MORE_SETS: lambda: None, statuses.PAUSE: lambda: True}
    assert drive(source, call, complain, answers, nothing_written) == statuses.PAUSE
    with pytest.raises(RulesError, match=f"status {statuses.BROKEN}"):
        drive(source, call, complain, answers, nothing_written)


def test_too_many_moves_are_answered_only_where_plain_rules_named_them() -> None:
    class Wide(Coins):
        def actions(self, state: Any, player: int) -> list[int]:
            return list(range(3 * FIRST_WIDTH))

    plain = source_of(Wide())
    words, codes = np.zeros(1, np.int64), np.zeros(4 * FIRST_WIDTH, np.int64)
    plain.put(words, Wide().start())
    widths = list[int]()

    def ask() -> int:
        count = plain.book[2].thunk(0, words.ctypes.data, 0, codes.ctypes.data)
        return statuses.TOO_WIDE if count > plain.width else statuses.DONE

    drive(plain, ask, complain, {statuses.TOO_WIDE: lambda: widths.append(plain.width)}, nothing_written)
    assert widths == [4 * FIRST_WIDTH]
    assert codes[: 3 * FIRST_WIDTH].tolist() == list(range(3 * FIRST_WIDTH))
    for source in (plain, source_of(kuhn_poker())):  # neither has been asked for more
        with pytest.raises(RulesError, match=f"status {statuses.TOO_WIDE}"):
            drive(source, lambda: statuses.TOO_WIDE, complain, {statuses.TOO_WIDE: lambda: None}, nothing_written)


def test_an_error_of_plain_rules_comes_out_of_the_kernel_with_its_path() -> None:
    class Failing(Coins):
        def actions(self, state: Any, player: int) -> list[int]:
            raise ZeroDivisionError("no coins")

    source, words = source_of(Failing()), np.zeros(1, np.int64)
    source.put(words, Failing().start())
    out = np.zeros(16, np.int64)

    def ask() -> int:
        source.book[2].thunk(0, words.ctypes.data, 0, out.ctypes.data)
        return statuses.BROKEN  # an answer that ends the loop is given, and is not what is told

    with pytest.raises(RulesError, match=r"^node r: actions\(\) raised ZeroDivisionError: no coins"):
        drive(source, ask, complain, {}, nothing_written)


def test_ctrl_c_in_plain_rules_comes_out_of_the_kernel() -> None:
    class Interrupted(Coins):
        def turn(self, state: Any) -> int:
            raise KeyboardInterrupt

    source, words = source_of(Interrupted()), np.zeros(1, np.int64)
    source.put(words, Interrupted().start())

    def ask() -> int:
        source.book[1].thunk(0, words.ctypes.data)
        return statuses.DONE

    with pytest.raises(KeyboardInterrupt):
        drive(source, ask, complain, {}, nothing_written)


@pytest.mark.parametrize("place", ["before", "after", "state"])
def test_a_write_beside_an_array_is_refused(place: str) -> None:
    source, codes, rows = source_of(rare_loss(0.5).rules), fenced(4, np.int64), states(3, 2)

    def call() -> int:
        if place == "state":
            rows[1, -1] = 5
        else:
            whole = codes.base
            whole[0 if place == "before" else -1] = 5
        return statuses.DONE

    with pytest.raises(RulesError, match="writes outside of its arrays"):
        drive(source, call, complain, {}, lambda: ((codes,), (rows,)))
