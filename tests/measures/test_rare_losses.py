"""What is called a bound holds where large losses are rare; normal and Student intervals of the same runs do not."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.measures.estimates import Effort, estimate
from tests.measures.rare import LOSS, matches, rare_loss, responses

RUNS = 20
MOST = 4
"""Of 20 statements at 95 %, 1 may be false; 3 standard deviations more are 3."""


@pytest.mark.slow
@pytest.mark.parametrize(("probability", "power"), [(1e-5, 15), (1e-4, 10), (0.1, 0)])
def test_lower_bounds_hold(probability: float, power: int) -> None:
    """Power: that many of the normal intervals lie above what a best response gains, of the same runs."""
    told = responses(probability, RUNS)
    assert told.bounds <= MOST
    assert told.intervals >= power


@pytest.mark.slow
@pytest.mark.parametrize(("probability", "power"), [(1e-5, 17), (1e-4, 17), (1e-3, 10), (1e-2, 0), (0.1, 0)])
def test_bounds_on_scores_hold(probability: float, power: int) -> None:
    told = matches(probability, RUNS)
    assert told.bounds <= MOST
    assert told.intervals >= power


@pytest.mark.slow
@pytest.mark.parametrize("probability", [1e-4, 1e-3, 0.1])
def test_early_decisions_are_right(probability: float) -> None:
    """Whoever takes the risk loses in the long run for p above 1e-4, by next to nothing at 1e-4."""
    told = matches(probability, RUNS, games=2000, decide=True)
    assert told.bounds <= MOST


def test_bounds_that_are_not_trivial_are_found_all_the_same() -> None:
    """With a loss of 3 in place of 10,000, 2,000 plays tell that the risk pays."""
    game = rare_loss(0.01, -3.0)
    best = hn.evaluate(game, hn.uniform(game)).gains[0]
    found = hn.respond(hn.Policy.uniform(game.played()), 0, "learned", walks=200, plays=2000)
    assert found.lower_bound is not None
    assert 0.8 * best < found.lower_bound < best


def test_without_a_range_there_is_an_interval_and_no_bound() -> None:
    game = hn.views.PlayedGame(rare_loss(1e-4).rules)
    policy = hn.Policy.uniform(game)
    found = hn.respond(policy, 0, "learned", walks=50, plays=200)
    assert (found.lower_bound, found.half_width) == (None, None)
    assert found.interval_half_width > 0
    assert "no bound" in repr(found)
    assert hn.rollouts(policy, plays=200).half_widths is None
    result = hn.match(game, policy, policy, games=40)
    assert result.half_widths is None
    assert result.record()["half_widths"] is None
    assert hn.match(game, policy, policy, games=40, bounds=(LOSS, -LOSS)).half_widths[0] < 20_001
    told = estimate(policy, "learned", effort=Effort(plays=200, walks=50))
    assert (told.nash_conv, told.lower_bounds) == (None, (None, None))
    with pytest.raises(hn.errors.UnsuitableError, match="give bounds, LOW,HIGH"):
        hn.match(game, policy, policy, games=40, decide=True)


def test_a_range_that_plays_leave_is_refused() -> None:
    game = hn.views.PlayedGame(rare_loss(0.5).rules)
    policy = hn.Policy.uniform(game)
    with pytest.raises(hn.errors.ParameterError, match="player 0 earned -10000 in a play, but by the bounds"):
        hn.rollouts(policy, plays=100, bounds=(-1.0, 1.0))
    with pytest.raises(hn.errors.ParameterError, match="earns -1 to 1"):
        hn.respond(policy, 0, "learned", walks=20, plays=100, bounds=(-1.0, 1.0))
    with pytest.raises(hn.errors.ParameterError, match="seat 0 earned"):
        hn.match(game, policy, policy, games=100, bounds=(-1.0, 1.0))
    for wrong in [(1.0, 1.0), (2.0, 1.0), (1.0,), "1,0"]:
        with pytest.raises(hn.errors.ParameterError, match="bounds="):
            hn.rollouts(policy, plays=100, bounds=wrong)  # type: ignore[arg-type]


def test_all_bounds_of_an_evaluation_hold_together() -> None:
    """Values, responses, and responses to uniform play share the failure probability: each is bounded at more."""
    game = rare_loss(0.01, -3.0)
    policy = hn.Policy.of_profile(hn.profile(game, {0: {0: [0.7, 0.3]}}))
    told = estimate(policy, "learned", effort=Effort(plays=2000, walks=100, confidence=0.94))
    assert told.confidence == 0.94
    assert told.rollouts.confidence == pytest.approx(0.98)
    assert told.responses is not None
    assert [one.confidence for one in told.responses] == pytest.approx([0.99, 0.99])
    exact = hn.evaluate(game, policy.profile())
    assert told.lower_bounds is not None
    for bound, gain in zip(told.lower_bounds, exact.gains, strict=True):
        assert bound is not None
        assert bound <= gain
    assert told.record()["uniform_lower_bounds"][0] > 0
