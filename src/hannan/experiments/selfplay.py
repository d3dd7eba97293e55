"""The value of a solver's current strategies by iteration, and whether they have settled on one terminal node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hannan.measures.appraisal import evaluate
from hannan.solvers.base import FormSolver
from hannan.strategies.profile import Profile, reaches

PAPER = "Chhablani, Sullins, Kash (2023), EINR"


def follow(solver: FormSolver, iterations: int, watch: Callable[[Profile], float]) -> list[tuple[float, float]]:
    """Return (iteration, `watch(current profile)`), from before the first iteration on."""
    points = [(0.0, watch(solver.current()))]
    for t in range(1, iterations + 1):
        solver.run(1)
        points.append((float(t), watch(solver.current())))
    return points


def value(profile: Profile) -> float:
    """Return the value of the profile to player 0."""
    return evaluate(profile.game, profile).values[0]


def likeliest(profile: Profile) -> float:
    """Return the probability of the likeliest tuple of sequences with a payoff.

    In a game without chance, in which every terminal node has its own tuple, that is the probability of one leaf.
    """
    game = profile.game
    reach = reaches(game, profile)
    begins = np.cumsum([0, *(plex.sequences for plex in game.form.treeplexes)])
    together = np.ones(game.form.entries)
    for player, sequences in enumerate(game.form.sequences):
        together *= reach[sequences + begins[player]]
    return float(together.max())


def first(points: list[tuple[float, float]], reached: Callable[[float], bool]) -> int | None:
    """Return the first iteration from which on all values satisfy `reached`; None if the last one does not."""
    settled = None
    for t, y in reversed(points):
        if not reached(y):
            break
        settled = int(t)
    return settled
