"""Plain-Python rules in the form of compiled rules, for compiled loops.

A loop calls functions by their addresses; here these addresses lead back into Python. The loop's state is one number:
the place of the Python state in a list, so a copy of the number is a copy of the state. Thus one loop serves all rules,
and a game that is written both ways gives the same bits.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import types

from hannan.arrays import Longs
from hannan.errors import STRAY
from hannan.interrupts import Halted
from hannan.kernels.signatures import BOOK, OPTIONAL
from hannan.rules.bounds import wrong_bounds
from hannan.rules.inquiry import Inquiry, Menu
from hannan.rules.observations import not_looked_up
from hannan.rules.plain import CHANCE, END, Rules
from hannan.rules.source import Codes, Number, Source
from hannan.turns import UNSEEN

FIRST_WIDTH = 16
"""The initial capacity for the actions of one player, or for outcomes."""

ENDING = {"turn": END - 2, "chance": 2**40, "observe": UNSEEN, "position": -1}
"""Answers that end a loop at once, because each breaks a promise. Other functions return 0, which also breaks one as a
number of actions."""

_LONG, _REAL, _ADDRESS = ctypes.c_int64, ctypes.c_double, ctypes.c_size_t
_SHAPES: dict[Any, Any] = {types.void: None, types.int64: _LONG}

MOST_VIEWS, MOST_SEEN = 2**16, 2**27
"""The number of cached addresses, and the number of elements that a view can show."""


class Views(dict[int, Any]):
    """Cached views of the arrays at addresses that loops pass; they pass the same addresses many times."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self._kind = kind * MOST_SEEN

    def __missing__(self, where: int) -> Any:
        if len(self) >= MOST_VIEWS:
            self.clear()
        view = self[where] = self._kind.from_address(where)
        return view


_LONGS, _REALS = Views(_LONG), Views(_REAL)


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]  # numba has no types
    """A Python function that compiled code can call, of one numba signature; pointers come as addresses."""

    def __init__(self, shape: Any, answer: Callable[..., Any]) -> None:
        prototype = ctypes.CFUNCTYPE(_SHAPES[shape.return_type], *(_SHAPES.get(kind, _ADDRESS) for kind in shape.args))
        self.shape, self.thunk = shape, prototype(answer)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self.thunk, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        return self.shape


Offer = tuple[Menu, Sequence[int], int]
"""The actions of a player (or outcomes of chance) at a state, their codes, and the code of the player's observation if
actions are compared."""


class Node:
    """A state that a loop has reached."""

    __slots__ = "before", "memory", "number", "offers", "state", "turn"

    state: Any
    before: int  # the number of the state before it
    number: int  # of the move that was made at the state before
    memory: Sequence[int]  # the memory of each player, if actions are compared
    turn: int | tuple[int, ...] | None  # None: not known yet
    offers: dict[int, Offer]  # of each mover, or of chance


class PlainSource(Inquiry, Source):
    """Answers the calls of compiled loops to plain rules; the method `_on_NAME` answers the function NAME.

    A method takes the number of the state, the address at which the loop holds it, and the other arguments.

    An error in the rules, or Ctrl-C, cannot pass through compiled code. So it is stored, every later call returns an
    answer that ends the loop, and `check` raises the error.
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
        """Functions give numbers: `seen` to observations, `position` to positions, `codes` to actions.

        Without `codes`, the code of an action is its place; without `position`, positions are hashed. width: the
        initial capacity for moves. stacked: the loop needs only the states of one line of play, so a state takes the
        number after its predecessor's. compared: the actions of an information set are compared between its histories.
        features: the number of features.
        """
        super().__init__(rules)
        self.width, self._widest, self._features = width, 0, features
        self._seen, self._number = seen, seen or self.code
        self._position, self._coded = position or _hashed, codes
        self._stacked, self._compared = stacked, compared
        self.error: BaseException | None = None
        self._nodes: list[Node] = []  # by number
        self._prefix: Sequence[int] = ()
        self._here = 0
        self._functions: dict[str, Callback] = {}
        self.book = (*map(self._function, BOOK), _no_table())

    def copied(self) -> PlainSource:
        """Return a source with the same codes and memories, for another loop of the same kind."""
        other = PlainSource(
            self.rules, seen=self._seen, position=self._position, codes=self._coded, stacked=self._stacked,
            compared=self._compared, features=self._features,
        )  # fmt: skip
        other.know(self)
        other.width = self.width
        return other

    def vocabulary(self) -> tuple[tuple[str, ...], dict[Hashable, int]]:
        return tuple(self.texts()), dict(self.codes)

    def optional(self, name: str) -> tuple[Any, bool]:
        return self._function(name), self.rules.writes(name) or name == "position"  # a state's number is not a position

    def _function(self, name: str) -> Callback:
        if name not in self._functions:
            answer = self._guarded(getattr(self, f"_on_{name}"), ENDING.get(name, 0))
            self._functions[name] = Callback({**BOOK, **OPTIONAL}[name], answer)
        return self._functions[name]

    def _guarded(self, answer: Callable[..., Any], otherwise: int) -> Callable[..., Any]:
        def guarded(_: int, where: int, *arguments: int) -> Any:
            if self.error is None:
                try:
                    if self.enough is not None and self.enough():
                        raise Halted
                    self._here = here = _LONGS[where][0]
                    return answer(here, where, *arguments)
                except BaseException as error:  # raised again by `check`
                    self.error = error
            return otherwise

        return guarded

    def put(self, words: Longs, state: Any, path: Sequence[int] = ()) -> None:
        self.put_line(words[None], (state,), path)

    def put_line(self, rows: Longs, line: Sequence[Any], path: Sequence[int]) -> None:
        self._nodes = []
        before = len(path) - len(line) + 1
        self._prefix = path[:before]
        for k, (state, number) in enumerate(zip(line, (0, *path[before:]), strict=True)):
            rows[k, 0] = self._new(state, k - 1, number, self.beginnings)

    def coded(self, mover: int, menu: Sequence[Hashable]) -> Sequence[int]:
        return _places(len(menu)) if self._coded is None or mover == CHANCE else self._coded(menu)

    def place(self, state: Any) -> Sequence[int]:
        return (self._position(self.rules.position(state)),)

    def state(self, words: Longs) -> Any:
        return self._nodes[int(words[0])].state

    def forget(self, kept: Longs) -> None:
        numbers = kept[:, 0]
        places = {place: k for k, place in enumerate(dict.fromkeys(numbers.tolist()))}
        kept_nodes, self._nodes = [self._nodes[place] for place in places], []
        for node in kept_nodes:
            node.before = -1
            self._nodes.append(node)
        numbers[:] = [places[place] for place in numbers.tolist()]

    def check(self, status: int, *arrays: Any, states: Sequence[Any] = (), spare: Sequence[Any] = ()) -> None:
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
        while 0 <= here < len(self._nodes) and self._nodes[here].before >= 0:
            steps.append(self._nodes[here].number)
            here = self._nodes[here].before
        return [*self._prefix, *steps[::-1]]

    def _new(self, state: Any, before: int, number: int, memory: Sequence[int]) -> int:
        nodes = self._nodes
        place = before + 1 if self._stacked else len(nodes)
        if place == len(nodes):
            nodes.append(Node())
        node = nodes[place]
        node.state, node.before, node.number, node.memory = state, before, number, memory
        node.turn, node.offers = None, {}
        return place

    def _turn_at(self, node: Node) -> int | tuple[int, ...]:
        node.turn = turn = self._turn(node.state)
        return turn

    def _on_start(self, here: int, where: int) -> None:
        self._prefix = ()
        _LONGS[where][0] = self._new(self._ask("start", self.rules.start), -1, 0, self.beginnings)

    def _on_gains(self, here: int, where: int, out: int) -> None:
        gains = self._gains(self._nodes[here].state)
        if any(gains):  # zeros are there already
            _REALS[out][: len(gains)] = [float(gain) for gain in gains]

    def _on_turn(self, here: int, where: int) -> int:
        node = self._nodes[here]
        turn = self._turn_at(node) if node.turn is None else node.turn
        if isinstance(turn, tuple):
            return sum(1 << player for player in turn)
        return 1 << turn if turn >= 0 else turn

    def _on_chance(self, here: int, where: int, out: int, probabilities: int) -> int:
        node = self._nodes[here]
        outcomes, odds = self._chance(node.state)
        codes = self.coded(CHANCE, outcomes)
        node.offers[CHANCE] = outcomes, codes, 0
        if self._write(codes, out):
            _REALS[probabilities][: len(odds)] = odds
        return len(outcomes)

    def _on_actions(self, here: int, where: int, player: int, out: int) -> int:
        _, codes, _ = self._offer(self._nodes[here], player)
        self._write(codes, out)
        return len(codes)

    def _offer(self, node: Node, mover: int) -> Offer:
        """Return the actions of a player, or the outcomes of chance, at a state; cached per node."""
        offer = node.offers.get(mover)
        if offer is None:
            seen = 0
            menu = self._chance(node.state)[0] if mover == CHANCE else self._menu(node.state, mover)
            if self._compared and mover != CHANCE:
                menu, seen = self._known_as(node, mover, menu)
            offer = node.offers[mover] = menu, self.coded(mover, menu), seen
        return offer

    def _known_as(self, node: Node, player: int, menu: Menu) -> tuple[Menu, int]:
        """Return actions in the order in which the information set has them, and the observation's code."""
        seen, code = self._observed(node.state, player)
        key = node.memory[player], code
        if self.named:
            menu = self._in_order(key, menu)
        if self.menus.get(key) != menu:
            self._compare(key, player, seen, menu)
        return menu, code

    def _write(self, codes: Sequence[int], out: int) -> bool:
        """Write the codes of moves if they fit; return whether they did."""
        count = len(codes)
        if count > self._widest:
            self._widest = count
        if count <= self.width:
            _LONGS[out][:count] = codes
        return count <= self.width

    def _on_observe(self, here: int, where: int, player: int) -> int:
        node = self._nodes[here]
        if player not in node.offers:
            try:  # rules promise an answer only for players about to act
                return self._number(self.rules.observe(node.state, player))
            except STRAY:
                return 0
        if self._compared:
            return node.offers[player][2]
        seen = self._ask("observe", self.rules.observe, node.state, player)
        try:
            return self._number(seen)
        except TypeError as error:
            self._fail(not_looked_up(seen, error), cause=error)

    def _on_move(self, here: int, where: int, choice: int) -> None:
        node = self._nodes[here]
        turn, taken = self._turn_at(node) if node.turn is None else node.turn, _LONGS[choice]
        memory, number = node.memory, 0
        chosen: list[Hashable] = []
        for k, mover in enumerate(turn if isinstance(turn, tuple) else (turn,)):  # chance, too
            menu, codes, seen = node.offers.get(mover) or self._offer(node, mover)
            place = taken[k] if self._coded is None or mover == CHANCE else codes.index(taken[k])
            number = number * len(menu) + place
            chosen.append(menu[place])
            if self._compared and mover != CHANCE:
                memory = [*memory]
                memory[mover] = self.memory_of(memory[mover], seen, place)
        move = tuple(chosen) if isinstance(turn, tuple) else chosen[0]
        try:
            state = self.rules.after(node.state, move)
        except STRAY as error:
            self._raised("after", error)
        _LONGS[where][0] = self._new(state, here, number, memory)

    def _on_bounds(self, here: int, where: int, out: int) -> None:
        bounds = self._ask("bounds", self.rules.bounds, self._nodes[here].state)
        if bounds is None:
            bounds = [(-np.inf, np.inf)] * self.rules.players
        elif (sentence := wrong_bounds(bounds, self.rules.players)) is not None:
            self._fail(sentence)
        _REALS[out][: 2 * self.rules.players] = [float(end) for pair in bounds for end in pair]

    def _on_position(self, here: int, where: int, out: int) -> int:
        _LONGS[out][0] = self._ask("position", self.place, self._nodes[here].state)[0]
        return 1

    def _on_features(self, here: int, where: int, player: int, out: int) -> None:
        node = self._nodes[here]
        if player in node.offers:
            given = self._ask("features", self.rules.features, node.state, player)
        else:
            try:
                given = self.rules.features(node.state, player)
            except STRAY:
                return
        if given is None or len(given) != self._features:
            many = "nothing" if given is None else f"{len(given)} numbers"
            self._fail(f"features() returned {many} for player {player}, but {self._features} elsewhere")
        _REALS[out][: len(given)] = [float(feature) for feature in given]


@cache
def _places(count: int) -> tuple[int, ...]:
    """Return the places of the actions in a menu: 0, 1, …"""
    return tuple(range(count))


def _hashed(position: Hashable) -> int:
    try:
        return hash(position)
    except TypeError:  # states may be unhashable; then all count as one position
        return 0


def _no_table() -> Any:
    """Return a table for functions that do not read it."""
    table = np.zeros(1, np.int64)
    table.setflags(write=False)
    return table
