"""What a certificate may contain: a closed list of columns and facts, each with its exact type.

A file with an unlisted name, a missing name or another type is rejected, so that it holds nothing unchecked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from hannan.verifier.reader import Arrays
from hannan.verifier.verdict import need

MOST_PLAYERS = 62
NAMES = ("observations", "actions", "outcomes", "keys")
FAMILIES = "families"
"""The names of families of similar chance nodes, if the file has families."""

NODE = {"parent": "i4", "move": "i4", "kind": "i1", "first": "i4", "group": "i4", "slot": "i4"}
UTILITY = {"gain": "f8", "low": "f8", "high": "f8"}
SEAT = {"set": "i4", "sequence": "i4"}
GROUP = {"size": "i4", "index": "i4", "samples": "i8", "open": "b1", "known": "b1"}
SLOT = {"group": "i4", "outcome": "i4", "count": "i8", "odds": "f8"}
SET = {"parent": "i4", "observation": "i4", "first": "i4", "size": "i4", "menu": "i4"}


def table(players: int, utilities: int, similar: bool) -> dict[str, str]:
    """Return the columns of a trunk with their types. If there is one player, a second, idle one has columns too.

    similar: whether the trunk has families of similar chance nodes.
    """
    seats = range(max(players, 2))
    wide = [""] if utilities == 1 else [str(player) for player in range(utilities)]
    return {
        **{f"node_{name}": kind for name, kind in NODE.items()},
        **{f"node_{name}{number}": kind for name, kind in UTILITY.items() for number in wide},
        **{f"node_{name}{seat}": kind for name, kind in SEAT.items() for seat in seats},
        **{f"group_{name}": kind for name, kind in GROUP.items()},
        **{f"slot_{name}": kind for name, kind in SLOT.items()},
        **{f"set{seat}_{name}": kind for name, kind in SET.items() for seat in seats},
        "menu_size": "i4",
        "menu_action": "i4",
        "group_key": "i4",
        **({"group_family": "i4", "family_apart": "f8"} if similar else {}),
    }


def check_arrays(arrays: Arrays, players: int, correlated: bool, rounds: bool, similar: bool) -> int:
    """Reject other columns than a certificate has. Return for how many players gains are kept: 1 if zero-sum."""
    utilities = players if correlated else 1
    kinds = table(players, utilities, similar) | {"lengths": "i4", "actions": "u1 u2 u4"}
    kinds |= {f"strategy{player}": "f8" for player in range(players if correlated else 2)}
    if rounds:
        kinds |= {f"rounds{player}": "f8" for player in range(players)}
    if "failed" in arrays:
        kinds["failed"] = "i8"
    need(arrays.keys() >= kinds.keys(), f"it lacks {', '.join(sorted(kinds.keys() - arrays.keys()))}")
    more = sorted(arrays.keys() - kinds.keys())
    need(not more, f"it holds {', '.join(more)[:80]}, which no certificate has")
    wide = {"group_key": 2, "failed": 2}
    rows: dict[str, int] = {}
    for name, types in kinds.items():
        array = arrays[name]
        need(array.dtype.str[1:] in types.split(), f"{name} is of type {array.dtype.name}")
        flat = array.ndim == 1 if name not in wide else array.ndim == 2 and array.shape[1] == wide[name]
        flat = array.ndim == 2 if correlated and name.startswith("strategy") else flat
        need(flat, f"{name} has the shape {array.shape}")
        prefix = name.split("_")[0]
        if "_" in name and name not in ("menu_size", "menu_action", "group_key"):
            need(rows.setdefault(prefix, len(array)) == len(array), f"the columns of {prefix} differ in length")
    return utilities


def _finite(fact: Any) -> bool:
    number = isinstance(fact, int | float) and not isinstance(fact, bool)
    return number and abs(fact) <= sys.float_info.max  # also false for NaN


def _count(fact: Any) -> bool:
    return type(fact) is int and 0 <= fact < 2**63


def _seed(fact: Any) -> bool:
    return type(fact) is int


def _text(fact: Any) -> bool:
    return isinstance(fact, str)


def _truth(fact: Any) -> bool:
    return isinstance(fact, bool)


def _numbers(fact: Any) -> bool:
    return isinstance(fact, list) and all(map(_finite, fact))


def _remark(fact: Any) -> bool:
    """Return whether a fact is a number or None. Nothing is concluded from it: seconds, estimates."""
    return fact is None or (isinstance(fact, int | float) and not isinstance(fact, bool))


def _or_none(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda fact: fact is None or check(fact)


def _options(fact: Any) -> bool:
    """Return whether a fact holds options, texts and numbers, by which a certification can be run again."""
    flat = (str, int, float, bool, type(None))
    return isinstance(fact, dict) and all(
        isinstance(option, flat) or (isinstance(option, list) and all(map(_finite, option))) for option in fact.values()
    )


def _rounds(fact: Any) -> bool:
    """Return whether a fact may be a record of rounds; `hannan.verifier.rounds` checks its contents."""
    return fact is None or isinstance(fact, dict)


def _named(fact: Any) -> bool:
    """Return whether a fact is four lists of different texts; with families, five."""
    sound = isinstance(fact, dict) and fact.keys() - {FAMILIES} == set(NAMES)
    return sound and all(
        isinstance(texts, list) and all(map(_text, texts)) and len(set(texts)) == len(texts) for texts in fact.values()
    )


FACTS: dict[str, Callable[[Any], bool]] = {
    "game": _text, "method": _text, "radius": _text, "confidence": _finite, "bounds": _text, "groups": _text,
    "children": _truth, "playthroughs": _count, "gap": _finite, "gaps": _or_none(_numbers),
    "guarantees": _or_none(_numbers), "value_bounds": _or_none(_numbers), "seed": _seed, "seeded": _truth,
    "players": _count, "expansion": _text, "range": _or_none(_numbers), "names": _named, "digest": _text,
    "expanded": _count, "trunk": _count, "failures": _count, "hidden": _or_none(_count),
}  # fmt: skip
"""Facts that every certificate states."""

NEWER: dict[str, Callable[[Any], bool]] = {"rounds": _rounds, "rounds_gap": _or_none(_finite), "similar": _truth}
"""Facts that version 0.1 does not state: it concludes nothing from sums over rounds, and knows no families of similar
chance nodes."""

REMARKS: dict[str, Callable[[Any], bool]] = {
    "seconds": _remark, "simulator_seconds": _remark, "solve_seconds": _remark, "true_gap": _remark,
    "uncertainty": _remark, "uncertainty_bound": _remark, "restarts": _count, "stop": _text, "why": _text,
    "failure": _text, "options": _options,
}  # fmt: skip
"""Facts that the gap does not rest on. Version 0.1 has no `options`."""


def check_facts(facts: dict[str, Any]) -> None:
    """Reject other facts than a certificate states, and facts of another type."""
    missing = sorted(FACTS.keys() - facts.keys())
    need(not missing, f"it does not state {', '.join(missing)}")
    known = FACTS | NEWER | REMARKS
    more = sorted(facts.keys() - known.keys())
    need(not more, f"it states {', '.join(more)[:80]}, which no certificate does")
    for name, fact in facts.items():
        need(known[name](fact), f"its {name} is {repr(fact)[:40]}, which is of another type")
    need(1 <= facts["players"] <= MOST_PLAYERS, f"there are {facts['players']} players")
    need(facts["expansion"] in ("path", "first"), f"the expansion {facts['expansion']!r:.40} is not known")
    need(facts["radius"] in ("anytime", "paper"), f"the radius {facts['radius']!r:.40} is not known")
    similar = facts.get("similar", False)
    need((FAMILIES in facts["names"]) == similar, "families should be named exactly if similar is true")
    need(not similar or (facts["gaps"] is None and facts.get("rounds") is None), "only Algorithm 6.1 knows families")
    pairs = [fact for fact in (facts["range"], facts["value_bounds"]) if fact is not None]
    need(all(len(pair) == 2 and pair[0] <= pair[1] for pair in pairs), "a range is not a pair of ascending numbers")
    if facts["gaps"] is None:
        need(facts["value_bounds"] is not None, "it does not bound the value of the game")
        stated = facts["guarantees"]
        need(stated is not None and len(stated) == facts["players"], "it does not say what each player is guaranteed")
    else:
        claims = facts["value_bounds"], facts["guarantees"]
        need(claims == (None, None), "it is about correlated play and claims a value")
        gaps = facts["gaps"]
        need(len(gaps) == facts["players"] and max(gaps) == facts["gap"], "the gap is not the largest of the players'")


def check_plays(arrays: Arrays, facts: dict[str, Any]) -> None:
    """Reject an incomplete record of playthroughs."""
    lengths, failed = arrays["lengths"], arrays.get("failed", np.zeros((0, 2), np.int64))
    need(len(lengths) == facts["playthroughs"], "the playthroughs are not as many as the file says")
    need(bool((lengths >= 0).all()), "a playthrough has a negative length")
    taken = int(lengths.sum(dtype=np.int64))
    need(taken == len(arrays["actions"]), "the actions are not as many as the playthroughs took")
    need(len(failed) == facts["failures"], "the failures are not as many as the file says")
    need(bool((np.diff(failed[:, 0]) > 0).all()), "the failed playthroughs are not in ascending order")
    inside = (failed[:, 0] >= 1) & (failed[:, 0] <= len(lengths)) & (failed[:, 1] >= 0)
    need(bool(inside.all()), "a failure belongs to no playthrough")
