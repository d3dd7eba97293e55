"""Simultaneous-move Monte Carlo tree search from the rules of a game, anytime.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), Convergence of Monte Carlo tree search in simultaneous move games.
Convergence to an approximate equilibrium is proven for Hannan consistent rules whose nodes return means, up to a factor
that grows with the depth of the game (Theorem 4.11); it is observed if nodes return samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from typing import Annotated, Any, Unpack

import numpy as np

from hannan import arguments
from hannan.arguments import Option, settled
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError, SizeError, UnsuitableError
from hannan.exclusion import OWNER, exclusive
from hannan.forms.loader import Loadable, load
from hannan.kernels.mcts import records as rec
from hannan.kernels.mcts.records import SearchTree
from hannan.kernels.statuses import ADVICE_FAILED, HIDDEN, MORE_NODES, TOO_WIDE
from hannan.options import declaring
from hannan.rules.doors import source_of
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, movers
from hannan.rules.positions import (
    THOROUGHLY,
    look_for_hidden,
    moves,
    moves_of,
    numbers_of,
    played_on,
    refuse_hidden,
    second_history,
    text_of,
)
from hannan.rules.source import drive
from hannan.rules.standing import Position, Standing
from hannan.treesearch.advice import Advice
from hannan.treesearch.deadline import walk_until
from hannan.treesearch.growth import Growth
from hannan.treesearch.judges import judge_from
from hannan.treesearch.options import RULE, SearcherOptions
from hannan.treesearch.ranges import checked_bounds, known_range
from hannan.treesearch.replay import check_moves
from hannan.treesearch.selection import check_first_visits, plan_of, rule_of, shares, walk_error
from hannan.treesearch.userrule import SelectionRule

Named = tuple[dict[str, float], dict[str, float]]
"""Both players' probabilities by the names of actions; empty for a player that does not move."""


class Searcher:
    """A search that keeps its tree: `search` and `run` extend the tree, `advance` and `jump` follow a play."""

    @declaring(SearcherOptions)
    def __init__(
        self,
        game: Annotated[Loadable, Option("The game. Only the current joint move may be hidden in it.")],
        rule: Annotated[str | SelectionRule | type[SelectionRule], RULE] = "rm-mean",
        **options: Unpack[SearcherOptions],
    ) -> None:
        """Begin a search."""
        chosen = settled("search", SearcherOptions, options, "rule")
        self.given = rule, dict(options)
        """The rule and the options that this search was made from."""
        rollout, evaluation, bounds = chosen["rollout"], chosen["evaluation"], chosen["bounds"]
        self.game = load(game).played()
        self.rule, self._rule = rule_of(rule)
        self.path, self.seed = chosen["at"], chosen["seed"]
        self._function, told = judge_from(rollout, "rollout") if evaluation is None else judge_from(evaluation)
        if rollout is not None and evaluation is not None:
            raise ParameterError("rollout and evaluation exclude each other: one of them judges a new leaf")
        judge = rec.RANDOM_PLAY if told is None else rec.EVALUATION if rollout is None else rec.POLICY
        self._bounds = checked_bounds(bounds)
        self._settings: dict[str, Any] = {
            "gamma": chosen["gamma"], "returns": chosen["returns"], "explore": chosen["explore"],
            "unvisited": chosen["unvisited"], "c": chosen["c"], "margin": chosen["margin"], "judge": judge,
            "apart": rec.BY_STATE, "first_visits": chosen["first_visits"],
        }  # fmt: skip
        rules = self.game.rules
        self._full = chosen["tree"] == "full"
        check_first_visits(chosen["first_visits"], chosen["tree"])
        self.parameters: dict[str, Any] = {
            **{name: value for name, value in chosen.items() if name != "at"},
            "gamma": self._planned(0.0, 1.0).gamma,
            "bounds": None if self._bounds is None else list(self._bounds),
            "c": float(chosen["c"]), "margin": float(chosen["margin"]),
            "rollout": told if rollout is not None else None,
            "evaluation": told if evaluation is not None else None,
        }  # fmt: skip
        if self.game.players != 2:
            raise UnsuitableError(
                f"search is for two-player zero-sum games, and {self.game.address} has {self.game.players} players; "
                "take cfr, whose average play approaches a coarse correlated equilibrium"
            )
        if not isinstance(self.path, str):
            raise ParameterError(f"at={arguments.shown(self.path)} should be the names of moves, joined by colons")
        self._at = Standing(rules, moves_of(rules, self.path))
        look_for_hidden(rules, "search", self._at.moves)
        self._begin()

    def __repr__(self) -> str:
        return f"Searcher({self.game.address} by {self.rule}, {self.iterations:,} iterations, {self.nodes:,} nodes)"

    def _begin(self) -> None:
        """Make room for the tree, and start at the position."""
        self._source = source = source_of(self.game.rules, seen=hash, stacked=True)
        self._position, written = source.optional("position")
        self._settings["apart"] = rec.BY_POSITION if written else rec.BY_STATE
        self._growth = Growth(source.state_size, max(source.width, 2), self.parameters["nodes"], self.seed)
        self._advice = None if self._function is None else Advice(self._function, self._where)
        self._stand()

    def _stand(self) -> None:
        """Begin with an empty tree at the position that the moves lead to."""
        low, high = known_range(self.game, self._at.moves) if self._bounds is None else self._bounds
        self._before = 0.0
        """The part of the gains in the tree that came before its first node."""
        self._plan = self._planned(low, high)
        self._place()

    def _planned(self, low: float, high: float) -> rec.SearchPlan:
        return plan_of(self._rule, **self._settings, low=low, high=high)

    def _place(self) -> None:
        """Let walks begin at the state of the position."""
        at, walk = self._at, self._growth.walk
        self._source.put(walk.state[0], at.state, numbers_of(at.rules, at.moves))

    @property
    def averages(self) -> bool:
        """Whether the rule's answer is its average strategy; else it is how often each action was played."""
        return self._rule.averages

    @property
    def position(self) -> tuple[Any, ...]:
        """The moves from the start of play to where the search stands, joint moves as tuples; `path` names them."""
        return tuple(self._at.moves)

    @property
    def over(self) -> bool:
        """Whether play has ended where the search stands."""
        return self._at.over

    @property
    def gains(self) -> tuple[float, ...]:
        """What each player has gained from the start of play to where the search stands."""
        return tuple(self._at.gains)

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
        """Bytes of the nodes and of all that is kept with them."""
        return self._growth.bytes

    @property
    def value(self) -> float | None:
        """The mean of what walks have returned to player 0 from the position on; None before the first."""
        node = self._growth.tree.number[0]
        if self.nodes == 0 or node[rec.VISITS] == 0:
            return None
        return float(node[rec.SUM] / node[rec.VISITS] / self._plan.scale + self._plan.low - self._before)

    @exclusive
    def prepare(self) -> None:
        """Compile the walk; with tree="full", build the tree too."""
        self._go(self.iterations)

    @exclusive
    def run(self, iterations: int) -> None:
        """Make `iterations` more walks."""
        self._go(self.iterations + arguments.count("iterations", iterations))

    @exclusive
    def search(self, seconds: float | None = None, *, iterations: int | None = None) -> int:
        """Search on for `seconds` of time or `iterations` walks, whichever ends first; return the number of walks made.

        The clock starts once the walk is compiled and, with tree="full", the tree is built; `prepare` does both in
        advance. If the time ends during a walk that calls plain rules, `rollout` or `evaluation`, the walk is abandoned
        before its next call, and the next search makes the same walk again.
        """
        if seconds is None and iterations is None:
            raise ParameterError("give seconds or iterations: how long to search")
        before = self.iterations
        until = 2**62 if iterations is None else before + arguments.count("iterations", iterations)
        if seconds is None:
            self._go(until)
        else:
            seconds = arguments.positive("seconds", seconds)
            self._make_ready()
            asked = (self._source,) if self._advice is None else (self._source, self._advice)
            walk_until(self._go, lambda: self.iterations, until, seconds, self._growth, asked)
        return self.iterations - before

    def _make_ready(self) -> Any:
        """Return the compiled walk; with tree="full", build the tree first."""
        from hannan.kernels.mcts.walk import walker
        from hannan.kernels.mcts.whole_tree import builder

        if self._full and self.nodes == 0:
            try:
                self._drive(builder())
            except BaseException:
                self._growth.clear()
                raise
        return walker(self._plan.rule)

    def _go(self, until: int) -> None:
        from hannan.kernels.mcts.walk import no_advice

        walk = self._make_ready()
        self._growth.walk.now[rec.UNTIL] = until
        self._drive(walk, no_advice() if self._advice is None else self._advice.source)
        if self._rule.users is not None:
            self._rule.users.check(self._growth.tree.stat[: self._growth.walk.now[rec.USED_STATS]])

    def _drive(self, kernel: Any, *advice: Any) -> None:
        """Call a kernel until it is done; on its requests, make room or check for hidden information."""
        book, position, growth = self._source.book, self._position, self._growth
        answers = {MORE_NODES: self._grow, HIDDEN: self._doubt, TOO_WIDE: self._widen}
        if self._advice is not None:
            answers[ADVICE_FAILED] = self._advice.raise_error
        drive(
            self._source,
            lambda: kernel(*book, *advice, position, growth.tree, growth.walk, growth.told(self._plan)),
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
        """Refuse hidden information if a second position really exists; two positions may share a hash by chance."""
        rules, now = self.game.rules, self._growth.walk.now
        history = played_on(rules, self._at.moves, self._growth.walk.trail[: now[rec.LENGTH]].tolist())
        other = second_history(rules, history, int(now[rec.WHOSE]), THOROUGHLY)
        if other is not None:
            refuse_hidden(rules, int(now[rec.WHOSE]), history, other, "search")
        now[rec.TRUSTED] = 1

    def _where(self) -> tuple[Any, str]:
        """Return the state where the walk is, in the form that the rules use, and the name of its node."""
        rules, walk = self.game.rules, self._growth.walk
        steps = numbers_of(rules, self._at.moves) + walk.trail[: walk.now[rec.LENGTH]].tolist()
        return self._source.state(walk.state[1]), node_text(rules, steps)

    @exclusive
    def numbers(self, node: int, averages: bool = False) -> tuple[Floats, Floats]:
        """Return the counts of both players' actions at a node of the tree, or the sums of their strategies."""
        tree, averages = self._growth.tree, arguments.truth("averages", averages)
        node = arguments.place("node", node, max(1, self.nodes))
        place, both = int(tree.node[node, rec.STATS]), list[Floats]()
        for size in (int(tree.node[node, rec.ROWS]), int(tree.node[node, rec.COLUMNS])):
            part = place + (rec.AVERAGE if averages else rec.COUNT) * size
            both.append(np.ones(1) if size == 1 else tree.stat[part : part + size].copy())
            place += 3 * size if size > 1 else 0
        return both[0], both[1]

    def shares(self, sums: Floats, averages: bool, exploration: bool, begin: Any = None) -> Floats:
        """Return counts or sums as probabilities, with the rule's exploration or without it; see `selection.shares`."""
        return shares(self._plan, sums, averages, exploration, begin)

    def find(self, path: str | Position = "") -> int | None:
        """Return the node of a position, by the moves from where the search stands; None if it is not in the tree."""
        return self._descend(self._at.onward(path))

    def _descend(self, following: list[Any]) -> int | None:
        tree, node = self._growth.tree, 0
        if self.nodes == 0:
            return None
        rules, state = self.game.rules, self._at.state
        for move in following:
            node = int(tree.cell[tree.node[node, rec.CELLS] + moves(rules, state).index(move)])
            if node == 0:
                return None
            state = rules.after(state, move)
        return node

    @exclusive
    def strategy(self, path: str | Position = "", *, averages: bool | None = None, exploration: bool = True) -> Named:
        """Return what each player does at a position: how often each action was played, or the average strategy.

        Default of `averages`: what the rule uses. The path starts where the search stands. At a position that is not in
        the tree, play is uniform.
        """
        wanted = self.averages if averages is None else arguments.truth("averages", averages)
        arguments.truth("exploration", exploration)
        following = self._at.onward(path)
        rules, node = self.game.rules, self._descend(following)
        state = self._at.after(following)
        turn = rules.turn(state)
        named: Named = ({}, {})
        for player in () if turn in (END, CHANCE) else movers(turn):
            menu = list(rules.actions(state, player))
            sums = np.zeros(len(menu)) if node is None else self.numbers(node, wanted)[player]
            plays = self.shares(sums, wanted, exploration)
            named[player].update(
                {rules.action_text(player, a): float(share) for a, share in zip(menu, plays, strict=True)}
            )
        return named

    @exclusive
    def plays(self, player: int) -> Floats:
        """Return the probabilities of one player's actions where the search stands."""
        averages, player = self.averages, arguments.place("player", player, 2)
        if self.nodes == 0:
            many = len(list(self.game.rules.actions(self._at.state, player)))
            return self.shares(np.zeros(many), averages, exploration=True)
        return self.shares(self.numbers(0, averages)[player], averages, exploration=True)

    @exclusive
    def again(self, seed: int) -> Searcher:
        """Return another search of the same position, with an empty tree and this seed."""
        other = copy(self)
        del other.__dict__[OWNER]
        other.seed, other._at = arguments.seed(seed), Standing(self.game.rules, self._at.moves)
        other.parameters = {**self.parameters, "seed": other.seed}
        other._begin()
        return other

    @exclusive
    def move(self) -> tuple[str | None, str | None]:
        """Draw the action that each player should take now from its strategy; None for a player that does not move.

        The random numbers depend only on the seed and the number of iterations.
        """
        draw = np.random.default_rng([self.seed % 2**64, self.iterations])
        chosen: list[str | None] = []
        for plays in self.strategy():
            shares = np.array(list(plays.values()))
            chosen.append(list(plays)[draw.choice(len(shares), p=shares / shares.sum())] if plays else None)
        return chosen[0], chosen[1]

    @exclusive
    def advance(self, path: str | Position) -> None:
        """Move to a later position, by the names of moves (`(3,1)`, or several) or by a list of moves.

        The part of the tree below the position is kept, and the rest is freed.
        """
        following = self._at.onward(path)
        node = self._descend(following)
        self._at.go(following)
        if node is None:
            self._growth.clear()
            self._stand()
        else:
            own = float(self.game.rules.gains(self._at.state)[0])
            self._before = float(self._growth.tree.number[node, rec.GAIN]) - own
            self._growth.keep(node)
            self._place()
        self.path = text_of(self.game.rules, self._at.moves).removeprefix("r").removeprefix(":")

    @exclusive
    def jump(self, path: str | Position) -> None:
        """Go to any position, by its moves from the start of play, such as `sight.position` of a rule in a match.

        If the search stands at an earlier position of the same play, this is `advance`. Otherwise the search begins
        anew, with an empty tree.
        """
        wanted, here = self._at.from_start(path), self.position
        if tuple(wanted[: len(here)]) != here:
            self._at, here = Standing(self.game.rules), ()
            self._growth.clear()
        self.advance(wanted[len(here) :])

    @exclusive
    def state(self) -> dict[str, Any]:
        """Return copies of the arrays that a saved search needs to go on to the same bits."""
        told = {"before": np.array([self._before]), "range": np.array([self._plan.low, self._plan.scale])}
        return self._growth.state() | told

    @exclusive
    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the arrays of a saved search; refuse arrays in which walks would read out of bounds."""
        self._growth.restore(state)
        self._place()
        if self.nodes:
            check_moves(self._source, self._growth, self._widen)
        self._before, (low, scale) = float(state["before"][0]), state["range"].tolist()  # as when the tree began
        unvisited = self._plan.unvisited if math.isnan(self._plan.unvisited) else -low * scale
        self._plan = self._plan._replace(low=low, scale=scale, unvisited=unvisited)
