"""Kuhn poker for two or more players.

H. W. Kuhn (1950), A simplified two-person poker; the n-player form is that of Abou Risk and Szafron (2010). The
deck has one card more than there are players. Each player antes 1, is dealt one card (one chance node per player),
and may bet 1 once. After a bet, each other player in turn calls or folds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arguments import whole
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import each, evenly, members, nothing_left
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import CHANCE, END

PASS, BET = 0, 1

# table: players
# state: [cards dealt, moves made, first bettor + 1, bettor and callers as bits, card of player 0, 1, …]
DEALT, MOVES, BETTOR, CALLED, CARDS = 0, 1, 2, 3, 4


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: no card is dealt yet."""


@kernel
def turn(table: Longs, state: Longs) -> int:
    """Deal the cards, then let the players move in turn; after a bet, until the turn is the bettor's again."""
    players = table[0]
    if state[DEALT] < players:
        return CHANCE
    end = players if state[BETTOR] == 0 else state[BETTOR] - 1 + players
    if state[MOVES] == end:
        return END
    return 1 << (state[MOVES] % players)


@kernel
def folds(table: Longs, state: Longs, seat: int) -> bool:
    """Return whether a seat has answered a bet by folding."""
    if state[BETTOR] == 0 or (state[CALLED] >> seat) & 1:
        return False
    answered = (seat - state[BETTOR]) % table[0]  # the number of seats that answer before this one
    return state[MOVES] - state[BETTOR] > answered


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List pass (or fold) and bet (or call)."""
    return each(PASS, BET + 1, out)


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Deal one of the remaining cards."""
    cards = table[0] + 1
    left = (1 << cards) - 1
    for seat in range(state[DEALT]):
        left ^= 1 << state[CARDS + seat]
    return evenly(members(left, cards, out), probabilities)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Take the card, or record the pass or bet."""
    players = table[0]
    if state[DEALT] < players:
        state[CARDS + state[DEALT]] = choice[0]
        state[DEALT] += 1
        return
    if choice[0] == BET:
        if state[BETTOR] == 0:
            state[BETTOR] = state[MOVES] + 1
        state[CALLED] |= 1 << (state[MOVES] % players)
    state[MOVES] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the player's card, the number of moves, who bet first and who has called."""
    players = table[0]
    code = state[CARDS + player]
    code = code * (2 * players + 1) + state[MOVES]
    code = code * (players + 1) + state[BETTOR]
    return (code << players) + state[CALLED]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay the pot to the highest card of the bettor and the callers, or of all players if no player bet."""
    players = table[0]
    if turn(table, state) != END:
        return
    nobody_bet = state[BETTOR] == 0
    winner = -1
    pot = 0.0
    for seat in range(players):
        called = (state[CALLED] >> seat) & 1
        paid = 1.0 + called
        out[seat] = -paid
        pot += paid
        if (nobody_bet or called) and (winner < 0 or state[CARDS + seat] > state[CARDS + winner]):
            winner = seat
    out[winner] += pot


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let a player that has not folded lose its ante and a bet, or win what the others have paid or may still pay."""
    players = table[0]
    if turn(table, state) == END:
        nothing_left(players, out)
        return
    most = 0.0
    for seat in range(players):
        folded = folds(table, state, seat)
        out[2 * seat] = -1.0 if folded else -2.0
        most += 1.0 if folded else 2.0
    for seat in range(players):
        out[2 * seat + 1] = -1.0 if out[2 * seat] == -1.0 else most - 2.0


def chance_group(table: Longs, state: Longs) -> int:
    """Group deals by their number: each is uniform over the remaining cards."""
    return state[DEALT]


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the player's card, the number of moves, the bettor and the callers, with seats counted from the player."""
    players = table[0]
    out[state[CARDS + player]] = 1.0
    out[players + 1 + state[MOVES]] = 1.0
    for k in range(players):
        seat = (player + k) % players
        out[3 * players + 1 + k] = 1.0 if state[BETTOR] == seat + 1 else 0.0
        out[4 * players + 1 + k] = (state[CALLED] >> seat) & 1


BOOK = Rulebook(
    start, turn, actions, chance, move, observe, gains, bounds=bounds, chance_group=chance_group, features=features
)
RANKS = "JQKA"


def card_text(card: int, cards: int) -> str:
    """Name a card: J, Q, K in the classic game, numbers in larger ones."""
    return RANKS[card] if cards <= len(RANKS) else str(card)


@remade
def kuhn_poker(players: int = 2) -> CompiledRules:
    """Build the rules. `players`: number of players."""
    whole("players", players, 2, 10)

    def observation_text(player: int, observation: int) -> str:
        called = observation & ((1 << players) - 1)
        rest, bettor = divmod(observation >> players, players + 1)
        card, moves = divmod(rest, 2 * players + 1)
        plays = ["b" if called >> (k % players) & 1 and 0 < bettor <= k + 1 else "p" for k in range(moves)]
        return card_text(card, players + 1) + "".join(plays)

    def action_help(player: int, action: int) -> str:
        return ("pass; after a bet, fold", "bet one chip; after a bet, call it")[action]

    def board_text(state: tuple[int, ...], player: int) -> str:
        bet = f"player {state[BETTOR] - 1} has bet" if state[BETTOR] else "no player has bet"
        pot = players + state[CALLED].bit_count()
        return f"your card {card_text(state[CARDS + player], players + 1)}; {bet}, the pot is {pot}"

    def grid(player: int, way: Sequence[int]) -> tuple[str, str, str]:
        label = observation_text(player, way[-1])
        card = card_text((way[-1] >> players) // (players + 1) // (2 * players + 1), players + 1)
        return card, label.removeprefix(card), label

    return CompiledRules(
        "kuhn_poker",
        players,
        BOOK,
        np.array([players], np.int64),
        state_size=CARDS + players,
        width=players + 1,
        feature_size=5 * players + 1,
        feature_groups=(("cards", players + 1), ("bets", 4 * players)),
        action_text=lambda player, action: card_text(action, players + 1) if player < 0 else "pb"[action],
        observation_text=observation_text,
        action_help=action_help,
        board_text=board_text,
        grid=grid,
    )


ENTRY = Entry(
    name="kuhn_poker",
    make=kuhn_poker,
    summary="one card each, one bet: the smallest poker with bluffs",
    source="H. W. Kuhn (1950), A simplified two-person poker",
    parameters={"players": "2 to 10"},
    known={
        "kuhn_poker": Known(58, (6, 6), -1 / 18, "Kuhn 1950; OpenSpiel"),
        "kuhn_poker(players=3)": Known(617, (16, 16, 16), source="OpenSpiel"),
    },
    openspiel={
        "kuhn_poker": "kuhn_poker",
        "kuhn_poker(players=3)": "kuhn_poker(players=3)",
    },
)
