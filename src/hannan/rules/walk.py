"""The walk over every history of plain-Python rules, level by level, with every promise checked on the way."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Hashable
from itertools import product
from typing import Any, NoReturn

from hannan.errors import ChanceError, HannanError, RulesError, SizeError
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, MOST_JOINT, NO_MOVERS, Rules, movers
from hannan.rules.promises import (
    STRAY,
    check_players,
    other_actions,
    repeated_action,
    told,
    wrong_chance,
    wrong_gains,
    wrong_turn,
)

EVERY = 4096
"""Histories from one report of a walk to the next."""


class PlainWalk:
    """A walk in progress: the arrays of the levels that are done, and the states of the next one."""

    def __init__(self, rules: Rules, named: bool = False) -> None:
        """`named` asks for the names of actions too: those of one information set must differ."""
        self.rules = rules
        self.named = named
        self.players = check_players(rules)
        self.parent = array("i", [-1])  # the root has none
        self.children = array("i")
        self.turn = array("h")
        self.slot_begin = array("i")
        self.slots = array("i")
        self.probability = array("d", [1.0])
        self.gain_node = array("i")
        self.gain = array("d")
        self.depth_begin = [0, 1]
        self.sets: dict[tuple[int, Hashable], int] = {}
        self.met: list[tuple[int, int, int, int, int, int]] = []
        self.menus: list[tuple[Hashable, ...]] = []
        self.sequence_action = array("q", [-1] * self.players)
        self.actions: dict[Hashable, int] = {}
        self.observations: dict[Hashable, int] = {}
        self.serial_extra = 0
        self._most = 0
        self.seen: Callable[[int], None] | None = None
        """Called with the number of histories visited so far, every `EVERY` of them."""
        self.lowest: tuple[float, ...] = (math.inf,) * (self.players + 1)  # of each player's utility, and of their sum
        self.highest: tuple[float, ...] = (-math.inf,) * (self.players + 1)
        try:
            begin = rules.start()
        except STRAY as error:
            raise RulesError(f"node r: start() raised {told(error)}") from error
        # state, last sequence of each player, utility so far
        self.frontier: list[tuple[Any, tuple[int, ...], tuple[float, ...]]] = [
            (begin, tuple(range(self.players)), (0.0,) * self.players)
        ]

    @property
    def depth(self) -> int:
        """How many levels are done."""
        return len(self.depth_begin) - 2

    @property
    def first_of_level(self) -> int:
        """The number of the first node of the level that comes next."""
        return self.depth_begin[-2]

    def fail(self, node: int, sentence: str, kind: type[HannanError] = RulesError) -> NoReturn:
        """Raise an error that names the path of play."""
        raise kind(f"{self.name_of(node)}: {sentence}")

    def name_of(self, node: int) -> str:
        """Name a node by its path of play."""
        path = []
        while node > 0:
            above = self.parent[node]
            path.append(node - self.children[above])
            node = above
        return node_text(self.rules, path[::-1])

    def level(self, most: int) -> None:
        """Visit every node of the next level."""
        frontier, self.frontier = self.frontier, []
        first = self.first_of_level
        for k, (state, last, utility) in enumerate(frontier):
            self._most = most
            self._check_size(0)
            if self.seen is not None and (first + k) % EVERY == 0:
                self.seen(first + k)
            try:
                self._visit(first + k, state, last, utility)
            except HannanError:
                raise
            except STRAY as error:
                self.fail(first + k, f"the rules raised {told(error)}")
        self.depth_begin.append(len(self.parent))

    def _check_size(self, more: int) -> None:
        """Refuse more histories than there may be, before they are written out."""
        if len(self.parent) + more > self._most:
            raise SizeError(
                f"{self.rules.name or type(self.rules).__name__} has more than {self._most:,} histories, which is more "
                "than fits into the memory that is free; choose smaller parameters, or a method that plays the rules "
                "directly"
            )

    def _visit(self, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> None:
        rules, players = self.rules, self.players
        gains = rules.gains(state)
        if (sentence := wrong_gains(gains, players)) is not None:
            self.fail(node, sentence)
        if any(gains):
            self.gain_node.append(node)
            self.gain.extend(gains)
            utility = tuple(map(float.__add__, utility, map(float, gains)))
        self.children.append(len(self.parent))
        self.slot_begin.append(len(self.slots))
        turn = rules.turn(state)
        if turn == END:
            self.turn.append(END)
            both = (*utility, sum(utility))
            self.lowest = tuple(map(min, self.lowest, both))
            self.highest = tuple(map(max, self.highest, both))
        elif turn == CHANCE:
            self.turn.append(NO_MOVERS)
            outcomes = rules.chance(state)
            if (wrong := wrong_chance(outcomes)) is not None:
                self.fail(node, wrong, ChanceError)
            for outcome, weight in outcomes:
                self.frontier.append((rules.after(state, outcome), last, utility))
                self.probability.append(weight)
            self.parent.extend([node] * len(outcomes))
        else:
            self._decide(node, state, turn, last, utility)

    def _decide(
        self,
        node: int,
        state: Any,
        turn: int | tuple[int, ...],
        last: tuple[int, ...],
        utility: tuple[float, ...],
    ) -> None:
        rules = self.rules
        if (sentence := wrong_turn(turn, self.players)) is not None:
            self.fail(node, sentence)
        who = movers(turn)
        menus, bases, mask = [], [], 0
        children = 1
        for player in who:
            mask |= 1 << player
            menu = tuple(rules.actions(state, player))
            if not menu:
                self.fail(node, f"player {player} is to move and has no action")
            number = self._information_set(node, state, player, last[player], menu)
            self.slots.append(number)
            menus.append(menu)
            bases.append(self.met[number][3])
            if len(menus) > 1:
                self.serial_extra += children
            children *= len(menu)
        if children > MOST_JOINT:
            self.fail(node, f"there are {children:,} joint moves; at most {MOST_JOINT:,} can be numbered")
        if len(menus) > 1:
            self._check_size(children)
        self.turn.append(mask)
        self.parent.extend([node] * children)
        self.probability.extend([1.0] * children)
        if len(who) == 1:
            player, base = who[0], bases[0]
            head, tail = last[:player], last[player + 1 :]
            for k, action in enumerate(menus[0]):
                move = (action,) if isinstance(turn, tuple) else action
                self.frontier.append((rules.after(state, move), (*head, base + k, *tail), utility))
            return
        for numbers in product(*(range(len(menu)) for menu in menus)):
            following = list(last)
            for player, base, k in zip(who, bases, numbers, strict=True):
                following[player] = base + k
            joint = tuple(menu[k] for menu, k in zip(menus, numbers, strict=True))
            self.frontier.append((rules.after(state, joint), tuple(following), utility))

    def _information_set(self, node: int, state: Any, player: int, before: int, menu: tuple[Hashable, ...]) -> int:
        seen = self.rules.observe(state, player)
        key = (before, seen)
        number = self.sets.get(key)
        if number is None:
            if (sentence := repeated_action(player, menu)) is not None:
                self.fail(node, sentence)
            if self.named and len({self.rules.action_text(player, action) for action in menu}) < len(menu):
                self.fail(
                    node,
                    f"two actions of player {player} have the same name: {list(menu)}; action_text() must tell them "
                    "apart",
                )
            number = self.sets[key] = len(self.met)
            code = self.observations.setdefault(seen, len(self.observations))
            self.met.append((player, before, code, len(self.sequence_action), len(menu), node))
            self.menus.append(menu)
            for action in menu:
                self.sequence_action.append(self.actions.setdefault(action, len(self.actions)))
        elif self.menus[number] != menu:
            self.fail(node, other_actions(self.rules, player, seen, menu, self.menus[number]))
        return number
