"""A player's choices on the way to a set of a game that is not expanded: from a history that is looked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from hannan.rules.observations import canonical
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, Rules, movers

MOST_STATES = 20_000
"""So many histories are looked at; where none of them leads to the set, its actions have no names."""

Way = tuple[Hashable, int]
"""What a player sees and which action it takes; -1: any."""


class Choice(NamedTuple):
    """One choice of a player."""

    state: Any
    menu: list[Hashable]
    """What it may do, in the order of the one who asks."""
    taken: int
    """The place of what it does; -1 at the last choice."""


def choices_to(
    rules: Rules, player: int, many: int, meet: Callable[[int, Any], Choice | None], anywhere: bool = False
) -> list[Choice] | None:
    """Return a player's choices on the way to the last of so many; None where no history was met.

    meet: what the player does at its choice of this number in this state; None where that choice is not meant.
    anywhere: the one choice is looked for at any of the player's.
    """
    stack: list[tuple[Any, list[Choice]]] = [(rules.start(), [])]
    for _ in range(MOST_STATES):
        if not stack:
            return None
        state, met = stack.pop()
        turn = rules.turn(state)
        if turn == END:
            continue
        chosen, mine = None, turn != CHANCE and player in movers(turn)
        if mine:
            here = meet(len(met), state)
            if here is not None:
                met = [*met, here]
                if len(met) == many:
                    return met
                chosen = here.menu[here.taken]
            elif not anywhere:
                continue
            place = list(movers(turn)).index(player)
        for move, _ in reversed(moves_at(rules, state)):
            if chosen is not None and (move[place] if isinstance(turn, tuple) else move) != chosen:
                continue
            stack.append((rules.after(state, move), met))
    return None


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

    def meet(place: int, state: Any) -> Choice | None:
        menu, (seen, taken) = _ordered(list(rules.actions(state, player)), named[place]), ways[place]
        fits = bool(menu) and code(rules.observe(state, player)) == seen
        return Choice(state, menu, taken) if fits else None

    met = choices_to(rules, player, len(ways), meet, anywhere)
    return None if met is None else [[rules.action_text(player, one) for one in choice.menu] for choice in met]


def _ordered(menu: list[Hashable], named: list[str] | int) -> list[Hashable]:
    """Return actions in the order of their names; none where they are other ones."""
    if isinstance(named, int):
        return menu if len(menu) == named else []
    texts = [canonical(action) for action in menu]
    return [menu[texts.index(text)] for text in named] if sorted(texts) == sorted(named) else []
