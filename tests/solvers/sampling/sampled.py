"""The samplers' walk once more, as its formula says it: in plain Python, by recursion, with draws that a test decides.

    v(h) = gain(h) + Σ p·b + Σ ρ·(v(child) − b)             v(a) = b(a) + Σ ρ·(v(child) − b)/ξ at an own set.

`Scripted` goes through every draw there is; `Seeded` draws the random numbers of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.kernels.sampling.records import CHILD, HISTORY, LAZY, NO_BASELINE, ONE, WEIGHTED, SamplingPlan, Tables
from hannan.rules.plain import CHANCE, END, movers
from hannan.solvers.sampling.tables import cells_of, pack, tree_tables
from hannan.strategies.profile import Profile


class Seat(NamedTuple):
    """A mover: where its set's strategy begins, and its actions."""

    player: int
    first: int
    menu: Sequence[Any]


class Touch(NamedTuple):
    """A visit of a set of the traverser's."""

    first: int
    weight: float
    values: list[float]
    child: int
    stride: int
    own: int


class Reference:
    """Walks over the rules of an expanded game, while everybody plays what the tables say."""

    def __init__(self, game: ExpandedGame, plan: SamplingPlan, tables: Tables) -> None:
        self.rules, self.plan, self.tables, self.board = game.rules, plan, tables, pack(game.tree)
        pairs = zip(tables.set_parent.tolist(), tables.set_observation.tolist(), strict=True)
        self.first = {pair: int(tables.set_base[place]) for place, pair in enumerate(pairs)}
        self.wandering = plan.epsilon if plan.explore else 0.0
        self.inside = set(self.first.values())
        """The first cells of the sets in the table; elsewhere nothing is learnt, and own moves are drawn as others'."""

    def pick(self, probabilities: Sequence[float]) -> int:
        """Draw one of several moves."""
        raise NotImplementedError

    def walk(self, player: int) -> float:
        """Make one walk; return the value of the game to the player whose walk it is."""
        self.i, self.j = player, (player + 1) % self.plan.players
        self.touched: list[Touch] = []
        self.shown: list[tuple[int, float]] = []
        last = [int(sequence) for sequence in self.tables.empty]
        return self._value(self.rules.start(), last, 0, 1.0, 1.0, 1.0)

    def _value(self, state: Any, last: list[int], node: int, weight: float, reach: float, drawn: float) -> float:
        """Return the sampled value of a history to the traverser."""
        gained, turn = float(self.rules.gains(state)[self.i]), self.rules.turn(state)
        if turn == END:
            return gained - float(self.tables.terms[0, self.i])
        child = int(self.board.node[node, CHILD])
        if turn == CHANCE:
            outcomes = self.rules.chance(state)
            odds = [float(probability) for _, probability in outcomes]
            k = self.pick(odds)
            guesses = self._guesses(child, None, len(odds))
            after = self.rules.after(state, outcomes[k][0])
            seen = self._value(after, last, child + k, weight, reach, drawn * odds[k])
            return gained + float(np.dot(odds, guesses)) + seen - guesses[k]
        seats = []
        for player in movers(turn):
            key = (last[player], int(self.rules.observe(state, player)))  # type: ignore[call-overload]
            seats.append(Seat(player, self.first[key], self.rules.actions(state, player)))
        return gained + self._decision(state, turn, seats, last, child, weight, reach, drawn)

    def _decision(
        self, state: Any, turn: Any, seats: list[Seat], last: list[int], child: int, weight: float, reach: float,
        drawn: float,
    ) -> float:  # fmt: skip
        """Return the sampled value of a node where players move."""
        plan, i, j = self.plan, self.i, self.j
        mine = next((seat for seat in seats if seat.player == i and seat.first in self.inside), None)
        for seat in reversed(seats):
            if (
                seat.player == j
                and seat.first in self.inside
                and plan.averaging != LAZY
                and (j != i or plan.averaging == WEIGHTED)
            ):
                self.shown.append((seat.first, reach / drawn if plan.averaging == WEIGHTED else 1.0))
        joint = list(np.ndindex(*(len(seat.menu) for seat in seats)))
        if plan.others and seats != [mine]:
            taken = [(c, self._others(seats, c)) for c in range(len(joint)) if self._others(seats, c) > 0]
            xi = 1.0
        else:
            fixed, rho, reach, drawn = self._draw_others(seats, mine, reach, drawn)
            own, xi = self._draw_own(mine)
            taken = [(joint.index(tuple(a if k is None else k for k in fixed)), rho) for a in own]
        guesses = self._guesses(child, seats[0].first if len(seats) == 1 else None, len(joint))
        values = [0.0] * (len(mine.menu) if mine else 1)
        place = seats.index(mine) if mine else 0
        for c, numbers in enumerate(joint):
            values[numbers[place] if mine else 0] += self._others(seats, c) * guesses[c]
        if mine:
            stride = int(np.prod([len(seat.menu) for seat in seats[place + 1 :]]))
            self.touched.append(Touch(mine.first, weight, values, child, stride, last[i]))
        for c, counts in taken:
            after, further, move = list(last), reach, []
            for seat, k in zip(seats, joint[c], strict=True):
                after[seat.player] = seat.first + 2 * len(seat.menu) + k
                move.append(seat.menu[k])
                if seat.player == j and (plan.others or seat.player == i):
                    further *= self._plays(seat, k)
            following = self.rules.after(state, tuple(move) if isinstance(turn, tuple) else move[0])
            seen = self._value(following, after, child + c, weight * counts / xi, further, drawn * xi)
            values[joint[c][place] if mine else 0] += counts * (seen - guesses[c]) / xi
        return sum(self._plays(mine, a) * value for a, value in enumerate(values)) if mine else values[0]

    def _plays(self, seat: Seat, k: int) -> float:
        return float(self.tables.learnt[seat.first + k])

    def _others(self, seats: list[Seat], c: int) -> float:
        """Return the probability of what the others do in a joint move."""
        played = 1.0
        for seat in reversed(seats):
            if seat.player != self.i:
                played *= self._plays(seat, c % len(seat.menu))
            c //= len(seat.menu)
        return played

    def _draw_others(
        self, seats: list[Seat], mine: Seat | None, reach: float, drawn: float
    ) -> tuple[list[int | None], float, float, float]:
        """Return each mover's move (None: the traverser's), played over drawn, j's reach, and that of the draw."""
        moves: list[int | None] = [None] * len(seats)
        rho, wandering = 1.0, self.wandering
        for m, seat in reversed(list(enumerate(seats))):
            if seat is mine:
                continue
            plays = [self._plays(seat, k) for k in range(len(seat.menu))]
            follows = [float(self.tables.guide[seat.first + k]) for k in range(len(seat.menu))] if wandering else plays
            odds = [wandering / len(plays) + (1.0 - wandering) * each for each in follows]
            k = moves[m] = self.pick(odds)
            if len(plays) > 1:
                rho, drawn = rho * (plays[k] / odds[k]), drawn * odds[k]
                reach *= plays[k] if seat.player == self.j else 1.0
        return moves, rho, reach, drawn

    def _draw_own(self, mine: Seat | None) -> tuple[list[int], float]:
        """Return the traverser's actions that are taken, and the probability of each to be."""
        if mine is None:
            return [0], 1.0
        size, own = len(mine.menu), self.plan.own
        if own == ONE:
            follows = self.tables.guide[mine.first : mine.first + size].tolist()
            odds = [self.plan.epsilon / size + (1.0 - self.plan.epsilon) * each for each in follows]
            k = self.pick(odds)
            return [k], odds[k]
        taken: list[int] = []
        for a in range(size):
            left, wanted = size - a, own - len(taken)
            if wanted >= left or (wanted > 0 and self.pick([wanted / left, 1 - wanted / left]) == 0):
                taken.append(a)
        return taken, min(own / size, 1.0)

    def _guesses(self, child: int, first: int | None, count: int) -> list[float]:
        """Return the baselines of all moves; 0 where there are none."""
        begin = child if self.plan.key == HISTORY else first
        if self.plan.baseline == NO_BASELINE or begin is None:
            return [0.0] * count
        return [float(guess) for guess in self.tables.baseline[self.i, begin : begin + count]]


class Scripted(Reference):
    """Follows `script`, draw by draw, first choices beyond its end; `fan` and `odds` say what was drawn from."""

    script: list[int]
    fan: list[int]
    odds: float

    def pick(self, probabilities: Sequence[float]) -> int:
        k = self.script[len(self.fan)] if len(self.fan) < len(self.script) else 0
        self.fan.append(len(probabilities))
        self.odds *= probabilities[k]
        return k


class Seeded(Reference):
    """Draws by the numbers of SplitMix64, which are computed here with Python's own integers."""

    random: int

    def pick(self, probabilities: Sequence[float]) -> int:
        if len(probabilities) == 1:
            return 0
        self.random = z = (self.random + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        u = ((z ^ (z >> 31)) >> 11) * 2.0**-53
        return min(int(np.searchsorted(np.cumsum(probabilities), u, side="right")), len(probabilities) - 1)


def tables_of(game: ExpandedGame, plan: SamplingPlan, profile: Profile, baseline: Floats | None = None) -> Tables:
    """Return tables in which everybody plays `profile`."""
    tables = tree_tables(game.tree, 0, 0, discounted=False)
    cells = cells_of(game.tree)
    tables.learnt[cells[cells >= 0]] = np.concatenate(profile.strategies)[cells >= 0]
    return tables if baseline is None else tables._replace(baseline=baseline)


def enumerated(walker: Scripted, player: int) -> Iterator[tuple[float, Scripted]]:
    """Make every walk of a player that the draws allow, with its probability."""
    script: list[int] = []
    while True:
        walker.script, walker.fan, walker.odds = script, [], 1.0
        try:
            walker.walk(player)
        except ZeroDivisionError:
            assert walker.odds == 0  # a move was scripted that is never drawn
        if walker.odds > 0:
            yield walker.odds, walker
        script = script[: len(walker.fan)] + [0] * (len(walker.fan) - len(script))
        while script and script[-1] + 1 == walker.fan[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def expected(walker: Scripted, player: int) -> tuple[Floats, float]:
    """Return the mean of the sampled counterfactual value in each strategy's cell, and the sum of all probabilities."""
    mean, whole = np.zeros(len(walker.tables.learnt)), 0.0
    for probability, made in enumerated(walker, player):
        whole += probability
        for touch in made.touched:
            mean[touch.first : touch.first + len(touch.values)] += probability * touch.weight * np.array(touch.values)
    return mean, whole
