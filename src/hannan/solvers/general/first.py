"""One equilibrium of any game, as soon as possible: the methods of this folder one after another.

Pure equilibria are looked up. Then come the logit branch, iterated polymatrix approximation, the global Newton method
and simplicial subdivision. Each has a budget of steps, never of seconds, so the same game gives the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from hannan.errors import SizeError
from hannan.forms.game import ExpandedGame
from hannan.interrupts import go_on
from hannan.solvers.exact.normalform import NormalForm, normal_form, taken
from hannan.solvers.general.global_newton import global_newton
from hannan.solvers.general.logit import agent_logit, logit
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polymatrix import polymatrix
from hannan.solvers.general.simplicial import simplicial

GOOD = 1e-9
"""The regret at which a point of a tree counts as an equilibrium, as a share of the least range of payoffs."""

MOVES = 1_000_000
"""The most moves of simplicial subdivision."""


def first(game: NormalForm | ExpandedGame, *, seed: int = 0) -> Points:
    """Yield one equilibrium of a normal form, or of a tree by its sequence form.

    seed: of the random rays of two of the methods. If no method finds an equilibrium in all digits, the last point of
    simplicial subdivision is yielded with its regret.
    """
    if isinstance(game, NormalForm):
        return (yield from _of_form(game, seed))
    return (yield from _of_tree(game, seed))


def _of_tree(game: ExpandedGame, seed: int) -> Points:
    """Follow the branch of the agent form; if it is lost, take the normal form if that is small enough."""
    rough, why = None, ""
    try:
        for point, ending in _all(agent_logit(game)):
            if point is not None and point.regret is not None:
                rough = point
                if point.regret <= GOOD * _least_range(game):
                    yield point
                    return Ending(False, "the logit branch of the agent form leads to one equilibrium")
            why = ending.why if ending is not None else why
        form = normal_form(game)
    except SizeError:
        if rough is None:
            raise
        yield rough
        return Ending(False, f"{why}; the normal form is too large for other methods")
    points = _of_form(form, seed)
    while True:
        try:
            yield _in_sequences(form, next(points))
        except StopIteration as end:
            return cast("Ending", end.value)


def _in_sequences(form: NormalForm, point: Point) -> Point:
    """Return a point of a normal form as probabilities of sequences."""
    plexes = form.game.form.treeplexes
    rows = zip(point.strategies, plexes, form.plans, strict=True)
    return Point(tuple(own @ taken(plex, plans) for own, plex, plans in rows), "sequences", regret=point.regret)


def _of_form(form: NormalForm, seed: int) -> Points:
    point = _pure(form)
    if point is not None:
        yield point
        return Ending(False, "a pure equilibrium ends the search for one")
    methods = {
        "the logit branch": logit(form),
        "iterated polymatrix approximation": polymatrix(form, seed=seed, rays=2),
        "the global Newton method": global_newton(form, seed=seed, rays=2),
        "simplicial subdivision": simplicial(form, most=MOVES),
    }
    for name, method in methods.items():
        for found, _ in _all(method):
            if found is not None:
                yield found
                return Ending(False, f"the first equilibrium, by {name}, ends the search for one")
    return Ending(False, "no method found an equilibrium within its budget of steps")


def _all(points: Points) -> Iterator[tuple[Point | None, Ending | None]]:
    """Yield the points of a method, and then its ending."""
    while True:
        try:
            point = next(points)
        except StopIteration as stop:
            yield None, stop.value
            return
        yield point, None


def _pure(form: NormalForm) -> Point | None:
    """Return the first pure equilibrium, in order of plans; None if none exists."""
    go_on()
    stable = np.ones(form.payoffs.shape[1:], bool)
    for player, payoff in enumerate(form.payoffs):
        stable &= payoff == payoff.max(axis=player, keepdims=True)
    if not stable.any():
        return None
    cell = np.unravel_index(int(stable.argmax()), stable.shape)
    strategies = []
    for plans, chosen in zip(form.plans, cell, strict=True):
        strategies.append(np.zeros(len(plans)))
        strategies[-1][chosen] = 1.0
    return Point(tuple(strategies), regret=0.0)


def _least_range(game: ExpandedGame) -> float:
    """Return the range of payoffs of the player for whom it is least, but not 0."""
    ranges = game.tree.highest - game.tree.lowest
    return float(ranges[ranges > 0].min(initial=np.inf))
