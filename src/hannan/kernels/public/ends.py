"""What ends of play are worth, 16 ends at a time: each end is a lane, and types come one after another.

Types of one strength share a group. Let P be the reach of the opponent's types before a group and Q the reach with it,
both without the types that share a card with type i. Then i earns a·P + b·Q + c·(reach of all). Both running sums begin
with the share λ = c/(a+b) of all reach, so that a·P + b·Q is all. Sums are doubles in any precision. Inclusion and
exclusion of two cards subtracts a type equal to i once too often; it is added where that matters: at folds, and where a
tie pays something or a type equal to i is stronger or weaker than i.
"""

from __future__ import annotations

from typing import Any

from hannan.arrays import Floats
from hannan.kernels import inlined
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Public, Room
from hannan.kernels.vectors import (
    LANES,
    add,
    add_double,
    fused,
    load_double,
    minus,
    store,
    times,
    transpose,
    transpose_back,
)


@inlined
def take(tree: Public, row: int, place: int, y: Any, sums: Floats, total: Any) -> Any:
    """Add the reach of one type to the sums of its cards; return the total with it."""
    value = load_double(y, place * LANES)
    add_double(sums, tree.card[row, 0] * LANES, value)
    add_double(sums, tree.card[row, 1] * LANES, value)
    return add(total, value)


@inlined
def rest(tree: Public, row: int, sums: Floats, total: Any) -> Any:
    """Return the total without what shares a card with a type."""
    trash = tree.cards - 2
    one, two = tree.card[row, 0], tree.card[row, 1]
    one, two = one + (one == trash), two + (two == trash)  # no card: the place that stays 0
    return minus(minus(total, load_double(sums, one * LANES)), load_double(sums, two * LANES))


@inlined
def gather(tree: Public, room: Room, nodes: Any, s: int, first: int, many: int, hero: int, value_at: int) -> None:
    """Bring the opponent's reaches at up to 16 ends side by side, with what the ends pay `hero`."""
    foe, depth = 1 - hero, tree.stage[s, rec.S_DEPTH]
    width, foe_width = tree.stage[s, rec.S_WIDTH + hero], tree.stage[s, rec.S_WIDTH + foe]
    for k in range(LANES):
        end = first + min(k, many - 1)  # the last one fills what is left
        place = tree.end[end]
        room.rows[k] = tree.scratch[depth, rec.X_REACH + foe] + nodes[place, rec.N_ROW + foe] * foe_width
        room.outs[k] = value_at + place * width
        for column in range(rec.W_COLUMNS):
            room.lanes[column * LANES + k] = tree.weigh[end, hero, column]
    for k in range(0, foe_width, LANES):
        transpose(room.scratch, room.rows, k, room.y, k * LANES)
    for k in range(tree.cards * LANES):
        room.sums[k] = 0.0


@inlined
def show(tree: Public, room: Room, s: int, hero: int, ties: bool) -> None:
    """Write what showdowns are worth to every type of `hero`, into `room.u`."""
    foe, y, u, sums = 1 - hero, room.y, room.u, room.sums
    types, foes = tree.stage[s, rec.S_TYPES + hero], tree.stage[s, rec.S_TYPES + foe]
    mine, theirs = tree.stage[s, rec.S_ROW + hero], tree.stage[s, rec.S_ROW + foe]
    group = tree.stage[s, rec.S_GROUP]
    a, b = load_double(room.lanes, rec.W_BELOW * LANES), load_double(room.lanes, rec.W_LEVEL * LANES)
    both = add(a, b)
    share, same = load_double(room.lanes, rec.W_SHARE * LANES), load_double(room.lanes, rec.W_SAME * LANES)
    total = load_double(sums, 0)
    for j in range(foes):
        total = take(tree, theirs + j, j, y, sums, total)
    total = times(total, share)
    for card in range(tree.cards):
        store(sums, card * LANES, times(load_double(sums, card * LANES), share))
    i = j = 0
    for g in range(group, group + tree.stage[s, rec.S_GROUPS]):
        last, ahead, before = tree.group[g, hero], tree.group[g, foe], j
        if ahead == j and not ties:  # no hand to tie with
            while i < last:
                store(u, i * LANES, times(both, rest(tree, mine + i, sums, total)))
                i += 1
        for k in range(i, last):
            store(u, k * LANES, times(a, rest(tree, mine + k, sums, total)))
        while j < ahead:
            total = take(tree, theirs + j, j, y, sums, total)
            j += 1
        while i < last:
            value = fused(b, rest(tree, mine + i, sums, total), load_double(u, i * LANES))
            if ties and tree.card[mine + i, 2] >= 0:
                twin = load_double(y, tree.card[mine + i, 2] * LANES)
                value = fused(same, twin, value)
                if tree.card[mine + i, 2] < before:
                    value = fused(a, twin, value)
                elif tree.card[mine + i, 2] >= ahead:
                    value = minus(value, times(b, twin))
            store(u, i * LANES, value)
            i += 1
    for k in range(types * LANES, tree.stage[s, rec.S_WIDTH + hero] * LANES):
        u[k] = 0.0


@inlined
def fold(tree: Public, room: Room, s: int, hero: int) -> None:
    """Write what folds are worth to every type of `hero`, into `room.u`."""
    foe, y, u, sums = 1 - hero, room.y, room.u, room.sums
    types, foes = tree.stage[s, rec.S_TYPES + hero], tree.stage[s, rec.S_TYPES + foe]
    mine, theirs = tree.stage[s, rec.S_ROW + hero], tree.stage[s, rec.S_ROW + foe]
    pays = load_double(room.lanes, rec.W_SAME * LANES)
    total = load_double(sums, 0)
    for j in range(foes):
        total = take(tree, theirs + j, j, y, sums, total)
    for i in range(types):
        value, same = rest(tree, mine + i, sums, total), tree.card[mine + i, 2]
        if same >= 0:
            value = add(value, load_double(y, same * LANES))
        store(u, i * LANES, times(pays, value))
    for k in range(types * LANES, tree.stage[s, rec.S_WIDTH + hero] * LANES):
        u[k] = 0.0


@inlined
def spell(tree: Public, room: Room, nodes: Any, s: int, end: int, hero: int, value_at: int) -> None:
    """Write what an end with a table of gains is worth to every type of `hero`."""
    foe, depth, place = 1 - hero, tree.stage[s, rec.S_DEPTH], tree.end[end]
    types, foes = tree.stage[s, rec.S_TYPES + hero], tree.stage[s, rec.S_TYPES + foe]
    width, foe_width = tree.stage[s, rec.S_WIDTH + hero], tree.stage[s, rec.S_WIDTH + foe]
    mine, theirs = tree.stage[s, rec.S_ROW + hero], tree.stage[s, rec.S_ROW + foe]
    row = tree.scratch[depth, rec.X_REACH + foe] + nodes[place, rec.N_ROW + foe] * foe_width
    out = value_at + place * width
    for i in range(width):
        earned = 0.0
        if i < types:
            me = tree.alive[mine + i]
            for j in range(foes):
                it = tree.alive[theirs + j]
                gain = tree.gains[tree.table[end], 0, me, it] if hero == 0 else tree.gains[tree.table[end], 1, it, me]
                earned += gain * room.scratch[row + j]
        room.scratch[out + i] = earned


@inlined
def finish(tree: Public, room: Room, nodes: Any, s: int, hero: int, value_at: int, ties: bool) -> None:
    """Write what `hero` earns at all ends of a stage."""
    template, width = tree.stage[s, rec.S_TEMPLATE], tree.stage[s, rec.S_WIDTH + hero]
    first = tree.template[template, rec.T_END]
    showdowns, folds = tree.template[template, rec.T_SHOWDOWNS], tree.template[template, rec.T_FOLDS]
    for begin in range(0, showdowns, LANES):
        gather(tree, room, nodes, s, first + begin, min(LANES, showdowns - begin), hero, value_at)
        show(tree, room, s, hero, ties)
        for k in range(0, width, LANES):
            transpose_back(room.u, k * LANES, room.scratch, room.outs, k)
    first += showdowns
    for begin in range(0, folds, LANES):
        gather(tree, room, nodes, s, first + begin, min(LANES, folds - begin), hero, value_at)
        fold(tree, room, s, hero)
        for k in range(0, width, LANES):
            transpose_back(room.u, k * LANES, room.scratch, room.outs, k)
    first += folds
    for end in range(first, first + tree.template[template, rec.T_TABLES]):
        spell(tree, room, nodes, s, end, hero, value_at)
