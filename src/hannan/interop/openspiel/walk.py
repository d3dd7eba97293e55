"""The walk over every history of a game of OpenSpiel's, with few calls a history."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from hannan.errors import ChanceError, HannanError, SizeError
from hannan.rules.plain import END, NO_MOVERS
from hannan.rules.promises import told, wrong_chance, wrong_gains
from hannan.rules.walk import EVERY, PlainWalk

TERMINAL_PLAYER, CHANCE_PLAYER = -4, -1
"""OpenSpiel's numbers of who acts."""


def simultaneous_movers(state: Any, players: int) -> tuple[int, ...]:
    """Return the players who have something to choose at a node at which all move at once."""
    return tuple(player for player in range(players) if state.legal_actions(player))


class SpielWalk(PlainWalk):
    """As `PlainWalk`: the same arrays and checks, but what OpenSpiel promises by its types is not asked again."""

    rules: Any

    def __init__(self, rules: Any) -> None:
        super().__init__(rules)
        self._ends: set[tuple[float, ...]] = set()

    def level(self, most: int) -> None:
        frontier, self.frontier = self.frontier, []
        node = first = self.first_of_level
        try:
            for state, last, _ in frontier:
                if not (node - first) % EVERY:
                    self._report(node, most)
                self._visit_theirs(node, state, last)
                node += 1
        except HannanError:
            raise
        except Exception as error:
            self.fail(node, f"OpenSpiel raised {told(error)}")
        if len(self.parent) > most:
            self._report(node, most)
        self.depth_begin.append(len(self.parent))

    def _report(self, node: int, most: int) -> None:
        if len(self.parent) > most:
            raise SizeError(
                f"{self.rules.name} has more than {most:,} histories, which is more than fits into the memory that is "
                "free; choose smaller parameters, or a method that plays the rules directly"
            )
        if self.seen is not None:
            self.seen(node)

    def _visit_theirs(self, node: int, state: Any, last: tuple[int, ...]) -> None:
        self.children.append(len(self.parent))
        self.slot_begin.append(len(self.slots))
        player = int(state.current_player())
        if player >= 0:
            seen, menu = state.information_state_string(player), tuple(state.legal_actions())
            number = self.sets.get((last[player], seen))
            if number is None or self.menus[number] != menu:
                number = self._information_set(node, state, player, last[player], menu)
                self.rules.remember(state, player, menu)
            self.slots.append(number)
            self.turn.append(1 << player)
            base, head, tail = self.met[number][3], last[:player], last[player + 1 :]
            child = state.child
            self.frontier.extend([(child(action), (*head, base + k, *tail), ()) for k, action in enumerate(menu)])
            self.parent.extend([node] * len(menu))
            self.probability.extend([1.0] * len(menu))
        elif player == TERMINAL_PLAYER:
            self.turn.append(END)
            gains = state.returns()
            if any(gains):
                self.gain_node.append(node)
                self.gain.extend(gains)
            self._ended(node, gains)
        elif player == CHANCE_PLAYER:
            self.turn.append(NO_MOVERS)
            outcomes = state.chance_outcomes()
            if (wrong := wrong_chance(outcomes)) is not None:
                self.fail(node, wrong, ChanceError)
            child = state.child
            self.frontier.extend([(child(outcome), last, ()) for outcome, _ in outcomes])
            self.probability.extend([weight for _, weight in outcomes])
            self.parent.extend([node] * len(outcomes))
        else:
            self._joint(node, state, last)

    def _ended(self, node: int, gains: list[float]) -> None:
        both = (*gains, math.fsum(gains))
        if both not in self._ends:
            if (wrong := wrong_gains(gains, self.players)) is not None:
                self.fail(node, wrong)
            if len(self._ends) < 1 << 16:
                self._ends.add(both)
            self.lowest = tuple(map(min, self.lowest, both))
            self.highest = tuple(map(max, self.highest, both))

    def _joint(self, node: int, state: Any, last: tuple[int, ...]) -> None:
        who = simultaneous_movers(state, self.players)
        if not who:
            self.fail(node, "somebody is to move and has no action")
        menus, bases, mask, children = [], [], 0, 1
        for player in who:
            menu = tuple(state.legal_actions(player))
            known = len(self.met)
            number = self._information_set(node, state, player, last[player], menu)
            if number == known:
                self.rules.remember(state, player, menu)
            self.slots.append(number)
            menus.append(menu)
            bases.append(self.met[number][3])
            mask |= 1 << player
            if len(menus) > 1:
                self.serial_extra += children
            children *= len(menu)
        self.turn.append(mask)
        self.parent.extend([node] * children)
        self.probability.extend([1.0] * children)
        for numbers in product(*(range(len(menu)) for menu in menus)):
            following, joint = list(last), [0] * self.players
            for player, base, menu, k in zip(who, bases, menus, numbers, strict=True):
                following[player], joint[player] = base + k, menu[k]
            after = state.clone()
            after.apply_actions(joint)
            self.frontier.append((after, tuple(following), ()))
