"""Oshi-Zumo, the pushing sumo: sealed bids move a wrestler.

M. Buro (2003), Solving the Oshi-Zumo game; the rules are those of OpenSpiel's `oshi_zumo`. The wrestler
starts in the middle of 2·size + 1 cells. At every step both players bid at once and pay what they bid. The
higher bid pushes the wrestler one cell towards the other player; equal bids leave it where it is. A player with
fewer than `min_bid` coins bids all of them. Play ends when the wrestler is off the field, when both players are out
of coins, or after `horizon` steps. Then the player on the wrestler's side of the middle has lost (with `alesia`, only
if the wrestler is off the field).

The default horizon is the number of coins of a player. With a `min_bid` of 1 or more, this horizon has no effect: by
then all coins are gone. With a `min_bid` of 0, both players might bid nothing forever.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import truth, whole
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import each, mirrored, never, picture
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [coins, size, min_bid, horizon, alesia]
COINS, SIZE, MIN_BID, HORIZON, ALESIA = range(5)

# state: [steps made, cells from the middle towards player 1, coins of each player (2), last bid of each + 1 (2)]
STEPS, PUSHED, LEFT, BID = 0, 1, 2, 4


def start(table: Longs, state: Longs) -> None:
    """Hand out the coins."""
    state[LEFT] = table[COINS]
    state[LEFT + 1] = table[COINS]


@kernel
def turn(table: Longs, state: Longs) -> int:
    """Let both players bid at once."""
    broke = state[LEFT] == 0 and state[LEFT + 1] == 0
    if broke or state[STEPS] == table[HORIZON] or abs(state[PUSHED]) > table[SIZE]:
        return END
    return 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the bids, from the least bid to all coins of the player."""
    most = state[LEFT + player]
    return each(min(table[MIN_BID], most), most + 1, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Pay both bids and push the wrestler."""
    state[STEPS] += 1
    state[PUSHED] += int(choice[0] > choice[1]) - int(choice[0] < choice[1])
    for player in range(2):
        state[LEFT + player] -= choice[player]
        state[BID + player] = choice[player] + 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the other's last bid."""
    return state[BID + 1 - player]


@kernel
def result(table: Longs, pushed: int) -> float:
    """Return what player 0 wins if play ends with the wrestler `pushed` cells from the middle towards player 1."""
    if pushed == 0 or (table[ALESIA] and abs(pushed) <= table[SIZE]):
        return 0.0
    return 1.0 if pushed > 0 else -1.0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay 1 to the player who has pushed the wrestler beyond the middle (with `alesia`, off the field)."""
    if turn(table, state) == END:
        out[0] = result(table, state[PUSHED])
        out[1] = 0.0 - out[0]


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Compute how far each player can push: one cell per step, for one coin (or the least bid) each."""
    over = turn(table, state) == END
    price = max(table[MIN_BID], 1)
    edge = table[SIZE] + 1
    steps = table[HORIZON] - state[STEPS]
    least = max(state[PUSHED] - min(steps, (state[LEFT + 1] + price - 1) // price), -edge)
    most = min(state[PUSHED] + min(steps, (state[LEFT] + price - 1) // price), edge)
    out[0] = 0.0 if over else result(table, least)
    out[1] = 0.0 if over else result(table, most)
    mirrored(out)


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the remaining steps, the wrestler and the coins. If every bid costs coins, the coins limit the steps."""
    out[0] = table[HORIZON] - state[STEPS]
    if table[MIN_BID] > 0:
        out[0] = min(out[0], max(state[LEFT], state[LEFT + 1]))
    out[1] = state[PUSHED]
    out[2] = state[LEFT]
    out[3] = state[LEFT + 1]
    return 4


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the steps made, the wrestler (as seen from the player's side), the player's coins and the other's."""
    out[0] = state[STEPS] / table[HORIZON]
    out[1] = (1 - 2 * player) * state[PUSHED] / (table[SIZE] + 1)
    out[2] = state[LEFT + player] / table[COINS]
    out[3] = state[LEFT + 1 - player] / table[COINS]


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, position=position, features=features)


@remade
def oshi_zumo(
    coins: int = 5, size: int = 1, min_bid: int = 0, horizon: int | None = None, alesia: bool = False
) -> CompiledRules:
    """Build the rules. `size`: the field has 2·size + 1 cells; `horizon`: the most steps."""
    whole("coins", coins, 1, 1000)
    horizon = coins if horizon is None else horizon
    whole("size", size, 0, 1000)
    whole("min_bid", min_bid, 0, 1000)
    whole("horizon", horizon, 1, 4000)
    truth("alesia", alesia)
    if min_bid > coins:
        raise ParameterError(f"min_bid={min_bid} is more than the {coins} coins that each player has")

    def board_text(state: tuple[int, ...], player: int) -> str:
        field = picture(2 * size + 1, 1, {size + state[PUSHED]: "W"})
        told = f"coins: you {state[LEFT + player]}, the other {state[LEFT + 1 - player]}"
        return f"player 0 | {field} | player 1; {told}; {horizon - state[STEPS]} steps left"

    return CompiledRules(
        "oshi_zumo",
        2,
        BOOK,
        np.array([coins, size, min_bid, horizon, alesia], np.int64),
        state_size=6,
        width=coins + 1,
        feature_size=4,
        observation_text=lambda player, observation: str(observation - 1) if observation else "-",
        action_help=lambda player, action: "bid this many coins",
        board_text=board_text,
    )


ENTRY = Entry(
    name="oshi_zumo",
    make=oshi_zumo,
    summary="sealed bids push a wrestler off the field",
    source="M. Buro (2003), Solving the Oshi-Zumo game",
    parameters={
        "coins": "coins of each player",
        "size": "the field has 2·size + 1 cells",
        "min_bid": "the least bid",
        "horizon": "the most steps; default: the number of coins",
        "alesia": "whether only pushing off the field wins",
    },
    known={"oshi_zumo": Known(53_212, (10_606, 10_606), 0.0, "OpenSpiel; the game is symmetric", 77_068)},
    openspiel={
        "oshi_zumo": "turn_based_simultaneous_game(game=oshi_zumo(coins=5,size=1,horizon=5))",
        "oshi_zumo(min_bid=1)": "turn_based_simultaneous_game(game=oshi_zumo(coins=5,size=1,min_bid=1))",
        "oshi_zumo(coins=7,size=2,min_bid=3)": (
            "turn_based_simultaneous_game(game=oshi_zumo(coins=7,size=2,min_bid=3))"
        ),
        "oshi_zumo(coins=4,size=0,horizon=6,alesia=true)": (
            "turn_based_simultaneous_game(game=oshi_zumo(coins=4,size=0,horizon=6,alesia=true))"
        ),
        "oshi_zumo(coins=6,size=2,min_bid=1,alesia=true)": (
            "turn_based_simultaneous_game(game=oshi_zumo(coins=6,size=2,min_bid=1,alesia=true))"
        ),
    },
)
