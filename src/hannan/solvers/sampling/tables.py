"""The data of samplers: a tree packed for walks, tables that may grow, and room for one walk."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Longs, longer
from hannan.forms.tree import GameTree
from hannan.kernels.sampling import records as rec
from hannan.kernels.sampling.planted import lay_out
from hannan.kernels.sampling.records import Board, Scratch, Tables
from hannan.kernels.sets import SET_ROW, bucket_count, rehash
from hannan.kernels.statuses import MORE_DEPTH, MORE_VISITS, MORE_WIDTH
from hannan.rules.plain import MOST_MOVES
from hannan.rules.source import Source, fenced, longer_fenced, states
from hannan.strategies.policy import Policy

FIRST_SETS = 256
"""The number of information sets for which growing tables have room at the start."""

FIRST_LISTED, FIRST_VISITS = 16, 256
"""The first room of a walk: children of a history, and own sets visited in one walk."""

SPARE_ACTIONS = 16
"""The actions of each set for which room is kept."""


MOST_VISITS = 2**20
"""The number of visits above which all sets count alike when some are dropped."""


def pack(tree: GameTree) -> Board:
    """Lay a tree out so that a walk reads one row for each history."""
    bases = first_cells(tree)
    node = np.zeros((tree.nodes, 4), np.int32)
    who = np.where(tree.turn < 0, rec.END, np.where(tree.turn == 0, rec.CHANCE, rec.JOINT))
    gains, rows = np.unique(tree.gain, axis=0, return_inverse=True)
    node[:, rec.CHILD] = tree.children[:-1]
    node[:, rec.GAIN_ROW] = -1
    node[tree.gain_node, rec.GAIN_ROW] = rows.reshape(-1)
    above = tree.parent[1:]
    uneven = (tree.turn[above] == 0) & (tree.probability[1:] != tree.probability[tree.children[above]])
    node[tree.turn == 0, rec.FIRST] = 1
    node[above[uneven], rec.FIRST] = 0
    for player in range(tree.players):
        mine = np.flatnonzero(tree.turn == 1 << player)
        who[mine] = player
        node[mine, rec.FIRST] = bases[player][tree.slots[tree.slot_begin[mine]]]
    node[:, rec.KIND] = np.diff(tree.children) * rec.KINDS + who
    joint = np.flatnonzero(who == rec.JOINT)
    movers = np.diff(tree.slot_begin)[joint]
    begins = np.concatenate(([0], np.cumsum(movers))).astype(np.int32)
    node[joint, rec.FIRST] = begins[:-1]
    slot = np.zeros((int(begins[-1]), 4), np.int32)
    rank = np.zeros(len(joint), np.int64)  # the number of movers before the player
    for player, plex in enumerate(tree.treeplexes):
        moves = tree.turn[joint] >> player & 1 == 1
        where = begins[:-1][moves] + rank[moves]
        place = tree.slots[tree.slot_begin[joint[moves]] + rank[moves]]
        slot[where, rec.PLAYER], slot[where, rec.MOVERS] = player, movers[moves]
        slot[where, rec.BEGIN], slot[where, rec.SIZE] = bases[player][place], plex.sizes[place]
        rank += moves
    return Board(node, tree.probability.copy(), gains, slot, np.zeros(0, np.int64))


def empty_board(players: int, histories: int, slots: int) -> Board:
    """Return room for those histories that walks on rules will remember; the first one is the root."""
    return Board(
        node=np.zeros((histories, 4), np.int32),
        probability=np.zeros(histories),
        gain=np.zeros((histories, players)),
        slot=np.zeros((slots, 4), np.int32),
        code=np.zeros(histories, np.int64),
    )


def first_cells(tree: GameTree) -> list[Longs]:
    """Return the first cell of each information set, player by player."""
    sizes = [plex.sizes.astype(np.int64) for plex in tree.treeplexes]
    ends = tree.players + np.cumsum(1 + 3 * np.concatenate(sizes))
    starts = np.concatenate(([tree.players], ends[:-1])) + 1
    return np.split(starts[: len(ends)], np.cumsum([len(part) for part in sizes])[:-1])


def cells_of(tree: GameTree) -> Longs:
    """Return the strategy's cell of each sequence, players end to end; -1 for empty sequences."""
    parts = []
    for plex, bases in zip(tree.treeplexes, first_cells(tree), strict=True):
        owner = plex.set_of[1:]
        parts.append(np.concatenate(([-1], bases[owner] + np.arange(1, plex.sequences) - plex.begin[owner])))
    return np.concatenate(parts).astype(np.int64)


def tree_tables(tree: GameTree, random: int, baselines: int, discounted: bool) -> Tables:
    """Allocate the tables of an expanded game. baselines: the number for each player."""
    sizes = np.concatenate([plex.sizes for plex in tree.treeplexes]).astype(np.int64)
    cells = tree.players + int((1 + 3 * sizes).sum())
    tables = _tables(len(sizes), cells, tree.players, random, 2, discounted)
    begin = 0
    for player, (plex, bases) in enumerate(zip(tree.treeplexes, first_cells(tree), strict=True)):
        mine = slice(begin, begin + plex.sets)
        begin += plex.sets
        owner = plex.set_of[1:]
        place = np.arange(1, plex.sequences) - plex.begin[owner]
        sums = np.concatenate(([player], bases[owner] + 2 * plex.sizes[owner] + place))
        tables.learnt[bases[owner] + place] = 1.0 / plex.sizes[owner]
        tables.set_parent[mine] = sums[plex.parent]
        tables.set_base[mine], tables.set_size[mine] = bases, plex.sizes
        tables.set_observation[mine] = plex.observation
    tables.counts[rec.SETS], tables.counts[rec.CELLS] = len(sizes), cells
    return tables._replace(baseline=np.zeros((tree.players, baselines)))


def rules_tables(players: int, random: int, discounted: bool, table: int = rec.WHOLE, counted: bool = False) -> Tables:
    """Allocate tables that grow with visited sets.

    table: which sets a walk enters, as in `Tables.counts`. counted: whether the visits of each set are counted.
    """
    cells = players + 12 * FIRST_SETS
    tables = _tables(FIRST_SETS, cells, players, random, bucket_count(FIRST_SETS), discounted)
    tables.counts[rec.CELLS], tables.counts[rec.HISTORIES], tables.counts[rec.TABLE] = players, 1, table
    tables.counts[rec.LEAD] = rec.COUNTED_LEAD if counted else rec.PLAIN_LEAD
    tables.buckets[:] = -1
    return tables


def _tables(sets: int, cells: int, players: int, random: int, buckets: int, discounted: bool) -> Tables:
    learnt, counts = np.zeros(cells), np.zeros(rec.COUNTS, np.int64)
    counts[rec.EVERY], counts[rec.LEAD] = 1, rec.PLAIN_LEAD
    return Tables(
        learnt=learnt,
        guide=learnt,
        clock=np.zeros(cells if discounted else 0),
        stamp=np.zeros(cells if discounted else 0, np.int64),
        empty=np.arange(players, dtype=np.int64),
        baseline=np.zeros((players, 0)),
        measure=np.zeros((2, 0)),
        given=np.zeros((3, 0)),
        terms=np.repeat([[0.0], [1.0]], players, axis=1),
        root=np.zeros((5, players)),
        set_row=np.zeros((sets, SET_ROW), np.int64),
        buckets=np.zeros(buckets, np.int64),
        counts=counts,
        random=np.array([random], np.uint64),
    )


def drop_least_visited(tables: Tables) -> int:
    """Drop the sets with the fewest visits, to free half of the cells; return the most visits of a dropped set."""
    from hannan.kernels.sampling.entries import keep_visited

    sets, players = int(tables.counts[rec.SETS]), len(tables.empty)
    base = tables.set_base[:sets].copy()
    visits = np.minimum(tables.learnt[base - rec.COUNTED_LEAD], MOST_VISITS).astype(np.int64)
    taken = np.cumsum(np.bincount(visits, rec.COUNTED_LEAD + 3 * tables.set_size[:sets] + SET_ROW))
    least = int(np.searchsorted(2 * taken, taken[-1]))
    keep_visited(
        float(least), players, tables.set_row, base, np.empty(sets, np.int64), tables.learnt, tables.clock,
        tables.stamp, tables.baseline, tables.counts,
    )  # fmt: skip
    rehash(int(tables.counts[rec.SETS]), tables.set_row, tables.buckets)
    return least


BY_CELL = ("learnt", "guide", "clock", "stamp", "measure")


def planted(tables: Tables, policy: Policy, where: str, spare: int = 0) -> Tables:
    """Return tables with all sets of a policy, and its probabilities in `where`: `learnt` or `guide`.

    spare: additional room, in sets of SPARE_ACTIONS actions; the system gives memory when it is written to.
    """
    sets, players = policy.sets, policy.game.players
    cells = players + sets + 3 * (len(policy.probability) - players)
    room = max(sets + spare, len(tables.set_parent))
    more = cells + spare * (1 + 3 * SPARE_ACTIONS)
    tables = _tables(room, max(more, len(tables.learnt)), players, int(tables.random[0]), bucket_count(room),
                     bool(tables.clock.size))._replace(baseline=tables.baseline)  # fmt: skip
    if where == "guide":
        tables = tables._replace(guide=np.zeros(len(tables.learnt)))
    lay_out(
        players, policy.parent, policy.observation, policy.base, policy.size, policy.probability, tables.set_row,
        tables.learnt, getattr(tables, where), np.empty(len(policy.probability), np.int64),
    )  # fmt: skip
    tables.counts[rec.SETS], tables.counts[rec.CELLS], tables.counts[rec.HISTORIES] = sets, cells, 1
    rehash(sets, tables.set_row, tables.buckets)
    return tables


def copied(tables: Tables) -> Tables:
    """Return a copy, whose draws follow its own learnt strategy unless they follow a given policy."""
    other = Tables._make(array.copy() for array in tables)
    return other if tables.guide is not tables.learnt else other._replace(guide=other.learnt)


def keys_of(tables: Tables, sets: int, source: Source) -> list[tuple[int, int]]:
    """Return the rules' key of each set: what its player remembers there, and the observation's code.

    A sequence begins at a set that was entered earlier; the cell of its sum identifies it.
    """
    parent, seen, base, size = (column[:sets] for column in tables.set_row.T)
    above = np.searchsorted(base, parent, "right") - 1
    place = parent - base[above] - 2 * size[above] if sets else parent
    keys = list[tuple[int, int]]()
    rows = zip(parent.tolist(), seen.tolist(), above.tolist(), place.tolist(), strict=True)
    for last, code, before, action in rows:
        memory = source.beginnings[last] if before < 0 else source.memory_of(keys[before][0], keys[before][1], action)
        keys.append((memory, code))
    return keys


def named_sets(tables: Tables, sets: int, texts: Any, source: Source) -> dict[tuple[int, int], list[str]]:
    """Return the texts of the actions at each set by the rules' key of the set; `texts` has one for each action."""
    keys = keys_of(tables, sets, source)
    parts = np.split(texts, np.cumsum(tables.set_size[:sets])[:-1]) if sets else []
    named = {key: part.tolist() for key, part in zip(keys, parts, strict=True)}
    return {key: names for key, names in named.items() if None not in names}


def part_cells(first: Longs, size: Longs, part: int) -> Longs:
    """Return the cells of one part (0: the strategy, 1: the regrets, 2: the sums) of sets, one set after another."""
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    result: Longs = np.repeat(first + part * size, size) + inside
    return result


def held(*records: Tables | Board | Scratch) -> int:
    """Return the bytes of the arrays of the records, each counted once."""
    return sum({id(array): array.nbytes for record in records for array in record}.values())


def scratch_for(players: int, depth: int, baselined: bool, source: Source | None) -> Scratch:
    """Allocate room for one walk on rules, or on a tree (None); if it does not suffice, `larger` makes more."""
    wide, size, deep = (0, 0, 0) if source is None else (source.width, source.state_size, depth)
    return Scratch(
        frame=np.zeros(depth, rec.FRAME),
        pick=np.zeros((depth, FIRST_LISTED, 2), np.int64),
        ratio=np.zeros((depth, FIRST_LISTED)),
        mover=np.zeros((depth, players, 4), np.int64),
        touched=np.zeros(FIRST_VISITS, rec.TOUCH),
        value=np.zeros(FIRST_VISITS * 8),
        shown=np.zeros((FIRST_VISITS, 2), np.int64),
        counted=np.zeros(FIRST_VISITS),
        visited=np.zeros(4 * FIRST_VISITS if baselined else 0, np.int64),
        note=np.zeros(4 * FIRST_VISITS if baselined else 0, np.int64),
        noted=np.zeros(4 * FIRST_VISITS if baselined else 0),
        used=np.zeros(1, rec.USED),
        state=states(deep, size),
        trail=np.zeros(MOST_MOVES if deep else 0, np.int64),
        last=np.zeros((deep, players), np.int64),
        code=fenced((deep, players, wide), np.int64),
        chance=fenced((deep, wide)),
        here=fenced(players),
        choice=fenced(players, np.int64),
    )


BY_DEPTH = ("frame", "pick", "ratio", "mover", "state", "last", "code", "chance")
FENCED = ("state", "code", "chance")
BY_WIDTH = ("pick", "ratio")
BY_VISITS = ("touched", "value", "shown", "counted", "visited", "note", "noted")


def larger(scratch: Scratch, status: int) -> Scratch:
    """Return twice as much room of the kind that a walk needs."""
    names, axis = {MORE_DEPTH: (BY_DEPTH, 0), MORE_WIDTH: (BY_WIDTH, 1), MORE_VISITS: (BY_VISITS, 0)}[status]
    arrays = {name: getattr(scratch, name) for name in names}
    made = {name: longer(array, 2 * array.shape[axis], axis) for name, array in arrays.items() if name not in FENCED}
    made |= {name: longer_fenced(array, 2 * len(array)) for name, array in arrays.items() if name in FENCED}
    return scratch._replace(**made)


def wider(scratch: Scratch, width: int) -> Scratch:
    """Return room for `width` moves of each player."""
    depth, players, _ = scratch.code.shape
    return scratch._replace(code=fenced((depth, players, width), np.int64), chance=fenced((depth, width)))
