"""All information sets of a profile as a list: filtered by player and name, sorted, and shown page by page.

Numbers of all sets are computed once, with NumPy. Orders and filters are kept, so that a page of a game with millions
of sets takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from hannan.arguments import choice, count, shown, text
from hannan.arrays import Bools, Floats, Longs
from hannan.errors import MismatchError, ParameterError
from hannan.forms.game import ExpandedGame, pattern
from hannan.measures.tables import Measured, SetRow, measured
from hannan.strategies.locks import unlocked
from hannan.strategies.profile import Profile, check_is_profile

SORTS: Final = ("frequency", "reach", "regret", "entropy", "value", "name", "number")
"""By what a list of sets can be sorted. `regret` is the largest one of an action at the set."""
MOVED: Final = ("variation", "weighted", "name", "number")
"""By what a list of differences can be sorted."""
KEPT = 16
"""Filters that are kept."""


class SetNames:
    """The names of all information sets of a game, players end to end."""

    def __init__(self, game: ExpandedGame) -> None:
        plexes = game.form.treeplexes
        self.game, self.players = game, game.players
        self.begin = np.concatenate(([0], np.cumsum([plex.sets for plex in plexes])))  # [players + 1]
        self.names = [name for player in range(game.players) for name in game.set_texts(player)]
        self._matching = lru_cache(KEPT)(self._matched)

    @property
    def total(self) -> int:
        """How many information sets there are."""
        return len(self.names)

    @cached_property
    def order(self) -> Longs:
        """The sets in the order of their names, those of player 0 first."""
        parts = []
        for low, high in zip(self.begin[:-1].tolist(), self.begin[1:].tolist(), strict=True):
            parts += sorted(range(low, high), key=self.names.__getitem__)
        return np.array(parts, np.int64)

    def player(self, j: int) -> int:
        """Return whose set it is."""
        return int(np.searchsorted(self.begin, j, "right")) - 1

    def matching(self, wanted: str = "", player: int | None = None) -> Bools:
        """Return which sets are meant: of a player, with names like a text.

        `*` is any text and `?` one letter. A text without them means every name that contains it.
        """
        text("pattern", wanted)
        if player is not None:
            self.game.check_player(player)
        return self._matching(wanted, player)

    def _matched(self, wanted: str, player: int | None) -> Bools:
        low, high = (0, self.total) if player is None else self.begin[player : player + 2].tolist()
        found = np.zeros(self.total, np.bool_)
        if not wanted:
            found[low:high] = True
        elif "*" in wanted or "?" in wanted:
            like = pattern(wanted).fullmatch
            found[low:high] = np.fromiter((like(name) is not None for name in self.names[low:high]), np.bool_)
        else:
            found[low:high] = np.fromiter((wanted in name for name in self.names[low:high]), np.bool_)
        return found


@dataclass(frozen=True)
class Page:
    """A part of a list of information sets."""

    total: int
    """How many sets are meant."""
    places: Sequence[int]
    """Those of the page, counted over all players."""


class SetList:
    """All information sets of a profile, each with its numbers."""

    def __init__(self, profile: Profile, names: SetNames | None = None) -> None:
        """names: those of the profile's game, if they are there already."""
        check_is_profile(profile)
        self.profile = unlocked(profile)
        self.game = self.profile.game
        self.names = SetNames(self.game) if names is None else names
        self.measured: Measured = measured(self.game, self.profile)
        self._orders: dict[str, Longs] = {}
        self._filtered = lru_cache(KEPT)(self._kept)

    @cached_property
    def _begin(self) -> Longs:
        """The first sequence of each set, among those of all players without the empty ones."""
        sizes = np.concatenate([plex.sizes for plex in self.game.form.treeplexes])
        return np.concatenate(([0], np.cumsum(sizes)))[:-1].astype(np.int64)

    def _by_set(self, numbers: Floats, players: int) -> Floats:
        """Leave out the empty sequences."""
        from hannan.layouts.layout import flat_of

        return np.delete(numbers, flat_of(self.game.form).sequence_begin[:players])

    @cached_property
    def regret(self) -> Floats:
        """The largest regret of an action at each set, given that it is reached; NaN where it never is, [sets]."""
        worst = np.maximum.reduceat(self._by_set(self.measured.regret, self.game.players), self._begin)
        return self._given_reach(worst)

    @cached_property
    def value(self) -> Floats:
        """The expected utility of the player at each set, given that it is reached; NaN where it never is, [sets]."""
        return self._given_reach(self.measured.value)

    @cached_property
    def entropy(self) -> Floats:
        """The entropy of the mixture at each set, in bits, [sets]."""
        plays = self._by_set(self.measured.strategy, self.game.players)
        bits = np.zeros_like(plays)
        np.log2(plays, out=bits, where=plays > 0)
        entropy: Floats = np.add.reduceat(-plays * bits, self._begin) + 0.0
        return entropy

    def _given_reach(self, numbers: Floats) -> Floats:
        reach = self.measured.reach
        return np.divide(numbers, reach, out=np.full(len(reach), np.nan), where=reach > 0)

    def row(self, place: int) -> SetRow:
        """Return one set."""
        return self.measured.row(place)

    def place(self, player: int, number: int) -> int:
        """Return where a set of a player stands."""
        return int(self.names.begin[player]) + self.game.find_set(player, number)

    def order(self, sort: str) -> Longs:
        """Return all sets from the least to the most; sets without the number come last, either way."""
        if choice("sort", sort, SORTS) == "name":
            return self.names.order
        if sort == "number":
            return np.arange(self.names.total)
        if sort not in self._orders:
            numbers = getattr(self, sort) if sort in ("regret", "value", "entropy") else getattr(self.measured, sort)
            self._orders[sort] = np.argsort(numbers, kind="stable")
        return self._orders[sort]

    def page(
        self,
        *,
        player: int | None = None,
        like: str = "",
        sort: str = "frequency",
        descending: bool = True,
        offset: int = 0,
        limit: int = 100,
    ) -> Page:
        """Return a part of the list.

        Parameters
        ----------
        player
            Sets of this player alone. Default: of all players.
        like
            A part of a name, or a pattern with `*` and `?`. Default: all names.
        sort
            One of SORTS.
        descending
            Whether the largest number, or the last name, comes first.
        offset, limit
            How many sets are left out before the page, and how many it has at most.
        """
        offset, limit = count("offset", offset), count("limit", limit)
        kept = self._filtered(like, player, sort, descending)
        return Page(len(kept), kept[offset : offset + limit].tolist())

    def _kept(self, like: str, player: int | None, sort: str, descending: bool) -> Longs:
        order, known = self.order(sort), self.names.total
        if sort in ("regret", "value"):
            known -= int(np.isnan(getattr(self, sort)).sum())
        if descending:  # of equal ones, the first stays first; those without a number stay last
            order = np.concatenate((order[:known][::-1], order[known:]))
        if player is None and not like:
            return order
        return order[self.names.matching(like, player)[order]]


class Differences:
    """Two profiles of one game, set by set."""

    def __init__(self, first: SetList, second: SetList) -> None:
        if first.game is not second.game and first.game.form.hash != second.game.form.hash:
            raise MismatchError(f"the strategies are of two games, {first.game.address} and {second.game.address}")
        self.first, self.second, self.names = first, second, first.names
        plays = [one._by_set(one.measured.strategy, one.game.players) for one in (first, second)]
        self.variation: Floats = np.add.reduceat(np.abs(plays[1] - plays[0]), first._begin) / 2
        """The total variation distance of both mixtures at each set, [sets]."""
        self.weighted: Floats = self.variation * np.maximum(first.measured.frequency, second.measured.frequency)
        """The same times the larger of both frequencies, [sets]."""

    @property
    def mean(self) -> float:
        """The mean distance over the sets to which play comes under the first profile, by frequency."""
        frequency = self.first.measured.frequency
        return float(frequency @ self.variation / frequency.sum()) if frequency.sum() > 0 else 0.0

    def page(
        self, *, player: int | None = None, like: str = "", sort: str = "variation", offset: int = 0, limit: int = 100
    ) -> Page:
        """Return a part of the list of sets, those that differ most first; see `SetList.page`."""
        if choice("sort", sort, MOVED) in ("name", "number"):
            return self.first.page(player=player, like=like, sort=sort, descending=False, offset=offset, limit=limit)
        offset, limit = count("offset", offset), count("limit", limit)
        meant = np.flatnonzero(self.names.matching(like, player))
        order = meant[np.argsort(-getattr(self, sort)[meant], kind="stable")]
        return Page(len(meant), order[offset : offset + limit].tolist())


def differences(first: Profile, second: Profile) -> Differences:
    """Compare what two profiles of a game do at each information set."""
    for one in (first, second):
        if not isinstance(one, Profile):
            raise ParameterError(f"{shown(one)} is not a profile; give two profiles of one game")
    before = SetList(first)
    return Differences(before, SetList(second, before.names))
