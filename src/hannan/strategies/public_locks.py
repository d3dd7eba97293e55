"""Fixing what types do at nodes of a public tree, and solving the rest.

A lock names types and a node: `{0: {"AKs,QQ+ x b120": {"c": 1.0}}}`. Mirrored deals are kept apart, because a lock may
be for only one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats, frozen
from hannan.errors import HannanError, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.cursor import Cursor
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.forms.public import PublicForm
from hannan.kernels.public import records as rec
from hannan.strategies.locks import Locked
from hannan.strategies.public import PublicStrategy
from hannan.strategies.written import FORM


class LockedPublicGame(PublicGame, Locked):
    """A public game in which the play of some types is fixed at some nodes; see `hannan.lock`."""

    def __init__(self, base: PublicGame, locks: Mapping[int, Any]) -> None:
        self.base, self.name, self.parameters, self.players = base, base.name, base.parameters, 2
        self.mirrored = False
        self.free = PublicGame(base.rules, base.name, base.parameters, built_in=base.built_in, mirrored=False)
        """The game without locks, mirrored deals kept apart. Lifted strategies are for this game."""
        self.locks = {player: _kept(base, player, places) for player, places in locks.items()}
        self._fixed, self._count = self._bound()

    @property
    def address(self) -> str:
        """The base game's address and the number of locked sets; `load` does not take it."""
        return f"{self.base.address} with {self._count} locked set{'' if self._count == 1 else 's'}"

    @property
    def rules(self) -> Any:  # type: ignore[override]  # a game of rules has them; this one refuses
        """Not available: the base game's rules would ignore the locks."""
        raise UnsuitableError(
            f"{self.address} has no rules of its own: methods that walk or play a game do not take locks on a public "
            "tree; full-width methods (such as cfr+ and dcfr) do"
        )

    @property
    def compiled(self) -> bool:
        return self.base.compiled

    @property
    def coded(self) -> bool:
        return self.base.coded

    @property
    def form(self) -> PublicForm:
        """The tree of public play, mirrored deals kept apart."""
        return self.free.form

    @property
    def fixed(self) -> Floats:
        return self._fixed

    def expanded(self) -> ExpandedGame:
        raise UnsuitableError(
            f"{self.address} is solved on its public tree; to use another method, lock the expanded game: "
            "hannan.lock(game.expanded(), …)"
        )

    def lift(self, strategy: PublicStrategy) -> PublicStrategy:
        """Return a strategy of this game as one of the game without locks."""
        return PublicStrategy(self.free, strategy.probability, strategy.facts)

    def project(self, strategy: PublicStrategy) -> PublicStrategy:
        """Return a strategy of the base game as one of this game."""
        return strategy.moved(self)

    def _bound(self) -> tuple[Floats, int]:
        """Return the fixed probabilities, and the number of information sets that have them."""
        fixed, sets = np.full(self.form.entries, -1.0), set[int]()
        for player, places in self.locks.items():
            for place, plays in places.items():
                try:
                    entries, weights = _meant(self.form, player, place, plays)
                except HannanError as error:
                    raise type(error)(f"in the locks of player {player} at {place!r}: {error}") from None
                fixed[entries] = weights[:, None]
                sets |= set(entries[0].tolist())
        frozen(fixed)
        return fixed, len(sets)

    def __reduce__(self) -> tuple[Any, ...]:
        return LockedPublicGame, (self.base, self.locks)


def _kept(base: PublicGame, player: Any, places: Any) -> dict[str, Any]:
    """Return locks as JSON can hold them; refuse anything else."""
    if isinstance(player, bool) or player not in (0, 1):
        raise ParameterError(f"a lock is for player {shown(player)}; {base.address} has 0 to 1")
    if not isinstance(places, Mapping):
        raise ParameterError(f"the locks of player {player} are {shown(places)}; locks should be {FORM}")
    return {str(place): dict(plays) if isinstance(plays, Mapping) else plays for place, plays in places.items()}


def _meant(form: PublicForm, player: int, place: str, plays: Any) -> tuple[np.ndarray, Floats]:
    """Return the entries of the state that a lock is for, [actions, types], and the probability of each action."""
    words = place.split()
    if not words:
        raise ParameterError("it should say which types, then the public play, as in 'AKs,QQ+ x b120' or '* x b120'")
    cursor = Cursor(form)
    for word in words[1:]:
        cursor.step(word)
    if cursor.kind != player:
        acts = f"player {cursor.kind} acts" if cursor.kind < rec.LEAF else "no player acts"
        raise UnknownNameError(f"{acts} after {' '.join(words[1:])!r}")
    here = cursor.types(player)
    chosen = types_named(form, player, words[0])
    places = np.flatnonzero(np.isin(here, list(chosen)))
    if not len(places):
        raise UnknownNameError(f"none of the types {words[0]!r} can be there")
    texts = [form.rules.option_text(action) for action in cursor.actions]
    given = plays
    if isinstance(plays, Mapping):
        for action in plays:
            if action not in texts:
                raise UnknownNameError(f"the action {shown(action)} does not exist there{nearest(str(action), texts)}")
        given = [plays.get(text, 0.0) for text in texts]
    wrong = ParameterError(f"expected {len(texts)} probabilities that sum to 1, not {shown(plays)}")
    try:
        weights = np.array(given, np.float64)
    except (TypeError, ValueError):
        raise wrong from None
    if weights.shape != (len(texts),) or not np.all(weights >= 0) or not abs(weights.sum() - 1) <= 1e-9:
        raise wrong
    return cursor.entries(player)[:, places], weights


def types_named(form: PublicForm, player: int, text: str) -> set[int]:
    """Return the types that a name, a pattern or, for hold'em, a range means."""
    names = list(form.rules.types(player))
    if text in names:
        return {names.index(text)}
    found = {k for k, name in enumerate(names) if fnmatchcase(name, text)}
    return found or set(form.rules.types_in(player, text))
