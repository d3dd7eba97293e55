"""Starting a full-width method from a strategy instead of from scratch.

After N. Brown, T. Sandholm (2016), Strategy-based warm starting for regret minimization in games.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth.passes import Flat, Learning


def begin(flat: Flat, learning: Learning, strategy: Floats, steps: Floats, competitive: bool) -> None:
    """Put `learning` where `strategy` played for one iteration a row of `steps` would leave it; in place.

    The average is that strategy. The regrets at a set are proportional to it, so that the next strategy is the same,
    and as large together as so many iterations leave by the bound: √iterations times the norm of today's regrets.
    """
    players = len(flat.sequence_begin) - 1
    weight = 0.0
    for decay in steps[:, passes.DECAY]:
        weight = weight * decay + 1.0
    learning.strategy[:] = strategy
    gradient = np.zeros_like(strategy)
    for player in range(players):
        passes.spread(flat, player, strategy, learning.reach)
    for player in range(players):
        passes.gradient(flat, player, learning.reach, gradient)
    learning.total[:] = weight * learning.reach
    for player in range(players):
        mine = slice(flat.sequence_begin[player], flat.sequence_begin[player + 1])
        if player == 0 or not competitive:
            learning.value[player] = weight * float(np.sum(gradient[mine] * learning.reach[mine]))
    learning.value[players] = weight
    if len(learning.played):
        learning.played[:] = weight * gradient
    _regrets(flat, learning, gradient, len(steps), float(steps[-1, passes.RATE]))


def _regrets(flat: Flat, learning: Learning, worth: Floats, iterations: int, rate: float) -> None:
    for player in range(len(flat.sequence_begin) - 1):
        passes.expect(flat, player, learning.strategy, worth)
    owner = np.repeat(np.arange(len(flat.first)), flat.size)
    begin = np.cumsum(flat.size) - flat.size
    members = np.arange(len(owner)) + np.repeat(flat.first - begin, flat.size)
    sigma, gained = learning.strategy[members], worth[members]
    if rate > 0:
        learning.regret[members] = np.log(np.maximum(sigma, 1e-300)) / rate
        return
    value = np.bincount(owner, sigma * gained)
    norm = np.sqrt(np.bincount(owner, (gained - value[owner]) ** 2))
    tiny = 1e-9 * float(np.abs(worth).max()) + 1e-300
    learning.regret[members] = sigma * np.maximum(np.sqrt(iterations) * norm, tiny)[owner]
