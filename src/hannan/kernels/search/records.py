"""What an exact search is made of: its plan, the positions on its path, and its table of positions.

A search is a stack of frames and no recursion, so it can stop after any node, be saved, and go on. It asks for what
only the rules know: `drive` fills a frame and goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Longs

# how a joint node chooses the next cell: all in turn, by best responses, by optimism about intervals
ALL, ORACLE, OPTIMIST = range(3)

# what is computed of a position: its value; the value where player 0 moves first (never more); second (never less)
EXACT, FIRST, SECOND = range(3)

# kinds of positions
END, CHANCE, MATRIX = range(3)

# what comes next in the deepest frame
ENTER, OPEN, LEAF, SELECT, CHOSEN, ASK, RETURN = range(7)

# what is known of a cell: a range; a bound from below; from both sides; all there is to know
UNKNOWN, LOWERED, BOUNDED, SETTLED = range(4)

# entries of `Frames.now`
(
    DEPTH,
    PHASE,
    VISITS,
    UNTIL,
    NODES,
    SERIAL,
    SOLVES,
    CUTOFFS,
    HITS,
    SURE,
    SUMMED,
    WHO,
    ENTRIES,
    FULL,
    FINISHED,
) = range(15)
"""Depth and phase; positions entered, and how many may be; inner nodes of the search and of the serialised games,
matrices solved, cut-offs, answers from the table; whether a serialised value is the value; whether `Frames.out[2]` is
known; the player who does not know where it is; entries of the table, and how many make it full;
whether the node of the last choice is finished."""

# columns of `Frames.place`
KIND, ROWS, COLUMNS, MODE, ROW, COLUMN, ASKED, OUTER, INNER, CELL, BEGUN, LIMITED, WORDS, WIDE, STALE = range(15)
"""Kind, size and mode; the cell that is asked for and how; cursors; nodes before this one; whether a leaf of the
depth limit lies below; words of the key; whether a settled cell is an interval; which ends changed since they were
solved, as bits."""

# columns of `Frames.number`
GAIN, TOTAL, LEAST, MOST, LOWER, UPPER, ALPHA, BETA, INSIDE, BEST, FLOOR, CEILING = range(12)
"""Player 0's gain on reaching the node, everybody's gains so far; the least and the most that player 0 can still
gain; bounds on the value; the window; the best of the inner and the outer player in a serialised game, elsewhere the
window of the cell that is asked for; what the lower and the upper ends of the cells guarantee, as last solved."""


class ExactPlan(NamedTuple):
    """What kind of search it is."""

    policy: int
    serial: int  # whether cells get bounds from the serialised games first
    pruned: int  # whether windows and bounds cut
    limit: int  # moves after which positions are leaves; -1 for none
    judged: int  # whether leaves are judged by a function; else by the rules' bounds
    tabled: int  # whether positions are remembered
    watched: int  # whether information sets are watched for a second position
    least: float  # bounds on all that player 0 gains from the start
    most: float
    close: float  # numbers that lie this close together are one


class Frames(NamedTuple):
    """The path of a search: one row a depth, unless noted."""

    now: Longs  # [15]
    out: Floats  # [3]  the interval of the frame that was left last, its gain counted; the sum of all gains at ends
    place: Longs  # [depths, 15]
    number: Floats  # [depths, 12]
    low: Any  # [depths, width, width]  lower bounds of the cells, gains on reaching them counted
    high: Any  # [depths, width, width]
    stage: Any  # [depths, width, width]  bytes
    member: Any  # [depths, 2, width]  bytes; rows and columns of the restricted game
    x: Floats  # [depths, width]  what guarantees the lower bound of a node that is done
    y: Floats  # [depths, width]  what guarantees the upper bound
    hope_x: Floats  # [depths, width]  what is optimal for the upper ends of the cells
    hope_y: Floats  # [depths, width]  what is optimal for the lower ends
    killer: Longs  # [depths, 4]  actions that cut last in the two serialised games, outer and inner
    code: Longs  # [depths, 2, width]  actions of each player; outcomes of chance in row 0
    odds: Floats  # [depths, width]
    state: Longs  # [depths, state size + BESIDE]
    key: Longs  # [depths, words]  the position
    info: Longs  # [depths, 4]  a hash of each player's own history, and of its information set where it moves
    choice: Longs  # [2]  for the rules
    here: Floats  # [4]  for the rules


class Store(NamedTuple):
    """Positions with bounds on their values; and information sets with the hash of a position."""

    key: Longs  # [entries, words + 2]  a hash (0 where free), what was computed, the position
    bound: Floats  # [entries, 2]
    work: Longs  # [entries]  nodes that it took, twice; plus 1 where no search of this depth finds more
    seen: Longs  # [sets, 2]


class NodeScratch(NamedTuple):
    """Scratch for one node."""

    matrix: Floats  # [width, width]
    x: Floats  # [width]
    y: Floats  # [width]
    rows: Longs  # [width]
    columns: Longs  # [width]
