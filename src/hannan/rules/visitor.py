"""One history of plain-Python rules: check every promise there, and number its information sets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable
from itertools import product
from typing import Any, NamedTuple, NoReturn

from hannan.errors import STRAY, ChanceError, HannanError, RulesError
from hannan.rules.observations import not_looked_up
from hannan.rules.plain import CHANCE, END, MOST_JOINT, NO_MOVERS, Rules
from hannan.rules.promises import (
    check_players,
    other_actions,
    raised,
    too_many_joint,
    wrong_chance,
    wrong_gains,
    wrong_menu,
    wrong_turn,
)

MOST_FINALS = 1 << 16

EVERY = 4096
"""The number of histories between two progress reports of a walk."""

Child = tuple[Any, tuple[int, ...], float]
"""A state, the last sequence of each player, and the probability of its chance outcome."""


class Look(NamedTuple):
    """The facts about one history."""

    gains: tuple[float, ...] | None
    """The gain of each player; None if all are 0."""
    utility: tuple[float, ...]
    """The utility of each player so far, including the gains."""
    turn: int
    """END, NO_MOVERS or the movers as bits."""
    slots: list[int]
    """The information sets of the movers."""
    children: list[Child]


class LookedRules(Rules):
    """Rules with a faster look at a history, which skips the checks that their library already makes."""

    @abstractmethod
    def look(self, visitor: Visitor, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        """Return the same facts as `visitor` about a history."""


class Visitor(ABC):
    """The records of a walk over plain-Python rules: information sets, codes, and the range of utilities."""

    def __init__(self, rules: Rules, named: bool = False) -> None:
        """named: also check that the actions of an information set have different names."""
        self.rules = rules
        self._looked = rules if isinstance(rules, LookedRules) else None
        self.named = named
        self.players = check_players(rules)
        self.sets: dict[tuple[int, Hashable], int] = {}
        self.met: list[tuple[int, int, int, int, int]] = []
        self.first: list[int] = []  # the first history of each set, in the breadth-first numbers of the walk
        self.menus: list[tuple[Hashable, ...]] = []
        self.sequence_action = array("q", [-1] * self.players)
        self.actions: dict[Hashable, int] = {}
        self.observations: dict[Hashable, int] = {}
        self.serial_extra = 0
        self.finals: set[tuple[float, ...]] = set()
        """The first `MOST_FINALS` different utilities at ends of play."""
        self.seen: Callable[[int], None] | None = None
        """Called with the number of visited histories, once per `EVERY` histories."""
        self.lowest: tuple[float, ...] = (math.inf,) * (self.players + 1)  # of each player's utility, and of their sum
        self.highest: tuple[float, ...] = (-math.inf,) * (self.players + 1)

    @abstractmethod
    def name_of(self, node: int) -> str:
        """Return the text of a history: its path of play."""

    @abstractmethod
    def make_room(self, more: int) -> None:
        """Raise an error if `more` further histories are too many, before they are made."""

    def fail(self, node: int, sentence: str, kind: type[HannanError] = RulesError) -> NoReturn:
        """Raise an error that names the path of play."""
        raise kind(f"{self.name_of(node)}: {sentence}")

    def begin(self) -> Any:
        """Return the first state of a play."""
        try:
            return self.rules.start()
        except STRAY as error:
            raise RulesError(f"node r: {raised('start()', error)}") from error

    def look(self, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        """Return the facts about a history; `node` is its number, in breadth-first order."""
        try:
            if self._looked is not None:
                return self._looked.look(self, node, state, last, utility)
            return self._look(node, state, last, utility)
        except HannanError:
            raise
        except STRAY as error:
            self.fail(node, raised("the rules", error))

    def _look(self, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        rules = self.rules
        gains = rules.gains(state)
        if (sentence := wrong_gains(gains, self.players)) is not None:
            self.fail(node, sentence)
        gained = None
        if any(gains):
            gained = tuple(map(float, gains))
            utility = tuple(map(float.__add__, utility, gained))
        turn = rules.turn(state)
        if turn == END:
            self.ended(utility)
            return Look(gained, utility, END, [], [])
        if turn == CHANCE:
            outcomes = rules.chance(state)
            if (wrong := wrong_chance(outcomes)) is not None:
                self.fail(node, wrong, ChanceError)
            below = [(rules.after(state, outcome), last, weight) for outcome, weight in outcomes]
            return Look(gained, utility, NO_MOVERS, [], below)
        mask, slots, below = self._decide(node, state, turn, last)
        return Look(gained, utility, mask, slots, below)

    def ended(self, utility: tuple[float, ...]) -> None:
        """Extend the range of utilities by those at an end of play."""
        if utility in self.finals:
            return
        if len(self.finals) < MOST_FINALS:
            self.finals.add(utility)
        both = (*utility, sum(utility))
        self.lowest = tuple(map(min, self.lowest, both))
        self.highest = tuple(map(max, self.highest, both))

    def _decide(
        self, node: int, state: Any, turn: int | tuple[int, ...], last: tuple[int, ...]
    ) -> tuple[int, list[int], list[Child]]:
        rules = self.rules
        if (sentence := wrong_turn(turn, self.players)) is not None:
            self.fail(node, sentence)
        if not isinstance(turn, tuple):
            player = int(turn)
            menu = self._menu(node, state, player)
            number = self.information_set(node, state, player, last[player], menu)
            first, head, tail, after = self.met[number][3], last[:player], last[player + 1 :], rules.after
            alone = [(after(state, action), (*head, first + k, *tail), 1.0) for k, action in enumerate(menu)]
            return 1 << player, [number], alone
        menus, bases, slots, mask = [], [], [], 0
        children = 1
        for player in turn:
            mask |= 1 << player
            menu = self._menu(node, state, player)
            number = self.information_set(node, state, player, last[player], menu)
            slots.append(number)
            menus.append(menu)
            bases.append(self.met[number][3])
            if len(menus) > 1:
                self.serial_extra += children
            children *= len(menu)
        if (sentence := too_many_joint(children)) is not None:
            self.fail(node, sentence)
        if len(menus) > 1:
            self.make_room(children)
        below = []
        for numbers in product(*(range(len(menu)) for menu in menus)):
            following = list(last)
            for player, base, k in zip(turn, bases, numbers, strict=True):
                following[player] = base + k
            moves = tuple(menu[k] for menu, k in zip(menus, numbers, strict=True))
            below.append((rules.after(state, moves), tuple(following), 1.0))
        return mask, slots, below

    def _menu(self, node: int, state: Any, player: int) -> tuple[Hashable, ...]:
        menu = tuple(self.rules.actions(state, player))
        if (not menu or len(menu) > MOST_JOINT) and (sentence := wrong_menu(player, menu)) is not None:
            self.fail(node, sentence)
        return menu

    def information_set(self, node: int, state: Any, player: int, before: int, menu: tuple[Hashable, ...]) -> int:
        """Return the number of a player's information set, given its last sequence; a new set gets the next number."""
        seen = self.rules.observe(state, player)
        key = (before, seen)
        try:
            number = self.sets.get(key)
        except STRAY as error:
            self.fail(node, not_looked_up(seen, error))
        if number is None:
            if (sentence := wrong_menu(player, menu)) is not None:
                self.fail(node, sentence)
            if self.named and len({self.rules.action_text(player, action) for action in menu}) < len(menu):
                self.fail(
                    node,
                    f"two actions of player {player} have the same name: {list(menu)}; action_text() must tell them "
                    "apart",
                )
            number = self.sets[key] = len(self.met)
            code = self.observations.setdefault(seen, len(self.observations))
            self.met.append((player, before, code, len(self.sequence_action), len(menu)))
            self.first.append(node)
            self.menus.append(menu)
            for action in menu:
                self.sequence_action.append(self.actions.setdefault(action, len(self.actions)))
        elif self.menus[number] != menu:
            self.fail(node, other_actions(player, menu, self.rules.observation_text(player, seen)))
        elif node < self.first[number]:
            self.first[number] = node
        return number
