"""What the tests of games share: loading, comparing trees, and the value of a game by linear programming."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from hannan.forms.expansion import expand
from hannan.forms.tree import GameTree
from hannan.games import catalogue
from hannan.rules.compiled import CompiledRules, bits

TREE_ARRAYS = (
    "parent",
    "children",
    "turn",
    "slot_begin",
    "slots",
    "probability",
    "gain_node",
    "gain",
    "depth_begin",
)
PLEX_ARRAYS = ("begin", "parent", "child_begin", "level_begin", "node")


def load(address: str) -> CompiledRules:
    rules = catalogue.make(*catalogue.parse(address))
    assert isinstance(rules, CompiledRules)
    return rules


def tree_of(address: str) -> GameTree:
    return expand(load(address))


def assert_same_tree(one: GameTree, other: GameTree) -> None:
    """Every array agrees, to the last bit; codes of actions and observations may differ."""
    assert one.players == other.players
    assert one.serialised == other.serialised
    assert one.total == other.total
    for name in TREE_ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for mine, yours in zip(one.treeplexes, other.treeplexes, strict=True):
        for name in PLEX_ARRAYS:
            np.testing.assert_array_equal(getattr(mine, name), getattr(yours, name), err_msg=name)


def assert_names_are_unique(tree: GameTree) -> None:
    for player, plex in enumerate(tree.treeplexes):
        names = [tree.set_text(player, number) for number in range(plex.sets)]
        assert len(set(names)) == plex.sets
        assert all(name.strip() for name in names)


def last_sequences(tree: GameTree) -> Any:
    """The last sequence of each player at each node, [nodes, players]."""
    last = np.zeros((tree.nodes, tree.players), np.int64)
    for node in range(tree.nodes):
        first, end = int(tree.children[node]), int(tree.children[node + 1])
        last[first:end] = last[node]
        rest = np.arange(end - first)
        who = bits(int(tree.turn[node]))
        for k in reversed(range(len(who))):
            plex = tree.treeplexes[who[k]]
            number = tree.slots[tree.slot_begin[node] + k]
            rest, action = np.divmod(rest, plex.begin[number + 1] - plex.begin[number])
            last[first:end, who[k]] = plex.begin[number] + action
    return last


def value(tree: GameTree) -> float:
    """The value of a zero-sum game to player 0, by the sequence-form linear program (Koller et al. 1996)."""
    reach = np.ones(tree.nodes)
    for node in range(1, tree.nodes):
        reach[node] = reach[tree.parent[node]] * tree.probability[node]
    last = last_sequences(tree)[tree.gain_node]
    shape = (tree.treeplexes[0].sequences, tree.treeplexes[1].sequences)
    payoff = csr_array((reach[tree.gain_node] * tree.gain[:, 0], (last[:, 0], last[:, 1])), shape=shape)
    (mine, right), (yours, unit) = map(_constraints, tree.treeplexes)
    # maximise unit · q over x, q  such that  mine x = right,  yours' q <= payoff' x,  x >= 0
    result = linprog(
        np.concatenate((np.zeros(shape[0]), -unit)),
        A_ub=hstack((-payoff.T, yours.T)).tocsr(),
        b_ub=np.zeros(shape[1]),
        A_eq=hstack((mine, csr_array((len(right), len(unit))))).tocsr(),
        b_eq=right,
        bounds=[(0, None)] * shape[0] + [(None, None)] * len(unit),
        method="highs",
    )
    assert result.fun is not None
    return -float(result.fun)


def _constraints(plex: Any) -> tuple[Any, Any]:
    owner = plex.set_of[1:] + 1
    rows = np.concatenate(([0], owner, np.arange(1, plex.sets + 1)))
    columns = np.concatenate(([0], np.arange(1, plex.sequences), plex.parent))
    entries = np.concatenate(([1.0], np.ones(len(owner)), -np.ones(plex.sets)))
    right = np.zeros(plex.sets + 1)
    right[0] = 1.0
    return csr_array((entries, (rows, columns)), shape=(plex.sets + 1, plex.sequences)), right
