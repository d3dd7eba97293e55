"""OpenSpiel's tree and ours, compared by address."""

from __future__ import annotations

import pytest

from hannan.games import catalogue
from tests.games.checks import tree_of
from tests.games.sidebyside import SideBySide

__all__ = ["assert_same_game", "pairs", "tree_of"]


def pairs(name: str) -> list[tuple[str, str]]:
    """Our address and OpenSpiel's for each pair that the catalogue states."""
    return [*catalogue.entry(name).openspiel.items()]


def assert_same_game(ours: str, theirs: str) -> None:
    """The same histories, probabilities, movers, menus, returns and information sets."""
    pyspiel = pytest.importorskip("pyspiel")
    tree = tree_of(ours)
    both = SideBySide(tree)
    both.walk(pyspiel.load_game(theirs).new_initial_state())
    assert both.histories == tree.serialised
    assert both.refines
    assert both.coarsens
