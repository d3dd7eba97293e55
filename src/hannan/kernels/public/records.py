"""The public tree as flat arrays. `hannan.forms.public_tree` fills them.

A *stage* is everything that can happen after the same cards were dealt: all lines of play that lead there, side by
side. Its *template* is the play itself, without the cards; the stages of one street share it. Nodes of a template stand
after their parents, and the nodes at which its lines begin come first. Types of a stage have their own numbers: where
play can end with a showdown, they are sorted by strength.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hannan.arrays import Floats, Longs

# columns of a stage: template; depth; types of each player, and these with at least one empty place, rounded up to
# whole vectors; where the state of each player begins; the first row of each player in `card` and `alive`; first group
# of equal types and their number; first child and their number; first of its mirrors and their number; the first slot
# of each player among those of all stages
(
    S_TEMPLATE, S_DEPTH, S_TYPES, S_WIDTH, S_STATE, S_ROW, S_GROUP, S_GROUPS, S_CHILD, S_CHILDREN, S_MIRROR, S_MIRRORS,
    S_SLOT, S_COLUMNS,
) = (0, 1, 2, 4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 18)  # fmt: skip
# columns of a template: nodes and leaves (where a card is dealt) with their numbers; ends: showdowns, folds, tables;
# lines; first row and number of rows of reaches and slots of each player
T_NODE, T_NODES, T_LEAF, T_LEAVES, T_END, T_SHOWDOWNS, T_FOLDS, T_TABLES, T_LINES, T_ROWS, T_SLOTS, T_COLUMNS = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13,
)  # fmt: skip
# columns of a node: what it is (a player, LEAF or OVER); its first child and how many; the first slot of its actions;
# the rows of reaches of both players
N_KIND, N_CHILD, N_CHILDREN, N_SLOT, N_ROW, N_COLUMNS = 0, 1, 2, 3, 4, 6
LEAF, OVER = 2, 3
"""Kinds of nodes besides the players 0 and 1: a card is dealt there, or play ends."""
# columns of `scratch`: where the reaches, strategies, values and best values of each player begin
X_REACH, X_PLAY, X_VALUE, X_BEST, X_COLUMNS = 0, 2, 4, 6, 8
# columns of `weigh`: what an end gives for the reach of weaker types, of weaker or equal ones, the share of the reach
# of all types that both begin with, and what a tie (a fold: any type) gives
W_BELOW, W_LEVEL, W_SHARE, W_SAME, W_COLUMNS = range(5)


class Public(NamedTuple):
    """A public tree."""

    stage: Longs  # [stages, S_COLUMNS]  a stage stands before those that follow it
    odds: Floats  # [stages]  the probability of the cards that lead there, given that both types leave them
    way: Floats  # [stages]  the product of the odds from the root on
    child: Longs  # [.]  stages
    template: Longs  # [templates, T_COLUMNS]
    node: Any  # [nodes, N_COLUMNS] int32  children, leaves and ends are numbers within the template
    leaf: Any  # [leaves] int32
    end: Any  # [ends] int32
    weigh: Floats  # [ends, 2, W_COLUMNS]
    table: Longs  # [ends]  which table of gains, or -1
    gains: Floats  # [tables, 2, types of player 0, types of player 1]  0 for types that cannot meet
    card: Any  # [rows, 3] int16  the two cards of a type, and its number among the other player's types (-1: not there)
    alive: Any  # [rows] int16  which type of the game it is
    group: Any  # [groups, 2] int16  after how many types of each player a group of equally strong types ends
    down: Any  # [.] int16  for each place of a stage, its place in the stage before
    down_at: Longs  # [stages, 2]
    back: Any  # [.] int16  for each place of the stage before and each mirror, its place in the stage
    back_at: Longs  # [mirrors, 2]
    twin: Any  # [.] int16  for each type of a stage with mirrors, the first of the types that a mirror makes of it
    twin_at: Longs  # [stages, 2]  -1 without mirrors
    cards: int
    """Cards, and two more places: one for what types without a card add, one that stays 0."""
    scratch: Longs  # [depths, X_COLUMNS]
    weight: Floats  # [2, most types]  how often each type of the game is dealt, up to a factor
    pairs: float
    """The sum of the weights of all pairs of types that can meet."""


class Room(NamedTuple):
    """What one thread writes into while it walks."""

    scratch: Any  # [.]  reaches, strategies, values; `Public.scratch` says where
    y: Any  # [widest · 16]  reaches of the opponent, 16 ends side by side
    u: Any  # [widest · 16]  what hero earns there
    sums: Floats  # [cards · 16]
    lanes: Floats  # [4 · 16]
    rows: Longs  # [16]
    outs: Longs  # [16]
    at: Longs  # [depths, 2]  the stage at each depth, and its next child


class State(NamedTuple):
    """What a method keeps at every action of every type; all 0 at first.

    Regrets and averages may be 16-bit integers: then each node has a scale for either, and numbers are multiples of it.
    """

    regret: Any  # [entries]
    total: Any  # [entries]  the sum of reaches: the average; empty if none is kept
    last: Any  # [entries]  the last regret of one iteration; empty if nothing is predicted
    fixed: Any  # [entries]  probabilities at locked information sets, -1 at free ones; empty if none is locked
    scale: Floats  # [2, slots]  the scales of regrets and averages, at the first slot of each node; empty without
    step: Floats  # [2, columns]  the last step of each player
    value: Floats  # [3]  the weighted sum of what play earns each player, and the sum of weights
