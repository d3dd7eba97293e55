"""Starting a full-width method from a strategy instead of from scratch.

After N. Brown, T. Sandholm (2016), Strategy-based warm starting for regret minimization in games.
"""

from __future__ import annotations

import numpy as np

from hannan.arrays import Floats
from hannan.forms.sequence import SequenceForm
from hannan.kernels.fullwidth import passes
from hannan.kernels.fullwidth.records import DECAY, RATE, Flat
from hannan.layouts.layout import flat_of


def begin(form: SequenceForm, strategy: Floats, steps: Floats) -> dict[str, Floats]:
    """Return the state of a back end as if `strategy` had been played for one iteration per row of `steps`.

    The average is that strategy. The regrets at a set are proportional to it, so that the next strategy is the same.
    Their size is the bound after `iterations` iterations: √iterations times the norm of today's regrets.
    """
    flat, players = flat_of(form), range(form.players)
    weight = 0.0
    for decay in steps[:, 0, DECAY]:
        weight = weight * decay + 1.0
    reach, gradient = np.zeros_like(strategy), np.zeros_like(strategy)
    for player in players:
        passes.spread(flat, player, strategy, reach)
    for player in players:
        passes.gradient(flat, player, reach, gradient)
    value = np.zeros(form.players + 1)
    for player in players:
        mine = slice(flat.sequence_begin[player], flat.sequence_begin[player + 1])
        if player == 0 or not form.competitive:
            value[player] = weight * float(np.sum(gradient[mine] * reach[mine]))
    value[-1] = weight
    return {
        "strategy": strategy,
        "reach": reach,
        "total": weight * reach,
        "value": value,
        "played": np.zeros(0) if form.competitive else weight * gradient,
        "regret": _regrets(flat, strategy, gradient, len(steps), float(steps[-1, 0, RATE])),
    }


def _regrets(flat: Flat, strategy: Floats, worth: Floats, iterations: int, rate: float) -> Floats:
    for player in range(len(flat.sequence_begin) - 1):
        passes.expect(flat, player, strategy, worth)
    owner = np.repeat(np.arange(len(flat.first)), flat.size)
    begin = np.cumsum(flat.size) - flat.size
    members = np.arange(len(owner)) + np.repeat(flat.first - begin, flat.size)
    sigma, gained = strategy[members], worth[members]
    regret = np.zeros_like(strategy)
    if rate > 0:
        regret[members] = np.log(np.maximum(sigma, 1e-300)) / rate
        return regret
    value = np.bincount(owner, sigma * gained)
    norm = np.sqrt(np.bincount(owner, (gained - value[owner]) ** 2))
    tiny = 1e-9 * float(np.abs(worth).max()) + 1e-300
    regret[members] = sigma * np.maximum(np.sqrt(iterations) * norm, tiny)[owner]
    return regret
