"""What people are shown at the terminal: every action is explained, and a board shows what its player knows."""

from __future__ import annotations

from typing import Any

import pytest

import hannan as hn
from hannan.games import catalogue
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, movers
from tests.games.test_optional import SMALL

BOARDLESS = {
    "biased_rps", "chicken", "identical_interest", "matching_pennies", "matrix_game", "prisoners_dilemma",
    "random_game", "rock_paper_scissors", "shapley", "single_player",
}  # fmt: skip
"""Games in which there is nothing to see but what observations say."""

ALL = [*SMALL, "holdem", "rhode_island(ranks=2,suits=2)", "flop_holdem(ranks=7,suits=1)"]

MOST = 400


def choices(address: str) -> list[tuple[int, Any, Any, Any]]:
    """List who moves, what it saw and did before and sees now, and the state, at the first histories."""
    rules: Any = hn.load(address).played().rules
    found: list[tuple[int, Any, Any, Any]] = []
    queue: list[tuple[Any, tuple[Any, ...]]] = [(rules.start(), ((),) * rules.players)]
    while queue and len(found) < MOST:
        state, memories = queue.pop()
        turn = rules.turn(state)
        if turn == END:
            continue
        seen = {player: rules.observe(state, player) for player in (() if turn == CHANCE else movers(turn))}
        found += [(player, (memories[player], now), state, rules) for player, now in seen.items()]
        for move, _ in moves_at(rules, state):
            parts = dict(zip(seen, move if isinstance(turn, tuple) else (move,), strict=turn != CHANCE))
            following = [
                (*memory, seen[player], parts[player]) if player in seen else memory
                for player, memory in enumerate(memories)
            ]
            queue.append((rules.after(state, move), tuple(following)))
    return found


@pytest.mark.parametrize("address", ALL)
def test_a_board_shows_no_more_than_its_player_knows(address: str) -> None:
    boards: dict[tuple[int, Any], str] = {}
    for player, known, state, rules in choices(address):
        text = rules.board_text(state, player)
        assert boards.setdefault((player, known), text) == text
        assert bool(text) == (address.partition("(")[0] not in BOARDLESS)
        assert all(rules.action_help(player, action) for action in rules.actions(state, player))


def test_every_game_is_here() -> None:
    assert {address.partition("(")[0] for address in ALL} | {"tic_tac_toe"} == set(catalogue.MODULES)


@pytest.mark.parametrize(
    ("address", "moves", "player", "board"),
    [
        ("tron", [(1, 3)], 0, "@ you, o the other, # walls:\n# @ .\n. . .\n. o #"),
        ("tic_tac_toe", [0, 4], 0, "you are x:\nx . .\n. o .\n. . ."),
        ("leduc_poker", [0, 3, 2], 1, "your card Qh, the board none yet; the pot is 4, you have paid 1 and owe 2"),
        ("kuhn_poker", [2, 0, 1], 1, "your card J; player 0 has bet, the pot is 3"),
        ("liars_dice", [2, 4, 7], 1, "your dice: 5; the last bid: 2-2"),
        ("goofspiel", [1, (0, 3), 0], 0, "the prize is 1; your hand: 2 3 4; points: you 0, player 1 2"),
        ("oshi_zumo", [(3, 1)], 1, "player 0 | . . W | player 1; coins: you 4, the other 2; 4 steps left"),
    ],
)
def test_boards_by_hand(address: str, moves: list[Any], player: int, board: str) -> None:
    rules: Any = hn.load(address).played().rules
    state = rules.start()
    for move in moves:
        state = rules.after(state, move)
    assert rules.board_text(state, player) == board


def test_ships_of_the_other_are_not_shown() -> None:
    """Both ships lie in the first row of 2 by 2 cells; player 0 hits the first cell."""
    rules: Any = hn.load("battleship").played().rules
    state = rules.start()
    for move in (4, 4, 0):
        state = rules.after(state, move)
    assert rules.board_text(state, 1) == "your ships (s; * is a hit):\n* s\n. .\nyour hits:\n. .\n. ."
    state = rules.after(state, 3)
    assert rules.board_text(state, 0) == "your ships (s; * is a hit):\ns s\n. .\nyour hits:\n* .\n. ."
