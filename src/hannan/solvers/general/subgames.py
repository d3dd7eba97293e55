"""The subgames of a tree, and subgame-perfect equilibria from the last subgames to the whole game.

R. Selten (1965), Spieltheoretische Behandlung eines Oligopolmodells mit Nachfrageträgheit. A node begins a subgame if
every information set with a node below it lies wholly below it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hannan.errors import UnsuitableError
from hannan.forms.exacttree import CHANCE, END, ExactTree, exact_tree
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import Loadable, load_expanded
from hannan.interrupts import go_on
from hannan.rules.exact import ExactRules
from hannan.rules.plain import CHANCE as CHANCE_TURN
from hannan.rules.plain import END as END_TURN
from hannan.solvers.exact.normalform import normal_form, taken
from hannan.solvers.general.behaviour import Behaviour
from hannan.solvers.general.point import Ending, Fractions, Point, Points
from hannan.solvers.general.pure import pure
from hannan.solvers.general.zerosum import optimal_plans

Solver = Callable[[ExpandedGame], Points]
"""A method for Nash equilibria of a game without smaller subgames: a tree method, or a wrapped normal-form one."""


@dataclass(frozen=True)
class Subgame:
    """A subgame: nodes `root` to `end` − 1 of a tree of fractions, which is in depth-first order."""

    root: int
    end: int


def subgames(tree: ExactTree) -> tuple[Subgame, ...]:
    """Return all subgames, each after those that lie within it. The last is the whole game."""
    ends = list(range(1, len(tree.nodes) + 1))
    lowest, highest = list(range(len(tree.nodes))), list(range(len(tree.nodes)))  # nodes of sets below
    for sets in tree.members:
        for members in sets:
            for node in members:
                lowest[node], highest[node] = members[0], members[-1]
    found = []
    for number in reversed(range(len(tree.nodes))):
        for child in tree.nodes[number].children:
            ends[number] = max(ends[number], ends[child])
            lowest[number], highest[number] = min(lowest[number], lowest[child]), max(highest[number], highest[child])
        if tree.nodes[number].mover != END and lowest[number] >= number and highest[number] < ends[number]:
            found.append(Subgame(number, ends[number]))
    return tuple(found)


def subgame_gains(behaviour: Behaviour, subgame: Subgame) -> tuple[Fraction, ...]:
    """Return the gain of each player's best deviation in a subgame, once it is reached."""
    tree = behaviour.tree
    reach: dict[int, list[Any]] = {subgame.root: [Fraction(1)] * (tree.players + 1)}  # of each player, then of chance
    gradients: list[dict[int, Fraction]] = [{} for _ in range(tree.players)]
    below: list[set[int]] = [set() for _ in range(tree.players)]
    for number in range(subgame.root, subgame.end):
        node, here = tree.nodes[number], reach[number]
        for player in range(tree.players):
            weight = node.gains[player]
            for q, part in enumerate(here):
                if q != player:
                    weight *= part
            gradients[player][node.last[player]] = gradients[player].get(node.last[player], Fraction(0)) + weight
        who = tree.players if node.mover == CHANCE else node.mover
        if node.mover >= 0:
            below[node.mover].add(node.set)
        for odd, child in zip(behaviour.odds(number) if node.children else (), node.children, strict=True):
            reach[child] = [part * odd if q == who else part for q, part in enumerate(here)]
    gains = []
    for player, (values, sets) in enumerate(zip(gradients, below, strict=True)):
        plex = tree.game.form.treeplexes[player]
        for j in sorted(sets, reverse=True):
            best = max(values[k] for k in range(int(plex.begin[j]), int(plex.begin[j + 1])))
            values[int(plex.parent[j])] = values.get(int(plex.parent[j]), Fraction(0)) + best
        start = tree.nodes[subgame.root].last[player]
        gains.append(values[start] - behaviour.values[subgame.root][player])
    return tuple(gains)


def subgame_perfect(game: Loadable, solver: Solver | None = None) -> Points:
    """Find subgame-perfect equilibria: solve the smallest subgames, replace each by its payoffs, continue upwards.

    `solver` finds equilibria of one game without smaller subgames in which two players or more choose. Default: an
    optimal pair of plans in two-player zero-sum games, pure equilibria elsewhere. If one player chooses, all of its
    best plans are taken. Every combination of the equilibria of the subgames is yielded, as behaviour at all sets.
    """
    tree = exact_tree(load_expanded(game))
    work = _Bottom(tree, solver or _simple, subgames(tree))
    for behaviour in work.combined():
        strategies = work.finished(behaviour)
        reach = Behaviour(tree, strategies).reach
        floats = tuple(np.array([float(x) for x in part]) for part in reach)
        yield Point(floats, "sequences", fractions=reach if work.exact else None, behaviour=strategies)
    return Ending(work.complete, work.why)


Choices = dict[tuple[int, int], tuple[Fraction, ...]]
"""The behaviour at a set: (player, set) → a probability for each action."""


class _Bottom:
    """The walk from the smallest subgames to the whole game."""

    def __init__(self, tree: ExactTree, solver: Solver, parts: tuple[Subgame, ...]) -> None:
        self.tree, self.solver, self.parts = tree, solver, parts
        self.complete, self.exact = True, True
        self.why = "every subgame has finitely many equilibria, and all of them were found"
        self._known: dict[Hashable, list[tuple[Choices, tuple[Fraction, ...]]]] = {}

    def combined(self) -> Generator[Choices, None, None]:
        """Yield the behaviour of all players, for every combination of the subgames' equilibria."""
        if not self.parts:
            yield {}
            return
        chosen: list[Choices] = []  # [parts]
        paid: dict[int, tuple[Fraction, ...]] = {}
        open_lists = [iter(self._equilibria(self.parts[0], paid))]
        while open_lists:
            go_on()
            place = len(open_lists) - 1
            del chosen[place:]
            paid.pop(self.parts[place].root, None)
            following = next(open_lists[-1], None)
            if following is None:
                open_lists.pop()
                continue
            chosen.append(following[0])
            paid[self.parts[place].root] = following[1]
            if place + 1 < len(self.parts):
                open_lists.append(iter(self._equilibria(self.parts[place + 1], paid)))
            else:
                yield {key: choice for one in chosen for key, choice in one.items()}

    def _equilibria(
        self, part: Subgame, paid: dict[int, tuple[Fraction, ...]]
    ) -> list[tuple[Choices, tuple[Fraction, ...]]]:
        """Return the equilibria of a subgame in which smaller ones are replaced by their payoffs."""
        within = {root: pays for root, pays in paid.items() if part.root < root < part.end}
        key = (part, tuple(sorted(within.items())))
        if key not in self._known:
            rules = PartRules(self.tree, part.root, within)
            game = PlayedGame(rules).expanded()
            choosers = sum(plex.sequences > 1 for plex in game.form.treeplexes)
            points, found = (self.solver if choosers > 1 else _simple)(game), list[Choices]()
            while True:
                try:
                    point = next(points)
                except StopIteration as end:
                    self._note(end.value, found, part)
                    break
                found.append(_chosen(rules, game, point))
                self._judge(point)
            self._known[key] = [(choices, _pays(rules, choices)) for choices in found]
        return self._known[key]

    def _judge(self, point: Point) -> None:
        if point.fractions is None and point.behaviour is None:
            self.exact = False
        if point.isolated is not True and self.complete:
            self.complete = False
            self.why = "an equilibrium of a subgame may not be isolated, and others near it may change play above"

    def _note(self, ending: Ending | None, found: list[Choices], part: Subgame) -> None:
        """Note why the list of one subgame need not be complete."""
        if self.complete and (ending is None or not ending.complete):
            self.complete = False
            self.why = "the solver of a subgame need not find all of its equilibria" + (
                "" if ending is None else f": {ending.why}"
            )
        if not found:
            where = "the whole game" if part.root == 0 else f"the subgame at node {part.root}"
            self.why = f"the solver found no equilibrium of {where}"

    def finished(self, chosen: Choices) -> Fractions:
        """Return behaviour at all sets; uniform at a set without behaviour in any equilibrium."""
        strategies = []
        for player, plex in enumerate(self.tree.game.form.treeplexes):
            strategy = [Fraction(1)]
            for j, size in enumerate(plex.sizes.tolist()):
                strategy += chosen.get((player, j), (Fraction(1, size),) * size)
            strategies.append(tuple(strategy))
        return tuple(strategies)


class PartRules(ExactRules):
    """A part of a tree of fractions as rules: from one node down to the nodes whose payoffs are given."""

    observations_name_sets = True

    def __init__(self, tree: ExactTree, root: int = 0, paid: dict[int, tuple[Fraction, ...]] | None = None) -> None:
        self.tree, self.root, self.paid = tree, root, paid or {}
        self.players = tree.players
        self.name = tree.game.address if root == 0 and not paid else f"{tree.game.address}, part at node {root}"

    def start(self) -> int:
        return self.root

    def turn(self, state: int) -> int:
        mover = self.tree.nodes[state].mover
        if state in self.paid or mover == END:
            return END_TURN
        return CHANCE_TURN if mover == CHANCE else mover

    def actions(self, state: int, player: int) -> Sequence[int]:
        return range(len(self.tree.nodes[state].children))

    def chance(self, state: int) -> Sequence[tuple[int, float]]:
        return [(k, float(odd)) for k, odd in enumerate(self.tree.nodes[state].odds)]

    def after(self, state: int, move: int) -> int:
        return self.tree.nodes[state].children[move]

    def observe(self, state: int, player: int) -> int:
        return self.tree.nodes[state].set

    def gains(self, state: int) -> Sequence[float]:
        return tuple(map(float, self.exact_gains(state)))

    def exact_gains(self, state: int) -> Sequence[Fraction]:
        return self.paid.get(state, self.tree.nodes[state].gains)

    def exact_odds(self, state: int) -> Sequence[Fraction]:
        return self.tree.nodes[state].odds


def _chosen(rules: PartRules, game: ExpandedGame, point: Point) -> Choices:
    """Return a point of a part of the tree as choices at sets of the tree; uniform off its player's own path."""
    choices: Choices = {}
    numbers: Any = point.behaviour or point.fractions
    exact = numbers is not None
    if numbers is None:
        numbers = [[Fraction(x) for x in strategy.tolist()] for strategy in point.strategies]
    if point.space == "plans" and point.behaviour is None:
        form = normal_form(game)
        numbers = [
            [sum((w for w, on in zip(mix, column, strict=True) if on), Fraction(0)) for column in taken(plex, plans).T]
            for plex, plans, mix in zip(game.form.treeplexes, form.plans, numbers, strict=True)
        ]
    labels = game.labels
    for player, (plex, strategy) in enumerate(zip(game.form.treeplexes, numbers, strict=True)):
        for j in range(plex.sets):
            part = list(strategy[int(plex.begin[j]) : int(plex.begin[j + 1])])
            total = sum(part, Fraction(0)) if not exact or point.behaviour is None else Fraction(1)
            size = len(part)
            code = int(plex.observation[j])
            number = code if labels is None else labels.observations[code]
            choices[player, number] = (  # type: ignore[index]
                tuple(max(x, Fraction(0)) / total for x in part) if total > 0 else (Fraction(1, size),) * size
            )
    return choices


def _pays(rules: PartRules, choices: Choices) -> tuple[Fraction, ...]:
    """Return the payoffs of play by these choices, from the root of the part on."""

    def below(state: int) -> tuple[Fraction, ...]:
        total, turn = list(rules.exact_gains(state)), rules.turn(state)
        if turn != END_TURN:
            node = rules.tree.nodes[state]
            odds = node.odds if turn == CHANCE_TURN else choices[node.mover, node.set]
            for odd, child in zip(odds, node.children, strict=True):
                if odd:
                    total = [a + odd * b for a, b in zip(total, below(child), strict=True)]
        return tuple(total)

    return below(rules.root)


def _simple(game: ExpandedGame) -> Points:
    """Find equilibria of a part of a tree: all for one chooser, an optimal pair if zero-sum, else the pure ones."""
    choosers = sum(plex.sequences > 1 for plex in game.form.treeplexes)
    if choosers > 1 and game.form.competitive and (tree := exact_tree(game)).competitive:
        reach = optimal_plans(tree)
        yield Point(tuple(np.array([float(x) for x in part]) for part in reach), "sequences", fractions=reach)
        return Ending(False, "a linear program finds one of perhaps many optimal pairs")
    found, tied = False, False
    for point in pure(normal_form(game)):
        found, tied = True, tied or point.isolated is not True
        yield point
    if not found:
        raise UnsuitableError(
            f"{game.address} has no pure equilibrium: give `subgame_perfect` a solver that finds mixed ones"
        )
    if choosers <= 1 and not tied:
        return Ending(True, "one player chooses, and one choice is best")
    return Ending(False, "only pure equilibria were looked for")
