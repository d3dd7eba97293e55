"""Compiled rules against plain ones that were written a second time: the trees must be equal, array by array."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from hannan.expand import expand
from hannan.rules import Rules
from hannan.tree import GameTree

ARRAYS = (
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


def assert_same_tree(compiled: Rules, plain: Rules) -> GameTree:
    """Expand both, compare everything but the codes of actions and observations, and return the compiled tree."""
    ours, theirs = expand(compiled), expand(plain)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    assert ours.players == theirs.players
    for plex, other in zip(ours.treeplexes, theirs.treeplexes, strict=True):
        for field in fields(plex):
            if field.name not in ("action", "observation"):
                np.testing.assert_array_equal(
                    getattr(plex, field.name), getattr(other, field.name), field.name
                )
    assert (ours.total, ours.serialised) == (theirs.total, theirs.serialised)
    np.testing.assert_array_equal([ours.lowest, ours.highest], [theirs.lowest, theirs.highest])
    return ours


def assert_names_unique(tree: GameTree) -> None:
    """No two information sets of a player have the same name, and no two actions of a set."""
    for player, plex in enumerate(tree.treeplexes):
        names = [tree.set_text(player, number) for number in range(plex.sets)]
        assert len(set(names)) == len(names)
        for number in range(plex.sets):
            menu = [tree.action_text(player, s) for s in range(plex.begin[number], plex.begin[number + 1])]
            assert len(set(menu)) == len(menu)
