"""Playthroughs of compiled rules, each merged into the trunk and followed by one iteration of the regret minimisers.

This does what `hannan.certificates` does with any box, number by number; a test compares every array. Nothing is
changed before a playthrough has been checked: where something is wrong, or does not fit, the caller is told, who makes
room or lets Python play it and say what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.certifying.records import (
    EXPANDED,
    GROUPS,
    KEYS,
    LISTED,
    MENUS,
    NODES,
    PLACES,
    SEEN,
    SLOTS,
    UNKNOWN,
    Index,
    Learned,
    Play,
    Sets,
    Steps,
)  # fmt: skip
from hannan.kernels.certifying.seeds import seed_from
from hannan.kernels.certifying.walking import WALKS, learn_once
from hannan.kernels.pointers import asked, told
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.sets import S_FIRST, enter, place_of
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF, Nodes, lift_from

TURN, ACTIONS, DRAW, MOVE, OBSERVE, GAINS, GROUP, BOUNDS = range(8)
"""The addresses of the rules' functions; the last two are 0 where they are not asked."""

APART, HISTORY, NAMED, KNOWN = range(4)
"""How chance nodes are grouped: not; by the draws before them; as the rules say; each with its odds."""

DONE, FULL, ODD = range(3)
"""How playthroughs ended: all made; no room for the next; something is wrong in the next."""

NONE = -1
TOLERANCE = 1e-9


@inlined
def _slack(a: float, b: float) -> float:
    return TOLERANCE * max(1.0, max(abs(a), abs(b)))


@inlined
def _begin(first: Longs, play: Play) -> None:
    for k in range(first.size):
        play.state[k] = first[k]


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
def _taken(strategy: Floats, p: int, first: int, size: int, u: float) -> int:
    last = 0
    for k in range(size):
        if strategy[p, first + k] > 0.0:
            last = k
            u -= strategy[p, first + k]
            if u < 0.0:
                return k
    return last


@inlined
def _worth(rules: Longs, constants: Any, here: Any, over: bool, nodes: Nodes, play: Play, players: int) -> bool:
    """Take what was gained here from the bounds, and meet them with what the rules say; say whether all is right."""
    for p in range(players):
        play.gains[p] = 0.0
    told(rules[GAINS], (constants, here, address(play.gains, 0)))
    if rules[BOUNDS] != 0:
        told(rules[BOUNDS], (constants, here, address(play.told, 0)))
    for p in range(players):
        if not np.isfinite(play.gains[p]):
            return False
        if rules[BOUNDS] != 0 and not (
            np.isfinite(play.told[2 * p])
            and np.isfinite(play.told[2 * p + 1])
            and play.told[2 * p] <= play.told[2 * p + 1]
        ):
            return False
    utilities = play.low.size
    if utilities == 1 and players == 2 and abs(play.gains[0] + play.gains[1]) > _slack(play.gains[0], play.gains[1]):
        return False
    for u in range(utilities):
        least, most = -np.inf, np.inf
        if rules[BOUNDS] != 0:
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
def _key(groups: int, rules: Longs, constants: Any, here: Any, before: int) -> int:
    """Return the key of the group of a chance node; NONE where it is on its own."""
    if groups == HISTORY:
        return before + 1  # the slot that was drawn last, counted from 1
    if groups == NAMED and rules[GROUP] != 0:
        return asked(rules[GROUP], (constants, here))
    return NONE


@inlined
def _try(
    rules: Longs, constants: Any, here: Any, width: int, groups: int, most_moves: int, players: int, used: Longs,
    nodes: Nodes, sets: Sets, learned: Learned, index: Index, play: Play,
) -> tuple[int, int, int, int, int, int, int]:  # fmt: skip
    """Make one playthrough without changing anything.

    Return a status, the first new node (NONE where all are known), how many draws there were in the trunk, how many new
    nodes are on the path, how many actions were taken, the slot that was drawn last in the trunk, and how many nodes
    (with their outcomes, or sets, or sequences) are needed at most.
    """
    seats, node, before = nodes.set.shape[1], 0, NONE
    drawn, fresh, taken, needed, leaf, last = 0, 0, 0, 0, NONE, NONE
    for p in range(seats):
        play.sequence[p] = 0
    for _ in range(most_moves + 1):
        new = leaf != NONE
        if not new and nodes.kind[node] == LEAF:
            new, leaf, last = True, node, before
            for k in range(play.state.size):
                play.saved[k] = play.state[k]
            for u in range(play.low.size):
                play.low[u], play.high[u] = nodes.low[node, u], nodes.high[node, u]
        if not new:
            kind = nodes.kind[node]
            if kind == END:
                return DONE, NONE, drawn, 0, taken, last, 0
            who = 0
        else:
            who = asked(rules[TURN], (constants, here))
            kind = END if who == -1 else CHANCE if who <= 0 else CHOICE
            if not _worth(rules, constants, here, kind == END, nodes, play, players):
                return ODD, NONE, 0, 0, 0, 0, 0
            if kind == END:
                return DONE, leaf, drawn, fresh + 1, taken, last, needed + 1
        if kind == CHANCE:
            count = asked(rules[DRAW], (constants, here, address(play.codes, 0), address(play.odds, 0)))
            if count < 1 or count > width:
                return ODD, NONE, 0, 0, 0, 0, 0
            place = _place(play.odds, count, uniform(play.luck))
            play.choice[0] = play.codes[place]
            if new:
                whole = 0.0
                for k in range(count):
                    whole += play.odds[k]
                    if not play.odds[k] >= 0.0:
                        return ODD, NONE, 0, 0, 0, 0, 0
                if not abs(whole - 1.0) <= TOLERANCE:
                    return ODD, NONE, 0, 0, 0, 0, 0
                key = _key(groups, rules, constants, here, before)
                group = NONE
                if key >= 0:
                    row, _ = place_of(0, key, index.key, index.key_buckets)
                    group = index.key[row, S_FIRST] if row >= 0 else NONE
                if group != NONE and nodes.size[group] != count:
                    return ODD, NONE, 0, 0, 0, 0, 0
                # a group that is new gets slots; the next history after it is new, too
                before = nodes.begin[group] + place if group != NONE else 1 << 40
                play.moves[fresh, 0], play.places[fresh] = play.choice[0], place
                needed += count + 1
                fresh += 1
            else:
                group = nodes.group[node]
                if count != nodes.size[group]:
                    return ODD, NONE, 0, 0, 0, 0, 0
                before = nodes.begin[group] + place
                play.drawn[drawn] = before
                drawn += 1
                node = nodes.first[node] + place
        else:
            move, mover, many = 0, 0, 1
            for p in range(seats):
                number = NONE
                if not new:
                    number = nodes.set[node, p]
                    if number < 0:
                        continue
                elif (who >> p) & 1 == 0:
                    continue
                size = asked(rules[ACTIONS], (constants, here, p, address(play.codes, mover * width)))
                if size < 1 or size > width:
                    return ODD, NONE, 0, 0, 0, 0, 0
                if new and play.sequence[p] != NONE:
                    seen = asked(rules[OBSERVE], (constants, here, p))
                    row, _ = place_of(play.sequence[p] * seats + p, seen, index.place, index.place_buckets)
                    number = index.place[row, S_FIRST] if row >= 0 else NONE
                if number != NONE and sets.size[p, number] != size:
                    return ODD, NONE, 0, 0, 0, 0, 0
                will = uniform(play.will)
                if number == NONE:
                    k = int(will * size)
                    play.sequence[p] = NONE
                else:
                    k = _taken(learned.strategy, p, sets.first[p, number], size, will)
                    play.sequence[p] = sets.first[p, number] + k
                play.choice[mover] = play.codes[mover * width + k]
                play.taken[taken] = k
                taken += 1
                move = move * size + k
                many *= size
                if new:
                    play.moves[fresh, mover] = play.choice[mover]
                mover += 1
            if new:
                if mover == 0:
                    return ODD, NONE, 0, 0, 0, 0, 0
                play.places[fresh] = move
                fresh += 1
                needed += many + mover * width
            else:
                node = nodes.first[node] + move
        told(rules[MOVE], (constants, here, address(play.choice, 0)))
    return ODD, NONE, 0, 0, 0, 0, 0


@inlined
def _children(nodes: Nodes, node: int, many: int, used: Longs, play: Play) -> int:
    """Give a node its children, all of them leaves; return the first."""
    first = used[NODES]
    used[NODES] += many
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
    group, begin = used[GROUPS], used[SLOTS]
    used[GROUPS] += 1
    used[SLOTS] += count
    nodes.size[group], nodes.samples[group], nodes.begin[group] = count, 0, begin
    nodes.open[group], nodes.known[group], nodes.rank[group] = False, known, 0
    if not known:
        used[UNKNOWN] += 1
        nodes.rank[group] = used[UNKNOWN]
    for k in range(count):
        nodes.owner[begin + k], nodes.outcome[begin + k], nodes.counts[begin + k] = group, k, 0
        nodes.odds[begin + k] = play.odds[k] if known else np.nan
    if key >= 0:
        enter(used[KEYS], spot, 0, key, group, count, index.key, index.key_buckets)
        used[KEYS] += 1
    return group


@inlined
def _menu(index: Index, at: int, size: int, used: Longs, play: Play) -> int:
    """Return the number of a list of actions."""
    one, other = size, size
    for k in range(size):
        one = one * 6364136223846793005 + play.codes[at + k] + 1442695040888963407
        other = (other ^ (play.codes[at + k] + 7)) * 1099511628211
    row, spot = place_of(one, other, index.menu, index.menu_buckets)
    if row < 0:
        row = used[MENUS]
        used[MENUS] += 1
        enter(row, spot, one, other, used[LISTED], size, index.menu, index.menu_buckets)
        for k in range(size):
            index.listed[used[LISTED] + k] = play.codes[at + k]
        used[LISTED] += size
    return row


@inlined
def _set(
    p: int, sequence: int, seen: int, at: int, size: int, used: Longs, sets: Sets, learned: Learned, index: Index,
    play: Play, seats: int,
) -> int:  # fmt: skip
    """Return the information set that a player has come to; a new one begins without regret, with uniform play."""
    code, spot = place_of(0, seen, index.seen, index.seen_buckets)
    if code < 0:
        code = used[SEEN]
        used[SEEN] += 1
        enter(code, spot, 0, seen, code, 0, index.seen, index.seen_buckets)
    row, spot = place_of(sequence * seats + p, seen, index.place, index.place_buckets)
    if row >= 0:
        return index.place[row, S_FIRST]
    number, first = sets.used[p], sets.sequences[p]
    sets.used[p] += 1
    sets.sequences[p] += size
    sets.parent[p, number], sets.observation[p, number], sets.first[p, number] = sequence, code, first
    sets.size[p, number], sets.menu[p, number] = size, _menu(index, at, size, used, play)
    enter(used[PLACES], spot, sequence * seats + p, seen, number, size, index.place, index.place_buckets)
    used[PLACES] += 1
    learned.mark[p, number] = 0.0
    for s in range(first, first + size):
        learned.strategy[p, s], learned.regret[p, s], learned.total[p, s] = 1.0 / size, 0.0, 0.0
        learned.baseline[p, s] = np.nan
    return number


@inlined
def _merge(
    rules: Longs, constants: Any, here: Any, width: int, groups: int, players: int, leaf: int, drawn: int, fresh: int,
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
        who = asked(rules[TURN], (constants, here))
        kind = END if who == -1 else CHANCE if who <= 0 else CHOICE
        _worth(rules, constants, here, kind == END, nodes, play, players)
        nodes.kind[node] = kind
        used[EXPANDED] += 1
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
            count = asked(rules[DRAW], (constants, here, address(play.codes, 0), address(play.odds, 0)))
            key = _key(groups, rules, constants, here, before)
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
                    size = asked(rules[ACTIONS], (constants, here, p, address(play.codes, mover * width)))
                    seen = asked(rules[OBSERVE], (constants, here, p))
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
        told(rules[MOVE], (constants, here, address(play.choice, 0)))
    lift_from(nodes, last, leaf)


@inlined
def _room(needed: int, fresh: int, used: Longs, nodes: Nodes, sets: Sets, learned: Learned, index: Index) -> bool:
    """Say whether there is room for a playthrough in every table."""
    most = 0
    for p in range(sets.used.size):
        most = max(most, sets.used[p])
        if sets.sequences[p] + needed > learned.strategy.shape[1]:
            return False
    return (
        used[NODES] + needed <= nodes.parent.size
        and used[GROUPS] + fresh <= nodes.size.size
        and used[SLOTS] + needed <= nodes.owner.size
        and most + fresh <= min(sets.parent.shape[1], learned.mark.shape[1])
        and used[PLACES] + needed <= index.place.shape[0]
        and used[SEEN] + needed <= index.seen.shape[0]
        and used[KEYS] + fresh <= index.key.shape[0]
        and used[MENUS] + needed <= index.menu.shape[0]
        and used[LISTED] + needed <= index.listed.size
    )


@kernel
def run(
    first: int, count: int, rules: Longs, table: Any, start: Longs, width: int, groups: int, most_moves: int,
    players: int, box_prefix: Any, own_prefix: Any, used: Longs, nodes: Nodes, sets: Sets, learned: Learned,
    index: Index, play: Play, steps: Steps, radius: Floats, exploration: float, power: float, lengths: Longs,
    actions: Longs,
) -> tuple[int, int, int]:  # fmt: skip
    """Make playthroughs `first`, `first` + 1, …; return a status, how many were made, and how many actions they took.

    Each is played by the strategies of the moment, merged, and followed by one iteration (Algorithm 7.2). `power` < 0
    leaves the iterations out.
    """
    nodes, sets, learned = borrowed(nodes), borrowed(sets), borrowed(learned)
    index, play, steps = borrowed(index), borrowed(play), borrowed(steps)
    constants, here = address(table, 0), address(play.state, 0)
    written = 0
    for n in range(count):
        t = first + n
        play.luck[0] = seed_from(box_prefix, t, play.message, play.words)
        mine = seed_from(own_prefix, t, play.message, play.words)
        play.will[0] = mine
        _begin(start, play)
        status, leaf, drawn, fresh, taken, before, needed = _try(
            rules, constants, here, width, groups, most_moves, players, used, nodes, sets, learned, index, play
        )
        if status != DONE:
            return status, n, written
        if written + taken > actions.size:
            return DONE, n, written
        if leaf != NONE and not _room(needed, fresh, used, nodes, sets, learned, index):
            return FULL, n, written
        _merge(
            rules, constants, here, width, groups, players, leaf, drawn, fresh, before, used, nodes, sets, learned,
            index, play,
        )  # fmt: skip
        for k in range(taken):
            actions[written + k] = play.taken[k]
        written += taken
        lengths[n] = taken
        if power >= 0.0:
            steps.random[0] = mine ^ WALKS
            learn_once(t, players, used, nodes, sets, learned, steps, radius, exploration, power)
    return DONE, count, written
