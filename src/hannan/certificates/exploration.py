"""Line 5 of Algorithm 6.1: the profiles with which the next playthroughs explore."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from hannan.arguments import choice
from hannan.certificates.pseudogame import LOWER, UPPER, Pair, Pseudogame
from hannan.certificates.solution import Solved
from hannan.certificates.trunk import NONE, Trunk
from hannan.splitmix import Uniforms

Explorer = Callable[[Pseudogame, Solved], Sequence[Pair]]
"""A function of a pseudogame and its solutions; it returns the profiles for playthroughs until the next solve."""


def optimistic(game: Pseudogame, solved: Solved) -> Sequence[Pair]:
    """Explore with the best strategies if all errors were in the players' favour (Definition 6.4)."""
    return (solved.optimistic,)


def pessimistic(game: Pseudogame, solved: Solved) -> Sequence[Pair]:
    """Explore with the strategies that would be returned now."""
    return (solved.pessimistic,)


def uniform(game: Pseudogame, solved: Solved) -> Sequence[Pair]:
    """Explore with uniform play."""
    return (game.uniform(),)


def responses(game: Pseudogame, solved: Solved) -> Sequence[Pair]:
    """Explore with each player's optimistic best response to the other's given strategy, in turn."""
    x, y = solved.pessimistic
    return (best_response(game, UPPER, 0, (x, y)), y), (x, best_response(game, LOWER, 1, (x, y)))


EXPLORERS: dict[str, Explorer] = {
    "optimistic": optimistic,
    "pessimistic": pessimistic,
    "uniform": uniform,
    "responses": responses,
}


def explorer(explore: str | Explorer) -> Explorer:
    """Return an explorer by its name, or the given function."""
    if callable(explore):
        return explore
    return EXPLORERS[choice("explore", explore, EXPLORERS)]


def best_response(game: Pseudogame, side: int, player: int, strategies: Pair) -> np.ndarray:
    """Return a pure best response as a behaviour strategy."""
    _, choices = game.best(side, player, strategies)
    strategy = np.zeros(game.sequences[player])
    strategy[0] = 1.0
    strategy[game.sets[player][1] + choices] = 1.0
    return strategy


class ProfileChooser:
    """Chooses actions during one playthrough: by a profile at the sets that it has, uniformly elsewhere."""

    def __init__(self, trunk: Trunk, plan: Sequence[np.ndarray], uniforms: Uniforms) -> None:
        self._trunk, self._plan, self._uniforms = trunk, plan, uniforms
        self._sequences = [0] * trunk.seats

    def __call__(self, player: int, seen: Hashable, size: int) -> int:
        """Return the number of the action that a player takes."""
        left = self._uniforms.next()
        sequence, number = self._sequences[player], NONE
        if sequence != NONE:
            code = self._trunk.observations.known(seen)
            if code is not None:
                number = self._trunk.sets[player].find(sequence, code)
        if number == NONE:
            self._sequences[player] = NONE
            return int(left * size)
        first = int(self._trunk.sets[player].rows.first[number])
        plan = self._plan[player][first : first + size].tolist()
        choice = int(left * size)  # a set that is newer than the plan
        if len(plan) == size:
            choice = sampled(plan, left)
        self._sequences[player] = first + choice
        return choice


def sampled(probabilities: Sequence[float], left: float) -> int:
    """Return the action for a uniform number in [0, 1); never an action of probability 0."""
    last = 0
    for k, probability in enumerate(probabilities):
        if probability > 0:
            last = k
            left -= probability
            if left < 0:
                return k
    return last
