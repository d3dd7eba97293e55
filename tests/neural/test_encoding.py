"""What networks read: rows tell information sets apart, traversals and lists of all sets write the same ones."""

from __future__ import annotations

import numpy as np
import pytest

import hannan as hn
from hannan.games.catalogue import MODULES, PUBLIC
from hannan.neural.encoding import encoding_of, observation_number
from hannan.neural.sets import set_rows
from hannan.neural.traversals import Traversals, keys
from tests.delegating import Delegating
from tests.games.plain import Goofspiel, Kuhn
from tests.neural.plays import uniform_play

GAMES = ("kuhn_poker", "leduc_poker", "goofspiel(cards=3)", "liars_dice(faces=3)", "kuhn_poker(players=3)")


@pytest.mark.parametrize("address", GAMES)
def test_rows_tell_sets_apart_and_traversals_write_the_same(address: str) -> None:
    game = hn.load(address).expanded()
    encoding = encoding_of(game)
    rows, walks = set_rows(game, encoding), Traversals(game, encoding)
    walks.run(0, keys(1, 1, 0, 300), uniform_play)
    for player, mine in enumerate(rows):
        lines = {line.tobytes() for line in mine.known}
        assert len(lines) == game.form.treeplexes[player].sets
        chosen = np.flatnonzero(walks.rows.player[: walks.rows_used] == player)
        assert {line.tobytes() for line in walks.rows.known[chosen]} <= lines


@pytest.mark.parametrize("rules", [Kuhn(), Goofspiel(3)])
def test_plain_rules_are_read_by_their_history(rules: hn.Rules) -> None:
    game = hn.load(rules).expanded()
    encoding = encoding_of(game)
    assert encoding.features == 0
    walks = Traversals(game, encoding)
    walks.run(0, keys(1, 1, 0, 50), uniform_play)
    for player, mine in enumerate(set_rows(game, encoding)):
        lines = {line.tobytes() for line in mine.known}
        assert len(lines) == game.form.treeplexes[player].sets
        chosen = np.flatnonzero(walks.rows.player[: walks.rows_used] == player)
        assert {line.tobytes() for line in walks.rows.known[chosen]} <= lines


def test_through_the_plain_door_rows_and_draws_are_the_same() -> None:
    """Compiled Kuhn, asked as plain rules: the same codes and observations, so the same bits."""
    compiled = hn.load("kuhn_poker").expanded()
    plain = hn.load(Delegating(compiled.rules)).expanded()
    encoding = encoding_of(compiled, "history")
    one, other = Traversals(compiled, encoding), Traversals(plain, encoding)
    for walks in (one, other):
        walks.run(1, keys(7, 1, 1, 40), uniform_play)
        walks.go_back(1)
    assert one.used == other.used
    np.testing.assert_array_equal(one.rows.known[: one.rows_used], other.rows.known[: other.rows_used])
    np.testing.assert_array_equal(one.nodes.value[: one.used], other.nodes.value[: other.used])


def test_regrets_of_sampled_traversals_have_the_right_mean() -> None:
    """Uniform play in Kuhn poker: what the root is worth, within 4 standard errors, for every `actions`."""
    game = hn.load("kuhn_poker").expanded()
    exact = hn.evaluate(game, hn.uniform(game)).values
    walks = Traversals(game, encoding_of(game))
    for player in (0, 1):
        for most in (1, 2):
            walks.run(player, keys(5, most, player, 4000), uniform_play, most)
            walks.go_back(player)
            worth = walks.nodes.value[:4000, player]
            assert abs(worth.mean() - exact[player]) < 4 * worth.std() / 4000**0.5


def test_observations_that_are_no_numbers_get_one_that_lasts() -> None:
    assert observation_number(5) == 5
    assert observation_number((1, "x")) == observation_number((1, "x")) != observation_number((1, "y"))
    with pytest.raises(hn.HannanError, match="another text in every process"):
        observation_number(object())


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ("matrix_game", *PUBLIC)])
def test_every_compiled_game_is_read_by_features(name: str) -> None:
    game = hn.load(name).played()
    game = hn.views.PlayedGame(game.rules, game.name, game.parameters, built_in=True)
    encoding = encoding_of(game, "features")
    walks = Traversals(game, encoding)
    walks.run(0, keys(0, 1, 0, 10), uniform_play, 1)
    assert np.isfinite(walks.rows.known[: walks.rows_used]).all()
    size, head = walks.rows.size[: walks.rows_used], walks.rows.head[: walks.rows_used]
    assert encoding.heads >= size.max()
    for many, heads in zip(size, head, strict=True):
        assert len(set(heads[:many].tolist())) == many  # no two actions of a set share a number


def test_large_games_are_read_by_features() -> None:
    encoding = encoding_of(hn.load("liars_dice(dice=5)").played())
    assert (encoding.steps, encoding.heads) == (0, 61)
    assert encoding.features == 6 + 61
