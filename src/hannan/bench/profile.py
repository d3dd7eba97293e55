"""The shares of the time of an iteration: the verbs of CFR's back end, timed one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hannan.bench.stopwatch import NORMAL, QUICK, Task, interleaved
from hannan.forms.game import ExpandedGame
from hannan.kernels.fullwidth import passes, tiled
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.records import Flat, Learning, Tiled
from hannan.layouts.layout import layout_of
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.profile import reaches, uniform


def shares(game: ExpandedGame, quick: bool = False) -> dict[str, float]:
    """Return the share of each verb in the time of an iteration of CFR; they add up to 1."""
    gradient, average = _verbs(game)
    times = interleaved([CFR(game).run, gradient, average], QUICK if quick else NORMAL)
    whole, gradients, averages = (float(np.median(taken)) for taken in times)
    whole = max(whole, gradients + averages)  # each is timed separately
    parts = {"gradients": gradients / whole, "averaging and reach": averages / whole}
    return {**parts, "regrets and strategies": 1 - sum(parts.values())}


def _verbs(game: ExpandedGame) -> tuple[Task, Task]:
    """Return the gradients of all players, and the averages of all players, as tasks."""
    layout = layout_of(game.form)
    reach = layout.inward(reaches(game, uniform(game)))
    learning = Learning(
        strategy=layout.inward(np.concatenate(uniform(game).strategies)),
        reach=reach,
        regret=np.zeros_like(reach),
        total=np.zeros_like(reach),
        played=np.zeros(0),
        value=np.zeros(game.players + 1),
    )
    worth = np.zeros_like(reach)
    arrays, players = layout.arrays, game.players
    until = (rec.C_IDLE,) if isinstance(arrays, Tiled) else ()
    kernels: Any = passes if isinstance(arrays, Flat) else tiled
    gradients, averages = _repeated(kernels.gradient), _repeated(kernels.average)
    return (
        lambda count: gradients(arrays, players, count, reach, worth),
        lambda count: averages(arrays, players, count, *until, learning, 1.0),
    )


def _repeated(verb: Any) -> Any:
    """Return a compiled loop over repetitions and players, so that Python takes no time.

    It is compiled anew each time: numba's cache on disk does not notice a change in a kernel of another file.
    """

    @njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
    def loop(arrays: Any, players: int, count: int, *given: Any) -> None:
        for _ in range(count):
            for player in range(players):
                verb(arrays, player, *given)

    return loop
