"""A player that searches: before each of its moves it searches from the present position, and it keeps its tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan import arguments
from hannan.errors import MismatchError
from hannan.forms.game import PlayedGame
from hannan.rules.doors import alike
from hannan.rules.standing import Track
from hannan.splitmix import first_random
from hannan.strategies.seats import Answer, Seat
from hannan.treesearch.searcher import Searcher

ITERATIONS = 10_000
"""Default number of iterations before each move."""


@dataclass(frozen=True)
class SearchPlayer:
    """Searches before each move, with an empty tree and random numbers of its own in each play."""

    name: str
    searcher: Searcher
    iterations: int | None
    """The most walks before a move; None: as many as the time allows."""
    seconds: float | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        rule, options = self.searcher.given
        given = (self.searcher.game, rule, {**options, "seed": self.searcher.seed})
        return _remade, (self.name, *given, self.iterations, self.seconds)

    def sit(self, seat: int, luck: int) -> Seat:
        return _SearchSeat(self, self.searcher.again(first_random(self.searcher.seed, luck) >> 1), seat)


def _remade(
    name: str, game: PlayedGame, rule: Any, options: Any, iterations: int | None, seconds: float | None
) -> SearchPlayer:
    """Make the same player in another process."""
    return SearchPlayer(name, Searcher(game, rule, **options), iterations, seconds)


class _SearchSeat:
    """A search in one seat. It knows the position, because only the current joint move is hidden."""

    def __init__(self, player: SearchPlayer, searcher: Searcher, seat: int) -> None:
        self._player, self._searcher, self._seat = player, searcher, seat
        self._track = Track(searcher.game.rules, seat)
        self._history: list[tuple[Hashable, Hashable]] = []
        self._now: tuple[Hashable, Sequence[Hashable]] = (None, ())

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        self._now = observation, actions
        self._searcher.jump(self._track.to(self._history, observation))
        if len(actions) == 1:
            return Answer(np.ones(1), True)
        self._searcher.search(self._player.seconds, iterations=self._player.iterations)
        return Answer(self._searcher.plays(self._seat), True)

    def took(self, k: int) -> None:
        observation, actions = self._now
        self._history.append((observation, actions[k]))


def search_player(game: PlayedGame, name: str, parameters: dict[str, Any]) -> SearchPlayer:
    """Return the player of an address such as `search(rule='rm-mean',iterations=10000)` or `search(seconds=0.05)`."""
    given = dict(parameters)
    seconds = None if given.get("seconds") is None else arguments.positive("seconds", given["seconds"])
    many = given.get("iterations", ITERATIONS if seconds is None else None)
    iterations = None if many is None else arguments.whole("iterations", many)
    given = {key: value for key, value in given.items() if key not in ("iterations", "seconds")}
    return searcher_player(game, name, Searcher(game, **given), iterations, seconds)


def searcher_player(
    game: PlayedGame, name: str, searcher: Searcher, iterations: int | None = ITERATIONS, seconds: float | None = None
) -> SearchPlayer:
    """Return a player that searches like this searcher, which does not change."""
    if not alike(game.rules, searcher.game.rules):
        raise MismatchError(
            f"{name} searches {searcher.game.address} and not the {game.address} of this match; of rules in plain "
            "Python, give both the same object"
        )
    if searcher.position:
        raise MismatchError(f"{name} stands at {searcher.path}: a player begins where play does")
    searcher.again(searcher.seed).prepare()
    return SearchPlayer(name, searcher, iterations, seconds)
