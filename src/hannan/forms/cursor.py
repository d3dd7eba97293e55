"""A place in a public tree, reached from the root by actions and outcomes one after another.

One stage stands for all deals that are mirrors of each other. After such a deal the cursor remembers the mirror, and
uses it to translate types and later outcomes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.errors import UnknownNameError, nearest
from hannan.forms.public import PublicForm
from hannan.kernels.public import records as rec
from hannan.rules.public import Mirror


class Cursor:
    """A node of public play. A new cursor is at the root, or at the first line after the outcomes of `board`."""

    def __init__(self, form: PublicForm, board: tuple[Hashable, ...] = ()) -> None:
        self.form = form
        self.stage = self.node = 0
        self._mirrors: list[Mirror] = []
        self.board: tuple[Hashable, ...] = ()
        """The outcomes as they were dealt."""
        for outcome in board:
            self.node = int(self._template.leaves[0])
            self.deal(outcome)

    @property
    def kind(self) -> int:
        """The kind of the node: a player, LEAF (an outcome is dealt) or OVER."""
        return int(self._template.nodes[self.node, rec.N_KIND])

    @property
    def line(self) -> Any:
        """The line of play, as the rules know it."""
        return self._template.lines[self.node]

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions at the node; empty if no player acts."""
        return self._template.actions[self.node]

    @property
    def outcomes(self) -> tuple[Hashable, ...]:
        """The outcomes that may be dealt at the node."""
        found = self.form.links[self.stage] if self.kind == rec.LEAF else {}
        return tuple(self._outward(outcome) for outcome in found)

    @property
    def _template(self) -> Any:
        return self.form.templates[self.form.arrays.stage[self.stage, rec.S_TEMPLATE]]

    def act(self, k: int) -> None:
        """Take the k-th action."""
        self.node = int(self._template.nodes[self.node, rec.N_CHILD]) + k

    def deal(self, outcome: Hashable) -> None:
        """Deal an outcome."""
        inner = outcome
        for mirror in self._mirrors:
            inner = _inverse(mirror.outcomes, inner)
        line = self._template.leaves.tolist().index(self.node)
        self.stage, image = self.form.links[self.stage][inner]
        self.node, self.board = line, (*self.board, outcome)
        if image is not None:
            self._mirrors.append(image)

    def _outward(self, outcome: Hashable) -> Hashable:
        for mirror in reversed(self._mirrors):
            outcome = mirror.outcomes[outcome]
        return outcome

    def step(self, word: str) -> None:
        """Take the action, or deal the outcome, that has this name."""
        rules = self.form.rules
        dealt = self.kind == rec.LEAF
        named, moves = (rules.outcome_text, self.outcomes) if dealt else (rules.option_text, self.actions)
        texts = [named(move) for move in moves]
        if word in texts:
            k = texts.index(word)
            if dealt:
                self.deal(moves[k])
            else:
                self.act(k)
            return
        raise UnknownNameError(f"{shown(word)} is not possible at this place{nearest(word, texts)}")

    def types(self, player: int) -> np.ndarray:
        """Return the type of the game that each place of the stage stands for here."""
        types = self.form.types_at(self.stage, player)
        for mirror in reversed(self._mirrors):
            types = np.asarray(mirror.types[player], np.int64)[types]
        return types

    def entries(self, player: int) -> np.ndarray:
        """Return the indices of this node's numbers in the state, [actions, places]."""
        row, node = self.form.arrays.stage[self.stage], self._template.nodes[self.node]
        types = int(row[rec.S_TYPES + player])
        first = int(row[rec.S_STATE + player] + node[rec.N_SLOT] * types)
        return first + np.arange(len(self.actions) * types).reshape(len(self.actions), types)


def _inverse(outcomes: dict[Hashable, Hashable], image: Hashable) -> Hashable:
    return next(outcome for outcome, other in outcomes.items() if other == image)
