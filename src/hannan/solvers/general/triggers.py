"""Extensive-form correlated equilibria and their coarse relatives as one linear program over advice for sequences.

B. von Stengel and F. Forges (2008), Extensive-form correlated equilibrium: definition and computational complexity:
in two-player trees without chance, the probabilities of pairs of sequences that a mediator advises are a small
polytope. G. Farina, T. Bianchi, T. Sandholm (2020), Coarse correlation in extensive-form games, for the coarse kinds.
Other small games have a mediator that draws a combination of plans; the same conditions are linear in its draw.

A player deviates at a trigger, and gets no more advice then. The triggers of an `efce` are the advised actions, those
of an `efcce` the information sets before the advice there, and that of an `nfcce` is the beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal

import numpy as np

from hannan.arrays import Floats, Longs
from hannan.errors import HannanError, SizeError
from hannan.forms.game import ExpandedGame
from hannan.forms.tree import CHANCE_TURN, TERMINAL, GameTree
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.solvers.exact.linear import DROWNED, LinearProgram
from hannan.solvers.exact.normalform import NormalForm, normal_form, taken

TreeKind = Literal["efce", "efcce", "nfcce"]

MOST_COEFFICIENTS = 5_000_000
"""The most coefficients of the linear program, and the most numbers in a table of advice."""


@dataclass(frozen=True)
class Trigger:
    """A point at which a player may leave the advice: the sets it then plays by itself, and its sequence there."""

    sets: tuple[int, ...]
    sequence: int
    """The advice so far, the trigger included, which is the player's knowledge of the others' advice."""
    followed: frozenset[int]
    """The sequences from the trigger on, if the player follows the advice."""


def triggers(plex: Treeplex, kind: TreeKind) -> Iterator[Trigger]:
    """Yield the triggers of a player."""
    if kind == "nfcce":
        roots = tuple(j for j in range(plex.sets) if plex.parent[j] == EMPTY)
        yield Trigger(roots, EMPTY, frozenset(range(1, plex.sequences)))
        return
    for j in range(plex.sets):
        below = range(int(plex.begin[j]), int(plex.begin[j + 1]))
        if kind == "efcce":
            yield Trigger((j,), int(plex.parent[j]), frozenset(_after(plex, below)))
            continue
        for k in below:
            yield Trigger((j,), k, frozenset(_after(plex, (k,))))


def _after(plex: Treeplex, sequences: Iterable[int]) -> set[int]:
    """Return sequences and all sequences that extend them."""
    found = set(sequences)
    for j in range(plex.sets):
        if int(plex.parent[j]) in found:
            found.update(range(int(plex.begin[j]), int(plex.begin[j + 1])))
    return found


def sets_below(plex: Treeplex, sets: Iterable[int]) -> list[int]:
    """Return sets and all that can follow them, in their order."""
    found = set(sets)
    for j in range(plex.sets):
        if plex.parent[j] != EMPTY and int(plex.set_of[plex.parent[j]]) in found:
            found.add(j)
    return sorted(found)


@dataclass(frozen=True, eq=False)
class Advice:
    """The probability of each tuple of sequences that a mediator's advice is consistent with."""

    plan: Floats  # [sequences of player 0, sequences of player 1, …]; 0 where two sequences never meet
    form: NormalForm | None  # with a mediator that draws plans
    distribution: Floats | None  # [plans of player 0, …]


def best_advice(game: ExpandedGame, kind: TreeKind, goals: Floats, egalitarian: bool) -> Advice:
    """Return the advice with the largest goals·values (`egalitarian`: the largest smallest value), by HiGHS."""
    program = _Program(game, kind)
    return program.solve(goals, egalitarian)


def plays_without_chance(game: ExpandedGame) -> bool:
    """Return whether there are two players and chance never has two outcomes."""
    tree = game.tree
    moves = np.diff(tree.children)[tree.turn == CHANCE_TURN]
    return game.players == 2 and not (moves > 1).any()


class _Program:
    """The linear program: its columns are 1, the objective, advice, then the values of deviations and the plans."""

    def __init__(self, game: ExpandedGame, kind: TreeKind) -> None:
        self.game, self.kind = game, kind
        self.plexes = game.form.treeplexes
        if prod(plex.sequences for plex in self.plexes) > MOST_COEFFICIENTS:
            raise SizeError(
                f"{game.address} has {' by '.join(str(plex.sequences) for plex in self.plexes)} sequences; a linear "
                f"program over advice takes {MOST_COEFFICIENTS:,} combinations at most; method efce learns such play"
            )
        self.columns = 2
        self.advised: dict[tuple[int, ...], int] = {}
        self.rows: list[tuple[dict[int, float], bool]] = []  # coefficients; whether it equals 0 (else at most 0)
        self.free: list[int] = [1]
        self.middles, entries = _centred(game)
        scale = max((abs(x) for row in entries.values() for x in row), default=0.0) or 1.0
        self.middles /= scale
        self.entries = list(entries)
        self.payoffs = [[row[p] / scale for row in entries.values()] for p in range(game.players)]

    def solve(self, goals: Floats, egalitarian: bool) -> Advice:
        form = None
        if plays_without_chance(self.game):
            self._polytope()
        else:
            form = normal_form(self.game)
        for player in range(self.game.players):
            self._incentives(player)
        self._objective(goals, egalitarian)
        begin = self.columns
        if form is not None:
            self._draws(form)
        columns = self._solved()
        plan = np.zeros([plex.sequences for plex in self.plexes])
        distribution = None
        if form is None:
            for key, column in self.advised.items():
                plan[key] = max(columns[column], 0.0)
        else:
            weights = np.maximum(columns[begin:], 0.0)
            distribution = (weights / weights.sum()).reshape(form.payoffs.shape[1:])
            plan = advice_of(form, distribution)
        return Advice(plan, form, distribution)

    def _column(self, key: tuple[int, ...]) -> int:
        """Return the column of a tuple of sequences."""
        if key not in self.advised:
            self.advised[key] = self.columns
            self.columns += 1
        return self.advised[key]

    def _polytope(self) -> None:
        """Add the constraints for two players without chance: probabilities of meeting pairs split at each set."""
        meets = _meetings(self.game)
        self.rows.append(({0: -1.0, self._column((EMPTY, EMPTY)): 1.0}, True))
        for player, plex in enumerate(self.plexes):
            other = self.plexes[1 - player]
            for k in range(other.sequences):
                for j in range(plex.sets):
                    own = int(other.set_of[k])
                    pair = (j, own) if player == 0 else (own, j)
                    if k != EMPTY and pair not in meets:
                        continue
                    terms = {self._column(_pair(player, int(plex.parent[j]), k)): -1.0}
                    for action in range(int(plex.begin[j]), int(plex.begin[j + 1])):
                        terms[self._column(_pair(player, action, k))] = 1.0
                    self.rows.append((terms, True))

    def _incentives(self, player: int) -> None:
        """Add the constraints that no deviation pays: its value is at most that of following the advice."""
        plex, payoffs = self.plexes[player], self.payoffs[player]
        ends: dict[int, list[int]] = {}
        for entry, key in enumerate(self.entries):
            ends.setdefault(key[player], []).append(entry)
        for trigger in triggers(plex, self.kind):
            values = {}
            for j in sets_below(plex, trigger.sets):
                values[j] = self.columns
                self.free.append(self.columns)
                self.columns += 1
            for j, value in values.items():
                for k in range(int(plex.begin[j]), int(plex.begin[j + 1])):
                    terms = {value: -1.0}
                    for entry in ends.get(k, ()):
                        self._add(terms, _with(self.entries[entry], player, trigger.sequence), payoffs[entry])
                    for later in range(int(plex.child_begin[k]), int(plex.child_begin[k + 1])):
                        terms[values[later]] = 1.0
                    self.rows.append((terms, False))
            terms = {values[j]: 1.0 for j in trigger.sets}
            for k in trigger.followed:
                for entry in ends.get(k, ()):
                    self._add(terms, self.entries[entry], -payoffs[entry])
            self.rows.append((terms, False))

    def _add(self, terms: dict[int, float], key: tuple[int, ...], number: float) -> None:
        column = self._column(key)
        terms[column] = terms.get(column, 0.0) + number

    def _objective(self, goals: Floats, egalitarian: bool) -> None:
        sums = [[row] for row in range(self.game.players)] if egalitarian else [list(range(self.game.players))]
        for players in sums:
            # compare values with the middle added back
            terms = {1: 1.0, **({0: float(self.middles.min() - self.middles[players[0]])} if egalitarian else {})}
            for entry, key in enumerate(self.entries):
                number = sum(self.payoffs[p][entry] * (1.0 if egalitarian else goals[p]) for p in players)
                self._add(terms, key, -number)
            self.rows.append((terms, False))

    def _draws(self, form: NormalForm) -> None:
        """Add the constraints for a mediator that draws plans: the drawn plans play the advised sequences."""
        plays = [taken(plex, plans) for plex, plans in zip(self.plexes, form.plans, strict=True)]
        cells = prod(len(plans) for plans in form.plans)
        if cells * len(self.advised) > 20 * MOST_COEFFICIENTS:
            raise SizeError(
                f"{self.game.address} has {cells:,} combinations of plans and {len(self.advised):,} of sequences: too "
                "many for a mediator's linear program; method efce learns such play"
            )
        self.rows.append(({0: -1.0, **dict.fromkeys(range(self.columns, self.columns + cells), 1.0)}, True))
        for key, column in self.advised.items():
            used = plays[0][:, key[0]]
            for p in range(1, len(plays)):
                used = np.multiply.outer(used, plays[p][:, key[p]])
            where = self.columns + np.flatnonzero(used.ravel())
            self.rows.append(({column: -1.0, **dict.fromkeys(where.tolist(), 1.0)}, True))
        self.columns += cells

    def _solved(self) -> Floats:
        from scipy.sparse import csc_array

        count = [len(terms) for terms, _ in self.rows]
        if sum(count) > MOST_COEFFICIENTS:
            raise SizeError(
                f"the linear program of {self.game.address} has {sum(count):,} coefficients, more than the limit of "
                f"{MOST_COEFFICIENTS:,}; method efce learns such play"
            )
        numbers = np.array([number for terms, _ in self.rows for number in terms.values()])
        places = np.array([column for terms, _ in self.rows for column in terms])
        lines = np.repeat(np.arange(len(self.rows)), count)
        matrix = csc_array((numbers, (lines, places)), shape=(len(self.rows), self.columns))
        cost, lower, upper = np.zeros(self.columns), np.zeros(self.columns), np.full(self.columns, np.inf)
        cost[1], lower[self.free], lower[0], upper[0] = 1.0, -np.inf, 1.0, 1.0
        least = np.array([0.0 if equal else -np.inf for _, equal in self.rows])
        solution = LinearProgram(cost, matrix, lower, upper, least).solve()
        if solution.ending != "optimal":
            raise HannanError(f"HiGHS did not solve the linear program of {self.game.address}: {solution.ending}")
        return solution.columns


def _centred(game: ExpandedGame) -> tuple[Floats, dict[tuple[int, ...], list[float]]]:
    """Return the gains from each tuple of sequences minus a constant, which would drown differences; and this."""
    form = game.form
    low, high = game.payoff_range
    drowned = np.maximum(np.abs(low), np.abs(high)) > DROWNED * (high - low)
    middles: Floats = np.where(drowned, low + (high - low) / 2, 0.0)
    rows = np.stack([form.payoff(p) for p in range(game.players)], axis=1).tolist()
    entries = dict(zip(map(tuple, form.sequences.T.tolist()), rows, strict=True))
    if drowned.any():
        tree = game.tree
        reach = np.ones(tree.nodes)
        for node in range(1, tree.nodes):
            reach[node] = reach[tree.parent[node]] * tree.probability[node]
        ends = np.flatnonzero(tree.turn == TERMINAL)
        for share, key in zip(reach[ends].tolist(), last_sequences(tree)[ends].tolist(), strict=True):
            row = entries.setdefault(tuple(key), [0.0] * game.players)
            for p, middle in enumerate(middles.tolist()):
                row[p] -= middle * share
    return middles, entries


def _pair(player: int, own: int, other: int) -> tuple[int, int]:
    return (own, other) if player == 0 else (other, own)


def _with(key: tuple[int, ...], player: int, sequence: int) -> tuple[int, ...]:
    """Return a tuple of sequences with a player's sequence replaced."""
    return (*key[:player], sequence, *key[player + 1 :])


def last_sequences(tree: GameTree) -> Longs:
    """Return the last sequence of each player at each history, [nodes, players]."""
    last = np.zeros((tree.nodes, tree.players), np.int64)
    for node in range(tree.nodes):
        if tree.turn[node] == TERMINAL:
            continue
        here = sets_at(tree, node)
        moves = [range(int(plex.begin[j]), int(plex.begin[j + 1])) for plex, j in _plexes(tree, here)]
        children = range(int(tree.children[node]), int(tree.children[node + 1]))
        choices = product(*moves) if here else [()] * len(children)
        for child, choice in zip(children, choices, strict=True):
            last[child] = last[node]
            last[child, list(here)] = choice
    return last


def sets_at(tree: GameTree, node: int) -> dict[int, int]:
    """Return the information set of each player that moves at a history."""
    slots = tree.slots[int(tree.slot_begin[node]) : int(tree.slot_begin[node + 1])].tolist()
    movers = [p for p in range(tree.players) if int(tree.turn[node]) >> p & 1] if slots else []
    return dict(zip(movers, slots, strict=True))


def _plexes(tree: GameTree, sets: dict[int, int]) -> list[tuple[Treeplex, int]]:
    return [(tree.treeplexes[p], j) for p, j in sets.items()]


def _meetings(game: ExpandedGame) -> set[tuple[int, int]]:
    """Return the pairs of sets, one of each player, that lie on a common line of play."""
    tree = game.tree
    last = last_sequences(tree)
    found: set[tuple[int, int]] = set()
    for node in range(tree.nodes):
        here = sets_at(tree, node) if tree.turn[node] != TERMINAL else {}
        for p, number in here.items():
            plex = tree.treeplexes[1 - p]
            before = int(last[node, 1 - p])
            while before != EMPTY:
                above = int(plex.set_of[before])
                found.add((number, above) if p == 0 else (above, number))
                before = int(plex.parent[above])
        if len(here) == 2:
            found.add((here[0], here[1]))
    return found


def advice_of(form: NormalForm, distribution: Floats) -> Floats:
    """Return the probability of each tuple of sequences under a distribution of plans."""
    table: Any = distribution
    for plex, plans in zip(form.game.form.treeplexes, form.plans, strict=True):
        table = np.tensordot(table, taken(plex, plans).astype(np.float64), axes=([0], [0]))
    result: Floats = table
    return result
