"""Mutations of what was counted: slots, groups, odds, plays, failures."""

from __future__ import annotations

import random

import numpy as np

from tests.forge import edits
from tests.forge.auditor import CHANCE
from tests.forge.kit import Forged
from tests.forge.shapes import Mutation


def more_counts(draw: random.Random, forged: Forged) -> str | None:
    """Counts become more, fewer, or those of another slot."""
    counts, groups = forged.arrays["slot_count"], forged.arrays["slot_group"]
    if not len(counts):
        return None
    kind = draw.choice(["add", "times", "swap", "move", "none"])
    slot = draw.randrange(len(counts))
    mates = np.flatnonzero(groups == groups[slot]).tolist()
    other = draw.choice(mates)
    if kind == "add":
        counts[slot] += draw.choice([1, 10, 1000, 10**9, -1])
    elif kind == "times":
        counts *= draw.choice([2, 100, 10**6])
    elif kind == "swap":
        counts[[slot, other]] = counts[[other, slot]]
    elif kind == "move":
        counts[other] += counts[slot]
        counts[slot] -= counts[slot]
    else:
        counts[:] = 0
    np.add.at(samples := np.zeros(len(forged.arrays["group_samples"]), np.int64), groups, counts)
    if draw.random() < 0.9:
        forged.arrays["group_samples"] = samples
    return f"counts: {kind} {slot} {other}"


def number_of_slot(draw: random.Random, forged: Forged) -> str | None:
    """One number of a slot, or of a group, becomes another one."""
    name = draw.choice(["slot_group", "slot_outcome", "group_size", "group_index", "group_samples"])
    column = forged.arrays[name]
    if not len(column):
        return None
    place = draw.randrange(len(column))
    column[place] = draw.choice([0, 1, 2, -1, int(column[place]) + 1, int(column[place]) - 1])
    return f"{name} of {place} is {column[place]}"


def swap_slots(draw: random.Random, forged: Forged) -> str | None:
    """Two slots, or two groups, exchange a column, or all of them."""
    prefix = draw.choice(["slot_", "group_"])
    names = sorted(name for name in forged.arrays if name.startswith(prefix) and name != "group_key")
    if len(forged.arrays[names[0]]) < 2:
        return None
    pair = draw.sample(range(len(forged.arrays[names[0]])), 2)
    chosen = names if draw.random() < 0.3 else [draw.choice(names)]
    for name in chosen:
        forged.arrays[name][pair] = forged.arrays[name][pair[::-1]]
    return f"{chosen} of {pair} swapped"


def flags(draw: random.Random, forged: Forged) -> str | None:
    """A group is open and was not, or its odds are known and were not: they are its frequencies, or as one likes."""
    arrays = forged.arrays
    if not len(arrays["group_size"]):
        return None
    group = draw.randrange(len(arrays["group_size"]))
    own = np.flatnonzero(arrays["slot_group"] == group)
    if draw.random() < 0.4:
        arrays["group_open"][group] = not arrays["group_open"][group]
        return f"group {group} is {'open' if arrays['group_open'][group] else 'listed'}"
    if arrays["group_known"][group] and draw.random() < 0.4:
        arrays["group_known"][group], arrays["slot_odds"][own] = False, np.nan
        _number_groups(forged)
        return f"the odds of group {group} are not known"
    arrays["group_known"][group] = True
    weights = arrays["slot_count"][own].astype(np.float64)
    if draw.random() < 0.6 or not weights.sum():
        weights = np.array([draw.choice([0.0, 0.0, 1.0, 2.0]) for _ in own])
        weights[draw.randrange(len(own))] += 1.0
    arrays["slot_odds"][own] = weights / weights.sum()
    _number_groups(forged)
    return f"the odds of group {group} are {arrays['slot_odds'][own]}"


def _number_groups(forged: Forged) -> None:
    known = forged.arrays["group_known"]
    forged.arrays["group_index"] = np.where(known, 0, np.cumsum(~known)).astype(np.int32)


def odds(draw: random.Random, forged: Forged) -> str | None:
    """Known odds are swapped, moved, or no probabilities."""
    arrays = forged.arrays
    known = np.flatnonzero(arrays["group_known"]).tolist()
    if not known:
        return None
    own = np.flatnonzero(arrays["slot_group"] == draw.choice(known)).tolist()
    one, other = draw.choice(own), draw.choice(own)
    column = arrays["slot_odds"]
    kind = draw.choice(["swap", "move", "part", "above", "nothing"])
    if kind == "swap":
        column[[one, other]] = column[[other, one]]
    elif kind in ("move", "part"):
        moved = column[one] * (1.0 if kind == "move" else 0.125)
        column[one] -= moved
        column[other] += moved
    else:
        column[one] = 1.5 if kind == "above" else np.nan
    return f"odds: {kind} {one} {other}"


def merge_groups(draw: random.Random, forged: Forged) -> str | None:
    """Two groups of as many outcomes are counted together."""
    arrays = forged.arrays
    if len(arrays["group_size"]) < 2:
        return None
    one, other = sorted(draw.sample(range(len(arrays["group_size"])), 2))
    mine, yours = (np.flatnonzero(arrays["slot_group"] == group) for group in (one, other))
    if len(mine) != len(yours) or arrays["group_known"][one] != arrays["group_known"][other]:
        return None
    slots = {int(old): int(new) for old, new in zip(yours, mine, strict=True)}
    arrays["slot_count"][mine] += arrays["slot_count"][yours]
    kept = [slot for slot in range(len(arrays["slot_group"])) if slot not in slots]
    numbers = {slot: new for new, slot in enumerate(kept)} | {-1: -1}
    numbers |= {old: numbers[new] for old, new in slots.items()}
    for name in ("node_slot", "node_move"):
        late = [
            name == "node_slot" or (above >= 0 and bool(arrays["group_open"][arrays["node_group"][above]]))
            for above in arrays["node_parent"].tolist()
        ]
        column = arrays[name].tolist()
        arrays[name] = np.array(
            [numbers.get(c, c) if is_late else c for c, is_late in zip(column, late, strict=True)], np.int32
        )
    for name in [name for name in arrays if name.startswith("slot_")]:
        arrays[name] = arrays[name][kept]
    groups = {old: old - (old > other) for old in range(-1, len(arrays["group_size"]))} | {other: one}
    for name in ("node_group", "slot_group"):
        arrays[name] = np.array([groups[old] for old in arrays[name].tolist()], np.int32)
    for name in [name for name in arrays if name.startswith("group_") and name != "group_key"]:
        arrays[name] = np.delete(arrays[name], other)
    keys = [[code, groups[group]] for code, group in arrays["group_key"].tolist() if group != other]
    arrays["group_key"] = np.array(keys, np.int32).reshape(-1, 2)
    _number_groups(forged)
    return f"groups {one} and {other} are one"


def group_of_node(draw: random.Random, forged: Forged) -> str | None:
    """A chance node draws from another group, slot for slot."""
    nodes, arrays = edits.nodes_of(forged, CHANCE), forged.arrays
    if not nodes or len(arrays["group_size"]) < 2:
        return None
    node, group = draw.choice(nodes), draw.randrange(len(arrays["group_size"]))
    children = edits.children_of(forged, node)
    own = np.flatnonzero(arrays["slot_group"] == group)
    if len(own) < len(children):
        return None
    arrays["node_group"][node] = group
    arrays["node_slot"][children] = own[: len(children)]
    return f"node {node} is in group {group}"


def keys(draw: random.Random, forged: Forged) -> str | None:
    """The keys of groups are swapped, gone, or new."""
    column = forged.arrays["group_key"]
    kind = draw.choice(["swap", "drop", "add", "number"])
    if kind == "swap" and len(column) > 1:
        column[:2, 1] = column[1::-1, 1]
    elif kind == "drop":
        forged.arrays["group_key"] = column[1:]
    elif kind == "add" and len(forged.arrays["group_size"]):
        row = [edits.add_name(forged, "keys", "'fog'"), draw.randrange(len(forged.arrays["group_size"]))]
        forged.arrays["group_key"] = np.concatenate([column, np.array([row], np.int32)])
    elif len(column):
        column[draw.randrange(len(column)), draw.randrange(2)] = draw.choice([-1, 0, 1, 99])
    return f"keys: {kind}"


def failed(draw: random.Random, forged: Forged) -> str | None:
    """A play is said to have failed, or not to have."""
    rows = forged.arrays.get("failed", np.zeros((0, 2), np.int64)).tolist()
    kind = draw.choice(["add", "add", "drop", "deeper", "twice", "none"])
    if kind == "add" and len(forged.arrays["lengths"]):
        for _ in range(draw.choice([1, 3])):
            rows.append([draw.randint(1, len(forged.arrays["lengths"])), draw.randint(0, 3)])
        rows = sorted({t: [t, depth] for t, depth in rows}.values())
    elif rows and kind == "drop":
        rows.pop(draw.randrange(len(rows)))
    elif rows and kind == "deeper":
        rows[draw.randrange(len(rows))][draw.randrange(2)] += draw.choice([1, -1])
    elif rows and kind == "twice":
        rows.append(rows[-1])
    else:
        rows = []
    forged.arrays["failed"] = np.array(rows, np.int64).reshape(-1, 2)
    if not rows and draw.random() < 0.7:
        del forged.arrays["failed"]
    return f"failed: {kind}"


def plays(draw: random.Random, forged: Forged) -> str | None:
    """A play is swapped with another one, gone, there twice, longer, or has another action."""
    arrays = forged.arrays
    lengths = arrays["lengths"].tolist()
    if not lengths:
        return None
    parts = np.split(arrays["actions"], np.cumsum(lengths)[:-1])
    one, other = draw.randrange(len(parts)), draw.randrange(len(parts))
    kind = draw.choice(["swap", "drop", "twice", "action", "longer", "shift"])
    if kind == "swap":
        parts[one], parts[other] = parts[other], parts[one]
    elif kind == "drop":
        parts.pop()
    elif kind == "twice":
        parts.append(parts[one])
    elif kind == "action" and len(parts[one]):
        parts[one] = parts[one].copy()
        parts[one][draw.randrange(len(parts[one]))] = draw.choice([0, 1, 2, 255])
    elif kind == "longer":
        parts[one] = np.append(parts[one], np.array([0], parts[one].dtype))
    arrays["lengths"] = np.array([len(part) for part in parts], np.int32)
    arrays["actions"] = np.concatenate(parts).astype(arrays["actions"].dtype) if parts else arrays["actions"][:0]
    if kind == "shift" and len(parts) > 1:
        arrays["lengths"][one] += 1
        arrays["lengths"][other] -= 1
    return f"plays: {kind} {one} {other}"


COUNTS: tuple[Mutation, ...] = (
    more_counts, more_counts, number_of_slot, swap_slots, flags, odds, merge_groups, group_of_node, keys, failed, plays,
)  # fmt: skip
