"""The program for public trees: its source, the record of its arrays, and the places of stages in its scratch.

The scratch holds the first stage and the stages after some of its deals at a time, as many as fit: a *group*.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.forms.public import PublicForm
from hannan.kernels.fullwidth import records as full
from hannan.kernels.public import records as rec

SOURCES = ("public_passes.cu", "public_ends.cu")

COLUMNS = ("POSITIVE", "NEGATIVE", "FLOOR", "KEEP", "PREDICT", "RATE", "DECAY", "WEIGHT", "NOISE", "COLUMNS")
"""Columns of the schedule that the source names."""

PARTS = 6
"""Columns of `where`: reaches, values and best values of both players."""

C_TYPES = {"int64": "long long", "int32": "int", "int16": "short", "float64": "double", "float32": "float"}

TREE = (
    "stage", "odds", "way", "child", "template", "node", "leaf", "end", "weigh", "table", "gains", "card", "alive",
    "group", "down", "down_at", "back", "back_at", "twin", "twin_at", "weight",
)  # fmt: skip
"""The arrays of `Public` that the program reads."""

LINES = ("line_at", "lines_at", "inner", "pair", "before", "where", "list")
STATE = ("regret", "total", "last", "fixed")
NUMBERS = ("cards", "most_types", "gains_rows", "gains_columns")


@dataclass(frozen=True)
class Group:
    """Deals of the first stage whose stages are in the scratch at one time."""

    low: int
    high: int
    depths: tuple[tuple[int, int], ...]
    """For each depth from 1 on, where its stages begin in `list`, and their number."""


@dataclass(frozen=True)
class Plan:
    """The places of stages in the scratch."""

    where: Longs  # [stages, PARTS]
    list: Longs  # [stages]  the first stage, then group by group and depth by depth
    groups: tuple[Group, ...]
    size: int
    """Numbers in the scratch."""


def lines_of(form: PublicForm) -> dict[str, Any]:
    """Return the arrays for the program in addition to `Public`: nodes by lines, cards in pairs, stages' predecessors.

    `inner` has the nodes at which a player acts, line by line, parents before their children: the player, the number of
    actions, slot, node, first child, and the rows of the player's reaches there and at the first child.
    """
    line_at, lines_at, inner = list[int](), list[int](), list[list[int]]()
    for template in form.templates:
        lines = np.array(template.parent, np.int64)
        for n, parent in enumerate(lines.tolist()):  # parents come before their children
            lines[n] = n if parent < 0 else lines[parent]
        acting = np.flatnonzero(template.nodes[:, rec.N_KIND] < rec.LEAF)
        order = acting[np.argsort(lines[acting], kind="stable")]
        count = int((np.array(template.parent) < 0).sum())
        lines_at.append(len(line_at))
        line_at += (len(inner) + np.searchsorted(lines[order], np.arange(count + 1))).tolist()
        for n in order.tolist():
            kind, child, actions, slot, *rows = template.nodes[n].tolist()
            below = template.nodes[child, rec.N_ROW + kind]
            inner.append([kind, actions, slot, n, child, rows[kind], int(below), 0])
    card = form.arrays.card.astype(np.int32)
    return {
        "line_at": np.array(line_at, np.int64),
        "lines_at": np.array(lines_at, np.int64),
        "inner": np.array(inner, np.int32).reshape(-1, 8),
        "pair": card[:, 0] | card[:, 1] << 16,
        "before": np.array([deal.before for deal in form.deals], np.int64),
    }


def plan_of(form: PublicForm, before: Longs, *, measures: bool, most: int) -> Plan:
    """Place the stages in a scratch of at most `most` numbers, or of as many as the stages after one deal need."""
    tree = form.arrays
    shape = tree.template[tree.stage[:, rec.S_TEMPLATE]]
    sizes = np.zeros((len(tree.stage), PARTS), np.int64)
    for p in (0, 1):
        width = tree.stage[:, rec.S_WIDTH + p]
        sizes[:, p] = shape[:, rec.T_ROWS + p] * width
        sizes[:, 2 + p] = shape[:, rec.T_NODES] * width
        sizes[:, 4 + p] = sizes[:, 2 + p] if measures else 0
    within = np.cumsum(sizes, axis=1) - sizes
    whole = sizes.sum(axis=1)
    branch = np.full(len(whole), -1, np.int64)
    deals = int(tree.stage[0, rec.S_CHILDREN])
    branch[tree.child[tree.stage[0, rec.S_CHILD] : tree.stage[0, rec.S_CHILD] + deals]] = np.arange(deals)
    for s in range(1, len(whole)):
        if branch[s] < 0:
            branch[s] = branch[before[s]]
    loads = np.bincount(branch[1:], weights=whole[1:], minlength=deals).astype(np.int64)
    room = max(most - int(whole[0]), int(loads.max(initial=0)))
    edges, used = [0], 0
    for k, load in enumerate(loads.tolist()):
        if used + load > room:
            edges.append(k)
            used = 0
        used += load
    edges.append(deals)
    listed, base, groups = [0], np.zeros(len(whole), np.int64), list[Group]()
    largest, depth = 0, tree.stage[:, rec.S_DEPTH]
    for low, high in pairwise(edges):
        if low == high:
            continue
        inside = np.flatnonzero((branch >= low) & (branch < high))
        base[inside] = whole[0] + np.cumsum(whole[inside]) - whole[inside]
        largest = max(largest, int(whole[inside].sum()))
        depths = []
        for d in range(1, len(tree.template)):
            there = inside[depth[inside] == d]
            depths.append((len(listed), len(there)))
            listed += there.tolist()
        groups.append(Group(low, high, tuple(depths)))
    return Plan(base[:, None] + within, np.array(listed, np.int64), tuple(groups), int(whole[0]) + largest)


def prelude(form: PublicForm, state: str, real: str, *, measures: bool) -> str:
    """Return the lines before the source: names of columns, types, and the record `Tree`."""
    tree = form.arrays
    columns = {name: value for name, value in vars(rec).items() if name.isupper() and isinstance(value, int)}
    columns |= {name: getattr(full, name) for name in COLUMNS}
    arrays = {name: C_TYPES[str(getattr(tree, name).dtype)] for name in TREE}
    fields = [f"const {kind} *{'shape' if name == 'template' else name};" for name, kind in arrays.items()]
    fields += [f"const {'int' if name in ('inner', 'pair') else 'long long'} *{name};" for name in LINES]
    fields += [f"{C_TYPES[state]} *{name};" for name in STATE]
    fields += ["double *step, *sum, *out;", f"{C_TYPES[real]} *scratch;"]
    fields += [f"long long {name};" for name in NUMBERS] + ["double pairs;"]
    return "\n".join(
        [
            "typedef long long Long;",
            f"typedef {C_TYPES[real]} REAL;",
            f"typedef {C_TYPES[state]} STATE;",
            f"const int MOST = {max(int(tree.node[:, rec.N_CHILDREN].max()), 1)};",
            f"const bool MEASURES = {str(measures).lower()};",
            "enum Columns { " + ", ".join(f"{name} = {value}" for name, value in columns.items()) + " };",
            "struct Tree {",
            *fields,
            "};",
        ]
    )


def source(form: PublicForm, state: str, real: str, *, measures: bool) -> str:
    """Return the source of the program."""
    folder = files("hannan.layouts.cuda")
    parts = (folder.joinpath(name).read_text(encoding="utf-8") for name in SOURCES)
    return "\n".join([prelude(form, state, real, measures=measures), *parts])


def record(form: PublicForm, at: dict[str, int]) -> Longs:
    """Return the record `Tree`; `at` has the addresses of all arrays, 0 for arrays that are not kept."""
    tree = form.arrays
    names = (*TREE, *LINES, *STATE, "step", "sum", "out", "scratch")
    numbers = (tree.cards, tree.weight.shape[1], *tree.gains.shape[2:])
    pairs = np.array([tree.pairs]).view(np.int64)
    return np.array([*(at[name] for name in names), *numbers, *pairs], np.int64)


def nonempty(array: Any) -> Any:
    """Return an array with an address: an empty array gets an element."""
    return array if array.size else np.zeros(1, array.dtype)
