"""The N-step game of identical interest: cooperate at every step, or stop with less.

Y. Yang et al. (2020), Multi-agent determinantal Q-learning, as used by C. Chhablani, M. Sullins, I. A. Kash,
Multiplicative weight updates for extensive form games (EINR), figures 6 to 8. Both players choose 1 or 2 at
once, see the result, and always earn the same. At the first stage (1,1) leads to the left chain and (2,2) to the
right chain; any other choice ends play with 0. At a stage k between the first and the last, (1,1) continues the left
chain and (2,2) the right chain; any other choice ends play with k - 1. The last stage pays [a b; c d] on the left
chain and [e f; g h] on the right chain.

The defaults are figure 7. Figure 8a is (a=4,b=12,c=4,d=12,e=-40,f=-40,g=11,h=11); 8b has a=c=-4, 8c has
a=c=-40.
"""

from __future__ import annotations

import numpy as np

from hannan.arguments import number, whole
from hannan.arrays import Floats, Longs
from hannan.games.catalogue import Entry
from hannan.games.parts import each, never, real
from hannan.rules.compiled import CompiledRules, Rulebook, remade
from hannan.rules.plain import END

# table: [stages, a … h as the bits of floats]
STAGES, PAYOFF = 0, 1

# state: [stage from 1, chain (0: none yet, 1: left, 2: right), over, last joint action as 2·row + column]
STAGE, CHAIN, OVER, JOINT = range(4)


def start(table: Longs, state: Longs) -> None:
    """Begin at stage 1."""
    state[STAGE] = 1


def turn(table: Longs, state: Longs) -> int:
    """Let both players choose at once."""
    return END if state[OVER] else 3


def actions(table: Longs, state: Longs, player: int, out: Longs) -> int:
    """List the actions 1 and 2, coded 0 and 1."""
    return each(0, 2, out)


def move(table: Longs, state: Longs, choice: Longs) -> None:
    """Continue if the players cooperate; otherwise end play."""
    state[JOINT] = 2 * choice[0] + choice[1]
    agreed = choice[0] + 1 if choice[0] == choice[1] else -1
    if state[STAGE] == 1 and agreed > 0:
        state[CHAIN] = agreed
    if state[STAGE] == table[STAGES] or agreed != state[CHAIN]:
        state[OVER] = 1
    else:
        state[STAGE] += 1


def observe(table: Longs, state: Longs, player: int) -> int:
    """Observe which chain play is in."""
    return state[CHAIN]


def gains(table: Longs, state: Longs, out: Floats) -> None:
    """Pay both players the same."""
    if not state[OVER]:
        return
    paid = state[STAGE] - 1.0
    if state[STAGE] == table[STAGES]:
        paid = real(table, PAYOFF + 4 * (state[CHAIN] - 1) + state[JOINT])
    out[0] = paid
    out[1] = paid


def bounds(table: Longs, state: Longs, out: Floats) -> None:
    """Compare the payoffs of stopping (one less than the stage) and of the last stage on the chains still possible."""
    stages = table[STAGES]
    low, high = state[STAGE] - 1.0, stages - 2.0
    if state[STAGE] == stages:
        low, high = np.inf, -np.inf
    for k in range(8):
        if state[CHAIN] == 0 or k // 4 == state[CHAIN] - 1:
            paid = real(table, PAYOFF + k)
            low, high = min(low, paid), max(high, paid)
    for player in range(2):
        out[2 * player] = 0.0 if state[OVER] else low
        out[2 * player + 1] = 0.0 if state[OVER] else high


def position(table: Longs, state: Longs, out: Longs) -> int:
    """Write the stage, the chain, and whether play is over."""
    out[0] = state[STAGE]
    out[1] = state[CHAIN]
    out[2] = state[OVER]
    return 3


def features(table: Longs, state: Longs, player: int, out: Floats) -> None:
    """Write the player, the stage and the chain."""
    out[0] = player
    out[1] = state[STAGE] / table[STAGES]
    out[2 + state[CHAIN]] = 1.0


BOOK = Rulebook(start, turn, actions, never, move, observe, gains, bounds=bounds, position=position, features=features)


@remade
def identical_interest(
    stages: int = 10,
    a: float = 9,
    b: float = 9,
    c: float = 9,
    d: float = 12,
    e: float = 9,
    f: float = 9,
    g: float = 9,
    h: float = 9,
) -> CompiledRules:
    """Build the rules. `a` to `h`: payoffs of the last stage."""
    whole("stages", stages, 2, 1000)
    payoffs = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g, "h": h}
    for name, payoff in payoffs.items():
        number(name, payoff)
    table = np.full(9, stages, np.int64)
    table.view(np.float64)[PAYOFF:] = list(payoffs.values())

    return CompiledRules(
        "identical_interest",
        2,
        BOOK,
        table,
        state_size=4,
        width=2,
        feature_size=5,
        action_text=lambda player, action: str(action + 1),
        action_help=lambda player, action: "one of your choices",
        observation_text=lambda player, observation: ("start", "left", "right")[observation],
    )


ENTRY = Entry(
    name="identical_interest",
    make=identical_interest,
    summary="two players with one interest cooperate step by step",
    source="Y. Yang et al. (2020); C. Chhablani, M. Sullins, I. A. Kash, EINR, figures 6 to 8",
    parameters={
        "stages": "number of stages",
        **dict.fromkeys("abcd", "paid in the last stage on the left, [a b; c d]"),
        **dict.fromkeys("efgh", "paid in the last stage on the right, [e f; g h]"),
    },
)
