from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hannan.errors import ParameterError
from hannan.games.random_game import random_game
from tests.games.checks import assert_names_are_unique, load, tree_of


def leaf_utilities(address: str) -> Any:
    tree = tree_of(address)
    assert (tree.turn[tree.gain_node] == -1).all()
    return tree.gain


def test_sizes() -> None:
    """Three stages of 3 x 3 joint moves after a chance node with two outcomes."""
    tree = tree_of("random_game(depth=3,branching=3,chance=2)")
    assert tree.counts["terminal"] == 18**3
    assert tree.counts["chance"] == 1 + 18 + 18**2
    assert tree.total == 0.0


def test_uniform_utilities_are_uniform() -> None:
    """Of 65,536 numbers on [-1, 1]: mean, variance and each tenth within five standard errors."""
    drawn = leaf_utilities("random_game(depth=4,branching=4)")[:, 0]
    count = len(drawn)
    assert count == 65_536
    assert np.unique(drawn).size == count
    assert abs(drawn.mean()) < 5 * math.sqrt(1 / 3 / count)
    assert abs((drawn**2).mean() - 1 / 3) < 5 * math.sqrt(4 / 45 / count)
    tenths, _ = np.histogram(drawn, 10, (-1, 1))
    assert np.abs(tenths - count / 10).max() < 5 * math.sqrt(count * 0.09)
    neighbours = np.corrcoef(drawn[:-1], drawn[1:])[0, 1]
    assert abs(neighbours) < 5 / math.sqrt(count)


def test_seeds_are_unrelated() -> None:
    one, two = (leaf_utilities(f"random_game(depth=3,branching=4,seed={seed})")[:, 0] for seed in (1, 2))
    assert abs(np.corrcoef(one, two)[0, 1]) < 5 / math.sqrt(len(one))


def test_a_seed_is_one_game_forever() -> None:
    """Computed by an independent formula in arbitrary precision: the first leaf of the default game."""
    mask = 2**32 - 1

    def scramble(x: int) -> int:
        x = (x ^ x >> 16) * 0x7FEB352D & mask
        x = (x ^ x >> 15) * 0x846CA68B & mask
        return x ^ x >> 16

    def absorb(bits: int, value: int) -> int:
        high, low = bits >> 32, bits & mask
        for odd, key in enumerate((value * 0x1E3779B1 + 1, 0x2545F491, 0x5851F42D, 0x14057B7E)):
            if odd % 2:
                low ^= scramble(high + key & mask)
            else:
                high ^= scramble(low + key & mask)
        return high << 32 | low

    bits = 0
    for value in (
        0,
        0,
        0,
        0,
        0,
        0,
        -1 - 32,
    ):  # the seed's halves, two stages of two actions, the tag of player 0
        bits = absorb(bits, value)
    high, low = bits >> 32, bits & mask
    expected = 2 * ((high >> 5) * 2**26 + (low >> 6)) / 2**53 - 1
    assert leaf_utilities("random_game")[0, 0] == expected


def test_ternary_utilities() -> None:
    gain = tree_of("random_game(depth=4,branching=3,utilities=ternary)")
    counted = [(gain.gain[:, 0] == value).sum() for value in (0.5, 1.0)]
    leaves = 9**4
    for count in (*counted, leaves - sum(counted)):
        assert abs(count - leaves / 3) < 5 * math.sqrt(leaves * 2 / 9)
    np.testing.assert_array_equal(gain.gain[:, 1], -gain.gain[:, 0])


@pytest.mark.parametrize("moves", ["joint", "turns"])
def test_edges_gain_after_every_move_of_the_players(moves: str) -> None:
    tree = tree_of(f"random_game(depth=3,branching=3,utilities=edges,chance=2,moves={moves})")
    assert set(np.unique(tree.gain)) == {-1.0, 0.0, 1.0} - {0.0}
    assert (tree.turn[tree.parent[tree.gain_node]] > 0).all()
    after_players = (tree.turn[tree.parent[1:]] > 0).sum()
    share = len(tree.gain_node) / after_players  # two in three are not 0
    assert abs(share - 2 / 3) < 5 * math.sqrt(2 / 9 / after_players)
    assert tree.highest[0] <= (3 if moves == "joint" else 6)


def test_chance_differs_from_node_to_node() -> None:
    tree = tree_of("random_game(depth=2,chance=3)")
    below = tree.probability[tree.turn[tree.parent] == 0][1:]
    assert np.unique(below).size == below.size
    assert below.min() > 0.03


def test_turns_without_hiding_is_perfect_information() -> None:
    tree = tree_of("random_game(depth=3,branching=2,moves=turns,chance=2,players=3)")
    assert sum(plex.sets for plex in tree.treeplexes) == tree.counts["decision"]
    assert tree.counts["joint"] == 0
    assert_names_are_unique(tree)


def test_hiding_merges_information_sets() -> None:
    """An own action, then one bit; eight joint moves all show the same bit with probability 1/128."""
    tree = tree_of("random_game(depth=2,branching=8,hidden=true)")
    for plex in tree.treeplexes:
        assert plex.level_begin.tolist() == [0, 1, 1 + 16]
    assert_names_are_unique(tree)


def test_identical_payoffs() -> None:
    gain = leaf_utilities("random_game(players=3,payoffs=identical)")
    np.testing.assert_array_equal(gain, gain[:, :1].repeat(3, axis=1))


def test_more_players_are_general_sum_by_default() -> None:
    assert tree_of("random_game(players=3)").total is None


def test_large_parameters() -> None:
    assert load("random_game(depth=1000,branching=1000)").width == 1000


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"depth": 0}, "depth=0 is out of range"),
        ({"branching": 0}, "branching=0 is out of range"),
        ({"seed": -1}, "seed=-1 is out of range"),
        ({"seed": 2**63}, "seed=9223372036854775808 is out of range"),
        ({"utilities": "normal"}, "utilities='normal' is not known"),
        ({"players": 7}, "players=7 is out of range"),
        ({"players": 3, "payoffs": "zero_sum"}, "for two players, not 3"),
        ({"chance": -1}, "chance=-1 is out of range"),
        ({"hidden": "yes"}, "true or false"),
        ({"moves": "joints"}, "did you mean 'joint'"),
        ({"payoffs": "zerosum"}, "did you mean 'zero_sum'"),
        ({"branching": 3000}, "branching=3000 is out of range"),
        ({"branching": 1000, "players": 6, "chance": 32}, "too large"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        random_game(**parameters)
