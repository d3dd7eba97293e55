"""The program for the card: its source, its compiler options, and the header with the addresses of its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Protocol

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.layouts.backend import Setup
from hannan.layouts.cuda.slices import Slices

NUMBERS = ("indexes", "resting")
"""The first fields of the header (the record `Header` of the source); then come addresses, in this order."""

FIXED = ("plan", "slot", "seat", "below", "target", "group", "other", "payoff", "table", "row", "piece_begin")
STATE = ("strategy", "reach", "regret", "total", "played", "value", "prior")
SCRATCH = ("worth", "node", "log", "given", "late", "piece", "sum")

SOURCES = ("machine.cu", "items.cu", "program.cu")
"""The files of the source: the machine and the records, the work of one item of a phase, phases and kernels."""

SHARES = 64
"""As in the source: sums are first added up to this many parts, then to one number."""

FACTS = 10
"""The number of facts about a player in the plan."""

CLIMB = 1 << 20
"""Steps up the tree that take longer than synchronising all threads."""

PLAN_ROOM = 512
"""The longest plan of which every block of threads keeps a copy."""


class Card(Protocol):
    """A machine that runs the program: a real card, or a stand-in."""

    def array(self, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
        """Copy an array there for as long as this object lives; return its address."""

    def results(self, size: int) -> tuple[int, Floats]:
        """Return the address of numbers that a kernel writes, and an array in which this process then reads them."""

    def read(self, address: int) -> Floats:
        """Return a copy of the array at an address."""

    def write(self, address: int, array: Floats) -> None:
        """Overwrite the array at an address."""

    def iterate(self, header: Longs, schedule: Floats) -> None:
        """Run the kernel of that name."""

    def measure(self, header: Longs, correlated: bool) -> None:
        """Run the kernel of that name."""


@dataclass(frozen=True)
class Options:
    """The options of the compiler."""

    learner: int
    payoffs: str
    others: int
    averaged: bool
    coded: bool
    """Whether a payoff is a byte that stands for a number of the table."""
    plan: int
    """The length of the plan."""
    simultaneous: bool
    tracking: int

    @staticmethod
    def of(setup: Setup, coded: bool, plan: Longs) -> Options:
        """Return the options for a solver."""
        others, updates = setup.form.players - 1, (setup.simultaneous, setup.tracking)
        return Options(setup.learner, setup.payoffs, others, setup.averaged, coded, len(plan), *updates)

    @property
    def words(self) -> tuple[str, ...]:
        """The options as a compiler takes them."""
        payoff = "unsigned char" if self.coded else "double" if self.payoffs == "float64" else "float"
        return (
            f"-DLEARNER={self.learner}",
            f"-DPAYOFF={payoff}",
            f"-DOTHERS={self.others}",
            f"-DAVERAGED={int(self.averaged)}",
            f"-DCODED={int(self.coded)}",
            f"-DPLAN_SIZE={self.plan}",
            f"-DPLAN_ROOM={PLAN_ROOM}",
            f"-DSIMULTANEOUS={int(self.simultaneous)}",
            f"-DTRACKING={self.tracking}",
        )


def source() -> str:
    """Return the source of the program: its files, one after another."""
    folder = files("hannan.layouts.cuda")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in SOURCES)


def widest_phase(slices: Slices) -> int:
    """Return the largest number of items of a phase."""
    parts = int(np.diff(slices.part_begin).max(initial=0))
    sets = [int(begin[-1] - begin[0]) for begin in slices.level_begin]
    return max(parts, *sets)


def plan_of(slices: Slices) -> Longs:
    """Return the plan: the facts of each player, then the ranges of slots and places of every level, then the bands."""
    players = len(slices.root)
    facts: list[int] = []
    table: list[int] = []
    begin = FACTS * players
    for p in range(players):
        levels, bands = len(slices.level_end[p]), _bands(slices.level_begin[p].tolist())
        facts += [slices.root[p], slices.place_begin[p + 1], *slices.part_begin[p : p + 2]]
        facts += [*slices.row_begin[p : p + 2], levels, begin + len(table)]
        for level, end in enumerate(slices.level_end[p]):
            table += [slices.level_begin[p][level], end, *slices.level_places[p][level : level + 2]]
        facts += [len(bands) - 1, begin + len(table)]
        table += bands
    return np.array([*facts, *table], np.int64)


def _bands(level_begin: list[int]) -> list[int]:
    """Return the first slot of each band of levels, and one past the last slot.

    A set of a band multiplies the strategies of all sets above it in the band. If that takes `CLIMB` steps or more, a
    new band begins, which costs synchronising all threads once.
    """
    bands, first = [level_begin[0]], 0
    for level in range(1, len(level_begin) - 1):
        if (level - first) * (level_begin[level + 1] - level_begin[level]) >= CLIMB:
            bands.append(level_begin[level])
            first = level
    return [*bands, level_begin[-1]]
