"""What becomes of first visits: three schemes against a slow search in plain Python, and in every combination."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, MismatchError, ParameterError
from hannan.kernels.mcts import records as rec
from hannan.treesearch.selection import FIRST_VISITS
from tests.delegating import Delegating
from tests.treesearch.plain_search import Node, PlainSearch

Scheme = Literal["counted", "printed", "selected"]
SCHEMES: tuple[Scheme, ...] = ("counted", "printed", "selected")
DEEP = "random_game(depth=3,branching=2,seed=1)"
WIDE = "random_game(depth=4,branching=3,seed=1)"
CHANCE = "random_game(depth=3,branching=2,chance=2,seed=1)"
GOOFSPIEL = "goofspiel(cards=4,information=open)"


def compare(searcher: hn.Searcher, node: int, plain: Node) -> int:
    """Compare a node of the kernel's tree, and all below, with one of the plain search; return how many there are."""
    tree = searcher.tree
    kind, rows, columns, cells, stats = (
        int(tree.node[node, k]) for k in (rec.KIND, rec.ROWS, rec.COLUMNS, rec.CELLS, rec.STATS)
    )
    if kind == rec.END:
        return 1
    assert tree.number[node, rec.VISITS] == plain.n
    assert tree.number[node, rec.SUM] == pytest.approx(plain.X, rel=1e-9, abs=1e-12)
    for player, size in enumerate((rows, columns)):
        if kind == rec.MOVES and size > 1:
            numbers = tree.stat[stats : stats + 2 * size]
            assert numbers[:size] == pytest.approx(plain.learnt[player], rel=1e-9, abs=1e-9)
            assert numbers[size:].tolist() == plain.counts[player]
            stats += rec.KEPT * size
    total = 1
    for k in range(rows * columns):
        child, key = int(tree.cell[cells + k]), k if kind == rec.CHANCE else (k // columns, k % columns)
        assert (child > 0) == (key in plain.child)
        if child > 0:
            total += compare(searcher, child, plain.child[key])
    return total


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("rule", "address", "more"),
    [
        ("rm", DEEP, {"unvisited": "zero"}),
        ("rm-mean", DEEP, {"unvisited": "zero"}),
        ("rm-mean", CHANCE, {}),
        ("rm", "random_game(depth=2,branching=3,seed=2)", {"explore": "star", "gamma": 0.3}),
        ("hedge", DEEP, {}),
        ("exp3-mean", CHANCE, {"gamma": 0.2}),
    ],
)
def test_schemes_are_those_of_a_plain_search(scheme: Scheme, rule: str, address: str, more: dict[str, Any]) -> None:
    """Every node: visits, sums, counts and what its players have learnt, after 600 walks and on the way."""
    searcher = hn.Searcher(address, rule, seed=7, bounds=(-1, 1), first_visits=scheme, **more)
    plain = PlainSearch(
        hn.load(address).played().rules, rule.removesuffix("-mean"), -1, 1, first_visits=scheme,
        mean=rule.endswith("mean"), seed=7, **more,
    )  # fmt: skip
    for before, until in pairwise((0, 1, 2, 5, 40, 600)):
        searcher.run(until - before)
        plain.run(until - before)
        assert compare(searcher, 0, plain.root) == searcher.nodes


def test_a_reference_of_another_scheme_would_be_noticed() -> None:
    for scheme, other in pairwise((*SCHEMES, SCHEMES[0])):
        searcher = hn.Searcher(DEEP, "rm", seed=7, bounds=(-1, 1), first_visits=scheme)
        plain = PlainSearch(hn.load(DEEP).played().rules, "rm", -1, 1, first_visits=other, mean=False, seed=7)
        searcher.run(40)
        plain.run(40)
        with pytest.raises((AssertionError, KeyError)):
            compare(searcher, 0, plain.root)


@pytest.mark.parametrize("scheme", ["printed", "selected"])
@pytest.mark.parametrize("rule", ["rm-mean", "oos", "uct", "exp3-ix"])
def test_plain_and_compiled_rules_and_resumed_searches_give_the_same_bits(
    scheme: Scheme, rule: str, tmp_path: Path
) -> None:
    path = tmp_path / "search.checkpoint"
    hn.search(GOOFSPIEL, rule, iterations=300, seed=5, first_visits=scheme, checkpoint=path, measure=False)
    resumed = hn.search(resume=path, iterations=701)
    compiled = hn.Searcher(GOOFSPIEL, rule, seed=5, first_visits=scheme)
    plain = hn.Searcher(
        Delegating(hn.load(GOOFSPIEL).played().rules), rule, seed=5, bounds=(-10, 10), first_visits=scheme
    )
    for searcher in (compiled, plain):
        searcher.run(700)
        searcher.run(1)
    assert resumed.frequencies == compiled.strategy(averages=False)
    assert resumed.parameters["first_visits"] == scheme
    ours, theirs = compiled.state(), plain.state()
    for name in ("node", "cell", "random", "known"):
        assert np.array_equal(ours[name], theirs[name]), name
    with pytest.raises(MismatchError, match=f"made with first_visits='{scheme}', not with first_visits='counted'"):
        hn.search(resume=path, first_visits="counted")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_walk_that_was_given_up_is_made_again(scheme: Scheme) -> None:
    """The function that judges leaves fails at every third question; the search goes on to the same bits."""
    asked = 0

    def judge(state: Any) -> float:
        nonlocal asked
        asked += 1
        if asked % 3 == 0:
            raise HannanError("not now")
        return 0.25

    whole = hn.Searcher(WIDE, "rm", seed=3, first_visits=scheme, evaluation=lambda state: 0.25)
    whole.run(80)
    broken = hn.Searcher(WIDE, "rm", seed=3, first_visits=scheme, evaluation=judge)
    failures = 0
    while broken.iterations < 80:
        try:
            broken.run(80 - broken.iterations)
        except HannanError:
            failures += 1
            again = hn.Searcher(WIDE, "rm", seed=3, first_visits=scheme, evaluation=judge)
            state = broken.state()
            if scheme != "selected":
                state["probability"][-1, rec.FIRST_P] = 0.7  # files of older versions hold anything there
            again.restore(state)
            broken = again
    assert failures > 5
    ours, theirs = broken.state(), whole.state()
    for name in ("node", "number", "cell", "mean", "stat", "random"):
        assert np.array_equal(ours[name], theirs[name], equal_nan=name == "mean"), name


@pytest.mark.parametrize("scheme", ["printed", "selected"])
def test_a_full_tree_has_no_first_visits(scheme: Scheme) -> None:
    with pytest.raises(ParameterError, match=f"first_visits='{scheme}' is for tree='incremental'"):
        hn.Searcher(DEEP, tree="full", first_visits=scheme)
    hn.Searcher(DEEP, tree="full", first_visits="counted")


@pytest.mark.parametrize("scheme", ["printed", "selected"])
def test_a_tree_with_a_limit_is_searched_on(scheme: Scheme) -> None:
    searcher = hn.Searcher("goofspiel(cards=4,information=open,order=descending)", "rm", nodes=100, first_visits=scheme)
    searcher.run(5000)
    assert searcher.nodes == 100
    assert searcher.tree.number[0, rec.VISITS] == 5000 - (16 if scheme == "printed" else 0)


def test_unknown_schemes_are_refused_and_names_agree() -> None:
    assert tuple(FIRST_VISITS) == SCHEMES
    with pytest.raises(ParameterError, match="first_visits='twice' is not known"):
        hn.Searcher(DEEP, first_visits="twice")  # type: ignore[arg-type]


def test_the_search_player_of_a_match_takes_it() -> None:
    game = "goofspiel(cards=3,information=open)"
    one, other = (
        hn.match(game, f"search(rule='rm',iterations=20,first_visits='{scheme}')", "uniform", games=10, seed=1)
        for scheme in ("counted", "selected")
    )
    assert one.scores != other.scores
