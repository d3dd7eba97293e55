"""A player's choices on the way to a set of a game that is not expanded, from a history found by searching."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from hannan.rules.observations import canonical
from hannan.rules.paths import moves_at
from hannan.rules.plain import CHANCE, END, Rules, movers

MOST_STATES = 20_000
"""The most histories that are searched. If none of them leads to the set, the names of its actions stay unknown."""

Way = tuple[Hashable, int]
"""A player's observation and the place of its action; -1: any action."""


class Choice(NamedTuple):
    """One choice of a player."""

    state: Any
    menu: list[Hashable]
    """The player's actions, in the caller's order."""
    taken: int
    """The place of the player's action in `menu`; -1 at the last choice."""


def choices_to(
    rules: Rules, player: int, many: int, meet: Callable[[int, Any], Choice | None], anywhere: bool = False
) -> list[Choice] | None:
    """Search for a history with `many` fitting choices of a player and return these; None if no history was found.

    meet: returns the player's choice, given its number and the state; None if it does not fit. anywhere: skip choices
    that do not fit, and go on with the history.
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
    """Return the names of a player's actions at its choices on the way to a set, that set's last; None: not found.

    ways: the observation and the action at each choice; at the set itself the action is -1. named: the texts of the
    actions at each choice in the policy's order, or their number if the rules always list them in the same order.
    code: turns an observation into the key by which it is compared. anywhere: the player forgets, and the one set may
    be at any of its choices.
    """

    def meet(place: int, state: Any) -> Choice | None:
        menu, (seen, taken) = _ordered(list(rules.actions(state, player)), named[place]), ways[place]
        fits = bool(menu) and code(rules.observe(state, player)) == seen
        return Choice(state, menu, taken) if fits else None

    met = choices_to(rules, player, len(ways), meet, anywhere)
    return None if met is None else [[rules.action_text(player, one) for one in choice.menu] for choice in met]


def _ordered(menu: list[Hashable], named: list[str] | int) -> list[Hashable]:
    """Return actions in the order of `named`; an empty list if they are other actions."""
    if isinstance(named, int):
        return menu if len(menu) == named else []
    texts = [canonical(action) for action in menu]
    return [menu[texts.index(text)] for text in named] if sorted(texts) == sorted(named) else []
