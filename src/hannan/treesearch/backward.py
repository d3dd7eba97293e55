"""The exact answer of games in which only the current joint move is hidden: backward induction, plain and pruned.

B. Bošanský, V. Lisý, M. Lanctot, J. Čermák, M. H. M. Winands (2016), Algorithms for computing strategies in
two-player simultaneous move games, Artificial Intelligence 237. `bi` solves every joint node from the values of all
its cells. `bi-ab` first searches the two serialised games of each cell, by alpha–beta: if player 0 moves first it
gains at most the value, if it moves second at least. `do` grows a restricted game at each node by best responses.
`do-ab` keeps an interval for each cell and searches the cells that decide the two ends of the node's value.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hannan.arguments import count, shown, truth, whole
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.kernels.search import records as rec
from hannan.kernels.search.records import ExactPlan
from hannan.rules.plain import CHANCE, END, movers
from hannan.rules.positions import look_for_hidden, moves_of, moves_on, state_after
from hannan.rules.positions import moves as following_moves
from hannan.solvers.base import Solver
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile, uniform
from hannan.strategies.strategy import Strategy
from hannan.treesearch import answers
from hannan.treesearch.engine import Engine, Judge
from hannan.treesearch.judges import judge_from
from hannan.treesearch.proof import InductionProof
from hannan.treesearch.ranges import checked_bounds, expanded_range, told_range
from hannan.treesearch.state import kept, taken_over

CLOSE = 1e-12
"""Two bounds count as equal if they differ by less than this share of the range of gains."""

OPEN = "where only the current joint move is hidden"
"""The condition of the guarantees. Other games are refused."""

SLICE = 0.05
"""Seconds of searching between two readings of the clock."""


class BackwardInduction(Solver):
    """Search a two-player zero-sum game from its rules, depth first; the whole tree is never in memory.

    `at` is the position to search from (`(3,1):$2`), `bounds` the least and the most that player 0 can gain from
    there on, for rules without bounds. With `depth`, the search stops after `depth` moves, judges positions there by
    `evaluation` (a function of the state, or `file.py:function`: what player 0 can still expect to gain, or a pair of
    bounds) or by the rules' bounds, and returns bounds. `deepening` searches to depth 1, 2, … until `depth` or the end
    of play. `table=False` remembers no position. The search takes at most `memory_limit` bytes, table included.
    `sets`: the most information sets in a policy for a game too large to expand.
    """

    method = "bi"
    guarantee = Guarantee("the profile is a Nash equilibrium", rate="at once, and in every subgame", caveat=OPEN)
    exact = True
    changeable = ("memory_limit", "sets")
    meanings = by_name(
        at="the position to search from, moves joined by colons",
        bounds="the least and the most that player 0 can gain from there on, LOW,HIGH; for rules without bounds()",
        depth="how many moves ahead to search; the result is then bounds on the value",
        evaluation="what judges positions at the depth limit: file.py:function, from a state to what player 0 gains",
        deepening="whether to search to depth 1, 2, … until the limit or the end of play",
        table="whether to remember positions",
        memory_limit="the most bytes that the table and all else may take",
        sets="the most information sets in a policy for a game too large to expand",
    )
    policy_of_nodes: ClassVar[int] = rec.ALL
    pruned: ClassVar[bool] = False

    def __init__(
        self,
        game: Loadable,
        *,
        at: str = "",
        bounds: tuple[float, float] | None = None,
        depth: int | None = None,
        evaluation: str | Judge | None = None,
        deepening: bool = False,
        table: bool = True,
        memory_limit: int | None = None,
        sets: int = 10_000,
    ) -> None:
        super().__init__(game)
        self.at, self.bounds, self.depth, self.deepening = at, checked_bounds(bounds), depth, deepening
        self.table, self.memory_limit, self.sets = table, memory_limit, sets
        self._check(depth, deepening, table, memory_limit, sets)
        self._judge, self.evaluation = judge_from(evaluation)
        if evaluation is not None and depth is None:
            raise ParameterError("an evaluation function judges positions at the depth limit: give depth=… too")
        rules = self.game.rules  # refused by a game with locks
        if self.game.players != 2:
            raise UnsuitableError(
                f"{self.method} solves two-player zero-sum games, and {self.game.address} has {self.game.players} "
                "players; take cfr, whose average play approaches a coarse correlated equilibrium"
            )
        self._moves = moves_of(rules, at)
        self._known = self.game if isinstance(self.game, ExpandedGame) else None
        if self._moves or depth is not None or deepening:  # a part of the game: no profile, and no gap
            self.game = PlayedGame(rules, self.game.name, self.game.parameters, built_in=self.game.built_in)
        look_for_hidden(rules, self.method, self._moves)
        self._least, self._most = self._range()
        self._engine = self._build()
        self._slice = 1000
        self._spent = 0.0
        """Seconds of searching by this object."""
        self._found: tuple[float, float] = (-math.inf, math.inf)
        """Bounds from the depths that were searched to the end."""
        self._complete = False
        self._counts: tuple[int, int, int, int] | None = None
        """The counts of the finished search; searches of other positions after it do not count."""
        self._strategies: tuple[Floats, Floats] | None = None

    def _check(self, depth: Any, deepening: Any, table: Any, memory_limit: Any, sets: Any) -> None:
        for name, number in (("depth", depth), ("memory_limit", memory_limit), ("sets", sets)):
            if number is not None:
                whole(name, number, most=2**62)
        truth("deepening", deepening)
        truth("table", table)
        if not isinstance(self.at, str):
            raise ParameterError(f"at={shown(self.at)} should be the names of moves, joined by colons")

    def _range(self) -> tuple[float, float]:
        """Return the least and the most that player 0 can gain from the position on; infinite if not known."""
        if self.bounds is not None:
            return self.bounds
        told = told_range(self.game.rules, self._moves)
        if told is not None:
            return told
        if (self.pruned or self.depth is not None) and self._known is not None:
            return expanded_range(self._known, self._moves)
        if self.pruned or (self.depth is not None and self._judge is None):
            raise UnsuitableError(
                f"{self.method} needs to know the least and the most that player 0 can gain in {self.game.address}: "
                "write bounds() into the rules, give bounds=(low, high) (--bounds LOW,HIGH), or take bi or do, which "
                "do not need them" + ("" if self.depth is None else " without a depth limit")
            )
        return -math.inf, math.inf

    def _build(self) -> Engine:
        rules, span = self.game.rules, self._most - self._least
        plan = ExactPlan(
            policy=self.policy_of_nodes,
            serial=int(self.pruned),
            pruned=int(self.pruned),
            limit=-1 if self.depth is None and not self.deepening else 1 if self.deepening else int(self.depth or 0),
            judged=int(self._judge is not None),
            tabled=int(self.table),
            watched=1,
            least=self._least,
            most=self._most,
            close=CLOSE * span if math.isfinite(span) else 0.0,
        )
        engine = Engine(rules, self.method, plan, self.memory_limit, self._judge)
        engine.begin(self._moves, state_after(rules, self._moves))
        return engine

    @property
    def most_iterations(self) -> int:
        return 1

    @classmethod
    def names_a_place(cls, parameter: str, value: Any) -> bool:
        return parameter == "evaluation" and value is not None

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return 2**20 + 100 * sum(sizes.sets)  # the table, if every set is a position of its own

    def prepare(self) -> None:
        """Do nothing: building the engine has compiled the kernels, except for what the first call loads."""

    def run(self, iterations: int) -> None:
        """Search to the end, or for `pause_after` seconds; another call continues the search."""
        if count("iterations", iterations) == 0 or self.iterations == 1:
            return
        begun = time.perf_counter()
        while True:
            before = time.perf_counter()
            finished = self._engine.advance(self._slice)
            took = time.perf_counter() - before
            if finished and not self._next_depth():
                self.iterations = 1
                return
            self._slice = int(min(max(self._slice * min(SLICE / max(took, 1e-6), 4.0), 100), 2**40))
            self._spent += took
            if self.pause_after is not None and time.perf_counter() - begun >= self.pause_after:
                return

    def _next_depth(self) -> bool:
        """Take the result of a finished search; if another depth follows, begin it and return True."""
        engine = self._engine
        lower, upper = engine.result
        if self._judge is None:
            lower, upper = max(lower, self._found[0]), min(upper, self._found[1])
        self._found, self._complete, self._counts = (lower, upper), not engine.limited, engine.counts
        limit = engine.plan.limit
        if not self.deepening or self._complete or limit == self.depth:
            return False
        engine.begin(self._moves, state_after(self.game.rules, self._moves), engine.plan._replace(limit=limit + 1))
        return True

    def proof(self) -> InductionProof:
        """Return the bounds on the value of the position so far, and the work that they took."""
        lower, upper = self._found
        nodes, serial, solves, cuts = self._counts if self.iterations and self._counts else self._engine.counts
        if self.iterations == 0 and self._judge is None:
            low, high = self._engine.so_far()
            lower, upper = max(lower, low), min(upper, high)
        return InductionProof(lower, upper, self._complete, nodes + serial, serial, solves, cuts)

    def status(self) -> str:
        proof = self.proof()
        depth = "" if self.searched_depth is None else f"depth {self.searched_depth}   "
        rate = proof.nodes / max(self._spent, 1e-9)
        return f"{depth}{proof.nodes:,} nodes   {rate:,.0f} nodes/s   value in [{proof.lower:.6g}, {proof.upper:.6g}]"

    def findings(self) -> dict[str, Any]:
        proof = self.proof()
        ends = [end if math.isfinite(end) else None for end in (proof.lower, proof.upper)]
        counts = {"nodes": proof.nodes, "matrix_solves": proof.matrix_solves, "cutoffs": proof.cutoffs}
        return {**counts, "bounds": ends}

    def proven_values(self) -> tuple[float, ...] | None:
        """The values of the position: the gains from there on."""
        value = self.proof().value
        return None if value is None else (value, self._total() - value)

    def _total(self) -> float:
        """Return the sum of all players' gains from the position on, by playing once to the end."""
        rules, state, total = self.game.rules, state_after(self.game.rules, self._moves), 0.0
        while True:
            total += sum(rules.gains(state))
            following = following_moves(rules, state)
            if not following:
                return total
            state = rules.after(state, following[0])

    @property
    def searched_depth(self) -> int | None:
        """The depth limit, in moves, of the current or last search; None: no limit."""
        limit = self._engine.plan.limit
        return None if limit < 0 else limit

    def strategy(self, path: str = "") -> tuple[dict[str, float], dict[str, float]]:
        """Return what each player does at a position, by the names of actions; empty for a player that does not move.

        The path starts at the position of the search. A position that was cut off is solved now.
        """
        rules = self.game.rules
        state = state_after(rules, [*self._moves, *moves_on(self.game.rules, self._moves, path)])
        turn = rules.turn(state)
        named: tuple[dict[str, float], dict[str, float]] = ({}, {})
        if turn in (END, CHANCE):
            return named
        plays = self._ask(state)
        for player in movers(turn):
            menu = rules.actions(state, player)
            shares = zip(menu, plays[player].tolist(), strict=True)
            named[player].update({rules.action_text(player, action): share for action, share in shares})
        return named

    def value(self, path: str = "") -> tuple[float, float]:
        """Return bounds on the value to player 0 from a position on; they are equal unless a depth limit cuts.

        The path starts at the position of the search.
        """
        moves = moves_on(self.game.rules, self._moves, path)
        self._ask(state_after(self.game.rules, [*self._moves, *moves]), [*self._moves, *moves])
        return self._engine.result

    def _ask(self, state: Any, moves: Sequence[Any] | None = None) -> tuple[Floats, Floats]:
        """Search from another position after the search is finished, with its table."""
        if self.iterations == 0:
            raise UnsuitableError("the search is not finished: finish it before other positions are searched")
        self._engine.begin(self._moves if moves is None else moves, state, self._plan_for(state))
        while not self._engine.advance(2**40):
            pass
        return self._engine.strategies()

    def _plan_for(self, state: Any) -> ExactPlan:
        """Return the plan of a search from another position: with the rules' bounds there, or else a wider range.

        Information sets are not watched: they are known relative to one start only.
        """
        plan = self._engine.plan._replace(watched=0)
        if self.game.rules.bounds(state) is not None or not math.isfinite(self._least):
            return plan._replace(least=-math.inf, most=math.inf)
        span = self._most - self._least
        return plan._replace(least=self._least - span, most=self._most + span)

    def average(self) -> Strategy:
        """Return the strategies: an equilibrium of the whole game once the search is finished.

        For a part of a game, or a game too large to expand, the result is a policy.
        """
        if not isinstance(self.game, ExpandedGame):
            return self.policy()
        facts = {"method": self.method, "iterations": self.iterations}
        if self.iterations == 0:
            return Profile(self.game, uniform(self.game).strategies, facts)
        if self._strategies is None:
            self._strategies = answers.by_induction(self.game)  # in all subgames, also those that were cut
        return Profile(self.game, tuple(part.copy() for part in self._strategies), facts)

    def current(self) -> Strategy:
        return self.average()

    def policy(self) -> Policy:
        """Return a policy for the positions that a player's own strategy can lead to."""
        facts = {"method": self.method, "iterations": self.iterations, "path": self.at}
        if self.iterations == 0:
            return Policy.uniform(self.game)
        return answers.of_played(self.game, self._moves, self._ask, self.sets, facts)

    def state(self) -> dict[str, Any]:
        numbers = np.array([*self._found, float(self._complete)])
        return {"found": numbers, **kept(self._engine)}

    def accepts(self, state: Mapping[str, Any]) -> bool:
        return True  # the depth of the frames and the contents of the table vary: `restore` checks them

    def restore(self, iterations: int, state: Mapping[str, Any]) -> None:
        if "found" not in state or np.shape(state["found"]) != (3,):
            raise MismatchError("the state holds no bounds")
        low, high, complete = (float(number) for number in state["found"])
        if math.isnan(low) or math.isnan(high):
            raise MismatchError("the state holds no bounds")
        self._found, self._complete = (low, high), bool(complete)
        taken_over(self._engine, state)
        self.iterations, self._counts = iterations, self._engine.counts


class AlphaBeta(BackwardInduction):
    """Backward induction whose cells get bounds from the two serialised games, by alpha–beta, before any search."""

    method = "bi-ab"
    guarantee = Guarantee("the profile is a Nash equilibrium", rate="at once", caveat=OPEN)
    pruned = True


class DoubleOracle(BackwardInduction):
    """Backward induction that solves each joint node by double oracle, and searches only the cells that this needs."""

    method = "do"
    guarantee = Guarantee("the profile is a Nash equilibrium", rate="at once", caveat=OPEN)
    policy_of_nodes = rec.ORACLE


class DoubleOracleAlphaBeta(BackwardInduction):
    """Double oracle with intervals for cells from the serialised games; searches only cells that decide the bounds."""

    method = "do-ab"
    guarantee = Guarantee("the profile is a Nash equilibrium", rate="at once", caveat=OPEN)
    policy_of_nodes = rec.OPTIMIST
    pruned = True
