"""Rules as a black box, which states only the facts that the caller allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from hannan.arguments import choice
from hannan.errors import ChanceError, ParameterError, UnsuitableError
from hannan.rules.bounds import Bounds
from hannan.rules.box import Box, ChanceMove, Child, Met, Similar, View
from hannan.rules.compiled import CompiledRules, bits
from hannan.rules.paths import node_text
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.promises import counted, observed, refuse, wrong_chance, wrong_turn
from hannan.rules.similarity import Similarity
from hannan.splitmix import Uniforms

Groups = Literal["none", "history", "rules", "known"]
"""The facts that the box states about chance: none; that players do not influence it, so that nodes with the same
earlier draws share a distribution; the groups that the rules name; or the exact distributions."""

BoundsOf = Callable[[Sequence[int]], Bounds | None]
"""A function that takes the numbers of the moves so far and returns the bounds at this node."""

Told = BoundsOf | Literal["rules"] | None
"""The bounds that the box states: those of a given function, those of the rules, or no bounds."""


class _Node(NamedTuple):
    """The answers of the rules at the current node."""

    turn: Any
    gains: Sequence[float]
    bounds: Bounds | None
    movers: Sequence[int] = ()
    menus: Sequence[list[Any]] = ()
    seen: Sequence[Any] = ()
    outcomes: Sequence[tuple[Any, float]] = ()
    group: Any = None
    similar: Similar | None = None


class RulesBox(Box):
    """A black box that plays rules from the start, with chance drawn from the seed."""

    def __init__(
        self, rules: Rules, *, bounds: Told = "rules", groups: Groups = "none", children: bool = False,
        similar: bool = False,
    ) -> None:  # fmt: skip
        """Parameters select the facts that the box states: `bounds` those about later gains, `groups` about chance.

        children: whether the box states facts about children. similar: whether it states the families of chance nodes
        that the rules define.
        """
        choice("groups", groups, get_args(Groups))
        if similar and not rules.writes("similar"):
            raise UnsuitableError(
                f"{rules.name or type(rules).__name__} does not define similar(): leave `similar` out, or define it"
            )
        if similar and groups == "known":
            raise ParameterError("similar has no use with groups='known', which states all odds: leave one of them out")
        if bounds == "rules" and not rules.writes("bounds"):
            bounds = None
        if children and bounds is None:
            raise ParameterError("children=True needs bounds: give `bounds` as well")
        self.rules, self.bounds, self.groups, self.children = rules, bounds, groups, children
        self.similar = similar
        self.players, self.name = rules.players, rules.name or type(rules).__name__
        self._uniforms = Uniforms(0)
        self._path: list[int] = []  # the numbers of the moves so far
        self._draws: list[int] = []  # the numbers of the moves of chance alone
        self._drawn = (0, None)  # the number and the name of the outcome just drawn
        self._odds: dict[Any, list[float]] = {}  # of each group that play has reached
        self._similarity = Similarity()
        self._met: list[Met] = []  # in this play
        self._comparing = True
        self._node = _Node(END, (), None)
        self._state: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.rules, self.bounds, self.groups, self.children, self.similar)

    def reset(self, seed: int) -> View:
        self._uniforms = Uniforms(seed)
        self._path, self._draws, self._met = [], [], []
        self._begin()
        return self._view()

    def step(self, moves: tuple[Any, ...]) -> View:
        turn = self._node.turn
        if turn == CHANCE:
            number, move = self._drawn
            self._draws.append(number)
        else:
            number, move = 0, moves if isinstance(turn, tuple) else moves[0]
            for menu, action in zip(self._node.menus, moves, strict=True):
                number = number * len(menu) + menu.index(action)
        self._path.append(number)
        self._go(move)
        return self._view()

    def action_text(self, player: int, action: Any) -> str:
        return self.rules.action_text(player, action)

    def observation_text(self, player: int, observation: Any) -> str:
        return self.rules.observation_text(player, observation)

    def _begin(self) -> None:
        self._state = self.rules.start()

    def _go(self, move: Any) -> None:
        self._state = self.rules.after(self._state, move)

    def _ask(self) -> _Node:
        """Return all answers of the rules at the current node."""
        rules, state = self.rules, self._state
        turn = rules.turn(state)
        refuse(wrong_turn(turn, self.players))
        gains = rules.gains(state)
        bounds = rules.bounds(state) if self.bounds == "rules" else None
        if turn == END:
            return _Node(turn, gains, bounds)
        if turn == CHANCE:
            group = rules.chance_group(state) if self.groups == "rules" else None
            outcomes = rules.chance(state)
            refuse(wrong_chance(outcomes), ChanceError)
            similar = rules.similar(state) if self.similar else None
            return _Node(turn, gains, bounds, outcomes=outcomes, group=group, similar=similar)
        who = movers(turn)
        menus = [list(rules.actions(state, player)) for player in who]
        return _Node(turn, gains, bounds, who, menus, [rules.observe(state, player) for player in who])

    def _view(self) -> View:
        self._node = node = self._ask()
        turn, gains, bounds, who, menus, seen, outcomes, *_ = node
        if callable(self.bounds):
            bounds = self.bounds(self._path)
        if turn == END:
            return View(gains, bounds)
        if turn == CHANCE:
            children = self._told([outcome for outcome, _ in outcomes]) if self.children else None
            return View(gains, bounds, draw=self._draw(outcomes), children=children)
        children = None
        if self.children:
            joint = product(*menus)
            children = self._told(list(joint) if isinstance(turn, tuple) else [move for (move,) in joint])
        return View(gains, bounds, who, menus, seen, None, children)

    def _told(self, moves: Sequence[Any]) -> list[Child]:
        """Return the gains and bounds of every child."""
        told = []
        for number, move in enumerate(moves):
            state = self.rules.after(self._state, move)
            bounds = self.bounds([*self._path, number]) if callable(self.bounds) else self.rules.bounds(state)
            assert bounds is not None
            told.append(Child(self.rules.gains(state), bounds))
        return told

    def _draw(self, outcomes: Sequence[tuple[Any, float]]) -> ChanceMove:
        """Draw one outcome, and return it with the facts that may be stated about the distribution."""
        place, left = len(outcomes) - 1, self._uniforms.next()
        for k, (_, weight) in enumerate(outcomes):
            left -= weight
            if left < 0:
                place = k
                break
        while outcomes[place][1] <= 0:  # rounding must not draw an outcome of probability 0
            place -= 1
        outcome = outcomes[place][0]
        self._drawn = place, outcome
        names = [name for name, _ in outcomes]
        weights = [weight for _, weight in outcomes]
        if self.groups == "known":
            return ChanceMove(outcome, names, odds=weights)
        group = tuple(self._draws) if self.groups == "history" else self._node.group
        similar = self._node.similar
        if group is not None or similar is not None:
            self._met.append((tuple(self._path), group, weights, similar))
            if self._comparing:
                self.compare_odds(self._met[-1:])
        return ChanceMove(outcome, names, group=group, similar=similar)

    def recall_odds(self, group: Any, weights: list[float]) -> None:
        """Store the probabilities at the first node of a group, met in a play of another box."""
        self._odds.setdefault(group, weights)

    def leave_odds(self) -> None:
        self._comparing = False

    def odds_met(self) -> Sequence[Met]:
        return self._met

    def compare_odds(self, met: Sequence[Met]) -> None:
        """Refuse probabilities that do not fit into their group or family: shared counts would be meaningless."""
        for path, group, weights, similar in met:
            if similar is not None and (sentence := self._similarity.wrong(similar, weights)) is not None:
                raise UnsuitableError(f"{node_text(self.rules, path)}: {sentence}")
            if group is None:
                continue
            known = self._odds.setdefault(group, weights)
            if known != weights and not (len(known) == len(weights) and np.allclose(known, weights, rtol=0, atol=1e-9)):
                history = self.groups == "history"
                why = "players influence chance" if history else f"chance_group() says {group!r} at both"
                raise UnsuitableError(
                    f"{node_text(self.rules, path)}: chance draws with probabilities {weights} here, and "
                    f"{known} at another node of the same group; {why}: take groups='none' or groups='known'"
                )


class CompiledBox(RulesBox):
    """`RulesBox` for compiled rules: one compiled call per node makes the move and collects all answers."""

    rules: CompiledRules

    def __init__(
        self, rules: CompiledRules, *, bounds: Told = "rules", groups: Groups = "none", children: bool = False,
        similar: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(rules, bounds=bounds, groups=groups, children=children, similar=similar)
        from hannan.kernels.look import looker
        from hannan.kernels.pointers import address_of

        _, *asked = rules.compiled()  # turn, actions, chance, move, observe, gains
        asked.append(rules.compiled_optional("chance_group") if groups == "rules" else None)
        asked.append(rules.compiled_optional("bounds") if self.bounds == "rules" else None)
        self._functions = asked  # keeps them alive, so that their addresses stay valid
        players, width = rules.players, rules.width
        self._here, self._choice = np.zeros(rules.state_size, np.int64), np.zeros(players, np.int64)
        self._longs = np.zeros(2 + players * (2 + width), np.int64)
        self._floats = np.zeros(3 * players + width)
        self._first = np.array(rules.start(), np.int64)
        self._look = partial(
            looker(), *(0 if function is None else address_of(function) for function in asked), rules.table,
            self._here, self._choice, players, width, self._longs, self._floats,
        )  # fmt: skip

    def _begin(self) -> None:
        self._here[:] = self._first
        self._moved = False

    def _go(self, move: Any) -> None:
        for k, action in enumerate(move if isinstance(move, tuple) else (move,)):
            self._choice[k] = action
        self._moved = True

    def _ask(self) -> _Node:
        turn = self._look(self._moved)
        players, width = self.players, self.rules.width
        longs, floats = self._longs.tolist(), self._floats.tolist()
        if self.children:
            self._state = tuple(self._here.tolist())
        gains, bounds = floats[:players], None
        if self.bounds == "rules":
            bounds = [(floats[k], floats[k + 1]) for k in range(players, 3 * players, 2)]
        who = bits(turn)
        named = turn if turn < 0 else who if len(who) > 1 else who[0] if who else CHANCE
        refuse(wrong_turn(named, players))
        if turn == END:
            return _Node(END, gains, bounds)
        if turn <= 0:
            count, group = counted(longs[0], width), longs[1]
            outcomes = list(zip(longs[2 : 2 + count], floats[3 * players :], strict=False))
            refuse(wrong_chance(outcomes), ChanceError)
            similar = self.rules.similar(tuple(self._here.tolist())) if self.similar else None
            return _Node(CHANCE, gains, bounds, outcomes=outcomes, group=None if group < 0 else group, similar=similar)
        places = [2 + k * (2 + width) for k in range(len(who))]
        menus = [longs[at + 2 : at + 2 + counted(longs[at], width)] for at in places]
        seen = [observed(player, longs[at + 1]) for player, at in zip(who, places, strict=True)]
        return _Node(named, gains, bounds, who, menus, seen)


def _remade(kind: type[RulesBox], rules: Any, bounds: Told, groups: Groups, children: bool, similar: bool) -> RulesBox:
    return kind(rules, bounds=bounds, groups=groups, children=children, similar=similar)


def compiled_box(box: Box) -> CompiledBox | None:
    """Return the box if a kernel can play it (compiled rules, all facts from compiled functions); otherwise None."""
    return box if isinstance(box, CompiledBox) and not box.children and not callable(box.bounds) else None


def rules_box(
    rules: Rules, *, bounds: Told = "rules", groups: Groups = "none", children: bool = False, similar: bool = False
) -> RulesBox:
    """Return rules as a black box; compiled rules are played by compiled calls."""
    if isinstance(rules, CompiledRules):
        return CompiledBox(rules, bounds=bounds, groups=groups, children=children, similar=similar)
    return RulesBox(rules, bounds=bounds, groups=groups, children=children, similar=similar)
