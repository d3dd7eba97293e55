"""The quick evaluator agrees with `evaluate`, which checks and shares no loop with it."""

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
    "random_game(depth=3,branching=2,seed=4,payoffs=general_sum)",
]


@pytest.mark.parametrize("address", GAMES)
def test_it_agrees_with_evaluate(address: str) -> None:
    """Both add the same terms in other orders: they differ by rounding of payoffs near 10, 1e-12."""
    evaluator = Evaluator(address)
    for seed in range(5):
        profile = hn.random_profile(evaluator.game, seed=seed)
        slow = hn.evaluate(profile)
        assert evaluator.nash_conv(profile) == pytest.approx(slow.nash_conv, abs=1e-12)
        assert evaluator.values(profile.strategies) == pytest.approx(slow.values, abs=1e-12)
        assert evaluator.gains(profile) == pytest.approx(slow.gains, abs=1e-12)


def test_strategies_of_another_game_are_refused() -> None:
    evaluator = Evaluator("kuhn_poker")
    with pytest.raises(hn.errors.MismatchError, match="the players of kuhn_poker have 13 and 13 sequences"):
        evaluator.nash_conv(hn.uniform("leduc_poker"))
    with pytest.raises(hn.errors.MismatchError, match="other sizes"):
        evaluator.nash_conv([np.ones(13)])
