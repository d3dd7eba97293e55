"""Check the optional methods of rules at every node that `check_game` visits."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NoReturn

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import STRAY, HannanError, RulesError
from hannan.rules.bounds import Bounds, narrowed, slack, wrong_bounds
from hannan.rules.compiled import OPTIONAL
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.promises import raised, wrong_gains
from hannan.rules.similarity import Similarity
from hannan.rules.visitor import Look
from hannan.rules.walk import PlainWalk

Fail = Callable[[str], NoReturn]
"""A function that raises an error with a sentence and the path of play."""


class Answers:
    """The answers of the optional methods so far, in plays and on the walk."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.written = tuple(name for name in OPTIONAL if rules.writes(name))
        self.length: int | None = None
        """The number of features."""
        self.groups = group_sizes(rules)
        """The sizes of the groups of features."""
        self.weights: dict[Hashable, list[float]] = {}
        """The probabilities of each group of chance nodes."""
        self.similarity = Similarity()
        self.menus: dict[Hashable, tuple[Any, ...]] = {}
        """The turn at each position, and the actions of each mover."""

    def bounds(self, state: Any, fail: Fail) -> Bounds | None:
        """Return the bounds at a state; refuse an answer of another form."""
        bounds = self.rules.bounds(state)
        if bounds is not None and (sentence := wrong_bounds(bounds, self.rules.players)) is not None:
            fail(sentence)
        return bounds

    def features(self, state: Any, player: int, fail: Fail) -> tuple[float, ...]:
        """Return the features of a player; refuse a number of features that differs from before, and non-numbers."""
        given = self.rules.features(state, player)
        try:
            features = tuple(float(feature) for feature in given or ())
        except (TypeError, ValueError, OverflowError):
            features = ()
        if not features:
            fail(f"features() returned {shown(given)} for player {player}; it should be a list of numbers")
        if not all(map(math.isfinite, features)):
            fail(f"a feature of player {player} is not a finite number: {list(features)}")
        if self.length is None:
            self.length = len(features)
            if self.groups and sum(self.groups) != self.length:
                fail(f"feature_groups name {sum(self.groups)} features, but features() returned {self.length}")
        if len(features) != self.length:
            fail(f"features() returned {len(features)} numbers for player {player}, but {self.length} elsewhere")
        return features

    def group(self, state: Any, weights: list[float], fail: Fail) -> None:
        """Compare the probabilities of a chance node with those of its group."""
        group = self.rules.chance_group(state)
        if group is None:
            return
        known = self.weights.setdefault(group, weights)
        if len(known) != len(weights) or not np.allclose(known, weights, rtol=0.0, atol=slack()):
            fail(f"chance_group() says {shown(group)}, but another node of this group has the probabilities {known}")

    def similar(self, state: Any, weights: list[float], fail: Fail) -> None:
        """Compare the probabilities of a chance node with those of its family."""
        similar = self.rules.similar(state)
        if similar is not None and (sentence := self.similarity.wrong(similar, weights)) is not None:
            fail(sentence)

    def position(self, state: Any, turn: int | tuple[int, ...], fail: Fail) -> Hashable:
        """Return the position of a state; refuse other movers or actions than at earlier states of the position."""
        position = self.rules.position(state)
        menus = tuple(tuple(self.rules.actions(state, player)) for player in movers(turn))
        try:
            known = self.menus.setdefault(position, (turn, *menus))
        except TypeError:
            fail(
                f"position() returned {shown(position)}, which cannot be looked up; return numbers and words, or a "
                "tuple"
            )
        if known != (turn, *menus):
            fail(f"position() returned {shown(position)} here and at another state with other movers or other actions")
        return position


def group_sizes(rules: Rules) -> tuple[int, ...]:
    """Return the sizes of the groups of features that the rules name, in order; empty if they name no groups."""
    named = rules.feature_groups
    try:
        sizes = tuple(size for name, size in named if type(name) is str and type(size) is int and size > 0)
        if len(sizes) == len(named):
            return sizes
    except (TypeError, ValueError):
        pass
    raise RulesError(
        f"feature_groups is {shown(named)}; it should list pairs of a name and a number of features, 1 or more"
    )


def check_play(answers: Answers, path: Sequence[int], states: Sequence[Any]) -> None:
    """Check the optional methods along a play to its end; `path` holds the numbers of its moves."""
    if not answers.written:
        return
    rules = answers.rules
    given = [rules.gains(state) for state in states]
    for k, gains in enumerate(given):
        if (sentence := wrong_gains(gains, rules.players)) is not None:
            raise RulesError(f"{node_text(rules, path[:k])}: {sentence}")
    gained = [tuple(map(float, gains)) for gains in given]
    later = [*accumulate(reversed(gained), _plus, initial=(0.0,) * rules.players)][-2::-1]  # after each state
    allowed: Bounds | None = None
    for k, state in enumerate(states):
        here = partial(node_text, rules, path[:k])
        try:
            bounds = _check_state(answers, state, later[k], here)
        except HannanError:
            raise
        except STRAY as error:
            raise RulesError(f"{here()}: {raised('the rules', error)}") from error
        allowed = narrowed(allowed, bounds, gained[k], here)


def _check_state(answers: Answers, state: Any, later: Sequence[float], here: Callable[[], str]) -> Bounds | None:
    """Check the optional methods at one state of a play, after which the players gain `later`; return the bounds."""

    def fail(sentence: str) -> NoReturn:
        raise RulesError(f"{here()}: {sentence}")

    written, turn = answers.written, answers.rules.turn(state)
    if "features" in written:
        for player in movers(turn):
            answers.features(state, player, fail)
    if "chance_group" in written and turn == CHANCE:
        answers.group(state, [weight for _, weight in answers.rules.chance(state)], fail)
    if "similar" in written and turn == CHANCE:
        answers.similar(state, [weight for _, weight in answers.rules.chance(state)], fail)
    if "position" in written:
        answers.position(state, turn, fail)
    bounds = answers.bounds(state, fail) if "bounds" in written else None
    for player, (low, high) in enumerate(bounds or ()):
        if (gain := _outside(low, high, later[player], later[player])) is not None:
            fail(_beyond(player, low, high, gain))
    return bounds


class OptionalWalk(PlainWalk):
    """A walk that also checks the optional methods."""

    def __init__(self, rules: Rules, answers: Answers) -> None:
        super().__init__(rules, named=True)
        self.answers = answers
        self.bounds: list[Bounds | None] = []
        self.features: dict[int, tuple[float, ...]] = {}  # of each information set
        self.positions: dict[Hashable, int] = {}
        self.position: list[int] = []  # of each node

    def visit(self, node: int, state: Any, last: tuple[int, ...], utility: tuple[float, ...]) -> Look:
        look = super().visit(node, state, last, utility)
        try:
            self._ask(node, state)
        except HannanError:
            raise
        except STRAY as error:
            self.fail(node, raised("the rules", error))
        return look

    def _ask(self, node: int, state: Any) -> None:
        answers, written = self.answers, self.answers.written

        def fail(sentence: str) -> NoReturn:
            self.fail(node, sentence)

        turn = self.rules.turn(state) if written else END
        if "bounds" in written:
            self.bounds.append(answers.bounds(state, fail))
        if "features" in written:
            for number, player in zip(self.slots[self.slot_begin[node] :], movers(turn), strict=True):
                features = answers.features(state, player, fail)
                if self.features.setdefault(number, features) != features:
                    fail(f"features() tells player {player} more than it knows: they differ in its information set")
        if "chance_group" in written and turn == CHANCE:
            answers.group(state, self.probability[self.children[node] :].tolist(), fail)
        if "similar" in written and turn == CHANCE:
            answers.similar(state, self.probability[self.children[node] :].tolist(), fail)
        if "position" in written:
            position = answers.position(state, turn, fail)
            self.position.append(self.positions.setdefault(position, len(self.positions)))

    def conclude(self) -> None:
        """Check the bounds and positions, which needs all nodes below a node."""
        if "bounds" in self.answers.written:
            _check_bounds(self)
        if "position" in self.answers.written:
            _check_positions(self)


def _check_bounds(walk: OptionalWalk) -> None:
    """Compare the bounds of each node with the ends of play below it, and with the bounds of its parent."""
    visited, players = len(walk.turn), walk.players
    gain = _gains(walk)
    parent = np.frombuffer(walk.parent, np.int32)
    least, most = np.full((visited, players), np.inf), np.full((visited, players), -np.inf)
    ends = np.frombuffer(walk.turn, np.int16) == END
    least[ends] = most[ends] = 0.0
    for node in range(visited - 1, 0, -1):
        above = parent[node]
        least[above] = np.minimum(least[above], gain[node] + least[node])
        most[above] = np.maximum(most[above], gain[node] + most[node])
    allowed: list[Bounds | None] = []
    for node, bounds in enumerate(walk.bounds):
        for player, (low, high) in enumerate(bounds or ()):
            if least[node, player] <= most[node, player]:
                beyond = _outside(low, high, float(least[node, player]), float(most[node, player]))
                if beyond is not None:
                    walk.fail(node, _beyond(player, low, high, beyond))
        above = allowed[parent[node]] if node else None
        allowed.append(narrowed(above, bounds, gain[node].tolist(), partial(walk.name_of, node)))


def _check_positions(walk: OptionalWalk) -> None:
    """Compare each node, and all nodes below it, with the first node of its position."""
    gain, weight = _gains(walk), np.frombuffer(walk.probability, np.float64)
    visited = len(walk.turn)
    first: dict[int, int] = {}
    for node in range(visited):
        todo = [(first.setdefault(walk.position[node], node), node)]
        while todo:
            one, other = todo.pop()
            if one == other or max(one, other) >= visited:
                continue
            (begin, count), (start, many) = (_children(walk, place) for place in (one, other))
            if count != many or walk.turn[one] != walk.turn[other]:
                _differ(walk, node, first)
            seen = max(0, min(count, visited - max(begin, start)))
            mine, yours = slice(begin, begin + seen), slice(start, start + seen)
            scale = slack(*gain[mine].flat, *gain[yours].flat)
            if not np.allclose(gain[mine], gain[yours], rtol=0.0, atol=scale) or not np.allclose(
                weight[begin : begin + count], weight[start : start + count], rtol=0.0, atol=slack()
            ):
                _differ(walk, node, first)
            # children of one position are compared when it is their turn
            todo += [
                (begin + k, start + k) for k in range(seen) if walk.position[begin + k] != walk.position[start + k]
            ]


def _differ(walk: OptionalWalk, node: int, first: dict[int, int]) -> NoReturn:
    position = next(key for key, number in walk.positions.items() if number == walk.position[node])
    other = walk.name_of(first[walk.position[node]])
    walk.fail(
        node,
        f"position() returned {shown(position)} here and at {other}, where play goes on in another way or gains "
        "something else",
    )


def _children(walk: PlainWalk, node: int) -> tuple[int, int]:
    """Return the first child of a visited node, and the number of its children."""
    begin = walk.children[node]
    end = walk.children[node + 1] if node + 1 < len(walk.children) else len(walk.parent)
    return begin, end - begin


def _gains(walk: PlainWalk) -> Floats:
    """Return the gain of each player at each visited node, [nodes, players]."""
    gain = np.zeros((len(walk.turn), walk.players))
    gain[np.array(walk.gain_node, np.int64)] = np.array(walk.gain).reshape(-1, walk.players)
    return gain


def _plus(one: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(map(float.__add__, one, other))


def _outside(low: float, high: float, least: float, most: float) -> float | None:
    """Return a gain outside of the bounds, `least` or `most`; None if the bounds contain both."""
    if least < low - slack(low, least):
        return least
    return most if most > high + slack(high, most) else None


def _beyond(player: int, low: float, high: float, gain: float) -> str:
    return f"bounds() says that player {player} gains {low:g} to {high:g} from here on; a later play gains {gain:g}"
