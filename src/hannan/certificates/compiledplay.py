"""Playthroughs of compiled rules at speed: play, merging and learning in one kernel, on the arrays of the trunk itself.

The results have the same bits as playing in Python. If the kernel meets something unexpected, Python plays the
playthrough instead, and raises the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.columns import longer
from hannan.certificates.minimizers import OutcomeSampling
from hannan.certificates.paths import blank_path
from hannan.certificates.seeds import BOX, OWN, prefix
from hannan.certificates.trunk import Trunk
from hannan.errors import HannanError
from hannan.kernels.certifying import playthroughs
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Index, Play
from hannan.kernels.pointers import address_of
from hannan.kernels.sets import S_FIRST, S_SEEN, SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import DONE, MORE_TRUNK, MORE_VISITS, ODD
from hannan.rules.complaints import complaint
from hannan.rules.doors import source_of
from hannan.rules.plain import MOST_MOVES
from hannan.rules.rulesbox import CompiledBox
from hannan.rules.source import drive, fenced

GROUPINGS = {
    "none": playthroughs.APART,
    "history": playthroughs.HISTORY,
    "rules": playthroughs.NAMED,
    "known": playthroughs.KNOWN,
}
LONGEST = 16_384
"""Playthroughs in one call of the kernel."""

SPARE = 8192
"""Free rows in every table, in addition to a free row per row in use."""


class CompiledPlay:
    """Plays one box into one trunk, with one set of regret minimisers."""

    def __init__(self, box: CompiledBox, trunk: Trunk, minimizer: OutcomeSampling, seed: int) -> None:
        self.box, self.trunk, self.minimizer = box, trunk, minimizer
        self._source = source_of(box.rules)
        self._optional = [self._source.optional(name) for name in ("chance_group", "bounds")]
        """The optional functions of the rules, which must live as long as their addresses are used."""
        wanted = zip(self._optional, (box.groups == "rules", box.bounds == "rules"), strict=True)
        addresses = [address_of(function) if written and asked else 0 for (function, written), asked in wanted]
        self._addresses = np.array(addresses, np.int64)
        self._start = np.array(box.rules.start(), np.int64)
        self._prefixes = prefix(BOX, seed), prefix(OWN, seed)
        seats, width = trunk.seats, self._source.width
        self._play = Play(
            fenced(self._source.state_size, np.int64),
            fenced((seats + 1) * width, np.int64),
            fenced(width),
            fenced(seats, np.int64),
            fenced(seats),
            fenced(2 * seats),
            np.zeros(trunk.utilities),
            np.zeros(trunk.utilities),
            np.zeros(seats, np.int64),
            np.zeros(2 * seats, np.int64),
            np.zeros(MOST_MOVES + 2, np.int64),
            np.zeros(128, np.uint8),
            np.zeros(32, np.uint64),
            np.zeros(1, np.uint64),
            np.zeros(1, np.uint64),
        )
        self._path = blank_path(trunk)
        self._actions = np.zeros(64 * LONGEST, np.int64)
        self._spare = SPARE
        self._index = self._indexed()

    def _indexed(self) -> Index:
        """Return the tables by which the kernel finds sets, observations, groups and menus of the trunk."""
        trunk = self.trunk
        places = []
        for p, sets in enumerate(trunk.sets):
            above, code, size = (sets.rows.view(name) for name in ("parent", "observation", "size"))
            places += [np.stack((above * np.int64(trunk.seats) + p, code, np.arange(len(above)), size), axis=1)]
        seen = [[0, int(trunk.observations.text(code)), code, 0] for code in range(len(trunk.observations))]
        keys = [
            [0, self._key(trunk.keys.text(code)), group, int(trunk.groups.size[group])]
            for code, group in trunk.grouped.items()
        ]
        listed = np.array([int(trunk.actions.text(code)) for menu in trunk.menus for code in menu], np.int64)
        sizes = np.array([len(menu) for menu in trunk.menus], np.int64)
        menus = np.zeros((len(sizes), SET_ROW), np.int64)
        menus[:, S_FIRST:] = np.stack((np.cumsum(sizes) - sizes, sizes), axis=1)
        playthroughs.hash_menus(menus, listed)
        return self._tables((np.concatenate(places), seen, keys, menus), listed, np.zeros(0))

    def _tables(self, tables: Sequence[Any], listed: np.ndarray, weights: Floats) -> Index:
        """Return tables with room for more rows than they have."""
        used = np.zeros(2 * rec.TABLES, np.int64)
        used[: rec.TABLES] = [*map(len, tables), len(listed)]
        parts = [part for rows in tables for part in _table(rows, 2 * len(rows) + self._spare)]
        odds = np.full(self.trunk.slots.room, np.nan)
        odds[: len(weights)] = weights
        return Index._make((used, *parts, longer(listed, 2 * len(listed) + self._spare), odds))

    def _key(self, text: str) -> int:
        """Return the kernel's number of a group: that of the rules, or 1 more than the slot drawn before."""
        if self.box.groups == "rules":
            return int(text)
        draws = _draws(text)
        if not draws:
            return 0
        above = self.trunk.keys.known(draws[:-1])
        if above is None:
            raise ValueError(f"the group {text!r} follows one that is not there")
        return int(self.trunk.groups.first[self.trunk.grouped[above]]) + draws[-1] + 1

    def run(self, first: int, count: int, radius: Floats) -> tuple[np.ndarray, np.ndarray, bool]:
        """Make playthroughs from number `first` on; return their actions, and whether the next one was unexpected."""
        lengths = np.zeros(min(count, LONGEST), np.int64)
        done = taken = made = 0

        def call() -> int:
            nonlocal done, taken, made
            status, made, written = self._run(first + done, radius, lengths[done:], self._actions[taken:])
            done += made
            taken += written
            self._note()
            return MORE_VISITS if status == DONE and done < len(lengths) else status

        def more_trunk() -> None:
            self._spare = SPARE if made else 2 * self._spare
            self._grow()

        def more_actions() -> None:
            if made == 0:
                self._actions = longer(self._actions, 2 * len(self._actions))

        answers = {MORE_TRUNK: more_trunk, MORE_VISITS: more_actions, ODD: lambda: True}
        odd = drive(self._source, call, self._error, answers, self._written) == ODD
        return self._actions[:taken], lengths[:done], odd

    def _error(self, status: int) -> HannanError:
        rules, state = self.box.rules, self._play.state
        return complaint(status, rules, f"{rules.name}, in a playthrough", lambda: self._source.state(state))

    def _written(self) -> tuple[Sequence[Any], Sequence[Any]]:
        play = self._play
        return (play.state, play.codes, play.odds, play.choice, play.gains, play.told), ()

    def rehearse(self, radius: Floats) -> None:
        """Compile, without a playthrough."""
        self._run(1, radius, np.zeros(0, np.int64), self._actions)

    def _run(self, first: int, radius: Floats, lengths: np.ndarray, actions: np.ndarray) -> tuple[int, int, int]:
        """Make one playthrough per entry of `lengths`; return why the kernel ended, and how much was written."""
        run: Any = playthroughs.run  # mypy does not know the number of starred arguments
        trunk, play = self.trunk, self._play
        status, made, written = run(
            *self._source.book, self._addresses, first, len(lengths), self._start, self._source.width,
            GROUPINGS[self.box.groups], MOST_MOVES, trunk.players, *self._prefixes, trunk.used, trunk.records(),
            trunk.set_records(),
            self.minimizer.learned, self._index, play, self._path, self.minimizer.steps, radius,
            self.minimizer.manner, lengths, actions,
        )  # fmt: skip
        if status != DONE:  # entries of the unfinished playthrough are removed
            for many, rows, buckets in zip(self._index.used, self._index[1:9:2], self._index[2:9:2], strict=False):
                rehash(many, rows, buckets)
        return status, made, written

    def hand_over(self) -> None:
        """Give the box the odds of all named groups that were met, before Python plays the unexpected playthrough."""
        trunk, weights = self.trunk, self._index.weights
        weights[trunk.slots.used :] = np.nan
        for code, group in trunk.grouped.items():
            first, size = int(trunk.groups.first[group]), int(trunk.groups.size[group])
            odds = weights[first : first + size].tolist()
            if not any(map(math.isnan, odds)):
                text = trunk.keys.text(code)
                self.box.recall_odds(int(text) if self.box.groups == "rules" else _draws(text), odds)

    def refresh(self) -> None:
        """Take over what Python has added to the trunk."""
        known = self._index.weights
        self._index = self._indexed()
        many = min(len(known), len(self._index.weights))
        self._index.weights[:many] = known[:many]

    def _note(self) -> None:
        """Give the trunk all names that the kernel has met."""
        trunk, index = self.trunk, self._index
        for value in index.seen[len(trunk.observations) : index.used[rec.SEEN], S_SEEN].tolist():
            trunk.observations.code(value)
        for begin, many in index.menu[len(trunk.menus) : index.used[rec.MENUS], S_FIRST:].tolist():
            trunk.menu(index.listed[begin : begin + many].tolist())
        for key, group in index.key[len(trunk.grouped) : index.used[rec.KEYS], [S_SEEN, S_FIRST]].tolist():
            trunk.grouped[trunk.keys.code(self._named(key))] = group

    def _named(self, key: int) -> int | tuple[int, ...]:
        """Return the key of a group in the form of the box."""
        if self.box.groups == "rules":
            return key
        if key == 0:
            return ()
        slots = self.trunk.slots
        group, outcome = int(slots.group[key - 1]), int(slots.outcome[key - 1])
        return (*_draws(self.trunk.keys.text(group)), outcome)  # every group has a key here, so both have one number

    def _grow(self) -> None:
        """Make room in every table."""
        trunk, index, spare = self.trunk, self._index, self._spare
        for columns in (trunk.nodes, trunk.groups, trunk.slots):
            columns.reserve(2 * columns.used + spare)
        trunk.sheets.reserve(2 * int(trunk.sheets.used.max()) + spare)
        self.minimizer.reserve(2 * int(trunk.sequences.max()) + spare, trunk.sheets.room)
        tables = (index.place, index.seen, index.key, index.menu)
        rows = [table[:many] for table, many in zip(tables, index.used[: rec.LISTED], strict=True)]
        self._index = self._tables(rows, index.listed[: index.used[rec.LISTED]], index.weights[: trunk.slots.used])


def _draws(text: str) -> tuple[int, ...]:
    """Return the numbers of draws from their text in a file."""
    return tuple(int(part) for part in text.strip("()").split(",") if part.strip())


def _table(rows: Any, room: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with room for more, and their buckets."""
    table = longer(np.array(rows, np.int64).reshape(-1, SET_ROW), room)
    buckets = np.empty(bucket_count(len(table)), np.int64)
    rehash(len(rows), table, buckets)
    return table, buckets
