"""Playthroughs of compiled rules at speed: play, merging and learning in one kernel, on the arrays of the trunk itself.

The bits are those of the slow way, which is also what plays where the kernel meets something odd, and says what it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.certificates.minimizers import OutcomeSampling
from hannan.certificates.seeds import BOX, OWN, prefix
from hannan.certificates.trunk import Trunk
from hannan.kernels.certifying import merging, playing
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Index, Play
from hannan.kernels.pointers import address_of
from hannan.kernels.sets import S_FIRST, S_SEEN, SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import MORE_TRUNK, ODD
from hannan.rules.box import Box
from hannan.rules.fences import check_fences, fenced
from hannan.rules.plain import MOST_MOVES
from hannan.rules.rulesbox import CompiledBox

GROUPINGS = {"none": merging.APART, "history": merging.HISTORY, "rules": merging.NAMED, "known": merging.KNOWN}
LONGEST = 16_384
"""Playthroughs in one call of the kernel."""


def suits(box: Box) -> bool:
    """Say whether the kernel can play a box: compiled rules that tell nothing but what compiled functions tell."""
    return isinstance(box, CompiledBox) and not box.children and (box.bounds is None or box.bounds == "rules")


class CompiledPlay:
    """Plays one box into one trunk, with one set of regret minimisers."""

    def __init__(self, box: CompiledBox, trunk: Trunk, minimizer: OutcomeSampling, seed: int) -> None:
        rules = box.rules
        self.box, self.trunk, self.minimizer = box, trunk, minimizer
        self._optional = [
            rules.compiled_optional("chance_group") if box.groups == "rules" else None,
            rules.compiled_optional("bounds") if box.bounds == "rules" else None,
        ]  # their addresses are good as long as they live
        addresses = np.array([0 if f is None else address_of(f) for f in self._optional], np.int64)
        self._source = (*rules.pinned(), rules.table, addresses)
        self._start = np.array(rules.start(), np.int64)
        self._prefixes = prefix(BOX, seed), prefix(OWN, seed)
        seats, width, deepest = trunk.seats, rules.width, MOST_MOVES + 2
        self._play = Play(
            fenced(rules.state_size, np.int64),
            fenced(rules.state_size, np.int64),
            fenced((seats + 1) * width, np.int64),
            fenced(width),
            fenced(seats, np.int64),
            fenced(seats),
            fenced(2 * seats),
            np.zeros(trunk.utilities),
            np.zeros(trunk.utilities),
            np.zeros(seats, np.int64),
            np.zeros(deepest, np.int64),
            np.zeros((deepest, seats), np.int64),
            np.zeros(deepest, np.int64),
            np.zeros(deepest * seats, np.int64),
            np.zeros(128, np.uint8),
            np.zeros(32, np.uint64),
            np.zeros(1, np.uint64),
            np.zeros(1, np.uint64),
        )
        self._actions = np.zeros(64 * LONGEST, np.int64)
        self._used = counters(trunk)
        self._index = self._indexed()

    def _indexed(self) -> Index:
        """Return the tables by which the kernel finds sets, observations, groups and menus of the trunk."""
        trunk, used, seats = self.trunk, self._used, self.trunk.seats
        places = [
            [int(above) * seats + p, int(trunk.observations.text(int(seen))), number, int(size)]
            for p, sets in enumerate(trunk.sets)
            for number, (above, seen, size) in enumerate(
                zip(*(sets.rows.view(name).tolist() for name in ("parent", "observation", "size")), strict=True)
            )
        ]
        seen = [[0, int(trunk.observations.text(code)), code, 0] for code in range(len(trunk.observations))]
        keys = [
            [0, self._key(trunk.keys.text(code)), group, int(trunk.groups.size[group])]
            for code, group in trunk.grouped.items()
        ]
        listed, menus = [int(trunk.actions.text(code)) for menu in trunk.menus for code in menu], []
        begin = 0
        for menu in trunk.menus:
            one, other = _hashes(listed[begin : begin + len(menu)])
            menus.append([one, other, begin, len(menu)])
            begin += len(menu)
        used[rec.PLACES], used[rec.SEEN], used[rec.KEYS], used[rec.MENUS] = (
            len(places),
            len(seen),
            len(keys),
            len(menus),
        )
        used[rec.LISTED] = len(listed)
        tables = [_table(rows) for rows in (places, seen, keys, menus)]
        flat = np.zeros(max(256, 2 * len(listed)), np.int64)
        flat[: len(listed)] = listed
        return Index(*tables[0], *tables[1], *tables[2], *tables[3], flat, np.full(trunk.slots.room, np.nan))

    def _key(self, text: str) -> int:
        """Return the number by which the kernel knows a group: the rules' own, or 1 more than the slot drawn before."""
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
        """Make playthroughs from number `first` on; return the actions of each, and whether something odd came next."""
        lengths = np.zeros(min(count, LONGEST), np.int64)
        done, taken, odd = 0, 0, False
        while done < len(lengths):
            status, made, written = self._run(first + done, radius, lengths[done:], self._actions[taken:])
            done += made
            taken += written
            self._note()
            if status == ODD:
                odd = True
                break
            if status == MORE_TRUNK:
                self._grow()
            elif made == 0:
                self._actions = np.concatenate((self._actions, np.zeros_like(self._actions)))
        return self._actions[:taken], lengths[:done], odd

    def rehearse(self, radius: Floats) -> None:
        """Compile, and play not once."""
        self._run(1, radius, np.zeros(0, np.int64), self._actions)

    def _run(self, first: int, radius: Floats, lengths: np.ndarray, actions: np.ndarray) -> tuple[int, int, int]:
        """Make as many playthroughs as there are lengths to write; return why it ended, and how much was written."""
        run: Any = playing.run  # mypy does not know how many arguments a star stands for
        status, made, written = run(
            *self._source, first, len(lengths), self._start, self.box.rules.width,
            GROUPINGS[self.box.groups], MOST_MOVES, self.trunk.players, *self._prefixes, self._used,
            self.trunk.records(), self.trunk.set_records(), self.minimizer.learned, self._index, self._play,
            self.minimizer.steps, radius, self.minimizer.exploration, self.minimizer.power, lengths, actions,
        )  # fmt: skip
        play = self._play
        check_fences(self.box.rules, play.state, play.codes, play.odds, play.choice, play.gains, play.told)
        return status, made, written

    def hand_over(self) -> None:
        """Let the box know the odds of all named groups that were met, before Python plays what was odd."""
        trunk, weights = self.trunk, self._index.weights
        for code, group in trunk.grouped.items():
            first, size = int(trunk.groups.first[group]), int(trunk.groups.size[group])
            odds = weights[first : first + size].tolist()
            if not any(map(math.isnan, odds)):
                text = trunk.keys.text(code)
                self.box.recall_odds(int(text) if self.box.groups == "rules" else _draws(text), odds)

    def refresh(self) -> None:
        """Take notice of what Python has added to the trunk."""
        weights = self._index.weights[: self._used[rec.SLOTS]]
        self._used = counters(self.trunk)
        self._index = self._indexed()
        self._index.weights[: len(weights)] = weights

    def _note(self) -> None:
        """Let the trunk know what the kernel has added: how much is in use, and all that has a name."""
        trunk, used, index = self.trunk, self._used, self._index
        trunk.nodes.used, trunk.groups.used, trunk.slots.used = used[[rec.NODES, rec.GROUPS, rec.SLOTS]].tolist()
        trunk.expanded, trunk.unknown = int(used[rec.EXPANDED]), int(used[rec.UNKNOWN])
        for value in index.seen[len(trunk.observations) : used[rec.SEEN], S_SEEN].tolist():
            trunk.observations.code(value)
        for begin, many in index.menu[len(trunk.menus) : used[rec.MENUS], S_FIRST:].tolist():
            trunk.menu(index.listed[begin : begin + many].tolist())
        for key, group in index.key[len(trunk.grouped) : used[rec.KEYS], [S_SEEN, S_FIRST]].tolist():
            trunk.grouped[trunk.keys.code(self._named(key))] = group
        self.minimizer.known[:] = trunk.sheets.used

    def _named(self, key: int) -> int | tuple[int, ...]:
        """Return the key of a group as a box tells it."""
        if self.box.groups == "rules":
            return key
        if key == 0:
            return ()
        slots = self.trunk.slots
        group, outcome = int(slots.group[key - 1]), int(slots.outcome[key - 1])
        return (*_draws(self.trunk.keys.text(group)), outcome)  # every group has a key here, so both have one number

    def _grow(self) -> None:
        """Make room in every table that is more than half full."""
        trunk, used, index = self.trunk, self._used, self._index
        for columns in (trunk.nodes, trunk.groups, trunk.slots):
            if 2 * columns.used + 4096 > columns.room:
                columns.reserve(2 * columns.room + 4096)
        if 2 * int(trunk.sheets.used.max()) + 4096 > trunk.sheets.room:
            trunk.sheets.reserve(2 * trunk.sheets.room + 4096)
        self.minimizer.reserve(2 * int(trunk.sequences.max()) + 8192, trunk.sheets.room)
        places, seen = _table(index.place[: used[rec.PLACES]]), _table(index.seen[: used[rec.SEEN]])
        keys, menus = _table(index.key[: used[rec.KEYS]]), _table(index.menu[: used[rec.MENUS]])
        listed = np.zeros(2 * used[rec.LISTED] + 8192, np.int64)
        listed[: used[rec.LISTED]] = index.listed[: used[rec.LISTED]]
        weights = np.full(trunk.slots.room, np.nan)
        weights[: used[rec.SLOTS]] = index.weights[: used[rec.SLOTS]]
        self._index = Index(*places, *seen, *keys, *menus, listed, weights)


def counters(trunk: Trunk) -> np.ndarray:
    """Return how much of a trunk is in use, as kernels count it."""
    used = np.zeros(rec.COUNTERS, np.int64)
    used[: rec.UNKNOWN] = trunk.nodes.used, trunk.groups.used, trunk.slots.used, trunk.expanded
    used[rec.UNKNOWN] = trunk.unknown
    return used


def _draws(text: str) -> tuple[int, ...]:
    """Return the numbers of draws from their text in a file."""
    return tuple(int(part) for part in text.strip("()").split(",") if part.strip())


def _table(rows: list[list[int]] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with room for as many again, and their buckets."""
    many = len(rows)
    table = np.zeros((2 * many + 8192, SET_ROW), np.int64)
    table[:many] = np.array(rows, np.int64).reshape(-1, SET_ROW)
    buckets = np.empty(bucket_count(len(table)), np.int32)
    rehash(many, table, buckets)
    return table, buckets


def _hashes(codes: list[int]) -> tuple[int, int]:
    """Return the two numbers by which the kernel knows a list of actions."""
    one = other = len(codes)
    for code in codes:
        one = _wrapped(one * 6364136223846793005 + code + 1442695040888963407)
        other = _wrapped((other ^ (code + 7)) * 1099511628211)
    return one, other


def _wrapped(number: int) -> int:
    """Return a number as 64 bits with a sign hold it."""
    return (number + 2**63) % 2**64 - 2**63
