"""Where the time of an iteration goes: the passes of CFR, timed one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from hannan.bench.timing import NORMAL, QUICK, Task, interleaved
from hannan.forms.game import Game
from hannan.kernels.fullwidth import passes, tiled
from hannan.layouts.layout import choose
from hannan.solvers.fullwidth.cfr import CFR
from hannan.strategies.profile import reaches, uniform


def shares(game: Game, quick: bool = False) -> dict[str, float]:
    """Return the share of each pass in the time of an iteration of CFR; they add up to 1."""
    gradient, average = _passes(game)
    times = interleaved([CFR(game).run, gradient, average], QUICK if quick else NORMAL)
    whole, gradients, averages = (float(np.median(found)) for found in times)
    whole = max(whole, gradients + averages)  # each is timed on its own
    found = {"gradients": gradients / whole, "averaging and reach": averages / whole}
    return {**found, "regrets and strategies": 1 - sum(found.values())}


def _passes(game: Game) -> tuple[Task, Task]:
    """Return the gradients of all players, and the averages of all players, as tasks."""
    sequences = sum(plex.sequences for plex in game.form.treeplexes)
    layout = game.layout(choose(sequences)[0])
    learning = passes.Learning(
        strategy=layout.inward(np.concatenate(uniform(game).strategies)),
        reach=layout.inward(reaches(game, uniform(game))),
        regret=np.zeros(sequences),
        total=np.zeros(sequences),
        played=np.zeros(0),
        value=np.zeros(game.players + 1),
    )
    worth = np.zeros(sequences)
    arrays, players = layout.arrays, game.players
    if isinstance(arrays, passes.Flat):
        gradients, averages = _repeated(passes.gradient), _repeated(passes._average)
    else:
        gradients, averages = _repeated(tiled._gradient), _repeated(tiled._average_player)
    return (
        lambda count: gradients(arrays, players, count, learning.reach, worth),
        lambda count: averages(arrays, players, count, learning, 1.0),
    )


def _repeated(part: Any) -> Any:
    """Return a loop over goes and players, so that Python's share is none.

    It is compiled anew each time: numba's cache on disk does not notice a change in a kernel of another file.
    """

    @njit(error_model="numpy")  # type: ignore[untyped-decorator]  # numba has no types
    def loop(arrays: Any, players: int, count: int, first: Any, second: Any) -> None:
        for _ in range(count):
            for player in range(players):
                part(arrays, player, first, second)

    return loop
