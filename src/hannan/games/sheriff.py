"""Sheriff of Nottingham: smuggling, bribing, and a sheriff who may inspect.

G. Farina, C. K. Ling, F. Fang, T. Sandholm (2019), Correlation in extensive-form games: saddle-point
formulation and benchmarks; the rules are those of OpenSpiel's `sheriff`. The smuggler (player 0) loads a
number of illegal items. Then, in each of some rounds, he offers a bribe and the sheriff (player 1) says whether she
would inspect; only the last round counts. If she inspects, he pays her a fine for each item, or she pays him a penalty
if there are no items. If she waves him through, he earns the items' value less the bribe, and she keeps the bribe. The
game is general-sum.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import number, whole
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry, Known
from hannan.games.parts import each, never, nothing_left, real
from hannan.kernels import kernel
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [max_items, max_bribe, rounds, and as the bits of floats item_value, item_penalty, sheriff_penalty]
ITEMS, BRIBE, ROUNDS, VALUE, FINE, PENALTY = range(6)

# state: [moves made, items loaded, last bribe, last answer + 1 (0: none yet, 1: wave through, 2: inspect)]
MOVES, LOADED, OFFER, ANSWER = range(4)
ANSWERS = ("-", "wave", "inspect")


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: no item is loaded yet."""


@kernel
def turn(table: Longs, state: Longs) -> int:
    """Let the smuggler load; then bribe and answer in turn."""
    moves = state[MOVES]
    if moves > 2 * table[ROUNDS]:
        return END
    return 2 if moves > 0 and moves % 2 == 0 else 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List numbers of items, sizes of bribes, or whether to inspect."""
    most = 1
    if player == 0:
        most = table[ITEMS] if state[MOVES] == 0 else table[BRIBE]
    return each(0, most + 1, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Record the load, the bribe or the answer."""
    if state[MOVES] == 0:
        state[LOADED] = choice[0]
    elif state[MOVES] % 2 == 1:
        state[OFFER] = choice[0]
    else:
        state[ANSWER] = choice[0] + 1
    state[MOVES] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe the last answer (smuggler) or the last bribe (sheriff)."""
    return state[ANSWER] if player == 0 else state[OFFER]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay according to the last bribe and the last answer."""
    if turn(table, state) != END:
        return
    if state[ANSWER] == 1:
        out[0] = state[LOADED] * real(table, VALUE) - state[OFFER]
        out[1] = state[OFFER]
    else:
        paid = -real(table, PENALTY) if state[LOADED] == 0 else state[LOADED] * real(table, FINE)
        out[0] = -paid
        out[1] = paid


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Take the least and the most over the loads and bribes that are still possible, waved through or inspected."""
    if turn(table, state) == END:
        nothing_left(2, out)
        return
    value, penalty, fine = real(table, VALUE), real(table, PENALTY), real(table, FINE)
    least, most = state[LOADED], state[LOADED]
    if state[MOVES] == 0:
        most = table[ITEMS]
    low, high = state[OFFER], state[OFFER]
    if state[MOVES] < 2 * table[ROUNDS]:
        low, high = 0, table[BRIBE]
    lowest = penalty if most == 0 else -most * fine  # what the smuggler gains if inspected
    highest = penalty if least == 0 else -least * fine
    out[0] = min(least * value - high, lowest)
    out[1] = max(most * value - low, highest)
    out[2] = min(1.0 * low, -highest)
    out[3] = max(1.0 * high, -lowest)


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the moves made, the player, the load (for the smuggler), the last bribe and the last answer."""
    out[0] = state[MOVES] / (2.0 * table[ROUNDS])
    out[1] = player
    if player == 0 and state[MOVES] > 0:
        out[2 + state[LOADED]] = 1.0
    if state[MOVES] > 1:
        out[3 + table[ITEMS] + state[OFFER]] = 1.0
    out[4 + table[ITEMS] + table[BRIBE] + state[ANSWER]] = 1.0


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, features=features)


@remade
def sheriff(
    item_penalty: float = 2.0,
    item_value: float = 1.0,
    sheriff_penalty: float = 3.0,
    max_bribe: int = 3,
    max_items: int = 3,
    rounds: int = 4,
) -> CompiledRules:
    """Build the rules. `rounds`: number of bribes offered."""
    number("item_penalty", item_penalty, least=0)
    number("item_value", item_value, least=0)
    number("sheriff_penalty", sheriff_penalty, least=0)
    whole("max_bribe", max_bribe, 0, 1000)
    whole("max_items", max_items, 1, 1000)
    whole("rounds", rounds, 1, 1000)
    table = np.array([max_items, max_bribe, rounds, 0, 0, 0], np.int64)
    table.view(np.float64)[VALUE:] = item_value, item_penalty, sheriff_penalty

    def action_help(player: int, action: int) -> str:
        if player == 0:
            return "first the number of illegal items to load, then the bribe to offer"
        return ("let the cargo pass", "look into the cargo")[action]

    def board_text(state: tuple[int, ...], player: int) -> str:
        left = rounds - max(state[MOVES] - 1, 0) // 2
        if player == 0 and state[MOVES] == 0:
            return f"load 0 to {max_items} illegal items; {left} rounds of bribes follow"
        told = f"you carry {state[LOADED]} illegal items" if player == 0 else f"the bribe is {state[OFFER]}"
        return f"{told}; rounds left, with this one: {left}"

    return CompiledRules(
        "sheriff",
        2,
        BOOK,
        table,
        state_size=4,
        width=max(max_items, max_bribe, 1) + 1,
        feature_size=max_items + max_bribe + 7,
        action_text=lambda player, action: str(action) if player == 0 else ANSWERS[action + 1],
        observation_text=lambda player, observation: ANSWERS[observation] if player == 0 else str(observation),
        action_help=action_help,
        board_text=board_text,
    )


ENTRY = Entry(
    name="sheriff",
    make=sheriff,
    summary="a smuggler bribes, a sheriff may look into the cargo",
    source="G. Farina, C. K. Ling, F. Fang, T. Sandholm (2019), Correlation in extensive-form games",
    parameters={
        "item_penalty": "the smuggler's fine for each item found",
        "item_value": "what an item earns if it gets through",
        "sheriff_penalty": "what the sheriff pays for looking into a legal cargo",
        "max_bribe": "the largest bribe",
        "max_items": "the most illegal items",
        "rounds": "number of bribes offered",
    },
    known={"sheriff": Known(28_085, (2_341, 2_340), source="OpenSpiel")},
    openspiel={
        "sheriff": "sheriff",
        "sheriff(rounds=2)": "sheriff(num_rounds=2)",
        "sheriff(item_penalty=1.5,item_value=4,sheriff_penalty=0,max_bribe=2,max_items=5,rounds=1)": (
            "sheriff(item_penalty=1.5,item_value=4.0,sheriff_penalty=0.0,max_bribe=2,max_items=5,num_rounds=1)"
        ),
    },
)
