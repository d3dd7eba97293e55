"""Sources of rules for compiled loops, and the driver of their kernels.

A source shows compiled and plain rules in the same way: functions that a loop calls, and the sizes of their outputs.
Compiled rules provide these functions themselves, and a state is their vector of integers; `hannan.rules.plainsource`
does the same for plain rules. A loop never asks which of the two it has.

Compiled functions get bare addresses, so they can write outside of an array. Such a write lands in the fence around the
array, where it does no harm, and is detected when the kernel returns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from math import prod
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
"""A function that numbers observations or positions; equal ones have equal numbers."""

Menu = Sequence[Hashable]
Codes = Callable[[Menu], Sequence[int]]
"""A function that returns the codes of the actions of a menu."""


MARK = -7_777_777_777
"""The value that fills a fence."""


def fenced(shape: int | tuple[int, ...], kind: type = np.float64) -> Any:
    """Return an array of zeros between fences; the type must have eight bytes."""
    size = shape if isinstance(shape, int) else prod(shape)
    whole = np.zeros(size + 2 * FENCE, np.int64)  # untouched pages take no memory
    whole[:FENCE] = whole[-FENCE:] = MARK
    return whole[FENCE : FENCE + size].view(kind).reshape(shape)


def states(rows: int, size: int) -> Any:
    """Return an array for `rows` states between fences; a spare word after each state reveals a write past its end."""
    return fenced((rows, size + BESIDE), np.int64)


def longer_fenced(array: Any, size: int) -> Any:
    """Return a copy of a fenced array with more rows; the new rows are zero."""
    result = fenced((size, *array.shape[1:]), array.dtype.type)
    result[: len(array)] = array
    return result


def beside(rules: CompiledRules) -> RulesError:
    """Return the error for rules that have written outside of their arrays."""
    return RulesError(
        f"{rules.name or type(rules).__name__}: a compiled function writes outside of its arrays: indices start at 0, "
        f"a state has state_size={rules.state_size} elements, an array of moves width={rules.width}, and one of gains "
        f"{rules.players}; check_game says which function it is"
    )


class Pinned(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A compiled function with its address. Numba would look it up on every call, in a tenth of a millisecond."""

    def __init__(self, name: str, function: Any) -> None:
        self.function, self.address, self.shape = function, address_of(function), BOOK[name]
        self._numba_type_ = types.FunctionType(self.shape)

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Any:
        return self.shape


@cache
def pinned(book: Rulebook) -> tuple[Any, ...]:
    """Return the compiled functions of a book with their addresses."""
    return tuple(Pinned(name, compile_function(name, getattr(book, name))) for name in NAMES)


class Source(ABC):
    """Rules in the form that compiled loops use."""

    rules: Rules
    book: tuple[Any, ...]
    """The rules as a kernel receives them: seven functions and their table."""
    state_size: int
    """The number of words of a state."""
    width: int
    """The capacity for the actions of one player, or for outcomes."""
    worded: bool
    """Whether this source has given the codes, so that a file needs the texts of observations; otherwise the codes are
    those of the rules."""
    enough: Callable[[], bool] | None = None
    """Called before each call of plain rules; True ends the loop with `Halted`. Compiled rules do not call it."""
    beginnings: tuple[int, ...] = ()
    """The memory of each player before its first observation and action, if the source has memories."""

    @abstractmethod
    def optional(self, name: str) -> tuple[Any, bool]:
        """Return an optional function of the rules for a kernel, and whether the rules define it."""

    @abstractmethod
    def put(self, words: Longs, state: Any, path: Sequence[int] = ()) -> None:
        """Write a state into the words of a loop and forget all others; `path` holds the numbers of the moves to it."""

    def begin(self, words: Longs) -> None:
        """Write the first state of a play into the words of a loop, and forget all others."""
        self.put(words, ask(self.rules, [], "start", self.rules.start))

    @abstractmethod
    def put_line(self, rows: Longs, line: Sequence[Any], path: Sequence[int]) -> None:
        """Write the states of a line of play into the rows of a loop, and forget all others.

        path: the numbers of the moves from the start of play to the last state.
        """

    @abstractmethod
    def coded(self, mover: int, menu: Menu) -> Sequence[int]:
        """Return the codes of a player's actions, or of the outcomes of chance, in a loop."""

    @abstractmethod
    def place(self, state: Any) -> Sequence[int]:
        """Return the position of a state in the words of a loop."""

    @abstractmethod
    def state(self, words: Longs) -> Any:
        """Return the state of the rules that the words of a loop represent."""

    @abstractmethod
    def forget(self, kept: Longs) -> None:
        """Forget all states except those in the rows of an array, and renumber these if necessary."""

    @abstractmethod
    def check(self, status: int, *arrays: Any, states: Sequence[Any] = (), spare: Sequence[Any] = ()) -> None:
        """Raise a stored error of the rules, and refuse rules that have written outside of fenced arrays.

        status: how the kernel ended. states: arrays of states with a spare word after each state, which must stay 0.
        spare: the space after the moves of a node, which only too many moves may touch.
        """

    @abstractmethod
    def copied(self) -> Source:
        """Return a source with the same codes and memories, for another loop of the same kind."""

    @abstractmethod
    def widened(self) -> bool:
        """Return whether a node had more moves than `width`; if so, increase `width`."""

    @abstractmethod
    def code(self, seen: Hashable) -> int:
        """Return the number of an observation."""

    def vocabulary(self) -> tuple[tuple[str, ...] | None, Mapping[Hashable, int] | None]:
        """Return the texts of observations by code, and the codes of those that occurred; None unless `worded`."""
        return None, None

    def labels(self) -> list[str]:
        """Return the text of each code's observation, for a file; refuse observations without a reliable text."""
        return []

    def memory_of(self, before: int, seen: int, place: int) -> int:
        """Return the number of a player's memory after a choice; equal memories have equal numbers."""
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
        """Restore saved facts: texts of observations by code, codes of those that occurred, and names of actions."""


class CompiledSource(Source):
    """The source of compiled rules."""

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
        """Do nothing: the words are the states themselves."""

    def check(self, status: int, *arrays: Any, states: Sequence[Any] = (), spare: Sequence[Any] = ()) -> None:
        if self.rules.ours:
            return
        if any(array[:, -BESIDE:].any() for array in states):
            raise beside(self.rules)
        if status == TOO_WIDE:  # the moves overflow the array, and another error reports it
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
        """Do nothing: codes of compiled rules have the same meaning in every process."""


@cache
def stand_in(name: str) -> Any:
    """Return a function in place of an optional one that the rules do not define; it writes nothing."""
    from hannan.kernels import pointed
    from hannan.kernels.signatures import OPTIONAL

    return pointed(_STAND_INS[name], OPTIONAL[name])


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
"""A function that handles a status, by enlarging an array for example. If it returns True, the kernel is not called
again."""


def drive(
    source: Source | None,
    call: Callable[[], Any],
    error: Callable[[int], HannanError],
    answers: Mapping[int, Answer],
    written: Callable[[], tuple[Sequence[Any], Sequence[Any]]],
) -> int:
    """Call a kernel until it is done, or until an answer ends the loop; return its last status.

    source: None if the kernel walks a tree and calls no rules. answers: a function for each status that can be handled;
    that of `TOO_WIDE` is called after plain rules had more moves than `source.width`, which has grown. written: the
    fenced arrays, and the states, that the rules write into. error: makes the error of any other status, with the path
    of play.
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
