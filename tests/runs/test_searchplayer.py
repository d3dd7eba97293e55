"""A search that plays matches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hannan as hn
from hannan.errors import MismatchError, UnknownNameError, UnsuitableError
from hannan.forms.loader import load
from hannan.runs.searchplayer import search_player
from tests.delegating import Delegating

GOOFSPIEL = "goofspiel(cards=3,information=open)"
PLAYER = "search(rule='rm-mean',iterations=300)"


@pytest.mark.slow
def test_it_wins_against_uniform_play_and_is_the_same_with_the_same_seed() -> None:
    game = "goofspiel(cards=4,information=open,order=descending)"
    one, other = (hn.match(game, "search(rule='rm',iterations=1000)", "uniform", games=60, seed=1) for _ in range(2))
    assert one.scores == other.scores
    assert one.scores[0] > one.interval_half_widths[0]


def test_plain_and_compiled_rules_play_the_same() -> None:
    game = hn.load(GOOFSPIEL)
    ours, theirs = (hn.match(one, PLAYER, "uniform", games=12) for one in (game, Delegating(game.played().rules)))
    assert ours.scores == theirs.scores


def test_it_keeps_its_tree_between_moves() -> None:
    game = load("goofspiel(cards=4,information=open,order=descending)").played()
    seat = search_player(game, "search", {"rule": "rm", "iterations": 2000}).sit(0, 5)
    rules, state = game.rules, game.rules.start()
    searcher = seat._searcher  # type: ignore[attr-defined]
    for before, move in ((0, (0, 1)), (1, (0, 1)), (1, (0, 0))):
        menu = list(rules.actions(state, 0))
        answer = seat.choose(rules.observe(state, 0), menu)
        assert answer.weights.sum() == pytest.approx(1)
        assert float(searcher.tree.number[0, 0]) >= 2000 + before
        seat.took(move[0])
        state = rules.after(state, (menu[move[0]], list(rules.actions(state, 1))[move[1]]))
    assert len(searcher.position) == 2


def test_chance_and_turns_lie_between_its_moves() -> None:
    hn.match("tic_tac_toe", "search(iterations=50)", "uniform", games=4)
    chance = "random_game(depth=3,branching=2,chance=3,seed=1)"
    result = hn.match(chance, "search(iterations=200)", "search(rule='exp3',iterations=200,seed=4)", games=6)
    assert np.isfinite(result.scores).all()


def test_it_meets_a_file(tmp_path: Path) -> None:
    path = tmp_path / "g.strategy"
    hn.save(hn.solve(GOOFSPIEL, "lp").profile, path)
    result = hn.match(GOOFSPIEL, PLAYER, path, games=20)
    assert result.players[0] == PLAYER


def test_a_searcher_of_ones_own_plays_too() -> None:
    """With a function that judges leaves, which no address can name."""
    one = hn.Searcher(GOOFSPIEL, "rm", evaluation=lambda state: 0.0)
    result = hn.match(GOOFSPIEL, one, "uniform", games=2)
    assert result.players == ("Searcher", "uniform")
    assert one.iterations == 0
    one.advance("$1")
    with pytest.raises(MismatchError, match="a player begins where play does"):
        hn.match(GOOFSPIEL, one, "uniform", games=2)
    with pytest.raises(MismatchError, match="searches biased_rps and not"):
        hn.match(GOOFSPIEL, hn.Searcher("biased_rps"), "uniform", games=2)


def test_what_it_refuses() -> None:
    with pytest.raises(UnsuitableError, match=r"cannot tell r:\S+ from r:\S+"):
        hn.match("kuhn_poker", PLAYER, "uniform", games=2)
    with pytest.raises(UnknownNameError, match="no option 'rul'; did you mean 'rule'"):
        hn.match(GOOFSPIEL, "search(rul='rm')", "uniform", games=2)
