"""The names of the actions at a set of a game that is not expanded: from a history that leads there, looked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from hannan.rules.observations import canonical
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, Rules, movers

MOST_STATES = 20_000
"""So many histories are looked at; where none of them leads to the set, its actions have no names."""

Way = tuple[Hashable, int]
"""What a player sees and which action it takes; -1: any."""


def menus_to(
    rules: Rules,
    player: int,
    ways: Sequence[Way],
    named: Sequence[list[str] | int],
    code: Callable[[Hashable], Hashable],
    anywhere: bool,
) -> list[list[str]] | None:
    """Return the names of a player's actions at its choices on the way to a set, that set's last.

    ways: what it sees and does at each choice; at the set itself the action is -1. named: the texts of the actions at
    each choice in the order in which they are known, or how many there are where rules list them in one order only.
    code: what an observation is compared by. anywhere: the player forgets, and the one way is looked for at any of its
    choices. None where no history was met.
    """
    stack: list[tuple[Any, list[list[str]]]] = [(rules.start(), [])]
    for _ in range(MOST_STATES):
        if not stack:
            return None
        state, names = stack.pop()
        turn = rules.turn(state)
        if turn == END:
            continue
        mine = turn != CHANCE and player in movers(turn)
        if mine:
            place = 0 if anywhere else len(names)
            menu, (seen, taken) = _ordered(list(rules.actions(state, player)), named[place]), ways[place]
            here = bool(menu) and code(rules.observe(state, player)) == seen
            if here:
                names = [*names, [rules.action_text(player, action) for action in menu]]
                if taken < 0:
                    return names
            elif not anywhere:
                continue
            place = list(movers(turn)).index(player)
            chosen = menu[taken] if here else None
        for move, _ in reversed(moves_at(rules, state)):
            if mine and chosen is not None and (move[place] if isinstance(turn, tuple) else move) != chosen:
                continue
            stack.append((rules.after(state, move), names))
    return None


def _ordered(menu: list[Hashable], named: list[str] | int) -> list[Hashable]:
    """Return actions in the order of their names; none where they are other ones."""
    if isinstance(named, int):
        return menu if len(menu) == named else []
    texts = [canonical(action) for action in menu]
    return [menu[texts.index(text)] for text in named] if sorted(texts) == sorted(named) else []
