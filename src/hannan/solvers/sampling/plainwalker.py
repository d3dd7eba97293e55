"""The walk of the samplers once more, in Python: for rules that are not compiled.

It draws the same random numbers in the same order as `hannan.kernels.sampling.walks` and does the same sums, so a game
that is written both ways gives the same bits. What a walk has found is learnt by the same kernel.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from hannan.kernels.sampling.records import (
    BEGIN,
    CELLS,
    CHILD,
    DONE,
    ESTIMATES,
    HISTORY,
    JOINT,
    KIND,
    LAZY,
    LEARNED,
    LEARNING,
    MORE_HISTORIES,
    MORE_SETS,
    MORE_VISITS,
    NO_BASELINE,
    ONE,
    PLAYER,
    PREDICTIVE,
    ROOT,
    SETS,
    SIZE,
    VISITED,
    WALKS,
    WEIGHTED,
    Board,
    Plan,
    Scratch,
    Tables,
)
from hannan.kernels.sampling.records import CHANCE as CHANCE_KIND
from hannan.kernels.sampling.records import END as END_KIND
from hannan.rules.plain import CHANCE, END, MOST_MOVES, Rules, movers
from hannan.solvers.sampling.asking import Asking
from hannan.solvers.sampling.tables import MASK, mixed

GOLDEN = 0x9E3779B97F4A7C15


class NoRoomError(Exception):
    """The tables are full, as `status` says; nothing was learnt from the walk."""

    def __init__(self, status: int) -> None:
        self.status = status


class PlainWalker(Asking):
    """Makes walks on any rules."""

    def __init__(self, rules: Rules, plan: Plan) -> None:
        super().__init__(rules)
        self.plan = plan
        self.wandering = plan.epsilon if plan.explore else 0.0
        by_history = plan.baseline != NO_BASELINE and plan.key == HISTORY
        self.numbering = by_history or plan.measuring == ESTIMATES
        self.following = plan.baseline == PREDICTIVE and plan.measuring == LEARNING
        self.places: dict[tuple[int, int], int] = {}

    def copied(self, plan: Plan) -> PlainWalker:
        """Return another walker that knows the same sets."""
        other = PlainWalker(self.rules, plan)
        other.places = dict(self.places)
        other.know(self)
        return other

    def walks(self, board: Board, tables: Tables, scratch: Scratch, until: int) -> int:
        """Make walks until there were `until` in all; say what there was no room for."""
        while tables.counts[WALKS] < until:
            status = self.walk(board, tables, scratch)
            if status != DONE:
                return status
        return DONE

    def walk(self, board: Board, tables: Tables, scratch: Scratch) -> int:
        """Make one walk and learn from it."""
        from hannan.kernels.sampling.learning import learn
        from hannan.kernels.sampling.parts import back_up

        try:
            self.make(board, tables)
        except NoRoomError as error:
            return error.status
        if self.plan.measuring == ROOT:
            tables.random[0] = self.random
            tables.counts[VISITED] += self.nodes
            tables.counts[WALKS] += 1
            tables.root[:, self.traverser] += (1.0, self.result, self.result * self.result)
            return DONE
        touches, values = len(self.touched), len(self.value)
        room = min(len(scratch.touched) - touches, len(scratch.value) - values, len(scratch.shown) - len(self.shown))
        if room < 0 or len(scratch.note) < len(self.notes):
            return MORE_VISITS
        if touches:
            scratch.touched[:touches] = self.touched
            scratch.worth[:touches] = self.worth
            scratch.value[:values] = self.value
        if self.shown:
            scratch.shown[: len(self.shown)] = self.shown
            scratch.counted[: len(self.shown)] = self.counted
        for k, (entry, seen) in enumerate(self.notes):
            scratch.note[k], scratch.noted[k] = entry, seen
        tables.random[0] = self.random
        tables.counts[VISITED] += self.nodes
        learn(
            self.plan, self.traverser, touches, len(self.shown), len(self.notes), tables.learnt, tables.clock,
            tables.stamp, tables.empty, tables.baseline, tables.measure, tables.given, tables.counts, scratch.touched,
            scratch.worth, scratch.value, scratch.shown, scratch.counted, scratch.note, scratch.noted,
        )  # fmt: skip
        if self.following:
            for node in reversed(self.visited):
                back_up(board, tables, self.plan.players, node)
        return DONE

    def make(self, board: Board, tables: Tables) -> None:
        """Make one walk; `touched`, `worth`, `value` and the rest then hold what it found."""
        self.board, self.tables = board, tables
        only = self.plan.only
        self.traverser = only if only >= 0 else int(tables.counts[WALKS]) % self.plan.players
        self.random = int(tables.random[0])
        self.nodes = 0
        self.touched: list[tuple[int, int, int, int, int, int]] = []
        self.worth: list[list[float]] = []
        self.value: list[float] = []
        self.shown: list[tuple[int, int]] = []
        self.counted: list[float] = []
        self.notes: list[tuple[int, float]] = []
        self.visited: list[int] = []
        self.path = []
        last = [int(sequence) for sequence in tables.empty]
        try:
            begin = self._ask("start", self.rules.start)
            self.result = self._visit(begin, last, last[self.traverser], 0, 1.0, 1.0, 1.0)
        except RecursionError as error:
            self._too_long(error)

    def choose(self, weights: Any, first: int, count: int, epsilon: float) -> int:
        """Draw one of `count` moves: uniformly with probability ε, else by the weights."""
        from hannan.kernels.sampling.parts import drawn, wandered

        if epsilon > 0.0:
            return int(wandered(weights, first, count, epsilon / count, 1.0 - epsilon, self._uniform()))
        return int(drawn(weights, first, count, self._uniform()))

    def choose_evenly(self, count: int) -> int:
        """Draw one of equally probable outcomes."""
        return int(self._uniform() * count)

    def accept(self, wanted: int, left: int) -> bool:
        """Draw whether the next action is among the `wanted` that are still to be taken of the `left` there are."""
        return self._uniform() * left < wanted

    def _uniform(self) -> float:
        self.random = (self.random + GOLDEN) & MASK
        return (mixed(self.random) >> 11) * 2.0**-53

    def _visit(
        self, state: Any, last: list[int], own: int, node: int, weight: float, reach: float, probability: float
    ) -> float:
        """Return the sampled value of a history to the traverser."""
        plan, strategy, guide, i = self.plan, self.tables.learnt, self.tables.guide, self.traverser
        baseline, j = self.tables.baseline, (i + 1) % self.plan.players  # j: whose average is kept, if not lazily
        lead, scale, depth = 0.0, 1.0, len(self.path)
        while True:
            self.nodes += 1
            if len(self.path) > MOST_MOVES:
                self._fail(f"play has not ended after {MOST_MOVES} moves")
            gains = self._gains(state)
            gained = gains[i]
            turn = self._turn(state)
            if self.following:
                self.visited.append(node)
            if turn == END:
                if self.numbering:
                    self._number(node, gains, [], None)
                del self.path[depth:]
                return lead + scale * gained
            ours, own_first, own_size, stride, offset, rho = False, 0, 0, 1, 0, 1.0
            basis, seats = -1, []
            moves: list[Any] = []
            odds: Any = None
            if turn == CHANCE:
                moves, odds = self._chance(state)
                count = len(odds)
                if count > 1:
                    even = all(odds == odds[0])
                    offset = self.choose_evenly(count) if even else self.choose(odds, 0, count, 0.0)
                if plan.averaging == WEIGHTED:
                    probability *= float(odds[offset])
            else:
                seats = [self._seat(state, player, last) for player in movers(turn)]
                count, entered, counts = 1, probability, reach
                for player, first, size, _ in reversed(seats):
                    if player == i:
                        ours, own_first, own_size, stride = True, first, size, count
                    else:
                        if plan.averaging != LAZY and player == j:
                            self.shown.append((first, size))
                            self.counted.append(counts / entered if plan.averaging == WEIGHTED else 1.0)
                        if not plan.others:
                            weights = guide if self.wandering > 0.0 else strategy
                            k = self.choose(weights, first, size, self.wandering) if size > 1 else 0
                            if size > 1:
                                played = float(strategy[first + k])
                                if self.wandering > 0.0:
                                    xi = self.wandering / size + (1.0 - self.wandering) * float(guide[first + k])
                                    rho *= played / xi
                                    probability *= xi
                                else:
                                    probability *= played
                                if player == j:
                                    reach *= played
                            offset += k * count
                    count *= size
                if plan.averaging == WEIGHTED and ours and i == j:  # there is one player
                    self.shown.append((own_first, own_size))
                    self.counted.append(reach / probability)
            children = self._number(node, gains, seats, odds) if self.numbering else 0
            if plan.baseline != NO_BASELINE:
                if plan.key == HISTORY:
                    basis = children
                elif len(seats) == 1:
                    basis = seats[0][1]
            if ours or basis >= 0 or (plan.others and seats):
                break
            lead += scale * gained
            scale *= rho
            weight *= rho
            state, last = self._step(state, turn, moves, seats, last, offset)
            node = children + offset

        picks, xi, at, touch = [(offset, 0, rho)], 1.0, -1, -1
        if ours:
            at, touch = len(self.value), len(self.touched)
            self.value.extend([0.0] * own_size)
            self.touched.append((own_first, own_size, at, own, children, stride))
            self.worth.append([weight, 0.0])
        if plan.others and seats and not (ours and len(seats) == 1):
            picks = []
            for c in range(count):
                action, played = self._split(seats, c)
                if played > 0.0:
                    picks.append((c, action, played))
        elif ours and plan.own == ONE:
            a = self.choose(guide, own_first, own_size, plan.epsilon) if own_size > 1 else 0
            xi = plan.epsilon / own_size + (1.0 - plan.epsilon) * float(guide[own_first + a])
            picks = [(offset + a * stride, a, rho)]
        elif ours:
            taken = list(range(own_size)) if plan.own >= own_size else self._some(own_size)
            xi = 1.0 if plan.own >= own_size else plan.own / own_size
            picks = [(offset + a * stride, a, rho) for a in taken]
        total = 0.0
        if basis >= 0:
            for c in range(count):
                action, played = self._split(seats, c) if seats else (0, float(odds[c]))
                guess = float(baseline[i, basis + c])
                if ours:
                    self.value[at + action] += played * guess
                    total += float(strategy[own_first + action]) * played * guess
                else:
                    total += played * guess
        for child, action, ratio in picks:
            following, after = self._step(state, turn, moves, seats, last, child)
            mine, further = own, reach
            if ours:
                mine = own_first + 2 * own_size + action
                further = reach * float(strategy[own_first + action]) if i == j else reach
            if plan.others and seats and not (ours and len(seats) == 1):
                further = reach * self._played_by(j, seats, child)
            result = self._visit(
                following, after, mine, children + child, weight * ratio / xi, further, probability * xi
            )
            del self.path[-1]
            if basis >= 0:
                if plan.baseline == LEARNED:
                    self.notes.append((basis + child, result))
                result -= float(baseline[i, basis + child])
            result *= ratio
            if ours:
                result /= xi
                self.value[at + action] += result
                result *= float(strategy[own_first + action])
            total = result + total
        if ours:
            self.worth[touch][1] = total
        del self.path[depth:]
        return lead + scale * gained + scale * total

    def _number(self, node: int, gains: Any, seats: list[Any], odds: Any) -> int:
        """Enter a history into the board where it is passed for the first time; return its first child."""
        from hannan.kernels.sampling.rules import remembered

        row = self.board.node[node]
        if row[KIND] == 0:
            who = CHANCE_KIND if odds is not None else END_KIND if not seats else JOINT
            movers = np.zeros((max(len(seats), 1), 4), np.int64)
            for m, (player, first, size, _) in enumerate(seats):
                movers[m, PLAYER], movers[m, BEGIN], movers[m, SIZE] = player, first, size
            if len(seats) == 1:
                who = seats[0][0]
            count = len(odds) if odds is not None else int(np.prod(movers[:, SIZE])) if seats else 0
            first = int(len(odds) > 0 and all(odds == odds[0])) if odds is not None else int(movers[0, BEGIN])
            status = remembered(
                node, who, count, len(seats) if who == JOINT else 0, first, movers,
                np.zeros(1) if odds is None else odds, np.zeros((1, count), np.int64), np.array(gains, np.float64),
                *self.board, self.tables.counts,
            )  # fmt: skip
            if status == MORE_HISTORIES:
                raise NoRoomError(status)
            if status != DONE:
                self._fail("there are more moves here than when this run was saved")
        return int(row[CHILD])

    def _some(self, size: int) -> list[int]:
        """Draw `plan.own` of so many actions, each subset with equal probability."""
        taken: list[int] = []
        for a in range(size):
            wanted = self.plan.own - len(taken)
            if size - a == wanted or (wanted > 0 and self.accept(wanted, size - a)):
                taken.append(a)
        return taken

    def _played_by(self, player: int, seats: Sequence[tuple[int, int, int, Sequence[Any]]], child: int) -> float:
        """Return the probability of what one player does in a joint move; 1 where it does not move."""
        for mover, first, size, _ in reversed(seats):
            if mover == player:
                return float(self.tables.learnt[first + child % size])
            child //= size
        return 1.0

    def _split(self, seats: Sequence[tuple[int, int, int, Sequence[Any]]], child: int) -> tuple[int, float]:
        """Return the traverser's action in a joint move, and the probability of what the others do in it."""
        action, played = 0, 1.0
        for player, first, size, _ in reversed(seats):
            if player == self.traverser:
                action = child % size
            else:
                played *= float(self.tables.learnt[first + child % size])
            child //= size
        return action, played

    def _step(
        self, state: Any, turn: Any, moves: list[Any], seats: list[Any], last: list[int], child: int
    ) -> tuple[Any, list[int]]:
        number, following, joint = child, list(last), []
        for player, first, size, menu in reversed(seats):
            following[player] = first + 2 * size + child % size
            joint.append(menu[child % size])
            child //= size
        move = moves[number] if not seats else joint[0] if isinstance(turn, int) else tuple(reversed(joint))
        after = self._ask("after", self.rules.after, state, move)
        self.path.append(number)
        return after, following

    def _seat(self, state: Any, player: int, last: list[int]) -> tuple[int, int, int, Sequence[Any]]:
        """Return the player, its set's first sequence, the number of actions, and the actions."""
        menu = self._menu(state, player)
        seen, code = self._observed(state, player)
        tables = self.tables
        place = self.places.get((last[player], code))
        if place is None:
            place, first = int(tables.counts[SETS]), int(tables.counts[CELLS]) + 1
            if place == len(tables.set_parent) or first + 3 * len(menu) > len(tables.learnt):
                raise NoRoomError(MORE_SETS)
            self._compare(place, player, seen, menu)
            self.places[last[player], code] = place
            tables.set_parent[place], tables.set_observation[place] = last[player], code
            tables.set_base[place], tables.set_size[place] = first, len(menu)
            tables.learnt[first : first + len(menu)] = tables.guide[first : first + len(menu)] = 1.0 / len(menu)
            tables.counts[SETS] += 1
            tables.counts[CELLS] += 1 + 3 * len(menu)
        else:
            self._compare(place, player, seen, menu)
        if tables.set_size[place] != len(menu):
            self._fail("the actions differ from those at another history of the same information set")
        return player, int(tables.set_base[place]), len(menu), menu

    def restore(self, tables: Tables, labels: Sequence[str], met: Mapping[Hashable, int] | None = None) -> None:
        """Take over the sets and observations of a saved run, or of a policy that may know the observations."""
        self.recall(labels, met)
        sets = int(tables.counts[SETS])
        pairs = zip(tables.set_parent[:sets].tolist(), tables.set_observation[:sets].tolist(), strict=True)
        self.places = {pair: place for place, pair in enumerate(pairs)}
