"""Passes over one stage of a public tree: reaches from its lines down, values and learning from its ends up.

Types come 16 at a time. State rows have no empty places between them: the last vector of a row reads into the next
row, and is written without its surplus. Rows of the scratch are padded, and their surplus is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.addresses import fetch
from hannan.kernels.fullwidth import records as full
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Public, Room, State
from hannan.kernels.vectors import (
    LANES,
    add,
    fused,
    if_above,
    is_whole,
    largest,
    load,
    load_like,
    minus,
    over,
    splat,
    store,
    store_some,
    times,
)

TINY = 2.0**-126
WHOLE = 32767.0
"""The largest number of 16 bits."""

REGRETS, AVERAGE = range(2)
"""Where strategies come from: the regrets, or the sums of reaches."""


@inlined
def hedge(
    tree: Public, state: State, s: int, first: int, actions: int, types: int, player: int, out: Any, to: int, width: int
) -> None:
    """Write the strategies of Hedge at one node. Its rate counts in utilities, so regrets get their true scale."""
    step, row = state.step[player], tree.stage[s, rec.S_ROW + player]
    for i in range(width):
        highest, scale = -np.inf, 0.0
        if i < types:
            scale = step[full.RATE] * tree.weight[player, tree.alive[row + i]] * tree.way[s] / tree.pairs
            for a in range(actions):
                place = first + a * types + i
                weight = step[full.KEEP] * state.regret[place]
                if state.last.size > 0:
                    weight += step[full.PREDICT] * state.last[place]
                out[to + a * width + i] = weight
                highest = max(highest, weight)
        total = 0.0
        for a in range(actions):
            weight = np.exp(scale * (out[to + a * width + i] - highest)) if i < types else 1.0
            out[to + a * width + i] = weight
            total += weight
        for a in range(actions):
            out[to + a * width + i] /= total


@inlined
def weigh(state: State, source: int, place: int, like: Any, keep: Any, predict: Any, noise: Any, zero: Any) -> Any:
    """Return what strategies are proportional to, for 16 types."""
    if source == AVERAGE:
        weight = load_like(state.total, place, like)
    else:
        weight = load_like(state.regret, place, like)
        if state.last.size > 0:
            weight = fused(keep, weight, times(predict, load_like(state.last, place, like)))
    return if_above(weight, noise, weight, zero)


@inlined
def match(
    state: State, source: int, first: int, actions: int, types: int, player: int, out: Any, to: int, width: int
) -> None:
    """Write strategies in proportion to weights at one node; even ones where all weights are 0.

    So are those whose weights sum to less than 2^-126, the smallest normal float: their inverse overflows.
    """
    step, like = state.step[player], load(out, to)
    tiny = splat(TINY, like)
    zero, one, even = splat(0.0, like), splat(1.0, like), splat(1.0 / actions, like)
    keep, predict = splat(step[full.KEEP], like), splat(step[full.PREDICT], like)
    noise = splat(step[full.NOISE] if source == REGRETS else 0.0, like)
    if actions == 2:  # in registers
        for k in range(0, types, LANES):
            x = weigh(state, source, first + k, like, keep, predict, noise, zero)
            y = weigh(state, source, first + types + k, like, keep, predict, noise, zero)
            total = add(x, y)
            scale = over(one, total)
            store(out, to + k, if_above(total, tiny, times(x, scale), even))
            store(out, to + width + k, if_above(total, tiny, times(y, scale), even))
    elif actions == 3:
        for k in range(0, types, LANES):
            x = weigh(state, source, first + k, like, keep, predict, noise, zero)
            y = weigh(state, source, first + types + k, like, keep, predict, noise, zero)
            z = weigh(state, source, first + 2 * types + k, like, keep, predict, noise, zero)
            total = add(add(x, y), z)
            scale = over(one, total)
            store(out, to + k, if_above(total, tiny, times(x, scale), even))
            store(out, to + width + k, if_above(total, tiny, times(y, scale), even))
            store(out, to + 2 * width + k, if_above(total, tiny, times(z, scale), even))
    else:
        for k in range(0, types, LANES):
            total = zero
            for a in range(actions):
                weight = weigh(state, source, first + a * types + k, like, keep, predict, noise, zero)
                store(out, to + a * width + k, weight)
                total = add(total, weight)
            scale = over(one, total)
            for a in range(actions):
                weight = times(load(out, to + a * width + k), scale)
                store(out, to + a * width + k, if_above(total, tiny, weight, even))
    for k in range((types + LANES - 1) // LANES * LANES, width):
        for a in range(actions):
            out[to + a * width + k] = 0.0


@inlined
def decide(
    tree: Public, state: State, source: int, s: int, first: int, actions: int, player: int, out: Any, to: int
) -> None:
    """Write the strategy at one node: `actions` rows of `out` from `to` on. `first` is where its state begins."""
    types, width = tree.stage[s, rec.S_TYPES + player], tree.stage[s, rec.S_WIDTH + player]
    if source == REGRETS and state.step[player, full.RATE] > 0.0:
        hedge(tree, state, s, first, actions, types, player, out, to, width)
    else:
        match(state, source, first, actions, types, player, out, to, width)
    if state.fixed.size > 0:
        for a in range(actions):
            for i in range(types):
                if state.fixed[first + a * types + i] >= 0.0:
                    out[to + a * width + i] = state.fixed[first + a * types + i]


@inlined
def down(tree: Public, room: Room, state: State, source: int, learns: int, s: int, nodes: Any) -> None:
    """Write the strategies and the reaches of all nodes of a stage; those of its lines are there.

    The averages of the learning players are fetched ahead of time: memory is slow to answer.
    """
    template, depth, scratch = tree.stage[s, rec.S_TEMPLATE], tree.stage[s, rec.S_DEPTH], room.scratch
    for n in range(tree.template[template, rec.T_NODES]):
        player = nodes[n, rec.N_KIND]
        if player < rec.LEAF:
            actions, child = nodes[n, rec.N_CHILDREN], nodes[n, rec.N_CHILD]
            types, width = tree.stage[s, rec.S_TYPES + player], tree.stage[s, rec.S_WIDTH + player]
            first = tree.stage[s, rec.S_STATE + player] + nodes[n, rec.N_SLOT] * types
            to = tree.scratch[depth, rec.X_PLAY + player] + nodes[n, rec.N_SLOT] * width
            if learns & (player + 1) and state.total.size > 0:
                for k in range(0, actions * types, LANES):
                    fetch(state.total, first + k)
            decide(tree, state, source, s, first, actions, player, scratch, to)
            reach = tree.scratch[depth, rec.X_REACH + player]
            above, below = (
                reach + nodes[n, rec.N_ROW + player] * width,
                reach + nodes[child, rec.N_ROW + player] * width,
            )
            for a in range(actions):
                for k in range(0, width, LANES):
                    x = times(load(scratch, above + k), load(scratch, to + a * width + k))
                    store(scratch, below + a * width + k, x)


@inlined
def update(state: State, place: int, instant: Any, reach: Any, step: Floats, many: int) -> None:
    """Change the regrets and the average of up to 16 types that have one action."""
    zero, floor = splat(0.0, instant), splat(step[full.FLOOR], instant)
    old = load_like(state.regret, place, instant)
    scale = if_above(old, zero, splat(step[full.POSITIVE], instant), splat(step[full.NEGATIVE], instant))
    new = fused(old, scale, instant)
    new = if_above(new, floor, new, floor)
    if many >= LANES:
        store(state.regret, place, new)
    else:
        store_some(state.regret, place, new, many)
    if state.last.size > 0:
        store_some(state.last, place, instant, many)
    if state.total.size > 0:
        total = fused(load_like(state.total, place, instant), splat(step[full.DECAY], instant), reach)
        if many >= LANES:
            store(state.total, place, total)
        else:
            store_some(state.total, place, total, many)


@inlined
def enlarge(scale: Floats, place: int, found: float) -> float:
    """Keep the scale with which the largest number found becomes the largest of 16 bits; return its inverse."""
    scale[place] = found / WHOLE
    return WHOLE / found if found > 0.0 else 0.0


@inlined
def update_small(tree: Public, room: Room, state: State, s: int, nodes: Any, n: int, hero: int, step: Floats) -> None:
    """Change the regrets and the averages of a node that are kept in 16 bits. Its value is there.

    What is written is first worked out in the places of the values and reaches of the nodes below, which have done
    their work.
    """
    depth, scratch = tree.stage[s, rec.S_DEPTH], room.scratch
    types, width = tree.stage[s, rec.S_TYPES + hero], tree.stage[s, rec.S_WIDTH + hero]
    actions, slot = nodes[n, rec.N_CHILDREN], nodes[n, rec.N_SLOT]
    first, mark = tree.stage[s, rec.S_STATE + hero] + slot * types, tree.stage[s, rec.S_SLOT + hero] + slot
    value = tree.scratch[depth, rec.X_VALUE + hero]
    here, below = value + n * width, value + nodes[n, rec.N_CHILD] * width
    reach = tree.scratch[depth, rec.X_REACH + hero] + nodes[nodes[n, rec.N_CHILD], rec.N_ROW + hero] * width
    like = load(scratch, here)
    zero, floor = splat(0.0, like), splat(step[full.FLOOR], like)
    positive, negative = splat(step[full.POSITIVE], like), splat(step[full.NEGATIVE], like)
    unit, mass = splat(state.scale[0, mark], like), splat(state.scale[1, mark] * step[full.DECAY], like)
    most = weight = zero
    for a in range(actions):
        for k in range(0, types, LANES):
            place, row = first + a * types + k, a * width + k
            instant = minus(load(scratch, below + row), load(scratch, here + k))
            old = times(load_like(state.regret, place, like), unit)
            new = fused(old, if_above(old, zero, positive, negative), instant)
            new = if_above(new, floor, new, floor)
            if k + LANES > types:
                for i in range(types - k, LANES):
                    scratch[below + row + i] = 0.0
                store_some(scratch, below + row, new, types - k)
                new = load(scratch, below + row)
            store(scratch, below + row, new)
            size = if_above(new, zero, new, minus(zero, new))
            most = if_above(size, most, size, most)
            if state.total.size > 0:
                total = fused(load_like(state.total, place, like), mass, load(scratch, reach + row))
                if k + LANES > types:
                    for i in range(types - k, LANES):
                        scratch[reach + row + i] = 0.0
                    store_some(scratch, reach + row, total, types - k)
                    total = load(scratch, reach + row)
                store(scratch, reach + row, total)
                weight = if_above(total, weight, total, weight)
    sharp = splat(enlarge(state.scale[0], mark, largest(most)), like)
    fine = splat(enlarge(state.scale[1], mark, largest(weight)), like)
    for a in range(actions):
        for k in range(0, types, LANES):
            place, row = first + a * types + k, a * width + k
            store_some(state.regret, place, times(load(scratch, below + row), sharp), types - k)
            if state.total.size > 0:
                store_some(state.total, place, times(load(scratch, reach + row), fine), types - k)


@inlined
def learn(tree: Public, room: Room, state: State, s: int, nodes: Any, n: int, hero: int, step: Floats) -> None:
    """Write the value of a node of `hero`, and change its regrets and its average."""
    depth, scratch = tree.stage[s, rec.S_DEPTH], room.scratch
    types, width = tree.stage[s, rec.S_TYPES + hero], tree.stage[s, rec.S_WIDTH + hero]
    actions, slot = nodes[n, rec.N_CHILDREN], nodes[n, rec.N_SLOT]
    first, play = (
        tree.stage[s, rec.S_STATE + hero] + slot * types,
        tree.scratch[depth, rec.X_PLAY + hero] + slot * width,
    )
    value = tree.scratch[depth, rec.X_VALUE + hero]
    here, below = value + n * width, value + nodes[n, rec.N_CHILD] * width
    reach = tree.scratch[depth, rec.X_REACH + hero] + nodes[nodes[n, rec.N_CHILD], rec.N_ROW + hero] * width
    if is_whole(state.regret):
        expect(tree, room, s, nodes, n, hero)
        update_small(tree, room, state, s, nodes, n, hero, step)
    elif actions == 2:  # in registers
        for k in range(0, types, LANES):
            x, y = load(scratch, below + k), load(scratch, below + width + k)
            mean = fused(load(scratch, play + width + k), y, times(load(scratch, play + k), x))
            store(scratch, here + k, mean)
            update(state, first + k, minus(x, mean), load(scratch, reach + k), step, types - k)
            update(state, first + types + k, minus(y, mean), load(scratch, reach + width + k), step, types - k)
        for k in range((types + LANES - 1) // LANES * LANES, width):
            scratch[here + k] = 0.0
    else:
        expect(tree, room, s, nodes, n, hero)
        for a in range(actions):
            for k in range(0, types, LANES):
                instant = minus(load(scratch, below + a * width + k), load(scratch, here + k))
                update(state, first + a * types + k, instant, load(scratch, reach + a * width + k), step, types - k)


@inlined
def expect(tree: Public, room: Room, s: int, nodes: Any, n: int, hero: int) -> None:
    """Write the value of a node of `hero` under its strategy."""
    depth, width, scratch = tree.stage[s, rec.S_DEPTH], tree.stage[s, rec.S_WIDTH + hero], room.scratch
    play = tree.scratch[depth, rec.X_PLAY + hero] + nodes[n, rec.N_SLOT] * width
    value = tree.scratch[depth, rec.X_VALUE + hero]
    here, below = value + n * width, value + nodes[n, rec.N_CHILD] * width
    for k in range(0, width, LANES):
        store(scratch, here + k, times(load(scratch, play + k), load(scratch, below + k)))
    for a in range(1, nodes[n, rec.N_CHILDREN]):
        for k in range(0, width, LANES):
            x, mean = load(scratch, play + a * width + k), load(scratch, here + k)
            store(scratch, here + k, fused(x, load(scratch, below + a * width + k), mean))


@inlined
def best(tree: Public, room: Room, state: State, s: int, nodes: Any, n: int, hero: int) -> None:
    """Write the value of a node of `hero` under best play; locked types do what they must."""
    depth, width, scratch = tree.stage[s, rec.S_DEPTH], tree.stage[s, rec.S_WIDTH + hero], room.scratch
    types, actions, slot = tree.stage[s, rec.S_TYPES + hero], nodes[n, rec.N_CHILDREN], nodes[n, rec.N_SLOT]
    value = tree.scratch[depth, rec.X_BEST + hero]
    here, below = value + n * width, value + nodes[n, rec.N_CHILD] * width
    for k in range(0, width, LANES):
        store(scratch, here + k, load(scratch, below + k))
    for a in range(1, actions):
        for k in range(0, width, LANES):
            other, most = load(scratch, below + a * width + k), load(scratch, here + k)
            store(scratch, here + k, if_above(other, most, other, most))
    if state.fixed.size > 0:
        first = tree.stage[s, rec.S_STATE + hero] + slot * types
        play = tree.scratch[depth, rec.X_PLAY + hero] + slot * width
        for i in range(types):
            if state.fixed[first + i] >= 0.0:
                scratch[here + i] = 0.0
                for a in range(actions):
                    scratch[here + i] += scratch[play + a * width + i] * scratch[below + a * width + i]


@inlined
def collect(room: Room, nodes: Any, n: int, at: int, width: int) -> None:
    """Write the value of a node at which the opponent acts: its reaches are in the values already."""
    scratch, here, below = room.scratch, at + n * width, at + nodes[n, rec.N_CHILD] * width
    begin = min(2, nodes[n, rec.N_CHILDREN])
    for k in range(0, width, LANES):
        total = load(scratch, below + k)
        store(scratch, here + k, add(total, load(scratch, below + width + k)) if begin == 2 else total)
    for a in range(begin, nodes[n, rec.N_CHILDREN]):
        for k in range(0, width, LANES):
            store(scratch, here + k, add(load(scratch, here + k), load(scratch, below + a * width + k)))


@inlined
def up(
    tree: Public, room: Room, state: State, s: int, nodes: Any, hero: int, learns: bool, measures: bool, step: Floats
) -> None:
    """Write the values of all nodes of a stage to `hero`; those of ends and leaves are there."""
    depth, width = tree.stage[s, rec.S_DEPTH], tree.stage[s, rec.S_WIDTH + hero]
    for n in range(tree.template[tree.stage[s, rec.S_TEMPLATE], rec.T_NODES] - 1, -1, -1):
        kind = nodes[n, rec.N_KIND]
        if kind == hero:
            if learns:
                learn(tree, room, state, s, nodes, n, hero, step)
            else:
                expect(tree, room, s, nodes, n, hero)
            if measures:
                best(tree, room, state, s, nodes, n, hero)
        elif kind < rec.LEAF:
            collect(room, nodes, n, tree.scratch[depth, rec.X_VALUE + hero], width)
            if measures:
                collect(room, nodes, n, tree.scratch[depth, rec.X_BEST + hero], width)


@inlined
def even_out(tree: Public, state: State, s: int, hero: int) -> None:
    """Give types that are mirrors of each other the same state: rounding must not tell them apart.

    The stages after mirrored deals are worked out once for all of them, which is right for such strategies alone.
    """
    at, types = tree.twin_at[s, hero], tree.stage[s, rec.S_TYPES + hero]
    slots = tree.template[tree.stage[s, rec.S_TEMPLATE], rec.T_SLOTS + hero]
    for slot in range(slots if at >= 0 else 0):
        row = tree.stage[s, rec.S_STATE + hero] + slot * types
        for i in range(types):
            twin = row + tree.twin[at + i]
            state.regret[row + i] = state.regret[twin]
            if state.last.size > 0:
                state.last[row + i] = state.last[twin]
            if state.total.size > 0:
                state.total[row + i] = state.total[twin]
