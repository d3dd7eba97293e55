"""The walk over every node of a `.efg` file: the file was checked when it was read, so little is asked again."""

from __future__ import annotations

from typing import Any

from hannan.errors import SizeError
from hannan.interop.gambit.record import CHANCE, TERMINAL
from hannan.rules.plain import END, NO_MOVERS
from hannan.rules.walk import EVERY, PlainWalk


class EfgWalk(PlainWalk):
    """As `PlainWalk`: the same arrays, and the same refusal of actions that differ within a set."""

    rules: Any

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        self._ends: set[tuple[float, ...]] = set()

    def level(self, most: int) -> None:
        frontier, self.frontier = self.frontier, []
        first = node = self.first_of_level
        for state, last, utility in frontier:
            if (node - first) % EVERY == 0:
                if len(self.parent) > most:
                    raise SizeError(
                        f"{self.rules.name} has more than {most:,} histories, which is more than fits into the memory "
                        "that is free; choose a method that plays the rules directly"
                    )
                if self.seen is not None:
                    self.seen(node)
            self._node(node, state, last, utility)
            node += 1
        self.depth_begin.append(len(self.parent))

    def _node(self, node: int, state: int, last: tuple[int, ...], utility: tuple[float, ...]) -> None:
        rules, game = self.rules, self.rules.game
        if game.outcome_of[state] >= 0:
            gains = rules.gains(state)
            if any(gains):
                self.gain_node.append(node)
                self.gain.extend(gains)
                utility = tuple(map(float.__add__, utility, gains))
        self.children.append(len(self.parent))
        self.slot_begin.append(len(self.slots))
        player = game.player[state]
        if player == TERMINAL:
            self.turn.append(END)
            both = (*utility, sum(utility))
            if both not in self._ends:
                self._ends.add(both)
                self.lowest = tuple(map(min, self.lowest, both))
                self.highest = tuple(map(max, self.highest, both))
            return
        children = game.children(state)
        self.parent.extend([node] * len(children))
        if player == CHANCE:
            self.turn.append(NO_MOVERS)
            self.probability.extend(rules.odds(state))
            self.frontier.extend([(child, last, utility) for child in children])
            return
        player -= 1
        before = last[player]
        number = self.sets.get((before, rules.observe(state, player)))
        if number is None:
            number = self._information_set(node, state, player, before, rules.actions(state, player))
        self.turn.append(1 << player)
        self.slots.append(number)
        self.probability.extend([1.0] * len(children))
        base, head, tail = self.met[number][3], last[:player], last[player + 1 :]
        self.frontier.extend([(child, (*head, base + k, *tail), utility) for k, child in enumerate(children)])
