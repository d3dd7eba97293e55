"""Simultaneous-move Monte Carlo tree search from the rules of a game, anytime.

V. Lisý, V. Kovařík, M. Lanctot, B. Bošanský (2013), Convergence of Monte Carlo tree search in simultaneous move games.
Convergence to equilibrium, up to the exploration, is proven for rules whose nodes return means, and observed for those
that return samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np

from hannan import arguments
from hannan.arrays import Floats
from hannan.errors import MismatchError
from hannan.exclusion import OWNER, exclusive
from hannan.kernels.mcts import records as rec
from hannan.kernels.statuses import TOO_WIDE
from hannan.rules.plain import CHANCE, END, MOST_MOVES, movers
from hannan.rules.positions import moves, text_of
from hannan.rules.source import drive
from hannan.rules.standing import Position, Standing
from hannan.treesearch.selection import RULES, shares
from hannan.treesearch.walker import Walker

Named = tuple[dict[str, float], dict[str, float]]
"""What each of the two players does, by the names of actions; empty for who does not move."""


class Searcher(Walker):
    """A search under way. It keeps its tree: `search` and `run` go on, `advance` and `jump` move along a play.

    `rule` is one of `RULES`. `gamma` is its exploration, `returns` (sample or mean) what nodes return where the rule's
    name should not say it. `explore`: the rule itself (own), A* (star) or A+ (plus). `unvisited`: cells without a visit
    are left out of an update (skip), or count as 0 as in the authors' code (zero). `c` and `margin` are UCT's. `bounds`
    are the least and the most that player 0 can gain from the position `path` on. `tree`: each walk adds a leaf, and
    cells that nobody has tried come first (incremental), or all nodes are there from the start and the rule alone
    selects (full). `nodes` is the most that the tree may have. New leaves are judged by random play, by `rollout` (a
    function of the state and the player, to probabilities) or by `evaluation` (a function of the state, to what player
    0 can still expect to gain).
    """

    def __repr__(self) -> str:
        return f"Searcher({self.game.address} by {self.rule}, {self.iterations:,} iterations, {self.nodes:,} nodes)"

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
    def value(self) -> float | None:
        """The mean of what walks have returned to player 0 from the position on; None before the first."""
        node = self._growth.tree.number[0]
        if self.nodes == 0 or node[rec.VISITS] == 0:
            return None
        return float(node[rec.SUM] / node[rec.VISITS] / self._plan.scale + self._plan.low - self._before)

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

    def find(self, path: str = "") -> int | None:
        """Return the node of a position, by the moves on from where the search stands; None where it has none."""
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
    def strategy(self, path: str = "", *, averages: bool | None = None, exploration: bool = True) -> Named:
        """Return what each player does at a position: how often each action was played, or the average strategy.

        Without `averages`, what the rule's answer is. The path goes on from where the search stands; a position that
        no walk has come to is played uniformly.
        """
        wanted = RULES[self.rule].averages if averages is None else arguments.truth("averages", averages)
        arguments.truth("exploration", exploration)
        following = self._at.onward(path)
        rules, node = self.game.rules, self._descend(following)
        state = self._at.state
        for move in following:
            state = rules.after(state, move)
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
        """Return what one player does where the search stands, in the order of its actions."""
        averages, player = RULES[self.rule].averages, arguments.place("player", player, 2)
        if self.nodes == 0:
            many = len(list(self.game.rules.actions(self._at.state, player)))
            return self.shares(np.zeros(many), averages, exploration=True)
        return self.shares(self.numbers(0, averages)[player], averages, exploration=True)

    @exclusive
    def again(self, seed: int) -> Searcher:
        """Return another search of the same position with an empty tree and a seed of its own."""
        other = copy(self)
        del other.__dict__[OWNER]
        other.seed, other._at = arguments.seed(seed), Standing(self.game.rules, self._at.moves)
        other.parameters = {**self.parameters, "seed": other.seed}
        other._begin()
        return other

    @exclusive
    def move(self) -> tuple[str | None, str | None]:
        """Draw the action that each player should take now from its strategy; None for who does not move.

        The draw depends on the seed and the number of iterations alone.
        """
        draw = np.random.default_rng([self.seed % 2**64, self.iterations])
        chosen: list[str | None] = []
        for plays in self.strategy():
            shares = np.array(list(plays.values()))
            chosen.append(list(plays)[draw.choice(len(shares), p=shares / shares.sum())] if plays else None)
        return chosen[0], chosen[1]

    @exclusive
    def advance(self, path: str | Position) -> None:
        """Step to a position further on, by the names of moves (`(3,1)`, or several) or by a list of moves.

        What the tree knows of the position is kept, and the rest of the tree is freed.
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
        self._name()

    @exclusive
    def jump(self, path: str | Position) -> None:
        """Go to any position, by its moves from the start of play, such as `sight.position` of a rule in a match.

        From a position before it, this is `advance`. Elsewhere the search begins anew, with an empty tree.
        """
        wanted, here = self._at.from_start(path), self.position
        if tuple(wanted[: len(here)]) == here:
            self.advance(wanted[len(here) :])
            return
        self._at = Standing(self.game.rules, wanted)
        self._growth.clear()
        self._stand()
        self._name()

    def _name(self) -> None:
        self.path = text_of(self.game.rules, self._at.moves).removeprefix("r").removeprefix(":")

    @exclusive
    def state(self) -> dict[str, Any]:
        """Return copies of the arrays that a saved search needs to go on to the same bits."""
        told = {"before": np.array([self._before]), "range": np.array([self._plan.low, self._plan.scale])}
        return self._growth.state() | told

    @exclusive
    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over such arrays; refuse those in which walks would read what is not there."""
        self._growth.restore(state)
        self._place()
        if self.nodes:
            self._check_moves()
        self._before, (low, scale) = float(state["before"][0]), state["range"].tolist()  # of where the tree began
        unvisited = self._plan.unvisited if math.isnan(self._plan.unvisited) else -low * scale
        self._plan = self._plan._replace(low=low, scale=scale, unvisited=unvisited)

    def _check_moves(self) -> None:
        """Refuse a tree whose nodes have other movers or numbers of moves than the rules have: play all of it."""
        from hannan.kernels.mcts.replay import checker

        kernel, book, growth = checker(), self._source.book, self._growth
        states = np.zeros((MOST_MOVES + 2, self._source.state_size), np.int64)
        path, now = np.zeros((MOST_MOVES + 2, 2), np.int64), growth.walk.now.copy()
        drive(
            self._source,
            lambda: kernel(*book, growth.tree, growth.walk, states, path),
            lambda status: MismatchError("there are other moves in the game than when this search was saved"),
            {TOO_WIDE: self._widen},
            growth.written,
        )
        growth.walk.now[:] = now
