"""The loop over iterations, plain layout: for tiny games, whose iterations take less time than a call from Python.

A prior of None says that the learner is REGRETS. Being a type, it lets numba leave the other learners out.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import kernel
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.passes import average, gradient, track
from hannan.kernels.fullwidth.records import Flat, Learning
from hannan.kernels.fullwidth.regrets import match
from hannan.kernels.fullwidth.weights import exponential, floored, linear


@kernel
def learn(
    flat: Flat,
    player: int,
    learning: Learning,
    prior: Floats | None,
    step: Floats,
    learner: int,
    tracking: int,
    worth: Floats,
) -> None:
    """Turn the gradient in `worth` into the next strategy of `player`; record what the current one earns player 0."""
    if prior is None:
        value = match(flat, player, learning, step, worth)
    elif learner == rec.FACTORS:
        value = linear(flat, player, learning, prior, step, worth)
    elif learner == rec.FLOORED:
        value = floored(flat, player, learning, prior, step, worth)
    else:
        value = exponential(flat, player, learning, prior, step, worth)
    if tracking == rec.VALUES and player == 0:
        learning.value[0] = learning.value[0] * step[rec.DECAY] + value


@kernel
def run(
    flat: Flat,
    learning: Learning,
    prior: Floats | None,
    schedule: Floats,
    learner: int,
    simultaneous: bool,
    tracking: int,
    worth: Floats,
) -> None:
    """Run one iteration for each row of `schedule`, [iterations, 1 or players, columns]; `worth` is scratch.

    `prior` is the log of the prior probability of each sequence's last action, given its set.
    """
    players = flat.sequence_begin.size - 1
    last = schedule.shape[1] - 1  # 0 where one row serves all players
    for t in range(schedule.shape[0]):
        decay = schedule[t, 0, rec.DECAY]
        if simultaneous or tracking == rec.GRADIENTS:
            for p in range(players):
                gradient(flat, p, learning.reach, worth)
        if tracking == rec.GRADIENTS:
            for p in range(players):
                track(flat.sequence_begin, p, learning, decay, worth)
        for p in range(players):
            if not simultaneous:
                gradient(flat, p, learning.reach, worth)
            # the lines of `learn`: called as a function, they make an iteration of EINR on Kuhn poker 1.4 times slower
            step = schedule[t, min(p, last)]
            if prior is None:
                value = match(flat, p, learning, step, worth)
            elif learner == rec.FACTORS:
                value = linear(flat, p, learning, prior, step, worth)
            elif learner == rec.FLOORED:
                value = floored(flat, p, learning, prior, step, worth)
            else:
                value = exponential(flat, p, learning, prior, step, worth)
            if tracking == rec.VALUES and p == 0:
                learning.value[0] = learning.value[0] * decay + value
            if not simultaneous:
                average(flat, p, learning, decay)
        if simultaneous:
            for p in range(players):
                average(flat, p, learning, decay)
