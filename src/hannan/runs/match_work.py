"""A match as the work of a run: rows of games, counted in blocks that depend neither on the clock nor on the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from os import PathLike
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.files import read_arrays, understanding, write_arrays, write_text
from hannan.interrupts import Halted
from hannan.measures.players import Player, Playing
from hannan.measures.plays import Batch, PlayTable, joined
from hannan.pieces.run import run_pieces
from hannan.pieces.serial import SerialWorkers
from hannan.pieces.workers import Workers
from hannan.runs.match_pieces import RowSource, block_end, played, readied
from hannan.runs.progress import Ending, Measurement, Stop, Work
from hannan.runs.tally import MatchResult, Tally
from hannan.strategies.files import game_facts
from hannan.strategies.ruled import Ruled

KIND = "match"
"""The kind of a match's checkpoint."""
IN_FLIGHT = 64
"""Pieces per worker that are under way or wait for an earlier piece. Pieces after a decision are discarded."""


@dataclass(frozen=True)
class Terms:
    """The terms of a match apart from its game and players. A checkpoint with other terms is refused."""

    seed: int
    duplicate: bool
    confidence: float
    decide: bool
    aivat: int


class Matching(Work[MatchResult]):
    """A match under way."""

    def __init__(
        self, table: PlayTable, tally: Tally, rows: int, terms: Terms, record: str | PathLike[str] | None
    ) -> None:
        """rows: their total number. record: a file with a line of JSON per game; None: no file."""
        self.table, self.tally, self.rows, self.terms = table, tally, rows, terms
        self.record, self.lines = record, None if record is None else list[str]()
        self.failure: HannanError | None = None
        self._decided = False
        self._waiting: list[Batch] = []
        """Rows of an unfinished block. Checkpoints leave them out: they are played again."""
        self.workers: Workers = SerialWorkers()
        """The workers that play the rows."""
        self._source = RowSource(table, terms.seed, terms.duplicate, self.lines is not None)
        self._coming: Iterator[tuple[int, Batch]] | None = None
        """The next rows, in order; None: not begun, or halted."""

    @property
    def steps(self) -> int:
        return self.tally.rows + sum(len(batch.earned) for batch in self._waiting)

    @property
    def most(self) -> int | None:
        return self.rows

    @property
    def measured(self) -> bool:
        return False

    @property
    def status(self) -> str:
        tally = self.tally
        games, scores = self.rows * len(self.table.seatings), ""
        if tally.rows > 1:
            names = (player.name for player in self.table.players)
            widths = tally.half_widths().tolist()
            scores = "   ".join(
                f"{name[:24]} {score:+.4g}" + (f" ± {width:.2g}" if isfinite(width) else "")
                for name, score, width in zip(names, tally.score.mean.tolist(), widths, strict=True)
            )
        return f"{tally.games:,} of {games:,} games   {scores}"

    @property
    def blocked(self) -> Stop | None:
        return "failed" if self.failure is not None else "decided" if self._decided else None

    def prepare(self) -> None:
        """Compile, then let the workers unpack the table: neither counts as time of play."""
        if self.workers.on == "serial" or self.steps >= self.rows:
            return
        if self.table.fast:
            played(self._source, (0, 1))
        for _ in run_pieces(readied, range(self.workers.count), self.workers, shared=self._source):
            pass

    def advance(self, steps: int, seconds: float | None) -> None:
        """Play at least this many rows, unless the match ends before."""
        until = min(self.steps + steps, self.rows)
        try:
            while self.steps < until and self.blocked is None:
                self._play()
        except Halted:  # whole pieces count, in their order
            self._coming = None

    def _play(self) -> None:
        """Take the rows of the next piece; count a block once it is whole.

        A block that ends with the match is counted in its result: a checkpoint may be resumed to more games.
        """
        if self._coming is None:
            pieces = self._source.pieces(self.tally.rows, self.steps, self.rows)
            most = IN_FLIGHT * self.workers.count
            self._coming = run_pieces(played, pieces, self.workers, shared=self._source, in_flight=most)
        try:
            self._waiting.append(next(self._coming)[1])
        except HannanError as error:  # the workers failed, not a player: earlier games count
            self.failure = error
            return
        self.failure = self._waiting[-1].failure
        if self.steps == block_end(self.tally.rows):
            self._count()
            self._decided = self.terms.decide and self.tally.decided

    def _count(self) -> None:
        """Count the rows that wait."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self.tally.add(joined(waiting), self.lines)

    def measure(self) -> Measurement | None:
        return None

    def heading(self) -> Mapping[str, Any]:
        return {"game": self.table.game.address, "method": "match", "parameters": vars(self.terms)}

    @cached_property
    def _strategies(self) -> list[str | None]:
        """Digests that distinguish tables and networks of the same name; None for other players."""
        return [_digest(player) for player in self.table.players]

    @property
    def _ends(self) -> dict[str, Floats]:
        """The ranges that games are checked against; empty if they are not known."""
        span = self.tally.span
        return {} if span is None else {"least": span.least, "most": span.most}

    def save(self, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
        about = {"players": [player.name for player in self.table.players], "terms": vars(self.terms)}
        of_game = game_facts(self.table.game, hashed=False)
        write_arrays(
            path,
            KIND,
            {**self.tally.state(), **self._ends},
            {**of_game, **about, "strategies": self._strategies, **facts},
        )

    def restore(self, path: str | PathLike[str]) -> Mapping[str, Any]:
        """Continue from a checkpoint, and return its facts. Another game, seed or list of players is refused."""
        if self.lines is not None:
            raise ParameterError("record and resume do not go together: the games before are not in the checkpoint")
        arrays, facts = read_arrays(path, KIND)
        here = {"players": [player.name for player in self.table.players], "terms": vars(self.terms)}
        here |= game_facts(self.table.game, hashed=False)
        for name, ours in here.items():
            if facts.get(name) != ours:
                raise MismatchError(f"{path} is of a match with {name} {facts.get(name)}, not {ours}")
        with understanding(path, "a match that this hannan can continue"):
            strategies = facts.get("strategies", self._strategies)
            for player, now, before in zip(self.table.players, self._strategies, strategies, strict=True):
                if now != before:
                    raise MismatchError(f"{path} is of a match in which {player.name} played otherwise than now")
            for name, ends in self._ends.items():
                if not np.array_equal(arrays.get(name, ends), ends):  # checkpoints of older versions have none
                    raise MismatchError(f"{path} is of a match with other bounds on what can be earned")
            self.tally.restore(arrays)
        return facts

    def result(self, ending: Ending) -> MatchResult:
        self._count()
        stop: Stop = "games" if ending.stop == "iterations" else ending.stop
        if stop == "games" and self.terms.decide and self.tally.decided:
            stop = "decided"
        terms = self.terms
        result = self.tally.result(terms.confidence, terms.duplicate, ending.seconds, stop, terms.seed)
        if self.failure is not None:
            self.failure.partial = result
        if self.record is not None and self.lines is not None:
            try:
                write_text(self.record, "".join(self.lines))
            except FileError as error:
                error.partial = result  # if the record cannot be written, the games still count
                raise
        if self.failure is not None:
            raise self.failure
        return result


def _digest(player: Player) -> str | None:
    """Return a digest that distinguishes strategies of the same name; None for rules and other players."""
    if not isinstance(player, Playing) or isinstance(player.strategy, Ruled):
        return None
    return player.strategy.digest
