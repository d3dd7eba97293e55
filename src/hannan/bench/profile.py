"""Where the time of an iteration goes: the passes of CFR timed one by one."""

from __future__ import annotations

import numpy as np

from hannan.bench.timing import NORMAL, QUICK, Task, interleaved, repeated
from hannan.game import Game
from hannan.kernels import passes, tiled
from hannan.layout import Layout, choose
from hannan.profile import reaches, uniform


def shares(game: Game, quick: bool = False) -> dict[str, float]:
    """Return the share of each pass in the time of them all; they add up to 1."""
    sequences = sum(plex.sequences for plex in game.form.treeplexes)
    layout = game.layout(choose(sequences)[0])
    times = interleaved(list(parts := _passes(game, layout).values()), QUICK if quick else NORMAL)
    spent = [float(np.median(found)) for found in times]
    assert len(parts) == len(spent)
    return {name: taken / sum(spent) for name, taken in zip(_passes(game, layout), spent, strict=True)}


def _passes(game: Game, layout: Layout) -> dict[str, Task]:
    start = uniform(game)
    learning = passes.Learning(
        strategy=layout.inward(np.concatenate(start.strategies)),
        reach=layout.inward(reaches(game, start)),
        regret=np.zeros(sum(plex.sequences for plex in game.form.treeplexes)),
        total=np.zeros(sum(plex.sequences for plex in game.form.treeplexes)),
        played=np.zeros(0),
        value=np.zeros(game.players + 1),
    )
    worth = np.zeros_like(learning.reach)
    step = np.array([1.0, 1.0, -np.inf, 1.0, 0.0, 0.0, 1.0, 0.0])
    if isinstance(layout.arrays, passes.Flat):
        return _plain(layout.arrays, learning, worth, step)
    return _tiled(layout.arrays, learning, worth, step)
