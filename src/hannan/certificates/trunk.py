"""The trunk of a game (Definition 2.2): every node that play has expanded, its children, and the counts.

For zero-sum games of two players, and for one player, the numbers are those of player 0; else each player has its own.
A node is a leaf until it is expanded. At a leaf, `low` and `high` bound all gains from there on. At an expanded node
they bound the gains after it, and `gain` is the gain on reaching it. `least` and `most` are these bounds, narrowed by
the children if all of them are in the trunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.certificates.columns import Columns, Sheet, Sheets
from hannan.certificates.families import Families
from hannan.certificates.names import Names
from hannan.kernels import trunks
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import SetColumns as SetRecords
from hannan.kernels.fullwidth.records import Flat
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF

__all__ = ["CHANCE", "CHOICE", "END", "LEAF", "NONE", "ROOT", "Trunk", "TrunkSets"]

ROOT: Final = 0
NONE: Final = -1

NO_PAYOFFS = np.zeros(1, np.int64), np.zeros((1, 0), np.int32), np.zeros(0)

Numbers = float | Sequence[float]
"""A number of player 0, or a number for each player."""


class TrunkSets:
    """The information sets of one player: its last sequence and what it observes. Sequence 0 is the empty one."""

    def __init__(self, sheets: Sheets, player: int, counts: Longs) -> None:
        self.rows, self.player, self._counts = Sheet(sheets, player), player, counts
        self._numbers: dict[int, int] = {}
        self._indexed = 0  # the number of sets that the index has

    @property
    def sequences(self) -> int:
        """The number of sequences, the empty one included."""
        return int(self._counts[self.player])

    def find(self, sequence: int, observation: int) -> int:
        """Return the number of a set, or NONE."""
        number = self._numbers.get(sequence << 32 | observation, NONE)
        rows, known = self.rows, self._indexed
        if number == NONE and known < rows.used:
            self._indexed = rows.used
            keys = zip(rows.view("parent")[known:].tolist(), rows.view("observation")[known:].tolist(), strict=True)
            self._numbers |= {above << 32 | seen: known + place for place, (above, seen) in enumerate(keys)}
            return self.find(sequence, observation)
        return number


class Trunk:
    """A growing pseudogame without its radii: nodes, information sets, groups of chance nodes."""

    def __init__(self, players: int, low: Numbers, high: Numbers) -> None:
        """`low` and `high` bound what player 0 can gain in the whole game, or each player if there are several."""
        self.players, self.seats = players, max(players, 2)
        self.utilities = 1 if isinstance(low, float | int) else len(low)
        """The number of players for whom gains are kept: 1 if gains are zero-sum."""
        wide, each = (np.float64, self.utilities), (np.int32, self.seats)
        self.used = np.zeros(rec.COUNTERS, np.int64)
        """The numbers in use: nodes, groups, slots, expanded nodes, groups whose odds are not known."""
        self.nodes = Columns(
            self.used, rec.NODES,
            parent=np.int32,  # NONE at the root
            move=np.int32,  # the place among the parent's children: the number of the joint action, or of the outcome
            kind=np.int8,
            first=np.int32,  # the first child; NONE if children come one by one
            gain=wide,  # of a leaf: what the box told before the first visit, else NaN
            low=wide,
            high=wide,
            group=np.int32,  # the group of a chance node, else NONE
            slot=np.int32,  # of children of chance: the slot that counts the outcome, else NONE
            set=each,  # the information sets of the movers, else NONE
            sequence=each,  # each player's sequence on the way here
            least=wide,
            most=wide,
            many=np.int32,  # the number of children from `first` on
            late=np.int32,  # of open chance nodes: the newest child, else NONE
            sibling=np.int32,  # the child that is one older
            unwritten=("least", "most", "many", "late", "sibling"),
        )  # fmt: skip
        self.groups = Columns(
            self.used, rec.GROUPS, size=np.int32, index=np.int32, samples=np.int64, open=np.bool_, known=np.bool_,
            first=np.int32, unwritten=("first",),
        )  # fmt: skip
        """Groups of one distribution: the number of outcomes (or a bound on it, if outcomes are open), the number k of
        the group among those with unknown distribution (0 if it is known), the number of draws, and the first slot if
        outcomes are listed."""
        self.slots = Columns(
            self.used, rec.SLOTS, group=np.int32, outcome=np.int32, count=np.int64, odds=np.float64
        )  # fmt: skip
        """The outcomes of groups: the count of each, and its probability if that is known."""
        self.sheets = Sheets(self.seats, "parent", "observation", "first", "size", "menu")
        self.sequences = np.ones(self.seats, np.int64)
        self.sets = tuple(TrunkSets(self.sheets, player, self.sequences) for player in range(self.seats))
        self.observations, self.actions, self.outcomes, self.keys = Names(), Names(), Names(), Names()
        self.menus: list[list[int]] = []
        self._menus: dict[tuple[int, ...], int] = {}
        self.grouped: dict[int, int] = {}
        """The groups by the number of their key."""
        self.families: Families | None = None
        """The families of groups with similar distributions; None if the box tells none."""
        self._keyed: set[int] = set()  # the groups in `grouped`
        self._slots: dict[tuple[int, int], int] = {}  # slots of open groups, by group and outcome
        self._late: dict[tuple[int, int], int] = {}  # children of open nodes, by node and slot
        self._came: Counter[int] = Counter()  # the number of outcomes of each open group so far
        self._indexed = 0, 0  # the node and the slot up to which these are complete
        nodes = self.nodes
        for name in ("parent", "first", "group", "slot", "set", "late", "sibling"):
            getattr(nodes, name)[ROOT] = NONE
        nodes.gain[ROOT], nodes.low[ROOT], nodes.high[ROOT] = np.nan, low, high
        nodes.least[ROOT], nodes.most[ROOT] = low, high
        self.used[rec.NODES] = 1

    @property
    def bytes(self) -> int:
        """The bytes of the trunk; estimated for dictionaries, at 130 bytes per entry and 250 per name."""
        columns = (self.nodes, self.groups, self.slots, self.sheets)
        entries = int(self.sheets.used.sum()) + len(self._slots) + len(self._late) + len(self.grouped)
        names = len(self.observations) + len(self.actions) + len(self.outcomes) + len(self.keys)
        return sum(part.bytes for part in columns) + 130 * entries + 250 * names

    @property
    def expanded(self) -> int:
        """The number of expanded nodes."""
        return int(self.used[rec.EXPANDED])

    @property
    def unknown(self) -> int:
        """The number of groups with an unknown distribution: C of equation 5.2."""
        return int(self.used[rec.UNKNOWN])

    def menu(self, actions: Sequence[Hashable]) -> int:
        """Return the number of a list of actions."""
        codes = tuple(map(self.actions.code, actions))
        number = self._menus.get(codes)
        if number is None:
            number = self._menus[codes] = len(self.menus)
            self.menus.append(list(codes))
        return number

    def records(self) -> trunks.Nodes:
        """Return the records of nodes and chance that kernels read and write."""
        nodes, groups, slots = self.nodes, self.groups, self.slots
        return trunks.Nodes(
            nodes.parent, nodes.move, nodes.kind, nodes.first, nodes.many, nodes.late, nodes.sibling, nodes.group,
            nodes.slot, nodes.gain, nodes.low, nodes.high, nodes.least, nodes.most, nodes.set, nodes.sequence,
            groups.size, groups.index, groups.samples, groups.open, groups.known, groups.first,
            slots.group, slots.outcome, slots.count, slots.odds,
        )  # fmt: skip

    def set_records(self) -> SetRecords:
        """Return the records of information sets that kernels read and write."""
        return SetRecords._make((*self.sheets.columns.values(), self.sheets.used, self.sequences))

    def flat(self, player: int) -> Flat:
        """Return the treeplex of one player for the full-width passes, without a copy and without payoffs."""
        ends = np.array((0, self.sequences[player], 0, self.sheets.used[player]), np.int64)
        first, size, parent = (self.sheets.columns[name][player] for name in ("first", "size", "parent"))
        return Flat(ends[:2], ends[2:], first, size, parent, *NO_PAYOFFS)

    def extended(self, strategies: Sequence[Floats]) -> list[Floats]:
        """Return strategies of an earlier trunk on this one: uniform at newer sets."""
        longer = []
        for sets, strategy in zip(self.sets, strategies, strict=False):
            new = sets.rows.view("size")[np.searchsorted(sets.rows.view("first"), len(strategy)) :]
            longer.append(np.concatenate((strategy, np.repeat(1.0 / new, new))))
        return longer

    def behaviour(self, player: int, weights: Floats) -> Floats:
        """Return weights of sequences as shares of the sum at their set; uniform if the sum is 0."""
        first, size = (self.sets[player].rows.view(name) for name in ("first", "size"))
        strategy = np.ones(len(weights))
        if len(first):
            total = np.repeat(np.add.reduceat(weights, first), size)
            even = np.repeat(1.0 / size, size)
            strategy[1:] = np.divide(weights[1:], total, out=even, where=total > 1e-12)
        return strategy

    def child(self, node: int, move: int) -> int:
        """Return a child of a node at which players move, or whose outcomes are listed."""
        return int(self.nodes.first[node]) + move

    def outcome_child(self, node: int, outcome: Hashable) -> int:
        """Return the child of an open chance node for an outcome, or NONE if it has not been drawn there."""
        return self._late.get((node, self.open_slot(int(self.nodes.group[node]), outcome)), NONE)

    def open_slot(self, group: int, outcome: Hashable) -> int:
        """Return the slot that counts an outcome of an open group, or NONE if it has not been drawn."""
        self._index()
        code = self.outcomes.known(outcome)
        return NONE if code is None else self._slots.get((group, code), NONE)

    def came(self, group: int) -> int:
        """Return the number of different outcomes of an open group so far."""
        self._index()
        return self._came[group]

    def _index(self) -> None:
        """Add the new outcomes of open groups, and the children for them, to the indexes."""
        nodes, slots, is_open = self.nodes, self.slots, self.groups.open
        node, slot = self._indexed
        if (node, slot) == (nodes.used, slots.used):
            return
        self._indexed = nodes.used, slots.used
        owner, above, counted = slots.view("group"), nodes.view("parent"), nodes.view("slot")
        for new in (slot + np.flatnonzero(is_open[owner[slot:]])).tolist():
            self._slots[int(owner[new]), int(slots.outcome[new])] = new
            self._came[int(owner[new])] += 1
        drawn = node + np.flatnonzero(counted[node:] != NONE)
        for new in drawn[is_open[owner[counted[drawn]]]].tolist():
            self._late[int(above[new]), int(counted[new])] = new

    def keyed(self, group: int) -> bool:
        """Return whether a group has a name, so that several nodes may share it."""
        if len(self._keyed) != len(self.grouped):
            self._keyed = set(self.grouped.values())
        return group in self._keyed

    def find_group(self, key: Hashable | None) -> int:
        """Return the group with this name, or NONE."""
        code = None if key is None else self.keys.known(key)
        return NONE if code is None else self.grouped.get(code, NONE)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays for a file."""
        arrays = {**self.nodes.arrays("node_"), **self.groups.arrays("group_"), **self.slots.arrays("slot_")}
        for p, sets in enumerate(self.sets):
            arrays |= sets.rows.arrays(f"set{p}_")
        sizes = np.array([len(menu) for menu in self.menus], np.int32)
        keyed = np.array([[code, group] for code, group in self.grouped.items()], np.int32).reshape(-1, 2)
        if self.families is not None:
            arrays |= self.families.arrays(self.groups.used)
        return arrays | {
            "menu_size": sizes,
            "menu_action": np.array([code for menu in self.menus for code in menu], np.int32),
            "group_key": keyed,
        }

    def names(self) -> dict[str, list[str]]:
        """Return the texts of all names, for a file."""
        parts = ("observations", "actions", "outcomes", "keys")
        names = {part: getattr(self, part).texts() for part in parts}
        return names if self.families is None else names | {"families": self.families.keys.texts()}

    @classmethod
    def restored(
        cls,
        players: int,
        arrays: dict[str, np.ndarray],
        names: dict[str, list[str]],
        check: Callable[[Trunk, dict[str, np.ndarray]], None],
    ) -> Trunk:
        """Return the trunk in a file; `check` refuses a trunk whose columns do not fit together."""
        nothing = 0.0 if "node_low" in arrays else [0.0] * players
        trunk = cls(players, nothing, nothing)
        nodes, groups, slots = trunk.nodes, trunk.groups, trunk.slots
        for rows, prefix in ((nodes, "node_"), (groups, "group_"), (slots, "slot_")):
            rows.fill(prefix, arrays)
        for p, sets in enumerate(trunk.sets):
            sets.rows.fill(f"set{p}_", arrays)
            trunk.sequences[p] = 1 + int(sets.rows.view("size").sum())
        trunk.observations, trunk.actions = Names(names["observations"]), Names(names["actions"])
        trunk.outcomes, trunk.keys = Names(names["outcomes"]), Names(names["keys"])
        if "families" in names:
            trunk.families = Families.restored(arrays, names["families"])
        check(trunk, arrays)
        ends = np.cumsum(arrays["menu_size"])
        trunk.menus = [part.tolist() for part in np.split(arrays["menu_action"], ends[:-1])] if len(ends) else []
        trunk._menus = {tuple(menu): number for number, menu in enumerate(trunk.menus)}
        trunk.grouped = {int(code): int(group) for code, group in arrays["group_key"]}
        trunk.used[rec.EXPANDED] = np.count_nonzero(nodes.view("kind") != LEAF)
        trunk.used[rec.UNKNOWN] = np.count_nonzero(~groups.view("known"))
        owner = slots.view("group")
        first = np.flatnonzero(~groups.open[owner] & (slots.view("outcome") == 0))
        groups.first[owner[first]] = first
        nodes.late[:], nodes.sibling[:] = NONE, NONE
        trunk._index()
        for (above, _), child in trunk._late.items():
            nodes.sibling[child], nodes.late[above] = nodes.late[above], child
        listed = nodes.view("first") != NONE
        nodes.many[: nodes.used][listed] = np.bincount(nodes.view("parent")[1:], minlength=nodes.used)[listed]
        trunks.narrow(trunk.records(), nodes.used)
        return trunk
