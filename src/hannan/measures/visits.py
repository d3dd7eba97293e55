"""Which information sets a policy comes to, how often, and what they are worth: by playing; nothing is expanded."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from hannan.arguments import count as whole_or_none
from hannan.arguments import seed as checked_seed
from hannan.arguments import whole
from hannan.errors import UnsuitableError
from hannan.forms.game import PlayedGame
from hannan.measures.tables import ActionRow, SetRow, write_rows
from hannan.rules.paths import random_play
from hannan.strategies.asked import Asked, no_table
from hannan.strategies.policy import Policy

PLAYS = 1000
"""Plays by plain steps, where nobody says how many."""


@dataclass
class _Visited:
    """One set so far."""

    player: int
    name: str
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    visits: int = 0
    earned: list[float] = field(default_factory=list)


def visits(policy: Policy | Asked, most: int = 20, plays: int = PLAYS, seed: int = 0) -> tuple[SetRow, ...]:
    """Return the `most` information sets that plays of a policy came to most often, in that order.

    Frequencies are shares of the plays and values are means over them, estimates both; reaches and regrets are None.
    """
    if isinstance(policy, Asked):
        raise no_table(policy, "a list of visited sets")
    if not isinstance(policy, Policy):
        raise UnsuitableError(
            "visits() plays policies; hannan.summary(game, profile) lists the sets of a profile exactly"
        )
    most, plays = whole_or_none("most", most), whole("plays", plays)
    sets: dict[Hashable, _Visited] = {}
    luck = random.Random(checked_seed(seed))
    for _ in range(plays):
        _play(policy, policy.game.played(), sets, luck)
    ordered = sorted(sets.values(), key=lambda one: -one.visits)[:most]
    return tuple(
        SetRow(
            player=one.player,
            name=one.name,
            reach=None,
            frequency=one.visits / plays,
            value=sum(one.earned) / len(one.earned),
            actions=tuple(
                ActionRow(action, chance, None) for action, chance in zip(one.actions, one.probabilities, strict=True)
            ),
        )
        for one in ordered
    )


def export_visits(policy: Policy, path: str | PathLike[str], plays: int = PLAYS, seed: int = 0) -> None:
    """Write one line for each action of each set that plays came to, most often first; see `tables.export_csv`."""
    write_rows(path, visits(policy, 2**31, plays, seed))


def _play(policy: Policy, game: PlayedGame, sets: dict[Hashable, _Visited], luck: random.Random) -> None:
    """Make one play, and count the sets on its way once each."""
    seats = [_Seat(player, player) for player in range(game.players)]
    met: dict[Hashable, _Visited] = {}
    earned = [0.0] * game.players

    def choose(state: Any, player: int, actions: list[Any]) -> int:
        k, key, one = seats[player].choose(policy, state, actions, luck)
        met[key] = sets.setdefault(key, one)
        return k

    for state, _ in random_play(game.rules, luck, choose):
        earned = [total + float(gain) for total, gain in zip(earned, game.rules.gains(state), strict=True)]
    for one in met.values():
        one.visits += 1
        one.earned.append(earned[one.player])


@dataclass
class _Seat:
    """A player of a play: its last sequence, and in words what it saw and did."""

    player: int
    last: int
    words: str = ""

    def choose(
        self, policy: Policy, state: Any, actions: list[Any], luck: random.Random
    ) -> tuple[int, Hashable, _Visited]:
        """Draw an action; return its place, the key of the set, and the set."""
        rules, player = policy.game.played().rules, self.player
        seen = rules.observe(state, player)
        place = policy.find(self.last, seen, len(actions))
        plays, places = policy.offered(place, actions)
        weights, sight = plays.tolist(), rules.observation_text(player, seen)
        name = sight if player in policy.forgets else f"{self.words} {sight}".strip()
        texts = tuple(rules.action_text(player, action) for action in actions)
        k = luck.choices(range(len(actions)), weights)[0]
        self.last, self.words = policy.after(player, place, places[k]), f"{name} {texts[k]}"
        return k, (player, name, len(actions)), _Visited(player, name, texts, tuple(weights))
