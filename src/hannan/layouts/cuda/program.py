"""The program for the card: its source, how it is compiled, and the header by which it knows its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Protocol

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.layouts.backend import Setup
from hannan.layouts.cuda.slices import Slices

NUMBERS = ("players", "simultaneous", "tracking", "indexes")
"""The first fields of the header, which is the record of that name in the source; then addresses, in this order."""

FIXED = ("plan", "slot", "below", "target", "group", "other", "payoff", "table", "row", "piece_begin")
STATE = ("strategy", "reach", "regret", "total", "played", "value", "prior")
SCRATCH = ("worth", "node", "log", "given", "late", "piece", "sum")

SOURCES = ("machine.cu", "items.cu", "program.cu")
"""The machine and the records, what one item of a phase does, phases and kernels."""

SHARES = 64
"""As in the source: sums are first added up to this many parts, and then to one."""

FACTS = 10
"""Facts of a player in the plan."""

CLIMB = 1 << 17
"""Steps up the tree that take longer than a meeting of all threads."""

PLAN_ROOM = 512
"""The longest plan of which every block of threads keeps a copy."""


class Card(Protocol):
    """A machine that runs the program: a real card, or a stand-in."""

    def array(self, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
        """Copy an array there for as long as this object lives; return its address."""

    def results(self, size: int) -> tuple[int, Floats]:
        """Return the address of some numbers that a kernel writes, and these as this process sees them afterwards."""

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
    """What the compiler is told."""

    learner: int
    payoffs: str
    others: int
    averaged: bool
    coded: bool
    """Whether a payoff is a byte that stands for a number of the table."""
    plan: int
    """The length of the plan."""

    @staticmethod
    def of(setup: Setup, coded: bool, plan: Longs) -> Options:
        """Return the options for a solver."""
        return Options(setup.learner, setup.payoffs, setup.form.players - 1, setup.averaged, coded, len(plan))

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
        )


def source() -> str:
    """Return the source of the program: its files, one after another."""
    folder = files("hannan.layouts.cuda")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in SOURCES)


def widest_phase(slices: Slices) -> int:
    """Return the largest number of items that a phase has."""
    parts = int(np.diff(slices.part_begin).max(initial=0))
    sets = [int(begin[-1] - begin[0]) for begin in slices.level_begin]
    return max(parts, *sets)


def plan_of(slices: Slices) -> Longs:
    """Return the facts of each player, then of every level where its slots and places begin and end, then its bands."""
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

    A set of a band multiplies the strategy of all sets above it in the band. A new band, whose price is one meeting of
    all threads, begins where that takes `CLIMB` steps or more.
    """
    bands, first = [level_begin[0]], 0
    for level in range(1, len(level_begin) - 1):
        if (level - first) * (level_begin[level + 1] - level_begin[level]) >= CLIMB:
            bands.append(level_begin[level])
            first = level
    return [*bands, level_begin[-1]]
