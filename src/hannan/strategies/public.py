"""A strategy on the public tree of a game: for every node a row of probabilities per action, one number per type."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Longs, frozen
from hannan.errors import MismatchError, ParameterError, UnknownNameError, nearest
from hannan.forms.cursor import Cursor
from hannan.forms.game import PublicGame
from hannan.forms.public import PublicForm
from hannan.kernels.public import records as rec
from hannan.strategies.seats import Answer, Seat
from hannan.strategies.strategy import Strategy, later

ROUNDING = 1e-3
"""The most by which the probabilities of a type may miss the sum 1: they are kept in 32 bits."""


@dataclass(frozen=True, eq=False)
class PublicStrategy(Strategy):
    """What both players do at every node of a public tree.

    `probability` is in the order of the state of `hannan.layouts.public`; `node` and `at` take names.
    """

    game: PublicGame
    probability: Any  # [entries] float32 or float64
    facts: Mapping[str, Any] = field(default_factory=dict)
    kind = "a strategy on a public tree"

    def __post_init__(self) -> None:
        if not isinstance(self.game, PublicGame):
            raise ParameterError(f"{shown(self.game)} has no public tree, so it has no public strategy")
        if not isinstance(self.probability, np.ndarray) or self.probability.dtype.kind != "f":
            raise ParameterError("the probabilities of a public strategy are an array of floats")
        if self.probability.shape != (self.game.form.entries,):
            raise MismatchError(
                f"{self.game.address} has {self.game.form.entries} entries, not {len(self.probability)}"
            )
        if not bool(np.all((self.probability >= 0) & (self.probability <= 1 + ROUNDING))):
            raise ParameterError("the strategy has a number that is not a probability")
        _check_sums(self.game.form, self.probability)
        _check_mirrors(self.game.form, self.probability)
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))
        frozen(self.probability)

    @classmethod
    def made(cls, game: PublicGame, probability: Any, facts: Mapping[str, Any]) -> PublicStrategy:
        """Return a strategy whose probabilities a solver has just normalised, unchecked: a check would take longer."""
        strategy = object.__new__(cls)
        parts = {"game": game, "probability": probability, "facts": MappingProxyType(dict(facts))}
        for name, part in parts.items():
            object.__setattr__(strategy, name, part)
        frozen(probability)
        return strategy

    @classmethod
    def uniform(cls, game: PublicGame) -> PublicStrategy:
        """Return the strategy in which every type takes every action with equal probability."""
        form = game.form
        probability = np.zeros(form.entries)
        for s, number in enumerate(form.arrays.stage[:, rec.S_TEMPLATE]):
            template = form.templates[number]
            for p in (0, 1):
                if len(block := form.block(s, p)):
                    probability[block] = np.repeat(_even(template, p), len(block) // template.slots[p])
        return cls.made(game, probability, {"method": "uniform"})

    def __reduce__(self) -> tuple[Any, ...]:
        return PublicStrategy, (self.game, self.probability, dict(self.facts))

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        return PublicSeat(self, seat)

    def profile(self) -> Any:
        return later("strategies.asked", "asked_profile")(self, self.game)

    def policy(self) -> Any:
        return self.profile().policy()

    @property
    def digest(self) -> str:
        return sha256(self.game.form.hash.encode() + self.probability.tobytes()).hexdigest()[:32]

    def save(self, path: str | PathLike[str]) -> None:
        later("strategies.files", "save_public")(self, path)

    def node(self, path: str = "") -> Cursor:
        """Return the node at the end of a path of public play: names of actions and cards, separated by spaces."""
        cursor = Cursor(self.game.form)
        for word in path.replace(":", " ").split():
            cursor.step(word)
        return cursor

    def table(self, path: str = "") -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
        """Return the names of the actions at a node, and the probabilities of each type that may be there."""
        cursor = self.node(path)
        player = cursor.kind
        if player >= rec.LEAF:
            raise UnknownNameError(f"no player acts after {path!r}")
        rows = self.probability[cursor.entries(player)].astype(np.float64)
        names, rules = self.game.form.rules.types(player), self.game.form.rules
        texts = tuple(rules.option_text(action) for action in cursor.actions)
        return texts, {names[kind]: rows[:, k] for k, kind in enumerate(cursor.types(player))}

    def at(self, player: int, place: int | str) -> dict[str, float]:
        """Return what a player does with a type at a node: `at(0, "AhKd")`, `at(1, "AhKd x b120 5c x")`."""
        self.game.check_player(player)
        words = str(place).split()
        if not words:
            raise ParameterError("give a type, then the public play, as in 'AhKd x b120'")
        cursor = self.node(" ".join(words[1:]))
        if cursor.kind != player:
            raise UnknownNameError(f"player {player} does not act after {' '.join(words[1:])!r}")
        texts, rows = self.table(" ".join(words[1:]))
        if words[0] not in rows:
            raise UnknownNameError(f"player {player} has no type {shown(words[0])} there{nearest(words[0], rows)}")
        return dict(zip(texts, map(float, rows[words[0]]), strict=True))

    def moved(self, game: PublicGame) -> PublicStrategy:
        """Return this strategy for a game with the same betting, with other ranges or with mirrored deals kept apart.

        Types that this strategy does not know take every action with equal probability. If types are mirrors of each
        other in that game, all play as the first of them.
        """
        here, there = self.game.form, game.form
        alike = len(here.templates) == len(there.templates) and all(
            np.array_equal(mine.nodes, theirs.nodes) and mine.actions == theirs.actions
            for mine, theirs in zip(here.templates, there.templates, strict=True)
        )
        if not alike:
            raise MismatchError(f"{game.address} has other public play than {self.game.address}: no strategy fits both")
        if set(here.links[0]) != set(there.links[0]):
            raise MismatchError(f"{game.address} deals other cards than {self.game.address}: no strategy fits both")
        known = [{name: k for k, name in enumerate(here.rules.types(p))} for p in (0, 1)]
        match = [np.array([known[p].get(name, -1) for name in there.rules.types(p)], np.int64) for p in (0, 1)]
        moved = np.zeros(there.entries, self.probability.dtype)
        for s, (template, deal) in enumerate(zip(there.arrays.stage[:, rec.S_TEMPLATE], there.deals, strict=True)):
            cursor, form = Cursor(here, deal.board), there.templates[template]
            for p in (0, 1):
                theirs = there.types_at(s, p)
                place = np.full(here.types[p] + 1, -1, np.int64)
                mine = cursor.types(p)
                place[mine] = np.arange(len(mine))
                found = place[match[p][theirs]]
                target = there.block(s, p)
                if not len(target):
                    continue
                rows = self.probability[here.block(cursor.stage, p)].reshape(form.slots[p], len(mine))
                even = _even(form, p)
                known_rows = rows[:, found] if len(mine) else even[:, None]
                rows = np.where(found >= 0, known_rows, even[:, None])
                twin = _twins(there, s, p)
                moved[target] = (rows if twin is None else rows[:, twin]).reshape(-1)
        return PublicStrategy(game, moved, self.facts)

    def __repr__(self) -> str:
        how = f" by {self.facts['method']}" if "method" in self.facts else ""
        return f"PublicStrategy({self.game.address}{how}: {self.game.form.entries:,} probabilities)"


def _even(template: Any, player: int) -> Any:
    """Return the probability of each action of a player in a template, equal for all actions of a node."""
    menus = [some for n, some in enumerate(template.actions) if template.nodes[n, rec.N_KIND] == player]
    return np.concatenate([np.full(len(some), 1 / max(len(some), 1)) for some in menus])


def _check_sums(form: PublicForm, probability: Any) -> None:
    """Refuse a strategy in which the probabilities of a type do not sum to 1 somewhere."""
    for s, template in enumerate(form.templates[k] for k in form.arrays.stage[:, rec.S_TEMPLATE]):
        for p in (0, 1):
            first = template.nodes[template.nodes[:, rec.N_KIND] == p, rec.N_SLOT]
            if not len(first) or not len(block := form.block(s, p)):
                continue
            rows = probability[block[0] : block[-1] + 1].reshape(template.slots[p], -1)
            sums = np.add.reduceat(rows, first, axis=0)
            if np.abs(sums - 1).max() > ROUNDING:
                node, place = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
                name = form.rules.types(p)[int(form.types_at(s, p)[place])]
                raise ParameterError(
                    f"the probabilities of player {p} with {name} sum to {sums[node, place]:.6g} at a node, not 1"
                )


def _twins(form: PublicForm, stage: int, player: int) -> Longs | None:
    """Return the place of the first mirror of each type of a stage; None if the stage has no mirrors."""
    at = int(form.arrays.twin_at[stage, player])
    if at < 0:
        return None
    found: Longs = form.arrays.twin[at : at + form.arrays.stage[stage, rec.S_TYPES + player]].astype(np.int64)
    return found


def _check_mirrors(form: PublicForm, probability: Any) -> None:
    """Refuse a strategy in which types play differently although they are mirrors of each other.

    The play after mirrored deals is computed once, which is right only if such types play alike.
    """
    for s, template in enumerate(form.templates[k] for k in form.arrays.stage[:, rec.S_TEMPLATE]):
        for p in (0, 1):
            twin = _twins(form, s, p)
            if twin is None or not len(block := form.block(s, p)):
                continue
            rows = probability[block[0] : block[-1] + 1].reshape(template.slots[p], -1)
            if not np.array_equal(rows, rows[:, twin]):
                place = int(np.flatnonzero((rows != rows[:, twin]).any(axis=0))[0])
                one, other = (form.rules.types(p)[int(form.types_at(s, p)[k])] for k in (place, twin[place]))
                raise ParameterError(
                    f"player {p} plays {one} and {other} differently, but this tree solves them as one; use "
                    "PublicGame(rules, mirrored=False)"
                )


class PublicSeat:
    """A seat that plays by a strategy on a public tree, and follows the public play in its observations."""

    def __init__(self, strategy: PublicStrategy, seat: int) -> None:
        self._strategy, self._seat, self._cursor = strategy, seat, Cursor(strategy.game.form)
        self._type = -1

    def choose(self, observation: Hashable, actions: Sequence[Hashable]) -> Answer:
        words: list[Any] = list(observation)  # type: ignore[call-overload]  # a tuple of words
        if self._type < 0:
            self._type = list(self._strategy.game.form.rules.types(self._seat)).index(words.pop(0))
        for word in words:
            self._cursor.step(word)
        place = int(np.flatnonzero(self._cursor.types(self._seat) == self._type)[0])
        weights = self._strategy.probability[self._cursor.entries(self._seat)[:, place]].astype(np.float64)
        if len(weights) != len(actions):
            raise MismatchError(f"the strategy has {len(weights)} actions, but the game offers {len(actions)}")
        return Answer(weights / weights.sum(), True)

    @property
    def standing(self) -> tuple[PublicStrategy, Cursor, int]:
        """The strategy, the node at which the seat last chose, and its type."""
        return self._strategy, self._cursor, self._type

    def took(self, k: int) -> None:
        self._cursor.act(k)
