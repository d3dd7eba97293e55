"""Grids: every information set has a place of its own, and the row is what the player holds."""

from __future__ import annotations

import pytest

import hannan as hn
from hannan.strategies.public import PublicStrategy
from hannan.web.cells import SetCells
from tests import loaded

ROWS = {
    "kuhn_poker": ["J", "Q", "K"],
    "kuhn_poker(players=3)": ["J", "Q", "K", "A"],
    "leduc_poker": ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"],
    "leduc_poker(ranks=3,merge_suits=true)": ["J", "Q", "K"],
    "liars_dice(faces=4)": ["1", "2", "3", "4"],
}
"""The cards or dice of one player, as the rules of each game state them."""


@pytest.mark.parametrize("address", ROWS)
def test_every_set_has_a_place_of_its_own(address: str) -> None:
    game = loaded.game(address)
    cells = SetCells(game)
    for player in range(game.players):
        grid = cells.player(player)
        sets = game.form.treeplexes[player].sets
        assert len(grid.placed) == len(grid.cells) == sets
        assert grid.rows == ROWS[address]
        for number, (row, column, label) in grid.placed.items():
            assert grid.cells[row, column] == number
            assert game.set_text(player, number).startswith(row)
            assert label.startswith(row)


def test_columns_are_what_everybody_knows() -> None:
    """In Leduc poker a column is the betting and the board: player 1 holds any card but the board's."""
    grid = SetCells(loaded.game("leduc_poker")).player(1)
    rows = sorted(row for row, column in grid.cells if column == "cc/Ks-c")
    assert rows == ["Jh", "Js", "Kh", "Qh", "Qs"]


def test_a_game_without_a_grid_says_so() -> None:
    with pytest.raises(hn.HannanError, match=r"grid\(\)"):
        SetCells(loaded.game("goofspiel(cards=3)"))


def test_names_of_all_sets_are_those_of_each() -> None:
    for address in (*ROWS, "goofspiel(cards=3)", "matching_pennies"):
        game = loaded.game(address)
        for player in range(game.players):
            names = game.set_texts(player)
            assert names == [game.set_text(player, number) for number in range(len(names))]
    locked = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0}}})
    assert locked.set_texts(0) == [locked.set_text(0, number) for number in range(5)]


def test_uniform_play_on_a_public_tree_is_uniform() -> None:
    game = hn.load("holdem(board='Td9d6hQc2s',oop='66,77',ip='QQ,22',pot=200,stack=300,bets='60%',raises='')")
    strategy = PublicStrategy.uniform(game)  # type: ignore[arg-type]
    checked = PublicStrategy(strategy.game, strategy.probability)  # which looks at every sum
    texts, rows = checked.table()
    assert len(rows) == 12 - 3  # a card of the board is in three of the hands
    assert all((plays == 1 / len(texts)).all() for plays in rows.values())
