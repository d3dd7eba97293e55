"""Mutations of names, facts and types: what a file says in words, and how it says it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.forge.kit import Forged
from tests.forge.shapes import Mutation

FACTS: dict[str, list[Any]] = {
    "seed": [0, 1, 2, -1, 2**64, 1.0, True, "1", None],
    "seeded": [False, None, 0, "no"],
    "expansion": ["first", "path", "none", None],
    "range": [None, [-0.5, 0.5], [0.0, 0.0], [-1e9, 1e9], [1.0, -1.0], 3, [0.0]],
    "radius": ["paper", "anytime", "tiny", None],
    "players": [1, 2, 3, 0, 2.0, True, "2"],
    "game": ["another game", "", None, "kuhn_poker", 7],
    "hidden": [1, 2, 100, None, "3"],
    "groups": ["none", "known", "box", "rules", None],
    "bounds": ["rules", "exact", "-1,1", "box", None],
    "children": [True, False, None],
    "gaps": [None, [], [0.0], [0.0, 0.0], [1e300, 1e300]],
    "guarantees": [None, [], [0.0], [1e300, 1e300]],
    "failures": [0, 1, -1, 2.5, None],
    "failure": ["", "it broke", None, 3],
    "playthroughs": [0, 1, 10**6, 1.5, True, None, -1],
    "confidence": [0.9999, 1.0, 0.999999999999, 1.5, True, "0.999", float("nan")],
    "trunk": [0, 1, 1.5, None],
    "expanded": [0, 1, None],
    "method": ["lp", "auto", "", None],
    "restarts": [5, None],
    "true_gap": [0.0, None, "0"],
    "why": ["because", None],
    "names": [None, {}, []],
    "value_bounds": [None, [0.0], [0.0, 0.0, 0.0]],
    "unheard of": [1, None],
    "rounds": [None, {}, [], "sampled"],
    "rounds_gap": [0.0, None, -1.0, "0"],
}
"""What facts may become. A confidence never becomes less: who believes less is owed less."""

TYPES = (
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
)  # fmt: skip


def rename(draw: random.Random, forged: Forged) -> str | None:
    """Names are swapped, new, the same, or gone."""
    kind = draw.choice(["observations", "observations", "actions", "actions", "outcomes", "keys"])
    names = forged.facts["names"][kind]
    how = draw.choice(["swap", "swap", "new", "same", "drop", "more", "shuffle", "number"])
    if how == "more":
        names.append("'fog'")
    elif len(names) < 2:
        return None
    elif how == "shuffle":
        draw.shuffle(names)
    else:
        one, other = draw.sample(range(len(names)), 2)
        if how == "swap":
            names[one], names[other] = names[other], names[one]
        elif how == "drop":
            names.pop(one)
        else:
            names[one] = {"new": "'fog'", "same": names[other], "number": 3}[how]
    return f"{kind}: {how}"


def menus(draw: random.Random, forged: Forged) -> str | None:
    """The actions of a menu are in another order, or others."""
    sizes, codes = forged.arrays["menu_size"].tolist(), forged.arrays["menu_action"]
    if not sizes:
        return None
    menu = draw.randrange(len(sizes))
    begin, size = sum(sizes[:menu]), sizes[menu]
    how = draw.choice(["reverse", "code", "size", "more"])
    if how == "reverse":
        codes[begin : begin + size] = codes[begin : begin + size][::-1].copy()
    elif how == "code":
        codes[begin + draw.randrange(size)] = draw.choice([0, 1, 2, -1, 99])
    elif how == "size":
        forged.arrays["menu_size"][menu] += draw.choice([1, -1])
    else:
        forged.arrays["menu_size"] = np.append(forged.arrays["menu_size"], np.int32(1))
        forged.arrays["menu_action"] = np.append(codes, np.int32(0))
    return f"menu {menu}: {how}"


def fact(draw: random.Random, forged: Forged) -> str | None:
    """A fact becomes another one, or is gone."""
    name = draw.choice(sorted(FACTS))
    if draw.random() < 0.1:
        forged.facts.pop(name, None)
        return f"{name} is gone"
    forged.facts[name] = draw.choice(FACTS[name])
    return f"{name} is {forged.facts[name]!r}"


def retype(draw: random.Random, forged: Forged) -> str | None:
    """An array gets another type; a float may then lie between two whole numbers."""
    name = draw.choice(sorted(forged.arrays))
    array = forged.arrays[name]
    kind = draw.choice([kind for kind in TYPES if kind != array.dtype.name])
    with np.errstate(all="ignore"):
        array = array.astype(kind)
    if array.dtype.kind == "f" and array.size and draw.random() < 0.8:
        array.reshape(-1)[draw.randrange(array.size)] += draw.choice([0.5, -0.5, 0.25, 1e-3])
    forged.arrays[name] = array
    return f"{name} as {kind}"


def reshape(draw: random.Random, forged: Forged) -> str | None:
    """An array gets another shape, is gone, is there twice, or is one too many."""
    name = draw.choice(sorted(forged.arrays))
    array = forged.arrays[name]
    how = draw.choice(["column", "row", "shorter", "gone", "twice", "more", "longer"])
    if how == "column":
        forged.arrays[name] = array.reshape(-1, 1)
    elif how == "row":
        forged.arrays[name] = array.reshape(1, -1)
    elif how == "shorter":
        forged.arrays[name] = array[:-1]
    elif how == "longer":
        forged.arrays[name] = np.concatenate([array, array[-1:]])
    elif how == "gone":
        del forged.arrays[name]
    elif how == "twice":
        forged.twice.append(name)
    else:
        forged.arrays[f"{name}{draw.choice(['2', '_', ''])}x"] = array
    return f"{name}: {how}"


ROUNDS: dict[str, list[Any]] = {
    "kind": ["exact", "sampled", "none", None],
    "count": [1, 2, 10**6, 0, 1.0, True, None],
    "power": [0, 1, 2, 3, -1, 1.0, True],
    "epsilon": [1.0, 0.5, 1e-9, 0.0, 2.0, None, True],
    "sampling": ["uniform", "balanced", "none", None],
    "of": [[], [0], [1], [0, 1], [1, 0], [2], None, 0],
    "unheard of": [1],
}


def rounds(draw: random.Random, forged: Forged) -> str | None:
    """Something else is said of rounds, or their sums are others."""
    told = forged.facts.get("rounds")
    if not isinstance(told, dict):
        return None
    player = draw.randrange(2)
    sums = forged.arrays.get(f"rounds{player}")
    if sums is None or draw.random() < 0.5:
        name = draw.choice(sorted(ROUNDS))
        told[name] = draw.choice(ROUNDS[name])
        return f"{name} of rounds is {told[name]!r}"
    told["of"] = draw.choice([told["of"], [0], [1], [0, 1]])
    how = draw.choice(["none", "less", "one", "nan", "negative", "swap"])
    if how == "none":
        sums[:] = 0.0
    elif how == "less":
        sums *= 0.5
    elif how == "swap":
        sums[:] = draw.sample(sums.tolist(), len(sums))
    else:
        sums[draw.randrange(len(sums))] = {"one": 0.0, "nan": float("nan"), "negative": -1e6}[how]
    return f"sums of rounds of player {player}: {how}"


def ranged(draw: random.Random, forged: Forged) -> str | None:
    """The whole game is said to bring less than it does, and no bound says anything else."""
    wide = draw.choice([0.0, 0.5, 1.0, 3.0, 6.0])
    forged.facts["range"] = [-wide, wide]
    for name in [name for name in forged.arrays if name.startswith(("node_low", "node_high"))]:
        np.clip(forged.arrays[name], -wide, wide, out=forged.arrays[name])
    return f"gains are within {wide:g}"


WORDS: tuple[Mutation, ...] = (ranged, rename, menus, fact, fact, retype, retype, reshape, rounds)
