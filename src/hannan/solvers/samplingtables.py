"""What the samplers walk on and learn into: a tree packed for walks, tables that may grow, room for one walk."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.game import Game
from hannan.kernels.samplingrecords import (
    BEGIN,
    CELLS,
    CHANCE,
    CHILD,
    COUNTS,
    END,
    FIRST,
    FRAME,
    GAIN_ROW,
    JOINT,
    KIND,
    KINDS,
    MOVERS,
    PLAYER,
    REALS,
    SETS,
    SIZE,
    TOUCHES,
    WORTHS,
    Board,
    Scratch,
    Tables,
)  # fmt: skip
from hannan.rules import MOST_MOVES, CompiledRules
from hannan.tree import GameTree

FIRST_SETS = 256
"""How many information sets tables that grow have room for at the start."""

MASK = 2**64 - 1


def mixed(z: int) -> int:
    """Mix 64 bits: the last step of SplitMix64 (G. Steele, D. Lea, C. Flood 2014)."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def first_random(seed: int, stream: int) -> int:
    """Return where the random numbers of a stream begin."""
    return mixed((mixed(seed & MASK) + stream * 0xD1342543DE82EF95) & MASK)


def pack(tree: GameTree) -> Board:
    """Lay a tree out so that a walk reads one row for each history."""
    bases = first_cells(tree)
    node = np.zeros((tree.nodes, 4), np.int32)
    who = np.where(tree.turn < 0, END, np.where(tree.turn == 0, CHANCE, JOINT))
    gains, rows = np.unique(tree.gain, axis=0, return_inverse=True)
    node[:, CHILD] = tree.children[:-1]
    node[:, GAIN_ROW] = -1
    node[tree.gain_node, GAIN_ROW] = rows.reshape(-1)
    above = tree.parent[1:]
    uneven = (tree.turn[above] == 0) & (tree.probability[1:] != tree.probability[tree.children[above]])
    node[tree.turn == 0, FIRST] = 1
    node[above[uneven], FIRST] = 0
    for player in range(tree.players):
        mine = np.flatnonzero(tree.turn == 1 << player)
        who[mine] = player
        node[mine, FIRST] = bases[player][tree.slots[tree.slot_begin[mine]]]
    node[:, KIND] = np.diff(tree.children) * KINDS + who
    joint = np.flatnonzero(who == JOINT)
    movers = np.diff(tree.slot_begin)[joint]
    begins = np.concatenate(([0], np.cumsum(movers))).astype(np.int32)
    node[joint, FIRST] = begins[:-1]
    slot = np.zeros((int(begins[-1]), 4), np.int32)
    rank = np.zeros(len(joint), np.int64)  # how many movers come before the player
    for player, plex in enumerate(tree.treeplexes):
        moves = tree.turn[joint] >> player & 1 == 1
        where = begins[:-1][moves] + rank[moves]
        place = tree.slots[tree.slot_begin[joint[moves]] + rank[moves]]
        slot[where, PLAYER], slot[where, MOVERS] = player, movers[moves]
        slot[where, BEGIN], slot[where, SIZE] = bases[player][place], plex.sizes[place]
        rank += moves
    return Board(node, tree.probability.copy(), gains, slot)


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
    """Allocate the tables of a game that is expanded; `baselines` is how many each player keeps."""
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
    tables.counts[SETS], tables.counts[CELLS] = len(sizes), cells
    return tables._replace(baseline=np.zeros((tree.players, baselines)))


def rules_tables(players: int, random: int, baselined: bool, discounted: bool, sets: int = FIRST_SETS) -> Tables:
    """Allocate tables that grow with what is visited."""
    cells = players + 12 * sets
    tables = _tables(sets, cells, players, random, bucket_count(sets), discounted)
    tables.counts[CELLS] = players
    tables.buckets[:] = -1
    return tables._replace(baseline=np.zeros((players, cells if baselined else 0)))


def _tables(sets: int, cells: int, players: int, random: int, buckets: int, discounted: bool) -> Tables:
    return Tables(
        learnt=np.zeros(cells),
        clock=np.zeros(cells if discounted else 0),
        stamp=np.zeros(cells if discounted else 0, np.int64),
        empty=np.arange(players, dtype=np.int64),
        baseline=np.zeros((players, 0)),
        measure=np.zeros((2, 0)),
        given=np.zeros((3, 0)),
        root=np.zeros((3, players)),
        set_parent=np.zeros(sets, np.int64),
        set_observation=np.zeros(sets, np.int64),
        set_base=np.zeros(sets, np.int64),
        set_size=np.zeros(sets, np.int64),
        buckets=np.zeros(buckets, np.int64),
        counts=np.zeros(COUNTS, np.int64),
        random=np.array([random], np.uint64),
    )


def bucket_count(sets: int) -> int:
    """Return how many buckets keep the search for one of so many sets short: a power of 2."""
    return 1 << (2 * sets - 1).bit_length()


BY_SET = ("set_parent", "set_observation", "set_base", "set_size")


def grown(tables: Tables, sets: int, cells: int) -> Tables:
    """Return tables with room for more, holding what there was."""
    from hannan.kernels.samplingparts import rehash

    def longer(array: Any, size: int) -> Any:
        result = np.zeros((*array.shape[:-1], size), array.dtype)
        result[..., : min(size, array.shape[-1])] = array[..., :size]
        return result

    parts: dict[str, Any] = {name: longer(getattr(tables, name), sets) for name in BY_SET}
    for name in ("learnt", "clock", "stamp", "baseline"):
        array = getattr(tables, name)
        parts[name] = longer(array, cells if array.size else 0)
    parts["buckets"] = np.empty(bucket_count(sets), np.int64)
    rehash(int(tables.counts[SETS]), parts["set_parent"], parts["set_observation"], parts["buckets"])
    return tables._replace(**parts)


def table_bytes(sets: int, cells: int, baselined: bool, discounted: bool, players: int) -> int:
    """Return what tables of a size take."""
    a_cell = 8 * (1 + (players if baselined else 0) + (2 if discounted else 0))
    return a_cell * cells + 8 * len(BY_SET) * sets + 8 * bucket_count(sets)


def scratch_for(game: Game, tree: GameTree | None, baselined: bool) -> Scratch:
    """Allocate room for one walk; `larger` makes more where it does not suffice."""
    players = game.players
    if tree is not None:
        depth, width, size = len(tree.depth_begin) + 1, int(np.diff(tree.children).max()), 0
    else:
        width = game.rules.width if isinstance(game.rules, CompiledRules) else 1
        size = game.rules.state_size if isinstance(game.rules, CompiledRules) else 0
        depth = 64
    return _scratch(players, depth, max(width, 1), 1024, size, baselined)


def larger(scratch: Scratch) -> Scratch:
    """Return twice as much room."""
    depth, width = scratch.ratio.shape
    players, size = scratch.mover.shape[1], scratch.state.shape[1]
    return _scratch(players, 2 * depth, 2 * width, 2 * len(scratch.touched), size, bool(scratch.visited.size))


def _scratch(players: int, depth: int, width: int, visits: int, state: int, baselined: bool) -> Scratch:
    many = 16 * visits if baselined else 0
    deep = depth if state else 0
    return Scratch(
        frame=np.zeros((depth, FRAME), np.int64),
        real=np.zeros((depth, REALS)),
        pick=np.zeros((depth, width, 2), np.int64),
        ratio=np.zeros((depth, width)),
        mover=np.zeros((depth, players, 4), np.int64),
        touched=np.zeros((visits, TOUCHES), np.int64),
        worth=np.zeros((visits, WORTHS)),
        value=np.zeros(visits * 8),
        shown=np.zeros((visits, 2), np.int64),
        visited=np.zeros(many, np.int64),
        note=np.zeros(many, np.int64),
        noted=np.zeros(many),
        state=np.zeros((deep, state), np.int64),
        trail=np.zeros(MOST_MOVES if state else 0, np.int64),
        last=np.zeros((deep, players), np.int64),
        code=np.zeros((deep, players, width), np.int64),
        chance=np.zeros((deep, width)),
    )
