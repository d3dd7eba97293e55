"""Compiled rules: the same few functions over a short vector of integers, compiled by numba.

`CompiledRules` inherits from `Rules`, so a function that plays plain rules also plays compiled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import MISSING, dataclass, fields
from functools import cache, partial, wraps
from typing import Any, ParamSpec

import numpy as np

from hannan.arguments import shown, text, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.rules.compilation import compile_function
from hannan.rules.pickles import Packed, packed, unpacked
from hannan.rules.plain import CHANCE, NO_MOVERS, Rules
from hannan.rules.promises import BrokenPromiseError, counted, observed

P = ParamSpec("P")

FENCE = 1024
"""The number of guarded elements before and after an array that compiled functions write into."""

Start = Callable[[Longs, Longs], None]
Turn = Callable[[Longs, Longs], int]
Actions = Callable[[Longs, Longs, int, Longs], int]
Chance = Callable[[Longs, Longs, Longs, Floats], int]
Move = Callable[[Longs, Longs, Longs], None]
Observe = Callable[[Longs, Longs, int], int]
Gains = Callable[[Longs, Longs, Floats], None]
Bounds = Callable[[Longs, Longs, Floats], None]
Position = Callable[[Longs, Longs, Longs], int]
ChanceGroup = Callable[[Longs, Longs], int]
Features = Callable[[Longs, Longs, int, Floats], None]
Similar = Callable[[Longs, Longs, Floats], int]


@dataclass(frozen=True)
class Rulebook:
    """The rules of a compiled game: seven functions over an integer state, and five optional ones.

    They are ordinary Python functions that numba can compile, so they can be debugged as Python. Decorate a function
    that they call with `hannan.kernels.kernel`. `table` holds the parameters of the game and is read-only; `state` is a
    vector of `CompiledRules.state_size` integers. Compiled functions receive `table`, `state` and `out` as bare
    addresses, because passing arrays takes longer than most rules take. Read and write one element at a time, with
    indices from 0: no slices, no lengths, no negative indices. Store a parameter that is not an integer as the bits of
    a float: `np.int64(table[k]).view(np.float64)`.
    """

    start: Start
    """start(table, state): write the first state; `state` is zero at the call."""
    turn: Turn
    """turn(table, state): return `END`, `CHANCE` (or 0), or a bit mask of the movers (player i is 1 << i)."""
    actions: Actions
    """actions(table, state, player, out): write the action codes and return their number."""
    chance: Chance
    """chance(table, state, out, probabilities): write outcome codes and probabilities; return their number."""
    move: Move
    """move(table, state, choice): change `state` to the next one; choice[k] is the action of the k-th mover."""
    observe: Observe
    """observe(table, state, player): return what the player has learnt since its last choice, as one integer."""
    gains: Gains
    """gains(table, state, out): write what each player gains on reaching the state; `out` is zero at the call."""
    bounds: Bounds | None = None
    """bounds(table, state, out): write the least and the most that player p can still gain at out[2p], out[2p + 1].
    If they are unknown at a state: minus infinity and infinity, for every player."""
    position: Position | None = None
    """position(table, state, out): write the words that decide the rest of the play; return their number."""
    chance_group: ChanceGroup | None = None
    """chance_group(table, state): return the number of a group of chance nodes with one distribution, or -1."""
    features: Features | None = None
    """features(table, state, player, out): write `feature_size` numbers that the player knows; `out` holds zeros."""
    similar: Similar | None = None
    """similar(table, state, out): write δ to out[0]; return the number of a family of chance nodes whose distributions
    differ by at most δ (total variation, outcomes matched by place), or -1 for none."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked_book, (type(self), {field.name: packed(getattr(self, field.name)) for field in fields(self)})


NAMES = tuple(field.name for field in fields(Rulebook) if field.default is MISSING)
OPTIONAL = tuple(field.name for field in fields(Rulebook) if field.default is None)


def _unpacked_book(kind: type[Rulebook], functions: dict[str, Packed]) -> Rulebook:
    return kind(**{name: unpacked(function) for name, function in functions.items()})


def bits(turn: int) -> tuple[int, ...]:
    """Return the players whose bits are set in a compiled `turn`."""
    return tuple(i for i in range(int(turn).bit_length()) if turn >> i & 1) if turn > 0 else ()


class CompiledRules(Rules):
    """Rules defined by a `Rulebook` and a table of parameters. States are tuples of integers."""

    def __init__(
        self,
        name: str,
        players: int,
        book: Rulebook,
        table: Longs,
        *,
        state_size: int,
        width: int,
        feature_size: int = 0,
        feature_groups: Sequence[tuple[str, int]] = (),
        action_text: Callable[[int, int], str] | None = None,
        observation_text: Callable[[int, int], str] | None = None,
        action_help: Callable[[int, int], str] | None = None,
        board_text: Callable[[tuple[int, ...], int], str] | None = None,
        grid: Callable[[int, Sequence[int]], tuple[str, str, str]] | None = None,
    ) -> None:
        """`width` is at least the largest number of actions or outcomes at one node.

        Compiled functions must keep to it: up to 1,024 excess moves are detected, and more overwrite other memory.
        `feature_size` is the number of values that `Rulebook.features` writes; if it is 0, that function is not used.
        `feature_groups` names consecutive groups of features with their sizes, which sum to `feature_size`.
        """
        if not isinstance(book, Rulebook):
            raise ParameterError(f"book={shown(book)} should be a Rulebook")
        if not isinstance(table, np.ndarray) or table.dtype != np.int64:
            raise ParameterError(f"table={shown(table)} should be an array of 64-bit whole numbers")
        self.name = text("name", name)
        self.players = players
        self.book = book
        self.table = table
        self.state_size = whole("state_size", state_size, 0)
        self.width = whole("width", width, 0)
        self.feature_size = whole("feature_size", feature_size, 0)
        self.feature_groups = feature_groups
        self.recipe: Callable[[], CompiledRules] | None = None
        """The call that makes these rules again, for pickle; see `remade`."""
        self._action_text = action_text
        self._observation_text = observation_text
        self._action_help = action_help
        self._board_text = board_text
        self._grid = grid
        table.setflags(write=False)

    @property
    def ours(self) -> bool:
        """Whether these are the rules of a built-in game, which the tests cover."""
        return self.book.start.__module__.startswith("hannan.games.")

    def start(self) -> tuple[int, ...]:
        state = np.zeros(self.state_size, np.int64)
        self.book.start(self.table, state)
        return tuple(state.tolist())

    def turn(self, state: tuple[int, ...]) -> int | tuple[int, ...]:
        code = int(self.book.turn(self.table, np.array(state, np.int64)))
        if code <= 0:
            return CHANCE if code == NO_MOVERS else code
        who = bits(code)
        return who[0] if len(who) == 1 else who

    def actions(self, state: tuple[int, ...], player: int) -> list[int]:
        out = np.zeros(self.width + FENCE, np.int64)
        count = self.book.actions(self.table, np.array(state, np.int64), player, out)
        listed: list[int] = out[: counted(count, self.width)].tolist()
        return listed

    def chance(self, state: tuple[int, ...]) -> list[tuple[int, float]]:
        out, probability = np.zeros(self.width + FENCE, np.int64), np.zeros(self.width + FENCE)
        count = self.book.chance(self.table, np.array(state, np.int64), out, probability)
        count = counted(count, self.width)
        return list(zip(out[:count].tolist(), probability[:count].tolist(), strict=True))

    def after(self, state: tuple[int, ...], move: int | tuple[int, ...]) -> tuple[int, ...]:
        following = np.array(state, np.int64)
        choice = np.atleast_1d(np.array(move, np.int64))
        self.book.move(self.table, following, choice)
        return tuple(following.tolist())

    def observe(self, state: tuple[int, ...], player: int) -> int:
        return observed(player, self.book.observe(self.table, np.array(state, np.int64), player))

    def gains(self, state: tuple[int, ...]) -> list[float]:
        out = np.zeros(self.players)
        self.book.gains(self.table, np.array(state, np.int64), out)
        return [float(gain) for gain in out]

    def bounds(self, state: tuple[int, ...]) -> list[tuple[float, float]] | None:
        if self.book.bounds is None:
            return None
        out = np.zeros((self.players, 2))
        self.book.bounds(self.table, np.array(state, np.int64), out.ravel())
        unknown = bool(np.isneginf(out[:, 0]).all() and np.isposinf(out[:, 1]).all())
        return None if unknown else [(low, high) for low, high in out.tolist()]

    def position(self, state: tuple[int, ...]) -> tuple[int, ...]:
        if self.book.position is None:
            return state
        out = np.zeros(self.state_size, np.int64)
        count = self.book.position(self.table, np.array(state, np.int64), out)
        if not 0 <= count <= self.state_size:
            raise BrokenPromiseError(f"position() returned {count}; expected 0 to {self.state_size} words")
        return tuple(out[:count].tolist())

    def chance_group(self, state: tuple[int, ...]) -> int | None:
        if self.book.chance_group is None:
            return None
        group = int(self.book.chance_group(self.table, np.array(state, np.int64)))
        return None if group < 0 else group

    def features(self, state: tuple[int, ...], player: int) -> list[float] | None:
        if self.book.features is None or self.feature_size == 0:
            return None
        out = np.zeros(self.feature_size)
        self.book.features(self.table, np.array(state, np.int64), player, out)
        return [float(feature) for feature in out]

    def similar(self, state: tuple[int, ...]) -> tuple[int, float] | None:
        if self.book.similar is None:
            return None
        out = np.zeros(1)
        family = int(self.book.similar(self.table, np.array(state, np.int64), out))
        return None if family < 0 else (family, float(out[0]))

    def writes(self, name: str) -> bool:
        if name == "grid":
            return self._grid is not None
        return getattr(self.book, name) is not None and (name != "features" or self.feature_size > 0)

    def action_text(self, player: int, action: Any) -> str:
        return str(action) if self._action_text is None else self._action_text(player, action)

    def observation_text(self, player: int, observation: Any) -> str:
        return str(observation) if self._observation_text is None else self._observation_text(player, observation)

    def action_help(self, player: int, action: Any) -> str:
        return "" if self._action_help is None else self._action_help(player, action)

    def board_text(self, state: tuple[int, ...], player: int) -> str:
        return "" if self._board_text is None else self._board_text(state, player)

    def grid(self, player: int, way: Sequence[Any]) -> tuple[str, str, str] | None:
        return None if self._grid is None else self._grid(player, way)

    def compiled(self) -> tuple[Any, ...]:
        """Return the seven functions as numba first-class functions, compiled, or loaded from the cache, once."""
        return _compile_book(self.book)

    def compiled_optional(self, name: str) -> Any | None:
        """Return an optional function of the book as a numba first-class function, or None if it is not defined."""
        return compile_function(name, getattr(self.book, name)) if self.writes(name) else None

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (self.recipe, ()) if self.recipe is not None else super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        return {name: packed(part) if name in _TEXTS else part for name, part in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: unpacked(part) if name in _TEXTS else part for name, part in state.items()})
        self.table.setflags(write=False)


_TEXTS = ("_action_text", "_observation_text", "_action_help", "_board_text", "_grid")


@cache
def _compile_book(book: Rulebook) -> tuple[Any, ...]:
    return tuple(compile_function(name, getattr(book, name)) for name in NAMES)


def remade(make: Callable[P, CompiledRules]) -> Callable[P, CompiledRules]:
    """Decorate a module-level function that makes rules: pickle then stores the call instead of the rules."""

    @wraps(make)
    def made(*arguments: P.args, **parameters: P.kwargs) -> CompiledRules:
        rules = make(*arguments, **parameters)
        rules.recipe = partial(made, *deepcopy(arguments), **deepcopy(parameters))
        return rules

    return made
