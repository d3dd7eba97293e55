"""One step of all traversals, first half: chance moves until a player decides, and what movers know is written down."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.arrays import Longs
from hannan.kernels import inlined, signed
from hannan.kernels.addresses import address
from hannan.kernels.batches import records as rec
from hannan.kernels.batches.records import BatchScratch, Nodes, Rows, nodes_type, room_type, rows_type
from hannan.kernels.lent import borrowed
from hannan.kernels.sampling.draws import draw
from hannan.kernels.signatures import FUNCTIONS, LONGS, OPTIONAL, TABLE, Book
from hannan.kernels.statuses import DONE, MORE_WIDTH, TOO_DEEP
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_turn
from hannan.turns import END, NO_MOVERS


def _settle(
    start: Any, turn: Any, actions: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any, features: Any,
    most_moves: int, shape: Longs, nodes: Nodes, rows: Rows, room: BatchScratch, low: int, high: int, used: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Bring nodes low … high-1 to where a player decides, and write rows from number `used` on.

    Return a status, the node that it is about, and how many rows there are.
    """
    rules = Book(start, turn, actions, chance, move, observe, gains, address(table, 0))
    nodes, rows, room = borrowed(nodes), borrowed(rows), borrowed(room)
    for n in range(low, high):
        status = _to_decision(rules, most_moves, shape, nodes, room, n)
        if status != DONE:
            return status, n, used
        if nodes.turn[n] == rec.ENDED:
            continue
        nodes.row[n] = used
        now = address(nodes.state, n * shape[rec.STATE])
        for p in range(shape[rec.PLAYERS]):
            if (nodes.turn[n] >> p) & 1 == 0:
                continue
            status, size = ask_actions(rules, now, p, shape[rec.WIDTH], address(room.codes, 0))
            if status != DONE:
                return status, n, used
            for k in range(size):
                head = room.codes[k] if shape[rec.BY_CODE] == 1 else k
                if head < 0 or head >= shape[rec.HEADS]:
                    return MORE_WIDTH, n, used
                rows.code[used, k], rows.head[used, k] = room.codes[k], head
            rows.node[used], rows.player[used], rows.size[used] = n, p, size
            status, rows.seen[used] = ask_observation(rules, now, p)
            if status != DONE:
                return status, n, used
            _write(rules, features, shape, nodes, rows, room, n, used, p)
            used += 1
    return DONE, high, used


@inlined
def _to_decision(rules: Book, most_moves: int, shape: Longs, nodes: Nodes, room: BatchScratch, n: int) -> int:
    """Add up gains and let chance move until a player decides or play is over."""
    players, now = shape[rec.PLAYERS], address(nodes.state, n * shape[rec.STATE])
    room.random[0] = nodes.key[n]
    for _ in range(most_moves):
        status, gainful = ask_gains(rules, now, players, address(room.here, 0))
        if status != DONE:
            return status
        if gainful:
            for p in range(players):
                nodes.gain[n, p] += room.here[p]
        status, turned = ask_turn(rules, now, players)
        if status != DONE:
            return status
        if turned != NO_MOVERS:
            nodes.turn[n] = rec.ENDED if turned == END else turned
            nodes.key[n] = room.random[0]
            return DONE
        status, count, _ = ask_chance(rules, now, shape[rec.WIDTH], address(room.codes, 0), address(room.odds, 0))
        if status != DONE:
            return status
        room.choice[0] = room.codes[draw(room.random, room.odds, 0, count)]
        rules.move(rules.table, now, address(room.choice, 0))
    return TOO_DEEP


@inlined
def _write(
    rules: Book, features: Any, shape: Longs, nodes: Nodes, rows: Rows, room: BatchScratch, n: int, row: int, mover: int
) -> None:
    """Write what a mover knows; where rows hold what everybody knows, the mover's part comes first."""
    players, at = shape[rec.PLAYERS], 0
    rows.known[row, :] = 0.0
    for turn in range(players if shape[rec.EVERYBODY] == 1 else 1):
        p = (mover + turn) % players
        seen = (
            rows.seen[row] if p == mover else rules.observe(rules.table, address(nodes.state, n * shape[rec.STATE]), p)
        )
        if shape[rec.FEATURES] > 0:
            for k in range(shape[rec.FEATURES]):
                room.features[k] = 0.0
            features(rules.table, address(nodes.state, n * shape[rec.STATE]), p, address(room.features, 0))
            for k in range(shape[rec.FEATURES]):
                rows.known[row, at + k] = room.features[k]
            at += shape[rec.FEATURES]
        if shape[rec.STEPS] > 0:
            at = _write_trail(shape, nodes, rows, n, row, p, seen, at)


@inlined
def _write_trail(shape: Longs, nodes: Nodes, rows: Rows, n: int, row: int, p: int, seen: int, at: int) -> int:
    """Write a player's own choices: for each what it saw, in bits, and one of the heads; the last has no action yet."""
    steps, bits, heads = shape[rec.STEPS], shape[rec.BITS], shape[rec.HEADS]
    made = nodes.made[n, p]
    shown = min(made, steps - 1)
    for j in range(shown + 1):
        begin = at + j * (bits + heads)
        past = j < shown
        code = nodes.trail[n, p, j, 0] if past else seen
        for b in range(bits):
            rows.known[row, begin + b] = (code >> b) & 1
        if past:
            rows.known[row, begin + bits + nodes.trail[n, p, j, 1]] = 1.0
    return at + steps * (bits + heads)


@cache
def settler() -> Any:
    """Return the compiled first half; compiled (or loaded from the cache) on first use."""
    source = (*FUNCTIONS, TABLE, types.FunctionType(OPTIONAL["features"]), types.int64, LONGS)
    return signed(_settle, (*source, nodes_type(), rows_type(), room_type(), *(types.int64,) * 3))
