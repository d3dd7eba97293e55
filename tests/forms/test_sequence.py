"""The sequence form says what the tree says: values of strategies, inner gains, sums, and the hash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hannan.errors import UnsuitableError
from hannan.forms import sequence, treeplex
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import load_expanded as load
from hannan.games.matrix import matrix_game
from hannan.measures.appraisal import evaluate
from hannan.rules.plain import Rules
from hannan.runs.solve import solve
from hannan.strategies.profile import profile, random_profile, uniform
from tests.forms.test_tree import RANDOM
from tests.matching import grown, plan_of
from tests.plaingames import Alone, Coins, Lottery, Over, Split
from tests.reference import values

TOLERANCE = 1e-12
"""Absolute: utilities of a few units, sums of at most some hundred terms."""


def _value(game: ExpandedGame, strategies: list[np.ndarray]) -> list[float]:
    """Add up payoff times reach over the entries, straight from the definition."""
    form = game.form
    reaches = []
    for plex, strategy in zip(form.treeplexes, strategies, strict=True):
        reach = np.ones(plex.sequences)
        for s in range(1, plex.sequences):
            reach[s] = reach[plex.parent[plex.set_of[s]]] * strategy[s]
        reaches.append(reach)
    weight = np.ones(form.entries)
    for reach, sequences in zip(reaches, form.sequences, strict=True):
        weight *= reach[sequences]
    return [float(form.payoff(player) @ weight) for player in range(form.players)]


def _pure(game: ExpandedGame, seed: int) -> list[np.ndarray]:
    draw = np.random.default_rng(seed)
    strategies = []
    for plex in game.form.treeplexes:
        strategy = np.zeros(plex.sequences)
        strategy[0] = 1.0
        strategy[plex.begin[:-1] + draw.integers(0, plex.sizes)] = 1.0
        strategies.append(strategy)
    return strategies


def check_values(game: ExpandedGame, seed: int) -> None:
    tree = grown(game)
    mixed = [*random_profile(game, seed).strategies]
    for strategies in (_pure(game, seed), _pure(game, seed + 1), mixed):
        expected = values(tree, plan_of(profile(game, strategies)))
        assert _value(game, strategies) == pytest.approx(expected, abs=TOLERANCE)


@settings(max_examples=20)
@given(address=RANDOM, seed=st.integers(0, 1000))
def test_values_in_random_games(address: str, seed: int) -> None:
    check_values(load(address), seed)


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["zero_sum", "identical"]))
def test_values_in_games_of_other_kinds(seed: int, kind: str) -> None:
    check_values(load(f"random_game(seed={seed},hidden=true,utilities=edges,payoffs={kind},chance=2)"), seed)


@pytest.mark.parametrize("rules", [Coins(), Over(), Lottery(), Alone(), Split()], ids=lambda r: type(r).__name__)
def test_values_at_the_edges(rules: Rules) -> None:
    check_values(load(rules), 1)


def test_entries_are_sorted_and_unique() -> None:
    for address in ("kuhn_poker(players=3)", "goofspiel(cards=3)", "leduc_poker"):
        form = load(address).form
        tuples = [tuple(column) for column in form.sequences.T.tolist()]
        assert tuples == sorted(set(tuples))
        assert (form.payoffs != 0).any(axis=0).all()


@pytest.mark.parametrize(
    ("rules", "rows", "competitive"),
    [
        ("kuhn_poker", 1, True),
        ("kuhn_poker(players=3)", 3, False),
        ("chicken", 2, False),
        (Split(), 2, True),
        (Alone(), 1, False),
        (Coins(), 2, False),
        ("random_game(utilities=edges)", 1, True),
    ],
    ids=str,
)
def test_one_row_where_the_other_player_loses_it(rules: str | Rules, rows: int, competitive: bool) -> None:
    form = load(rules).form
    assert form.payoffs.shape == (rows, form.entries)
    assert form.sequences.shape == (form.players, form.entries)
    assert form.competitive is competitive


@pytest.mark.parametrize("address", ["kuhn_poker", "kuhn_poker(players=3)", "battleship(shots=2)", "chicken"])
def test_large_forms_hold_the_same_in_less(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sequences of player 0 are ranges of entries; those of large games are written out anew for whoever asks."""
    kept = load(address).form
    assert kept.sequences is kept.sequences
    monkeypatch.setattr(sequence, "LARGE", 1)
    monkeypatch.setattr(treeplex, "MANY", 1)
    large = load(address).form
    assert large.sequences is not large.sequences
    assert large.bytes < kept.bytes
    assert large.hash == kept.hash
    np.testing.assert_array_equal(large.sequences, kept.sequences)
    for player, (one, other) in enumerate(zip(large.treeplexes, kept.treeplexes, strict=True)):
        np.testing.assert_array_equal(large.sequence(player), kept.sequences[player])
        np.testing.assert_array_equal(one.action, other.action)
        assert one.action.itemsize < other.action.itemsize
    again = sequence.form_of(kept.treeplexes, kept.sequences, kept.payoffs, kept.total)
    assert again.hash == kept.hash
    assert again.first.tolist() == kept.first.tolist()


@pytest.mark.parametrize(
    ("codes", "kind"),
    [([-1, 127], np.int8), ([-1, 128], np.int16), ([-129, 5], np.int16), ([-1, 2**31 - 1], np.int32),
     ([-1, 2**31], np.int64), ([-(2**63), 2**63 - 1], np.int64)],
)  # fmt: skip
def test_codes_of_actions_fit_their_type(codes: list[int], kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treeplex, "MANY", 1)
    narrow = treeplex.narrowed(np.array(codes))
    assert narrow.dtype == kind
    assert narrow.tolist() == codes


class SettledLater(Split):
    """Zero-sum at the end, not on the way: what player 0 is paid early, player 1 loses only at the end."""

    def gains(self, state: tuple[tuple[int, int], ...]) -> tuple[float, float]:
        first, second = super().gains(state)
        return (first, second - 10.0) if len(state) == 2 else (first, second)


def test_zero_sum_in_the_end_is_enough() -> None:
    """One row then stands for both players: total utilities are opposed, whatever was gained on the way."""
    game = load(SettledLater())
    assert game.tree.total == 0.0
    assert game.form.payoffs.shape[0] == 1
    check_values(game, 5)


def test_hash_tells_payoffs_apart() -> None:
    """By one unit in the last place, by who gains, and by structure; not by how the game came about."""
    base = [[1.0, 2.0], [3.0, 4.0]]
    games = [
        matrix_game(base),
        matrix_game([[1.0, 2.0], [3.0, float(np.nextafter(4.0, 5.0))]]),
        matrix_game([base, base]),
        matrix_game([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0]]),
        matrix_game([[1.0, 3.0], [2.0, 4.0]]),
    ]
    hashes = [load(rules).form.hash for rules in games]
    assert len(set(hashes)) == len(games)
    assert load("matrix_game(payoffs=[[1,2],[3,4]])").form.hash == hashes[0]
    assert load(Coins()).form.hash == load(Coins()).form.hash != load(Split()).form.hash


def test_two_zeros_are_one() -> None:
    one, other = (load(matrix_game([[[0.0, 1.0]], [[zero, 1.0]]])).form.hash for zero in (0.0, -0.0))
    assert one == other


def test_a_game_that_is_over_at_once() -> None:
    """Nobody has a choice: the values are the gains at the root, 2 and -3."""
    assert evaluate(Over(), uniform(load(Over()))).values == (2.0, -3.0)
    assert load(Over()).form.entries == 1


def test_a_lottery() -> None:
    """By hand: 0.2·1 − 0.5 = −0.3 and 0.3·2 − 0.5 = 0.1."""
    measured = evaluate(Lottery(), uniform(load(Lottery())))
    assert measured.values == pytest.approx((-0.3, 0.1), abs=TOLERANCE)
    assert measured.nash_conv == pytest.approx(0.0, abs=TOLERANCE)


@pytest.mark.parametrize("rules", [Over(), Lottery()])
def test_a_game_in_which_nobody_decides_is_said_to_be_that(rules: Rules) -> None:
    with pytest.raises(UnsuitableError, match=r"no player ever decides in (Over|Lottery): there is nothing to solve"):
        solve(rules, iterations=2)
    assert load(rules).sizes.kind == "no player ever decides"


def test_one_player() -> None:
    """By hand: going earns 0.75, staying and calling the coin that was seen earns 1."""
    found = solve(Alone(), "cfr+", iterations=1000)
    assert found.values[0] == pytest.approx(1.0, abs=0.01)
    assert evaluate(Alone(), found.profile).best_values[0] == pytest.approx(1.0, abs=TOLERANCE)
    assert evaluate(Alone(), uniform(Alone())).values[0] == pytest.approx((0.75 + 0.5) / 2, abs=TOLERANCE)


def test_a_constant_sum_game() -> None:
    """Symmetric, so each gets half of the ten; NashConv is what stops it, since interests are opposed."""
    found = solve(Split(), gap=1e-6, iterations=10_000)
    assert found.stop == "gap"
    assert found.values == pytest.approx((5.0, 5.0), abs=1e-5)
    assert sum(found.values) == pytest.approx(10.0, abs=TOLERANCE)
    assert load(Split()).form.total == 10.0
    assert found.cce_gap is not None
    assert found.cce_gap < 0.1
