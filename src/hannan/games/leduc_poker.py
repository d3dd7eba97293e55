"""Leduc poker for two or more players.

F. Southey et al. (2005), Bayes' bluff. Each player antes 1 and is dealt one private card (one chance node per
player). In the first round of betting a raise adds 2. Then one board card is dealt for all, and in the second round
a raise adds 4. A round has at most two raises. A pair with the board wins, then the higher card; equal hands share
the pot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hannan.arguments import fits, truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry, Known
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import CHANCE, END

FOLD, CALL, RAISE = 0, 1, 2
MOST_RAISES = 2

# table: players, kinds of cards, copies of each kind, kinds per rank
PLAYERS, KINDS, COPIES, KINDS_A_RANK = range(4)

# state: cards dealt to players, board card + 1, who acts (END, CHANCE or a seat), number of seats that have not
# folded, seats that have folded and that have acted as bits, raises and calls of this round, the total payment
# needed to stay in; then, for each seat, its card, its total payment, and what it has seen since its last choice
# (a 1, then base-4 digits: an action + 1, or 0 for the board)
DEALT, BOARD, ACTOR, LEFT, FOLDED, ACTED, RAISES, CALLS, STAKE, SEATS = range(10)
CARD, PAID, SEEN, SEAT_SIZE = range(4)


def start(table: Longs, state: Longs) -> None:
    """Collect the antes; no card is dealt yet."""
    state[ACTOR] = CHANCE
    state[LEFT] = table[PLAYERS]
    state[STAKE] = 1
    for seat in range(table[PLAYERS]):
        state[SEATS + SEAT_SIZE * seat + PAID] = 1
        state[SEATS + SEAT_SIZE * seat + SEEN] = 1


def turn(table: Longs, state: Longs) -> int:
    """Return who acts, which `start` and `move` have stored."""
    actor: int = state[ACTOR]
    return 1 << actor if actor >= 0 else actor


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List fold if there is a raise to call, then call (or check), then raise if the cap allows."""
    count = 0
    if state[STAKE] > state[SEATS + SEAT_SIZE * player + PAID]:
        out[count] = FOLD
        count += 1
    out[count] = CALL
    count += 1
    if state[RAISES] < MOST_RAISES:
        out[count] = RAISE
        count += 1
    return count


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Deal one of the remaining cards."""
    cards = table[KINDS] * table[COPIES] - state[DEALT]
    count = 0
    for kind in range(table[KINDS]):
        left = table[COPIES]
        for seat in range(state[DEALT]):
            if state[SEATS + SEAT_SIZE * seat + CARD] == kind:
                left -= 1
        if left > 0:
            out[count] = kind
            probabilities[count] = left / cards
            count += 1
    return count


@kernel
def next_in(state: Longs, players: int, seat: int) -> int:
    """Return the first seat after this one that has not folded."""
    while True:
        seat = (seat + 1) % players
        if (state[FOLDED] >> seat) & 1 == 0:
            return seat


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Take the card, or fold, call or raise; a round ends when all have answered the last raise."""
    players = table[PLAYERS]
    seat = state[ACTOR]
    if seat < 0:
        if state[DEALT] < players:
            state[SEATS + SEAT_SIZE * state[DEALT] + CARD] = choice[0]
            state[DEALT] += 1
            if state[DEALT] < players:
                return
        else:
            state[BOARD] = choice[0] + 1
            for other in range(players):
                state[SEATS + SEAT_SIZE * other + SEEN] *= 4
        state[ACTOR] = next_in(state, players, players - 1)
        return
    action = choice[0]
    if action == FOLD:
        state[FOLDED] |= 1 << seat
        state[LEFT] -= 1
    elif action == CALL:
        state[CALLS] += 1
        state[SEATS + SEAT_SIZE * seat + PAID] = state[STAKE]
    else:
        state[RAISES] += 1
        state[CALLS] = 0
        state[STAKE] += 2 if state[BOARD] == 0 else 4
        state[SEATS + SEAT_SIZE * seat + PAID] = state[STAKE]
    state[ACTED] |= 1 << seat
    for other in range(players):
        at = SEATS + SEAT_SIZE * other + SEEN
        state[at] = state[at] * 4 + action + 1
    state[SEATS + SEAT_SIZE * seat + SEEN] = 1
    raised = 1 if state[RAISES] > 0 else 0
    if state[LEFT] > 1 and state[CALLS] < state[LEFT] - raised:
        state[ACTOR] = next_in(state, players, seat)
    elif state[LEFT] == 1 or state[BOARD] > 0:
        state[ACTOR] = END
    else:
        state[ACTOR] = CHANCE
        state[RAISES] = 0
        state[CALLS] = 0


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the board and all actions since the player's last choice; at its first choice, also its card."""
    at = SEATS + SEAT_SIZE * player
    card = 0 if (state[ACTED] >> player) & 1 else state[at + CARD] + 1
    cards = card * (table[KINDS] + 1) + state[BOARD]
    code: int = (cards << (4 * table[PLAYERS])) + state[at + SEEN]
    return code


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay the pot to the best hand that has not folded; several best hands share it equally."""
    if state[ACTOR] != END:
        return
    ranks = table[KINDS] // table[KINDS_A_RANK]
    board = (state[BOARD] - 1) // table[KINDS_A_RANK]
    best = -1
    winners = 0
    pot = 0.0
    for seat in range(table[PLAYERS]):
        at = SEATS + SEAT_SIZE * seat
        pot += state[at + PAID]
        out[seat] = -1.0
        if (state[FOLDED] >> seat) & 1 == 0:
            rank = state[at + CARD] // table[KINDS_A_RANK]
            hand = rank + ranks if rank == board else rank
            out[seat] = hand
            if hand > best:
                best = hand
                winners = 0
            if hand == best:
                winners += 1
    for seat in range(table[PLAYERS]):
        won = pot / winners if out[seat] == best else 0.0
        out[seat] = won - state[SEATS + SEAT_SIZE * seat + PAID]


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let a player lose, or win from each other player, what the remaining raises allow; a fold loses what was paid."""
    players = table[PLAYERS]
    over = state[ACTOR] == END
    dealing = state[ACTOR] == CHANCE and state[DEALT] == players
    most = state[STAKE]
    if state[BOARD] > 0:
        most += 4 * (MOST_RAISES - state[RAISES])
    else:
        most += 4 * MOST_RAISES + (0 if dealing else 2 * (MOST_RAISES - state[RAISES]))
    pot = 0
    for seat in range(players):
        folded = (state[FOLDED] >> seat) & 1
        pot += state[SEATS + SEAT_SIZE * seat + PAID] if folded else most
    for seat in range(players):
        folded = (state[FOLDED] >> seat) & 1
        lost = state[SEATS + SEAT_SIZE * seat + PAID] if folded else most
        out[2 * seat] = 0.0 if over else -lost
        out[2 * seat + 1] = 0.0 if over else -lost if folded else pot - most


def chance_group(table: Longs, state: Longs) -> int:
    """Group deals by the number of cards dealt or, if ranks are dealt, by these ranks; the betting has no influence."""
    group: int = state[DEALT]
    if table[COPIES] > 1:
        for seat in range(state[DEALT]):
            if group > 2**62 // (table[KINDS] + 1):
                return -1
            group = group * (table[KINDS] + 1) + state[SEATS + SEAT_SIZE * seat + CARD]
    return group


def similar(table: Longs, state: Longs, out: Floats) -> int:
    """Write δ and return a family of deals: equal numbers of cards dealt and of kinds used up.

    Its deals differ only by the dealt cards of kinds that are not used up: each lowers the probability of one outcome.
    """
    dealt, used_up = state[DEALT], 0
    for seat in range(dealt):
        kind, copies, before = state[SEATS + SEAT_SIZE * seat + CARD], 0, 0
        for other in range(dealt):
            if state[SEATS + SEAT_SIZE * other + CARD] == kind:
                copies += 1
                before += 1 if other < seat else 0
        if copies == table[COPIES] and before == 0:
            used_up += 1
    out[0] = (dealt - used_up * table[COPIES]) / (table[KINDS] * table[COPIES] - dealt)
    family: int = dealt * (table[PLAYERS] + 1) + used_up if dealt > 0 else -1
    return family


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the player's card, the board, the seat, the round's raises and calls, and all payments and folds.

    Seats are counted from the player. Payments are shares of the most that a player can pay.
    """
    players, kinds = table[PLAYERS], table[KINDS]
    out[state[SEATS + SEAT_SIZE * player + CARD]] = 1.0
    if state[BOARD] > 0:
        out[kinds + state[BOARD] - 1] = 1.0
    at = 2 * kinds
    out[at + player] = 1.0
    out[at + players] = state[RAISES] / MOST_RAISES
    out[at + players + 1] = state[CALLS] / players
    at += players + 2
    for k in range(players):
        seat = (player + k) % players
        out[at + 2 * k] = state[SEATS + SEAT_SIZE * seat + PAID] / (1.0 + 6.0 * MOST_RAISES)
        out[at + 2 * k + 1] = (state[FOLDED] >> seat) & 1


BOOK = Rulebook(
    start, turn, actions, chance, move, observe, gains, bounds=bounds, chance_group=chance_group, features=features,
    similar=similar,
)  # fmt: skip


def rank_text(rank: int, ranks: int) -> str:
    """Name a rank: J, Q, K in the classic game, down to 2 in larger ones, numbers in the largest."""
    if ranks <= 4:
        return "JQKA"[rank]
    return "23456789TJQKA"[13 - ranks + rank] if ranks <= 13 else str(rank)


@remade
def leduc_poker(ranks: int | None = None, suits: int = 2, players: int = 2, merge_suits: bool = False) -> CompiledRules:
    """Build the rules. Without `ranks`, the deck has one rank more than there are players.

    With `merge_suits`, ranks are dealt instead of cards: the same game with fewer histories.
    """
    whole("players", players, 2, 10)
    ranks = players + 1 if ranks is None else ranks
    whole("ranks", ranks, 1, 2**20)
    whole("suits", suits, 1, 2**20)
    truth("merge_suits", merge_suits)
    if ranks * suits <= players:
        raise ParameterError(
            f"{ranks * suits} cards are too few for {players} players and the board; raise ranks or suits"
        )
    kinds, copies, a_rank = (ranks, suits, 1) if merge_suits else (ranks * suits, 1, suits)
    shift = 4 * players
    fits((kinds + 1) ** 2 << shift)

    def card_text(card: int) -> str:
        rank, suit = divmod(card, a_rank)
        text = rank_text(rank, ranks)
        if a_rank == 1:
            return text
        return text + ("shdc"[suit] if suits <= 4 else f".{suit}")

    def action_text(player: int, action: int) -> str:
        return card_text(action) if player < 0 else "fcr"[action]

    def observation_text(player: int, observation: int) -> str:
        card, board = divmod(observation >> shift, kinds + 1)
        seen = observation & ((1 << shift) - 1)
        plays = ""
        while seen > 1:
            plays = (f"/{card_text(board - 1)}-" if seen % 4 == 0 else "fcr"[seen % 4 - 1]) + plays
            seen //= 4
        return f"{card_text(card - 1)}-{plays}".rstrip("-") if card else plays.rstrip("-")

    def action_help(player: int, action: int) -> str:
        return ("fold", "call, or check if there is nothing to pay", "raise by 2, in the second round by 4")[action]

    def board_text(state: tuple[int, ...], player: int) -> str:
        mine = SEATS + SEAT_SIZE * player
        pot = sum(state[SEATS + SEAT_SIZE * seat + PAID] for seat in range(players))
        shown = card_text(state[BOARD] - 1) if state[BOARD] else "none yet"
        paid = f"you have paid {state[mine + PAID]} and owe {state[STAKE] - state[mine + PAID]}"
        return f"your card {card_text(state[mine + CARD])}, the board {shown}; the pot is {pot}, {paid}"

    def grid(player: int, way: Sequence[int]) -> tuple[str, str, str]:
        card = card_text((way[0] >> shift) // (kinds + 1) - 1)
        words = [observation_text(player, way[0]).removeprefix(card).removeprefix("-")]
        for k, part in enumerate(way[1:]):
            words.append(action_text(player, part) if k % 2 == 0 else observation_text(player, part))
        column = "".join(words)
        return card, column, f"{card}-{column}".removesuffix("-")

    return CompiledRules(
        "leduc_poker",
        players,
        BOOK,
        np.array([players, kinds, copies, a_rank], np.int64),
        state_size=SEATS + SEAT_SIZE * players,
        width=max(kinds, 3),
        feature_size=2 * kinds + 3 * players + 2,
        feature_groups=(("cards", 2 * kinds), ("bets", 3 * players + 2)),
        action_text=action_text,
        observation_text=observation_text,
        action_help=action_help,
        board_text=board_text,
        grid=grid,
    )


ENTRY = Entry(
    name="leduc_poker",
    make=leduc_poker,
    summary="a private card, a board card, two rounds of betting",
    source="F. Southey et al. (2005), Bayes' bluff: opponent modelling in poker",
    parameters={
        "ranks": "number of ranks in the deck; default: players + 1",
        "suits": "number of cards of each rank",
        "players": "2 to 10",
        "merge_suits": "deal ranks instead of cards",
    },
    known={
        "leduc_poker": Known(9_457, (468, 468), -0.085606424078, "OpenSpiel; value recomputed by linear programming"),
        "leduc_poker(players=3)": Known(1_831_601, (8_600, 8_600, 8_600), source="OpenSpiel"),
        "leduc_poker(ranks=13,merge_suits=true)": Known(
            166_349, source="Zhang and Sandholm (2021), recounted with two deal nodes"
        ),
    },
    openspiel={
        "leduc_poker": "leduc_poker",
        "leduc_poker(players=3)": "leduc_poker(players=3)",
    },
)
