"""One look at a node of compiled rules: all that a black box shows there, in one call."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import types

from hannan.arrays import Floats, Longs
from hannan.kernels import signed
from hannan.kernels.addresses import address
from hannan.kernels.pointers import asked, told
from hannan.kernels.signatures import FLOATS, LONG, LONGS, TABLE


def _look(
    turn: int, actions: int, chance: int, move: int, observe: int, gains: int, group: int, bounds: int,
    table: Longs, state: Longs, choice: Longs, players: int, width: int, longs: Longs, floats: Floats, moved: bool,
) -> int:  # fmt: skip
    """Make the move in `choice` where there is one, and return whose turn it is then.

    The first eight are the addresses of the rules' functions; `group` and `bounds` are 0 where they are not asked.
    `floats` gets the gains, the bounds, and at chance the probabilities. `longs` gets at chance the number of outcomes,
    the group and the outcomes; elsewhere, from place 2 on for each mover, the number of actions, what is observed, and
    the actions.
    """
    constants, here = address(table, 0), address(state, 0)
    if moved:
        told(move, (constants, here, address(choice, 0)))
    for k in range(3 * players):
        floats[k] = 0.0
    told(gains, (constants, here, address(floats, 0)))
    if bounds != 0:
        told(bounds, (constants, here, address(floats, players)))
    who = asked(turn, (constants, here))
    if who == -1:
        return who
    if who <= 0:
        longs[1] = asked(group, (constants, here)) if group != 0 else -1
        longs[0] = asked(chance, (constants, here, address(longs, 2), address(floats, 3 * players)))
        return who
    at = 2
    for player in range(players):
        if (who >> player) & 1:
            longs[at] = asked(actions, (constants, here, player, address(longs, at + 2)))
            longs[at + 1] = asked(observe, (constants, here, player))
            at += 2 + width
    return who


@cache
def looker() -> Any:
    """Return the compiled look; compiled (or loaded from the cache) on the first call."""
    signature = (*(LONG,) * 8, TABLE, LONGS, LONGS, LONG, LONG, LONGS, FLOATS, types.boolean)
    return signed(_look, signature)
