"""The walk over the stages of a public tree, and iterations of a method on it.

The stages that follow the first one are walked one after another or by several threads. Each leaves what it is worth
in a part of its own of `worth`, and these are added up in order: the bits do not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.fullwidth import records as full
from hannan.kernels.public import records as rec
from hannan.kernels.public.ends import finish
from hannan.kernels.public.passes import REGRETS, decide, down, even_out, up
from hannan.kernels.public.records import Public, Room, State
from hannan.kernels.vectors import LANES, fused, load, pick, splat, store


class Wish(NamedTuple):
    """What a walk is for."""

    source: int
    """Where strategies come from."""
    heroes: int
    """Whose values are worked out: 1 player 0, 2 player 1, 3 both."""
    learns: int
    """Who learns, in the same way."""
    measures: bool
    """Whether best values are worked out, too."""
    ties: bool
    """Whether a tie may pay something."""


@inlined
def template_nodes(tree: Public, s: int) -> tuple[int, int]:
    """Return where the nodes of a stage's template begin and end."""
    template = tree.stage[s, rec.S_TEMPLATE]
    first = tree.template[template, rec.T_NODE]
    return first, first + tree.template[template, rec.T_NODES]


@inlined
def enter(tree: Public, source: Any, target: Any, s: int, c: int) -> None:
    """Write the reaches with which the lines of a stage begin: those of the leaves of the stage before."""
    template, depth = tree.stage[s, rec.S_TEMPLATE], tree.stage[s, rec.S_DEPTH]
    low, high = template_nodes(tree, s)
    first, nodes = tree.template[template, rec.T_LEAF], tree.node[low:high]
    for player in range(2):
        width, below = tree.stage[s, rec.S_WIDTH + player], tree.stage[c, rec.S_WIDTH + player]
        begin, to = tree.scratch[depth, rec.X_REACH + player], tree.scratch[depth + 1, rec.X_REACH + player]
        places = tree.down_at[c, player]
        for k in range(tree.template[template, rec.T_LEAVES]):
            row = begin + nodes[tree.leaf[first + k], rec.N_ROW + player] * width
            for i in range(0, below, LANES):
                store(target, to + k * below + i, pick(source, row, tree.down, places + i))


@inlined
def clear(tree: Public, room: Room, s: int, hero: int, part: int) -> None:
    """Write 0 as the values of the leaves of a stage."""
    template, depth, width = (
        tree.stage[s, rec.S_TEMPLATE],
        tree.stage[s, rec.S_DEPTH],
        tree.stage[s, rec.S_WIDTH + hero],
    )
    first = tree.template[template, rec.T_LEAF]
    for k in range(tree.template[template, rec.T_LEAVES]):
        at = tree.scratch[depth, part + hero] + tree.leaf[first + k] * width
        for i in range(width):
            room.scratch[at + i] = 0.0


@inlined
def leave(tree: Public, room: Room, s: int, c: int, hero: int, part: int, out: Any, at: int, spread: bool) -> None:
    """Add what a stage is worth to `hero` to the leaves of the stage before: at their nodes, or one after another."""
    template, width = tree.stage[s, rec.S_TEMPLATE], tree.stage[s, rec.S_WIDTH + hero]
    below, first = tree.stage[c, rec.S_WIDTH + hero], tree.template[template, rec.T_LEAF]
    begin, odds = tree.scratch[tree.stage[c, rec.S_DEPTH], part + hero], tree.odds[c]
    for m in range(tree.stage[c, rec.S_MIRROR], tree.stage[c, rec.S_MIRROR] + tree.stage[c, rec.S_MIRRORS]):
        places = tree.back_at[m, hero]
        for k in range(tree.template[template, rec.T_LEAVES]):
            row, to = begin + k * below, at + (tree.leaf[first + k] if spread else k) * width
            for i in range(0, width, LANES):
                value = pick(room.scratch, row, tree.back, places + i)
                store(out, to + i, fused(value, splat(odds, value), load(out, to + i)))


@inlined
def close(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, s: int) -> None:
    """Work out the values of a stage from its ends and leaves up."""
    low, high = template_nodes(tree, s)
    nodes, depth = tree.node[low:high], tree.stage[s, rec.S_DEPTH]
    for hero in range(2):
        if wish.heroes & (hero + 1):
            value_at = tree.scratch[depth, rec.X_VALUE + hero]
            finish(tree, room, nodes, s, hero, value_at, wish.ties)
            if wish.measures:
                copy_ends(tree, room, s, hero)
    for hero in range(2):
        if wish.heroes & (hero + 1):
            learns = wish.learns & (hero + 1) != 0
            up(tree, room, state, s, nodes, hero, learns, wish.measures, steps[min(hero, steps.shape[0] - 1)])
            if learns:
                even_out(tree, state, s, hero)


@inlined
def copy_ends(tree: Public, room: Room, s: int, hero: int) -> None:
    """Write the values of ends as their best values."""
    template, depth, width = (
        tree.stage[s, rec.S_TEMPLATE],
        tree.stage[s, rec.S_DEPTH],
        tree.stage[s, rec.S_WIDTH + hero],
    )
    first = tree.template[template, rec.T_END]
    many = tree.template[template, rec.T_SHOWDOWNS] + tree.template[template, rec.T_FOLDS]
    for end in range(first, first + many + tree.template[template, rec.T_TABLES]):
        for i in range(tree.end[end] * width, (tree.end[end] + 1) * width):
            room.scratch[tree.scratch[depth, rec.X_BEST + hero] + i] = room.scratch[
                tree.scratch[depth, rec.X_VALUE + hero] + i
            ]


@inlined
def open_stage(tree: Public, room: Room, state: State, wish: Wish, s: int) -> None:
    """Work out strategies and reaches of a stage, and clear what the stages after it add to."""
    low, high = template_nodes(tree, s)
    down(tree, room, state, wish.source, wish.learns, s, tree.node[low:high])
    if tree.stage[s, rec.S_CHILDREN] > 0:
        for hero in range(2):
            if wish.heroes & (hero + 1):
                clear(tree, room, s, hero, rec.X_VALUE)
                if wish.measures:
                    clear(tree, room, s, hero, rec.X_BEST)


@inlined
def subtree(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, top: int) -> None:
    """Walk a stage whose reaches are there, and all stages after it; its values are then in the scratch."""
    begin = tree.stage[top, rec.S_DEPTH]
    depth = begin
    room.at[depth, 0], room.at[depth, 1] = top, 0
    open_stage(tree, room, state, wish, top)
    while True:
        s, k = room.at[depth, 0], room.at[depth, 1]
        if k < tree.stage[s, rec.S_CHILDREN]:
            c = tree.child[tree.stage[s, rec.S_CHILD] + k]
            room.at[depth, 1] = k + 1
            enter(tree, room.scratch, room.scratch, s, c)
            depth += 1
            room.at[depth, 0], room.at[depth, 1] = c, 0
            open_stage(tree, room, state, wish, c)
            continue
        close(tree, room, state, wish, steps, s)
        if depth == begin:
            break
        depth -= 1
        above = room.at[depth, 0]
        for hero in range(2):
            if wish.heroes & (hero + 1):
                for part in range(rec.X_VALUE, rec.X_BEST + 2 if wish.measures else rec.X_BEST, 2):
                    leave(tree, room, above, s, hero, part, room.scratch, tree.scratch[depth, part + hero], True)


@inlined
def begin(tree: Public, room: Room, state: State, wish: Wish) -> None:
    """Deal, and work out the reaches of the first stage."""
    for player in range(2):
        at, row = tree.scratch[0, rec.X_REACH + player], tree.stage[0, rec.S_ROW + player]
        for i in range(tree.stage[0, rec.S_WIDTH + player]):
            inside = i < tree.stage[0, rec.S_TYPES + player]
            room.scratch[at + i] = tree.weight[player, tree.alive[row + i]] if inside else 0.0
    open_stage(tree, room, state, wish, 0)


@inlined
def branch(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, source: Any, k: int, worth: Any) -> None:
    """Walk the stage after the k-th deal; `source` is the scratch that holds the first stage; write into `worth`."""
    c = tree.child[tree.stage[0, rec.S_CHILD] + k]
    enter(tree, source, room.scratch, 0, c)
    subtree(tree, room, state, wish, steps, c)
    leaves = tree.template[tree.stage[0, rec.S_TEMPLATE], rec.T_LEAVES]
    for hero in range(2):
        if wish.heroes & (hero + 1):
            for part in range(2 if wish.measures else 1):
                for i in range(leaves * tree.stage[0, rec.S_WIDTH + hero]):
                    worth[k, hero, part, i] = 0.0
                leave(tree, room, 0, c, hero, rec.X_VALUE + 2 * part, worth[k, hero, part], 0, False)


@inlined
def end(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, worth: Any, out: Floats) -> None:
    """Add up what the stages after the first deal are worth, and finish; write values and best values of the game."""
    template = tree.stage[0, rec.S_TEMPLATE]
    first = tree.template[template, rec.T_LEAF]
    for hero in range(2):
        if wish.heroes & (hero + 1):
            width = tree.stage[0, rec.S_WIDTH + hero]
            for part in range(2 if wish.measures else 1):
                for k in range(tree.stage[0, rec.S_CHILDREN]):
                    for leaf in range(tree.template[template, rec.T_LEAVES]):
                        at = tree.scratch[0, rec.X_VALUE + 2 * part + hero] + tree.leaf[first + leaf] * width
                        for i in range(width):
                            room.scratch[at + i] += worth[k, hero, part, leaf * width + i]
    close(tree, room, state, wish, steps, 0)
    for hero in range(2):
        if wish.heroes & (hero + 1):
            row = tree.stage[0, rec.S_ROW + hero]
            for part in range(2 if wish.measures else 1):
                total, at = 0.0, tree.scratch[0, rec.X_VALUE + 2 * part + hero]
                for i in range(tree.stage[0, rec.S_TYPES + hero]):
                    total += tree.weight[hero, tree.alive[row + i]] * room.scratch[at + i]
                out[part, hero] = total / tree.pairs


@kernel
def start_walk(tree: Public, room: Room, state: State, wish: Wish) -> None:
    """Do the first part of a walk that threads share."""
    begin(tree, room, state, wish)


@kernel
def walk_branches(
    tree: Public, room: Room, state: State, wish: Wish, steps: Floats, source: Any, which: Longs, worth: Any
) -> None:
    """Do one thread's part of a walk."""
    for k in which:
        branch(tree, room, state, wish, steps, source, k, worth)


@kernel
def end_walk(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, worth: Any, out: Floats) -> None:
    """Do the last part of a walk that threads share."""
    end(tree, room, state, wish, steps, worth, out)


@kernel
def walk(tree: Public, room: Room, state: State, wish: Wish, steps: Floats, worth: Any, out: Floats) -> None:
    """Walk the whole tree on one thread."""
    begin(tree, room, state, wish)
    for k in range(tree.stage[0, rec.S_CHILDREN]):
        branch(tree, room, state, wish, steps, room.scratch, k, worth)
    end(tree, room, state, wish, steps, worth, out)


@inlined
def settle(state: State, step: Floats, hero: int, raked: bool, out: Floats) -> None:
    """Record after a walk what play earns, and which step `hero` took."""
    decay = step[full.DECAY]
    if hero == 0:
        state.value[2] = state.value[2] * decay + 1.0
        state.value[0] = state.value[0] * decay + out[0, 0]
        if raked:
            state.value[1] = state.value[1] * decay + out[0, 1]
    for column in range(full.COLUMNS):  # the floor has done its work, and may not be finite
        state.step[hero, column] = 0.0 if column == full.FLOOR else step[column]


@kernel
def settled(state: State, step: Floats, hero: int, raked: bool, out: Floats) -> None:
    """As `settle`, for callers in Python."""
    settle(state, step, hero, raked, out)


@kernel
def iterate(
    tree: Public, room: Room, state: State, schedule: Floats, simultaneous: bool, ties: bool, raked: bool, worth: Any,
    out: Floats,
) -> None:  # fmt: skip
    """Run one iteration for each row of `schedule`, [iterations, 1 or 2, columns], on one thread."""
    for t in range(schedule.shape[0]):
        steps = schedule[t]
        for first in range(1 if simultaneous else 2):
            learns = 3 if simultaneous else first + 1
            wish = Wish(REGRETS, 3 if raked and first == 0 else learns, learns, False, ties)
            begin(tree, room, state, wish)
            for k in range(tree.stage[0, rec.S_CHILDREN]):
                branch(tree, room, state, wish, steps, room.scratch, k, worth)
            end(tree, room, state, wish, steps, worth, out)
            for hero in range(2):
                if learns & (hero + 1):
                    settle(state, steps[min(hero, steps.shape[0] - 1)], hero, raked, out)


@kernel
def plant(tree: Public, state: State, probability: Any, weight: float, size: float) -> None:
    """Make a state of a strategy whose reaches are in `total`, and the regrets of one iteration in `regret`.

    The average is the reaches, `weight` times. Regrets are proportional to the strategy; their sum is `size` times what
    the best action of the type is worth more than the worst one.
    """
    for k in range(state.total.size):
        state.total[k] *= weight
    for s in range(tree.stage.shape[0]):
        begin, end = template_nodes(tree, s)
        nodes = tree.node[begin:end]
        for n in range(nodes.shape[0]):
            player = nodes[n, rec.N_KIND]
            if player < rec.LEAF:
                types, actions = tree.stage[s, rec.S_TYPES + player], nodes[n, rec.N_CHILDREN]
                first = tree.stage[s, rec.S_STATE + player] + nodes[n, rec.N_SLOT] * types
                for i in range(types):
                    low = high = state.regret[first + i]
                    for a in range(actions):
                        low = min(low, state.regret[first + a * types + i])
                        high = max(high, state.regret[first + a * types + i])
                    for a in range(actions):
                        place = first + a * types + i
                        state.regret[place] = probability[place] * size * (high - low)


@kernel
def strategies(tree: Public, state: State, source: int, scratch: Any, out: Any) -> None:
    """Write the strategy at every action of every type, in the order of the state."""
    for s in range(tree.stage.shape[0]):
        begin, end = template_nodes(tree, s)
        nodes = tree.node[begin:end]
        for n in range(nodes.shape[0]):
            player = nodes[n, rec.N_KIND]
            if player < rec.LEAF:
                types, width = tree.stage[s, rec.S_TYPES + player], tree.stage[s, rec.S_WIDTH + player]
                first = tree.stage[s, rec.S_STATE + player] + nodes[n, rec.N_SLOT] * types
                actions = nodes[n, rec.N_CHILDREN]
                decide(tree, state, source, s, first, actions, player, scratch, 0)
                for a in range(actions):
                    for i in range(types):
                        out[first + a * types + i] = scratch[a * width + i]
