"""An auditor of certificate files who shares no code with the verifier: is it a trunk, and what follows from it?

`audited` refuses whatever the library would not have written: types, lengths, and every relation between columns.
What a box alone can tell (which counts, bounds, groups and names are true) is believed.
"""

from __future__ import annotations

from math import isfinite, prod
from typing import Any

import numpy as np

from tests.forge.kit import Forged

LEAF, END, CHANCE, CHOICE = range(4)
NONE = -1


class UnsoundError(Exception):
    """A file that no certification writes: why."""


def _demand(sound: Any, why: str) -> None:
    if not sound:
        raise UnsoundError(why)


def audited(forged: Forged) -> None:
    """Refuse what is no certificate of a trunk."""
    try:
        _demand(not forged.twice, "an array is there twice")
        columns = _columns(forged)
        _check_names(forged)
        _check_sets(forged, columns)
        _check_groups(forged, columns)
        _check_nodes(forged, columns)
        _check_plays(forged)
        _check_strategies(forged)
        _check_rounds(forged)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise UnsoundError(f"{type(error).__name__}: {error}") from error


def seats_of(forged: Forged) -> int:
    """Return how many players have columns: one alone has an idle one beside it."""
    return max(int(forged.facts["players"]), 2)


def numbers_of(forged: Forged) -> list[str]:
    """Return what the names of columns of gains end with: nothing where gains are zero-sum, else a player."""
    players = int(forged.facts["players"])
    return [""] if "node_gain" in forged.arrays else [str(player) for player in range(players)]


def _columns(forged: Forged) -> dict[str, list[Any]]:
    """Return the columns as lists; each must have its type and length, and no other array may be there."""
    facts, arrays = forged.facts, forged.arrays
    players, seats = facts["players"], seats_of(forged)
    _demand(type(players) is int and players >= 1, "players are no number")
    correlated = forged.correlated
    _demand(players <= 2 or "node_gain" not in arrays, "gains of some players are missing")
    _demand(correlated or "node_gain" in arrays, "a Nash gap of gains that are not zero-sum")
    wanted: dict[str, tuple[str, int]] = {
        "node_parent": ("i4", 1), "node_move": ("i4", 1), "node_kind": ("i1", 1), "node_first": ("i4", 1),
        "node_group": ("i4", 1), "node_slot": ("i4", 1), "group_size": ("i4", 1), "group_index": ("i4", 1),
        "group_samples": ("i8", 1), "group_open": ("?", 1), "group_known": ("?", 1), "group_key": ("i4", 2),
        "slot_group": ("i4", 1), "slot_outcome": ("i4", 1), "slot_count": ("i8", 1), "slot_odds": ("f8", 1),
        "menu_size": ("i4", 1), "menu_action": ("i4", 1), "lengths": ("i4", 1),
    }  # fmt: skip
    for number in numbers_of(forged):
        wanted |= {f"node_{name}{number}": ("f8", 1) for name in ("gain", "low", "high")}
    for player in range(seats):
        wanted |= {f"node_set{player}": ("i4", 1), f"node_sequence{player}": ("i4", 1)}
        wanted |= {f"set{player}_{name}": ("i4", 1) for name in ("parent", "observation", "first", "size", "menu")}
    strategies = range(players) if correlated else range(seats)
    wanted |= {f"strategy{player}": ("f8", 2 if correlated else 1) for player in strategies}
    if facts.get("rounds") is not None:
        wanted |= {f"rounds{player}": ("f8", 1) for player in range(players)}
    for name, (kind, sides) in wanted.items():
        _demand(arrays[name].dtype == np.dtype(kind) and arrays[name].ndim == sides, f"{name} is of another type")
    _demand(arrays["actions"].dtype in ("u1", "u2", "u4") and arrays["actions"].ndim == 1, "actions of another type")
    if "failed" in arrays:
        failed = arrays["failed"]
        _demand(failed.dtype == np.int64 and failed.ndim == 2 and failed.shape[1] == 2, "failed is of another type")
    _demand(arrays.keys() <= wanted.keys() | {"actions", "failed"}, "there is an array too many")
    for prefix in ("node_", "slot_", "group_", *(f"set{player}_" for player in range(seats))):
        lengths = {len(arrays[name]) for name in wanted if name.startswith(prefix) and name != "group_key"}
        _demand(len(lengths) == 1, f"columns of {prefix} differ in length")
    return {name: array.tolist() for name, array in arrays.items()}


def _check_names(forged: Forged) -> None:
    names = forged.facts["names"]
    _demand(set(names) == {"observations", "actions", "outcomes", "keys"}, "other names")
    for texts in names.values():
        _demand(isinstance(texts, list) and all(type(text) is str for text in texts), "a name is no text")
        _demand(len(set(texts)) == len(texts), "two things have one name")


def _check_sets(forged: Forged, columns: dict[str, list[Any]]) -> None:
    names = forged.facts["names"]
    _demand(all(size >= 1 for size in columns["menu_size"]), "an empty menu")
    _demand(sum(columns["menu_size"]) == len(columns["menu_action"]), "menus are not whole")
    menus, end = [], 0
    for size in columns["menu_size"]:
        menus.append(tuple(columns["menu_action"][end : end + size]))
        end += size
    _demand(len(set(menus)) == len(menus) and all(len(set(menu)) == len(menu) for menu in menus), "menus alike")
    _demand(all(0 <= code < len(names["actions"]) for menu in menus for code in menu), "an action without a name")
    for player in range(seats_of(forged)):
        parts = [columns[f"set{player}_{name}"] for name in ("parent", "observation", "first", "size", "menu")]
        following = 1
        for parent, seen, first, size, menu in zip(*parts, strict=True):
            _demand(0 <= menu < len(menus) and size == len(menus[menu]), "a set has another menu")
            _demand(first == following and 0 <= parent < first, "sequences do not follow one another")
            _demand(0 <= seen < len(names["observations"]), "an observation without a name")
            following += size
        _demand(len(set(zip(parts[0], parts[1], strict=True))) == len(parts[0]), "two sets alike")


def _check_groups(forged: Forged, columns: dict[str, list[Any]]) -> None:
    names, known = forged.facts["names"], columns["group_known"]
    slots: list[list[int]] = [[] for _ in known]
    for slot, (group, count, odds) in enumerate(
        zip(columns["slot_group"], columns["slot_count"], columns["slot_odds"], strict=True)
    ):
        _demand(0 <= group < len(known) and count >= 0, "a slot without a group, or a count below 0")
        _demand(0.0 <= odds <= 1.0 if known[group] else odds != odds, "odds that are none, or that nobody knows")
        slots[group].append(slot)
    index = 0
    for group, own in enumerate(slots):
        size, is_open = columns["group_size"][group], columns["group_open"][group]
        outcomes = [columns["slot_outcome"][slot] for slot in own]
        index += not known[group]
        _demand(size >= 1 and columns["group_index"][group] == (0 if known[group] else index), "groups out of order")
        _demand(columns["group_samples"][group] == sum(columns["slot_count"][slot] for slot in own), "samples")
        if is_open:
            _demand(not known[group] and len(own) <= size and len(set(outcomes)) == len(own), "outcomes of a group")
            _demand(all(0 <= code < len(names["outcomes"]) for code in outcomes), "an outcome without a name")
        else:
            _demand(outcomes == list(range(size)) and own == list(range(own[0], own[0] + size)), "outcomes in a row")
            if known[group]:
                _demand(abs(sum(columns["slot_odds"][slot] for slot in own) - 1) <= 1e-6, "odds do not sum to 1")
    codes, groups = [code for code, _ in columns["group_key"]], [group for _, group in columns["group_key"]]
    _demand(len(set(codes)) == len(codes) and len(set(groups)) == len(groups), "a key of two groups")
    _demand(all(0 <= code < len(names["keys"]) for code in codes), "a key without a name")
    _demand(all(0 <= group < len(known) for group in groups), "a key of no group")


def _check_nodes(forged: Forged, columns: dict[str, list[Any]]) -> None:
    players, seats = forged.facts["players"], seats_of(forged)
    parent, kind, move, first = (columns[f"node_{name}"] for name in ("parent", "kind", "move", "first"))
    slot, groups = columns["node_slot"], columns["node_group"]
    _demand(parent[0] == NONE and move[0] == 0 and slot[0] == NONE, "no root")
    children: list[list[int]] = [[] for _ in parent]
    for node in range(1, len(parent)):
        _demand(0 <= parent[node] < node, "a node before its parent")
        children[parent[node]].append(node)
    used: list[set[int]] = [set() for _ in range(seats)]
    drawn: set[int] = set()
    for node, below in enumerate(children):
        sets = [columns[f"node_set{player}"][node] for player in range(seats)]
        here = [player for player in range(seats) if sets[player] != NONE]
        own = [columns[f"node_sequence{player}"][node] for player in range(seats)]
        if node == 0:
            _demand(own == [0] * seats, "the root comes after a move")
        _check_bounds(forged, columns, node)
        _demand(kind[node] in (LEAF, END, CHANCE, CHOICE), "a node of no kind")
        _demand((groups[node] != NONE) == (kind[node] == CHANCE), "a group where chance does not move")
        _demand(bool(here) == (kind[node] == CHOICE) and max(here, default=0) < players, "somebody moves, or nobody")
        moves = [move[child] for child in below]
        after = [[own[player]] * len(below) for player in range(seats)]
        if kind[node] == CHOICE:
            sizes = []
            for player in here:
                _demand(0 <= sets[player] < len(columns[f"set{player}_size"]), "no such set")
                _demand(columns[f"set{player}_parent"][sets[player]] == own[player], "a player forgets")
                used[player].add(sets[player])
                sizes.append(columns[f"set{player}_size"][sets[player]])
            _demand(moves == list(range(prod(sizes))), "children out of order")
            for place, player in enumerate(here):
                begin, later = columns[f"set{player}_first"][sets[player]], prod(sizes[place + 1 :])
                after[player] = [begin + k // later % sizes[place] for k in moves]
            _demand(all(slot[child] == NONE for child in below), "a slot where players move")
        elif kind[node] == CHANCE:
            group = groups[node]
            _demand(0 <= group < len(columns["group_size"]), "no such group")
            drawn.add(group)
            own_slots = [k for k, owner in enumerate(columns["slot_group"]) if owner == group]
            given = [slot[child] for child in below]
            if columns["group_open"][group]:
                _demand(moves == given and len(set(given)) == len(given) and set(given) <= set(own_slots), "outcomes")
            else:
                _demand(moves == list(range(columns["group_size"][group])) and given == own_slots, "outcomes")
        else:
            _demand(not below, "a child of what ended")
        listed = kind[node] == CHOICE or (kind[node] == CHANCE and not columns["group_open"][groups[node]])
        _demand(first[node] == (below[0] if listed else NONE), "the first child is another one")
        _demand(not listed or below == list(range(below[0], below[0] + len(below))), "children are not in a row")
        for player in range(seats):
            _demand([columns[f"node_sequence{player}"][c] for c in below] == after[player], "a sequence is another one")
    for player in range(seats):
        _demand(used[player] == set(range(len(columns[f"set{player}_size"]))), "a set without a node")
    _demand(drawn == set(range(len(columns["group_size"]))), "a group without a node")
    facts = forged.facts
    _demand(facts["trunk"] == len(kind) and facts["expanded"] == len(kind) - kind.count(LEAF), "another size")


def _check_bounds(forged: Forged, columns: dict[str, list[Any]], node: int) -> None:
    kind = columns["node_kind"][node]
    for number in numbers_of(forged):
        gain, low, high = (columns[f"node_{name}{number}"][node] for name in ("gain", "low", "high"))
        _demand(isfinite(low) and isfinite(high) and low <= high, "bounds that are none")
        _demand(isfinite(gain) or (kind == LEAF and gain != gain), "a gain that is none")
        _demand(kind != END or low == high == 0.0, "something comes after an end")


def _check_plays(forged: Forged) -> None:
    arrays, facts = forged.arrays, forged.facts
    lengths = arrays["lengths"]
    _demand(facts["playthroughs"] == len(lengths) and type(facts["playthroughs"]) is int, "another number of plays")
    _demand((lengths >= 0).all() and int(lengths.sum(dtype=np.int64)) == len(arrays["actions"]), "actions of no play")
    failed = arrays.get("failed", np.zeros((0, 2), np.int64)).tolist()
    _demand(facts["failures"] == len(failed), "another number of failures")
    times = [t for t, _ in failed]
    _demand(times == sorted(set(times)) and all(1 <= t <= len(lengths) for t in times), "failures of no play")
    _demand(all(depth >= 0 for _, depth in failed), "a failure before the root")


def _check_strategies(forged: Forged) -> None:
    many = {len(np.atleast_2d(array)) for name, array in forged.arrays.items() if name.startswith("strategy")}
    _demand(len(many) == 1 and min(many) >= 1, "profiles are not whole")
    for player in range(seats_of(forged)):
        if f"strategy{player}" not in forged.arrays:
            continue
        firsts, sizes = (forged.arrays[f"set{player}_{name}"].tolist() for name in ("first", "size"))
        for row in np.atleast_2d(forged.arrays[f"strategy{player}"]).tolist():
            _demand(len(row) == 1 + sum(sizes), "a strategy of another size")
            _demand(all(0.0 <= p <= 1.0 for p in row), "a probability that is none")
            for first, size in zip(firsts, sizes, strict=True):
                _demand(abs(sum(row[first : first + size]) - 1) <= 1e-6, "a strategy that does not sum to 1")


def _check_rounds(forged: Forged) -> None:
    facts, rounds = forged.facts, forged.facts.get("rounds")
    _demand(rounds is not None or facts.get("rounds_gap") is None, "a gap of no rounds")
    if rounds is None:
        return
    _demand(not forged.correlated and facts["radius"] == "anytime", "rounds of what has none")
    _demand(rounds["kind"] in ("exact", "sampled"), "rounds of no kind")
    _demand(type(rounds["count"]) is int and 0 <= rounds["count"] <= facts["playthroughs"], "rounds without a play")
    _demand(type(rounds["power"]) is int and rounds["power"] in (0, 1, 2), "rounds that weigh nothing")
    others = [1 - player for player in rounds["of"]]
    _demand(all(rounds["count"] and other in (0, 1) and other < facts["players"] for other in others), "of nobody")
    if rounds["kind"] == "sampled":
        _demand(0 < rounds["epsilon"] <= 1 and rounds["sampling"] in ("uniform", "balanced"), "walks of no kind")
    for player in range(facts["players"]):
        sums = forged.arrays[f"rounds{player}"].tolist()
        _demand(len(sums) == 1 + sum(forged.arrays[f"set{player}_size"].tolist()), "sums of another size")
        _demand(all(map(isfinite, sums)), "a sum that is none")
        _demand(rounds["kind"] == "exact" or min(sums) >= 0, "a sum below 0")
