"""The trunk of a game (Definition 2.2): every node that play has expanded, its children, and what was counted.

Of two players, zero-sum, the numbers are those of player 0, and one player counts as that too; else each player has
its own. A node is a leaf until it is expanded. Of a leaf `low` and `high` bound all that is gained from there on; of an
expanded node, what is gained after it, and `gain` is what was gained on reaching it. `least` and `most` are these
bounds, no wider than what the children can bring where all of them are there.
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
"""A number of player 0, or one of each player."""


class TrunkSets:
    """The information sets of one player: its last sequence and what it observes. Sequence 0 is the empty one."""

    def __init__(self, sheets: Sheets, player: int, counts: Longs) -> None:
        self.rows, self.player, self._counts = Sheet(sheets, player), player, counts
        self._numbers: dict[int, int] = {}
        self._indexed = 0  # how many sets it knows

    @property
    def sequences(self) -> int:
        """How many sequences there are, the empty one included."""
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
        """`low` and `high` bound what player 0 can gain in the whole game; what each can, where there are several."""
        self.players, self.seats = players, max(players, 2)
        self.utilities = 1 if isinstance(low, float | int) else len(low)
        """Of how many players gains are kept: 1 where they are zero-sum."""
        wide, each = (np.float64, self.utilities), (np.int32, self.seats)
        self.used = np.zeros(rec.COUNTERS, np.int64)
        """How much is in use: nodes, groups, slots, expanded nodes, groups whose odds are not known."""
        self.nodes = Columns(
            self.used, rec.NODES,
            parent=np.int32,  # NONE at the root
            move=np.int32,  # which child of the parent: the number of the joint action, or of the outcome
            kind=np.int8,
            first=np.int32,  # the first child; NONE where children come one by one
            gain=wide,  # of a leaf: what a box told before the visit, else NaN
            low=wide,
            high=wide,
            group=np.int32,  # of chance nodes, else NONE
            slot=np.int32,  # of children of chance: where the outcome is counted, else NONE
            set=each,  # the information sets of the movers, else NONE
            sequence=each,  # what each player has done on the way here
            least=wide,
            most=wide,
            many=np.int32,  # how many children there are from `first` on
            late=np.int32,  # of open chance nodes: the child that came last, else NONE
            sibling=np.int32,  # the child that came before this one
            unwritten=("least", "most", "many", "late", "sibling"),
        )  # fmt: skip
        self.groups = Columns(
            self.used, rec.GROUPS, size=np.int32, index=np.int32, samples=np.int64, open=np.bool_, known=np.bool_,
            first=np.int32, unwritten=("first",),
        )  # fmt: skip
        """Groups of one distribution: the number of outcomes (or a bound on it, where it is open), the number k of the
        group among those whose distribution is not known (0 where it is), how often it was drawn from, and the first
        slot where outcomes are listed."""
        self.slots = Columns(
            self.used, rec.SLOTS, group=np.int32, outcome=np.int32, count=np.int64, odds=np.float64
        )  # fmt: skip
        """The outcomes of groups: how often each came, and its probability where that is known."""
        self.sheets = Sheets(self.seats, "parent", "observation", "first", "size", "menu")
        self.sequences = np.ones(self.seats, np.int64)
        self.sets = tuple(TrunkSets(self.sheets, player, self.sequences) for player in range(self.seats))
        self.observations, self.actions, self.outcomes, self.keys = Names(), Names(), Names(), Names()
        self.menus: list[list[int]] = []
        self._menus: dict[tuple[int, ...], int] = {}
        self.grouped: dict[int, int] = {}
        """The groups by the number of their key."""
        self.families: Families | None = None
        """The families of groups that draw almost alike; None where a box tells none."""
        self._keyed: set[int] = set()  # the groups in `grouped`
        self._slots: dict[tuple[int, int], int] = {}  # slots of open groups, by group and outcome
        self._late: dict[tuple[int, int], int] = {}  # children that came one by one, by node and slot
        self._came: Counter[int] = Counter()  # how many outcomes of open groups have come
        self._indexed = 0, 0  # up to which node and slot these know what there is
        nodes = self.nodes
        for name in ("parent", "first", "group", "slot", "set", "late", "sibling"):
            getattr(nodes, name)[ROOT] = NONE
        nodes.gain[ROOT], nodes.low[ROOT], nodes.high[ROOT] = np.nan, low, high
        nodes.least[ROOT], nodes.most[ROOT] = low, high
        self.used[rec.NODES] = 1

    @property
    def bytes(self) -> int:
        """How much memory the trunk takes; of dictionaries about, from 100 bytes an entry."""
        columns = (self.nodes, self.groups, self.slots, self.sheets)
        entries = int(self.sheets.used.sum()) + len(self._slots) + len(self._late) + len(self.grouped)
        names = len(self.observations) + len(self.actions) + len(self.outcomes) + len(self.keys)
        return sum(part.bytes for part in columns) + 130 * entries + 250 * names

    @property
    def expanded(self) -> int:
        """How many nodes are expanded."""
        return int(self.used[rec.EXPANDED])

    @property
    def unknown(self) -> int:
        """How many groups have a distribution that is not known: C of equation 5.2."""
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
        """Return what kernels read and write of nodes and chance."""
        nodes, groups, slots = self.nodes, self.groups, self.slots
        return trunks.Nodes(
            nodes.parent, nodes.move, nodes.kind, nodes.first, nodes.many, nodes.late, nodes.sibling, nodes.group,
            nodes.slot, nodes.gain, nodes.low, nodes.high, nodes.least, nodes.most, nodes.set, nodes.sequence,
            groups.size, groups.index, groups.samples, groups.open, groups.known, groups.first,
            slots.group, slots.outcome, slots.count, slots.odds,
        )  # fmt: skip

    def set_records(self) -> SetRecords:
        """Return what kernels read and write of information sets."""
        return SetRecords._make((*self.sheets.columns.values(), self.sheets.used, self.sequences))

    def flat(self, player: int) -> Flat:
        """Return the treeplex of one player as the full-width passes read it: no copy, and no payoffs."""
        ends = np.array((0, self.sequences[player], 0, self.sheets.used[player]), np.int64)
        first, size, parent = (self.sheets.columns[name][player] for name in ("first", "size", "parent"))
        return Flat(ends[:2], ends[2:], first, size, parent, *NO_PAYOFFS)

    def extended(self, strategies: Sequence[Floats]) -> list[Floats]:
        """Return strategies of an earlier trunk on this one: uniform at sets that are new since."""
        longer = []
        for sets, strategy in zip(self.sets, strategies, strict=False):
            new = sets.rows.view("size")[np.searchsorted(sets.rows.view("first"), len(strategy)) :]
            longer.append(np.concatenate((strategy, np.repeat(1.0 / new, new))))
        return longer

    def behaviour(self, player: int, weights: Floats) -> Floats:
        """Return weights of sequences as shares of what their set has; uniform where it has nothing."""
        first, size = (self.sets[player].rows.view(name) for name in ("first", "size"))
        strategy = np.ones(len(weights))
        if len(first):
            total = np.repeat(np.add.reduceat(weights, first), size)
            even = np.repeat(1.0 / size, size)
            strategy[1:] = np.divide(weights[1:], total, out=even, where=total > 1e-12)
        return strategy

    def child(self, node: int, move: int) -> int:
        """Return the child of a node that players move at, or whose outcomes are listed."""
        return int(self.nodes.first[node]) + move

    def outcome_child(self, node: int, outcome: Hashable) -> int:
        """Return the child of an open chance node for an outcome, or NONE where it has not come there."""
        return self._late.get((node, self.open_slot(int(self.nodes.group[node]), outcome)), NONE)

    def open_slot(self, group: int, outcome: Hashable) -> int:
        """Return where an outcome of an open group is counted, or NONE where it has not come."""
        self._index()
        code = self.outcomes.known(outcome)
        return NONE if code is None else self._slots.get((group, code), NONE)

    def came(self, group: int) -> int:
        """Return how many different outcomes of an open group have come."""
        self._index()
        return self._came[group]

    def _index(self) -> None:
        """Take notice of the outcomes of open groups, and of the children for them, that are new."""
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
        """Return all that a file needs."""
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
        """Return the texts of all that has a name, for a file."""
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
        """Return the trunk that a file holds; `check` refuses one whose columns do not fit together."""
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
