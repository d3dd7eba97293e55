"""Check that the columns of a certificate form a trunk: test every relation between them.

A trunk is written in the order in which play discovers it: a node after its parent, the children of a node one after
another by the number of their move, and the outcomes of a chance group likewise. If chance cannot list its outcomes,
its group is *open*: children and outcomes then come one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan.verifier.reader import Arrays
from hannan.verifier.schema import FAMILIES
from hannan.verifier.verdict import need

LEAF, END, CHANCE, CHOICE = range(4)
NONE = -1
SLACK = 1e-8
"""How far bounds may be off by rounding, as a share of the largest number in them. For a box, the limit is smaller."""


@dataclass(frozen=True)
class Checked:
    """A trunk that passed: the columns as lists, and whether all children of a node are there."""

    arrays: dict[str, list[Any]]
    players: int
    closed: list[bool]
    utilities: int
    """For how many players gains and bounds are kept: 1 if they are zero-sum."""
    similar: bool
    """Whether the trunk has families of similar chance nodes."""

    def of(self, name: str, utility: int) -> list[Any]:
        """Return the gains or bounds of one player."""
        return self.arrays[f"node_{name}" if self.utilities == 1 else f"node_{name}{utility}"]

    @property
    def seats(self) -> int:
        """The number of players with columns: at least 2. If there is one player, the second one is idle."""
        return max(self.players, 2)


def check(arrays: Arrays, facts: dict[str, Any], utilities: int) -> Checked:
    """Reject columns that do not form a trunk."""
    players = facts["players"]
    seats = max(players, 2)
    names = {part: len(texts) for part, texts in facts["names"].items()}
    _check_menus(arrays, names)
    for player in range(seats):
        _check_sets(arrays, player, names["observations"])
    if players < seats:
        need(len(arrays["set1_parent"]) == 0, "player 1 moves in a game of one player")
    _check_groups(arrays, names)
    similar = facts.get("similar", False)
    if similar:
        _check_families(arrays, len(facts["names"][FAMILIES]))
    many = _check_kinds(arrays, seats)
    _check_keys(arrays, names["keys"])
    late = _check_children(arrays, many)
    _check_outcomes(arrays, late)
    for player in range(seats):
        _check_sequences(arrays, player, seats)
    for utility in range(utilities):
        _check_gains(arrays, "" if utilities == 1 else str(utility), late)
    _check_used(arrays, seats, names)
    kind = arrays["node_kind"]
    need(facts["trunk"] == len(kind), "the trunk has another size than the file says")
    need(facts["expanded"] == int((kind != LEAF).sum()), "other nodes were visited than the file says")
    lists = {name: array.tolist() for name, array in arrays.items() if name not in ("actions", "lengths", "failed")}
    return Checked(lists, players, ((kind == CHOICE) | (many > 0)).tolist(), utilities, similar)


def _within(array: np.ndarray, low: int, high: int) -> bool:
    """Return whether all numbers are at least `low` and below `high`."""
    return bool(((array >= low) & (array < high)).all())


def _places(sizes: np.ndarray) -> np.ndarray:
    """Return 0, 1, … for each block, one block after another; `sizes` are those of the blocks."""
    places: np.ndarray = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places


def _check_menus(arrays: Arrays, names: dict[str, int]) -> None:
    """Check that menus are lists of different actions, and that no two menus are the same."""
    sizes, actions = arrays["menu_size"].astype(np.int64), arrays["menu_action"]
    need(bool((sizes >= 1).all()) and int(sizes.sum()) == len(actions), "a menu is empty or incomplete")
    need(_within(actions, 0, names["actions"]), "a menu lists an action without a name")
    ends = np.cumsum(sizes)
    menus = [tuple(actions[end - size : end].tolist()) for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)]
    need(len(set(menus)) == len(menus), "two menus are the same")
    need(all(len(set(menu)) == len(menu) for menu in menus), "a menu lists an action twice")


def _check_sets(arrays: Arrays, player: int, observations: int) -> None:
    """Check that sets follow their parents, that sequences follow one another, and that players can tell sets apart."""
    parent, seen, first, size, menu = (
        arrays[f"set{player}_{name}"].astype(np.int64) for name in ("parent", "observation", "first", "size", "menu")
    )
    need(_within(menu, 0, len(arrays["menu_size"])), f"an information set of player {player} has no menu")
    need(np.array_equal(size, arrays["menu_size"][menu]), f"an information set of player {player} has another menu")
    follow = 1 + np.cumsum(size) - size
    need(np.array_equal(first, follow), f"the sequences of player {player} do not follow one another")
    need(bool(((parent >= 0) & (parent < first)).all()), f"an information set of player {player} precedes its parent")
    need(_within(seen, 0, observations), f"player {player} observes something without a name")
    pairs = set(zip(parent.tolist(), seen.tolist(), strict=True))
    need(len(pairs) == len(parent), f"player {player} could not tell two of its information sets apart")


def _check_groups(arrays: Arrays, names: dict[str, int]) -> None:
    """Check that draws add up, odds sum to 1, and outcomes and groups of unknown odds are numbered in order."""
    size, index, samples, is_open, known = (arrays[f"group_{name}"] for name in _GROUP)
    owner, outcome, count, odds = (arrays[f"slot_{name}"] for name in ("group", "outcome", "count", "odds"))
    groups = len(size)
    need(bool((size >= 1).all()), "a chance group has no outcomes")
    need(_within(owner, 0, groups) and bool((count >= 0).all()), "an outcome of chance has no group, or no count")
    drawn = np.zeros(groups, np.int64)
    np.add.at(drawn, owner, count)
    need(np.array_equal(drawn, samples), "the draws of a chance group do not add up")
    need(np.array_equal(index, np.where(known, 0, np.cumsum(~known))), "the chance groups are not numbered in order")
    many = np.bincount(owner, minlength=groups)
    need(bool(np.where(is_open, many <= size, many == size).all()), "a chance group has other outcomes than it says")
    late = is_open[owner]
    firsts = np.flatnonzero(~late & (outcome == 0))
    lengths = size[owner[firsts]].astype(np.int64)
    blocks = np.repeat(firsts, lengths) + _places(lengths)
    need(np.array_equal(blocks, np.flatnonzero(~late)), "the outcomes of a chance group do not follow one another")
    in_order = np.array_equal(outcome[blocks], _places(lengths))
    need(
        in_order and np.array_equal(owner[blocks], np.repeat(owner[firsts], lengths)),
        "the outcomes of a chance group are not in order",
    )
    need(_within(outcome[late], 0, names["outcomes"]), "an outcome of chance has no name")
    pairs = set(zip(owner[late].tolist(), outcome[late].tolist(), strict=True))
    need(len(pairs) == int(late.sum()), "an outcome of chance is counted in two places")
    need(bool((count[late] >= 1).all()), "an outcome that never came is listed in an open group")
    stated = known[owner]
    need(not (known & is_open).any(), "the odds of an open group are stated")
    need(bool(np.isnan(odds[~stated]).all()), "odds are stated that are not known")
    need(bool(((odds[stated] >= 0) & (odds[stated] <= 1)).all()), "a probability of chance is not between 0 and 1")
    total = np.zeros(groups)
    np.add.at(total, owner[stated], odds[stated])
    need(bool((abs(total[known] - 1.0) <= 1e-9).all()), "the probabilities of a chance group do not sum to 1")


def _check_families(arrays: Arrays, names: int) -> None:
    """Check that families are in the order of their first groups, whose outcomes must be listed, alike and counted."""
    family, apart = arrays["group_family"], arrays["family_apart"]
    need(len(apart) == names, "the families of chance nodes are not all named")
    need(bool(((apart >= 0) & (apart <= 1)).all()), "the distance of a family of chance nodes is not between 0 and 1")
    need(_within(family, NONE, names), "a chance group belongs to a family that does not exist")
    member = family != NONE
    wrong = arrays["group_open"] | arrays["group_known"]
    need(not (wrong & member).any(), "a chance group with a family has unlisted outcomes or known odds")
    first = np.full(names, len(family), np.int64)
    np.minimum.at(first, family[member], np.flatnonzero(member))
    need(bool((first < len(family)).all()), "a family of chance nodes has no group")
    need(bool((np.diff(first) > 0).all()), "the families of chance nodes are not in the order of their first groups")
    size = arrays["group_size"]
    need(np.array_equal(size[member], size[first[family[member]]]), "two groups of a family have different outcomes")


_GROUP = ("size", "index", "samples", "open", "known")


def _check_keys(arrays: Arrays, keys: int) -> None:
    """Check that a group without a name has one node, and that each name has one group, in the order of discovery."""
    code, group = arrays["group_key"][:, 0], arrays["group_key"][:, 1]
    need(np.array_equal(code, np.arange(keys)), "the chance groups are not named in order")
    need(_within(group, 0, len(arrays["group_size"])), "a name belongs to no chance group")
    need(bool((np.diff(group) > 0).all()), "the names of chance groups are not in the order of the groups")
    nodes = np.bincount(arrays["node_group"][arrays["node_kind"] == CHANCE], minlength=len(arrays["group_size"]))
    need(bool((nodes >= 1).all()), "a chance group has no node")
    alone = np.ones(len(nodes), bool)
    alone[group] = False
    need(bool((nodes[alone] == 1).all()), "chance nodes share a group that has no name")


def _check_kinds(arrays: Arrays, seats: int) -> np.ndarray:
    """Return how many children each node has from its first one on: 0 for leaves, ends and open chance nodes."""
    kind, group = arrays["node_kind"], arrays["node_group"]
    need(len(kind) >= 1 and _within(kind, LEAF, CHOICE + 1), "a node is of no known kind")
    need(np.array_equal(group != NONE, kind == CHANCE), "a chance node has no group, or another node has one")
    need(_within(group, NONE, len(arrays["group_size"])), "a chance node belongs to no group")
    joint, movers = np.ones(len(kind), object), np.zeros(len(kind), bool)  # whole numbers of any size
    for player in range(seats):
        number = arrays[f"node_set{player}"]
        sizes = arrays[f"set{player}_size"]
        need(_within(number, NONE, len(sizes)), "a node belongs to no information set")
        moves = number != NONE
        joint[moves] *= sizes[number[moves]].astype(object)
        movers |= moves
    need(np.array_equal(movers, kind == CHOICE), "no player moves at a choice, or a player moves at another node")
    listed = np.zeros(len(kind), bool)
    listed[kind == CHANCE] = ~arrays["group_open"][group[kind == CHANCE]]
    joint[kind != CHOICE] = 0
    joint[listed] = arrays["group_size"][group[listed]].astype(object)
    need(sum(joint) < len(kind), "a child of a node is missing")
    return joint.astype(np.int64)


def _check_children(arrays: Arrays, many: np.ndarray) -> np.ndarray:
    """Reject a node that is not the one child of its move. Return which nodes came one by one (`late`)."""
    parent, move, first, kind = (arrays[f"node_{name}"] for name in ("parent", "move", "first", "kind"))
    nodes = len(parent)
    need(parent[0] == NONE and move[0] == 0, "the first node is not a root")
    need(bool(((parent[1:] >= 0) & (parent[1:] < np.arange(1, nodes))).all()), "a node precedes its parent")
    need(np.array_equal(first != NONE, many > 0), "a node has a first child and should have none, or lacks one")
    owners = np.repeat(np.arange(nodes), many)
    children = first.astype(np.int64)[owners] + _places(many)
    need(_within(children, 1, nodes), "a child of a node is missing")
    need(np.array_equal(parent[children], owners), "a node is not among the children of its parent")
    need(np.array_equal(move[children], _places(many)), "the children of a node are not in the order of their moves")
    late = np.ones(nodes, bool)
    late[0] = False
    late[children] = False
    need(int(late.sum()) + len(children) + 1 == nodes, "a node is the child of two moves")
    above = parent[late]
    need(bool((kind[above] == CHANCE).all()), "a node follows no move")
    need(bool(arrays["group_open"][arrays["node_group"][above]].all()), "a node follows no outcome that is listed")
    return late


def _check_outcomes(arrays: Arrays, late: np.ndarray) -> None:
    """Check that a child of chance is counted at its own outcome in its parent's group, and that no other node is."""
    parent, move, slot, kind = (arrays[f"node_{name}"] for name in ("parent", "move", "slot", "kind"))
    above = np.append(False, kind[parent[1:]] == CHANCE)
    need(np.array_equal(slot != NONE, above), "a child of chance has no outcome, or another node has one")
    need(_within(slot, NONE, len(arrays["slot_group"])), "a node has an outcome that does not exist")
    group = arrays["node_group"][parent[above]]
    need(np.array_equal(arrays["slot_group"][slot[above]], group), "an outcome is counted in another group")
    listed = above & ~late
    need(
        np.array_equal(arrays["slot_outcome"][slot[listed]], move[listed]),
        "an outcome is counted at the place of another outcome",
    )
    need(np.array_equal(slot[late], move[late]), "an outcome of an open group has another number than its place")
    pairs = set(zip(parent[late].tolist(), slot[late].tolist(), strict=True))
    need(len(pairs) == int(late.sum()), "an outcome leads to two nodes")


def _check_sequences(arrays: Arrays, player: int, seats: int) -> None:
    """Check that a player's sequence at each node follows from its sets and the moves, and agrees with the sets."""
    parent, move, mine = arrays["node_parent"], arrays["node_move"], arrays[f"node_sequence{player}"]
    number, first, size = arrays[f"node_set{player}"], arrays[f"set{player}_first"], arrays[f"set{player}_size"]
    need(mine[0] == 0, f"player {player} has done something before the root")
    above = parent[1:]
    left, moved = move[1:].astype(np.int64), number[above] != NONE
    for other in range(seats - 1, player, -1):  # the last mover's choices run fastest
        theirs = arrays[f"node_set{other}"][above]
        acts = theirs != NONE
        left[acts] //= arrays[f"set{other}_size"][theirs[acts]]
    sequence = mine[above].astype(np.int64)
    sets = number[above][moved]
    sequence[moved] = first[sets] + left[moved] % size[sets]
    need(np.array_equal(mine[1:], sequence), f"a node follows another sequence of player {player} than it says")
    here = number != NONE
    need(
        np.array_equal(arrays[f"set{player}_parent"][number[here]], mine[here]),
        f"player {player} has forgotten what it did: an information set holds nodes after different actions",
    )


def _check_gains(arrays: Arrays, number: str, late: np.ndarray) -> None:
    """Check bounds and gains: finite, and at a leaf those of its parent unless the box stated its gain beforehand."""
    kind, parent = arrays["node_kind"], arrays["node_parent"]
    low, high, gain = (arrays[f"node_{name}{number}"] for name in ("low", "high", "gain"))
    need(bool(np.isfinite(low).all() and np.isfinite(high).all()), "a bound is not a finite number")
    need(bool((low <= high).all()), "a lower bound is above an upper one")
    need(bool(np.isfinite(gain[kind != LEAF]).all() and not np.isinf(gain).any()), "a gain is not a finite number")
    over = kind == END
    need(not low[over].any() and not high[over].any(), "something is gained after the end of play")
    told = (kind == LEAF) & ~np.isnan(gain)
    need(not told[late].any() and not told[0], "a gain is stated for a node that the box could not know beforehand")
    leaf = (kind == LEAF) & ~told
    leaf[0] = False
    same = (low[leaf] == low[parent[leaf]]) & (high[leaf] == high[parent[leaf]])
    need(bool(same.all()), "a node that was never visited has other bounds than its parent")
    own = np.where(kind == LEAF, 0.0, gain)[1:]
    above = parent[1:]
    largest = np.max([np.ones(len(above)), *(abs(side[above]) for side in (low, high)), abs(own)], axis=0)
    inside = (own + low[1:] >= low[above] - SLACK * largest) & (own + high[1:] <= high[above] + SLACK * largest)
    need(bool(inside.all()), "a utility leaves its bounds")


def _check_used(arrays: Arrays, seats: int, names: dict[str, int]) -> None:
    """Check that everything that is listed is used: sets have nodes, menus have sets, names name something."""
    for player in range(seats):
        met = np.unique(arrays[f"node_set{player}"])
        need(len(met[met != NONE]) == len(arrays[f"set{player}_parent"]), f"a set of player {player} has no node")
    late = arrays["group_open"][arrays["slot_group"]]
    used = {
        "observations": [arrays[f"set{player}_observation"] for player in range(seats)],
        "actions": [arrays["menu_action"]],
        "outcomes": [arrays["slot_outcome"][late]],
    }
    for part, codes in used.items():
        need(len(np.unique(np.concatenate(codes))) == names[part], f"some of the {part} that are named are not used")
    menus = np.unique(np.concatenate([arrays[f"set{player}_menu"] for player in range(seats)]))
    need(len(menus) == len(arrays["menu_size"]), "a menu belongs to no information set")
    slots = np.unique(arrays["node_slot"])
    need(len(slots[slots != NONE]) == len(arrays["slot_group"]), "an outcome leads nowhere")
