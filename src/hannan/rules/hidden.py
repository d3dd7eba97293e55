"""Hidden chance: make a box that never shows its chance nodes into one that does.

A chance node is put before every answer of the box. Its outcome is the answer itself: gains, movers, actions and
observations. This loses nothing: a hidden draw matters only through later observations and gains, and given all answers
and moves so far, the next answer has one distribution, whatever strategies the players use. The only assumption is the
bound on the number of different answers that can follow one history; a violation is detected.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hannan.arguments import shown
from hannan.arguments import whole as whole_number
from hannan.errors import ParameterError
from hannan.rules.bounds import Bounds
from hannan.rules.box import FAILED, Answer, Box, ChanceMove, Met, SimulatorError, View


class HiddenChance(Box):
    """A box in which every answer is an outcome of chance."""

    def __init__(self, box: Box, most: int, whole: Bounds | None = None) -> None:
        """`most` bounds the number of different answers after one history; `whole` bounds each player's utility."""
        if not isinstance(box, Box):
            raise ParameterError(f"{shown(box)} is not a Box")
        whole_number("most", most)
        self.box, self.most, self.whole = box, most, whole
        self.hidden = most
        self.players, self.name, self.seeded, self.batch = box.players, box.name, box.seeded, box.batch
        self._next: View | None = None
        self._shown = False

    def __reduce__(self) -> tuple[Any, ...]:
        return HiddenChance, (self.box, self.most, self.whole)

    def close(self) -> None:
        """Close the wrapped box, if it has a method `close`."""
        if callable(close := getattr(self.box, "close", None)):
            close()

    def leave_odds(self) -> None:
        self.box.leave_odds()

    def odds_met(self) -> Sequence[Met]:
        return self.box.odds_met()

    def compare_odds(self, met: Sequence[Met]) -> None:
        self.box.compare_odds(met)

    @property
    def restarts(self) -> int:
        return self.box.restarts

    @property
    def trouble(self) -> str:
        return self.box.trouble

    @property
    def play_number(self) -> int:
        return self.box.play_number

    def reset(self, seed: int) -> View:
        return self.reset_later(seed)()

    def step(self, moves: tuple[Any, ...]) -> View:
        return self.step_later(moves)()

    def reset_later(self, seed: int) -> Answer:
        self._shown = False
        return partial(self._hide, self.box.reset_later(seed), self.whole)

    def step_later(self, moves: tuple[Any, ...]) -> Answer:
        if not self._shown:
            return self._show
        self._shown = False
        return partial(self._hide, self.box.step_later(moves), None)

    def _show(self) -> View:
        """Show the answer that chance has drawn."""
        if self._next is None:
            raise SimulatorError(f"{self.name or 'the box'}: no answer")
        self._shown = True
        return self._next

    def _hide(self, answer: Answer, bounds: Bounds | None) -> View:
        """Wait for the answer of the box, and show it as an outcome of chance."""
        try:
            view = answer()
        except SimulatorError:
            self._next, outcome = None, FAILED
        else:
            self._next, outcome = view, _answer(view)
        return View([0.0] * self.players, bounds, draw=ChanceMove(outcome, most=self.most + 1))

    def action_text(self, player: int, action: Any) -> str:
        return self.box.action_text(player, action) if player >= 0 else "answer"

    def observation_text(self, player: int, observation: Any) -> str:
        return self.box.observation_text(player, observation)


def _answer(view: View) -> Any:
    """Return the parts of an answer that distinguish it from other answers, as a hashable value."""
    drawn = None if view.draw is None else (view.draw.outcome, tuple(view.draw.outcomes or ()))
    return (
        tuple(map(float, view.gains)),
        tuple(view.movers),
        tuple(tuple(menu) for menu in view.actions),
        tuple(view.observations),
        drawn,
    )
