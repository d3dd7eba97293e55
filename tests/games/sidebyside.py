"""Walk OpenSpiel's tree of a game and ours side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hannan.forms.tree import CHANCE_TURN, ROOT, TERMINAL, GameTree
from hannan.rules.compiled import bits

TOLERANCE = 1e-12
"""Both compute returns and probabilities from the same small numbers, in different orders."""


@dataclass
class SideBySide:
    """Joint nodes of ours are walked one mover after another, as OpenSpiel's turn-based form has them."""

    tree: GameTree
    histories: int = 0
    sets: set[tuple[int, int, str]] = field(default_factory=set)  # player, our set, their information state

    def __post_init__(self) -> None:
        self.gain = dict(zip(self.tree.gain_node.tolist(), self.tree.gain.tolist(), strict=True))
        self.turn = self.tree.turn.tolist()
        self.children = self.tree.children.tolist()
        self.slots = [*map(int, self.tree.slots)]
        self.slot_begin = self.tree.slot_begin.tolist()
        self.sizes = [plex.sizes.tolist() for plex in self.tree.treeplexes]

    def walk(self, theirs: Any) -> None:
        self._node(ROOT, theirs, [0.0] * self.tree.players)

    def walk_below(self, outcome: int, theirs: Any) -> None:
        """Walk only what follows one outcome of chance at the root."""
        action, _ = theirs.chance_outcomes()[outcome]
        self._node(self.children[ROOT] + outcome, theirs.child(action), [0.0] * self.tree.players)

    def _node(self, node: int, theirs: Any, utility: list[float]) -> None:
        if node in self.gain:
            utility = [u + g for u, g in zip(utility, self.gain[node], strict=True)]
        turn = self.turn[node]
        if turn == TERMINAL:
            self.histories += 1
            assert theirs.is_terminal()
            assert all(abs(u - v) <= TOLERANCE for u, v in zip(utility, theirs.returns(), strict=True))
        elif turn == CHANCE_TURN:
            self.histories += 1
            assert theirs.is_chance_node()
            first, outcomes = self.children[node], theirs.chance_outcomes()
            assert len(outcomes) == self.children[node + 1] - first
            for k, (action, probability) in enumerate(outcomes):
                assert abs(self.tree.probability[first + k] - probability) <= TOLERANCE
                self._node(first + k, theirs.child(action), utility)
        else:
            self._mover(node, bits(turn), 0, 0, theirs, utility)

    def _mover(self, node: int, who: tuple[int, ...], k: int, chosen: int, theirs: Any, utility: list[float]) -> None:
        self.histories += 1
        player, ours = who[k], self.slots[self.slot_begin[node] + k]
        assert theirs.current_player() == player
        self.sets.add((player, ours, theirs.information_state_string(player)))
        menu = theirs.legal_actions()
        assert len(menu) == self.sizes[player][ours]
        for choice, action in enumerate(menu):
            joint, following = chosen * len(menu) + choice, theirs.child(action)
            if k + 1 < len(who):
                self._mover(node, who, k + 1, joint, following, utility)
            else:
                self._node(self.children[node] + joint, following, utility)

    @property
    def refines(self) -> bool:
        """Whether each of our information sets lies inside one of theirs."""
        return len(self.sets) == len({(player, ours) for player, ours, _ in self.sets})

    @property
    def coarsens(self) -> bool:
        """Whether each of their information states lies inside one of our sets."""
        return len(self.sets) == len({(player, theirs) for player, _, theirs in self.sets})
