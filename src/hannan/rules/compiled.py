"""The fast door of the rules: the same few functions over a short vector of integers, compiled by numba.

A compiled game is also a plain one (it inherits from `Rules`), so everything that can play plain rules can play both.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import RulesError
from hannan.rules.plain import CHANCE, END, MOST_PLAYERS, Rules

Start = Callable[[Longs, Longs], None]
Turn = Callable[[Longs, Longs], int]
Actions = Callable[[Longs, Longs, int, Longs], int]
Chance = Callable[[Longs, Longs, Longs, Floats], int]
Move = Callable[[Longs, Longs, Longs], None]
Observe = Callable[[Longs, Longs, int], int]
Gains = Callable[[Longs, Longs, Floats], None]


@dataclass(frozen=True)
class Rulebook:
    """Seven functions over an integer state that are the rules of a compiled game.

    They are ordinary Python functions (so they can be debugged) that numba can compile; one that another of them
    calls is decorated with `hannan.kernels.kernel`. `table` holds the game's
    parameters and is never written; `state` is a vector of `CompiledRules.state_size` integers. Compiled functions get
    these and `out` as bare addresses, because arrays take longer to hand over than most rules take: read and write one
    place at a time, counted from 0 (no slices, no lengths, nothing from the end). A parameter that is no integer is
    kept as the bits of a float: `np.int64(table[k]).view(np.float64)`.
    """

    start: Start
    """start(table, state): write the first state (it comes zeroed)."""
    turn: Turn
    """turn(table, state): -1 at the end, 0 at chance, else the movers as bits (player i is 1 << i)."""
    actions: Actions
    """actions(table, state, player, out): write the action codes, return how many."""
    chance: Chance
    """chance(table, state, out, probabilities): write outcome codes and probabilities, return how many."""
    move: Move
    """move(table, state, choice): make `state` the next one; choice[k] is the code of the k-th mover (or chance)."""
    observe: Observe
    """observe(table, state, player): what the player has learnt since its last choice, as one integer."""
    gains: Gains
    """gains(table, state, out): write what each player gains on reaching the state (it comes zeroed)."""
    bounds: Any | None = None
    """bounds(table, state, out): write the least and the most that player p can still gain at out[2p], out[2p + 1]."""
    position: Any | None = None
    """position(table, state, out): write what matters from here on, at most `state_size` words; return how many."""


def bits(turn: int) -> tuple[int, ...]:
    """Return the players whose bits are set in a compiled `turn`."""
    return tuple(i for i in range(MOST_PLAYERS + 1) if turn >> i & 1) if turn > 0 else ()


class CompiledRules(Rules):
    """Rules as a `Rulebook` and a parameter table. Its states are tuples of integers."""

    def __init__(
        self,
        name: str,
        players: int,
        book: Rulebook,
        table: Longs,
        *,
        state_size: int,
        width: int,
        action_text: Callable[[int, int], str] | None = None,
        observation_text: Callable[[int, int], str] | None = None,
    ) -> None:
        """`width` is at least the largest number of actions or outcomes at one node.

        Compiled functions are trusted with it: a few more are noticed, and many more write over other memory.
        """
        self.name = name
        self.players = players
        self.book = book
        self.table = table
        self.state_size = state_size
        self.width = width
        self._action_text = action_text
        self._observation_text = observation_text
        table.setflags(write=False)

    def start(self) -> tuple[int, ...]:
        state = np.zeros(self.state_size, np.int64)
        self.book.start(self.table, state)
        return tuple(state.tolist())

    def turn(self, state: tuple[int, ...]) -> int | tuple[int, ...]:
        code = int(self.book.turn(self.table, np.array(state, np.int64)))
        if code <= 0:
            return CHANCE if code == 0 else END
        who = bits(code)
        return who[0] if len(who) == 1 else who

    def actions(self, state: tuple[int, ...], player: int) -> list[int]:
        out = np.zeros(self.width, np.int64)
        count = self.book.actions(self.table, np.array(state, np.int64), player, out)
        return [int(code) for code in out[:count]]

    def chance(self, state: tuple[int, ...]) -> list[tuple[Hashable, float]]:
        out, probability = np.zeros(self.width, np.int64), np.zeros(self.width)
        count = self.book.chance(self.table, np.array(state, np.int64), out, probability)
        return [(int(out[k]), float(probability[k])) for k in range(count)]

    def after(self, state: tuple[int, ...], move: int | tuple[int, ...]) -> tuple[int, ...]:
        following = np.array(state, np.int64)
        choice = np.atleast_1d(np.array(move, np.int64))
        self.book.move(self.table, following, choice)
        return tuple(following.tolist())

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return int(self.book.observe(self.table, np.array(state, np.int64), player))

    def gains(self, state: tuple[int, ...]) -> list[float]:
        out = np.zeros(self.players)
        self.book.gains(self.table, np.array(state, np.int64), out)
        return [float(gain) for gain in out]

    def bounds(self, state: tuple[int, ...]) -> list[tuple[float, float]] | None:
        if self.book.bounds is None:
            return None
        out = np.zeros((self.players, 2))
        self.book.bounds(self.table, np.array(state, np.int64), out.ravel())
        return [(low, high) for low, high in out.tolist()]

    def position(self, state: tuple[int, ...]) -> tuple[int, ...]:
        if self.book.position is None:
            return state
        out = np.zeros(self.state_size, np.int64)
        count = self.book.position(self.table, np.array(state, np.int64), out)
        return tuple(out[:count].tolist())

    def compiled_optional(self, name: str) -> Any | None:
        """Return an optional function of the book as a numba first-class function; None where it is not written."""
        function = getattr(self.book, name)
        return None if function is None else _compile_optional(name, function)

    def action_text(self, player: int, action: Any) -> str:
        return str(action) if self._action_text is None else self._action_text(player, action)

    def observation_text(self, player: int, observation: Any) -> str:
        return str(observation) if self._observation_text is None else self._observation_text(player, observation)

    def compiled(self) -> tuple[Any, ...]:
        """Return the seven functions as numba first-class functions, compiled (or loaded from the cache) once."""
        return _compile_book(self.book)


@cache
def _compile_optional(name: str, function: Any) -> Any:
    from numba import njit

    from hannan.kernels.signatures import OPTIONAL

    return njit(OPTIONAL[name], cache=True, error_model="numpy")(_plain(function))


@cache
def _compile_book(book: Rulebook) -> tuple[Any, ...]:
    from numba import njit
    from numba.core.errors import NumbaError

    from hannan.kernels.signatures import BOOK

    compiled = []
    for name, signature in BOOK.items():
        function = _plain(getattr(book, name))
        _refuse_ends(name, function)
        try:
            compiled.append(njit(signature, cache=True, error_model="numpy")(function))
        except NumbaError as error:
            raise RulesError(
                f"{name}() of these rules cannot be compiled; table, state and out are read and written one place at "
                f"a time, without slices, lengths or methods. numba says: {_gist(error)}"
            ) from error
    return tuple(compiled)


def _refuse_ends(name: str, function: Any) -> None:
    """Refuse `state[-1]`: in a compiled function it would be a place before the state, and go unnoticed."""
    try:
        code = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return
    for part in ast.walk(code):
        place = part.slice if isinstance(part, ast.Subscript) else None
        if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub):
            raise RulesError(f"{name}() of these rules reads {ast.unparse(part)}; places are counted from 0")


def _gist(error: Exception) -> str:
    """Return the lines of a compiler's complaint that say what is wrong and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith((">>>", "File", "Unknown", "Use of", "Cannot"))]
    return "; ".join(told[:3] or lines[1:2] or lines[:1])


def _plain(function: Any) -> Any:
    """Return the Python function behind a kernel, so that it can be compiled for the fixed signature."""
    return getattr(function, "py_func", function)
