"""The trunk of a game (Definition 2.2): every node that play has expanded, its children, and what was counted.

Two players, zero-sum; one player counts as that too. Numbers are those of player 0. A node is a leaf until it is
expanded. Of a leaf `low` and `high` bound all that is gained from there on; of an expanded node, what is gained after
it, and `gain` is what was gained on reaching it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import numpy as np

from hannan.arrays import Floats, Ints, Longs
from hannan.certificates.growing import Columns
from hannan.certificates.names import Names

ROOT: Final = 0
NONE: Final = -1

LEAF, END, CHANCE, CHOICE = range(4)
"""Kinds of node: not expanded, end of play, chance moves, players move."""

SEATS: Final = 2


class Sets:
    """The information sets of one player: its last sequence and what it observes. Sequence 0 is the empty one."""

    def __init__(self) -> None:
        self.rows = Columns(parent=np.int32, observation=np.int32, first=np.int32, size=np.int32, menu=np.int32)
        self.sequences = 1
        self._numbers: dict[int, int] = {}

    def find(self, sequence: int, observation: int) -> int:
        """Return the number of a set, or NONE."""
        return self._numbers.get(sequence << 32 | observation, NONE)

    def add(self, sequence: int, observation: int, menu: int, size: int) -> int:
        """Enter a set, and number its sequences."""
        rows = self.rows
        number = rows.add()
        rows.parent[number], rows.observation[number], rows.menu[number] = sequence, observation, menu
        rows.first[number], rows.size[number] = self.sequences, size
        self.sequences += size
        self._numbers[sequence << 32 | observation] = number
        return number

    def restore(self, prefix: str, arrays: dict[str, np.ndarray]) -> None:
        """Take the sets that a file holds."""
        rows = self.rows
        rows.fill(prefix, arrays)
        self.sequences = 1 + int(rows.view("size").sum())
        keys = zip(rows.view("parent").tolist(), rows.view("observation").tolist(), strict=True)
        self._numbers = {sequence << 32 | seen: number for number, (sequence, seen) in enumerate(keys)}


class Trunk:
    """A growing pseudogame without its radii: nodes, information sets, groups of chance nodes."""

    def __init__(self, players: int, low: float, high: float) -> None:
        """`low` and `high` bound what player 0 can gain in the whole game."""
        self.players = players
        self.nodes = Columns(
            parent=np.int32,  # NONE at the root
            move=np.int32,  # which child of the parent: the number of the joint action, or of the outcome
            kind=np.int8,
            first=np.int32,  # the first child; NONE where children come one by one
            gain=np.float64,  # of a leaf: what a box told before the visit, else NaN
            low=np.float64,
            high=np.float64,
            group=np.int32,  # of chance nodes, else NONE
            slot=np.int32,  # of children of chance: where the outcome is counted, else NONE
            set0=np.int32,  # the information sets of the movers, else NONE
            set1=np.int32,
            sequence0=np.int32,  # what each player has done on the way here
            sequence1=np.int32,
        )
        self.groups = Columns(size=np.int32, index=np.int32, samples=np.int64, open=np.bool_, known=np.bool_)
        """Groups of one distribution: the number of outcomes (or a bound on it, where it is open), the number k of the
        group among those whose distribution is not known (0 where it is), and how often it was drawn from."""
        self.slots = Columns(group=np.int32, outcome=np.int32, count=np.int64, odds=np.float64)
        """The outcomes of groups: how often each came, and its probability where that is known."""
        self.sets = (Sets(), Sets())
        self.observations, self.actions, self.outcomes, self.keys = Names(), Names(), Names(), Names()
        self.menus: list[list[int]] = []
        self.expanded = 0
        self.unknown = 0
        """How many groups have a distribution that is not known: C of equation 5.2."""
        self._menus: dict[tuple[int, ...], int] = {}
        self._grouped: dict[int, int] = {}  # the groups by the number of their key
        self._listed: dict[int, int] = {}  # the first slot of a group whose outcomes are listed
        self._slots: dict[tuple[int, int], int] = {}  # slots of open groups, by group and outcome
        self._late: dict[tuple[int, int], int] = {}  # children that came one by one, by node and slot
        root = self.nodes.add()
        self._leaf(root, NONE, 0, low, high)

    @property
    def bytes(self) -> int:
        """How much memory the trunk takes; of dictionaries about, from 100 bytes an entry."""
        columns = (self.nodes, self.groups, self.slots, *(sets.rows for sets in self.sets))
        entries = sum(sets.rows.used for sets in self.sets) + len(self._slots) + len(self._late) + len(self._grouped)
        names = len(self.observations) + len(self.actions) + len(self.outcomes) + len(self.keys)
        return sum(part.bytes for part in columns) + 130 * entries + 250 * names

    def _leaf(self, first: int, parent: int, many: int, low: float, high: float) -> None:
        nodes = self.nodes
        place = slice(first, first + max(many, 1))
        nodes.parent[place], nodes.gain[place] = parent, np.nan
        nodes.low[place], nodes.high[place] = low, high
        for column in (nodes.first, nodes.group, nodes.slot, nodes.set0, nodes.set1):
            column[place] = NONE

    def menu(self, actions: Sequence[Hashable]) -> int:
        """Return the number of a list of actions."""
        codes = tuple(map(self.actions.code, actions))
        number = self._menus.get(codes)
        if number is None:
            number = self._menus[codes] = len(self.menus)
            self.menus.append(list(codes))
        return number

    def expand_end(self, node: int, gain: float) -> None:
        """Mark a node as an end of play."""
        self._expand(node, END, gain, 0.0, 0.0)

    def expand_choice(
        self, node: int, gain: float, low: float, high: float, sets: tuple[int, int], told: Sequence[Floats] | None
    ) -> None:
        """Let players move at a node, and add a child for every joint action. `told`: gain, low, high of children."""
        self._expand(node, CHOICE, gain, low, high)
        nodes = self.nodes
        nodes.set0[node], nodes.set1[node] = sets
        sizes = [1 if number == NONE else int(self.sets[p].rows.size[number]) for p, number in enumerate(sets)]
        first = self._children(node, sizes[0] * sizes[1], low, high, told)
        place = slice(first, first + sizes[0] * sizes[1])
        taken = (np.repeat(np.arange(sizes[0]), sizes[1]), np.tile(np.arange(sizes[1]), sizes[0]))
        for p, column in enumerate((nodes.sequence0, nodes.sequence1)):
            if sets[p] != NONE:
                column[place] = int(self.sets[p].rows.first[sets[p]]) + taken[p]

    def expand_chance(
        self, node: int, gain: float, low: float, high: float, group: int, told: Sequence[Floats] | None
    ) -> None:
        """Let chance move at a node; outcomes that are listed become children now, others as they come."""
        self._expand(node, CHANCE, gain, low, high)
        self.nodes.group[node] = group
        if not self.groups.open[group]:
            size = int(self.groups.size[group])
            first = self._children(node, size, low, high, told)
            self.nodes.slot[first : first + size] = self._listed[group] + np.arange(size)

    def _expand(self, node: int, kind: int, gain: float, low: float, high: float) -> None:
        nodes = self.nodes
        nodes.kind[node], nodes.gain[node], nodes.low[node], nodes.high[node] = kind, gain, low, high
        self.expanded += 1

    def _children(self, node: int, many: int, low: float, high: float, told: Sequence[Floats] | None) -> int:
        nodes = self.nodes
        first = nodes.add(many)
        self._leaf(first, node, many, low, high)
        place = slice(first, first + many)
        nodes.move[place] = np.arange(many)
        nodes.sequence0[place], nodes.sequence1[place] = nodes.sequence0[node], nodes.sequence1[node]
        nodes.first[node] = first
        if told is not None:
            nodes.gain[place], nodes.low[place], nodes.high[place] = told
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
            self._leaf(child, node, 1, float(nodes.low[node]), float(nodes.high[node]))
            nodes.slot[child] = slot
            nodes.move[child] = slot
            nodes.sequence0[child], nodes.sequence1[child] = nodes.sequence0[node], nodes.sequence1[node]
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
            self.slots.group[slot], self.slots.outcome[slot] = group, outcome
            self.slots.odds[slot] = np.nan
        return slot

    def draw(self, child: int) -> None:
        """Count that chance drew this child."""
        slot = self.nodes.slot[child]
        self.slots.count[slot] += 1
        self.groups.samples[self.slots.group[slot]] += 1

    def find_group(self, key: Hashable | None) -> int:
        """Return the group with this name, or NONE."""
        code = None if key is None else self.keys.known(key)
        return NONE if code is None else self._grouped.get(code, NONE)

    def add_group(self, key: Hashable | None, size: int, is_open: bool, odds: Sequence[float] | None = None) -> int:
        """Enter a group. Its index is fixed here, before its first outcome counts."""
        groups, slots = self.groups, self.slots
        group = groups.add()
        groups.size[group], groups.open[group], groups.known[group] = size, is_open, odds is not None
        if odds is None:
            self.unknown += 1
            groups.index[group] = self.unknown
        if not is_open:
            first = self._listed[group] = slots.add(size)
            slots.group[first : first + size] = group
            slots.outcome[first : first + size] = np.arange(size)
            slots.odds[first : first + size] = np.nan if odds is None else odds
        if key is not None:
            self._grouped[self.keys.code(key)] = group
        return group

    def has_come(self, group: int, outcome: Hashable) -> bool:
        """Say whether an outcome of an open group has come before."""
        code = self.outcomes.known(outcome)
        return code is not None and (group, code) in self._slots

    def seen_outcomes(self, group: int) -> int:
        """Return how many different outcomes of an open group have come."""
        return int(np.count_nonzero(self.slots.view("group") == group))

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
        both = (self.nodes.view("set0") != NONE) & (self.nodes.view("set1") != NONE)
        first: Longs = self.sets[0].rows.size[self.nodes.view("set0")[both]]
        return self.nodes.used + int(first.sum())

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a file needs."""
        arrays = {**self.nodes.arrays("node_"), **self.groups.arrays("group_"), **self.slots.arrays("slot_")}
        for p, sets in enumerate(self.sets):
            arrays |= sets.rows.arrays(f"set{p}_")
        sizes = np.array([len(menu) for menu in self.menus], np.int32)
        keyed = np.array([[code, group] for code, group in self._grouped.items()], np.int32).reshape(-1, 2)
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
        trunk = cls(players, 0.0, 0.0)
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
        trunk._grouped = {int(code): int(group) for code, group in arrays["group_key"]}
        trunk.expanded = int(np.count_nonzero(trunk.nodes.view("kind") != LEAF))
        trunk.unknown = int(np.count_nonzero(~trunk.groups.view("known")))
        is_open, owner = trunk.groups.view("open"), trunk.slots.view("group")
        for slot, (group, outcome) in enumerate(zip(owner.tolist(), trunk.slots.view("outcome").tolist(), strict=True)):
            if is_open[group]:
                trunk._slots[group, outcome] = slot
            elif outcome == 0:
                trunk._listed[group] = slot
        nodes = trunk.nodes
        for child in np.flatnonzero(nodes.view("slot") != NONE).tolist():
            if is_open[owner[nodes.slot[child]]]:
                trunk._late[int(nodes.parent[child]), int(nodes.slot[child])] = child
        return trunk
