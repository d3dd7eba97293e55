"""The loop over iterations, tiled layout: for middle and large games, on one thread.

If `plans` is None, the learner is REGRETS, else it is WEIGHTS; FACTORS have no tiled layout. Being a type, None
lets numba leave the other learner out.
"""

from __future__ import annotations

from hannan.arrays import Floats
from hannan.kernels import kernel, shared
from hannan.kernels.fullwidth import records as rec
from hannan.kernels.fullwidth.factors import gradient_factors
from hannan.kernels.fullwidth.passes import track
from hannan.kernels.fullwidth.records import Learning, Plans, Tiled
from hannan.kernels.fullwidth.tiled_passes import add_reaches, gradient_blocks, gradient_rows, spread_tiles
from hannan.kernels.fullwidth.tiled_regrets import match
from hannan.kernels.fullwidth.tiled_weights import mix
from hannan.kernels.lent import borrowed


@shared
def gradient(tiled: Tiled, player: int, reach: Floats, worth: Floats) -> None:
    """Write what each sequence of `player` gains against the others' play; `worth` is 0 without an entry."""
    mine = borrowed(tiled)
    factors = mine.factored.block.shape[0] - 1
    gradient_blocks(mine, player, 0, mine.piece.shape[0], reach, worth)
    if factors > 0:
        gradient_factors(mine.factored, player, 0, factors, reach, worth, mine.scratch)
    gradient_rows(mine, mine.row_begin[player], mine.row_begin[player + 1], reach, worth)


@shared
def gradient_pieces(tiled: Tiled, player: int, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what sequences gain in the pieces `low … high` of blocks."""
    gradient_blocks(borrowed(tiled), player, low, high, reach, worth)


@shared
def gradient_entries(tiled: Tiled, low: int, high: int, reach: Floats, worth: Floats) -> None:
    """Write what the sequences of rows `low … high` gain outside of blocks."""
    gradient_rows(borrowed(tiled), low, high, reach, worth)


@shared
def learn_chunks(
    tiled: Tiled, low: int, high: int, until: int, learning: Learning, plans: Plans, step: Floats, worth: Floats
) -> None:
    """Turn gradients into the next strategy at the sets of chunks `low … high`, and add their reach to the average.

    until: C_END; or C_IDLE, to leave out the sets at which nothing is at stake.
    """
    mine, state = borrowed(tiled), borrowed(learning)
    for c in range(low, high):
        begin, end = mine.chunk[c, rec.C_BEGIN], mine.chunk[c, until]
        if plans is None:
            match(mine, begin, end, state, step, worth)
        else:
            if learning.total.size > 0:
                add_reaches(mine, begin, end, state, step[rec.DECAY])
            mix(mine, begin, end, state, borrowed(plans), step, worth)


@shared
def spread_chunks(tiled: Tiled, low: int, high: int, until: int, learning: Learning) -> None:
    """Write the reach of the next strategy at chunks `low … high`."""
    mine, state = borrowed(tiled), borrowed(learning)
    for c in range(low, high):
        spread_tiles(mine, mine.chunk[c, rec.C_BEGIN], mine.chunk[c, until], state)


@shared
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


@shared
def learn(
    tiled: Tiled, player: int, until: int, learning: Learning, plans: Plans, step: Floats, tracking: int, worth: Floats
) -> None:
    """Turn the gradient in `worth` into the next strategy of `player`, and add the reach just played to the average.

    Record what play earns player 0.
    """
    for level in range(tiled.level_begin[player + 1] - 1, tiled.level_begin[player] - 1, -1):
        low, high = tiled.chunk_begin[level], tiled.chunk_begin[level + 1]
        learn_chunks(tiled, low, high, until, learning, plans, step, worth)
    settle(tiled, player, learning, plans, step, tracking, worth)


@shared
def count(tiled: Tiled, player: int, learning: Learning, decay: float) -> None:
    """Count what `learn` does not: the empty sequence is always reached. Player 0 counts the weights."""
    if learning.total.size > 0:
        root = tiled.sequence_begin[player]
        learning.total[root] = learning.total[root] * decay + 1.0
    if player == 0:
        learning.value[-1] = learning.value[-1] * decay + 1.0


@shared
def average(tiled: Tiled, player: int, until: int, learning: Learning, decay: float) -> None:
    """End the averaging of `player`, most of which `learn` does, and spread the next strategy."""
    count(tiled, player, learning, decay)
    low, high = tiled.level_begin[player], tiled.level_begin[player + 1]
    spread_chunks(tiled, tiled.chunk_begin[low], tiled.chunk_begin[high], until, learning)


@kernel
def run(
    tiled: Tiled,
    until: int,
    learning: Learning,
    plans: Plans,
    schedule: Floats,
    simultaneous: bool,
    tracking: int,
    worth: Floats,
) -> None:
    """Run one iteration for each row of `schedule`, [iterations, 1 or players, columns].

    until: C_END; or C_IDLE, to leave out the sets at which nothing is at stake.

    `worth` is scratch, [places]: before the first iteration it is 0, as is the second array of `plans`; whatever is
    added to them becomes 0 again when it has been read.
    """
    mine, state = borrowed(tiled), borrowed(learning)
    players = mine.sequence_begin.size - 1
    last = schedule.shape[1] - 1  # 0 where one row serves all players
    tracked = tracking == rec.GRADIENTS
    for t in range(schedule.shape[0]):
        decay = schedule[t, 0, rec.DECAY]
        # each step is called in one place only, since its code is large: turn -1 tracks, and learns nothing
        for turn in range(-1 if tracked and not simultaneous else 0, 1 if simultaneous else players):
            alone = turn >= 0 and not simultaneous
            low, high = turn if alone else 0, turn + 1 if alone else players
            for p in range(low, high):
                gradient(mine, p, state.reach, worth)
            if tracked and not alone:
                for p in range(players):
                    track(mine.sequence_begin, p, state, decay, worth)
            if turn >= 0:
                for p in range(low, high):
                    learn(mine, p, until, state, plans, schedule[t, min(p, last)], tracking, worth)
                for p in range(low, high):
                    average(mine, p, until, state, decay)
