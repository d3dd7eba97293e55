"""The loop over iterations, tiled layout: for middle and large games, on one thread.

If `plans` is None, the learner is REGRETS, else it is WEIGHTS; nobody has laid FACTORS out in tiles. Being a type, None
lets numba leave the other learner out.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import kernel, shared
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.factors import gradient_factors
from hannan.kernels.fullwidth.passes import track
from hannan.kernels.fullwidth.records import Learning, Plans, Tiled
from hannan.kernels.fullwidth.tiled_passes import average_tiles, gradient_blocks, gradient_rows
from hannan.kernels.fullwidth.tiled_regrets import match
from hannan.kernels.fullwidth.tiled_weights import mix


@kernel
def gradient(tiled: Tiled, player: int, reach: Floats, worth: Floats) -> None:
    """Write what each sequence of `player` gains against the others' play; `worth` is 0 where there is no entry."""
    gradient_blocks(tiled, player, 0, tiled.piece.shape[0], reach, worth)
    gradient_factors(tiled.factored, player, 0, tiled.factored.block.shape[0] - 1, reach, worth, tiled.scratch)
    gradient_rows(tiled, tiled.row_begin[player], tiled.row_begin[player + 1], reach, worth)


@shared
def learn_tiles(
    tiled: Tiled, bucket: int, low: int, high: int, learning: Learning, plans: Plans, step: Floats, worth: Floats
) -> None:
    """Turn gradients into the next strategy at the sets of tiles `low … high` of a bucket."""
    if plans is None:
        match(tiled, bucket, low, high, learning, step, worth)
    else:
        mix(tiled, bucket, low, high, learning, plans, step, worth)


@kernel
def settle(
    tiled: Tiled, player: int, learning: Learning, plans: Plans, step: Floats, tracking: int, worth: Floats
) -> None:
    """End the learning of `player`: record what play earned player 0, and leave 0 where the sums have come together."""
    root = tiled.sequence_begin[player]
    if tracking == rec.VALUES and player == 0:
        value = worth[root]
        if plans is not None:
            value = 0.0
            for s in range(root, tiled.sequence_begin[1]):
                value += learning.reach[s] * worth[s]
        learning.value[0] = learning.value[0] * step[rec.DECAY] + value
    if plans is None:
        worth[root] = 0.0
    else:
        plans[1][root] = 0.0


@kernel
def learn(
    tiled: Tiled, player: int, learning: Learning, plans: Plans, step: Floats, tracking: int, worth: Floats
) -> None:
    """Turn the gradient in `worth` into the next strategy of `player`; record what the current one earns player 0."""
    for bucket in range(tiled.bucket_begin[player + 1] - 1, tiled.bucket_begin[player] - 1, -1):
        low, high = tiled.tile_begin[bucket], tiled.tile_begin[bucket + 1]
        learn_tiles(tiled, bucket, low, high, learning, plans, step, worth)
    settle(tiled, player, learning, plans, step, tracking, worth)


@shared
def count(tiled: Tiled, player: int, learning: Learning, decay: float) -> None:
    """Begin the averaging of `player`: the empty sequence is always reached. Player 0 counts the weights."""
    if learning.total.size > 0:
        root = tiled.sequence_begin[player]
        learning.total[root] = learning.total[root] * decay + 1.0
    if player == 0:
        learning.value[-1] = learning.value[-1] * decay + 1.0


@kernel
def average(tiled: Tiled, player: int, learning: Learning, decay: float) -> None:
    """Add the reach of the strategy just played to the average, then spread the next one."""
    count(tiled, player, learning, decay)
    for bucket in range(tiled.bucket_begin[player], tiled.bucket_begin[player + 1]):
        average_tiles(tiled, bucket, tiled.tile_begin[bucket], tiled.tile_begin[bucket + 1], learning, decay)


@kernel
def run(
    tiled: Tiled, learning: Learning, plans: Plans, schedule: Floats, simultaneous: bool, tracking: int, worth: Floats
) -> None:
    """Run one iteration for each row of `schedule`, [iterations, 1 or players, columns].

    `worth` is scratch, [sequences]: before the first iteration it is 0, as is the second array of `plans`; whatever is
    added to them becomes 0 again when it has been read.
    """
    players = tiled.sequence_begin.size - 1
    last = schedule.shape[1] - 1  # 0 where one row serves all players
    for t in range(schedule.shape[0]):
        decay = schedule[t, 0, rec.DECAY]
        if simultaneous or tracking == rec.GRADIENTS:
            for p in range(players):
                gradient(tiled, p, learning.reach, worth)
        if tracking == rec.GRADIENTS:
            for p in range(players):
                track(tiled.sequence_begin, p, learning, decay, worth)
        for p in range(players):
            if not simultaneous:
                gradient(tiled, p, learning.reach, worth)
            learn(tiled, p, learning, plans, schedule[t, min(p, last)], tracking, worth)
            if not simultaneous:
                average(tiled, p, learning, decay)
        if simultaneous:
            for p in range(players):
                average(tiled, p, learning, decay)
