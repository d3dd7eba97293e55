"""Reaches, values and equities of every type at any node, for a strategy on a public tree.

A survey walks the stage of a node and everything after it, in doubles. At the root this takes as long as one
iteration of a solver; one street later, it takes a time in proportion to the walked part of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hannan.arrays import Floats, Longs, frozen
from hannan.forms.cursor import Cursor
from hannan.forms.public import PublicForm
from hannan.kernels.fullwidth import records as full
from hannan.kernels.public import passes
from hannan.kernels.public import records as rec
from hannan.kernels.public.records import Room, State
from hannan.kernels.public.survey import survey
from hannan.kernels.public.walk import Wish
from hannan.layouts.public import room_of
from hannan.measures.poker.checkdown import check_down, has_strengths
from hannan.strategies.public import PublicStrategy

NEGLIGIBLE = 1e-12
"""A type that faces a smaller share of the opponent's reach has no value: it would be only a rounding error."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The numbers of one player at a node. Places number the types that are possible with the cards on the table."""

    types: Longs  # [places]  the type of the game
    reach: Floats  # [places]  the weight of the type times the probability of the player's own actions
    facing: Floats  # [places]  the total reach of the opponent's types without a card in common
    utility: Floats  # [places]  expected utility of the whole game, given the node; NaN if `facing` is negligible
    equity: Floats | None  # [places]  None if the game has no showdown
    strategy: Floats | None  # [actions, places]  None unless the player acts here
    utilities: Floats | None  # [actions, places]  expected utility after each action


class Survey:
    """Computes the numbers of a strategy at nodes."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy = strategy
        self.form: PublicForm = strategy.game.form
        self._state = _state(np.array(strategy.probability))
        self._room = room_of(self.form, np.dtype(np.float64))
        self._stage = -1

    @cached_property
    def _checked(self) -> tuple[PublicForm, Room, State] | None:
        """The check-down game, and the arrays for its walks; None if types have no strength."""
        if not has_strengths(self.form):
            return None
        down = check_down(self.form)
        return down, room_of(down, np.dtype(np.float64)), _state(np.zeros(0, self.strategy.probability.dtype))

    def at(self, cursor: Cursor) -> tuple[Standing, Standing]:
        """Return the numbers of both players at a node."""
        self._walk(cursor.stage)
        reaches = [self._reach(cursor, player) for player in (0, 1)]
        meet = self._meeting(cursor.stage)
        facing = [meet @ reaches[1], meet.T @ reaches[0]]
        shares = self._equities(cursor.stage, reaches)
        first, second = (
            self._standing(cursor, player, reaches[player], facing[player], shares[player], reaches[1 - player].sum())
            for player in (0, 1)
        )
        return first, second

    def _walk(self, stage: int) -> None:
        """Write the values of a stage into the scratch memory, unless they are there."""
        if stage == self._stage:
            return
        path = [stage]
        while (before := self.form.deals[path[-1]].before) >= 0:
            path.append(before)
        steps = np.zeros((2, full.COLUMNS))
        tree = self.form.arrays
        ties = bool((tree.weigh[:, :, rec.W_BELOW] * tree.weigh[:, :, rec.W_SAME]).any())
        wish = Wish(passes.AVERAGE, 3, 0, False, ties)
        survey(tree, self._room, self._state, wish, steps, np.array(path[::-1], np.int64), True)
        self._stage = stage

    def _part(self, cursor: Cursor, part: int, player: int, row: int, rows: int = 1) -> Floats:
        """Return a copy of rows of the scratch memory, [rows, types]."""
        tree, stage = self.form.arrays, self.form.arrays.stage[cursor.stage]
        width, types = int(stage[rec.S_WIDTH + player]), int(stage[rec.S_TYPES + player])
        at = int(tree.scratch[stage[rec.S_DEPTH], part + player]) + row * width
        found: Floats = self._room.scratch[at : at + rows * width].reshape(rows, width)[:, :types].copy()
        return found

    def _reach(self, cursor: Cursor, player: int) -> Floats:
        return self._part(cursor, rec.X_REACH, player, int(self._node(cursor)[rec.N_ROW + player]))[0]

    def _node(self, cursor: Cursor) -> Longs:
        stage = self.form.arrays.stage[cursor.stage]
        return self.form.templates[stage[rec.S_TEMPLATE]].nodes[cursor.node]

    def _standing(
        self, cursor: Cursor, player: int, reach: Floats, facing: Floats, share: Floats | None, against: float
    ) -> Standing:
        node, types = self._node(cursor), cursor.types(player).astype(np.int64)
        met = np.where(facing > NEGLIGIBLE * against, facing, np.nan)
        value = self._part(cursor, rec.X_VALUE, player, cursor.node)[0] / met
        strategy = utilities = None
        if cursor.kind == player:
            actions = int(node[rec.N_CHILDREN])
            strategy = self._part(cursor, rec.X_PLAY, player, int(node[rec.N_SLOT]), actions)
            utilities = self._part(cursor, rec.X_VALUE, player, int(node[rec.N_CHILD]), actions) / met
        equity = None if share is None else share / met
        for array in (types, reach, facing, value, equity, strategy, utilities):
            if array is not None:
                frozen(array)
        return Standing(types, reach, facing, value, equity, strategy, utilities)

    def _equities(self, stage: int, reaches: list[Floats]) -> list[Floats | None]:
        """Return for each player and type the reach that it beats, over all runouts; a tie counts one half."""
        if self._checked is None:
            return [None, None]
        form, room, state = self._checked
        tree, row = form.arrays, form.arrays.stage[stage]
        begin = tree.scratch[row[rec.S_DEPTH]]
        for player, reach in enumerate(reaches):
            at = int(begin[rec.X_REACH + player])
            room.scratch[at : at + int(row[rec.S_WIDTH + player])] = 0.0
            room.scratch[at : at + len(reach)] = reach
        wish, steps = Wish(passes.AVERAGE, 3, 0, False, True), np.zeros((2, full.COLUMNS))
        survey(tree, room, state, wish, steps, np.array([stage], np.int64), False)
        values = [int(begin[rec.X_VALUE + player]) for player in (0, 1)]
        return [room.scratch[at : at + len(reach)].copy() for at, reach in zip(values, reaches, strict=True)]

    def _meeting(self, stage: int) -> Floats:
        """Return 1 for each pair of types of a stage without a card in common, otherwise 0."""
        tree, row = self.form.arrays, self.form.arrays.stage[stage]
        marks = []
        for player in (0, 1):
            first, types = int(row[rec.S_ROW + player]), int(row[rec.S_TYPES + player])
            held = np.zeros((types, tree.cards), np.float32)
            for column in (0, 1):
                held[np.arange(types), tree.card[first : first + types, column]] = 1.0
            held[:, tree.cards - 2 :] = 0.0  # the places of types without a card
            marks.append(held)
        result: Floats = (marks[0] @ marks[1].T == 0).astype(np.float64)
        return result


def _state(total: Floats) -> State:
    """Return a state whose averages are probabilities."""
    none = np.zeros(0, total.dtype)
    return State(none, total, none, none, np.zeros((2, 0)), np.zeros((2, full.COLUMNS)), np.zeros(3))
