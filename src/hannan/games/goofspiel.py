"""Goofspiel, the game of pure strategy: bid a hand of cards for a deck of prizes, all at once.

S. M. Ross (1971), Goofspiel: the game of pure strategy. In each round a prize is turned up and every player
bids one card of its hand; the highest bid takes the prize. With the defaults it is the game of the
certificates paper (B. H. Zhang and T. Sandholm, 2021): prizes in random order, bids hidden, ties split.
B. Bošanský et al. (2016) play it open, with `lowest=0` and `ties="discard"`; OpenSpiel's Goofspiel is
`ties="discard", forced="skip", returns="win_loss"`.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from hannan.arguments import choice as one_of
from hannan.arguments import fits, whole
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import evenly, members, plane
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import CHANCE, END

ORDERS = ("random", "ascending", "descending")
INFORMATION = ("hidden", "open")
RETURNS = ("difference", "half_difference", "win_loss")
TIES = ("split", "discard")
FORCED = ("keep", "skip")

# table: players, cards per hand, then places of words in the tuples above, the value of the lowest card, and
# the number of parts per point, which makes all shares whole numbers
PLAYERS, CARDS, ORDER, OPEN, REWARD, DISCARD, SKIP, LOWEST, UNIT = range(9)

# state: prizes in the deck as bits, the prize on the table + 1, the public result of the last round + 1;
# then, for each seat, its hand as bits, its points (in parts), and its last bid
PRIZES, PRIZE, RESULT, SEATS = range(4)
HAND, POINTS, BID, SEAT_SIZE = range(4)


@kernel
def reveal(table: Longs, state: Longs) -> None:
    """Put the next prize on the table, or no prize if chance draws it."""
    left = state[PRIZES]
    state[PRIZE] = 0
    if table[ORDER] == 0 and left & (left - 1) != 0:
        return
    for k in range(table[CARDS]):
        prize = table[CARDS] - 1 - k if table[ORDER] == 2 else k
        if (left >> prize) & 1:
            state[PRIZES] = left ^ (1 << prize)
            state[PRIZE] = prize + 1
            return


@kernel
def award(table: Longs, state: Longs) -> int:
    """Remove the bids from the hands and award the prize; return the players who get a share of it, as bits."""
    best = -1
    winners = 0
    count = 0
    for seat in range(table[PLAYERS]):
        bid = state[SEATS + SEAT_SIZE * seat + BID]
        state[SEATS + SEAT_SIZE * seat + HAND] ^= 1 << bid
        if bid > best:
            best = bid
            winners = 0
            count = 0
        if bid == best:
            winners |= 1 << seat
            count += 1
    if count > 1 and table[DISCARD]:
        return 0
    share = (state[PRIZE] - 1 + table[LOWEST]) * table[UNIT] // count
    for seat in range(table[PLAYERS]):
        if (winners >> seat) & 1:
            state[SEATS + SEAT_SIZE * seat + POINTS] += share
    return winners


def start(table: Longs, state: Longs) -> None:
    """Give each player all cards, and put all prizes into the deck."""
    state[PRIZES] = (1 << table[CARDS]) - 1
    for seat in range(table[PLAYERS]):
        state[SEATS + SEAT_SIZE * seat + HAND] = (1 << table[CARDS]) - 1
    reveal(table, state)


def turn(table: Longs, state: Longs) -> int:
    """Draw a prize, then bid, until the hands are empty."""
    if state[SEATS + HAND] == 0:
        return END
    return CHANCE if state[PRIZE] == 0 else (1 << table[PLAYERS]) - 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the cards of the player's hand."""
    return members(state[SEATS + SEAT_SIZE * player + HAND], table[CARDS], out)


def chance(table: Longs, state: Longs, out: Longs, probabilities: Floats) -> int:
    """Draw one of the prizes in the deck."""
    return evenly(members(state[PRIZES], table[CARDS], out), probabilities)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Turn up the prize, or play the bids; with `skip`, play the last cards as well."""
    players, cards = table[PLAYERS], table[CARDS]
    if state[PRIZE] == 0:
        state[PRIZES] ^= 1 << choice[0]
        state[PRIZE] = choice[0] + 1
        return
    shown = 0
    for seat in range(players):
        state[SEATS + SEAT_SIZE * seat + BID] = choice[seat]
        shown = shown * cards + choice[seat]
    winners = award(table, state)
    state[RESULT] = 1 + (shown if table[OPEN] else winners)
    reveal(table, state)
    if table[SKIP] and state[PRIZE] > 0 and state[PRIZES] == 0:
        for seat in range(players):
            for card in range(cards):
                if (state[SEATS + SEAT_SIZE * seat + HAND] >> card) & 1:
                    state[SEATS + SEAT_SIZE * seat + BID] = card
        award(table, state)


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the prize on the table, and the winners of the last round (or all its bids)."""
    code: int = state[RESULT] * (table[CARDS] + 1) + state[PRIZE]
    return code


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay according to the points at the end of play."""
    players = table[PLAYERS]
    if state[SEATS + HAND] != 0:
        return
    best = -1
    winners = 0
    total = 0
    for seat in range(players):
        points = state[SEATS + SEAT_SIZE * seat + POINTS]
        total += points
        if points > best:
            best = points
            winners = 0
        if points == best:
            winners += 1
    for seat in range(players):
        points = state[SEATS + SEAT_SIZE * seat + POINTS]
        if table[REWARD] == 2:
            if winners < players:
                out[seat] = 1.0 / winners if points == best else -1.0 / (players - winners)
        else:
            parts = table[UNIT] * (players - 1) * (1 + table[REWARD])
            out[seat] = (players * points - total) / parts


@kernel
def at_stake(table: Longs, state: Longs) -> int:
    """Return the total value of the prizes that are still to be awarded, in parts of points."""
    left = state[PRIZE] - 1 + table[LOWEST] if state[PRIZE] > 0 else 0
    for prize in range(table[CARDS]):
        if (state[PRIZES] >> prize) & 1:
            left += prize + table[LOWEST]
    worth: int = left * table[UNIT]
    return worth


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Let each player win all remaining prizes, or lose all of them to others."""
    players = table[PLAYERS]
    left = at_stake(table, state)
    total = 0
    for seat in range(players):
        total += state[SEATS + SEAT_SIZE * seat + POINTS]
    for seat in range(players):
        low, high = -1.0, 1.0
        points = state[SEATS + SEAT_SIZE * seat + POINTS]
        if table[REWARD] == 2:
            best = 0
            for other in range(players):
                if other != seat:
                    best = max(best, state[SEATS + SEAT_SIZE * other + POINTS])
            if points >= best + left:
                low = 1.0 if points > best + left else 0.0
            if points + left < best:
                high = -1.0 / (players - 1)
            elif points + left == best and players == 2:
                high = 0.0
        else:
            parts = table[UNIT] * (players - 1) * (1 + table[REWARD])
            low = (players * points - total - left) / parts
            high = (players * (points + left) - total - left) / parts
        over = state[SEATS + HAND] == 0
        out[2 * seat] = 0.0 if over else low
        out[2 * seat + 1] = 0.0 if over else high


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the prizes, the hands, and each player's lead over the lowest score; the last bids no longer matter."""
    players = table[PLAYERS]
    least = state[SEATS + POINTS]
    for seat in range(players):
        least = min(least, state[SEATS + SEAT_SIZE * seat + POINTS])
    out[0] = state[PRIZES]
    out[1] = state[PRIZE]
    for seat in range(players):
        out[2 + 2 * seat] = state[SEATS + SEAT_SIZE * seat + HAND]
        out[3 + 2 * seat] = state[SEATS + SEAT_SIZE * seat + POINTS] - least
    count: int = 2 + 2 * players
    return count


def chance_group(table: Longs, state: Longs) -> int:
    """Group draws by the number of prizes in the deck: each draw is uniform, and the bids have no influence."""
    left = 0
    for prize in range(table[CARDS]):
        left += (state[PRIZES] >> prize) & 1
    return left


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the hand (all hands if bids are open), the remaining prizes, the prize on the table, and all points.

    Points are public: every player sees who wins which prize. The player comes first, then the others in seat order.
    """
    players, cards = table[PLAYERS], table[CARDS]
    prizes = players * cards
    total = 0
    for card in range(cards):
        total += card + table[LOWEST]
    plane(state[PRIZES], cards, prizes, out)
    out[prizes + cards + state[PRIZE] - 1] = 1.0
    for k in range(players):
        at = SEATS + SEAT_SIZE * ((player + k) % players)
        out[prizes + 2 * cards + k] = state[at + POINTS] / (table[UNIT] * max(total, 1))
        if k == 0 or table[OPEN]:
            plane(state[at + HAND], cards, k * cards, out)


BOOK = Rulebook(start, turn, actions, chance, move, observe, gains, bounds, position, chance_group, features)


@remade
def goofspiel(
    cards: int = 4,
    order: str = "random",
    information: str = "hidden",
    returns: str = "difference",
    ties: str = "split",
    forced: str = "keep",
    lowest: int = 1,
    players: int = 2,
) -> CompiledRules:
    """Build the rules.

    `returns`: `difference` is a player's points less the mean of the others' points, `half_difference` is half of that,
    and `win_loss` is 1 shared by the best and -1 shared by the rest. `forced`: whether the last cards are bid like all
    others (`keep`) or automatically (`skip`).
    """
    one_of("order", order, ORDERS)
    one_of("information", information, INFORMATION)
    one_of("returns", returns, RETURNS)
    one_of("ties", ties, TIES)
    one_of("forced", forced, FORCED)
    whole("players", players, 2, 6)
    whole("cards", cards, 2 if forced == "skip" else 1, 60)
    whole("lowest", lowest, 0, 1)
    fits((max(cards, 2) ** players + 1) * (cards + 1))
    given = (ORDERS, order), (INFORMATION, information), (RETURNS, returns), (TIES, ties), (FORCED, forced)
    words = [names.index(word) for names, word in given]
    unit = lcm(*range(1, players + 1))

    def observation_text(player: int, observation: int) -> str:
        result, prize = divmod(observation, cards + 1)
        shown = f"${prize - 1 + lowest}"
        if result == 0:
            return shown
        if information == "open":
            bids = [str((result - 1) // cards**k % cards + lowest) for k in reversed(range(players))]
            return ",".join(bids) + shown
        winners = [str(seat) for seat in range(players) if (result - 1) >> seat & 1]
        return ("=" if len(winners) != 1 else "") + ",".join(winners) + shown

    def board_text(state: tuple[int, ...], player: int) -> str:
        mine = SEATS + SEAT_SIZE * player
        hand = " ".join(str(card + lowest) for card in range(cards) if state[mine + HAND] >> card & 1)
        points = ", ".join(
            f"{'you' if seat == player else f'player {seat}'} {state[SEATS + SEAT_SIZE * seat + POINTS] / unit:g}"
            for seat in range(players)
        )
        return f"the prize is {state[PRIZE] - 1 + lowest}; your hand: {hand}; points: {points}"

    return CompiledRules(
        "goofspiel",
        players,
        BOOK,
        np.array([players, cards, *words, lowest, unit], np.int64),
        state_size=SEATS + SEAT_SIZE * players,
        width=cards,
        feature_size=cards * (players + 2) + players,
        action_text=lambda player, action: f"${action + lowest}" if player < 0 else str(action + lowest),
        observation_text=observation_text,
        action_help=lambda player, action: "bid this card",
        board_text=board_text,
    )


def _pair(cards: int, order: str, information: str, returns: str, players: int = 2) -> tuple[str, str]:
    """Return our address and OpenSpiel's for the same game."""
    more = f",players={players}" if players > 2 else ""
    ours = f"cards={cards},order={order},information={information},returns={returns},ties=discard,forced=skip"
    hidden = str(information == "hidden").lower()
    kind = {"half_difference": "point_difference"}.get(returns, returns)
    theirs = f"imp_info={hidden},num_cards={cards},players={players},points_order={order},returns_type={kind}"
    return f"goofspiel({ours}{more})", f"turn_based_simultaneous_game(game=goofspiel({theirs}))"


ENTRY = Entry(
    name="goofspiel",
    make=goofspiel,
    summary="bid a hand of cards for a deck of prizes, all at once",
    source="S. M. Ross (1971), Goofspiel: the game of pure strategy",
    parameters={
        "cards": "number of cards in each hand, and of prizes; 1 to 60",
        "order": "order of the prizes: random, ascending or descending",
        "information": "hidden: only the winners of a round are public; open: all bids are public",
        "returns": "difference or half_difference of the points, or win_loss",
        "ties": "split the prize or discard it",
        "forced": "the last bids are forced: keep them as choices, or skip the choices",
        "lowest": "the value of the lowest card and prize: 1 or 0",
        "players": "2 to 6",
    },
    known={
        "goofspiel": Known(33_093, value=0.0, source="Zhang and Sandholm (2021); symmetric", one_by_one=54_421),
        "goofspiel(ties=discard,forced=skip)": Known(
            19_269, value=0.0, source="OpenSpiel, turn-based; symmetric", one_by_one=26_773
        ),
    },
    openspiel=dict(
        [
            _pair(4, "random", "hidden", "half_difference"),
            _pair(4, "descending", "hidden", "half_difference"),
            _pair(4, "random", "open", "win_loss"),
            _pair(3, "random", "hidden", "win_loss"),
            _pair(4, "ascending", "open", "half_difference"),
            _pair(3, "descending", "hidden", "win_loss", players=3),
        ]
    ),
)
