"""Places in a public tree, against plain rules: every line of play, with mirrored deals shared and told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hannan.errors import UnknownNameError
from hannan.forms.cursor import Cursor
from hannan.forms.public import PublicForm
from hannan.forms.public_tree import public_form
from hannan.kernels.public import records as rec
from hannan.turns import CHANCE, END
from tests.public_games import CASES


def places(form: PublicForm, words: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Cursor]]:
    """Yield the moves, the line by the rules, and the place, for every node of public play."""
    rules = form.rules
    cursor, line, board = Cursor(form), rules.opening(), tuple[Any, ...]()
    for word in words:
        if rules.mover(line) == CHANCE:
            cursor.deal(word)
            line, board = rules.dealt(line, word), (*board, word)
        else:
            cursor.act(list(rules.options(line)).index(word))
            line = rules.following(line, word)
    assert cursor.board == board
    yield board, line, cursor
    mover = rules.mover(line)
    if mover == CHANCE:
        for outcome, _ in rules.outcomes(board):
            yield from places(form, (*words, outcome))
    elif mover != END:
        for option in rules.options(line):
            yield from places(form, (*words, option))


@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("name", ["kuhn", "dice", "river", "turn gone", "flop"])
def test_every_place_is_what_the_rules_say(name: str, mirrored: bool) -> None:
    """Line, actions, outcomes, and the types that leave the cards on the table."""
    rules = CASES[name]()
    form, ends = public_form(rules, mirrored=mirrored), {END: rec.OVER, CHANCE: rec.LEAF}
    taken = np.zeros(form.entries, int)
    for board, line, cursor in places(form):
        mover = rules.mover(line)
        assert cursor.line == line
        assert cursor.kind == ends.get(mover, mover)
        if mover == CHANCE:
            assert set(cursor.outcomes) == {outcome for outcome, _ in rules.outcomes(board)}
            assert len(cursor.outcomes) == len(rules.outcomes(board))
        gone = {card for outcome in board for card in rules.outcome_cards(outcome)}
        for player in (0, 1):
            left = [k for k, cards in enumerate(rules.cards(player)) if gone.isdisjoint(cards)]
            assert sorted(cursor.types(player)) == left
        if mover in (0, 1):
            assert list(cursor.actions) == list(rules.options(line))
            entries = cursor.entries(mover)
            assert entries.shape == (len(cursor.actions), len(cursor.types(mover)))
            taken[entries.reshape(-1)] += 1
    if mirrored is False or "flop" not in name:
        assert taken.max() == 1  # no two nodes share a place
    assert int((taken > 0).sum()) == form.counts["entries"]


@pytest.mark.parametrize("name", ["turn", "flop", "three cards"])
def test_a_board_is_reached_at_once(name: str) -> None:
    form = public_form(CASES[name]())
    for deal in form.deals:
        assert Cursor(form, deal.board).board == deal.board


def test_words_that_are_not_there_are_refused() -> None:
    form = public_form(CASES["flop"]())
    cursor = Cursor(form)
    with pytest.raises(UnknownNameError, match="'call' is not possible at this place"):
        cursor.step("call")
    cursor.step("x")
    cursor.step("x")
    with pytest.raises(UnknownNameError, match="'Ac' is not possible at this place"):
        cursor.step("Ac")  # it is on the table
    cursor.step("Ah")
    assert form.rules.outcome_text(cursor.board[0]) == "Ah"
