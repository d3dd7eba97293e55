"""The walk over every history of a game of OpenSpiel's, with few calls a history."""

from __future__ import annotations

from itertools import product
from typing import Any

from hannan.errors import ChanceError, HannanError, SizeError
from hannan.rules.plain import END, NO_MOVERS
from hannan.rules.promises import told, wrong_chance, wrong_gains
from hannan.rules.walk import EVERY, PlainWalk

TERMINAL_PLAYER, CHANCE_PLAYER = -4, -1
"""OpenSpiel's numbers of who acts."""


_ONES = (1.0,) * 64


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
        decide = self._decide_theirs
        children, slot_begin, parent, slots = self.children.append, self.slot_begin.append, self.parent, self.slots
        turn, gain_node, gain, ends = self.turn.append, self.gain_node.append, self.gain.extend, self._ends
        try:
            for state, last, _ in frontier:
                if not (node - first) % EVERY:
                    self._report(node, most)
                children(len(parent))
                slot_begin(len(slots))
                player = int(state.current_player())
                if player >= 0:
                    decide(node, state, player, last)
                elif player == TERMINAL_PLAYER:
                    turn(END)
                    gains = tuple(state.returns())
                    if any(gains):
                        gain_node(node)
                        gain(gains)
                    if gains not in ends:
                        self._ended(node, gains)
                elif player == CHANCE_PLAYER:
                    self._draw_theirs(node, state, last)
                else:
                    self._joint(node, state, last)
                node += 1
        except HannanError:
            raise
        except Exception as error:
            self.fail(node, f"OpenSpiel raised {told(error)}")
        if len(parent) > most:
            self._report(node, most)
        self.depth_begin.append(len(parent))

    def _report(self, node: int, most: int) -> None:
        if len(self.parent) > most:
            raise SizeError(
                f"{self.rules.name} has more than {most:,} histories, which is more than fits into the memory that is "
                "free; choose smaller parameters, or a method that plays the rules directly"
            )
        if self.seen is not None:
            self.seen(node)

    def _decide_theirs(self, node: int, state: Any, player: int, last: tuple[int, ...]) -> None:
        menu, before = tuple(state.legal_actions()), last[player]
        number = self.sets.get((before, state.information_state_string(player)))
        if number is None or self.menus[number] != menu:
            number = self._information_set(node, state, player, before, menu)
            self.rules.remember(state, player, menu)
        self.slots.append(number)
        self.turn.append(1 << player)
        sequence, child, many = self.met[number][3], state.child, len(menu)
        head, tail = last[:player], last[player + 1 :]
        for action in menu:
            self.frontier.append((child(action), (*head, sequence, *tail), ()))
            sequence += 1
        self.parent.extend([node] * many)
        self.probability.extend(_ONES[:many] if many <= len(_ONES) else [1.0] * many)

    def _draw_theirs(self, node: int, state: Any, last: tuple[int, ...]) -> None:
        self.turn.append(NO_MOVERS)
        outcomes = state.chance_outcomes()
        if (wrong := wrong_chance(outcomes)) is not None:
            self.fail(node, wrong, ChanceError)
        self.frontier.extend([(state.child(outcome), last, ()) for outcome, _ in outcomes])
        self.probability.extend([weight for _, weight in outcomes])
        self.parent.extend([node] * len(outcomes))

    def _ended(self, node: int, gains: tuple[float, ...]) -> None:
        """Check gains that were not met before, and widen the range of utilities by them."""
        if (wrong := wrong_gains(gains, self.players)) is not None:
            self.fail(node, wrong)
        if len(self._ends) < 1 << 16:
            self._ends.add(gains)
        both = (*gains, sum(gains))
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
