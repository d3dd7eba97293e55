from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.errors import FileError, HannanError, ParameterError
from hannan.files import kind_of, read_arrays, write_arrays
from hannan.forms.expansion import expand
from hannan.games.matrix import matrix_game
from tests.games.checks import load, tree_of


def test_zero_sum_from_one_matrix() -> None:
    tree = expand(matrix_game([[1, -2, 3], [0.1, 5, 0]]))
    assert tree.turn.tolist() == [3, -1, -1, -1, -1, -1, -1]
    gain = np.zeros((7, 2))
    gain[tree.gain_node] = tree.gain
    np.testing.assert_array_equal(gain[1:, 0], [1, -2, 3, 0.1, 5, 0])
    np.testing.assert_array_equal(gain[:, 1], -gain[:, 0])


def test_general_sum_from_one_array_a_player() -> None:
    payoffs = np.random.default_rng(1).normal(size=(3, 2, 4, 3))
    for given in (payoffs, payoffs.tolist(), list(payoffs)):
        tree = expand(matrix_game(given))
        assert [plex.sequences - 1 for plex in tree.treeplexes] == [2, 4, 3]
        np.testing.assert_array_equal(tree.gain, payoffs.reshape(3, -1).T)


def test_changing_the_array_later_changes_nothing() -> None:
    payoffs = np.eye(2)
    rules = matrix_game(payoffs)
    payoffs[:] = 7
    assert rules.gains(rules.after(rules.start(), (0, 0))) == [1.0, -1.0]


def test_an_address() -> None:
    rules = load("matrix_game(payoffs=[[1,-1],[-1,1.5]])")
    assert rules.gains(rules.after(rules.start(), (1, 1))) == [1.5, -1.5]


@pytest.mark.parametrize(
    ("name", "joint", "gains"),
    [
        ("rock_paper_scissors", ("paper", "rock"), [1, -1]),
        ("biased_rps", ("rock", "scissors"), [0.5, -0.5]),
        ("biased_rps", ("paper", "scissors"), [-0.05, 0.05]),
        ("matching_pennies", ("heads", "heads"), [1, -1]),
        ("prisoners_dilemma", ("cooperate", "defect"), [0, 5]),
        ("prisoners_dilemma", ("defect", "defect"), [1, 1]),
        ("chicken", ("dare", "yield"), [7, 2]),
        ("chicken", ("yield", "yield"), [6, 6]),
        ("shapley", ("rock", "scissors"), [1, 0]),
        ("shapley", ("scissors", "rock"), [0, 1]),
    ],
)
def test_famous_payoffs(name: str, joint: tuple[str, str], gains: list[float]) -> None:
    rules = load(name)
    start = rules.start()
    words = [[rules.action_text(player, a) for a in rules.actions(start, player)] for player in range(2)]
    move = tuple(words[player].index(joint[player]) for player in range(2))
    assert rules.gains(rules.after(start, move)) == gains


def test_equilibrium_of_biased_rps() -> None:
    """(1, 10, 5)/16 guarantees 0 to either player (papers.md); to rounding."""
    tree = tree_of("biased_rps")
    payoff = np.zeros(10)
    payoff[tree.gain_node] = tree.gain[:, 0]
    mix = np.array([1, 10, 5]) / 16
    assert np.abs(mix @ payoff[1:].reshape(3, 3)).max() < 1e-15


@pytest.mark.parametrize(
    ("payoffs", "sentence"),
    [
        ([[1, 2], [3]], "lists of equal length"),
        ([[1, "x"]], "are not numbers"),
        (None, "neither one matrix"),
        ([1, 2, 3], "neither one matrix"),
        (3, "neither one matrix"),
        (np.zeros((3, 2, 2)), r"shape \(3, 2, 2\)"),
        (np.zeros((2, 2, 2, 2)), "neither one matrix"),
        ([[]], "without an action"),
        ([[1, float("nan")]], r"at \(0, 1\) are not all finite"),
        (np.zeros((15,) + (1,) * 15), "15 players; at most 14"),
        ([[1j]], "are not numbers"),
        ([[1, 2], [-2e150, 3]], r"at \(1, 0\) are not all below 1e\+150"),
        ([[10**400]], "are not numbers"),
    ],
)
def test_bad_payoffs(payoffs: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        matrix_game(payoffs)


def test_a_large_matrix_has_a_short_name(tmp_path: Path) -> None:
    """Shape and digest: the same payoffs have the same name, one other payoff another one."""
    large = np.random.default_rng(0).normal(size=(30, 20))
    game = hn.load(large)
    assert re.fullmatch(r"matrix_game\(30x20, [0-9a-f]{16}\)", game.address)
    assert hn.load(large.tolist()).address == hn.load([large, -large]).address == game.address
    other = large.copy()
    other[29, 19] += 1e-9
    assert hn.load(other).address != game.address
    result = hn.solve(large, gap=1e-2)
    assert len(str(result)) < 300
    hn.save(result.profile, tmp_path / "x")
    assert (tmp_path / "x").stat().st_size < 20_000
    assert hn.read(tmp_path / "x", large).game.address == game.address
    with pytest.raises(
        FileError, match=r"matrix_game\(30x20, .*, whose payoffs are not in the file: give the game too"
    ):
        hn.read(tmp_path / "x")
    with pytest.raises(HannanError, match=r"belongs to matrix_game\(30x20, .*, not to matrix_game\(30x20, "):
        hn.read(tmp_path / "x", other)
    with pytest.raises(HannanError, match="does not hold its payoffs: give the game too"):
        hn.load(game.address)


def test_a_small_matrix_keeps_its_address() -> None:
    small = np.arange(200.0).reshape(10, 20)
    assert hn.load(hn.load(small).address).address == hn.load(small).address


def test_files_of_older_versions_hold_all_payoffs(tmp_path: Path) -> None:
    """Profiles are compared by a hash, policies by what they say of their game."""
    large = np.random.default_rng(1).normal(size=(15, 15))
    old = {"game": "matrix_game", "parameters": {"payoffs": large.tolist()}, "built_in": True}
    profile, policy = hn.uniform(large), hn.Policy.uniform(hn.load(large))
    for strategy, name in ((profile, "profile"), (policy, "policy")):
        hn.save(strategy, tmp_path / "new")
        kind = kind_of(tmp_path / "new")
        assert kind is not None
        arrays, facts = read_arrays(tmp_path / "new", kind)
        write_arrays(tmp_path / name, kind, arrays, {**facts, **old})
        assert hn.read(tmp_path / name).game.address == hn.load(large).address
        assert hn.read(tmp_path / name, large).game.address == hn.load(large).address
        with pytest.raises(HannanError, match=r"belongs to .?matrix_game"):
            hn.read(tmp_path / name, -large)
