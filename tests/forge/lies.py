"""Boxes that lie: certificates of what they show are consistent in themselves, and false of the true box."""

from __future__ import annotations

import random
from typing import Any

from hannan.rules.box import FAILED, Box, SimulatorError, View

LIES = (
    "gains", "bounds", "one observation", "other observations", "more observations", "names of actions", "places",
    "one group", "no group", "odds", "luck", "failures", "nothing",
)  # fmt: skip


class Liar(Box):
    """Plays a true box, and tells of it what is not so; the same at the same history."""

    def __init__(self, box: Box, lie: str, seed: int) -> None:
        self.box, self.lie, self.seed = box, lie, seed
        self.players, self.name, self.seeded = box.players, box.name, box.seeded
        self._path: tuple[Any, ...] = ()
        self._view = View([0.0] * box.players)
        self._bad = False

    def _here(self, share: float) -> bool:
        """Whether the lie is told at this history."""
        return random.Random(f"{self.seed} {self._path}").random() < share

    def reset(self, seed: int) -> View:
        self._path, self._bad = (), False
        view = self.box.reset(seed)
        if self.lie == "luck":  # other seeds, until the first draw is the first outcome
            for more in range(1, 9):
                if view.draw is None or not view.draw.outcomes or view.draw.outcome == view.draw.outcomes[0]:
                    break
                view = self.box.reset(seed + more)
        return self._told(view)

    def step(self, moves: tuple[Any, ...]) -> View:
        true = self._view
        if true.draw is not None:
            if self._bad:
                raise SimulatorError("no answer")
            self._path = (*self._path, true.draw.outcome)
            return self._told(self.box.step(()))
        if self.lie == "names of actions":  # each name means another action
            moves = tuple(menu[len(menu) - 1 - menu.index(move)] for menu, move in self._named(moves))
        self._path = (*self._path, moves)
        return self._told(self.box.step(moves))

    def _named(self, moves: tuple[Any, ...]) -> list[tuple[list[Any], Any]]:
        return [(list(menu), move) for menu, move in zip(self._view.actions, moves, strict=True)]

    def _told(self, view: View) -> View:
        self._view = view
        lied = getattr(self, f"_{self.lie.replace(' ', '_')}", None)
        return view if lied is None else lied(view)

    def _gains(self, view: View) -> View:
        """A gain is another one."""
        if not self._here(0.3):
            return view
        first, *others = view.gains
        first += random.Random(f"gain {self.seed} {self._path}").choice([-1.0, 1.0, 0.5])
        return view._replace(
            gains=[first, -first] if len(others) == 1 and others[0] == -view.gains[0] else [first, *others]
        )

    def _bounds(self, view: View) -> View:
        """Less is to come than there is."""
        if view.bounds is None or not self._here(0.5):
            return view
        middles = [(low + high) / 2 for low, high in view.bounds]
        halves = [(high - low) / 4 for low, high in view.bounds]
        return view._replace(bounds=[(m - h, m + h) for m, h in zip(middles, halves, strict=True)])

    def _one_observation(self, view: View) -> View:
        return view._replace(observations=["x"] * len(view.observations))

    def _other_observations(self, view: View) -> View:
        other: dict[Any, str] = {"x": "y", "y": "x"}
        return view._replace(observations=[other.get(seen, seen) for seen in view.observations])

    def _more_observations(self, view: View) -> View:
        return view._replace(observations=[(seen, self._here(0.5)) for seen in view.observations])

    def _places(self, view: View) -> View:
        """The outcomes of chance stand in another order here."""
        draw = view.draw
        if draw is None or draw.outcomes is None or not self._here(0.5):
            return view
        odds = None if draw.odds is None else list(draw.odds)[::-1]
        children = None if view.children is None else list(view.children)[::-1]
        return view._replace(draw=draw._replace(outcomes=list(draw.outcomes)[::-1], odds=odds), children=children)

    def _one_group(self, view: View) -> View:
        draw = view.draw
        if draw is None:
            return view
        many = draw.most if draw.outcomes is None else len(draw.outcomes)
        return view._replace(draw=draw._replace(group=f"all of {many}"))

    def _no_group(self, view: View) -> View:
        return view if view.draw is None else view._replace(draw=view.draw._replace(group=None))

    def _odds(self, view: View) -> View:
        """Odds are told that are not so."""
        draw = view.draw
        if draw is None or draw.outcomes is None or FAILED in draw.outcomes:
            return view
        many = len(draw.outcomes)
        odds = [1 / many] * many if draw.odds is None else [*draw.odds[1:], draw.odds[0]]
        return view._replace(draw=draw._replace(odds=odds, group=None))

    def _failures(self, view: View) -> View:
        """After some outcomes there is no answer, although there is."""
        draw = view.draw
        if draw is not None and draw.odds is None and (draw.outcomes is None or FAILED in draw.outcomes):
            self._bad = random.Random(f"{self.seed} {draw.outcome}").random() < 0.5
        return view
