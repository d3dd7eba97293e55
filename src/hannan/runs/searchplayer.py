"""A search that plays: before each of its moves it searches from where play stands, and it keeps its tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hannan import arguments
from hannan.errors import MismatchError
from hannan.forms.game import PlayedGame
from hannan.rules.doors import alike
from hannan.rules.plain import CHANCE, END, movers
from hannan.splitmix import first_random
from hannan.strategies.seats import Answer, Seat
from hannan.treesearch.positions import moves, state_after
from hannan.treesearch.searcher import Searcher

ITERATIONS = 10_000
"""Before each move, where nobody says."""


@dataclass(frozen=True)
class SearchPlayer:
    """Searches `iterations` times before each move, with an empty tree and random numbers of its own in each play."""

    name: str
    searcher: Searcher
    iterations: int

    def sit(self, seat: int, luck: int) -> Seat:
        return _SearchSeat(self.searcher.again(first_random(self.searcher.seed, luck) >> 1), seat, self.iterations)


class _SearchSeat:
    """Knows what its seat has seen and done, and so the position: only the current joint move is hidden."""

    def __init__(self, searcher: Searcher, seat: int, iterations: int) -> None:
        self._searcher, self._seat, self._iterations = searcher, seat, iterations
        self._taken: int | None = None

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        self._searcher.follow(self._moves_to(observation))
        if len(actions) == 1:
            return Answer(np.ones(1), True)
        self._searcher.run(self._iterations)
        return Answer(self._searcher.plays(self._seat), True)

    def took(self, k: int) -> None:
        self._taken = k

    def _moves_to(self, observation: Hashable) -> list[Any]:
        """Return the moves from the last position to one with this observation, with what the seat did itself."""
        rules, seat = self._searcher.game.rules, self._seat
        state = state_after(rules, self._searcher.moves)
        pending: list[tuple[Any, list[Any]]] = [(state, [])]
        if self._taken is not None:
            turn = rules.turn(state)
            own = list(rules.actions(state, seat))[self._taken]
            fits = [
                move
                for move in moves(rules, state)
                if (move[turn.index(seat)] if isinstance(turn, tuple) else move) == own
            ]
            pending = [(rules.after(state, move), [move]) for move in reversed(fits)]
        while pending:
            state, path = pending.pop()
            turn = rules.turn(state)
            if turn == END:
                continue
            if turn != CHANCE and seat in movers(turn):
                if rules.observe(state, seat) == observation:
                    return path
                continue
            pending += [(rules.after(state, move), [*path, move]) for move in reversed(moves(rules, state))]
        raise MismatchError("no line of play leads from the last position to what this seat sees now")


def search_player(game: PlayedGame, name: str, parameters: dict[str, Any]) -> SearchPlayer:
    """Return the player of an address such as `search(rule='rm-mean',iterations=10000)`."""
    given = dict(parameters)
    iterations = arguments.whole("iterations", given.pop("iterations", ITERATIONS))
    return searcher_player(game, name, Searcher(game, **given), iterations)


def searcher_player(game: PlayedGame, name: str, searcher: Searcher, iterations: int = ITERATIONS) -> SearchPlayer:
    """Return what plays by searches like this one, which is left as it is."""
    if not alike(game.rules, searcher.game.rules):
        raise MismatchError(
            f"{name} searches {searcher.game.address} and not the {game.address} of this match; of rules in plain "
            "Python, give both the same object"
        )
    if searcher.moves:
        raise MismatchError(f"{name} stands at {searcher.path}: a player begins where play does")
    searcher.again(searcher.seed).prepare()
    return SearchPlayer(name, searcher, iterations)
