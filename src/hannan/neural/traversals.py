"""Thousands of traversals that advance together: at each step one call of a network for all rows of a player.

Each node carries where its random numbers begin, made from its parent's, so what a traversal draws depends on the seed,
the iteration and its own number alone: not on how many there are, nor on the order in which they are served.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats, Longs, longer
from hannan.errors import HannanError, SizeError, UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.kernels.batches.expanding import SAMPLED, by_head, children_of, expander, go_back
from hannan.kernels.batches.records import NO_NODE, SHAPES, Nodes, Room, Rows
from hannan.kernels.batches.settling import no_features, settler
from hannan.kernels.signatures import BOOK
from hannan.kernels.statuses import DONE, MORE_WIDTH, TOO_WIDE
from hannan.memory import available, readable
from hannan.neural.encoding import Encoding
from hannan.neural.plainrules import PlainBook
from hannan.rules.compiled import CompiledRules
from hannan.rules.complaints import complaint
from hannan.rules.fences import beside, check_fences, fenced, longer_fenced
from hannan.rules.paths import node_text
from hannan.rules.plain import MOST_MOVES
from hannan.splitmix import GOLDEN, all_mixed, first_random

Singles = npt.NDArray[np.float32]

Play = Callable[["Traversals", int, Longs], None]
"""Sets the policies (and guesses) of chosen rows, all of one player."""

EVERY_ACTION = 2**31 - 1
"""How many actions the traverser takes where it takes all of them."""
NOBODY = -1
"""The traverser where everybody draws: plays."""
FIRST_ROOM = 4096


def keys(seed: int, iteration: int, player: int, count: int) -> npt.NDArray[np.uint64]:
    """Return where the random numbers of each traversal begin."""
    first = first_random(first_random(first_random(seed, 1), iteration), player)
    z = np.uint64(first) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    result: npt.NDArray[np.uint64] = all_mixed(z)
    return result


@dataclass(frozen=True)
class Samples:
    """What was learnt at rows: what a network reads there, and numbers by head, NaN where there is no such action."""

    known: Singles  # [samples, row size]
    target: Floats  # [samples, heads]

    def __len__(self) -> int:
        return len(self.known)


class Traversals:
    """Room for batches of traversals of one game, kept from one batch to the next."""

    def __init__(self, game: PlayedGame, encoding: Encoding, *, everybody: bool = False) -> None:
        """With `everybody`, rows hold what all players know, the mover first: for guesses about histories."""
        self.game, self.encoding, self.everybody = game, encoding, everybody
        rules = game.rules
        self.plain = None if isinstance(rules, CompiledRules) else PlainBook(rules, encoding)
        if isinstance(rules, CompiledRules):
            features = rules.compiled_optional("features") if encoding.features else no_features()
            self._functions, self._features = rules.compiled(), features
            self._table, self._width = rules.table, rules.width
            self._state = rules.state_size + (0 if rules.ours else 1)  # one more, which stays 0
        else:
            assert self.plain is not None
            self._functions = tuple(self.plain.functions[name] for name in BOOK)
            self._features = self.plain.functions["features"] if encoding.features else no_features()
            self._table, self._state, self._width = self.plain.table, 1, self.plain.width
        self.players = game.players
        self.row_size = encoding.size * (self.players if everybody else 1)
        self.touched = 0
        """How many decisions and ends of play were visited so far."""
        self._make_room()

    def _make_room(self) -> None:
        e, players, width = self.encoding, self.players, self._width
        self.shape = np.zeros(SHAPES, np.int64)
        self.shape[:] = (
            players, self._state, width, e.features, e.steps, e.bits, e.heads, e.by_code, self.everybody,
        )  # fmt: skip
        self._room = Room(
            fenced(width, np.int64), fenced(width), fenced(players), fenced(e.features),
            fenced(players, np.int64), np.zeros(players + width, np.int64), np.zeros(1, np.uint64),
        )  # fmt: skip
        n = FIRST_ROOM

        def longs(*shape: int) -> Longs:
            return np.zeros(shape, np.int64)

        def floats(*shape: int) -> Floats:
            return np.zeros(shape)

        self.nodes = Nodes(
            fenced((n, self._state), np.int64), np.zeros(n, np.uint64), longs(n), longs(n), floats(n, players),
            longs(n), longs(n), longs(n), longs(n), floats(n, players), longs(n, players, e.steps, 2),
            longs(n, players),
        )  # fmt: skip
        self.rows = Rows(
            longs(n), longs(n), longs(n), longs(n), longs(n, width), longs(n, width),
            np.zeros((n, self.row_size), np.float32), floats(n, width), floats(n, width), floats(n, width),
        )  # fmt: skip
        self.used, self.rows_used = 0, 0

    def run(self, traverser: int, begins: npt.NDArray[np.uint64], play: Play, most: int = EVERY_ACTION) -> None:
        """Make one traversal for each key in `begins`; `play` is asked once a step for each player who moves."""
        while True:
            try:
                self._run(traverser, begins, play, most)
                return
            except _NarrowError:  # of plain rules it is not known how many moves there may be
                assert self.plain is not None
                self.plain.width = self._width = 2 * self._width
                self._make_room()

    def _run(self, traverser: int, begins: npt.NDArray[np.uint64], play: Play, most: int) -> None:
        if self.plain is not None:
            self.plain.begin()
        self._start(begins)
        settle, expand = settler(), expander()
        low, high, self.rows_used = 0, len(begins), 0
        while low < high:
            before = self.rows_used
            self._grow_rows(before + (high - low) * self.players)
            status, where, self.rows_used = settle(
                *self._functions, self._features, self._table, MOST_MOVES, self.shape, self.nodes, self.rows,
                self._room, low, high, before,
            )  # fmt: skip
            self._check(status, where)
            movers = self.rows.player[before : self.rows_used]
            for player in range(self.players):
                if len(chosen := before + np.flatnonzero(movers == player)):
                    play(self, player, chosen)
            total = high + children_of(traverser, most, self.nodes, self.rows, low, high)
            self._grow_nodes(total)
            end = expand(
                self._functions[4], self._table, self.shape, self.nodes, self.rows, self._room, traverser, most, low,
                high,
            )  # fmt: skip
            self._check(DONE, low)
            low, high = high, end
        self.used = high
        self.touched += high

    def _start(self, begins: npt.NDArray[np.uint64]) -> None:
        count = len(begins)
        self._grow_nodes(count)
        nodes = self.nodes
        if self.plain is None:
            rules = self.game.rules
            begin = np.array(rules.start(), np.int64)
            nodes.state[:count, : len(begin)], nodes.state[:count, len(begin) :] = begin, 0
        else:
            for n in range(count):
                self.plain.functions["start"].thunk(self._table.ctypes.data, nodes.state[n:].ctypes.data)
            self.plain.raise_error()
        nodes.key[:count], nodes.parent[:count], nodes.place[:count] = begins, NO_NODE, 0
        nodes.gain[:count], nodes.trail[:count], nodes.made[:count] = 0.0, 0, 0

    def go_back(self, traverser: int, mode: int = SAMPLED) -> None:
        """Set what nodes are worth, and the regrets in the traverser's rows."""
        go_back(traverser, mode, self.players, self.nodes, self.rows, self.used)

    def earned(self, count: int) -> Floats:
        """Return what each player gained in each of the first `count` plays, once `go_back` was called."""
        result: Floats = self.nodes.gain[:count] + self.nodes.value[:count]
        return result

    def rows_of(self, players: Callable[[Longs], Any]) -> Longs:
        """Return the numbers of the rows whose player a condition holds for."""
        return np.flatnonzero(players(self.rows.player[: self.rows_used]))

    def samples(self, chosen: Longs, source: Floats, scale: float = 1.0) -> Samples:
        """Return what chosen rows know, and numbers of theirs divided by a scale, by head."""
        target = np.full((len(chosen), self.encoding.heads), np.nan)
        by_head(source, self.rows, chosen, target)
        return Samples(self.rows.known[chosen], target / scale)

    def _grow_nodes(self, size: int) -> None:
        if size > len(self.nodes.key):
            self._require(size, self.nodes)
            room = max(size, 2 * len(self.nodes.key))
            rest = (longer(array, room, 0, zeros=False) for array in self.nodes[1:])
            self.nodes = Nodes(longer_fenced(self.nodes.state, room), *rest)

    def _grow_rows(self, size: int) -> None:
        if size > len(self.rows.node):
            self._require(size, self.rows)
            room = max(size, 2 * len(self.rows.node))
            self.rows = Rows(*(longer(array, room, 0, zeros=False) for array in self.rows))

    def _require(self, size: int, arrays: Any) -> None:
        need = sum(array.nbytes // max(len(array), 1) for array in arrays) * 3 * size
        if need > available():
            raise SizeError(
                f"traversals of {self.game.address} that advance together take about {readable(need)}, and "
                f"{readable(available())} are free: take fewer `traversals` at once, or fewer `actions` of the "
                "traverser"
            )

    def _check(self, status: int, where: int) -> None:
        """Raise what is wrong with the rules, where something is."""
        room, rules = self._room, self.game.rules
        if isinstance(rules, CompiledRules) and not rules.ours and self.nodes.state[:, -1].any():
            raise beside(rules)
        arrays = (self.nodes.state, room.codes, room.odds, room.here, room.features, room.choice)
        check_fences(rules, *arrays, status=status)
        if self.plain is not None:
            if status == TOO_WIDE:
                raise _NarrowError
            self.plain.raise_error()
        if status == DONE:
            return
        if status == MORE_WIDTH:
            raise UnsuitableError(
                f"{self.game.address} has an action that random plays did not show: its number is beyond the "
                f"{self.encoding.heads} that networks were made for"
            )
        raise self._complaint(status, where)

    def _complaint(self, status: int, where: int) -> HannanError:
        path = [] if self.plain is None else self.plain.path()
        here = node_text(self.game.rules, path) if self.plain is not None else f"{self.game.address}, in a traversal"
        return complaint(status, self.game.rules, here, lambda: tuple(self.nodes.state[where].tolist()))


class _NarrowError(Exception):
    """There was too little room for the moves of plain rules."""
