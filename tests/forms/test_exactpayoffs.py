"""Payoffs in fractions, against games whose numbers are known by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import hannan as hn
from hannan.forms.exactpayoffs import exact_payoffs, short_fraction, stored_payoffs
from hannan.forms.loader import load_expanded


@pytest.mark.parametrize(
    ("number", "meant"),
    [
        (1 / 3, Fraction(1, 3)),
        (0.1, Fraction(1, 10)),
        (-2.5, Fraction(-5, 2)),
        (0.0, Fraction(0)),
        (355 / 113, Fraction(355, 113)),
        (3.141592653589793, Fraction(3.141592653589793)),  # no short fraction rounds to it
        (1e300, Fraction(1e300)),
        (5e-324, Fraction(5e-324)),
    ],
)
def test_short_fractions(number: float, meant: Fraction) -> None:
    assert short_fraction(number) == meant


def test_odds_of_a_sixth_are_a_sixth() -> None:
    """Kuhn poker deals each of six pairs with probability 1/6, and pays 1 or 2."""
    payoffs = exact_payoffs(load_expanded("kuhn_poker"))
    assert payoffs.over == [6, 6]
    assert set(payoffs.gained[0]) == {-2, -1, 1, 2}
    assert payoffs.gained[0] == [-number for number in payoffs.gained[1]]


@pytest.mark.parametrize("address", ["leduc_poker", "goofspiel(cards=3)", "kuhn_poker(players=3)", "sheriff"])
def test_both_readings_differ_by_rounding_alone(address: str) -> None:
    game = load_expanded(address)
    read, stored = exact_payoffs(game), stored_payoffs(game)
    for player in range(game.players):
        sums = []
        for payoffs in (read, stored):
            total: dict[tuple[int, ...], float] = {}
            for key, gained in zip(zip(*payoffs.sequences, strict=True), payoffs.gained[player], strict=True):
                total[key] = total.get(key, 0.0) + float(Fraction(gained, payoffs.over[player]))
            sums.append(total)
        keys = sorted(sums[0].keys() | sums[1].keys())
        np.testing.assert_allclose([sums[0].get(k, 0) for k in keys], [sums[1].get(k, 0) for k in keys], atol=1e-12)


def test_a_locked_game_is_taken_as_it_is_stored() -> None:
    """The locked set folds a probability of 1/3 into the payoffs, as a float."""
    game = hn.lock("kuhn_poker", {0: {"J": {"p": 2 / 3, "b": 1 / 3}}})
    assert exact_payoffs(game) == stored_payoffs(game)


def test_what_uniform_play_earns() -> None:
    """Uniform play of Kuhn poker earns player 0 exactly 1/8: the known value of its tree, 0.125."""
    game = load_expanded("kuhn_poker")
    plans = []
    for plex in game.form.treeplexes:
        reach = [Fraction(1)] * plex.sequences
        for j in range(plex.sets):
            for sequence in range(int(plex.begin[j]), int(plex.begin[j + 1])):
                reach[sequence] = reach[int(plex.parent[j])] / int(plex.sizes[j])
        plans.append(reach)
    assert exact_payoffs(game).earned(plans) == (Fraction(1, 8), Fraction(-1, 8))
