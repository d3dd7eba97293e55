"""Larger edits of an open certificate that leave the rest of it consistent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.forge.auditor import CHANCE, CHOICE, LEAF, NONE, seats_of
from tests.forge.kit import Forged


def nodes_of(forged: Forged, *kinds: int) -> list[int]:
    """Return the nodes of some kinds; all nodes where none is named."""
    kind = forged.arrays["node_kind"].tolist()
    return [node for node, word in enumerate(kind) if not kinds or word in kinds]


def children_of(forged: Forged, node: int) -> list[int]:
    """Return the children of a node."""
    return np.flatnonzero(forged.arrays["node_parent"] == node).tolist()


def below(forged: Forged, node: int) -> list[int]:
    """Return a node and all that comes after it; refuse a node that comes after itself."""
    result = [node]
    for one in result:
        result += children_of(forged, one)
        if len(result) > len(forged.arrays["node_parent"]):
            raise ValueError(f"node {node} comes after itself")
    return result


def keep_nodes(forged: Forged, kept: list[int]) -> None:
    """Keep these nodes, in this order, and renumber what points to them."""
    arrays = forged.arrays
    number = {old: new for new, old in reversed(list(enumerate(kept)))}
    for name in [name for name in arrays if name.startswith("node_")]:
        arrays[name] = arrays[name][kept]
    for name in ("node_parent", "node_first"):
        arrays[name] = np.array([number.get(old, NONE) for old in arrays[name].tolist()], arrays[name].dtype)


def drop_below(forged: Forged, node: int) -> None:
    """Drop all that comes after a node."""
    gone = set(below(forged, node)[1:])
    keep_nodes(forged, [one for one in nodes_of(forged) if one not in gone])


def collapse(forged: Forged, node: int) -> None:
    """Make a leaf of a node."""
    arrays = forged.arrays
    arrays["node_kind"][node], arrays["node_group"][node], arrays["node_first"][node] = LEAF, NONE, NONE
    for player in range(seats_of(forged)):
        arrays[f"node_set{player}"][node] = NONE
    drop_below(forged, node)


def drop_set(forged: Forged, player: int, gone: int, instead: int | None) -> None:
    """Drop a set; what came after it comes after another set of as many actions, or after nothing."""
    arrays = forged.arrays
    firsts, sizes = (arrays[f"set{player}_{name}"].tolist() for name in ("first", "size"))
    kept = [number for number in range(len(sizes)) if number != gone]
    places, following = {0: 0}, 1
    for number in kept:
        for k in range(sizes[number]):
            places[firsts[number] + k] = following + k
        following += sizes[number]
    for k in range(sizes[gone]):
        places[firsts[gone] + k] = 0 if instead is None else places[firsts[instead] + k]
    lost = list(range(firsts[gone], firsts[gone] + sizes[gone]))
    for name in (f"set{player}_parent", f"node_sequence{player}"):
        arrays[name] = np.array([places.get(old, 0) for old in arrays[name].tolist()], arrays[name].dtype)
    numbers = {number: new for new, number in enumerate(kept)}
    numbers |= {NONE: NONE, gone: NONE if instead is None else numbers[instead]}
    column = arrays[f"node_set{player}"]
    arrays[f"node_set{player}"] = np.array([numbers[old] for old in column.tolist()], column.dtype)
    for name in ("parent", "observation", "first", "size", "menu"):
        arrays[f"set{player}_{name}"] = arrays[f"set{player}_{name}"][kept]
    if f"strategy{player}" in arrays:
        arrays[f"strategy{player}"] = np.delete(arrays[f"strategy{player}"], lost, axis=-1)
    renumber_sequences(forged, player)


def renumber_sequences(forged: Forged, player: int) -> None:
    """Let the sequences of sets follow one another."""
    sizes = forged.arrays[f"set{player}_size"]
    forged.arrays[f"set{player}_first"] = (1 + np.cumsum(sizes) - sizes).astype(np.int32)


def add_set(forged: Forged, player: int, like: int, observation: int, plays: list[float]) -> int:
    """Add a set like another one, with another observation, and return its number."""
    arrays = forged.arrays
    for name in ("parent", "observation", "first", "size", "menu"):
        column = arrays[f"set{player}_{name}"]
        arrays[f"set{player}_{name}"] = np.append(column, column[like])
    arrays[f"set{player}_observation"][-1] = observation
    renumber_sequences(forged, player)
    name = f"strategy{player}"
    if name in arrays:
        more = np.broadcast_to(np.array(plays), (*arrays[name].shape[:-1], len(plays)))
        arrays[name] = np.concatenate([arrays[name], more], axis=-1)
    return len(arrays[f"set{player}_size"]) - 1


def add_name(forged: Forged, kind: str, text: str) -> int:
    """Add a name, and return its number."""
    forged.facts["names"][kind].append(text)
    return len(forged.facts["names"][kind]) - 1


def repair(forged: Forged) -> None:
    """Compute anew what follows from the rest: sequences, first children, samples, and facts that count things."""
    arrays, facts = forged.arrays, forged.facts
    parent, kind = arrays["node_parent"].tolist(), arrays["node_kind"].tolist()
    seats = seats_of(forged)
    own: list[list[int]] = [[0] * seats for _ in parent]
    children: list[list[int]] = [[] for _ in parent]
    sets = [arrays[f"node_set{player}"].tolist() for player in range(seats)]
    parts = [[arrays[f"set{player}_{name}"].tolist() for name in ("first", "size")] for player in range(seats)]
    for node in range(1, len(parent)):
        above = parent[node]
        children[above].append(node)
        own[node] = list(own[above])
        if kind[above] == CHOICE:
            left: Any = int(arrays["node_move"][node])
            for player in reversed(range(seats)):
                if sets[player][above] != NONE:
                    first, size = (part[sets[player][above]] for part in parts[player])
                    own[node][player] = first + left % size
                    left //= size
    for player in range(seats):
        arrays[f"node_sequence{player}"] = np.array([row[player] for row in own], np.int32)
    is_open = arrays["group_open"].tolist()
    listed = [
        kind[node] == CHOICE or (kind[node] == CHANCE and not is_open[arrays["node_group"][node]])
        for node in range(len(kind))
    ]
    firsts = [below[0] if below and has else NONE for below, has in zip(children, listed, strict=True)]
    arrays["node_first"] = np.array(firsts, np.int32)
    samples = np.zeros(len(is_open), np.int64)
    np.add.at(samples, arrays["slot_group"], arrays["slot_count"])
    arrays["group_samples"] = samples
    facts |= {"trunk": len(kind), "expanded": len(kind) - kind.count(LEAF), "playthroughs": len(arrays["lengths"])}
    facts["failures"] = len(arrays.get("failed", ()))
