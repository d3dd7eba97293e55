"""Rows of a match as pieces of work: each row has random numbers of its own, so that any worker can play it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hannan.measures.piecework import travelling
from hannan.measures.plays import Batch, PlayTable
from hannan.pieces.packing import check_travels
from hannan.splitmix import MASK, STEP, all_mixed, first_random

FIRST_BLOCK, LARGEST_BLOCK = 16, 8192
"""The rows of the first block, and the most rows of a block."""
QUICK_ROWS, SLOW_ROWS = 8192, 4
"""The most rows of a piece: in the compiled loop, and by plain steps."""
CHANCE_STREAM = 1


@dataclass(frozen=True)
class RowSource:
    """The data that all pieces of a match share."""

    table: PlayTable
    seed: int
    duplicate: bool
    telling: bool
    """Whether results include the names of moves."""

    def pieces(self, counted: int, first: int, rows: int) -> Iterator[tuple[int, int]]:
        """Yield the first row and the number of rows of each piece.

        Parameters
        ----------
        counted
            The rows before the first unfinished block. No piece goes beyond the end of a block.
        first
            The first row to play.
        rows
            The number of rows in the whole match.
        """
        size = QUICK_ROWS if self.table.fast and not self.telling else SLOW_ROWS
        while first < rows:
            counted = block_end(counted)
            end = min(counted, rows)
            for row in range(first, end, size):
                yield row, min(size, end - row)
            first = end


def block_end(counted: int) -> int:
    """Return the end of the block that begins after `counted` rows."""
    return counted + min(LARGEST_BLOCK, FIRST_BLOCK + counted // 4)


def played(source: RowSource, piece: tuple[int, int]) -> Batch:
    """Play the rows of a piece."""
    first, rows = piece
    chances, draws = game_streams(source.seed, first, rows, len(source.table.seatings), source.duplicate)
    batch = source.table.batch(chances, draws, source.telling)
    return batch if batch.failure is None else replace(batch, failure=travelling(batch.failure))


def readied(source: RowSource, piece: int) -> None:
    """Prepare a worker: it has unpacked the table once this piece is done."""


def game_streams(seed: int, first: int, rows: int, games: int, duplicate: bool) -> tuple[Any, Any]:
    """Return the seeds of chance's and the players' random numbers in each game, [rows, games]."""
    row = np.arange(first, first + rows, dtype=np.uint64)[:, None]
    key = all_mixed(np.uint64(first_random(seed, CHANCE_STREAM)) + row * np.uint64(STEP))
    game = np.arange(games, dtype=np.uint64)[None, :]
    chances = all_mixed(key + (np.uint64(0) * game if duplicate else game) * np.uint64(2 * STEP & MASK))
    return chances, all_mixed(key + (np.uint64(2) * game + np.uint64(1)) * np.uint64(STEP))


def check_table_travels(table: PlayTable) -> None:
    """Refuse a game or a player that cannot be sent to workers."""
    check_travels(table.game.address, table.game)
    for player in table.players:
        check_travels(player.name, player)
