"""Build the public play between two deals from the rules, line by line."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.errors import RulesError
from hannan.forms.public import Template
from hannan.forms.public_promises import check_pay
from hannan.kernels.public import records as rec
from hannan.rules.plain import CHANCE, END
from hannan.rules.public import Fold, PublicRules, Showdown, Table


def play_from(rules: PublicRules, lines: tuple[Any, ...]) -> tuple[Template, list[Any]]:
    """Return all nodes that follow `lines` before the next deal, and the endings of the end nodes."""
    all_lines, parent = list(lines), [-1] * len(lines)
    nodes = [[0, 0, 0, 0, k, k] for k in range(len(lines))]
    actions: list[tuple[Hashable, ...]] = []
    rows, slots, leaves, ends = [len(lines)] * 2, [0, 0], [], []
    n = 0
    while n < len(all_lines):
        line, mover = all_lines[n], rules.mover(all_lines[n])
        options: tuple[Hashable, ...] = ()
        if mover == END:
            nodes[n][rec.N_KIND] = rec.OVER
            ends.append((n, rules.ending(line)))
        elif mover == CHANCE:
            nodes[n][rec.N_KIND] = rec.LEAF
            leaves.append(n)
        elif mover in (0, 1):
            options = tuple(rules.options(line))
            if not options:
                raise RulesError(f"options({line!r}) is empty; player {mover} acts there")
            nodes[n][: rec.N_ROW] = [mover, len(all_lines), len(options), slots[mover]]
            for option in options:
                reached = list(nodes[n][rec.N_ROW :])
                reached[mover] = rows[mover]
                rows[mover] += 1
                nodes.append([0, 0, 0, 0, *reached])
                all_lines.append(rules.following(line, option))
                parent.append(n)
            slots[mover] += len(options)
        else:
            raise RulesError(f"mover({line!r}) returned {mover!r}; expected 0, 1, CHANCE or END")
        actions.append(options)
        n += 1
    order = {Showdown: 0, Fold: 1, Table: 2}
    for _, ending in ends:
        if type(ending) not in order:
            raise RulesError(f"ending() returned {ending!r}; expected a Fold, a Showdown or a Table")
        if not isinstance(ending, Table):
            check_pay(ending)
    ends.sort(key=lambda pair: order[type(pair[1])])
    kinds = [sum(order[type(ending)] == k for _, ending in ends) for k in range(3)]
    template = Template(
        tuple(all_lines), np.array(nodes, np.int64), tuple(actions), np.array(leaves, np.int64),
        tuple(number for number, _ in ends), (kinds[0], kinds[1], kinds[2]), (rows[0], rows[1]), (slots[0], slots[1]),
        np.array(parent, np.int64),
    )  # fmt: skip
    return template, [ending for _, ending in ends]
