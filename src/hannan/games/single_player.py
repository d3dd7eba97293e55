"""One player who may go left at once, or right and then left or right.

The example of C. Chhablani, M. Sullins, I. A. Kash, Multiplicative weight updates for extensive form games
(EINR), figure 3. Its figure 4 has three sets of payoffs that differ in `right_left`. Our copy of the text shows only
the first set, (1; 2, 3), which is the default. For the two sets in which going right has a "bad" option, choose -2
and -20.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import number
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry
from hannan.games.parts import each, never, nothing_left, real
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [left, right_left, right_right] as the bits of floats
# state: [0 at the root, 1 after right, 2 + the number of the payoff at the end]
OVER = 2


def start(table: Longs, state: Longs) -> None:
    """Leave the state at zero: play is at the root."""


def turn(table: Longs, state: Longs) -> int:
    """Let the only player act."""
    return END if state[0] >= OVER else 1


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List left and right."""
    return each(0, 2, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Continue after right at the root; end play after any other move."""
    if state[0] == 0:
        state[0] = 1 if choice[0] == 1 else OVER
    else:
        state[0] = OVER + 1 + choice[0]


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe nothing: the player knows its own moves."""
    return 0


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay the payoff of the terminal node."""
    if state[0] >= OVER:
        out[0] = real(table, state[0] - OVER)


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Compare the payoffs of the terminal nodes that can still be reached."""
    if state[0] >= OVER:
        nothing_left(1, out)
        return
    out[0] = np.inf
    out[1] = -np.inf
    for k in range(state[0], 3):
        out[0] = min(out[0], real(table, k))
        out[1] = max(out[1], real(table, k))


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write whether the player has gone right."""
    out[0] = state[0]


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, features=features)


@remade
def single_player(left: float = 1, right_left: float = 2, right_right: float = 3) -> CompiledRules:
    """Build the rules. The parameters are the payoffs of the three terminal nodes."""
    payoffs = {"left": left, "right_left": right_left, "right_right": right_right}
    for name, payoff in payoffs.items():
        number(name, payoff)

    return CompiledRules(
        "single_player",
        1,
        BOOK,
        np.array(list(payoffs.values()), np.float64).view(np.int64),
        state_size=1,
        width=2,
        feature_size=1,
        action_text=lambda player, action: ("left", "right")[action],
        observation_text=lambda player, observation: "-",
        action_help=lambda player, action: "go this way",
    )


ENTRY = Entry(
    name="single_player",
    make=single_player,
    summary="left, or right and choose again: how fast is a bad option unlearnt?",
    source="C. Chhablani, M. Sullins, I. A. Kash, EINR, section 4.1",
    parameters={
        "left": "paid for left",
        "right_left": "paid for right, then left; -2 and -20 for the other panels of figure 4",
        "right_right": "paid for right, then right",
    },
)
