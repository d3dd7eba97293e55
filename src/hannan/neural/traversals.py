"""Thousands of traversals that advance together: at each step one call of a network for all rows of a player.

Each node carries a seed made from its parent's. So the draws of a traversal depend only on the seed, the iteration, the
player and the traversal's number, not on how many traversals there are or on their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hannan.arrays import Floats, Longs, longer
from hannan.errors import HannanError, SizeError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.kernels.batches.moves import SAMPLED, by_head, children_of, expander, go_back
from hannan.kernels.batches.records import NO_NODE, SHAPES, BatchScratch, Nodes, Rows
from hannan.kernels.batches.rows import settler
from hannan.kernels.signatures import BESIDE
from hannan.kernels.statuses import DONE, MORE_WIDTH, TOO_WIDE
from hannan.memory import available, readable
from hannan.neural.encoding import Encoding, observation_number
from hannan.rules.complaints import complaint
from hannan.rules.doors import source_of
from hannan.rules.plain import MOST_MOVES
from hannan.rules.source import Menu, drive, fenced, longer_fenced, stand_in, states
from hannan.splitmix import GOLDEN, all_mixed, first_random

Singles = npt.NDArray[np.float32]

Play = Callable[["Traversals", int, Longs], None]
"""Sets the policies (and estimated values) of chosen rows, all of one player."""

EVERY_ACTION = 2**31 - 1
"""The number of actions of a traverser that takes all of them."""
NOBODY = -1
"""The traverser of plays, in which every player draws."""
FIRST_ROOM = 4096


def keys(seed: int, iteration: int, player: int, count: int) -> npt.NDArray[np.uint64]:
    """Return the seed of each traversal."""
    first = first_random(first_random(first_random(seed, 1), iteration), player)
    z = np.uint64(first) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    result: npt.NDArray[np.uint64] = all_mixed(z)
    return result


@dataclass(frozen=True)
class Samples:
    """Samples: rows that a network reads, and numbers by head (NaN: no such action)."""

    known: Singles  # [samples, row size]
    target: Floats  # [samples, heads]

    def __len__(self) -> int:
        return len(self.known)


def joined(samples: list[Samples]) -> Samples:
    """Concatenate samples."""
    if len(samples) == 1:
        return samples[0]
    return Samples(
        np.concatenate([some.known for some in samples]) if samples else np.zeros((0, 0), np.float32),
        np.concatenate([some.target for some in samples]) if samples else np.zeros((0, 0)),
    )


class Traversals:
    """Arrays for batches of traversals of one game, reused from batch to batch."""

    def __init__(self, game: PlayedGame, encoding: Encoding, *, everybody: bool = False) -> None:
        """With `everybody`, rows hold what all players know, the mover first, to estimate the values of histories."""
        self.game, self.encoding, self.everybody = game, encoding, everybody
        codes = _numbers if encoding.by_code else None
        self.source = source_of(game.rules, seen=observation_number, codes=codes, features=encoding.features)
        self.source.width = max(self.source.width, encoding.heads)
        self._features = self.source.optional("features")[0] if encoding.features else stand_in("features")
        self.players = game.players
        self.row_size = encoding.size * (self.players if everybody else 1)
        self.touched = 0
        """The number of decision nodes and terminal nodes visited so far."""
        self._make_room()

    def _make_room(self) -> None:
        e, players, width = self.encoding, self.players, self.source.width
        self.shape = np.zeros(SHAPES, np.int64)
        self.shape[:] = (
            players, self.source.state_size + BESIDE, width, e.features, e.steps, e.bits, e.heads, e.by_code,
            self.everybody,
        )  # fmt: skip
        self._room = BatchScratch(
            fenced(width, np.int64), fenced(width), fenced(players), fenced(e.features),
            fenced(players, np.int64), np.zeros(players + width, np.int64), np.zeros(1, np.uint64),
        )  # fmt: skip
        n = FIRST_ROOM

        def longs(*shape: int) -> Longs:
            return np.zeros(shape, np.int64)

        def floats(*shape: int) -> Floats:
            return np.zeros(shape)

        self.nodes = Nodes(
            states(n, self.source.state_size), np.zeros(n, np.uint64), longs(n), longs(n), floats(n, players),
            longs(n), longs(n), longs(n), longs(n), floats(n, players), longs(n, players, e.steps, 2),
            longs(n, players),
        )  # fmt: skip
        self.rows = Rows(
            longs(n), longs(n), longs(n), longs(n), longs(n, width), longs(n, width),
            np.zeros((n, self.row_size), np.float32), floats(n, width), floats(n, width), floats(n, width),
        )  # fmt: skip
        self.used, self.rows_used = 0, 0

    def run(self, traverser: int, begins: npt.NDArray[np.uint64], play: Play, most: int = EVERY_ACTION) -> None:
        """Make one traversal for each key in `begins`; each step calls `play` once per player who moves."""
        while not self._run(traverser, begins, play, most):  # plain rules do not announce their largest menu
            self._make_room()

    def _run(self, traverser: int, begins: npt.NDArray[np.uint64], play: Play, most: int) -> bool:
        """Make the traversals; return False if a menu has more moves than there is room for."""
        self._start(begins)
        expand, move, table = expander(), self.source.book[4], self.source.book[-1]
        low, high, self.rows_used = 0, len(begins), 0
        while low < high:
            before = self.rows_used
            self._grow_rows(before + (high - low) * self.players)
            if not self._settle(low, high):
                return False
            movers = self.rows.player[before : self.rows_used]
            for player in range(self.players):
                if len(chosen := before + np.flatnonzero(movers == player)):
                    play(self, player, chosen)
            total = high + children_of(traverser, most, self.nodes, self.rows, low, high)
            self._grow_nodes(total)
            end = expand(move, table, self.shape, self.nodes, self.rows, self._room, traverser, most, low, high)
            arrays, nodes = self._written()
            self.source.check(DONE, *arrays, states=nodes)
            low, high = high, end
        self.used = high
        self.touched += high
        return True

    def _settle(self, low: int, high: int) -> bool:
        """Advance nodes to the next decision or end; return False if a menu has more moves than there is room for."""
        settle, where = settler(), low

        def call() -> int:
            nonlocal where
            status, where, self.rows_used = settle(
                *self.source.book, self._features, MOST_MOVES, self.shape, self.nodes, self.rows, self._room, low, high,
                self.rows_used,
            )  # fmt: skip
            return int(status)

        def error(status: int) -> HannanError:
            if status == MORE_WIDTH:
                return UnsuitableError(
                    f"{self.game.address} has an action that random plays did not show: its number is beyond the "
                    f"{self.encoding.heads} actions that the networks were made for"
                )
            here = f"{self.game.address}, in a traversal"
            return complaint(status, self.game.rules, here, lambda: self.source.state(self.nodes.state[where]))

        return drive(self.source, call, error, {TOO_WIDE: lambda: True}, self._written) == DONE

    def _written(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        room = self._room
        return (room.codes, room.odds, room.here, room.features, room.choice), (self.nodes.state,)

    def _start(self, begins: npt.NDArray[np.uint64]) -> None:
        count = len(begins)
        self._grow_nodes(count)
        nodes = self.nodes
        nodes.state[0] = 0
        self.source.begin(nodes.state[0])
        nodes.state[1:count] = nodes.state[0]
        nodes.key[:count], nodes.parent[:count], nodes.place[:count] = begins, NO_NODE, 0
        nodes.gain[:count], nodes.trail[:count], nodes.made[:count] = 0.0, 0, 0

    def go_back(self, traverser: int, mode: int = SAMPLED) -> None:
        """Set the values of nodes, and the regrets in the traverser's rows."""
        go_back(traverser, mode, self.players, self.nodes, self.rows, self.used)

    def earned(self, count: int) -> Floats:
        """Return the payoffs of all players in the first `count` plays; call `go_back` before."""
        result: Floats = self.nodes.gain[:count] + self.nodes.value[:count]
        return result

    def rows_of(self, player: int) -> Longs:
        """Return the indices of a player's rows."""
        return np.flatnonzero(self.rows.player[: self.rows_used] == player)

    def samples(self, chosen: Longs, source: Floats, scale: float = 1.0) -> Samples:
        """Return chosen rows with their numbers in `source`, by head, divided by `scale`."""
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
                f"{readable(available())} are free: use a smaller `together`, fewer `traversals` or "
                "fewer `actions`"
            )


def _numbers(menu: Menu) -> list[int]:
    """Return actions that are numbers as numbers."""
    return [int(action) for action in menu]  # type: ignore[call-overload]


def scale_of(game: PlayedGame) -> float:
    """Return half the largest range of a player's payoffs; 1 if it is not known."""
    if isinstance(game, ExpandedGame):
        low, high = game.payoff_range
        span = float(np.max(high - low)) / 2
    else:
        bounds = game.rules.bounds(game.rules.start()) if game.rules.writes("bounds") else None
        span = max((high - low) / 2 for low, high in bounds) if bounds else 1.0
    return span if span > 0 else 1.0
