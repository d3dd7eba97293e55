"""The trunk of a game (Definition 2.2): every node that play has expanded, its children, and what was counted.

Of two players, zero-sum, the numbers are those of player 0, and one player counts as that too; else each player has
its own. A node is a leaf until it is expanded. Of a leaf `low` and `high` bound all that is gained from there on; of an
expanded node, what is gained after it, and `gain` is what was gained on reaching it. `least` and `most` are these
bounds, no wider than what the children can bring where all of them are there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.certificates.growing import Columns, Sheet, Sheets
from hannan.certificates.names import Names
from hannan.kernels import trunks
from hannan.kernels.certifying.records import Sets as SetRecords
from hannan.kernels.fullwidth.records import Flat

ROOT: Final = 0
NONE: Final = -1

LEAF, END, CHANCE, CHOICE = range(4)
"""Kinds of node: not expanded, end of play, chance moves, players move."""

NO_PAYOFFS = np.zeros(1, np.int64), np.zeros((1, 0), np.int32), np.zeros(0)

Numbers = float | Sequence[float]
"""A number of player 0, or one of each player."""


class Sets:
    """The information sets of one player: its last sequence and what it observes. Sequence 0 is the empty one."""

    def __init__(self, sheets: Sheets, player: int, counts: Longs) -> None:
        self.rows, self._counts = Sheet(sheets, player), counts
        self._numbers: dict[int, int] = {}

    @property
    def sequences(self) -> int:
        """How many sequences there are, the empty one included."""
        return int(self._counts[self.rows.owner])

    def find(self, sequence: int, observation: int) -> int:
        """Return the number of a set, or NONE."""
        return self._numbers.get(sequence << 32 | observation, NONE)

    def add(self, sequence: int, observation: int, menu: int, size: int) -> int:
        """Enter a set, and number its sequences."""
        rows = self.rows
        number = rows.sheets.add(rows.owner)
        rows.parent[number], rows.observation[number], rows.menu[number] = sequence, observation, menu
        rows.first[number], rows.size[number] = self.sequences, size
        self._counts[rows.owner] += size
        self._numbers[sequence << 32 | observation] = number
        return number

    def restore(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the sets that a file holds."""
        self.rows.fill(prefix, arrays)
        self.index()

    def index(self) -> None:
        """Number the sets by what leads to them, from their columns."""
        rows = self.rows
        self._counts[rows.owner] = 1 + int(rows.view("size").sum())
        keys = zip(rows.view("parent").tolist(), rows.view("observation").tolist(), strict=True)
        self._numbers = {sequence << 32 | seen: number for number, (sequence, seen) in enumerate(keys)}


class Trunk:
    """A growing pseudogame without its radii: nodes, information sets, groups of chance nodes."""

    def __init__(self, players: int, low: Numbers, high: Numbers) -> None:
        """`low` and `high` bound what player 0 can gain in the whole game; what each can, where there are several."""
        self.players, self.seats = players, max(players, 2)
        self.utilities = 1 if isinstance(low, float | int) else len(low)
        """Of how many players gains are kept: 1 where they are zero-sum."""
        wide, each = (np.float64, self.utilities), (np.int32, self.seats)
        self.nodes = Columns(
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
        )
        self.groups = Columns(
            size=np.int32, index=np.int32, samples=np.int64, open=np.bool_, known=np.bool_, first=np.int32,
            unwritten=("first",),
        )  # fmt: skip
        """Groups of one distribution: the number of outcomes (or a bound on it, where it is open), the number k of the
        group among those whose distribution is not known (0 where it is), how often it was drawn from, and the first
        slot where outcomes are listed."""
        self.slots = Columns(group=np.int32, outcome=np.int32, count=np.int64, odds=np.float64)
        """The outcomes of groups: how often each came, and its probability where that is known."""
        self.sheets = Sheets(
            self.seats, parent=np.int32, observation=np.int32, first=np.int32, size=np.int32, menu=np.int32
        )
        self.sequences = np.ones(self.seats, np.int64)
        self.sets = tuple(Sets(self.sheets, player, self.sequences) for player in range(self.seats))
        self.observations, self.actions, self.outcomes, self.keys = Names(), Names(), Names(), Names()
        self.menus: list[list[int]] = []
        self.expanded = 0
        self.unknown = 0
        """How many groups have a distribution that is not known: C of equation 5.2."""
        self._menus: dict[tuple[int, ...], int] = {}
        self.grouped: dict[int, int] = {}
        """The groups by the number of their key."""
        self._keyed: set[int] = set()  # the groups in `grouped`
        self._slots: dict[tuple[int, int], int] = {}  # slots of open groups, by group and outcome
        self._seen: dict[int, int] = {}  # how many outcomes of open groups have come
        self._late: dict[tuple[int, int], int] = {}  # children that came one by one, by node and slot
        root = self.nodes.add()
        self._leaf(root, NONE, 0, np.array(low, ndmin=1, dtype=np.float64), np.array(high, ndmin=1, dtype=np.float64))

    @property
    def bytes(self) -> int:
        """How much memory the trunk takes; of dictionaries about, from 100 bytes an entry."""
        columns = (self.nodes, self.groups, self.slots, self.sheets)
        entries = sum(sets.rows.used for sets in self.sets) + len(self._slots) + len(self._late) + len(self.grouped)
        names = len(self.observations) + len(self.actions) + len(self.outcomes) + len(self.keys)
        return sum(part.bytes for part in columns) + 130 * entries + 250 * names

    def _leaf(self, first: int, parent: int, many: int, low: Any, high: Any) -> None:
        nodes = self.nodes
        place = slice(first, first + max(many, 1))
        nodes.parent[place], nodes.gain[place] = parent, np.nan
        nodes.low[place], nodes.high[place] = low, high
        nodes.least[place], nodes.most[place] = low, high
        for column in (nodes.first, nodes.group, nodes.slot, nodes.set, nodes.late, nodes.sibling):
            column[place] = NONE

    def menu(self, actions: Sequence[Hashable]) -> int:
        """Return the number of a list of actions."""
        codes = tuple(map(self.actions.code, actions))
        number = self._menus.get(codes)
        if number is None:
            number = self._menus[codes] = len(self.menus)
            self.menus.append(list(codes))
        return number

    def expand_end(self, node: int, gain: Any) -> None:
        """Mark a node as an end of play."""
        self._expand(node, END, gain, 0.0, 0.0)

    def expand_choice(
        self, node: int, gain: Any, low: Any, high: Any, sets: Sequence[int], told: Sequence[Floats] | None
    ) -> None:
        """Let players move at a node, and add a child for every joint action. `told`: gain, low, high of children."""
        self._expand(node, CHOICE, gain, low, high)
        nodes = self.nodes
        nodes.set[node] = sets
        sizes = [1 if number == NONE else int(self.sets[p].rows.size[number]) for p, number in enumerate(sets)]
        many = math.prod(sizes)
        first = self._children(node, many, low, high, told)
        left = np.arange(many)
        for p in reversed(range(self.seats)):
            if sets[p] != NONE:
                nodes.sequence[first : first + many, p] = int(self.sets[p].rows.first[sets[p]]) + left % sizes[p]
                left //= sizes[p]

    def expand_chance(
        self, node: int, gain: Any, low: Any, high: Any, group: int, told: Sequence[Floats] | None
    ) -> None:
        """Let chance move at a node; outcomes that are listed become children now, others as they come."""
        self._expand(node, CHANCE, gain, low, high)
        self.nodes.group[node] = group
        if not self.groups.open[group]:
            size = int(self.groups.size[group])
            first = self._children(node, size, low, high, told)
            self.nodes.slot[first : first + size] = int(self.groups.first[group]) + np.arange(size)

    def _expand(self, node: int, kind: int, gain: Any, low: Any, high: Any) -> None:
        nodes = self.nodes
        nodes.kind[node], nodes.gain[node], nodes.low[node], nodes.high[node] = kind, gain, low, high
        nodes.least[node], nodes.most[node] = low, high
        self.expanded += 1

    def lift(self, node: int, top: int) -> None:
        """Narrow the bounds on the way from a node up to the root; from `top` on only while something changes."""
        trunks.lift(self.records(), node, top)

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
        sheets = self.sheets
        return SetRecords(
            sheets.parent, sheets.observation, sheets.first, sheets.size, sheets.menu, sheets.used, self.sequences
        )

    def flat(self, player: int) -> Flat:
        """Return the treeplex of one player as the full-width passes read it: no copy, and no payoffs."""
        rows = self.sets[player].rows
        ends = np.array([[0, self.sequences[player]], [0, rows.used]], np.int64)
        return Flat(ends[0], ends[1], rows.first, rows.size, rows.parent, *NO_PAYOFFS)

    def _children(self, node: int, many: int, low: Any, high: Any, told: Sequence[Floats] | None) -> int:
        nodes = self.nodes
        first = nodes.add(many)
        self._leaf(first, node, many, low, high)
        place = slice(first, first + many)
        nodes.move[place] = np.arange(many)
        nodes.sequence[place] = nodes.sequence[node]
        nodes.first[node], nodes.many[node] = first, many
        if told is not None:
            nodes.gain[place], nodes.low[place], nodes.high[place] = told
            nodes.least[place], nodes.most[place] = nodes.low[place], nodes.high[place]
        return first

    def child(self, node: int, move: int) -> int:
        """Return the child of a node that players move at, or whose outcomes are listed."""
        return int(self.nodes.first[node]) + move

    def outcome_child(self, node: int, outcome: Hashable) -> int:
        """Return the child of an open chance node for an outcome; a new one where it has not come here before."""
        group = int(self.nodes.group[node])
        slot = self._open_slot(group, self.outcomes.code(outcome))
        child = self._late.get((node, slot), NONE)
        if child == NONE:
            nodes = self.nodes
            child = self._late[node, slot] = nodes.add()
            self._leaf(child, node, 1, nodes.low[node], nodes.high[node])
            nodes.slot[child] = slot
            nodes.move[child] = slot
            nodes.sequence[child] = nodes.sequence[node]
            nodes.sibling[child], nodes.late[node] = nodes.late[node], child
        return child

    def known_outcome_child(self, node: int, outcome: Hashable) -> int:
        """Return the child of an open chance node for an outcome, or NONE."""
        code = self.outcomes.known(outcome)
        slot = NONE if code is None else self._slots.get((int(self.nodes.group[node]), code), NONE)
        return self._late.get((node, slot), NONE)

    def _open_slot(self, group: int, outcome: int) -> int:
        slot = self._slots.get((group, outcome), NONE)
        if slot == NONE:
            slot = self._slots[group, outcome] = self.slots.add()
            self._seen[group] = self._seen.get(group, 0) + 1
            self.slots.group[slot], self.slots.outcome[slot] = group, outcome
            self.slots.odds[slot] = np.nan
        return slot

    def draw(self, child: int) -> None:
        """Count that chance drew this child."""
        slot = self.nodes.slot[child]
        self.slots.count[slot] += 1
        self.groups.samples[self.slots.group[slot]] += 1

    def keyed(self, group: int) -> bool:
        """Return whether a group has a name, so that several nodes may share it."""
        if len(self._keyed) != len(self.grouped):  # a file or a kernel has added some
            self._keyed = set(self.grouped.values())
        return group in self._keyed

    def find_group(self, key: Hashable | None) -> int:
        """Return the group with this name, or NONE."""
        code = None if key is None else self.keys.known(key)
        return NONE if code is None else self.grouped.get(code, NONE)

    def add_group(self, key: Hashable | None, size: int, is_open: bool, odds: Sequence[float] | None = None) -> int:
        """Enter a group. Its index is fixed here, before its first outcome counts."""
        groups, slots = self.groups, self.slots
        group = groups.add()
        groups.size[group], groups.open[group], groups.known[group] = size, is_open, odds is not None
        if odds is None:
            self.unknown += 1
            groups.index[group] = self.unknown
        if not is_open:
            first = groups.first[group] = slots.add(size)
            slots.group[first : first + size] = group
            slots.outcome[first : first + size] = np.arange(size)
            slots.odds[first : first + size] = np.nan if odds is None else odds
        if key is not None:
            self.grouped[self.keys.code(key)] = group
        return group

    def has_come(self, group: int, outcome: Hashable) -> bool:
        """Say whether an outcome of an open group has come before."""
        code = self.outcomes.known(outcome)
        return code is not None and (group, code) in self._slots

    def seen_outcomes(self, group: int) -> int:
        """Return how many different outcomes of an open group have come."""
        return self._seen.get(group, 0)

    def index(self) -> None:
        """Number all sets by what leads to them once more: a kernel has added some."""
        for sets in self.sets:
            sets.index()

    @property
    def parents(self) -> Ints:
        """The parent of each node."""
        return self.nodes.view("parent")

    def path(self, node: int) -> list[int]:
        """Return the moves from the root to a node."""
        moves: list[int] = []
        while node != ROOT:
            moves.append(int(self.nodes.move[node]))
            node = int(self.nodes.parent[node])
        return moves[::-1]

    def serialised(self) -> int:
        """Count nodes as if joint moves were made one after another, as the paper does: a node more an action."""
        many, extra = np.zeros(self.nodes.used, np.int64), 0  # children after the movers so far; 0: nobody has moved
        for player in range(self.seats):
            number = self.nodes.view("set")[:, player]
            moves = number != NONE
            extra += int(many[moves].sum())
            many[moves] = np.maximum(many[moves], 1) * self.sets[player].rows.size[number[moves]]
        return self.nodes.used + extra

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a file needs."""
        arrays = {**self.nodes.arrays("node_"), **self.groups.arrays("group_"), **self.slots.arrays("slot_")}
        for p, sets in enumerate(self.sets):
            arrays |= sets.rows.arrays(f"set{p}_")
        sizes = np.array([len(menu) for menu in self.menus], np.int32)
        keyed = np.array([[code, group] for code, group in self.grouped.items()], np.int32).reshape(-1, 2)
        return arrays | {
            "menu_size": sizes,
            "menu_action": np.array([code for menu in self.menus for code in menu], np.int32),
            "group_key": keyed,
        }

    def names(self) -> dict[str, list[str]]:
        """Return the texts of all that has a name, for a file."""
        parts = ("observations", "actions", "outcomes", "keys")
        return {part: getattr(self, part).texts() for part in parts}

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
        for columns, prefix in ((trunk.nodes, "node_"), (trunk.groups, "group_"), (trunk.slots, "slot_")):
            columns.fill(prefix, arrays)
        for p, sets in enumerate(trunk.sets):
            sets.restore(f"set{p}_", arrays)
        trunk.observations, trunk.actions = Names(names["observations"]), Names(names["actions"])
        trunk.outcomes, trunk.keys = Names(names["outcomes"]), Names(names["keys"])
        check(trunk, arrays)
        ends = np.cumsum(arrays["menu_size"])
        trunk.menus = [part.tolist() for part in np.split(arrays["menu_action"], ends[:-1])] if len(ends) else []
        trunk._menus = {tuple(menu): number for number, menu in enumerate(trunk.menus)}
        trunk.grouped = {int(code): int(group) for code, group in arrays["group_key"]}
        trunk.expanded = int(np.count_nonzero(trunk.nodes.view("kind") != LEAF))
        trunk.unknown = int(np.count_nonzero(~trunk.groups.view("known")))
        is_open, owner = trunk.groups.view("open"), trunk.slots.view("group")
        for slot, (group, outcome) in enumerate(zip(owner.tolist(), trunk.slots.view("outcome").tolist(), strict=True)):
            if is_open[group]:
                trunk._slots[group, outcome] = slot
                trunk._seen[group] = trunk._seen.get(group, 0) + 1
            elif outcome == 0:
                trunk.groups.first[group] = slot
        nodes = trunk.nodes
        nodes.late[:], nodes.sibling[:] = NONE, NONE
        for child in np.flatnonzero(nodes.view("slot") != NONE).tolist():
            if is_open[owner[nodes.slot[child]]]:
                above = int(nodes.parent[child])
                trunk._late[above, int(nodes.slot[child])] = child
                nodes.sibling[child], nodes.late[above] = nodes.late[above], child
        listed = nodes.view("first") != NONE
        nodes.many[: nodes.used][listed] = np.bincount(nodes.view("parent")[1:], minlength=nodes.used)[listed]
        trunks.narrow(trunk.records(), nodes.used)
        return trunk
