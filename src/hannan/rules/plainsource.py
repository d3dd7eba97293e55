"""Plain-Python rules, shown to compiled loops as if they were compiled.

A loop calls functions by their addresses; here these lead back into Python. A state of such rules is one number, the
place of the state itself, a Python object, in a list: a copy of the number is a copy of the state. So one loop serves
all rules, and a game that is written both ways gives the same bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from hannan.arrays import Longs
from hannan.errors import STRAY
from hannan.kernels.signatures import BOOK, OPTIONAL
from hannan.rules.bounds import wrong_bounds
from hannan.rules.inquiry import Inquiry, Menu
from hannan.rules.observations import not_looked_up
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.source import Codes, Number, Source
from hannan.turns import UNSEEN

FIRST_WIDTH = 16
"""How many moves of one player, or outcomes, there is room for at first."""

ENDING = {"turn": END - 2, "chance": 2**40, "observe": UNSEEN, "position": -1}
"""Answers that end a loop before it learns anything from them: each breaks a promise. Elsewhere 0, which does so, too,
for a number of actions."""

_LONG, _REAL, _ADDRESS = ctypes.c_int64, ctypes.c_double, ctypes.c_size_t
_SHAPES: dict[Any, Any] = {types.void: None, types.int64: _LONG}


@cache
def _row(kind: Any, length: int) -> Any:
    """Return the type of a row of numbers; ctypes forgets it when it is not held."""
    return kind * length


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A Python function that compiled code can call, of one numba signature; pointers come as addresses."""

    def __init__(self, shape: Any, answer: Callable[..., Any]) -> None:
        prototype = ctypes.CFUNCTYPE(_SHAPES[shape.return_type], *(_SHAPES.get(kind, _ADDRESS) for kind in shape.args))
        self.shape, self.thunk = shape, prototype(answer)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self.thunk, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        return self.shape


class Offer(NamedTuple):
    """What somebody may do at a state."""

    menu: Menu
    codes: Sequence[int]
    seen: int  # the code of what a player sees, where actions are compared


class PlainSource(Inquiry, Source):
    """Answers the questions of compiled loops about plain rules, each by its method `_on_NAME`.

    An error in the rules, or Ctrl-C, cannot pass through compiled code: it is kept, every later question gets an answer
    that ends the loop, and `check` raises it.
    """

    state_size = 1
    worded = True

    def __init__(
        self,
        rules: Rules,
        *,
        seen: Number | None = None,
        position: Number | None = None,
        codes: Codes | None = None,
        stacked: bool = False,
        compared: bool = False,
        features: int = 0,
        width: int = FIRST_WIDTH,
    ) -> None:
        """`seen` and `position` number observations and positions, `codes` actions; without it they are places.

        Without `position`, positions are hashed. width: how many moves there is room for at first.
        stacked: a loop goes back to the last state before it moves on, so a move forgets all states after it.
        compared: actions are compared from history to history of an information set. features: how many there are.
        """
        super().__init__(rules)
        self.width, self._widest, self._features = width, 0, features
        self._number, self._position, self._coded = seen or self.code, position or _hashed, codes
        self._stacked, self._compared = stacked, compared
        self.error: BaseException | None = None
        self._states: list[Any] = []  # by number, as the next four
        self._turns: list[int | tuple[int, ...] | None] = []
        self._offers: list[dict[int, Offer]] = []  # to each mover, or to chance
        self._ways: list[tuple[int, int]] = []  # the number of the state before, and of the move that was made there
        self._memory: list[Sequence[int]] = []  # what each player has seen and done, where actions are compared
        self._prefix: Sequence[int] = ()
        self._here = 0
        self._gained, self._bounded = _REAL * rules.players, _REAL * (2 * rules.players)
        self._functions: dict[str, Callback] = {}
        self.book = (*map(self._function, BOOK), _no_table())

    def copied(self) -> PlainSource:
        """Return another one that knows the same of the rules, for a loop of the same kind."""
        other = PlainSource(
            self.rules, position=self._position, codes=self._coded, stacked=self._stacked, compared=self._compared,
            features=self._features,
        )  # fmt: skip
        other.know(self)
        other.width = self.width
        return other

    def optional(self, name: str) -> tuple[Any, bool]:
        return self._function(name), self.rules.writes(name) or name == "position"  # the number of a state is none

    def _function(self, name: str) -> Callback:
        if name not in self._functions:
            answer = self._guarded(getattr(self, f"_on_{name}"), ENDING.get(name, 0))
            self._functions[name] = Callback({**BOOK, **OPTIONAL}[name], answer)
        return self._functions[name]

    def _guarded(self, answer: Callable[..., Any], otherwise: int) -> Callable[..., Any]:
        def guarded(_: int, *arguments: int) -> Any:
            if self.error is None:
                try:
                    return answer(*arguments)
                except BaseException as error:  # raised again by `check`
                    self.error = error
            return otherwise

        return guarded

    def put(self, words: Longs, state: Any, path: Sequence[int] = ()) -> None:
        self.put_line(words[None], (state,), path)

    def put_line(self, rows: Longs, line: Sequence[Any], path: Sequence[int]) -> None:
        self._cut(0)
        before = len(path) - len(line) + 1
        self._prefix = path[:before]
        for k, (state, number) in enumerate(zip(line, (0, *path[before:]), strict=True)):
            rows[k, 0] = self._new(state, (k - 1, number), ())

    def coded(self, mover: int, menu: Sequence[Hashable]) -> Sequence[int]:
        return range(len(menu)) if self._coded is None or mover == CHANCE else self._coded(menu)

    def place(self, state: Any) -> Sequence[int]:
        return (self._position(self.rules.position(state)),)

    def state(self, words: Longs) -> Any:
        return self._states[int(words[0])]

    def forget(self, kept: Longs) -> None:
        numbers = kept[:, 0]
        places = {place: k for k, place in enumerate(dict.fromkeys(numbers.tolist()))}
        states = [(self._states[place], self._memory[place]) for place in places]
        self._cut(0)
        for state, memory in states:
            self._new(state, (-1, 0), memory)
        numbers[:] = [places[place] for place in numbers.tolist()]

    def check(self, status: int, *arrays: Any, states: Sequence[Any] = ()) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error

    def widened(self) -> bool:
        narrow = self._widest > self.width
        while self.width < self._widest:
            self.width *= 2
        return narrow

    def path(self) -> list[int]:
        steps, here = list[int](), self._here
        while 0 <= here < len(self._ways) and self._ways[here][0] >= 0:
            here, number = self._ways[here]
            steps.append(number)
        return [*self._prefix, *steps[::-1]]

    def _cut(self, size: int) -> None:
        """Forget the states from a number on."""
        if size < len(self._states):
            for column in (self._states, self._turns, self._offers, self._ways, self._memory):
                del column[size:]

    def _new(self, state: Any, way: tuple[int, int], memory: Sequence[int]) -> int:
        self._states.append(state)
        self._turns.append(None)
        self._offers.append({})
        self._ways.append(way)
        self._memory.append(memory or self.beginnings)
        return len(self._states) - 1

    def _at(self, where: int) -> int:
        self._here = _LONG.from_address(where).value
        return self._here

    def _turn_at(self, here: int) -> int | tuple[int, ...]:
        turn = self._turns[here]
        if turn is None:
            turn = self._turns[here] = self._turn(self._states[here])
        return turn

    def _on_start(self, where: int) -> None:
        if self._stacked:
            self._cut(0)
        self._prefix = ()
        _LONG.from_address(where).value = self._new(self._ask("start", self.rules.start), (-1, 0), ())

    def _on_gains(self, where: int, out: int) -> None:
        self._gained.from_address(out)[:] = [*self._gains(self._states[self._at(where)])]

    def _on_turn(self, where: int) -> int:
        turn = self._turn_at(self._at(where))
        if isinstance(turn, tuple):
            return sum(1 << player for player in turn)
        return 1 << turn if turn >= 0 else turn

    def _on_chance(self, where: int, out: int, probabilities: int) -> int:
        here = self._at(where)
        outcomes, odds = self._chance(self._states[here])
        self._offers[here][CHANCE] = Offer(tuple(outcomes), self.coded(CHANCE, outcomes), 0)
        if self._write(self._offers[here][CHANCE].codes, out):
            _row(_REAL, len(odds)).from_address(probabilities)[:] = odds.tolist()
        return len(outcomes)

    def _on_actions(self, where: int, player: int, out: int) -> int:
        offer = self._offer(self._at(where), player)
        self._write(offer.codes, out)
        return len(offer.menu)

    def _offer(self, here: int, mover: int) -> Offer:
        """Return what a player, or chance, may do at a state, as was said before or is said now."""
        offer = self._offers[here].get(mover)
        if offer is None:
            state, seen = self._states[here], 0
            menu = tuple(self._chance(state)[0]) if mover == CHANCE else self._menu(state, mover)
            if self._compared and mover != CHANCE:
                menu, seen = self._known_as(here, mover, menu)
            offer = self._offers[here][mover] = Offer(menu, self.coded(mover, menu), seen)
        return offer

    def _known_as(self, here: int, player: int, menu: Menu) -> tuple[Menu, int]:
        """Return actions in the order in which they are known at the information set, and the observation's code."""
        seen, code = self._observed(self._states[here], player)
        key = self._memory[here][player], code
        if self.named:
            menu = self._in_order(key, menu)
        self._compare(key, player, seen, menu)
        return menu, code

    def _write(self, codes: Sequence[int], out: int) -> bool:
        """Write the codes of moves; return whether there was room for them."""
        self._widest = max(self._widest, len(codes))
        if len(codes) <= self.width:
            _row(_LONG, len(codes)).from_address(out)[:] = list(codes)
        return len(codes) <= self.width

    def _on_observe(self, where: int, player: int) -> int:
        here = self._at(where)
        if player not in self._offers[here]:
            try:  # rules promise an answer to those alone who are about to act
                return self._number(self.rules.observe(self._states[here], player))
            except STRAY:
                return 0
        if self._compared:
            return self._offers[here][player].seen
        seen = self._ask("observe", self.rules.observe, self._states[here], player)
        try:
            return self._number(seen)
        except TypeError as error:
            self._fail(not_looked_up(seen, error), cause=error)

    def _on_move(self, where: int, choice: int) -> None:
        here = self._at(where)
        turn, number = self._turn_at(here), 0
        who = (CHANCE,) if turn == CHANCE else movers(turn)
        memory, chosen = list(self._memory[here]), list[Hashable]()
        for mover, code in zip(who, _row(_LONG, len(who)).from_address(choice)[:], strict=True):
            menu, codes, seen = self._offer(here, mover)
            place = codes.index(code)
            number = number * len(menu) + place
            chosen.append(menu[place])
            if self._compared and mover != CHANCE:
                memory[mover] = self.memory_of(memory[mover], seen, place)
        move = tuple(chosen) if isinstance(turn, tuple) else chosen[0]
        state = self._ask("after", self.rules.after, self._states[here], move)
        if self._stacked:
            self._cut(here + 1)
        _LONG.from_address(where).value = self._new(state, (here, number), memory)

    def _on_bounds(self, where: int, out: int) -> None:
        bounds = self._ask("bounds", self.rules.bounds, self._states[self._at(where)])
        if bounds is None:
            bounds = [(-np.inf, np.inf)] * self.rules.players
        elif (sentence := wrong_bounds(bounds, self.rules.players)) is not None:
            self._fail(sentence)
        self._bounded.from_address(out)[:] = [float(end) for pair in bounds for end in pair]

    def _on_position(self, where: int, out: int) -> int:
        _LONG.from_address(out).value = self._ask("position", self.place, self._states[self._at(where)])[0]
        return 1

    def _on_features(self, where: int, player: int, out: int) -> None:
        here = self._at(where)
        if player in self._offers[here]:
            given = self._ask("features", self.rules.features, self._states[here], player)
        else:
            try:
                given = self.rules.features(self._states[here], player)
            except STRAY:
                return
        if given is None or len(given) != self._features:
            many = "nothing" if given is None else f"{len(given)} numbers"
            self._fail(f"features() returned {many} for player {player}, and {self._features} elsewhere")
        _row(_REAL, len(given)).from_address(out)[:] = [float(feature) for feature in given]


def _hashed(position: Hashable) -> int:
    try:
        return hash(position)
    except TypeError:  # a state need not be hashable; then all count as one position
        return 0


def _no_table() -> Any:
    """Return a table for functions that read none."""
    table = np.zeros(1, np.int64)
    table.setflags(write=False)
    return table
