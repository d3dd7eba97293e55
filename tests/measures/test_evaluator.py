"""The quick evaluator agrees with fractions, which share no loop with it, and with `evaluate`."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.methods import Evaluator

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "goofspiel(cards=3)",
    "matching_pennies",
    "random_game(depth=3,branching=2,seed=4,payoffs=general_sum)",
]


@pytest.mark.parametrize("address", GAMES)
def test_it_agrees_with_fractions(address: str) -> None:
    """Floats round sums of payoffs near 10, and probabilities sum to 1 but for rounding: 1e-12."""
    evaluator = Evaluator(address)
    for seed in range(3):  # one after another, since all profiles use the same room
        profile = hn.random_profile(evaluator.game, seed=seed)
        exact = hn.exact_gap(profile)
        assert evaluator.nash_conv(profile) == pytest.approx(float(exact.nash_conv), abs=1e-12)
        assert evaluator.values(profile.strategies) == pytest.approx([float(x) for x in exact.values], abs=1e-12)
        assert evaluator.gains(profile) == pytest.approx([float(x) for x in exact.gains], abs=1e-12)
        assert evaluator.nash_conv(profile) == pytest.approx(hn.evaluate(profile).nash_conv, abs=1e-12)


def test_strategies_of_another_game_are_refused() -> None:
    evaluator = Evaluator("kuhn_poker")
    with pytest.raises(hn.errors.MismatchError, match="the players of kuhn_poker have 13 and 13 sequences"):
        evaluator.nash_conv(hn.uniform("leduc_poker"))
    with pytest.raises(hn.errors.MismatchError, match="other sizes"):
        evaluator.nash_conv([np.ones(13)])
    with pytest.raises(hn.errors.MismatchError, match="other sizes"):
        Evaluator("kuhn_poker(players=3)").nash_conv([np.ones(25), np.ones(25)])
