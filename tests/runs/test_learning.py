"""Learning, measured: what is known to cycle cycles, what is known to settle settles, distances by their definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import HannanError, ParameterError, SizeError, UnsuitableError
from hannan.runs.learning import learning

THIRDS = ((0.5, 0.3, 0.2), (0.2, 0.5, 0.3))


@pytest.mark.slow
def test_fictitious_play_cycles_in_shapleys_game() -> None:
    """Stays at a station grow by the root 1.46557 of x⁵ = x⁴ + x³ − 1: a player leaves when two of its actions have
    earned alike over a past of stays that grow by x. Six stations are a round. Play ends near no equilibrium."""
    found = learning("shapley", "fictitious-play", iterations=20_000, start=THIRDS)
    assert found.course == "cycling"
    assert len(found.cycle) == 6
    assert all(len({plans[0], plans[1]}) == 2 for plans in found.cycle)  # never the same action
    assert found.growth == pytest.approx(1.46557**6, rel=0.03)
    assert found.last.average.nash is not None
    assert found.last.average.nash > 0.1
    assert found.last.joint.cce < 0.002
    assert found.last.joint.ce > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cfr", "cfr-hedge(rate=0.1)"])
def test_learners_without_regret_cycle_there_too_and_approach_the_coarse_set(method: str) -> None:
    found = learning("shapley", method, iterations=20_000, start=THIRDS)
    assert (found.course, len(found.cycle)) == ("cycling", 6)
    assert found.growth is not None
    assert found.growth > 5
    assert found.last.joint.cce < 0.002 < found.curve[5].joint.cce
    assert found.last.average.nash is not None
    assert found.last.average.nash > 0.1


def test_the_replicator_equation_circles_where_it_is_conservative() -> None:
    """Matching pennies, and rock-paper-scissors with equal starts: closed orbits (Hofbauer and Sigmund 1998)."""
    pennies = learning("matching_pennies", "replicator", iterations=2000, start=((0.7, 0.3), (0.5, 0.5)))
    rps = learning("rock_paper_scissors", "replicator", iterations=2000, start=((0.5, 0.3, 0.2), (0.5, 0.3, 0.2)))
    for found, stations in ((pennies, 4), (rps, 3)):
        assert (found.course, len(found.cycle)) == ("periodic", stations)
        assert found.growth == pytest.approx(1.0, abs=0.02)
        assert found.last.current.nash is not None
        assert found.last.average.nash is not None
        assert found.last.average.nash < 0.01 < 0.1 < found.last.current.nash  # the average of an orbit is its centre


def test_hedge_drifts_outward_and_its_average_does_not() -> None:
    found = learning("rock_paper_scissors", "cfr-hedge(rate=0.1)", iterations=2000, seed=1)
    assert found.course == "cycling"
    assert found.last.current.nash is not None
    assert found.last.average.nash is not None
    assert found.last.average.nash < 0.05 < 0.5 < found.last.current.nash


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fictitious-play", "replicator", "cfr-hedge(rate=0.1)", "cfr", "cfr+", "einr"])
def test_potential_games_settle_on_pure_equilibria(method: str) -> None:
    """A game of identical interests, and one with the same differences: from almost every start."""
    table = np.array([[4.0, 0, 1], [1, 3, 0], [0, 1, 2]])
    rows, columns = np.array([1.0, -2, 0]), np.array([0.0, 3, 1])
    for payoffs in ((table, table), (table + columns, table + rows[:, None])):
        for seed in range(3):
            found = learning(hn.matrix_game([one.tolist() for one in payoffs]), method, iterations=1500, seed=seed)
            assert found.course == "settled"
            assert found.pure
            assert found.last.current.nash is not None
            assert found.last.current.nash < 0.01


def test_distances_are_those_of_the_play(hannan: Any) -> None:
    """Two players with one equilibrium: distances by hand, from the solver's own strategies."""
    found = learning("prisoners_dilemma", "cfr+", iterations=7, seed=4)
    assert [point.iteration for point in found.curve] == [1, 2, 5, 7]
    solver: Any = hn.CFRPlus("prisoners_dilemma", updates="simultaneous")
    solver.warm_start(hn.random_profile("prisoners_dilemma", 4), 1)
    joint, weights = np.zeros((2, 2)), 0.0
    for t in range(1, 8):
        one, other = (part[1:] for part in solver.current().strategies)
        weight = t + 1  # cfr+ weighs iteration t by t, and the start counts as one
        joint, weights = joint + weight * np.outer(one, other), weights + weight
        solver.run(1)
    assert found.last.joint.ce == pytest.approx(1 - joint[1, 1] / weights, abs=1e-7)
    assert found.last.current.nash == pytest.approx(max(one[0], other[0]), abs=1e-12)
    words = ("correlated", "prisoners_dilemma", "--learning", "cfr+", "--seed", "4")
    record = hannan(*words, "--iterations", "7", "--json")
    assert record.record["curve"][-1]["joint"]["ce"] == found.last.joint.ce
    assert "settled" in hannan(*words).out


def test_gains_are_those_of_an_evaluation() -> None:
    found = learning("chicken", "cfr", iterations=1, start=((0.3, 0.7), (0.6, 0.4)))
    profile = hn.profile("chicken", [np.array([1, 0.3, 0.7]), np.array([1, 0.6, 0.4])])
    assert found.last.current.gain == pytest.approx(max(hn.evaluate(profile).gains), abs=1e-12)


def test_larger_games_and_three_players() -> None:
    """Kuhn poker has 1,728 combinations of plans: one equilibrium is looked for."""
    found = learning("kuhn_poker", "cfr", iterations=20)
    assert (found.equilibria, found.complete) == (1, False)
    assert found.last.average.nash is not None
    payoffs = np.random.default_rng(5).normal(size=(3, 2, 2, 2)).round(1).tolist()
    assert learning(hn.matrix_game(payoffs), "fictitious-play", iterations=50).curve[-1].iteration == 50
    with pytest.raises(UnsuitableError, match="for two players"):
        learning(hn.matrix_game(payoffs), "replicator")


REFUSED: list[tuple[Any, dict[str, Any], type[HannanError], str]] = [
    ("chicken", {"method": "lp"}, UnsuitableError, "keeps no play of an iteration"),
    ("chicken", {"method": "auto"}, ParameterError, "should name"),
    ("chicken", {"method": "mccfr-os"}, UnsuitableError, "keeps no play"),
    ("chicken", {"method": "cfr", "iterations": 0}, ParameterError, "iterations"),
    ("chicken", {"method": "cfr", "seed": 1, "start": [[1, 0], [1, 0]]}, ParameterError, "exclude each other"),
    ("chicken", {"method": "cfr", "start": [[1, 1], [1, 0]]}, ParameterError, "sum to 1"),
    ("chicken", {"method": "replicator", "start": [[1, 0], [0.5, 0.5]]}, ParameterError, "positive"),
    ("chicken", {"method": "hs-dcfr(horizon=9)", "seed": 1}, UnsuitableError, "cannot start"),
    ("chicken", {"iterations": 20_000_000}, SizeError, "numbers"),
    ("leduc_poker", {}, SizeError, "too large"),
]


@pytest.mark.parametrize(("game", "options", "kind", "words"), REFUSED)
def test_refusals(game: Any, options: dict[str, Any], kind: type[HannanError], words: str) -> None:
    with pytest.raises(kind, match=words):
        learning(game, **options)


@pytest.mark.parametrize(
    "words", [("--learning", "cfr", "--kind", "ce"), ("--learning", "cfr", "--leader", "0"), ("--seed", "3")]
)
def test_refusals_of_the_command(hannan: Any, words: tuple[str, ...]) -> None:
    refused = hannan("correlated", "chicken", *words)
    assert refused.code == 2
    assert "leave" in refused.err
