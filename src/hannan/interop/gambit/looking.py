"""A look at a node of a `.efg` file: the file was checked when it was read, so little is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.interop.gambit.record import CHANCE, TERMINAL
from hannan.rules.plain import END, NO_MOVERS
from hannan.rules.visiting import Look, Visitor

if TYPE_CHECKING:
    from hannan.interop.gambit.rules import EfgRules


def look(
    rules: EfgRules, visitor: Visitor, node: int, state: int, last: tuple[int, ...], utility: tuple[float, ...]
) -> Look:
    """As `Visitor.look`: the same answer, and the same refusal of actions that differ within a set."""
    game, gained = rules.game, None
    if game.outcome_of[state] >= 0:
        gains = rules.gains(state)
        if any(gains):
            gained = tuple(gains)
            utility = tuple(map(float.__add__, utility, gained))
    player = game.player[state]
    if player == TERMINAL:
        visitor.ended(utility)
        return Look(gained, utility, END, [], [])
    children = game.children(state)
    if player == CHANCE:
        below = [(child, last, odds) for child, odds in zip(children, rules.odds(state), strict=True)]
        return Look(gained, utility, NO_MOVERS, [], below)
    player -= 1
    before = last[player]
    number = visitor.sets.get((before, rules.observe(state, player)))
    if number is None:
        number = visitor.information_set(node, state, player, before, tuple(rules.actions(state, player)))
    elif node < visitor.first[number]:
        visitor.first[number] = node
    base, head, tail = visitor.met[number][3], last[:player], last[player + 1 :]
    below = [(child, (*head, base + k, *tail), 1.0) for k, child in enumerate(children)]
    return Look(gained, utility, 1 << player, [number], below)
