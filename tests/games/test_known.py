"""Every fact and every pair with OpenSpiel that the catalogue states of these games."""

from __future__ import annotations

import pytest

from hannan.games import catalogue
from tests.games.checks import assert_names_are_unique, tree_of, value
from tests.games.sidebyside import SideBySide

NAMES = (
    "biased_rps", "chicken", "goofspiel", "kuhn_poker", "leduc_poker", "liars_dice", "matching_pennies",
    "matrix_game", "prisoners_dilemma", "random_game", "rock_paper_scissors", "shapley", "tic_tac_toe",
)  # fmt: skip
ENTRIES = [catalogue.entry(name) for name in NAMES]
KNOWN = {address: known for entry in ENTRIES for address, known in entry.known.items()}
PAIRS = {ours: theirs for entry in ENTRIES for ours, theirs in entry.openspiel.items()}

VALUE_TOLERANCE = 1e-8
"""The simplex method ends within about 1e-9 on programs of these sizes."""


MOST_HISTORIES = 700_000
"""Larger games are walked below one of their first deals only: three-player Leduc poker took 15 s in full."""


@pytest.mark.parametrize("address", KNOWN)
def test_sizes(address: str) -> None:
    tree, known = tree_of(address), KNOWN[address]
    assert known.histories in (None, tree.nodes)
    assert (known.one_by_one or known.histories) in (None, tree.serialised)
    assert known.sets in (None, tuple(plex.sets for plex in tree.treeplexes))


@pytest.mark.parametrize("address", [a for a, known in KNOWN.items() if known.value is not None and a != "tic_tac_toe"])
def test_value(address: str) -> None:
    assert value(tree_of(address)) == pytest.approx(KNOWN[address].value, abs=VALUE_TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize("address", PAIRS)
def test_against_openspiel(address: str) -> None:
    """The same tree, probabilities, movers, menus, returns and information sets.

    In open Goofspiel, OpenSpiel's information states forget the order of the bids, so that they merge sets
    which perfect recall keeps apart: there ours must only be finer.
    """
    pyspiel = pytest.importorskip("pyspiel")
    tree = tree_of(address)
    side_by_side = SideBySide(tree)
    root = pyspiel.load_game(PAIRS[address]).new_initial_state()
    if tree.serialised <= MOST_HISTORIES:
        side_by_side.walk(root)
        assert side_by_side.histories == tree.serialised
    else:
        side_by_side.walk_below(3, root)
    assert side_by_side.refines
    assert side_by_side.coarsens or "information=open" in address


@pytest.mark.parametrize("address", [a for a in {**KNOWN, **PAIRS} if a not in ("tic_tac_toe", "liars_dice")])
def test_names_are_unique(address: str) -> None:
    assert_names_are_unique(tree_of(address))


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_parameters_are_described(entry: catalogue.Entry) -> None:
    assert list(entry.parameters) == list(entry.defaults)
    assert entry.summary
    assert entry.source
