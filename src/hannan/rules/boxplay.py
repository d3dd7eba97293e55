"""A black box as rules for one play at a time, from the start to the end: for matches and interactive play."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from hannan.errors import UnsuitableError
from hannan.rules.box import Box, View
from hannan.rules.plain import CHANCE, END, Rules
from hannan.splitmix import first_random


class BoxPlay(Rules):
    """Rules that step a black box. A state is a view of the box, and play can continue only from the newest one.

    The chance moves depend on the seed of the play: `seed` if it is set, otherwise the next number of a stream.
    """

    def __init__(self, box: Box) -> None:
        self.box, self.players, self.name = box, box.players, box.name or type(box).__name__
        self.seed: int | None = None
        """The seed of the next play; None: the next number of the stream."""
        self._plays = 0
        self._now: View | None = None

    def start(self) -> View:
        seed = first_random(0, self._plays) if self.seed is None else self.seed
        self.seed, self._plays = None, self._plays + 1
        self._now = self.box.reset(seed)
        return self._now

    def turn(self, state: View) -> int | tuple[int, ...]:
        if state.draw is not None:
            return CHANCE
        who = tuple(state.movers)
        return END if not who else who if len(who) > 1 else who[0]

    def actions(self, state: View, player: int) -> Sequence[Hashable]:
        return state.actions[list(state.movers).index(player)]

    def chance(self, state: View) -> Sequence[tuple[Hashable, float]]:
        """Return the outcome that the box has drawn, with probability 1."""
        assert state.draw is not None
        return [(state.draw.outcome, 1.0)]

    def after(self, state: View, move: Any) -> View:
        if state is not self._now:
            raise UnsuitableError(
                f"{self.name} is a black box: it can only be played from the start and cannot return to an earlier "
                "node; use hannan certify to play it"
            )
        joint = state.draw is None and len(state.movers) > 1
        self._now = self.box.step(() if state.draw is not None else move if joint else (move,))
        return self._now

    def observe(self, state: View, player: int) -> Hashable:
        return state.observations[list(state.movers).index(player)]

    def gains(self, state: View) -> Sequence[float]:
        return state.gains

    def bounds(self, state: View) -> Sequence[tuple[float, float]] | None:
        return state.bounds

    def action_text(self, player: int, action: Any) -> str:
        return self.box.action_text(player, action)

    def observation_text(self, player: int, observation: Any) -> str:
        return self.box.observation_text(player, observation)
