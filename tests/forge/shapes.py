"""Mutations of the tree and of information sets: each knows what it changes, and says so; None where it cannot."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.forge import edits
from tests.forge.auditor import CHANCE, CHOICE, END, LEAF, NONE, numbers_of, seats_of
from tests.forge.kit import Forged

Mutation = Callable[[random.Random, Forged], str | None]


def siblings(draw: random.Random, forged: Forged, kind: int | None = None) -> tuple[int, int] | None:
    """Return two children of one node, of a kind where one is named."""
    parents = [
        node
        for node in edits.nodes_of(forged, *((CHANCE, CHOICE) if kind is None else (kind,)))
        if len(edits.children_of(forged, node)) > 1
    ]
    if not parents:
        return None
    one, other = draw.sample(edits.children_of(forged, draw.choice(parents)), 2)
    return one, other


def copy_move(draw: random.Random, forged: Forged) -> str | None:
    """A node gets its sibling's move; its slot may go with it."""
    pair = siblings(draw, forged)
    if pair is None:
        return None
    one, other = pair
    names = draw.choice([("move",), ("slot",), ("move", "slot")])
    for name in names:
        forged.arrays[f"node_{name}"][one] = forged.arrays[f"node_{name}"][other]
    return f"{names} of node {one} as of {other}"


def swap_siblings(draw: random.Random, forged: Forged) -> str | None:
    """Two children of one node exchange a column, or all that comes after them."""
    pair = siblings(draw, forged)
    if pair is None:
        return None
    one, other = pair
    columns = sorted(name for name in forged.arrays if name.startswith("node_"))
    chosen = draw.choice([["node_move"], ["node_slot"], ["node_move", "node_slot"], [draw.choice(columns)], ["below"]])
    if chosen == ["below"]:
        parent = forged.arrays["node_parent"]
        mine, yours = parent == one, parent == other
        if (one < other and np.any(np.flatnonzero(mine) < other)) or (
            one > other and np.any(np.flatnonzero(yours) < one)
        ):
            return None
        parent[mine], parent[yours] = other, one
        chosen = [name for name in columns if name not in ("node_parent", "node_move", "node_slot")]
    for name in chosen:
        forged.arrays[name][[one, other]] = forged.arrays[name][[other, one]]
    return f"{chosen} of nodes {one} and {other} swapped"


def swap_nodes(draw: random.Random, forged: Forged) -> str | None:
    """Two nodes anywhere exchange a column."""
    nodes = edits.nodes_of(forged)
    if len(nodes) < 2:
        return None
    one, other = draw.sample(nodes, 2)
    name = draw.choice(sorted(name for name in forged.arrays if name.startswith("node_")))
    forged.arrays[name][[one, other]] = forged.arrays[name][[other, one]]
    return f"{name} of nodes {one} and {other} swapped"


def number_of_node(draw: random.Random, forged: Forged) -> str | None:
    """One number of one node becomes another one."""
    name = draw.choice(["move", "slot", "group", "set0", "set1", "kind", "first", "sequence0", "sequence1", "parent"])
    column = forged.arrays[f"node_{name}"]
    node = draw.randrange(len(column))
    column[node] = draw.choice([NONE, 0, 1, 2, 3, int(column[draw.randrange(len(column))]), int(column[node]) + 1])
    return f"node_{name} of {node} is {column[node]}"


def narrow(draw: random.Random, forged: Forged) -> str | None:
    """The bounds of a node become narrower: a point, a half, what a sibling has, or nothing."""
    number = draw.choice(numbers_of(forged))
    low, high = forged.arrays[f"node_low{number}"], forged.arrays[f"node_high{number}"]
    nodes = edits.nodes_of(forged, *draw.choice([(LEAF,), (LEAF,), (CHANCE, CHOICE)]))
    if not nodes:
        return None
    for node in draw.sample(nodes, min(len(nodes), draw.choice([1, 1, 2, len(nodes)]))):
        share = draw.choice([0.0, 0.25, 0.5, 1.0])
        least, most = float(low[node]), float(high[node])
        low[node] = least + share * (most - least) * draw.choice([0, 1, 1])
        high[node] = max(float(low[node]), most - (1 - share) * (most - least) * draw.choice([0, 1, 1]))
    return f"bounds{number} narrowed"


def gain_of_node(draw: random.Random, forged: Forged) -> str | None:
    """A gain becomes larger, smaller, or that of another node."""
    number = draw.choice(numbers_of(forged))
    column = forged.arrays[f"node_gain{number}"]
    node = draw.choice(edits.nodes_of(forged, *draw.choice([(END,), (CHANCE, CHOICE), (LEAF,), ()])) or [0])
    others = [float(gain) for gain in column if gain == gain] or [0.0]
    column[node] = draw.choice([draw.choice(others), column[node] + 1.0, column[node] - 1.0, 0.0])
    return f"node_gain{number} of {node} is {column[node]}"


def all_gains(draw: random.Random, forged: Forged) -> str | None:
    """All gains and bounds of a player become a share of what they were."""
    number, share = draw.choice(numbers_of(forged)), draw.choice([0.0, 0.1, 0.5, -1.0])
    for name in ("gain", "low", "high"):
        forged.arrays[f"node_{name}{number}"] *= share
    if share < 0:
        low, high = f"node_low{number}", f"node_high{number}"
        forged.arrays[low], forged.arrays[high] = forged.arrays[high], forged.arrays[low]
    return f"gains{number} times {share:g}"


def cut(draw: random.Random, forged: Forged) -> str | None:
    """A node becomes a leaf, or an end, and all that comes after it goes."""
    node = draw.choice(edits.nodes_of(forged, CHANCE, CHOICE) or [0])
    ends = draw.random() < 0.5
    edits.collapse(forged, node)
    if ends:
        forged.arrays["node_kind"][node] = END
    if draw.random() < 0.7:
        for number in numbers_of(forged):
            for name in ("low", "high"):
                forged.arrays[f"node_{name}{number}"][node] = 0.0
    return f"node {node} is {'an end' if ends else 'a leaf'}"


def drop_node(draw: random.Random, forged: Forged) -> str | None:
    """A node goes, with all that comes after it; its parent may have one action, or outcome, less."""
    nodes = edits.nodes_of(forged)[1:]
    if not nodes:
        return None
    node = draw.choice(nodes)
    gone = set(edits.below(forged, node))
    edits.keep_nodes(forged, [one for one in edits.nodes_of(forged) if one not in gone])
    return f"node {node} is gone"


def double_node(draw: random.Random, forged: Forged) -> str | None:
    """A node, with or without what comes after it, is there twice."""
    nodes = edits.nodes_of(forged)[1:]
    if not nodes:
        return None
    node = draw.choice(nodes)
    again = edits.below(forged, node) if draw.random() < 0.5 else [node]
    kept = edits.nodes_of(forged)
    last = len(kept)
    arrays = forged.arrays
    old = {one: last + k for k, one in enumerate(again)}
    parents = [old.get(int(arrays["node_parent"][one]), int(arrays["node_parent"][one])) for one in again]
    for name in [name for name in arrays if name.startswith("node_")]:
        arrays[name] = np.concatenate([arrays[name], arrays[name][again]])
    arrays["node_parent"][last:] = parents
    return f"node {node} is there twice"


def move_node(draw: random.Random, forged: Forged) -> str | None:
    """A node hangs below another one."""
    nodes = edits.nodes_of(forged)[1:]
    if not nodes:
        return None
    node = draw.choice(nodes)
    forged.arrays["node_parent"][node] = draw.randrange(node)
    return f"node {node} below {forged.arrays['node_parent'][node]}"


def _some_set(draw: random.Random, forged: Forged, many: int = 1) -> tuple[int, list[int]] | None:
    """Return a player and different sets of it."""
    players = [p for p in range(seats_of(forged)) if len(forged.arrays[f"set{p}_size"]) >= many]
    if not players:
        return None
    player = draw.choice(players)
    return player, draw.sample(range(len(forged.arrays[f"set{player}_size"])), many)


def merge_sets(draw: random.Random, forged: Forged) -> str | None:
    """Two sets of as many actions become one."""
    some = _some_set(draw, forged, 2)
    if some is None:
        return None
    player, (one, other) = some
    sizes = forged.arrays[f"set{player}_size"]
    if sizes[one] != sizes[other]:
        return None
    edits.drop_set(forged, player, max(one, other), min(one, other))
    return f"sets {one} and {other} of player {player} are one"


def split_set(draw: random.Random, forged: Forged) -> str | None:
    """A node leaves its set for a new one, as if the player could tell it apart, and plays something else there."""
    some = _some_set(draw, forged)
    if some is None:
        return None
    player, (like,) = some
    nodes = np.flatnonzero(forged.arrays[f"node_set{player}"] == like).tolist()
    size = int(forged.arrays[f"set{player}_size"][like])
    names = forged.facts["names"]["observations"]
    code = edits.add_name(forged, "observations", "'fog'") if draw.random() < 0.5 else draw.randrange(len(names))
    best = draw.randrange(size)
    new = edits.add_set(forged, player, like, code, [float(k == best) for k in range(size)])
    for node in draw.sample(nodes, draw.randint(1, len(nodes))) if nodes else []:
        forged.arrays[f"node_set{player}"][node] = new
    return f"set {like} of player {player} is two"


def swap_sets(draw: random.Random, forged: Forged) -> str | None:
    """Two sets of a player exchange a column."""
    some = _some_set(draw, forged, 2)
    if some is None:
        return None
    player, pair = some
    name = f"set{player}_{draw.choice(['observation', 'observation', 'menu', 'parent', 'size', 'first'])}"
    forged.arrays[name][pair] = forged.arrays[name][pair[::-1]]
    return f"{name} of {pair} swapped"


def number_of_set(draw: random.Random, forged: Forged) -> str | None:
    """One number of a set becomes another one."""
    some = _some_set(draw, forged)
    if some is None:
        return None
    player, (number,) = some
    name = f"set{player}_{draw.choice(['observation', 'menu', 'parent', 'size', 'first'])}"
    forged.arrays[name][number] = draw.choice([0, 1, 2, -1, int(forged.arrays[name][number]) + 1])
    return f"{name} of {number} is {forged.arrays[name][number]}"


def drop_action(draw: random.Random, forged: Forged) -> str | None:
    """A set has its last action no more; the nodes after it are gone."""
    some = _some_set(draw, forged)
    if some is None:
        return None
    player, (number,) = some
    arrays = forged.arrays
    size, first = (int(arrays[f"set{player}_{name}"][number]) for name in ("size", "first"))
    if size < 2:
        return None
    last = first + size - 1
    kept = [node for node in edits.nodes_of(forged) if int(arrays[f"node_sequence{player}"][node]) != last]
    edits.keep_nodes(forged, kept)
    arrays[f"set{player}_size"][number] -= 1
    for name in (f"set{player}_parent", f"node_sequence{player}"):
        arrays[name] = np.where(arrays[name] > last, arrays[name] - 1, arrays[name]).astype(np.int32)
    edits.renumber_sequences(forged, player)
    if f"strategy{player}" in arrays:
        arrays[f"strategy{player}"] = np.delete(arrays[f"strategy{player}"], last, axis=-1)
        part = arrays[f"strategy{player}"][..., first:last]
        part[...] = 1 / (size - 1)
    return f"set {number} of player {player} has an action less"


def pure(draw: random.Random, forged: Forged) -> str | None:
    """A player is sure what to do at some sets. That is no lie: the gap is then another one."""
    player = draw.randrange(int(forged.facts["players"]))
    plays = forged.arrays[f"strategy{player}"]
    for first, size in zip(*(forged.arrays[f"set{player}_{name}"].tolist() for name in ("first", "size")), strict=True):
        if draw.random() < 0.5 and first > 0 and first + size <= plays.shape[-1] and size > 0:
            plays[..., first : first + size] = 0.0
            plays[..., first + draw.randrange(size)] = 1.0
    return f"player {player} is sure"


def strategy(draw: random.Random, forged: Forged) -> str | None:
    """A strategy is no strategy: too large, negative, not a number, longer, or of another profile."""
    player = draw.randrange(int(forged.facts["players"]))
    name = f"strategy{player}"
    plays: Any = forged.arrays[name]
    kind = draw.choice(["place", "scale", "longer", "shorter", "root", "rows"])
    if kind == "place" and plays.shape[-1] > 1:
        plays[..., draw.randrange(1, plays.shape[-1])] = draw.choice([-1.0, 2.0, np.nan, np.inf, 1 + 1e-7, 1e-300, 0.0])
    elif kind == "scale":
        plays[..., 1:] *= draw.choice([1 - 1e-7, 1 + 1e-7, 0.5, 1e-9])
    elif kind == "longer":
        forged.arrays[name] = np.concatenate([plays, plays[..., -1:]], axis=-1)
    elif kind == "shorter":
        forged.arrays[name] = plays[..., :-1]
    elif kind == "root":
        plays[..., 0] = draw.choice([0.0, 2.0, -1.0])
    elif plays.ndim == 2:
        forged.arrays[name] = np.concatenate([plays, plays[:1]]) if draw.random() < 0.5 else plays[1:]
    return f"{name}: {kind}"


SHAPES: tuple[Mutation, ...] = (
    copy_move, swap_siblings, swap_nodes, number_of_node, narrow, gain_of_node, all_gains, cut, drop_node, double_node,
    move_node, merge_sets, split_set, swap_sets, number_of_set, drop_action, pure, strategy,
)  # fmt: skip
