"""The walk over every history of plain-Python rules, level by level, with every promise checked on the way."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any, NoReturn

import numpy as np

from hannan.errors import ChanceError, HannanError, RulesError, SizeError
from hannan.forms.tree import CHANCE_TURN, NO_PARENT, TERMINAL, GameTree, Labels, path_text
from hannan.forms.treeplex import MetSets, number
from hannan.rules.plain import CHANCE, END, MOST_GAIN, MOST_PLAYERS, Rules, movers


def expand_plain(rules: Rules, most: int, most_depth: int) -> GameTree:
    """Write out every history of plain-Python rules; refuse more than `most` of them."""
    walk = PlainWalk(rules)
    while walk.frontier:
        if walk.depth >= most_depth:
            walk.fail(walk.first_of_level, f"play has not ended after {most_depth} moves")
        walk.level(most)
    return walk.finish()


class PlainWalk:
    """A walk in progress: the arrays of the levels that are done, and the states of the next one."""

    def __init__(self, rules: Rules, named: bool = False) -> None:
        """`named` asks for the names of actions too: those of one information set must differ."""
        self.rules = rules
        self.named = named
        self.players = check_players(rules)
        self.parent = array("i", [NO_PARENT])
        self.children = array("i")
        self.turn = array("h")
        self.slot_begin = array("i")
        self.slots = array("i")
        self.probability = array("d", [1.0])
        self.gain_node = array("i")
        self.gain = array("d")
        self.depth_begin = [0, 1]
        self.sets: dict[tuple[int, Hashable], int] = {}
        self.found: list[tuple[int, int, int, int, int, int]] = []
        self.menus: list[tuple[Hashable, ...]] = []
        self.sequence_action = array("q", [-1] * self.players)
        self.actions: dict[Hashable, int] = {}
        self.observations: dict[Hashable, int] = {}
        self.serial_extra = 0
        self.lowest: tuple[float, ...] = (math.inf,) * (self.players + 1)  # of each player's utility, and of their sum
        self.highest: tuple[float, ...] = (-math.inf,) * (self.players + 1)
        try:
            begin = rules.start()
        except Exception as error:
            raise RulesError(f"node r: start() raised {_told(error)}") from error
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
        path = []
        while node > 0:
            above = self.parent[node]
            path.append(node - self.children[above])
            node = above
        raise kind(f"{node_text(self.rules, path[::-1])}: {sentence}")

    def level(self, most: int) -> None:
        """Visit every node of the next level."""
        frontier, self.frontier = self.frontier, []
        first = self.first_of_level
        for k, (state, last, utility) in enumerate(frontier):
            if len(self.parent) > most:
                raise SizeError(
                    f"{self.rules.name or type(self.rules).__name__} has more than {most:,} histories, which is more "
                    "than fits into the memory that is free; choose smaller parameters, or a method that plays the "
                    "rules directly"
                )
            try:
                self._visit(first + k, state, last, utility)
            except HannanError:
                raise
            except Exception as error:
                self.fail(first + k, f"the rules raised {_told(error)}")
        self.depth_begin.append(len(self.parent))

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
            self.turn.append(TERMINAL)
            both = (*utility, sum(utility))
            self.lowest = tuple(map(min, self.lowest, both))
            self.highest = tuple(map(max, self.highest, both))
        elif turn == CHANCE:
            self.turn.append(CHANCE_TURN)
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
            bases.append(self.found[number][3])
            if len(menus) > 1:
                self.serial_extra += children
            children *= len(menu)
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
            number = self.sets[key] = len(self.found)
            code = self.observations.setdefault(seen, len(self.observations))
            self.found.append((player, before, code, len(self.sequence_action), len(menu), node))
            self.menus.append(menu)
            for action in menu:
                self.sequence_action.append(self.actions.setdefault(action, len(self.actions)))
        elif self.menus[number] != menu:
            self.fail(node, other_actions(self.rules, player, seen, menu, self.menus[number]))
        return number

    def finish(self) -> GameTree:
        """Number the sets and freeze the arrays."""
        from hannan.forms.survey import constant_sum

        nodes = len(self.parent)
        span = np.array([self.lowest, self.highest])
        player, parent, observation, base, size, node = np.array(self.found, np.int64).reshape(-1, 6).T.copy()
        action = np.frombuffer(self.sequence_action, np.int64).copy()
        found = MetSets(player, parent, observation, base, size, node, action)
        treeplexes, renumbered = number(found, self.players)
        slots = np.frombuffer(self.slots, np.int32) if self.slots else np.zeros(0, np.int32)
        gain = np.frombuffer(self.gain, np.float64) if self.gain else np.zeros(0)
        return GameTree(
            rules=self.rules,
            players=self.players,
            parent=np.array(self.parent, np.int32),
            children=np.array([*self.children, nodes], np.int32),
            turn=np.array(self.turn, np.int16),
            slot_begin=np.array([*self.slot_begin, len(slots)], np.int32),
            slots=renumbered[slots],
            probability=np.array(self.probability),
            gain_node=np.array(self.gain_node, np.int32),
            gain=gain.reshape(-1, self.players).copy(),
            depth_begin=np.array(self.depth_begin[:-1], np.int32),
            treeplexes=treeplexes,
            lowest=span[0, :-1],
            highest=span[1, :-1],
            total=constant_sum(span),
            serialised=nodes + self.serial_extra,
            labels=Labels(tuple(self.actions), tuple(self.observations)),
        )


def node_text(rules: Rules, path: Sequence[int]) -> str:
    """Name a history for an error, cut where it is long; by numbers of moves if the rules cannot be played again."""
    try:
        text = path_text(rules, path[:12])
    except Exception:
        text = ":".join(["r", *map(str, path[:12])])
    return f"node {text} …" if len(path) > 12 else f"node {text}"


def wrong_turn(turn: object, players: int) -> str | None:
    """Say what is wrong with what `Rules.turn` returned; None where nothing is."""
    who = turn if isinstance(turn, tuple) else (turn,)
    whole = all(isinstance(player, int | np.integer) and not isinstance(player, bool) for player in who)
    if whole and turn in (END, CHANCE):
        return None
    if not who or not whole or list(who) != sorted(set(who)) or not 0 <= who[0] <= who[-1] < players:
        return (
            f"turn() returned {turn!r}; it may be END, CHANCE, a player below {players}, or a tuple of such players, "
            "ascending"
        )
    return None


def wrong_gains(gains: Any, players: int) -> str | None:
    """Say what is wrong with what `Rules.gains` returned; None where nothing is."""
    try:
        if len(gains) != players:
            return f"gains() returned {len(gains)} numbers for {players} players"
        if not all(map(math.isfinite, gains)):
            return f"a gain is not a finite number: {list(gains)}"
        if any(gains) and any(abs(gain) > MOST_GAIN for gain in gains):
            return f"a gain is larger than {MOST_GAIN:g}: {list(gains)}; measure it in larger units"
    except (TypeError, ValueError, OverflowError):
        return f"gains() returned {_short(gains)}; it should be a list of numbers, one for each player"
    return None


def wrong_chance(outcomes: Any) -> str | None:
    """Say what is wrong with what `Rules.chance` returned; None where nothing is."""
    try:
        weights = [weight for _, weight in outcomes]
        if not weights:
            return "chance is to move and has no outcome"
        if any(not weight >= 0 for weight in weights):
            return f"a probability is negative or not a number: {weights}"
        if abs(math.fsum(weights) - 1) > 1e-9:
            return f"probabilities sum to {math.fsum(weights):.12g}, not 1"
        if len({outcome for outcome, _ in outcomes}) < len(outcomes):
            return "an outcome of chance is listed twice"
    except (TypeError, ValueError, OverflowError):
        return f"chance() returned {_short(outcomes)}; it should be a list of pairs (outcome, probability)"
    return None


def repeated_action(player: int, menu: tuple[Hashable, ...]) -> str | None:
    """Say that what `Rules.actions` returned holds an action twice; None where it does not."""
    if len(set(menu)) < len(menu):
        return f"an action of player {player} is listed twice: {list(menu)}"
    return None


def other_actions(
    rules: Rules, player: int, seen: Hashable, menu: tuple[Hashable, ...], known: tuple[Hashable, ...]
) -> str:
    """Say that the actions are not those that are known of the information set."""
    return (
        f"player {player} may do {list(menu)}, but {list(known)} at another history of the same information set "
        f"(observation {rules.observation_text(player, seen)!r}); observe() must tell them apart, or actions() must "
        "agree"
    )


def check_players(rules: Rules) -> int:
    """Return the number of players, or refuse it."""
    players = getattr(rules, "players", None)
    if isinstance(players, bool) or not isinstance(players, int) or not 1 <= players <= MOST_PLAYERS:
        raise RulesError(f"{type(rules).__name__}.players is {players!r}; it should be 1 to {MOST_PLAYERS}")
    return players


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _short(value: object, most: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]} …"
