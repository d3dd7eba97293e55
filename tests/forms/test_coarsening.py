"""Maps that let players forget: what they may return, and what is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hannan as hn
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.coarsening import forget
from tests import loaded
from tests.forgetting import betting, suits

WRONG: list[tuple[Any, str]] = [
    (3, "forget=3 should be a function"),
    ("suits", "file.py:function"),
    (lambda player, name: name, "no player forgets anything"),
    (lambda player, name: 1, "the map returned 1 for player 0 at 'Js'; expected text"),
    (lambda player, name: "", "which have different actions"),
    (lambda name: name, "the map raised"),
]


@pytest.mark.parametrize(("map", "words"), WRONG)
def test_what_is_no_map_is_refused(map: Any, words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        forget("leduc_poker", map)
    assert words in str(refused.value)


def test_a_player_may_not_forget_that_it_was_there() -> None:
    """Player 0 of Kuhn poker moves again after a bet, with the same two actions."""
    with pytest.raises(ParameterError, match="absent-minded"):
        _ = forget("kuhn_poker", lambda player, name: name[0]).tied


def test_forgetting_twice_is_refused() -> None:
    once = forget("leduc_poker", suits)
    for game in (once, once.tied):
        with pytest.raises(ParameterError, match="players forget already"):
            forget(game, betting)


def test_what_walks_the_game_refuses_it() -> None:
    game = forget("leduc_poker", suits)
    for method in ("lp", "einr", "komwu", "mccfr-es", "mccfr-os", "bi", "efce"):
        with pytest.raises(UnsuitableError, match="Full-width methods"):
            hn.solve(game, method, iterations=1)
        with pytest.raises(UnsuitableError, match="full-width methods"):
            hn.solve(game.tied, method, iterations=1)
    for ask in (hn.equilibria, hn.check_game, hn.normal_form, hn.draw, hn.qre, hn.certify):
        for one in (game, game.tied):
            with pytest.raises(UnsuitableError, match="forget"):
                ask(one)


def test_layouts_threads_and_starts_are_refused() -> None:
    game = forget("leduc_poker", suits)
    for parameters in ({"threads": 2}, {"layout": "tiled"}, {"device": "cuda"}):
        with pytest.raises(ParameterError, match="plain layout"):
            hn.solve(game, "cfr", iterations=1, **parameters)
    with pytest.raises(UnsuitableError, match="cannot start from a strategy"):
        hn.solve(game, "cfr", start=hn.uniform("leduc_poker"), iterations=1)


def test_a_forgetful_game_is_written_as_gambit_has_it(tmp_path: Path) -> None:
    """The file states the sets of the map; read back, the same iterations give the same play."""
    game = hn.views.forget("leduc_poker", betting)
    hn.export_game(game, tmp_path / "leduc.efg")
    back = hn.load(tmp_path / "leduc.efg")
    assert isinstance(back, hn.views.ForgetfulGame)
    assert back.stated_sets == game.stated_sets == (36, 36)
    ours, theirs = (hn.solve(one, "cfr", iterations=10, gap=0.0) for one in (game, back))
    assert theirs.nash_conv == pytest.approx(ours.nash_conv, abs=1e-9)
    assert theirs.values == pytest.approx(ours.values, abs=1e-9)


def test_three_players() -> None:
    game = loaded.game("kuhn_poker(players=3)")
    forgetful = forget(game, lambda player, name: name if player else f"{len(name)} {' '.join(game.actions_at(0, 0))}")
    assert "player 0 does not tell apart" in str(forgetful.forgetting)
