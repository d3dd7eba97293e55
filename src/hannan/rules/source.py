"""One source of rules for every compiled loop, and the one driver of its kernels.

Both doors of the rules look the same from here: functions that a loop calls, and the sizes of what they write. Compiled
rules are their own functions, and a state is their vector of integers; `hannan.rules.plainsource` shows plain rules in
the same way. A loop takes a source and never asks which of them it has.

Compiled functions get bare addresses, so nothing stops them from writing beside an array. Such a write lands in the
fence around the array, where it does no harm, and is noticed as soon as the kernel returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Longs
from hannan.errors import HannanError, RulesError
from hannan.kernels.pointers import address_of
from hannan.kernels.signatures import BESIDE, BOOK
from hannan.kernels.statuses import DONE, TOO_WIDE
from hannan.rules.compilation import compile_function
from hannan.rules.compiled import FENCE, NAMES, CompiledRules, Rulebook
from hannan.rules.plain import Rules
from hannan.rules.questions import ask

Number = Callable[[Hashable], int]
"""Gives observations, or positions, numbers: equal ones the same."""

Menu = Sequence[Hashable]
Codes = Callable[[Menu], Sequence[int]]
"""Gives the actions of a menu their codes."""


MARK = -7_777_777_777
"""What stands in a fence."""


def fenced(shape: int | tuple[int, ...], kind: type = np.float64) -> Any:
    """Return zeros between fences; numbers of eight bytes alone."""
    size = int(np.prod(shape))
    whole = np.zeros(size + 2 * FENCE, np.int64)  # what is not touched takes no memory
    whole[:FENCE] = whole[-FENCE:] = MARK
    return whole[FENCE : FENCE + size].view(kind).reshape(shape)


def states(rows: int, size: int) -> Any:
    """Return room for `rows` states between fences, with a spare word after each that shows a write beside it."""
    return fenced((rows, size + BESIDE), np.int64)


def longer_fenced(array: Any, size: int) -> Any:
    """Return an array between fences with more rows, holding what there was, then zeros."""
    result = fenced((size, *array.shape[1:]), array.dtype.type)
    result[: len(array)] = array
    return result


def beside(rules: CompiledRules) -> RulesError:
    """Return the error that says that rules have written where they should not."""
    return RulesError(
        f"{rules.name or type(rules).__name__}: a compiled function writes beside the arrays it is given: places are "
        f"counted from 0, there are state_size={rules.state_size} in a state, width={rules.width} for moves and "
        f"{rules.players} for gains; check_game says which function it is"
    )


class Pinned(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A compiled function with its address. Numba would look that up on every call, for a tenth of a millisecond."""

    def __init__(self, name: str, function: Any) -> None:
        self.function, self.address, self.shape = function, address_of(function), BOOK[name]

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Any:
        return self.shape


@cache
def pinned(book: Rulebook) -> tuple[Any, ...]:
    """Return the compiled functions of a book with their addresses looked up once."""
    return tuple(Pinned(name, compile_function(name, getattr(book, name))) for name in NAMES)


class Source(ABC):
    """Rules as compiled loops take them."""

    rules: Rules
    book: tuple[Any, ...]
    """What a kernel takes for rules: seven functions and their table."""
    state_size: int
    """Words of a state."""
    width: int
    """How many moves of one player, or outcomes, there is room for."""
    worded: bool
    """Whether codes are numbers that this source has given, so that a file needs the texts of what they stand for;
    else they are the rules' own."""
    enough: Callable[[], bool] | None = None
    """Asked before each question to plain rules; True ends the loop with `Halted`. Compiled rules do not ask."""
    beginnings: tuple[int, ...] = ()
    """The memory of each player who has seen and done nothing, where there are memories."""

    @abstractmethod
    def optional(self, name: str) -> tuple[Any, bool]:
        """Return an optional function of the rules as a kernel takes it, and whether they write it."""

    @abstractmethod
    def put(self, words: Longs, state: Any, path: Sequence[int] = ()) -> None:
        """Write a state into the words of a loop, as the only one there is; `path` are the numbers of moves to it."""

    def begin(self, words: Longs) -> None:
        """Write the first state of a play into the words of a loop, as the only one there is."""
        self.put(words, ask(self.rules, [], "start", self.rules.start))

    @abstractmethod
    def put_line(self, rows: Longs, line: Sequence[Any], path: Sequence[int]) -> None:
        """Write the states of a line of play into the rows of a loop, as the only ones that there are.

        path: the numbers of the moves from the start of play to the last of them.
        """

    @abstractmethod
    def coded(self, mover: int, menu: Menu) -> Sequence[int]:
        """Return the codes by which a loop knows a player's actions, or the outcomes of chance."""

    @abstractmethod
    def place(self, state: Any) -> Sequence[int]:
        """Return the position of a state as a loop knows it."""

    @abstractmethod
    def state(self, words: Longs) -> Any:
        """Return the state that words of a loop stand for, as the rules know it."""

    @abstractmethod
    def forget(self, kept: Longs) -> None:
        """Forget all states but those in the rows of an array, whose words may change."""

    @abstractmethod
    def check(self, status: int, *arrays: Any, states: Sequence[Any] = (), spare: Sequence[Any] = ()) -> None:
        """Raise what the rules have raised, and refuse rules that have written beside arrays that `fenced` has made.

        status: how the kernel ended. states: arrays of states, each with a spare word after it that must stay 0.
        spare: what lies between moves, which only too many moves may touch.
        """

    @abstractmethod
    def copied(self) -> Source:
        """Return a source that knows the same of the rules, for another loop of the same kind."""

    @abstractmethod
    def widened(self) -> bool:
        """Return whether more moves were named than there was room for; if so, `width` is larger now."""

    @abstractmethod
    def code(self, seen: Hashable) -> int:
        """Return the number of an observation."""

    def vocabulary(self) -> tuple[tuple[str, ...] | None, Mapping[Hashable, int] | None]:
        """Return the texts of observations by code, and the codes of those met; None unless `worded`."""
        return None, None

    def labels(self) -> list[str]:
        """Return the text of each code's observation, for a file; refuse what a text cannot stand for."""
        return []

    def memory_of(self, before: int, seen: int, place: int) -> int:
        """Return the memory of a player after a choice; equal ones have one number."""
        return 0

    def names_at(self, key: tuple[int, int]) -> list[str] | None:
        """Return the texts of the actions at a set, by its player's memory and the observation's code, if known."""
        return None

    @abstractmethod
    def recall(
        self,
        labels: Sequence[str],
        met: Mapping[Hashable, int] | None = None,
        named: dict[tuple[int, int], list[str]] | None = None,
    ) -> None:
        """Take over what was saved of the rules: the texts of observations by code, those met, and names of actions."""


class CompiledSource(Source):
    """Compiled rules, which are what loops take."""

    rules: CompiledRules
    worded = False

    def __init__(self, rules: CompiledRules) -> None:
        self.rules, self.state_size, self.width = rules, rules.state_size, rules.width
        self.book = (*pinned(rules.book), rules.table)

    def optional(self, name: str) -> tuple[Any, bool]:
        written = self.rules.compiled_optional(name)
        return written or stand_in(name), written is not None

    def put(self, words: Longs, state: Any, path: Sequence[int] = ()) -> None:
        words[: self.state_size] = state

    def put_line(self, rows: Longs, line: Sequence[Any], path: Sequence[int]) -> None:
        for words, state in zip(rows, line, strict=False):
            self.put(words, state)

    def coded(self, mover: int, menu: Any) -> Sequence[int]:
        return list(menu)

    def place(self, state: Any) -> Sequence[int]:
        return self.rules.position(state)

    def state(self, words: Longs) -> tuple[int, ...]:
        return tuple(words[: self.state_size].tolist())

    def forget(self, kept: Longs) -> None:
        """States are their own words."""

    def check(self, status: int, *arrays: Any, states: Sequence[Any] = (), spare: Sequence[Any] = ()) -> None:
        if self.rules.ours:
            return
        if any(array[:, -BESIDE:].any() for array in states):
            raise beside(self.rules)
        if status == TOO_WIDE:  # the moves are written beside the array, and it is said that they are too many
            return
        if any(array.any() for array in spare):
            raise beside(self.rules)
        for array in (*arrays, *states):
            whole = array.base
            if whole is not None and ((whole[:FENCE] != MARK).any() or (whole[-FENCE:] != MARK).any()):
                raise beside(self.rules)

    def copied(self) -> CompiledSource:
        return self

    def widened(self) -> bool:
        return False

    def code(self, seen: Any) -> int:
        return int(seen)

    def recall(
        self,
        labels: Sequence[str],
        met: Mapping[Hashable, int] | None = None,
        named: dict[tuple[int, int], list[str]] | None = None,
    ) -> None:
        """Codes of compiled rules mean the same in every process."""


@cache
def stand_in(name: str) -> Any:
    """Return a function of the type of an optional one, for rules without it; it writes nothing."""
    from hannan.kernels import signed
    from hannan.kernels.signatures import OPTIONAL

    return signed(_STAND_INS[name], OPTIONAL[name])


def _no_bounds(table: Any, state: Any, out: Any) -> None:
    return None


def _no_position(table: Any, state: Any, out: Any) -> int:
    return 0


def _no_chance_group(table: Any, state: Any) -> int:
    return -1


def _no_features(table: Any, state: Any, player: int, out: Any) -> None:
    return None


def _no_similar(table: Any, state: Any, out: Any) -> int:
    return -1


_STAND_INS = {
    "bounds": _no_bounds, "position": _no_position, "chance_group": _no_chance_group, "features": _no_features,
    "similar": _no_similar,
}  # fmt: skip


Answer = Callable[[], bool | None]
"""Answers a status, by making room for example. The kernel is called again, unless the answer is True."""


def drive(
    source: Source | None,
    call: Callable[[], Any],
    error: Callable[[int], HannanError],
    answers: Mapping[int, Answer],
    written: Callable[[], tuple[Sequence[Any], Sequence[Any]]],
) -> int:
    """Call a kernel until it is done, or until an answer wants no more of it; return its last status.

    source: None where the kernel walks a tree, and asks no rules. answers: what is done about each status that asks for
    something; of `TOO_WIDE`, where plain rules named more moves than there was room for, and `source.width` has grown.
    written: the fenced arrays, and the states, that the rules write into. error: what any other status says, with the
    path of play.
    """
    while True:
        status = int(call())
        if source is not None:
            arrays, states = written()
            source.check(status, *arrays, states=states)
        if status == DONE:
            return status
        answer = answers.get(status) if status != TOO_WIDE or (source is not None and source.widened()) else None
        if answer is None:
            raise error(status)
        if answer():
            return status
