"""Simultaneous-move Monte Carlo tree search: where it converges, to what, and that it goes on to the same bits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import hannan as hn
from hannan.forms.loader import load_expanded
from hannan.treesearch.exploration import tree_limit
from hannan.treesearch.outcome import profile_of
from hannan.treesearch.selection import RULES
from tests.delegating import Delegating
from tests.treesearch.stages import WC_RM, WC_RMM, Stages, exploring

GOOFSPIEL = "goofspiel(cards=4,information=open)"


def shortfall(game: Any, value: float, rule: str, iterations: int, seed: int, **parameters: Any) -> float:
    searcher = hn.Searcher(game, rule, seed=seed, **parameters)
    searcher.run(iterations)
    measured = hn.evaluate(game, profile_of(searcher, False, True), value)
    assert measured.shortfalls is not None
    return measured.shortfalls[0]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["rm", "rm-mean"])
@pytest.mark.parametrize(
    ("matrices", "value", "limit"), [(WC_RM, 0.5, 0.0125), (WC_RMM, 1.0, 0.036875)], ids=["WC_RM", "WC_RMM"]
)
def test_the_worst_cases_come_down_to_their_exploration(rule: str, matrices: Any, value: float, limit: float) -> None:
    """The limits are exact; at a million iterations the mean lies in [limit - 0.0005, limit + 0.003]."""
    game = hn.load(Stages(matrices))
    runs = [shortfall(game, value, rule, 10**6, seed, gamma=0.05, unvisited="zero") for seed in range(4)]
    assert limit - 0.0005 <= float(np.mean(runs)) <= limit + 0.003


@pytest.mark.slow
@pytest.mark.parametrize("rule", [name for name in RULES if name not in ("random", "uct", "uct-random")])
def test_biased_rock_paper_scissors_comes_to_its_equilibrium(rule: str) -> None:
    """The equilibrium is (1, 10, 5)/16: equalising, so that play with exploration kept comes near it too."""
    result = hn.search("biased_rps", rule, iterations=400_000, seed=3)
    assert result.nash_conv is not None
    assert result.nash_conv < 0.02
    answer = result.averages if RULES[rule].averages else result.frequencies
    for player in range(2):
        assert np.allclose(list(answer[player].values()), np.array([1, 10, 5]) / 16, atol=0.05)


@pytest.mark.parametrize(("rule", "returns"), [("uct", "sample"), ("uct", "mean"), ("random", "sample")])
def test_others_do_not_come_there(rule: str, returns: Literal["sample", "mean"]) -> None:
    """Returning means does not help a rule that is not Hannan consistent."""
    result = hn.search("biased_rps", rule, iterations=400_000, returns=returns)
    assert result.nash_conv is not None
    assert result.nash_conv > 0.1


@pytest.mark.parametrize("explore", ["star", "plus"])
@pytest.mark.parametrize("rule", ["rm-mean", "exp3-mean"])
def test_wrappers_that_explore_converge_too(rule: str, explore: Literal["star", "plus"]) -> None:
    result = hn.search("biased_rps", rule, iterations=400_000, explore=explore, seed=1)
    assert result.nash_conv is not None
    assert result.nash_conv < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["rm", "rm-mean"])
@pytest.mark.parametrize(("depth", "branching"), [(2, 2), (2, 3), (3, 2)])
def test_random_games_come_to_their_limit(rule: str, depth: int, branching: int) -> None:
    """The limit is tested in test_exploration.py. Payoffs lie in [-1, 1]."""
    above = []
    for number in range(3):
        game = load_expanded(f"random_game(depth={depth},branching={branching},seed={number})")
        limit = tree_limit(hn.Searcher(game, rule, tree="full"))
        above.append(shortfall(game, limit.value, rule, 600_000, number) - (limit.value - limit.guarantee))
    assert abs(float(np.mean(above))) < 0.004


@pytest.mark.slow
def test_exploring_around_a_rule_comes_to_the_equilibrium_that_explores() -> None:
    """In which every action has probability gamma/K at least, by a matrix at each node: A*, and not the rule's own γ.

    A game in which both differ by 0.0123 (payoffs lie in [-1, 1]).
    """
    game = load_expanded("random_game(depth=2,branching=3,seed=39)")
    limit = tree_limit(hn.Searcher(game, "rm", gamma=0.2, tree="full"))
    floor = hn.evaluate(game, exploring(game, 0.2), limit.value).shortfalls
    assert floor is not None
    assert limit.value - limit.guarantee > floor[0] + 0.01
    for rule in ("rm", "rm-mean"):
        star, own = (
            np.mean([shortfall(game, limit.value, rule, 10**6, k, gamma=0.2, explore=explore) for k in range(2)])
            for explore in ("star", "own")
        )
        assert star == pytest.approx(floor[0], abs=0.003)
        assert own == pytest.approx(limit.value - limit.guarantee, abs=0.003)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("address", [GOOFSPIEL, "random_game(depth=3,branching=2,chance=2,seed=1)", "tic_tac_toe"])
def test_plain_and_compiled_rules_give_the_same_bits(rule: str, address: str) -> None:
    game = hn.load(address)
    compiled, plain = (
        hn.Searcher(rules, rule, seed=5, bounds=(-10, 10)) for rules in (game, Delegating(game.played().rules))
    )
    for searcher in (compiled, plain):
        searcher.run(700)
        searcher.run(1)
    ours, theirs = compiled.state(), plain.state()
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert np.array_equal(ours[name], theirs[name], equal_nan=name == "mean"), name


def test_wide_plain_rules_lose_nothing_of_a_walk() -> None:
    """Plain rules make room for 16 moves at first: whoever meets more goes on where it was."""
    payoffs = np.random.default_rng(1).random((20, 40))
    game = hn.matrix_game(payoffs)
    one, other = hn.Searcher(game, bounds=(0, 1)), hn.Searcher(Delegating(game), bounds=(0, 1))
    one.run(3000)
    other.run(3000)
    assert np.array_equal(one.state()["stat"], other.state()["stat"])


@pytest.mark.parametrize("rule", ["rm-mean", "exp3", "oos"])
def test_a_resumed_search_goes_on_to_the_same_bits(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "search.checkpoint"
    hn.search(GOOFSPIEL, rule, iterations=900, seed=2, checkpoint=path)
    resumed = hn.search(resume=path, iterations=2500)
    whole = hn.search(GOOFSPIEL, rule, iterations=2500, seed=2)
    assert resumed.record() | {"seconds": 0} == whole.record() | {"seconds": 0}
    for ours, theirs in zip(resumed.strategy.strategies, whole.strategy.strategies, strict=True):  # type: ignore[attr-defined]
        assert np.array_equal(ours, theirs)


def test_a_full_tree_is_searched_on() -> None:
    result = hn.search(GOOFSPIEL, "rm", iterations=20_000, nodes=100)
    assert result.nodes == 100
    assert result.iterations == 20_000
    assert result.nash_conv is not None
    assert result.value is not None
    hn.evaluate(GOOFSPIEL, result.strategy)


def test_the_tree_is_kept_between_moves() -> None:
    searcher = hn.Searcher("goofspiel(cards=4,information=open,order=descending)", "rm", seed=1)
    searcher.run(20_000)
    node = searcher.find("(1,2)")
    assert node is not None
    visits, before, known = float(searcher.tree.number[node, 0]), searcher.nodes, searcher.strategy("(1,2):(2,1)")
    searcher.advance("(1,2)")
    assert searcher.path == "(1,2)"
    assert searcher.nodes < before / 2  # what cannot be reached is freed
    assert searcher.strategy("(2,1)") == known
    searcher.run(50_000)
    assert float(searcher.tree.number[0, 0]) == visits + 50_000
    fresh = hn.Searcher(searcher.game, "rm", at="(1,2)", seed=1)
    fresh.run(50_000)
    assert searcher.value == pytest.approx(fresh.value, abs=0.1)
    again = hn.Searcher(searcher.game, "rm", at="(1,2)", seed=1)
    again.restore(searcher.state())
    for one in (searcher, again):
        one.run(1000)
    assert again.value == searcher.value
    assert again.strategy() == searcher.strategy()
    searcher.advance("(2,1):(3,4)")
    searcher.run(1000)
    assert searcher.strategy()[0] == {"4": 1.0}


def test_a_new_leaf_is_judged_by_a_function() -> None:
    game = load_expanded("random_game(depth=2,branching=2,seed=4)")
    exact = hn.methods.BackwardInduction(game)
    exact.run(1)
    value = hn.search(game, "rm", iterations=100_000, evaluation=lambda state: 0.0).value
    assert value == pytest.approx(exact.proof().value, abs=0.1)
    played = hn.search(game, "rm", iterations=100_000, rollout=lambda state, player: [0.5, 0.5]).value
    assert played == pytest.approx(exact.proof().value, abs=0.1)


def test_strategies_without_their_exploration() -> None:
    kept = hn.search("biased_rps", "rm", iterations=100_000)
    removed = hn.search("biased_rps", "rm", iterations=100_000, exploration=False)
    for player in range(2):
        ours, theirs = (np.array(list(part.frequencies[player].values())) for part in (removed, kept))
        assert np.allclose(0.9 * ours + 0.1 / 3, theirs, atol=1e-3)
    assert removed.nash_conv > kept.nash_conv  # type: ignore[operator]


@pytest.mark.parametrize("rule", ["rm", "exp3", "uct", "oos"])
@pytest.mark.parametrize("averages", [False, True])
@pytest.mark.parametrize("exploration", [False, True])
def test_many_sets_are_shared_out_as_one_by_one(rule: str, averages: bool, exploration: bool) -> None:
    searcher, random = hn.Searcher("goofspiel(cards=3,information=open)", rule), np.random.default_rng(1)
    begin = np.concatenate(([0], np.cumsum(random.integers(1, 5, 60))))
    sums = random.integers(0, 50, begin[-1]) * (random.random(begin[-1]) < 0.4).astype(float)
    together = searcher.shares(sums, averages, exploration, begin)
    for low, high in pairwise(begin.tolist()):
        alone = searcher.shares(sums[low:high], averages, exploration)
        np.testing.assert_allclose(together[low:high], alone, rtol=1e-15)
        assert alone.sum() == pytest.approx(1.0, abs=1e-12)
        if not sums[low:high].any():
            np.testing.assert_allclose(alone, 1 / (high - low), rtol=1e-15)


@pytest.mark.slow
def test_a_policy_of_a_game_that_is_not_written_out(tmp_path: Path) -> None:
    result = hn.search("goofspiel(cards=6,information=open)", "rm", iterations=2000, bounds=(-30, 30))
    assert isinstance(result.strategy, hn.Policy)
    assert result.strategy.sets > 100
    assert result.nash_conv is None
    assert result.exact_value is None
    hn.save(result.strategy, tmp_path / "g.strategy")
    assert hn.read(tmp_path / "g.strategy").sets == result.strategy.sets  # type: ignore[attr-defined]


def test_nothing_is_expanded_where_nothing_is_to_be_measured(tmp_path: Path) -> None:
    path = tmp_path / "search.checkpoint"
    measured = hn.search(GOOFSPIEL, "rm", iterations=2000, seed=3)
    unmeasured = hn.search(GOOFSPIEL, "rm", iterations=1000, seed=3, measure=False, checkpoint=path)
    assert unmeasured.curve == ()
    unmeasured = hn.search(resume=path, iterations=2000)  # the checkpoint remembers it
    assert (unmeasured.value, unmeasured.frequencies) == (measured.value, measured.frequencies)
    assert (unmeasured.exact_value, unmeasured.nash_conv, unmeasured.gains, unmeasured.shortfalls) == (None,) * 4
    assert isinstance(unmeasured.strategy, hn.Policy)
    again = hn.search(resume=path, iterations=2000, measure=True)
    assert again.nash_conv == measured.nash_conv
    played = hn.evaluate(GOOFSPIEL, unmeasured.strategy.profile())
    assert played.nash_conv == pytest.approx(measured.nash_conv, abs=1e-12)
    with pytest.raises(hn.errors.ParameterError, match="measure"):
        hn.search(GOOFSPIEL, measure="no")  # type: ignore[arg-type]
    with pytest.raises(hn.errors.ParameterError, match="a log holds measurements"):
        hn.search(GOOFSPIEL, measure=False, log=tmp_path / "x.log")


@pytest.mark.slow
def test_nodes_are_small() -> None:
    searcher = hn.Searcher("goofspiel(cards=5,information=open)", "rm", seed=1)
    searcher.run(100_000)
    assert searcher.bytes / searcher.nodes <= 200


def test_a_tree_that_is_written_down_in_full() -> None:
    """Every history has a node before the first walk, and the rule alone selects."""
    game = load_expanded("random_game(depth=3,branching=2,chance=2,seed=1)")
    searcher = hn.Searcher(game, "rm-mean", tree="full", seed=1)
    searcher.prepare()
    assert searcher.nodes == game.tree.nodes
    assert searcher.iterations == 0
    assert searcher.value is None
    result, grown = (hn.search(game, "rm", tree=tree, iterations=600_000) for tree in ("full", "incremental"))
    assert result.nodes == game.tree.nodes
    assert result.value == pytest.approx(grown.value, abs=0.01)
    assert result.shortfalls == pytest.approx(grown.shortfalls, abs=0.03)


def test_a_full_tree_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    path = tmp_path / "search.checkpoint"
    game = "goofspiel(cards=3,information=open)"
    hn.search(game, "rm", tree="full", iterations=500, seed=2, checkpoint=path)
    resumed = hn.search(resume=path, iterations=1500)
    whole = hn.search(Delegating(hn.load(game).played().rules), "rm", tree="full", iterations=1500, seed=2)
    assert resumed.frequencies == whole.frequencies
    assert resumed.value == whole.value
    with pytest.raises(hn.HannanError, match="more than 100 nodes: take tree='incremental'"):
        hn.search(GOOFSPIEL, "rm", tree="full", nodes=100)
