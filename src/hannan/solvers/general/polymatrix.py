"""Iterated polymatrix approximation: solve the game repeatedly as if payoffs were linear.

S. Govindan, R. Wilson (2004), Computing Nash equilibria by iterated polymatrix approximation, sections 3 and 4. Around
mixed strategies σ a game is replaced by a polymatrix game, in which each pair of players plays a game of its own and
payoffs add up: the derivatives at σ. A path of straight lines (J. T. Howson 1972, Equilibria of polymatrix games; here
along a ray of bonuses) leads to an equilibrium of that. It is the next σ. Near an equilibrium this is Newton's method;
far from one nothing is guaranteed, so other rays are tried, and Newton's method is applied to the results.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polish import polish
from hannan.solvers.general.rays import CROSSED, RayPath, bonuses

RAYS, ROUNDS = 8, 30
"""The number of rays that are tried, and of approximations along each."""

PIVOTS = 20
"""The most cells that a path of lines may cross, per action."""

DAMPING = 0.5
"""The share of the way to the next approximation if the last two went back and forth."""


def polymatrix(form: NormalForm, *, seed: int = 0, rays: int = RAYS, rounds: int = ROUNDS) -> Points:
    """Yield one equilibrium by iterated polymatrix approximation, if it is found.

    seed: of the random rays. rays and rounds: how many rays are tried, and how many approximations along each.
    """
    choices = PlanChoices(form, level=True)
    for number in range(rays):
        bonus = bonuses(choices.begin, seed + number)
        mixed, last = _favourites(choices, bonus), np.zeros(len(bonus))
        for _ in range(rounds):
            answer = approximation(choices, bonus, mixed)
            if answer is None:
                break
            found = polish(choices, answer)
            if found is not None:
                yield Point(choices.parted(found), regret=choices.gain_of(found))
                return Ending(False, "iterated polymatrix approximation leads to one equilibrium")
            change = answer - mixed
            back = float(change @ last) < 0
            mixed = mixed + (DAMPING if back else 1.0) * change
            last = change
    return Ending(False, f"iterated polymatrix approximation found nothing along {rays} rays; it need not")


def approximation(choices: PlanChoices, bonus: Floats, mixed: Floats) -> Floats | None:
    """Return an equilibrium of the polymatrix game around mixed strategies; None if its path is lost."""
    table = choices.slopes(mixed) / choices.spread
    pays = choices.paid(table, mixed) if choices.form.players > 1 else choices.cells[0] / choices.spread
    constant = pays - table @ mixed

    def payoffs(given: Floats) -> tuple[Floats, Floats]:
        return constant + table @ given, table

    largest = 2 * float(np.abs(table).sum(axis=1).max() + np.abs(constant).max())
    path = RayPath(payoffs, choices.begin, bonus, max(largest, 1.0), linear=True)
    try:
        for _ in range(PIVOTS * len(mixed)):
            if path.advance() == CROSSED:
                return np.maximum(path.mixed, 0.0)
    except ArithmeticError:
        pass
    return None


def _favourites(choices: PlanChoices, bonus: Floats) -> Floats:
    """Return the strategies that take the action with the largest bonus."""
    mixed = np.zeros(len(bonus))
    for a, b in zip(choices.begin[:-1], choices.begin[1:], strict=True):
        mixed[a + int(bonus[a:b].argmax())] = 1.0
    return mixed
