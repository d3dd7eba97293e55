"""Ranges of corrected scores: no play leaves them, and between tables plays come to both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.measures import values
from hannan.measures.corrections import corrected_ranges
from hannan.measures.imagined import imagined
from hannan.measures.players import playing, rule_player
from hannan.measures.plays import PlayTable
from hannan.measures.values import learnt_worth
from hannan.runs.match_pieces import game_streams

SEATINGS = np.array([[0, 1], [1, 0]])


def telling(sight: hn.Sight) -> Any:
    """Tell the probabilities of what is played."""
    return [0.9] + [0.1 / (len(sight.actions) - 1)] * (len(sight.actions) - 1)


def silent(sight: hn.Sight) -> Any:
    """Name an action."""
    return sight.actions[0 if sight.random.random() < 0.9 else -1]


def corrected(address: str, other: Any, rows: int, imagining: bool = True) -> tuple[Any, Any, Any]:
    """Return corrected scores of a table and another player, [rows, games a row, seats], and their range."""
    game = hn.load(address).expanded()
    one = playing(game, "one", hn.Policy.of_profile(hn.random_profile(game, seed=1)))
    two = rule_player(game, "two", other) if callable(other) else playing(game, "two", hn.Policy.of_profile(other))
    worth = learnt_worth(game, 50, 3)
    more = imagined(game, [one, two], SEATINGS, worth) if imagining else ()
    table = PlayTable(game, [one, two], SEATINGS, worth, more)
    batch = table.batch(*game_streams(1, 0, rows, 2, True))
    low, high = game.payoff_range
    return batch.corrected, *corrected_ranges(table, low, high)


@pytest.mark.parametrize("address", ["kuhn_poker", "goofspiel(cards=3)", "leduc_poker"])
@pytest.mark.parametrize("whole", [True, False])
def test_scores_between_tables_come_to_the_ends_of_their_range(
    address: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 30 deals and bets of Kuhn poker come up in 4,000 plays, so both ends do. Rounding: 1e-8."""
    if not whole:
        monkeypatch.setattr(values, "is_small", lambda rules: False)
    scores, least, most = corrected(address, hn.random_profile(address, seed=2), 4000)
    assert np.all(scores >= least)
    assert np.all(scores <= most)
    if whole and address == "kuhn_poker":
        np.testing.assert_allclose(scores.min(axis=0), least, atol=1e-8)
        np.testing.assert_allclose(scores.max(axis=0), most, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("imagining", [True, False])
@pytest.mark.parametrize("rule", [telling, silent])
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker"])
def test_no_score_against_a_rule_leaves_its_range(address: str, rule: Any, imagining: bool) -> None:
    scores, least, most = corrected(address, rule, 200, imagining)
    assert np.all(scores >= least)
    assert np.all(scores <= most)
