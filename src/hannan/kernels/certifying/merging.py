"""Merging a playthrough of compiled rules into the trunk: the nodes, sets and groups that are new, and the counts.

`hannan.certificates.merging` does the same with what any box shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.kernels import inlined
from hannan.kernels.borrow import address
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.records import Index, Learned, Play, Sets
from hannan.kernels.pointers import asked, told
from hannan.kernels.sets import S_FIRST, enter, place_of
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import DONE
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF, Nodes, lift_from
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_turn, judge_bounds
from hannan.turns import END as OVER
from hannan.turns import NO_MOVERS

GROUP, BOUNDS = range(2)
"""The addresses of the rules' optional functions; 0 where they are not asked."""

APART, HISTORY, NAMED, KNOWN = range(4)
"""How chance nodes are grouped: not; by the draws before them; as the rules say; each with its odds."""

NONE = -1
TOLERANCE = 1e-9


@inlined
def _slack(a: float, b: float) -> float:
    return TOLERANCE * max(1.0, max(abs(a), abs(b)))


@inlined
def worth_of(book: Book, optional: Longs, here: Any, over: bool, play: Play, players: int) -> bool:
    """Take what was gained here from the bounds, and meet them with what the rules say; say whether all is right."""
    status, _ = ask_gains(book, here, players, address(play.gains, 0))
    if status != DONE:
        return False
    if optional[BOUNDS] != 0:
        told(optional[BOUNDS], (book.table, here, address(play.told, 0)))
        if judge_bounds(players, address(play.told, 0)) != DONE:
            return False
    utilities = play.low.size
    if utilities == 1 and players == 2 and abs(play.gains[0] + play.gains[1]) > _slack(play.gains[0], play.gains[1]):
        return False
    for u in range(utilities):
        least, most = -np.inf, np.inf
        if optional[BOUNDS] != 0:
            least, most = play.told[2 * u], play.told[2 * u + 1]
            if utilities == 1 and players == 2:
                least, most = max(least, -play.told[3]), min(most, -play.told[2])
                if least > most + _slack(least, most):
                    return False
        elif over:
            least = most = 0.0
        gain = play.gains[u]
        low, high = max(play.low[u] - gain, least), min(play.high[u] - gain, most)
        if low > high:
            if low > high + _slack(low, high):
                return False
            low = high = (low + high) / 2
        if over and not (-_slack(high, 0.0) <= high and low <= _slack(low, 0.0)):
            return False
        play.low[u], play.high[u] = low, high
    return True


@inlined
def key_of(groups: int, book: Book, optional: Longs, here: Any, before: int) -> int:
    """Return the key of the group of a chance node; NONE where it is on its own."""
    if groups == HISTORY:
        return before + 1  # the slot that was drawn last, counted from 1
    if groups == NAMED and optional[GROUP] != 0:
        return asked(optional[GROUP], (book.table, here))
    return NONE


@inlined
def alike(begin: int, count: int, index: Index, play: Play) -> bool:
    """Return whether chance has the odds here that it has elsewhere in its group; the first node met says which."""
    for k in range(count):
        known = index.weights[begin + k]
        if np.isnan(known):
            index.weights[begin + k] = play.odds[k]
        elif not abs(known - play.odds[k]) <= TOLERANCE:
            return False
    return True


@inlined
def _children(nodes: Nodes, node: int, many: int, used: Longs, play: Play) -> int:
    """Give a node its children, all of them leaves; return the first."""
    first = used[rec.NODES]
    used[rec.NODES] += many
    nodes.first[node], nodes.many[node] = first, many
    for k in range(many):
        child = first + k
        nodes.parent[child], nodes.move[child], nodes.kind[child] = node, k, LEAF
        nodes.first[child] = nodes.late[child] = nodes.sibling[child] = NONE
        nodes.group[child] = nodes.slot[child] = NONE
        for u in range(play.low.size):
            nodes.gain[child, u] = np.nan
            nodes.low[child, u] = nodes.least[child, u] = play.low[u]
            nodes.high[child, u] = nodes.most[child, u] = play.high[u]
        for p in range(nodes.set.shape[1]):
            nodes.set[child, p], nodes.sequence[child, p] = NONE, nodes.sequence[node, p]
    return first


@inlined
def _group(nodes: Nodes, key: int, count: int, known: bool, used: Longs, index: Index, play: Play) -> int:
    """Return the group with a key; a new one where there is none."""
    row, spot = NONE, 0
    if key >= 0:
        row, spot = place_of(0, key, index.key, index.key_buckets)
        if row >= 0:
            return index.key[row, S_FIRST]
    group, begin = used[rec.GROUPS], used[rec.SLOTS]
    used[rec.GROUPS] += 1
    used[rec.SLOTS] += count
    nodes.size[group], nodes.samples[group], nodes.begin[group] = count, 0, begin
    nodes.open[group], nodes.known[group], nodes.rank[group] = False, known, 0
    if not known:
        used[rec.UNKNOWN] += 1
        nodes.rank[group] = used[rec.UNKNOWN]
    for k in range(count):
        nodes.owner[begin + k], nodes.outcome[begin + k], nodes.counts[begin + k] = group, k, 0
        nodes.odds[begin + k] = play.odds[k] if known else np.nan
        index.weights[begin + k] = play.odds[k]
    if key >= 0:
        enter(used[rec.KEYS], spot, 0, key, group, count, index.key, index.key_buckets)
        used[rec.KEYS] += 1
    return group


@inlined
def hashes(at: int, size: int, play: Play) -> tuple[int, int]:
    """Return the two numbers by which a list of actions is known."""
    one, other = size, size
    for k in range(size):
        one = one * 6364136223846793005 + play.codes[at + k] + 1442695040888963407
        other = (other ^ (play.codes[at + k] + 7)) * 1099511628211
    return one, other


@inlined
def _menu(index: Index, at: int, size: int, used: Longs, play: Play) -> int:
    """Return the number of a list of actions."""
    one, other = hashes(at, size, play)
    row, spot = place_of(one, other, index.menu, index.menu_buckets)
    if row < 0:
        row = used[rec.MENUS]
        used[rec.MENUS] += 1
        enter(row, spot, one, other, used[rec.LISTED], size, index.menu, index.menu_buckets)
        for k in range(size):
            index.listed[used[rec.LISTED] + k] = play.codes[at + k]
        used[rec.LISTED] += size
    return row


@inlined
def _set(
    p: int, sequence: int, seen: int, at: int, size: int, used: Longs, sets: Sets, learned: Learned, index: Index,
    play: Play, seats: int,
) -> int:  # fmt: skip
    """Return the information set that a player has come to; a new one begins without regret, with uniform play."""
    code, spot = place_of(0, seen, index.seen, index.seen_buckets)
    if code < 0:
        code = used[rec.SEEN]
        used[rec.SEEN] += 1
        enter(code, spot, 0, seen, code, 0, index.seen, index.seen_buckets)
    row, spot = place_of(sequence * seats + p, seen, index.place, index.place_buckets)
    if row >= 0:
        return index.place[row, S_FIRST]
    number, first = sets.used[p], sets.sequences[p]
    sets.used[p] += 1
    sets.sequences[p] += size
    sets.parent[p, number], sets.observation[p, number], sets.first[p, number] = sequence, code, first
    sets.size[p, number], sets.menu[p, number] = size, _menu(index, at, size, used, play)
    enter(used[rec.PLACES], spot, sequence * seats + p, seen, number, size, index.place, index.place_buckets)
    used[rec.PLACES] += 1
    learned.mark[p, number] = 0.0
    for s in range(first, first + size):
        learned.strategy[p, s], learned.regret[p, s], learned.total[p, s] = 1.0 / size, 0.0, 0.0
        learned.baseline[p, s] = np.nan
    return number


@inlined
def merge(
    book: Book, optional: Longs, here: Any, width: int, groups: int, players: int, leaf: int, drawn: int, fresh: int,
    before: int, used: Longs, nodes: Nodes, sets: Sets, learned: Learned, index: Index, play: Play,
) -> None:  # fmt: skip
    """Count the draws in the trunk, and expand the nodes from the first new one on."""
    for k in range(drawn):
        slot = play.drawn[k]
        nodes.counts[slot] += 1
        nodes.samples[nodes.owner[slot]] += 1
    if leaf == NONE:
        return
    seats, node, last = nodes.set.shape[1], leaf, leaf
    for k in range(play.state.size):
        play.state[k] = play.saved[k]
    for u in range(play.low.size):
        play.low[u], play.high[u] = nodes.low[leaf, u], nodes.high[leaf, u]
    for step in range(fresh):
        last = node
        _, who = ask_turn(book, here, players)
        kind = END if who == OVER else CHANCE if who == NO_MOVERS else CHOICE
        worth_of(book, optional, here, kind == END, play, players)
        nodes.kind[node] = kind
        used[rec.EXPANDED] += 1
        for u in range(play.low.size):
            if kind == END:
                play.low[u] = play.high[u] = 0.0
            nodes.gain[node, u] = play.gains[u]
            nodes.low[node, u] = nodes.least[node, u] = play.low[u]
            nodes.high[node, u] = nodes.most[node, u] = play.high[u]
        if kind == END:
            break
        place = play.places[step]
        if kind == CHANCE:
            _, count, _ = ask_chance(book, here, width, address(play.codes, 0), address(play.odds, 0))
            key = key_of(groups, book, optional, here, before)
            group = _group(nodes, key, count, groups == KNOWN, used, index, play)
            nodes.group[node] = group
            first, slot = _children(nodes, node, count, used, play), nodes.begin[group]
            for k in range(count):
                nodes.slot[first + k] = slot + k
            before = slot + place
            nodes.counts[before] += 1
            nodes.samples[group] += 1
        else:
            mover, many = 0, 1
            for p in range(seats):
                nodes.set[node, p] = NONE
                if (who >> p) & 1:
                    _, size = ask_actions(book, here, p, width, address(play.codes, mover * width))
                    _, seen = ask_observation(book, here, p)
                    nodes.set[node, p] = _set(
                        p, nodes.sequence[node, p], seen, mover * width, size, used, sets, learned, index, play, seats
                    )
                    many *= size
                    mover += 1
            first = _children(nodes, node, many, used, play)
            for k in range(many):
                left = k
                for p in range(seats - 1, -1, -1):
                    number = nodes.set[node, p]
                    if number >= 0:
                        nodes.sequence[first + k, p] = sets.first[p, number] + left % sets.size[p, number]
                        left //= sets.size[p, number]
        for p in range(seats):
            play.choice[p] = play.moves[step, p]
        node = first + place
        book.move(book.table, here, address(play.choice, 0))
    lift_from(nodes, last, leaf)


@inlined
def fits(needed: int, fresh: int, used: Longs, nodes: Nodes, sets: Sets, learned: Learned, index: Index) -> bool:
    """Say whether there is room for a playthrough in every table."""
    most = 0
    for p in range(sets.used.size):
        most = max(most, sets.used[p])
        if sets.sequences[p] + needed > learned.strategy.shape[1]:
            return False
    return (
        used[rec.NODES] + needed <= nodes.parent.size
        and used[rec.GROUPS] + fresh <= nodes.size.size
        and used[rec.SLOTS] + needed <= nodes.owner.size
        and most + fresh <= min(sets.parent.shape[1], learned.mark.shape[1])
        and used[rec.PLACES] + needed <= index.place.shape[0]
        and used[rec.SEEN] + needed <= index.seen.shape[0]
        and used[rec.KEYS] + fresh <= index.key.shape[0]
        and used[rec.MENUS] + needed <= index.menu.shape[0]
        and used[rec.LISTED] + needed <= index.listed.size
        and used[rec.SLOTS] + needed <= index.weights.size
    )
