"""The global Newton method: follow the equilibria of a game with a bonus until the bonus is gone.

S. Govindan, R. Wilson (2003), A global Newton method to compute Nash equilibria, sections 3 to 5. `rays` follows the
path; the method continues beyond the first equilibrium, so it yields every one that its path meets. Each path begins
and ends at an infinite bonus. Other rays may meet others.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.choices import PlanChoices
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.polish import polish
from hannan.solvers.general.rays import CROSSED, RayPath, bonuses

RAYS, STEPS = 4, 20_000
"""The number of rays that are tried, and of steps along each."""

NEAR = 1e-3
"""The largest distance of the path from the equilibrium that it crosses; rounding leaves much less."""

SAME = 1e-9
"""Two equilibria count as one if no probability differs by more."""


def global_newton(form: NormalForm, *, seed: int = 0, rays: int = RAYS, steps: int = STEPS) -> Points:
    """Yield the equilibria that the paths of random rays meet, each once.

    seed: of the random rays. rays and steps: how many rays are followed, and how many steps along each.
    """
    choices = PlanChoices(form, level=True)
    found: list[Floats] = []
    for number in range(rays):
        path = RayPath(
            lambda mixed: _payoffs(choices, mixed),
            choices.begin,
            bonuses(choices.begin, seed + number),
            1.0,
            linear=False,
        )
        try:
            for _ in range(steps):
                if path.advance() == CROSSED:
                    whole = polish(choices, np.maximum(path.mixed, 0.0), NEAR)
                    if whole is not None and not any(np.abs(whole - one).max() <= SAME for one in found):
                        found.append(whole)
                        yield Point(choices.parted(whole), regret=choices.gain_of(whole))
                if abs(path.t) > 2 * path.far:
                    break
        except ArithmeticError:  # the path is lost, as when two events coincide
            continue
    many = f"{len(found)} equilibri{'um' if len(found) == 1 else 'a'}"
    return Ending(False, f"the global Newton method met {many} along {rays} rays; there may be others")


def _payoffs(choices: PlanChoices, mixed: Floats) -> tuple[Floats, Floats]:
    table = choices.slopes(mixed) / choices.spread
    pays = choices.paid(table, mixed) if choices.form.players > 1 else choices.cells[0] / choices.spread
    return pays, table
