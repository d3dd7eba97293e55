"""The walks of a tree search: made one by one from a position, counted or timed, in a tree that grows."""

from __future__ import annotations

import time
from typing import Any

from hannan import arguments
from hannan.errors import HannanError, ParameterError, SizeError, UnsuitableError
from hannan.exclusion import exclusive
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load
from hannan.interrupts import Halted
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import SearchTree
from hannan.kernels.statuses import ADVICE_FAILED, HIDDEN, MORE_NODES, TOO_WIDE
from hannan.rules.doors import source_of
from hannan.rules.paths import node_text
from hannan.rules.positions import (
    THOROUGHLY,
    look_for_hidden,
    moves_of,
    numbers_of,
    played_on,
    refuse_hidden,
    second_history,
)
from hannan.rules.source import drive
from hannan.rules.standing import Standing
from hannan.treesearch.advice import Advice
from hannan.treesearch.growth import Growth
from hannan.treesearch.judges import judge_from
from hannan.treesearch.ranges import Range, checked_bounds, expanded_range, told_range
from hannan.treesearch.selection import plan_of, walk_error

TREES = ("incremental", "full")

SLICE = 0.1
"""Seconds of walks between two looks at the clock, at most."""


class Walker:
    """Walks from a position of a game; `hannan.Searcher` reads answers from the tree that they grow."""

    def __init__(
        self,
        game: Loadable,
        rule: str = "rm-mean",
        *,
        path: str = "",
        gamma: float | None = None,
        seed: int = 0,
        bounds: Range | str | None = None,
        tree: str = "incremental",
        nodes: int = 10_000_000,
        returns: str | None = None,
        explore: str = "own",
        unvisited: str = "skip",
        c: float = 2.0,
        margin: float = 0.01,
        rollout: Any = None,
        evaluation: Any = None,
    ) -> None:
        self.game = load(game).played()
        self.rule, self.path, self.seed = rule, path, arguments.seed(seed)
        self._function, told = judge_from(rollout, "rollout") if evaluation is None else judge_from(evaluation)
        if rollout is not None and evaluation is not None:
            raise ParameterError("rollout and evaluation exclude each other: one of them judges a new leaf")
        judge = rec.RANDOM_PLAY if told is None else rec.EVALUATION if rollout is None else rec.POLICY
        self._bounds = checked_bounds(bounds)
        self._settings: dict[str, Any] = {
            "gamma": gamma, "returns": returns, "explore": explore, "unvisited": unvisited, "c": c, "margin": margin,
            "judge": judge, "apart": rec.BY_STATE,
        }  # fmt: skip
        rules = self.game.rules
        self._full = arguments.choice("tree", tree, TREES) == "full"
        self.parameters: dict[str, Any] = {
            "gamma": self._planned(0.0, 1.0).gamma,
            "seed": self.seed,
            "bounds": None if self._bounds is None else list(self._bounds),
            "tree": tree, "nodes": arguments.whole("nodes", nodes),
            "returns": returns, "explore": explore, "unvisited": unvisited, "c": float(c), "margin": float(margin),
            "rollout": told if rollout is not None else None,
            "evaluation": told if evaluation is not None else None,
        }  # fmt: skip
        if self.game.players != 2:
            raise UnsuitableError(
                f"search is for two-player zero-sum games, and {self.game.address} has {self.game.players} players; "
                "take cfr, whose average play approaches a coarse correlated equilibrium"
            )
        if not isinstance(path, str):
            raise ParameterError(f"path={arguments.shown(path)} should be the names of moves, joined by colons")
        self._at = Standing(rules, moves_of(rules, path))
        look_for_hidden(rules, "search", self._at.moves)
        self._begin()

    def _begin(self) -> None:
        """Make room for the tree, and stand at the position."""
        self._source = source = source_of(self.game.rules, seen=hash, stacked=True)
        self._position, written = source.optional("position")
        self._settings["apart"] = rec.BY_POSITION if written else rec.BY_STATE
        self._growth = Growth(source.state_size, max(source.width, 2), self.parameters["nodes"], self.seed)
        self._advice = None if self._function is None else Advice(self._function, self._where)
        self._stand()

    def _stand(self) -> None:
        """Begin with an empty tree at the position that the moves lead to."""
        low, high = self._range()
        self._before = 0.0
        """What was gained, of what the tree counts, before its first node."""
        self._plan = self._planned(low, high)
        self._place()

    def _planned(self, low: float, high: float) -> rec.SearchPlan:
        return plan_of(self.rule, **self._settings, low=low, high=high)

    def _place(self) -> None:
        """Put the state of the position where walks begin."""
        at, walk = self._at, self._growth.walk
        self._source.put(walk.state[0], at.state, numbers_of(at.rules, at.moves))

    def _range(self) -> Range:
        bounds = self._bounds if self._bounds is not None else told_range(self.game.rules, self._at.moves)
        if bounds is None and isinstance(self.game, ExpandedGame):
            bounds = expanded_range(self.game, self._at.moves)
        if bounds is None:
            raise UnsuitableError(
                f"search needs to know the least and the most that player 0 can gain in {self.game.address}: write "
                "bounds() into the rules, or give bounds=(low, high) (--bounds LOW,HIGH)"
            )
        return bounds

    @property
    def tree(self) -> SearchTree:
        """The arrays of the tree."""
        return self._growth.tree

    @property
    def scale(self) -> float:
        """One over the range of player 0's gains."""
        return self._plan.scale

    @property
    def iterations(self) -> int:
        """How many walks were made."""
        return int(self._growth.walk.now[rec.ITERATIONS])

    @property
    def nodes(self) -> int:
        """How many nodes the tree has."""
        return self._growth.nodes

    @property
    def bytes(self) -> int:
        """Bytes of these nodes and all that is kept with them."""
        return self._growth.bytes

    @exclusive
    def prepare(self) -> None:
        """Compile the walk; write the whole tree down where it is wanted."""
        self._go(self.iterations)

    @exclusive
    def run(self, iterations: int) -> None:
        """Make so many walks more."""
        self._go(self.iterations + arguments.count("iterations", iterations))

    @exclusive
    def search(self, seconds: float | None = None, *, iterations: int | None = None) -> int:
        """Search on for `seconds` of time or `iterations` walks, whichever ends first; return the number of walks made.

        The clock starts once the walk is compiled and, with tree="full", the tree is written down; `prepare` does both
        in advance. When the time is up in the middle of a walk through plain rules, or of one that asks `rollout` or
        `evaluation`, the walk is given up before its next question, and the next call makes the same walk again.
        """
        if seconds is None and iterations is None:
            raise ParameterError("say how long to search: seconds or iterations")
        before = self.iterations
        until = 2**62 if iterations is None else before + arguments.count("iterations", iterations)
        if seconds is None:
            self._go(until)
        else:
            self._go_for(arguments.positive("seconds", seconds), until)
        return self.iterations - before

    def _go_for(self, seconds: float, until: int) -> None:
        self._make_ready()
        end, size = time.perf_counter() + seconds, 1
        self._source.enough = enough = lambda: time.perf_counter() >= end
        if self._advice is not None:
            self._advice.enough = enough
        try:
            while self.iterations < until and not enough():
                before = time.perf_counter()
                self._go(min(self.iterations + size, until))
                now = time.perf_counter()
                share = min(SLICE, (end - now) / 2) / max(now - before, 1e-9)
                size = max(1, min(2 * size, int(size * share)))
        except Halted:
            pass
        finally:
            self._source.enough = None
            if self._advice is not None:
                self._advice.enough = None

    def _make_ready(self) -> tuple[Any, Any]:
        """Compile the walk, and write the whole tree down if that is wanted; return the walk and what it asks."""
        from hannan.kernels.mcts.walk import no_advice, walker
        from hannan.kernels.mcts.whole_tree import builder

        if self._full and self.nodes == 0:
            try:
                self._drive(builder())
            except BaseException:
                self._growth.clear()
                raise
        return walker(self._plan.rule), no_advice() if self._advice is None else self._advice.source

    def _go(self, until: int) -> None:
        walk, advice = self._make_ready()
        self._growth.walk.now[rec.UNTIL] = until
        self._drive(walk, advice)

    def _drive(self, kernel: Any, *advice: Any) -> None:
        """Call a kernel until it is done; make room, and look at what it doubts."""
        book, position, growth = self._source.book, self._position, self._growth
        answers = {MORE_NODES: self._grow, HIDDEN: self._doubt, TOO_WIDE: self._widen}
        if self._advice is not None:
            answers[ADVICE_FAILED] = self._advice.raise_error
        drive(
            self._source,
            lambda: kernel(*book, *advice, position, growth.tree, growth.walk, self._plan),
            self._error,
            answers,
            growth.written,
        )

    def _grow(self) -> None:
        growth = self._growth
        growth.grow()
        if self._full and growth.walk.now[rec.FULL]:
            raise SizeError(
                f"the tree of {self.game.address} has more than {growth.most:,} nodes: take tree='incremental', or "
                "allow more with nodes"
            )

    def _widen(self) -> None:
        self._growth.widen(self._source.width)

    def _error(self, status: int) -> HannanError:
        state, where = self._where()
        return walk_error(status, self._plan, self._growth.walk, self.game.rules, where, state)

    def _doubt(self) -> None:
        """Refuse hidden information where there really is a second position; a hash may be met twice by chance."""
        rules, now = self.game.rules, self._growth.walk.now
        history = played_on(rules, self._at.moves, self._growth.walk.trail[: now[rec.LENGTH]].tolist())
        other = second_history(rules, history, int(now[rec.WHOSE]), THOROUGHLY)
        if other is not None:
            refuse_hidden(rules, int(now[rec.WHOSE]), history, other, "search")
        now[rec.TRUSTED] = 1

    def _where(self) -> tuple[Any, str]:
        """Return the state where the walk is, as the rules know it, and its name."""
        rules, walk = self.game.rules, self._growth.walk
        steps = numbers_of(rules, self._at.moves) + walk.trail[: walk.now[rec.LENGTH]].tolist()
        return self._source.state(walk.state[1]), node_text(rules, steps)
