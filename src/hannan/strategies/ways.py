"""The play of a strategy after a player's own observations and actions: a history that has them is searched for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import ParameterError, UnknownNameError, UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.rules.observations import hashed
from hannan.rules.plain import Rules
from hannan.strategies.index import UNKNOWN
from hannan.strategies.menus import MOST_STATES, Choice, choices_to
from hannan.strategies.seats import inform


def distribution(strategy: Any, player: int, way: Sequence[Hashable]) -> dict[str, float]:
    """Return what a player does after its way; see `Strategy.distribution`."""
    game = strategy.game
    game.check_player(player)
    if len(way) % 2 == 0:
        raise ParameterError(
            f"{shown(way)} should be observation, action, observation, …, and end with an observation, after which "
            "the player chooses"
        )
    if not isinstance(game, PlayedGame):
        return looked_up(strategy.policy(), player, way)
    rules = getattr(game, "base", game).rules  # a game with locks has no rules of its own
    met = choices_to(rules, player, len(way) // 2 + 1, _Way(rules, player, way).choice)
    if met is None:
        raise UnknownNameError(
            f"in none of {MOST_STATES:,} histories of {game.address}, player {player} sees and does "
            f"{', '.join(map(shown, way))}"
        )
    total, weight = np.zeros(len(met[-1].menu)), 0.0
    for share, member in _single(strategy):
        reach, plays = _asked(member, rules, player, met)
        total, weight = total + share * reach * plays, weight + share * reach
    plays = total / weight if weight else np.full(len(total), 1 / len(total))
    names = (rules.action_text(player, action) for action in met[-1].menu)
    return dict(zip(names, map(float, plays), strict=True))


def _single(strategy: Any) -> Iterator[tuple[float, Any]]:
    """Yield the strategies of which one is drawn, members of members included, with their probabilities."""
    for share, member in strategy.members():
        if member is strategy:
            yield share, member
        else:
            yield from ((share * part, one) for part, one in _single(member))


class _Way:
    """Observations and actions that a history should have."""

    def __init__(self, rules: Rules, player: int, way: Sequence[Hashable]) -> None:
        self.rules, self.player, self.way = rules, player, way

    def choice(self, place: int, state: Any) -> Choice | None:
        """Return the player's actions and the one it takes; None if it sees something else or lacks that action."""
        rules, player = self.rules, self.player
        seen, wanted = rules.observe(state, player), hashed(self.way[2 * place])
        if wanted not in (seen, rules.observation_text(player, seen)):
            return None
        menu = list(rules.actions(state, player))
        if 2 * place + 1 == len(self.way):
            return Choice(state, menu, UNKNOWN)
        taken = hashed(self.way[2 * place + 1])
        fits = [k for k, one in enumerate(menu) if taken in (one, rules.action_text(player, one))]
        return Choice(state, menu, fits[0]) if fits else None


def _asked(strategy: Any, rules: Rules, player: int, met: Sequence[Choice]) -> tuple[float, Floats]:
    """Return the probability of the actions on the way, and the probabilities of the actions at its end."""
    seat, reach = strategy.sit(player, player), 1.0
    for choice in met:
        inform(seat, rules, choice.state, player)
        plays, known, _ = seat.choose(rules.observe(choice.state, player), choice.menu)
        if not known:
            raise UnsuitableError(
                f"{shown(strategy)} names an action, and may name another one next time: let it return "
                "probabilities, such as {action: 1.0}"
            )
        if choice.taken != UNKNOWN:
            reach *= float(plays[choice.taken])
            seat.took(choice.taken)
    return reach, plays


def looked_up(policy: Any, player: int, way: Sequence[Hashable]) -> dict[str, float]:
    """Return the probabilities in a table of a box, which has no rules that list actions."""
    sequence = player
    for place, thing in enumerate(way):
        if place % 2 == 0:
            number = policy.search(sequence, hashed(thing))
            if number == UNKNOWN:
                raise UnknownNameError(f"the strategy of player {player} knows no set after {shown(thing)}")
            names = list(policy.set(number).actions)
            continue
        if str(thing) not in names:
            raise UnknownNameError(f"player {player} has no action {shown(thing)} there; it has {', '.join(names)}")
        sequence = policy.after(player, number, names.index(str(thing)))
    found: dict[str, float] = policy.set(number).actions
    return found
