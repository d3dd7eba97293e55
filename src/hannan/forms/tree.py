"""The second view of a game: every history, as flat arrays, breadth first."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hannan.arguments import place
from hannan.arrays import Floats, Ints, Shorts, frozen
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.rules.paths import path_text
from hannan.rules.plain import END, NO_MOVERS, Rules

ROOT = 0
NO_PARENT = -1

TERMINAL = END
"""The entry of `GameTree.turn` at a terminal node."""

CHANCE_TURN = NO_MOVERS
"""The entry of `GameTree.turn` at a chance node; an entry above it has one bit for each player who moves."""


@dataclass(frozen=True)
class Labels:
    """The actions and observations of plain-Python rules: code c stands for `actions[c]` or `observations[c]`."""

    actions: Sequence[Hashable]
    observations: Sequence[Hashable]


@dataclass(frozen=True)
class GameTree:
    """All histories of a game. Node 0 is the root; the children of a node are consecutive.

    At a joint node the children are in row-major order of the movers' actions (the last mover's runs fastest).
    """

    rules: Rules
    players: int
    parent: Ints  # [nodes]  NO_PARENT at the root
    children: Ints  # [nodes + 1]  the children of node h are children[h] … children[h+1]-1
    turn: Shorts  # [nodes]  TERMINAL, CHANCE_TURN, or the movers as bits (player i is 1 << i)
    slot_begin: Ints  # [nodes + 1]  the movers' information sets at node h are slots[slot_begin[h]] …, ascending
    slots: Ints  # [slots]  numbers of information sets within the mover's treeplex
    probability: Floats  # [nodes]  chance's probability of the edge into the node; 1 after a player's move
    gain_node: Ints  # [gainful]  the nodes with gains, ascending
    gain: Floats  # [gainful, players]
    depth_begin: Ints  # [depths + 1]  nodes of depth d are depth_begin[d] … depth_begin[d+1]-1
    treeplexes: tuple[Treeplex, ...]
    lowest: Floats  # [players]  the least utility at any end of play
    highest: Floats  # [players]
    total: float | None  # the sum of the players' utilities, if it is the same at every end; else None
    serialised: int  # how many nodes there would be if joint moves were made one after another
    labels: Labels | None  # None if codes are the rules' own integers

    def __post_init__(self) -> None:
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                frozen(array)

    def __repr__(self) -> str:
        sets = sum(plex.sets for plex in self.treeplexes)
        return f"GameTree({self.rules}: {self.nodes:,} histories, {sets:,} information sets)"

    @property
    def nodes(self) -> int:
        """The number of histories."""
        return len(self.parent)

    @property
    def bytes(self) -> int:
        """The bytes of the arrays."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of nodes of each kind."""
        joint = (self.turn > 0) & (self.turn & (self.turn - 1) != 0)
        return {
            "histories": self.nodes,
            "terminal": int((self.turn == TERMINAL).sum()),
            "chance": int((self.turn == CHANCE_TURN).sum()),
            "decision": int((self.turn > 0).sum()),
            "joint": int(joint.sum()),
            "serialised": self.serialised,
        }

    def path(self, node: int) -> list[int]:
        """Return the numbers of the children that lead from the root to `node`."""
        node, steps = place("node", node, len(self.parent)), []
        while node != ROOT:
            above = int(self.parent[node])
            steps.append(node - int(self.children[above]))
            node = above
        return steps[::-1]

    def path_text(self, node: int) -> str:
        """Name a history: the actions from the root `r`, joined by colons."""
        return path_text(self.rules, self.path(node))

    def action_text(self, player: int, sequence: int) -> str:
        """Name the last action of a sequence."""
        plex = self.treeplexes[place("player", player, self.players)]
        return action_text(self.rules, self.labels, plex, player, place("sequence", sequence, plex.sequences))

    def action_of(self, code: int) -> Hashable:
        """Return the action that a code stands for, as the rules know it."""
        return code if self.labels is None else self.labels.actions[code]

    def set_text(self, player: int, number: int) -> str:
        """Name an information set: what the player saw and did, from its first choice to this one."""
        plex = self.treeplexes[place("player", player, self.players)]
        return set_text(self.rules, self.labels, plex, player, place("number", number, plex.sets))


def action_text(rules: Rules, labels: Labels | None, plex: Treeplex, player: int, sequence: int) -> str:
    """Name the last action of a sequence."""
    code = int(plex.action[sequence])
    return rules.action_text(player, code if labels is None else labels.actions[code])


def set_text(rules: Rules, labels: Labels | None, plex: Treeplex, player: int, number: int) -> str:
    """Name an information set: what the player saw and did, from its first choice to this one."""
    words: list[str] = []
    while True:
        code = int(plex.observation[number])
        words.append(rules.observation_text(player, code if labels is None else labels.observations[code]))
        before = int(plex.parent[number])
        if before == EMPTY or rules.observations_name_sets:
            return " ".join(reversed(words))
        words.append(action_text(rules, labels, plex, player, before))
        number = int(plex.set_of[before])


def set_texts(rules: Rules, labels: Labels | None, plex: Treeplex, player: int) -> list[str]:
    """Name all information sets of a player, in their order: as `set_text` does, in one pass from parents to children.

    The rules are called once for each different action and observation.
    """
    seen, numbers = np.unique(plex.observation, return_inverse=True)
    meant = seen.tolist() if labels is None else [labels.observations[code] for code in seen.tolist()]
    texts = [rules.observation_text(player, one) for one in meant]
    if rules.observations_name_sets:
        return [texts[number] for number in numbers.tolist()]
    codes, taken = np.unique(plex.action[1:], return_inverse=True)
    did = codes.tolist() if labels is None else [labels.actions[code] for code in codes.tolist()]
    actions = [rules.action_text(player, one) for one in did]
    names: list[str] = []
    parents, above, taken = plex.parent.tolist(), plex.set_of[plex.parent].tolist(), taken.tolist()
    for before, owner, number in zip(parents, above, numbers.tolist(), strict=True):
        own = texts[number]
        names.append(own if before == EMPTY else f"{names[owner]} {actions[taken[before - 1]]} {own}")
    return names
