"""The result of a match: the counts over its finished games, and the record of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats, Known
from hannan.forms.game import ExpandedGame
from hannan.measures.bounds import Range
from hannan.measures.plays import Batch, PlayTable
from hannan.measures.ranges import outside
from hannan.measures.scores import Moments
from hannan.runs.progress import Stop

TIE = 1e-9
"""Utilities that differ by at most this are equal."""


@dataclass(frozen=True)
class MatchResult:
    """The result of a match. Lists have one entry for each player, in the order in which they were given."""

    game: str
    players: tuple[str, ...]
    games: int
    """The number of games in all."""
    seats: tuple[tuple[float | None, ...], ...]
    """What each player earned per game, in each seat."""
    scores: tuple[float, ...]
    """What each player earns per game, over all seats and opponents; with --aivat, the corrected mean."""
    half_widths: Known  # tuple[float, ...] | None
    """Bounds on the errors of the scores: all hold with probability `confidence`, whenever the match stops.

    None if the range of payoffs is unknown, so that no bound is known.
    """
    interval_half_widths: Known  # tuple[float, ...] | None
    """Student's intervals, all together about with probability `confidence`: approximations, not bounds.

    They take the number of games as fixed beforehand, so there are none with `decide`.
    """
    confidence: float
    wins: tuple[int, ...]
    """Games in which the player alone earned most."""
    draws: tuple[int, ...]
    """Games in which the player and others earned most."""
    losses: tuple[int, ...]
    duplicate: bool
    variance_reduction: float | None
    """The number of independent, uncorrected games that give intervals of the same width, per game of the match."""
    seconds: float
    stop: Stop
    seed: int
    pairings: tuple[tuple[tuple[int, ...], tuple[float, ...]], ...] = ()
    """In a round robin: the players of each pairing, and what each of them earned per game."""

    @property
    def effective_games(self) -> float | None:
        """The number of independent, uncorrected games that give intervals of the same width."""
        return None if self.variance_reduction is None else self.games * self.variance_reduction

    def __repr__(self) -> str:
        unknown = (None,) * len(self.players)
        pairs = zip(self.players, self.scores, self.half_widths or unknown, strict=True)
        scores = ", ".join(
            f"{name} {score:+.4g}" + ("" if width is None else f" ± {width:.2g}") for name, score, width in pairs
        )
        return f"MatchResult({self.game}: {scores}; {self.games:,} games, stopped by {self.stop})"

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """Return the header and the lines of the table for people. Unknown values are None."""
        seats = [f"seat {seat}" for seat in range(len(self.seats[0]))]
        header = ["player", "score a game", "off by at most", "interval, ±", "won", "drawn", "lost", *seats]
        unknown = (None,) * len(self.players)
        widths = zip(self.half_widths or unknown, self.interval_half_widths or unknown, strict=True)
        lines = [
            [name, f"{score:.6g}", *_short(both, 3), won, drawn, lost, *_short(by_seat, 4)]
            for name, score, both, won, drawn, lost, by_seat in zip(
                self.players, self.scores, widths, self.wins, self.draws, self.losses, self.seats, strict=True
            )
        ]
        return header, lines

    def _repr_html_(self) -> str:
        from hannan.markup import facts, grid, page

        named = ("stop", "seconds", "confidence", "duplicate", "variance_reduction", "effective_games", "seed")
        rest = facts({name: getattr(self, name) for name in named})
        return page(f"{self.game}: {self.games:,} games", grid(*self.table()), rest)

    def record(self) -> dict[str, Any]:
        """Return the numbers for JSON."""
        names = (
            "game", "players", "games", "seats", "scores", "half_widths", "interval_half_widths", "confidence", "wins",
            "draws", "losses", "duplicate", "variance_reduction", "effective_games", "seconds", "stop", "seed",
        )  # fmt: skip
        record = {name: getattr(self, name) for name in names}
        if self.pairings:
            record["pairings"] = [{"players": who, "scores": scores} for who, scores in self.pairings]
        return record


def _short(numbers: Sequence[float | None], digits: int) -> list[str | None]:
    return [None if number is None else f"{number:.{digits}g}" for number in numbers]


class Span(NamedTuple):
    """The ranges of what seats can earn in a game, and of corrected scores."""

    low: Floats  # [seats]  the least that is earned
    high: Floats  # [seats]  the most
    least: Floats  # [games a row, seats]  of corrected scores; without corrections, the same as `low`
    most: Floats  # [games a row, seats]

    def check(self, earned: Floats) -> None:
        """Refuse games, [rows, games a row, seats], in which a seat earned more or less than the bounds allow."""
        some = TIE * np.maximum(1.0, np.maximum(np.abs(self.low), np.abs(self.high)))
        wrong = (earned < self.low - some) | (earned > self.high + some)
        if wrong.any():
            row, game, seat = (int(places[0]) for places in np.nonzero(wrong))
            raise outside(f"seat {seat}", float(earned[row, game, seat]), float(self.low[seat]), float(self.high[seat]))


class Tally:
    """Scores of the games so far."""

    def __init__(self, table: PlayTable, span: Span | None, failure: float, decide: bool = False) -> None:
        """span: None if the range is not known. failure: of all bounds together. decide: compare the scores too."""
        self.table, self.failure, self.span = table, failure, span
        self.count, self.seats = len(table.players), table.game.players
        seatings = table.seatings
        self.where = np.zeros((self.count, *seatings.shape), np.bool_)
        for one in range(self.count):
            self.where[one] = seatings == one
        self.each = int(self.where[0].sum())
        """Games of one player in a row."""
        self.rows, self.summing = 0, True
        self.total: float | None = None
        self.score, self.raw = Moments((self.count,)), Moments((self.count,))
        self.by_seat = [[Moments(()) for _ in range(self.seats)] for _ in range(self.count)]
        self.met = Moments((len(seatings), self.seats))
        self.won, self.drawn = np.zeros(self.count, np.int64), np.zeros(self.count, np.int64)
        self.pairs = list(combinations(range(self.count), 2))
        self.ahead = Moments((len(self.pairs),)) if decide else None
        """Differences of scores, by which it is decided who scores most."""

    @property
    def games(self) -> int:
        return self.rows * len(self.table.seatings)

    def _ranges(self, least: Floats, most: Floats) -> list[Range]:
        """Return the least and the most that a row can give each player, if games give [games a row, seats]."""
        return [(float(least[where].mean()), float(most[where].mean())) for where in self.where]

    @cached_property
    def _opposed(self) -> bool:
        """Whether one of two players always loses what the other earns: then both have the same bounds."""
        game = self.table.game
        both = self.count == self.seats == 2 and self.table.worth is None
        return both and isinstance(game, ExpandedGame) and game.form.competitive

    @property
    def _failure(self) -> float:
        """The probability with which each side of each bound may be false: scores, raw scores, and differences."""
        if self._opposed:
            return self.failure / 2
        scores = self.count * (1 if self.table.worth is None else 2)
        return self.failure / (2 * (scores + (0 if self.ahead is None else len(self.pairs))))

    def add(self, batch: Batch, lines: list[str] | None) -> None:
        """Count a batch of games, and write each as a line of JSON if lines are wanted."""
        if lines is not None:
            lines += self._lines(batch)
        if len(batch.earned):
            self._add(batch.earned, batch.corrected)

    def _lines(self, batch: Batch) -> Iterator[str]:
        names = [one.name for one in self.table.players]
        for row, plays in enumerate(batch.moves):
            for k, moves in enumerate(plays):
                seats = [names[one] for one in self.table.seatings[k]]
                earned = batch.earned[row, k].tolist()
                line = {"row": self.rows + row, "seats": seats, "moves": moves, "earned": earned}
                if self.table.worth is not None:
                    line["corrected"] = batch.corrected[row, k].tolist()
                yield json.dumps(line) + "\n"

    def _add(self, earned: Floats, corrected: Floats) -> None:
        """Count rows of games, [rows, games a row, seats]."""
        if self.span is not None:
            self.span.check(earned)
        self.rows += len(earned)
        sums = earned.sum(axis=2)
        self.total = float(sums.flat[0]) if self.total is None else self.total
        self.summing &= bool(np.all(np.abs(sums - self.total) <= TIE * max(1.0, abs(self.total))))
        best = earned.max(axis=2, keepdims=True)
        top = earned >= best - TIE
        alone = top & (top.sum(axis=2, keepdims=True) == 1)
        raw = np.empty((len(earned), self.count))
        score = np.empty_like(raw)
        for one, where in enumerate(self.where):
            raw[:, one] = earned[:, where].mean(axis=1)
            score[:, one] = corrected[:, where].mean(axis=1)
            self.won[one] += alone[:, where].sum()
            self.drawn[one] += (top & ~alone)[:, where].sum()
            for seat in range(self.seats):
                self.by_seat[one][seat].add(earned[:, where[:, seat], seat].ravel())
        self.raw.add(raw)
        self.score.add(score)
        self.met.add(earned)
        if self.ahead is not None:
            first, second = ([pair[k] for pair in self.pairs] for k in (0, 1))
            self.ahead.add(score[:, first] - score[:, second])

    @property
    def decided(self) -> bool:
        """Whether the first of the scores is certainly above every other one."""
        assert self.ahead is not None
        assert self.span is not None
        ranges = self._ranges(self.span.least, self.span.most)
        between = [(ranges[a][0] - ranges[b][1], ranges[a][1] - ranges[b][0]) for a, b in self.pairs]
        lower, upper = self.ahead.bounds(between, self._failure)
        best = int(self.score.mean.argmax())
        return all(
            (low > 0 if pair[0] == best else high < 0)
            for pair, low, high in zip(self.pairs, lower, upper, strict=True)
            if best in pair
        )

    def half_widths(self) -> Floats:
        """Return bounds on the errors of the scores; infinite if the range is not known.

        Corrected scores vary less, in a wider range, and have the mean of what is earned: both are bounded.
        """
        if self.span is None:
            return np.full(self.count, inf)
        lower, upper = self.score.bounds(self._ranges(self.span.least, self.span.most), self._failure)
        if self.table.worth is not None:
            low, high = (np.broadcast_to(ends, self.table.seatings.shape) for ends in (self.span.low, self.span.high))
            least, most = self.raw.bounds(self._ranges(low, high), self._failure)
            lower, upper = np.maximum(lower, least), np.minimum(upper, most)
        return np.maximum(upper - self.score.mean, self.score.mean - lower)

    def interval_half_widths(self) -> Floats:
        """Return the half-widths of Student's intervals; infinite if the scores decide when the match ends."""
        if self.ahead is not None:
            return np.full(self.count, inf)
        mirrored = self.count == self.seats == 2 and self.summing  # the second interval mirrors the first one
        return self.score.interval_half_widths(self.failure / (1 if mirrored else self.count))

    def _reduction(self) -> float | None:
        """Return the variance of independent, uncorrected games in the same seatings, divided by that of the scores."""
        if self.rows < 2:
            return None
        alone = sum(float(self.met.variance[where].sum()) for where in self.where) / self.each**2
        ours = float(self.score.variance.sum())
        return alone / ours if ours > 0 and isfinite(alone / ours) else None

    def state(self) -> dict[str, Any]:
        """Return the counts over the games so far, as arrays."""
        counts = np.array([self.rows, self.summing], np.int64)
        state = {"counts": counts, "total": np.array([math.nan if self.total is None else self.total])}
        state |= {"won": self.won.copy(), "drawn": self.drawn.copy()}
        for name, moments in self._moments().items():
            state[f"{name}.count"] = np.array([moments.count], np.int64)
            state[f"{name}.mean"], state[f"{name}.squares"] = (np.atleast_1d(part) for part in moments.state())
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the arrays of `state`; refuse others."""
        ours = self.state()
        for name, own in ours.items():
            if (state[name].shape, state[name].dtype) != (own.shape, own.dtype):
                raise ValueError(f"{name} is of another kind")
            if name != "total" and not np.all(np.isfinite(state[name])):
                raise ValueError(f"{name} is not finite")
            if name.endswith(("count", "counts", "squares", "won", "drawn")) and np.any(state[name] < 0):
                raise ValueError(f"{name} is negative")
        rows, summing = state["counts"].tolist()
        self._check_counts(state, rows)
        total = float(state["total"][0])
        self.rows, self.summing, self.total = rows, bool(summing), None if math.isnan(total) else total
        self.won[:], self.drawn[:] = state["won"], state["drawn"]
        for name, moments in self._moments().items():
            moments.restore(int(state[f"{name}.count"][0]), state[f"{name}.mean"], state[f"{name}.squares"])

    def _check_counts(self, state: Mapping[str, Any], rows: int) -> None:
        """Refuse counts that this number of rows cannot have."""
        wanted = dict.fromkeys(("score", "raw", "met"), rows)
        if self.ahead is not None:
            wanted["ahead"] = rows
        for one, where in enumerate(self.where):
            wanted |= {f"seat.{one}.{seat}": rows * int(where[:, seat].sum()) for seat in range(self.seats)}
        wrong = [name for name, count in wanted.items() if int(state[f"{name}.count"][0]) != count]
        told = [won + drawn for won, drawn in zip(state["won"].tolist(), state["drawn"].tolist(), strict=True)]
        if wrong or max(told) > rows * self.each:
            raise ValueError(f"{wrong[0] + '.count' if wrong else 'won'} does not fit {rows:,} rows of games")

    def _moments(self) -> dict[str, Moments]:
        seats = {f"seat.{one}.{seat}": part for one, row in enumerate(self.by_seat) for seat, part in enumerate(row)}
        ahead = {} if self.ahead is None else {"ahead": self.ahead}
        return {"score": self.score, "raw": self.raw, "met": self.met, **ahead, **seats}

    def result(self, confidence: float, duplicate: bool, seconds: float, stop: Stop, seed: int) -> MatchResult:
        games = self.rows * self.each
        some = self.rows > 0
        pairings = []
        if self.count > self.seats and some:
            for k in range(comb(self.count, self.seats)):
                block = slice(k * self.seats, (k + 1) * self.seats)
                seats, mean = self.table.seatings[block], self.met.mean[block]
                who = sorted(set(seats[0].tolist()))
                pairings.append((tuple(who), tuple(float(mean[seats == one].mean()) for one in who)))
        return MatchResult(
            game=self.table.game.address,
            players=tuple(one.name for one in self.table.players),
            games=self.games,
            seats=tuple(
                tuple(float(moments.mean) if some else None for moments in by_seat) for by_seat in self.by_seat
            ),
            scores=tuple(self.score.mean.tolist()),
            half_widths=_finite(self.half_widths()) if some else None,
            interval_half_widths=_finite(self.interval_half_widths()) if some else None,
            confidence=confidence,
            wins=tuple(self.won.tolist()),
            draws=tuple(self.drawn.tolist()),
            losses=tuple((games - self.won - self.drawn).tolist()),
            duplicate=duplicate,
            variance_reduction=self._reduction(),
            seconds=seconds,
            stop=stop,
            seed=seed,
            pairings=tuple(pairings),
        )


def _finite(widths: Floats) -> tuple[float, ...] | None:
    """Return widths; None if they are infinite."""
    return tuple(widths.tolist()) if np.all(np.isfinite(widths)) else None


def scores_in(state: Mapping[str, Any], confidence: float) -> tuple[int, Floats, Floats]:
    """Return the scores in a match's checkpoint: rows of games, means, and half-widths of Student's intervals.

    The intervals are approximations, all together about with probability `confidence`.
    """
    means = state["score.mean"]
    score = Moments(means.shape)
    score.restore(int(state["score.count"][0]), means, state["score.squares"])
    return int(state["counts"][0]), score.mean, score.interval_half_widths((1.0 - confidence) / max(len(means), 1))
