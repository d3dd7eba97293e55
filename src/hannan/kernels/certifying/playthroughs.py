"""Playthroughs of compiled rules, each merged into the trunk and followed by one iteration of the regret minimisers.

This does what `hannan.certificates` does with any box; a test compares every array. The trunk is changed only after a
playthrough has been checked: where something is wrong, or does not fit, the caller is told, who makes room or lets
Python play it and say what is wrong. The index is then as it was, but for its buckets, which the caller fills again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.addresses import address
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.merge import NONE, draw, merge
from hannan.kernels.certifying.records import Index, Learned, Path, Play, SetColumns, Steps
from hannan.kernels.certifying.seeds import seed_from
from hannan.kernels.certifying.walks import WALKS, drawn, extend, learn_once
from hannan.kernels.lent import borrowed
from hannan.kernels.pointers import asked, told
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.sets import S_COUNT, S_FIRST, S_PARENT, S_SEEN, enter, place_of
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import DONE, MORE_TRUNK, ODD
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF, Nodes
from hannan.kernels.visit import ask_actions, ask_chance, ask_gains, ask_observation, ask_turn, judge_bounds
from hannan.turns import END as OVER
from hannan.turns import NO_MOVERS

CHANCE_GROUP, BOUNDS = range(2)
"""The addresses of the rules' optional functions; 0 where they are not asked."""

APART, HISTORY, NAMED, KNOWN = range(4)
"""How chance nodes are grouped: not; by the draws before them; as the rules say; each with its odds."""

TOLERANCE = 1e-9


@inlined
def _slack(a: float, b: float) -> float:
    return TOLERANCE * max(1.0, max(abs(a), abs(b)))


@inlined
def _worth(
    book: Book, optional: Longs, here: Any, over: bool, play: Play, players: int, worth: Floats, step: int
) -> bool:
    """Write what was gained here, and what the bounds leave after it; say whether all is right."""
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
        if over:
            if not (-_slack(high, 0.0) <= high and low <= _slack(low, 0.0)):
                return False
            low = high = 0.0
        play.low[u], play.high[u] = low, high
        worth[step, rec.GAIN, u], worth[step, rec.LOW, u], worth[step, rec.HIGH, u] = gain, low, high
    return True


@inlined
def _place(odds: Floats, count: int, u: float) -> int:
    """Return the outcome that a uniform number stands for; as `RulesBox` draws."""
    place = count - 1
    for k in range(count):
        u -= odds[k]
        if u < 0.0:
            place = k
            break
    while place > 0 and odds[place] <= 0.0:
        place -= 1
    return place


@inlined
def _toss(book: Book, here: Any, width: int, play: Play) -> tuple[int, int]:
    """Let chance move; return how many outcomes there are (0: something is wrong), and which came."""
    status, count, _ = ask_chance(book, here, width, address(play.codes, 0), address(play.odds, 0))
    if status != DONE:
        return 0, 0
    place = _place(play.odds, count, uniform(play.luck))
    play.choice[0] = play.codes[place]
    return count, place


@inlined
def _alike(begin: int, count: int, size: int, index: Index, play: Play) -> bool:
    """Return whether chance has the odds here that it has elsewhere in its group; the first node met says which."""
    if count != size:
        return False
    for k in range(count):
        known = index.weights[begin + k]
        if np.isnan(known):
            index.weights[begin + k] = play.odds[k]
        elif not abs(known - play.odds[k]) <= TOLERANCE:
            return False
    return True


@inlined
def _grouped(
    book: Book, optional: Longs, here: Any, groups: int, before: int, count: int, group: int, slot: int, nodes: Nodes,
    index: Index, play: Play,
) -> tuple[int, int, int]:  # fmt: skip
    """Return a status, the group of a new chance node, and its first slot; new ones are `group` and `slot`."""
    key, row, spot = NONE, NONE, 0
    if groups == HISTORY:
        key = before + 1  # the slot that was drawn last, counted from 1
    elif groups == NAMED and optional[CHANCE_GROUP] != 0:
        key = asked(optional[CHANCE_GROUP], (book.table, here))
    if key >= 0:
        row, spot = place_of(0, key, index.key, index.key_buckets)
        if row >= 0:
            known = index.key[row, S_FIRST]
            begin = nodes.begin[known]
            return DONE if _alike(begin, count, index.key[row, S_COUNT], index, play) else ODD, known, begin
    full = slot + count > min(nodes.owner.size, index.weights.size) or index.used[rec.KEYS] == index.key.shape[0]
    if full or group == nodes.size.size:
        return MORE_TRUNK, 0, 0
    nodes.begin[group] = slot
    for k in range(count):
        nodes.odds[slot + k] = index.weights[slot + k] = play.odds[k]
    if key >= 0:
        enter(index.used[rec.KEYS], spot, 0, key, group, count, index.key, index.key_buckets)
        index.used[rec.KEYS] += 1
    return DONE, group, slot


@inlined
def _observation(seen: int, index: Index) -> int:
    """Return the number of what is seen; NONE if a new one does not fit."""
    code, spot = place_of(0, seen, index.seen, index.seen_buckets)
    if code < 0 and index.used[rec.SEEN] < index.seen.shape[0]:
        code = index.used[rec.SEEN]
        index.used[rec.SEEN] += 1
        enter(code, spot, 0, seen, code, 0, index.seen, index.seen_buckets)
    return code


@inlined
def _hashed(one: int, other: int, code: int) -> tuple[int, int]:
    """Return the two numbers by which a list of actions is known after one more; at first both are its size."""
    return one * 6364136223846793005 + code + 1442695040888963407, (other ^ (code + 7)) * 1099511628211


@kernel
def hash_menus(row: Longs, listed: Longs) -> None:
    """Write the two numbers of menus that begin at certain places of a list."""
    for j in range(row.shape[0]):
        one, other = row[j, S_COUNT], row[j, S_COUNT]
        for k in range(row[j, S_COUNT]):
            one, other = _hashed(one, other, listed[row[j, S_FIRST] + k])
        row[j, S_PARENT], row[j, S_SEEN] = one, other


@inlined
def _menu(at: int, size: int, index: Index, play: Play) -> int:
    """Return the number of a list of actions; NONE if a new one does not fit."""
    one, other = size, size
    for k in range(size):
        one, other = _hashed(one, other, play.codes[at + k])
    row, spot = place_of(one, other, index.menu, index.menu_buckets)
    begin = index.used[rec.LISTED]
    if row < 0 and index.used[rec.MENUS] < index.menu.shape[0] and begin + size <= index.listed.size:
        row = index.used[rec.MENUS]
        index.used[rec.MENUS] += 1
        enter(row, spot, one, other, begin, size, index.menu, index.menu_buckets)
        for k in range(size):
            index.listed[begin + k] = play.codes[at + k]
        index.used[rec.LISTED] += size
    return row


@inlined
def _arrive(
    book: Book, here: Any, p: int, at: int, size: int, step: int, seats: int, sets: SetColumns, index: Index,
    play: Play, path: Path,
) -> tuple[int, int]:  # fmt: skip
    """Write what a mover finds at a new node; return a status, and its information set, NONE where that is new."""
    status, seen = ask_observation(book, here, p)
    if status != DONE:
        return ODD, NONE
    code, menu = _observation(seen, index), _menu(at, size, index, play)
    if code < 0 or menu < 0 or index.used[rec.PLACES] == index.place.shape[0]:
        return MORE_TRUNK, NONE
    above, number = play.sequence[p] * seats + p, NONE
    row, spot = place_of(above, code, index.place, index.place_buckets)
    if row >= 0:
        number = index.place[row, S_FIRST]
        if sets.menu[p, number] != menu:
            return ODD, NONE
    else:
        enter(index.used[rec.PLACES], spot, above, code, play.next[p], size, index.place, index.place_buckets)
        index.used[rec.PLACES] += 1
        play.next[p] += 1
        play.next[seats + p] += size
    path.mover[step, p, rec.SET], path.mover[step, p, rec.OBSERVATION] = number, code
    path.mover[step, p, rec.MENU], path.mover[step, p, rec.SIZE] = menu, size
    return DONE, number


@inlined
def _choose(
    book: Book, here: Any, width: int, node: int, who: int, step: int, at: int, nodes: Nodes, sets: SetColumns,
    learned: Learned, index: Index, play: Play, path: Path, actions: Longs,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Let all movers choose at a node (NONE: at a new one, where `who` moves), and write their choices from `at` on.

    Return a status, how many move, the number of their joint action, and how many joint actions there are.
    """
    seats, move, mover, many = nodes.set.shape[1], 0, 0, 1
    for p in range(seats):
        if node == NONE:
            path.mover[step, p, rec.SIZE] = 0
            if (who >> p) & 1 == 0:
                continue
        elif nodes.set[node, p] < 0:
            continue
        status, size = ask_actions(book, here, p, width, address(play.codes, mover * width))
        if status != DONE:
            return ODD, 0, 0, 0
        if node == NONE:
            status, number = _arrive(book, here, p, mover * width, size, step, seats, sets, index, play, path)
            if status != DONE:
                return status, 0, 0, 0
        else:
            number = nodes.set[node, p]
            if sets.size[p, number] != size:
                return ODD, 0, 0, 0
        will = uniform(play.will)
        if number == NONE:
            k, first = int(will * size), play.next[seats + p] - size
        else:
            first = sets.first[p, number]
            k = drawn(learned.strategy, p, first, size, will)
        play.sequence[p] = first + k
        play.choice[mover] = play.codes[mover * width + k]
        actions[at + mover] = k
        move = move * size + k
        many *= size
        mover += 1
    return DONE, mover, move, many


@inlined
def _try(
    book: Book, optional: Longs, here: Any, width: int, groups: int, most_moves: int, players: int, written: int,
    used: Longs, nodes: Nodes, sets: SetColumns, learned: Learned, index: Index, play: Play, path: Path, actions: Longs,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Make one playthrough, and write down what is new on its path.

    Return a status, the first new node (NONE where all are known), how many draws there were in the trunk, how many new
    nodes are on the path and how many children they have, and how many actions were taken.
    """
    node, before, leaf, seats = 0, NONE, NONE, nodes.set.shape[1]
    draws, fresh, taken, needed = 0, 0, 0, 0
    group, slot = used[rec.GROUPS], used[rec.SLOTS]
    for p in range(seats):
        play.sequence[p], play.next[p], play.next[seats + p] = 0, sets.used[p], sets.sequences[p]
    for _ in range(most_moves + 1):
        if leaf == NONE and nodes.kind[node] == LEAF:
            leaf = node
            for u in range(play.low.size):
                play.low[u], play.high[u] = nodes.low[node, u], nodes.high[node, u]
        known, who, kind = node if leaf == NONE else NONE, 0, nodes.kind[node]
        if leaf != NONE:
            status, who = ask_turn(book, here, players)
            if status != DONE:
                break
            kind = END if who == OVER else CHANCE if who == NO_MOVERS else CHOICE
            if not _worth(book, optional, here, kind == END, play, players, path.worth, fresh):
                break
            path.row[fresh, rec.KIND], path.row[fresh, rec.TOLD] = kind, NONE
        if kind == END:
            return DONE, leaf, draws, fresh + (leaf != NONE), needed, taken
        if kind == CHANCE:
            count, place = _toss(book, here, width, play)
            if count == 0:
                break
            if leaf == NONE:
                met = nodes.group[node]
                begin = nodes.begin[met]
                if not _alike(begin, count, nodes.size[met], index, play):
                    break
                play.drawn[draws] = begin + place
                draws += 1
            else:
                status, met, begin = _grouped(
                    book, optional, here, groups, before, count, group, slot, nodes, index, play
                )
                if status != DONE:
                    return status, NONE, 0, 0, 0, 0
                if met == group:
                    group += 1
                    slot += count
                path.row[fresh, rec.GROUP], path.row[fresh, rec.COUNT] = met, count
                path.row[fresh, rec.HOW] = rec.KNOWN if groups == KNOWN else rec.COUNTED
            before = begin + place
        else:
            status, movers, place, count = _choose(
                book, here, width, known, who, fresh, written + taken, nodes, sets, learned, index, play, path, actions
            )
            if status != DONE:
                return status, NONE, 0, 0, 0, 0
            taken += movers
        if leaf == NONE:
            node = nodes.first[node] + place
        else:
            path.row[fresh, rec.PLACE] = place
            fresh += 1
            needed += count
        book.move(book.table, here, address(play.choice, 0))
    return ODD, NONE, 0, 0, 0, 0


@inlined
def _fits(needed: int, used: Longs, nodes: Nodes, sets: SetColumns, learned: Learned, play: Play) -> bool:
    """Say whether there is room for the nodes and the sets of a playthrough."""
    seats = sets.used.size
    for p in range(seats):
        if play.next[p] > min(sets.parent.shape[1], learned.mark.shape[1]):
            return False
        if play.next[seats + p] > learned.strategy.shape[1]:
            return False
    return used[rec.NODES] + needed <= nodes.parent.size


@kernel
def run(
    start: Any, turn: Any, asked: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any, optional: Longs,
    first: int, count: int, root: Longs, width: int, groups: int, most_moves: int, players: int, box_prefix: Any,
    own_prefix: Any, used: Longs, nodes: Nodes, sets: SetColumns, learned: Learned, index: Index, play: Play,
    path: Path, steps: Steps, radius: Floats, manner: Floats, lengths: Longs, actions: Longs,
) -> tuple[int, int, int]:  # fmt: skip
    """Make playthroughs `first`, `first` + 1, …; return a status, how many were made, and how many actions they took.

    Each is played by the strategies of the moment, merged, and followed by one iteration (Algorithm 7.2). It ends early
    where a playthrough could take more actions than there is room for.
    """
    nodes, sets, learned, path = borrowed(nodes), borrowed(sets), borrowed(learned), borrowed(path)
    index, play, steps = borrowed(index), borrowed(play), borrowed(steps)
    book, here = Book(start, turn, asked, chance, move, observe, gains, address(table, 0)), address(play.state, 0)
    written = 0
    for n in range(count):
        if written + (most_moves + 1) * play.sequence.size > actions.size:
            return DONE, n, written
        t = first + n
        play.luck[0] = seed_from(box_prefix, t, play.message, play.words)
        mine = seed_from(own_prefix, t, play.message, play.words)
        play.will[0] = mine
        for k in range(root.size):
            play.state[k] = root[k]
        for k in range(rec.TABLES):
            index.used[rec.TABLES + k] = index.used[k]
        status, leaf, draws, fresh, needed, taken = _try(
            book, optional, here, width, groups, most_moves, players, written, used, nodes, sets, learned, index, play,
            path, actions,
        )  # fmt: skip
        if status == DONE and not _fits(needed, used, nodes, sets, learned, play):
            status = MORE_TRUNK
        if status != DONE:
            for k in range(rec.TABLES):
                index.used[k] = index.used[rec.TABLES + k]
            return status, n, written
        for k in range(draws):
            draw(nodes, play.drawn[k])
        if leaf != NONE:
            merge(leaf, fresh, used, nodes, sets, path)
            extend(sets, learned, True)
        written += taken
        lengths[n] = taken
        steps.random[0] = mine ^ WALKS
        learn_once(t, players, used[rec.UNKNOWN], nodes, sets, learned, steps, radius, manner)
    return DONE, count, written
