"""The values of all nodes of one stage, for readers of a strategy."""

from __future__ import annotations

from hannan.arrays import Floats, Longs
from hannan.kernels import kernel
from hannan.kernels.public.records import Public, Room, State
from hannan.kernels.public.walk import Wish, begin, enter, open_stage, subtree


@kernel
def survey(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, path: Longs, dealt: bool) -> None:
    """Walk the last stage of `path` and all stages after it; its reaches and values are then in the scratch.

    If `dealt`, `path` begins with stage 0, and reaches come from there. Otherwise it has one stage, and the caller has
    written the reaches of its lines.
    """
    if dealt:
        begin(tree, room, state, wish)
        for k in range(1, path.shape[0]):
            enter(tree, room.scratch, room.scratch, path[k - 1], path[k])
            if k < path.shape[0] - 1:
                open_stage(tree, room, state, wish, path[k])
    subtree(tree, room, state, wish, steps, path[-1])
