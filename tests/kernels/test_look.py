"""One look at a node says what the rules say, asked one function after another as ordinary Python."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hannan.forms.loader import load_expanded
from hannan.kernels.look import looker
from hannan.kernels.pointers import address_of
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import CHANCE, END, movers

ASKED = ("turn", "actions", "chance", "move", "observe", "gains")


@pytest.mark.parametrize("address", ["kuhn_poker(players=3)", "goofspiel(cards=3)", "leduc_poker(ranks=2)"])
def test_a_look_is_what_the_functions_say(address: str) -> None:
    """Along 15 random plays, with bounds and the group of chance where the rules know them."""
    rules, random = load_expanded(address).rules, Random(1)
    assert isinstance(rules, CompiledRules)
    names = ("start", "turn", "actions", "chance", "move", "observe", "gains")
    functions = dict(zip(names, rules.compiled(), strict=True))
    optional = [rules.compiled_optional(name) for name in ("chance_group", "bounds")]
    addresses = [address_of(functions[name]) for name in ASKED] + [address_of(one) if one else 0 for one in optional]
    look, players, width = looker(), rules.players, rules.width
    longs, floats = np.zeros(2 + players * (2 + width), np.int64), np.zeros(3 * players + width)
    for _ in range(15):
        state, choice, moved = np.array(rules.start(), np.int64), np.zeros(players, np.int64), False
        while True:
            who = look(*addresses, rules.table, state, choice, players, width, longs, floats, moved)
            here = tuple(state.tolist())
            turn = rules.turn(here)
            assert floats[:players].tolist() == rules.gains(here)
            bounds = rules.bounds(here)
            if bounds is not None:
                assert floats[players : 3 * players].tolist() == [end for pair in bounds for end in pair]
            if turn == END:
                assert who == END
                break
            if turn == CHANCE:
                assert who <= 0
                outcomes, group = rules.chance(here), rules.chance_group(here)
                assert longs[0] == len(outcomes)
                assert longs[1] == (-1 if group is None else group)
                odds = floats[3 * players : 3 * players + len(outcomes)].tolist()
                assert list(zip(longs[2 : 2 + len(outcomes)].tolist(), odds, strict=True)) == outcomes
                move: int | tuple[int, ...] = random.choice(outcomes)[0]
                choice[0] = move
            else:
                taken = []
                assert who == sum(1 << player for player in movers(turn))
                for m, player in enumerate(movers(turn)):
                    part = longs[2 + m * (2 + width) :].tolist()
                    menu = rules.actions(here, player)
                    assert part[:2] == [len(menu), rules.observe(here, player)]
                    assert part[2 : 2 + len(menu)] == menu
                    taken.append(random.choice(menu))
                choice[: len(taken)] = taken
                move = tuple(taken) if isinstance(turn, tuple) else taken[0]
            after, moved = rules.after(here, move), True
            ahead = state.copy()
            look(*addresses, rules.table, ahead, choice, players, width, longs, floats, True)
            assert tuple(ahead.tolist()) == after
