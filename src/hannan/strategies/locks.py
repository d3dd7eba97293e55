"""Fixing what a player does at chosen information sets, and solving the rest.

A locked set is not a choice any more, but a chance event that the player sees. So a game with locks is another game,
made by folding the fixed probabilities into the payoffs, and every method works on it unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar, cast, overload

import numpy as np

from hannan.arguments import place, shown
from hannan.arrays import Floats, Longs
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, PublicGame
from hannan.forms.loader import Loadable, load
from hannan.forms.sequence import SequenceForm, merged_form
from hannan.forms.sizes import Sizes
from hannan.forms.tree import GameTree, Labels, action_text
from hannan.forms.treeplex import MetSets, Treeplex, number
from hannan.rules.plain import Rules
from hannan.strategies.profile import Profile, check_profile
from hannan.strategies.strategy import Strategy, later
from hannan.strategies.written import FORM, Places, fixed_sets

S = TypeVar("S", bound=Strategy)

Locks = Mapping[int, Places | Strategy]
"""For each player what it does at the sets that are locked, or a strategy from which all of them are taken."""


class Locked:
    """A game in which some information sets are fixed; the game without the locks is `base`."""

    base: Any
    locks: Any
    lift: Any
    """Returns a strategy of this game as one of the game without locks."""


class LockedGame(ExpandedGame, Locked):
    """An expanded game in which some information sets are fixed. Its sets are the free ones, named as in `base`.

    A locked game is defined by its sequence form. It has neither a tree nor rules of its own, so that a method which
    walks a tree or plays by rules cannot ignore the locks.
    """

    def __init__(self, base: ExpandedGame, locks: Locks) -> None:
        if not isinstance(base, ExpandedGame):
            raise ParameterError(f"locks are for expanded games, not for {shown(base)}; see hannan.lock")
        self.base, self.name, self.parameters, self.players = base, base.name, base.parameters, base.players
        check_locks(locks)
        for player in locks:
            if isinstance(player, bool) or player not in range(base.players):
                raise ParameterError(
                    f"a lock is for player {shown(player)}; {base.address} has 0 to {base.players - 1}"
                )
        self.fixed = [_fixed(base, player, locks.get(player, {})) for player in range(base.players)]

    @property
    def address(self) -> str:
        """The base game's address and the number of locked sets; `load` does not take it."""
        count = sum(map(len, self.fixed))
        return f"{self.base.address} with {count} locked set{'' if count == 1 else 's'}"

    @property
    def compiled(self) -> bool:
        return self.base.compiled

    @property
    def coded(self) -> bool:
        return self.base.coded

    @cached_property
    def locks(self) -> Locks:
        """The locks by number of set, as JSON can hold them; `lock` takes them back."""
        return {player: {j: plays.tolist() for j, plays in sets.items()} for player, sets in enumerate(self.fixed)}

    @cached_property
    def tree(self) -> GameTree:
        """Not available: the base game's tree would ignore the locks."""
        raise self._refusal("tree")

    @property
    def rules(self) -> Rules:  # type: ignore[override]  # a game of rules has them; this one refuses
        """Not available: the base game's rules would ignore the locks."""
        raise self._refusal("rules")

    def _refusal(self, what: str) -> UnsuitableError:
        return UnsuitableError(
            f"{self.address} has no {what} of its own: methods that walk or play a game do not take locks; "
            "full-width methods (such as cfr+ and pdcfr+), einr, komwu and lp do"
        )

    @cached_property
    def form(self) -> SequenceForm:
        """The sequence form of the free sets, the fixed probabilities folded into the payoffs."""
        form = self.base.form
        scale = np.ones(form.entries)
        sequences = np.empty((form.players, form.entries), np.int32)
        for player, fold in enumerate(self._folds):
            mine = form.sequence(player)
            scale *= fold.factor[mine]
            sequences[player] = fold.sequence[mine]
        return merged_form(tuple(fold.plex for fold in self._folds), sequences, form.payoffs * scale, form.total)

    @property
    def labels(self) -> Labels | None:
        """The base game's labels."""
        return self.base.labels

    @property
    def payoff_range(self) -> tuple[Floats, Floats]:
        """The base game's range, which contains the range with locks."""
        return self.base.payoff_range

    @cached_property
    def sizes(self) -> Sizes:
        """The base game's histories, with the sets and sequences that are free."""
        plexes = self.form.treeplexes
        sets, sequences = tuple(plex.sets for plex in plexes), tuple(plex.sequences for plex in plexes)
        return replace(self.base.sizes, sets=sets, sequences=sequences)

    @cached_property
    def _folds(self) -> list[_Fold]:
        plexes = self.base.form.treeplexes
        return [_Fold(plex, fixed) for plex, fixed in zip(plexes, self.fixed, strict=True)]

    def set_text(self, player: int, number: int) -> str:
        self.check_player(player)
        kept = self._folds[player].kept
        return self.base.set_text(player, int(kept[place("number", number, len(kept))]))

    def set_texts(self, player: int) -> list[str]:
        self.check_player(player)
        texts = self.base.set_texts(player)
        return [texts[number] for number in self._folds[player].kept.tolist()]

    def action_text(self, player: int, sequence: int) -> str:
        self.check_player(player)
        plex = self.form.treeplexes[player]
        return action_text(self.base.rules, self.base.labels, plex, player, place("sequence", sequence, plex.sequences))

    def project(self, profile: Profile) -> Profile:
        """Return what a profile of the base game does at the free sets."""
        check_profile(self.base, profile)
        strategies = []
        for player, fold in enumerate(self._folds):
            plex = self.base.form.treeplexes[player]
            strategy = np.ones(fold.plex.sequences)
            for new, old in enumerate(fold.kept.tolist()):
                mine = slice(int(fold.plex.begin[new]), int(fold.plex.begin[new + 1]))
                strategy[mine] = profile.strategies[player][plex.begin[old] : plex.begin[old + 1]]
            strategies.append(strategy)
        return Profile(self, tuple(strategies), profile.facts)

    def lift(self, profile: Profile) -> Profile:
        """Return a profile of this game as one of the base game, locked sets included; refuse any other profile."""
        check_profile(self, profile)
        strategies = []
        for player, fold in enumerate(self._folds):
            plex = self.base.form.treeplexes[player]
            strategy = profile.strategies[player][fold.sequence]
            for j, probabilities in self.fixed[player].items():
                strategy[plex.begin[j] : plex.begin[j + 1]] = probabilities
            strategies.append(strategy)
        return Profile(self.base, tuple(strategies), profile.facts)

    def __reduce__(self) -> tuple[Any, ...]:
        return LockedGame, (self.base, self.locks)


def unlocked(strategy: S) -> S:
    """Return a profile of a game with locks as one of the game without them, and any other strategy as it is."""
    game: Any = strategy.game
    if isinstance(game, LockedGame) and not isinstance(strategy, Profile):
        return strategy
    return cast(S, game.lift(strategy)) if isinstance(game, Locked) else strategy


def check_locks(locks: object) -> None:
    """Refuse anything but a table of locks."""
    if not isinstance(locks, Mapping):
        raise ParameterError(f"locks={shown(locks)} should be {FORM}")


@overload
def lock(game: PublicGame, locks: Locks) -> Any: ...
@overload
def lock(game: Loadable, locks: Locks) -> LockedGame: ...
def lock(game: Loadable, locks: Locks) -> Any:
    """Return the game in which players are bound to fixed strategies at some information sets.

    Solve it like any other game. Then `lift` turns its profile into one of the game without locks.

    Parameters
    ----------
    game : whatever `load` takes
        The game.
    locks : dict
        What players do at the locked sets: `{player: {set: {action: probability}}}`. A set is given by its number, its
        name or a pattern such as `J*`. Instead of the inner dictionary, a strategy locks everything that the player
        does.

    Returns
    -------
    Locked
        The game with locks. `lift(profile)` adds the locked sets to a profile.

    Raises
    ------
    UnknownNameError
        If the game has no such set or action.
    ParameterError
        If the probabilities at a set are not a distribution.

    Examples
    --------
    >>> import hannan as hn
    >>> honest = hn.lock("kuhn_poker", {0: {"J": {"p": 1.0, "b": 0.0}}})  # never bluffs with the jack
    >>> result = hn.solve(honest, "lp")
    >>> honest.lift(result.profile).at(0, "J")
    {'p': 1.0, 'b': 0.0}
    """
    base = load(game)
    if isinstance(base, Locked):
        raise ParameterError(f"{base.address} is locked already: give all locks at once, for {base.base.address}")
    if isinstance(base, PublicGame):
        check_locks(locks)
        return later("strategies.public_locks", "LockedPublicGame")(base, locks)
    return LockedGame(base.expanded(), locks)


class _Fold:
    """How one player's treeplex shrinks when some of its sets are fixed."""

    plex: Treeplex
    kept: Longs  # [free sets]  the number in the base game of each free set
    sequence: Longs  # [sequences of the base game]  the last free sequence on the way to each
    factor: Floats  # [sequences of the base game]  the probability of the locked choices on the way to each

    def __init__(self, plex: Treeplex, fixed: Mapping[int, Floats]) -> None:
        locked = np.zeros(plex.sets, np.bool_)
        locked[list(fixed)] = True
        self.factor = np.ones(plex.sequences)
        last = np.arange(plex.sequences)  # the last free sequence, in the numbers of the base game
        for j in range(plex.sets):  # parents come first
            mine = slice(int(plex.begin[j]), int(plex.begin[j + 1]))
            self.factor[mine] = self.factor[plex.parent[j]]
            if locked[j]:
                self.factor[mine] *= fixed[j]
                last[mine] = last[plex.parent[j]]
        free = np.flatnonzero(~locked)
        free_sets = MetSets(
            player=np.zeros(len(free), np.int64),
            parent=last[plex.parent[free]],
            observation=plex.observation[free],
            base=plex.begin[free].astype(np.int64),
            size=plex.sizes[free].astype(np.int64),
            node=plex.node[free],
            action=plex.action,
        )
        numbered = number(free_sets, 1)
        (self.plex,), renumbered = numbered.treeplexes, numbered.set
        self.kept = np.empty(len(free), np.int64)
        self.kept[renumbered] = free
        place = np.zeros(plex.sequences, np.int64)
        for j, new in zip(free.tolist(), renumbered.tolist(), strict=True):
            place[plex.begin[j] : plex.begin[j + 1]] = np.arange(self.plex.begin[new], self.plex.begin[new + 1])
        self.sequence = place[last]


def _fixed(game: ExpandedGame, player: int, locks: Places | Strategy) -> dict[int, Floats]:
    """Return the fixed probabilities by number of set; a strategy fixes every set."""
    if not isinstance(locks, Strategy):
        return fixed_sets(game, player, locks, "lock")
    profile: Profile = locks.profile()
    check_profile(game, profile)
    begin = game.form.treeplexes[player].begin
    return {j: profile.strategies[player][a:b].copy() for j, (a, b) in enumerate(pairwise(begin.tolist()))}
