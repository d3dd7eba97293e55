"""Playthroughs of compiled rules, each merged into the trunk and followed by one iteration of the regret minimisers.

This does what `hannan.certificates` does with any box, number by number; a test compares every array. Nothing is
changed before a playthrough has been checked: where something is wrong, or does not fit, the caller is told, who makes
room or lets Python play it and say what is wrong.
"""

from __future__ import annotations

from typing import Any

from hannan.arrays import Floats, Longs
from hannan.kernels import inlined, kernel
from hannan.kernels.borrow import address, borrowed
from hannan.kernels.certifying import records as rec
from hannan.kernels.certifying.merging import NONE, alike, fits, hashes, key_of, merge, worth_of
from hannan.kernels.certifying.records import Index, Learned, Play, Sets, Steps
from hannan.kernels.certifying.seeds import seed_from
from hannan.kernels.certifying.walking import WALKS, drawn, learn_once
from hannan.kernels.sampling.draws import uniform
from hannan.kernels.sets import S_FIRST, S_PARENT, S_SEEN, place_of
from hannan.kernels.signatures import Book
from hannan.kernels.statuses import DONE, MORE_TRUNK, ODD
from hannan.kernels.trunks import CHANCE, CHOICE, END, LEAF, Nodes
from hannan.kernels.visit import ask_actions, ask_chance, ask_observation, ask_turn
from hannan.turns import END as OVER
from hannan.turns import NO_MOVERS

UNHEARD = 1 << 40
"""Stands for the slot of an outcome whose group is new."""


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
def _toss(
    book: Book, optional: Longs, here: Any, width: int, groups: int, node: int, before: int, nodes: Nodes,
    index: Index, play: Play,
) -> tuple[int, int, int]:  # fmt: skip
    """Let chance move at a node (NONE: at a new one); return how many outcomes there are, the place, and the slot.

    No outcomes: something is wrong.
    """
    status, count, _ = ask_chance(book, here, width, address(play.codes, 0), address(play.odds, 0))
    if status != DONE:
        return 0, 0, 0
    place = _place(play.odds, count, uniform(play.luck))
    play.choice[0] = play.codes[place]
    if node != NONE:
        group = nodes.group[node]
        same = count == nodes.size[group] and alike(nodes.begin[group], count, index, play)
        return (count if same else 0), place, nodes.begin[group] + place
    key, slot = key_of(groups, book, optional, here, before), UNHEARD
    if key >= 0:
        row, _ = place_of(0, key, index.key, index.key_buckets)
        if row >= 0:
            group = index.key[row, S_FIRST]
            if nodes.size[group] != count or not alike(nodes.begin[group], count, index, play):
                return 0, 0, 0
            slot = nodes.begin[group] + place
    return count, place, slot


@inlined
def _choose(
    book: Book, here: Any, width: int, node: int, who: int, fresh: int, taken: int, nodes: Nodes, sets: Sets,
    learned: Learned, index: Index, play: Play,
) -> tuple[int, int, int]:  # fmt: skip
    """Let all movers choose at a node (NONE: at a new one, where `who` moves).

    Return how many move, the number of their joint action, and how many joint actions there are; no movers: something
    is wrong.
    """
    seats, move, mover, many = nodes.set.shape[1], 0, 0, 1
    for p in range(seats):
        number = NONE
        if node != NONE:
            number = nodes.set[node, p]
            if number < 0:
                continue
        elif (who >> p) & 1 == 0:
            continue
        status, size = ask_actions(book, here, p, width, address(play.codes, mover * width))
        seen = 0
        if status == DONE and node == NONE:
            status, seen = ask_observation(book, here, p)
        if status != DONE:
            return 0, 0, 0
        if node == NONE and play.sequence[p] != NONE:
            row, _ = place_of(play.sequence[p] * seats + p, seen, index.place, index.place_buckets)
            if row >= 0:
                number = index.place[row, S_FIRST]
                one, other = hashes(mover * width, size, play)
                menu = sets.menu[p, number]
                if index.menu[menu, S_PARENT] != one or index.menu[menu, S_SEEN] != other:
                    return 0, 0, 0
        if number != NONE and sets.size[p, number] != size:
            return 0, 0, 0
        will = uniform(play.will)
        if number == NONE:
            k = int(will * size)
            play.sequence[p] = NONE
        else:
            k = drawn(learned.strategy, p, sets.first[p, number], size, will)
            play.sequence[p] = sets.first[p, number] + k
        play.choice[mover] = play.codes[mover * width + k]
        play.taken[taken + mover] = k
        if node == NONE:
            play.moves[fresh, mover] = play.choice[mover]
        move = move * size + k
        many *= size
        mover += 1
    return mover, move, many


@inlined
def _try(
    book: Book, optional: Longs, here: Any, width: int, groups: int, most_moves: int, players: int, nodes: Nodes,
    sets: Sets, learned: Learned, index: Index, play: Play,
) -> tuple[int, int, int, int, int, int, int]:  # fmt: skip
    """Make one playthrough without changing anything.

    Return a status, the first new node (NONE where all are known), how many draws there were in the trunk, how many new
    nodes are on the path, how many actions were taken, the slot that was drawn last in the trunk, and how many nodes
    (with their outcomes, or sets, or sequences) are needed at most.
    """
    node, before, leaf, last = 0, NONE, NONE, NONE
    drawn, fresh, taken, needed = 0, 0, 0, 0
    for p in range(nodes.set.shape[1]):
        play.sequence[p] = 0
    for _ in range(most_moves + 1):
        if leaf == NONE and nodes.kind[node] == LEAF:
            leaf, last = node, before
            for k in range(play.state.size):
                play.saved[k] = play.state[k]
            for u in range(play.low.size):
                play.low[u], play.high[u] = nodes.low[node, u], nodes.high[node, u]
        known, who = node if leaf == NONE else NONE, 0
        if leaf == NONE:
            kind = nodes.kind[node]
            if kind == END:
                return DONE, NONE, drawn, 0, taken, last, 0
        else:
            status, who = ask_turn(book, here, players)
            if status != DONE:
                break
            kind = END if who == OVER else CHANCE if who == NO_MOVERS else CHOICE
            if not worth_of(book, optional, here, kind == END, play, players):
                break
            if kind == END:
                return DONE, leaf, drawn, fresh + 1, taken, last, needed + 1
        if kind == CHANCE:
            count, place, before = _toss(book, optional, here, width, groups, known, before, nodes, index, play)
            if count == 0:
                break
            needed += count + 1
            if leaf == NONE:
                play.drawn[drawn] = before
                drawn += 1
            else:
                play.moves[fresh, 0] = play.choice[0]
        else:
            movers, place, count = _choose(
                book, here, width, known, who, fresh, taken, nodes, sets, learned, index, play
            )
            if movers == 0:
                break
            taken += movers
            needed += count + movers * width
        if leaf == NONE:
            node, needed = nodes.first[node] + place, 0
        else:
            play.places[fresh] = place
            fresh += 1
        book.move(book.table, here, address(play.choice, 0))
    return ODD, NONE, 0, 0, 0, 0, 0


@kernel
def run(
    start: Any, turn: Any, asked: Any, chance: Any, move: Any, observe: Any, gains: Any, table: Any, optional: Longs,
    first: int, count: int, root: Longs, width: int, groups: int, most_moves: int, players: int, box_prefix: Any,
    own_prefix: Any, used: Longs, nodes: Nodes, sets: Sets, learned: Learned, index: Index, play: Play, steps: Steps,
    radius: Floats, exploration: float, power: float, lengths: Longs, actions: Longs,
) -> tuple[int, int, int]:  # fmt: skip
    """Make playthroughs `first`, `first` + 1, …; return a status, how many were made, and how many actions they took.

    Each is played by the strategies of the moment, merged, and followed by one iteration (Algorithm 7.2). `power` < 0
    leaves the iterations out.
    """
    nodes, sets, learned = borrowed(nodes), borrowed(sets), borrowed(learned)
    index, play, steps = borrowed(index), borrowed(play), borrowed(steps)
    book, here = Book(start, turn, asked, chance, move, observe, gains, address(table, 0)), address(play.state, 0)
    written = 0
    for n in range(count):
        t = first + n
        play.luck[0] = seed_from(box_prefix, t, play.message, play.words)
        mine = seed_from(own_prefix, t, play.message, play.words)
        play.will[0] = mine
        _begin(root, play)
        status, leaf, drawn, fresh, taken, before, needed = _try(
            book, optional, here, width, groups, most_moves, players, nodes, sets, learned, index, play
        )
        if status != DONE:
            return status, n, written
        if written + taken > actions.size:
            return DONE, n, written
        if leaf != NONE and not fits(needed, fresh, used, nodes, sets, learned, index):
            return MORE_TRUNK, n, written
        merge(
            book, optional, here, width, groups, players, leaf, drawn, fresh, before, used, nodes, sets, learned,
            index, play,
        )  # fmt: skip
        for k in range(taken):
            actions[written + k] = play.taken[k]
        written += taken
        lengths[n] = taken
        if power >= 0.0:
            steps.random[0] = mine ^ WALKS
            learn_once(t, players, used[rec.UNKNOWN], nodes, sets, learned, steps, radius, exploration, power)
    return DONE, count, written
