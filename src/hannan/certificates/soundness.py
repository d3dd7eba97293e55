"""Checks of a trunk in a file, before any kernel reads it: all numbers must point to existing things."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.certificates.trunk import CHANCE, CHOICE, LEAF, NONE, Trunk
from hannan.errors import MismatchError

Arrays = Mapping[str, np.ndarray]

CLOSE = 1e-6
"""How far the sum of the probabilities at a set may be from 1."""

KEPT = re.compile(r"(?:plan|joint|response)[0-9]+_([0-9]+)")
"""The names of arrays with the strategies that playthroughs follow or that were kept, one player each."""


def check_names(names: Any) -> None:
    """Refuse names that are not four lists of different texts, or five if there are families of chance nodes."""
    for part in ("observations", "actions", "outcomes", "keys", *(["families"] if "families" in names else [])):
        texts = names[part]
        sound = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
        _demand(sound and len(set(texts)) == len(texts), f"its {part} are not named")


def check_trunk(trunk: Trunk, arrays: Arrays) -> None:
    """Refuse columns that do not fit together; menus and keys of groups are still in `arrays`."""
    sizes, actions, keys = arrays["menu_size"], arrays["menu_action"], arrays["group_key"]
    whole = all(array.dtype.kind == "i" for array in (sizes, actions, keys)) and sizes.ndim == actions.ndim == 1
    _demand(whole and keys.ndim == 2 and keys.shape[1] == 2, "its menus or groups are of another kind")
    _demand(_within(sizes, 1, len(actions)) and int(sizes.sum()) == len(actions), "its menus are not whole")
    _demand(_within(actions, 0, len(trunk.actions) - 1), "a menu names an action that is not there")
    _demand(
        _within(keys[:, 0], 0, len(trunk.keys) - 1) and _within(keys[:, 1], 0, trunk.groups.used - 1),
        "a key names a group that is not there",
    )
    _check_sets(trunk, sizes)
    _check_groups(trunk)
    _check_nodes(trunk)


def _check_sets(trunk: Trunk, menus: np.ndarray) -> None:
    for sets in trunk.sets:
        parent, seen, first, size, menu = (
            sets.rows.view(name).astype(np.int64) for name in ("parent", "observation", "first", "size", "menu")
        )
        _demand(_within(menu, 0, len(menus) - 1) and np.array_equal(size, menus[menu]), "a set has another menu")
        _demand(np.array_equal(first, 1 + np.cumsum(size) - size), "sequences do not follow one another")
        _demand(_within(seen, 0, len(trunk.observations) - 1), "a set shows what is not there")
        _demand(bool(np.all((parent >= 0) & (parent < first))), "a set comes before its parent")


def _check_groups(trunk: Trunk) -> None:
    size, index, samples, is_open, known = (
        trunk.groups.view(name) for name in ("size", "index", "samples", "open", "known")
    )
    owner, outcome, count, odds = (trunk.slots.view(name) for name in ("group", "outcome", "count", "odds"))
    groups = trunk.groups.used
    _demand(bool(np.all(size >= 1)) and _within(index, 0, groups), "a group has no outcomes")
    _demand(_within(owner, 0, groups - 1) and bool(np.all(count >= 0)), "an outcome belongs to no group")
    most = np.where(is_open[owner], len(trunk.outcomes), size[owner])
    _demand(bool(np.all((outcome >= 0) & (outcome < most))), "an outcome is not one of its group")
    listed = np.bincount(owner[~is_open[owner]], minlength=groups)
    _demand(bool(np.all(is_open | (listed == size))), "a group does not list its outcomes")
    first = np.flatnonzero(~is_open[owner] & (outcome == 0))
    lengths = size[owner[first]].astype(np.int64)
    inside = _inside(lengths)
    places = np.repeat(first, lengths) + inside
    whole = len(places) == int(listed.sum()) and bool(np.all(places < len(owner)))
    _demand(whole and np.array_equal(outcome[places], inside), "a group does not list its outcomes in a row")
    _demand(np.array_equal(owner[places], np.repeat(owner[first], lengths)), "outcomes of two groups are mixed")
    drawn = np.zeros(groups, np.int64)
    np.add.at(drawn, owner, count)
    _demand(np.array_equal(drawn, samples), "the counts of a group do not sum to its samples")
    stated = odds[known[owner]]
    _demand(bool(np.all((stated >= 0) & (stated <= 1))), "a known probability is not in [0, 1]")


def _check_nodes(trunk: Trunk) -> None:
    nodes, used = trunk.nodes, trunk.nodes.used
    parent, kind, first, group, slot = (nodes.view(name) for name in ("parent", "kind", "first", "group", "slot"))
    _demand(used >= 1 and parent[0] == NONE, "it has no root")
    _demand(bool(np.all((parent[1:] >= 0) & (parent[1:] < np.arange(1, used)))), "a node comes before its parent")
    _demand(_within(kind, LEAF, CHOICE), "a node is of no kind")
    _demand(bool(np.all((group != NONE) == (kind == CHANCE))), "a group is not where chance moves")
    _demand(_within(group, NONE, trunk.groups.used - 1) and _within(slot, NONE, trunk.slots.used - 1), "no such group")
    low, high, gain = nodes.view("low"), nodes.view("high"), nodes.view("gain")
    sound = np.isfinite(low) & np.isfinite(high) & (low <= high) & (np.isfinite(gain) | (kind == LEAF)[:, None])
    _demand(bool(np.all(sound)), "a gain or a bound is not a number")
    joint = np.ones(used)
    for p, sets in enumerate(trunk.sets):
        number, sequence = nodes.view("set")[:, p], nodes.view("sequence")[:, p]
        _demand(_within(number, NONE, sets.rows.used - 1), "a node belongs to a set that is not there")
        _demand(_within(sequence, 0, sets.sequences - 1), "a node is reached by a sequence that is not there")
        _demand(bool(np.all((number == NONE) | (kind == CHOICE))), "a player moves at a node that is not a choice")
        joint[number != NONE] *= sets.rows.view("size")[number[number != NONE]]
    closed = kind == CHANCE
    closed[closed] = ~trunk.groups.view("open")[group[closed]]
    many = np.where(kind == CHOICE, joint, 0.0)
    many[closed] = trunk.groups.view("size")[group[closed]]
    _demand(float(many.sum()) <= used - 1, "a node has children that are not there")
    lengths = many.astype(np.int64)
    owners = np.repeat(np.arange(used), lengths)
    children = first.astype(np.int64)[owners] + _inside(lengths)
    _demand(_within(children, 1, used - 1), "a node has children that are not there")
    _demand(np.array_equal(parent[children], owners), "a node has the children of another one")
    above = kind[parent[1:]]
    _demand(bool(np.all((slot[1:] != NONE) == (above == CHANCE))) and slot[0] == NONE, "an outcome is not counted")
    counted = 1 + np.flatnonzero(above == CHANCE)
    owner = trunk.slots.view("group")[slot[counted]]
    _demand(np.array_equal(owner, group[parent[counted]]), "an outcome is counted in another group")


def joint_strategies(trunk: Trunk, arrays: Arrays) -> list[list[np.ndarray]]:
    """Check all strategies in a file; return its profiles, of which one is drawn and played."""
    seats = [p for p in range(trunk.seats) if p < trunk.players or f"strategy{p}" in arrays]
    rows = [arrays[f"strategy{p}"] for p in seats]
    if rows[0].ndim == 1:
        rows = [row[None] for row in rows]
    many = len(rows[0])
    _demand(many >= 1 and all(row.ndim == 2 and len(row) == many for row in rows), "its profiles are not whole")
    joint = [[row[k] for row in rows] for k in range(many)]
    for strategies in joint:
        for player, strategy in enumerate(strategies):
            check_strategy(trunk, player, strategy)
    return joint


def check_strategy(trunk: Trunk, player: int, strategy: np.ndarray) -> None:
    """Refuse a strategy that is neither of this trunk nor of an earlier one with fewer sets."""
    ends = _ends(trunk, player)
    shaped = strategy.dtype == np.float64 and strategy.ndim == 1 and len(strategy) in ends
    _demand(shaped, "it holds a strategy of another size")
    sound = bool(np.all((strategy >= 0) & (strategy <= 1 + CLOSE))) and abs(strategy[0] - 1) <= CLOSE
    _demand(sound, "it holds a strategy with a number that is not a probability")
    first = ends[: int(np.searchsorted(ends, len(strategy)))]
    sums = np.add.reduceat(strategy, first) if len(first) else np.ones(0)
    _demand(bool(np.all(np.abs(sums - 1) <= CLOSE)), "the probabilities at a set do not sum to 1")


def _ends(trunk: Trunk, player: int) -> Any:
    """Return how many sequences a player had before its first set was met, after it, after its second, …"""
    return np.concatenate(([1], 1 + np.cumsum(trunk.sets[player].rows.view("size").astype(np.int64))))


def check_counts(arrays: Arrays) -> None:
    """Refuse a record of playthroughs whose lengths do not fit the actions."""
    actions, lengths = arrays["actions"], arrays["lengths"]
    whole = actions.dtype.kind == "u" and lengths.dtype == np.int32 and actions.ndim == lengths.ndim == 1
    _demand(whole and bool(np.all(lengths >= 0)), "its playthroughs are of another kind")
    _demand(int(lengths.sum(dtype=np.int64)) == len(actions), "its playthroughs have other actions")
    failed = arrays.get("failed", np.zeros((0, 2), np.int64))
    _demand(failed.dtype == np.int64 and failed.ndim == 2 and failed.shape[1] == 2, "its failures are of another kind")
    _demand(_within(failed[:, 0], 1, len(lengths)) and bool(np.all(failed[:, 1] >= 0)), "a failure came in no play")


def check_state(trunk: Trunk, arrays: Arrays) -> None:
    """Refuse a state of the next playthroughs and solves that does not fit this trunk."""
    for name, array in arrays.items():
        if (match := KEPT.fullmatch(name)) is not None:
            player = int(match[1])
            _demand(player < trunk.seats, f"{name} belongs to a player that does not exist")
            check_strategy(trunk, player, array)
    if "stride" in arrays:
        stride = arrays["stride"]
        whole = stride.dtype == np.int64 and stride.shape == (1,) and 1 <= int(stride[0]) < 2**53
        _demand(whole, "its iterates are no steps apart")
    state = {name[7:]: array for name, array in arrays.items() if name.startswith("method_")}
    if "averaged" in arrays:
        averaged = arrays["averaged"]
        _demand(averaged.dtype == np.int64 and averaged.shape == (2,), "its array averaged should be two whole numbers")
    if "frozen" in arrays:
        _check_minimizer(trunk, state, arrays["frozen"])
    else:
        _check_method(trunk, state)


def _check_minimizer(trunk: Trunk, state: Arrays, frozen: np.ndarray) -> None:
    """Refuse a state of regret minimisers that does not fit this trunk."""
    known, uncertainty, mark = state["known"], state["uncertainty"], state["mark"]
    sequences = [state[name] for name in ("strategy", "regret", "total", "baseline")]
    newer = [state[name] for name in ("rounds", "breadth", "owner") if name in state]
    sound = all(array.shape == (trunk.seats,) and array.dtype == np.int64 for array in (known, frozen))
    sound &= uncertainty.shape == (trunk.seats,) and not bool(np.isnan(uncertainty).any())
    sound &= all(array.ndim == 2 and array.dtype == np.float64 for array in (mark, *sequences, *newer[:2]))
    sound &= len(newer) in (0, 3) and all(array.dtype == np.int64 for array in newer[2:])
    _demand(sound, "the minimisers are of another kind")
    _demand(
        mark.shape[0] == trunk.seats
        and all(a.shape == (trunk.seats, sequences[0].shape[1]) for a in (*sequences, *newer)),
        "the minimisers are of another trunk",
    )
    _demand(
        all(bool(np.isfinite(array).all()) for array in (mark, *sequences[:3], *newer[:1])), "a regret is not a number"
    )
    _demand(not bool(np.isinf(sequences[3]).any()), "a baseline is not a number")
    for player, sets in enumerate(trunk.sets):
        ends = _ends(trunk, player)
        _demand(0 <= known[player] <= min(sets.rows.used, mark.shape[1]), "the minimisers are of another trunk")
        end = int(ends[int(known[player])])
        _demand(end <= sequences[0].shape[1], "the minimisers are of another trunk")
        _demand(int(frozen[player]) in ends and frozen[player] <= end, "the minimisers are of another trunk")
        check_strategy(trunk, player, np.ascontiguousarray(sequences[0][player, :end]))


def _check_method(trunk: Trunk, state: Arrays) -> None:
    """Refuse a state of a solve that does not fit this trunk."""
    for name, array in state.items():
        if name.startswith(("regret", "strategy")):
            most = trunk.sets[int(name[-1])].sequences
            shaped = array.dtype == np.float64 and array.ndim == 1 and 1 <= len(array) <= most
            _demand(shaped and bool(np.isfinite(array).all()), f"{name} is not what a solve goes on from")
        if name.startswith("strategy"):
            check_strategy(trunk, int(name[-1]), array)
        if name.startswith("shape"):
            side = name[len("shape") :]
            _check_basis(trunk, array, state[f"columns{side}"], state[f"rows{side}"])


def _check_basis(trunk: Trunk, shape: np.ndarray, columns: np.ndarray, rows: np.ndarray) -> None:
    whole = trunk.seats == 2 and shape.dtype == np.int64 and shape.shape == (4,)
    _demand(whole, "the basis of a solve is of another kind")
    mine, theirs, sets0, sets1 = shape.tolist()
    for sequences, sets, own in ((mine, sets0, trunk.sets[0]), (theirs, sets1, trunk.sets[1])):
        sizes = own.rows.view("size").astype(np.int64)
        _demand(0 <= sets <= len(sizes) and sequences == 1 + int(sizes[:sets].sum()), "the basis is of another trunk")
    for places, length in ((columns, mine + sets1), (rows, sets0 + theirs - 1)):
        sound = places.dtype == np.int8 and places.shape == (length,) and _within(places, 0, 4)
        _demand(sound, "the basis of a solve is not whole")


def _inside(lengths: np.ndarray) -> Any:
    """Return 0, 1, … within each of consecutive blocks of the given lengths."""
    return np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _within(array: np.ndarray, low: int, high: int) -> bool:
    return bool(np.all((array >= low) & (array <= high)))


def _demand(sound: bool, sentence: str) -> None:
    if not sound:
        raise MismatchError(f"the trunk in the file is not sound: {sentence}")
