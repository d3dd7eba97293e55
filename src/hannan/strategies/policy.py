"""A strategy for a game that is not expanded: a table of the information sets that were visited.

A set is identified by the player's last sequence and its present observation. At unknown sets, play is uniform.

A player may also *forget*: then a set is identified by the present observation and the number of actions, and play is
the same wherever both are the same. The table is then far smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import place as checked_place
from hannan.arguments import shown
from hannan.arrays import Floats, Longs, frozen
from hannan.errors import MismatchError, ParameterError, UnknownNameError
from hannan.forms.game import Game, is_box
from hannan.forms.loader import Loadable, load
from hannan.rules.observations import canonical, spoken
from hannan.strategies.digests import policy_digest
from hannan.strategies.index import UNKNOWN, forgotten
from hannan.strategies.locks import unlocked
from hannan.strategies.menus import menus_to
from hannan.strategies.names import matched, names_of
from hannan.strategies.policyset import PolicySet
from hannan.strategies.profile import Profile, check_is_profile
from hannan.strategies.seats import Seat, TableSeat
from hannan.strategies.strategy import Strategy, later
from hannan.strategies.tableprofile import table_profile

MOST_ERROR = 1e-6
"""The most by which the probabilities at a set may miss the sum 1. Rounding in a long run's averages is far less."""

SHOWN = 20
"""The most sets that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Policy(Strategy):
    """A table of probabilities at known information sets. Sequence p, below the number of players, is p's empty one."""

    game: Game
    parent: Longs  # [sets]  the player's last sequence
    observation: Longs  # [sets]  what it sees: the rules' own integer, or a number of `labels`
    base: Longs  # [sets]  the first sequence
    size: Longs  # [sets]
    probability: Floats  # [sequences]
    labels: tuple[str, ...] | None
    """The `canonical` text of each observation of plain-Python rules; None if observations are integers."""
    facts: Mapping[str, Any]
    met: Mapping[Hashable, int] | None = None
    """The numbers of observations that are known as objects. For others, read from a file, only the text is known."""
    forgets: tuple[int, ...] = ()
    """The players who forget. Their sets have the empty sequence as their parent."""
    names: Any = None  # [sequences]
    """For plain-Python rules, the `canonical` text of the last action of each sequence, None if unknown: such rules may
    list their actions in another order in another process. For compiled rules, None instead of the array."""
    kind = "a policy"
    is_table = True

    def __post_init__(self) -> None:
        for array in (self.parent, self.observation, self.base, self.size, self.probability):
            frozen(array)
        self._check()

    def _check(self) -> None:
        """Refuse arrays unless every set comes after its parent, and the sequences of the sets follow one another."""
        players, kinds = self.game.players, (self.parent, self.observation, self.base, self.size)
        shaped = all(array.shape == self.parent.shape and array.dtype == np.int64 for array in kinds)
        if not shaped or self.parent.ndim != 1 or self.probability.ndim != 1 or self.probability.dtype != np.float64:
            raise ParameterError("a policy needs one whole number for each set in four arrays, and its probabilities")
        if np.any(self.size < 1) or not np.array_equal(self.base, players + np.cumsum(self.size) - self.size):
            raise ParameterError("the sequences of a policy's sets do not follow one another")
        if len(self.probability) != players + int(self.size.sum()):
            raise ParameterError(f"a policy of {self.sets:,} sets has {len(self.probability):,} probabilities")
        if self.names is not None and self.names.shape != self.probability.shape:
            raise ParameterError("a policy has another number of action names than of probabilities")
        if np.any(self.parent < 0) or np.any(self.parent >= self.base):
            raise ParameterError("a set of a policy comes before its parent")
        if not set(self.forgets) <= set(range(players)):
            raise ParameterError(f"forgets={shown(self.forgets)} should be players, from 0 to {players - 1}")
        codes = len(self.labels) if self.labels is not None else 0
        if self.labels is not None and (np.any(self.observation < 0) or np.any(self.observation >= codes)):
            raise ParameterError("an observation of a policy has no label")
        known = set((self.met or {}).values())
        if known and not known <= set(range(codes)):
            raise ParameterError("an observation of a policy has no label")
        if len(self._names) != codes - len(known):
            raise ParameterError("two observations of a policy have the same label")
        if self.sets:
            totals = np.add.reduceat(self.probability, self.base)
            if not (np.all(self.probability >= 0) and np.all(np.abs(totals - 1) <= MOST_ERROR)):
                raise ParameterError("the probabilities at a set of a policy are negative or do not sum to 1")

    @cached_property
    def _places(self) -> dict[tuple[int, Hashable], int]:
        keys = zip(self.above.tolist(), self.observation.tolist(), strict=True)
        return {key: j for j, key in enumerate(keys)}

    @cached_property
    def above(self) -> Longs:
        """What identifies each set together with its observation, [sets]: the last sequence, or `forgotten`."""
        if not self.forgets:
            return self.parent
        size = forgotten(self.game.players, self.owner, self.size)
        result: Longs = np.where(np.isin(self.owner, self.forgets), size, self.parent)
        return result

    @cached_property
    def owner(self) -> Longs:
        """The player of each set, [sets]."""
        players = self.game.players
        set_of = np.concatenate((np.arange(players), players + np.repeat(np.arange(self.sets), self.size)))
        above = np.concatenate((np.arange(players), set_of[self.parent]))
        while np.any(above >= players):  # each round doubles the distance to the set above
            above = above[above]
        result: Longs = above[players:]
        return result

    def policy(self) -> Policy:
        return self

    def sit(self, seat: int, luck: int) -> Seat:
        self.game.check_player(seat)
        return TableSeat(self, seat)

    @property
    def digest(self) -> str:
        return policy_digest(self)

    def save(self, path: str | PathLike[str]) -> None:
        later("strategies.files", "save_policy")(self, path)

    def at(self, player: int, place: int | str) -> dict[str, float]:
        """Return what a player does at a set that is known, given by its number (see `set`) or its name.

        The name is what the player saw and did, from its first choice to this one; if it forgets, only what it sees.
        """
        self.game.check_player(player)
        if not isinstance(place, str):
            one = self.set(place)
            if one.player != player:
                raise UnknownNameError(f"set {place} of the policy is one of player {one.player}, not of {player}")
            return one.actions
        mine = np.flatnonzero(self.owner == player).tolist()
        ends = [number for number in mine if place.endswith(self._seen(player, number))]
        named = [one for one in map(self.set, ends) if one.name == place]
        if not named:
            raise UnknownNameError(
                f"the policy knows no information set {shown(place)} of player {player}; at sets that it does not know "
                "it plays uniformly"
            )
        return named[0].actions

    def set(self, number: int) -> PolicySet:
        """Return an information set, given by its number, with its history and probabilities."""
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < self.sets:
            raise ParameterError(f"{shown(number)} is not the number of a set; the policy knows {self.sets:,} sets")
        player, way = int(self.owner[number]), self._way(int(number))
        places = tuple((self._seen(player, place), taken) for place, taken in way[:-1])
        probabilities = tuple(self.plays(int(number), 0).tolist())
        return PolicySet(int(number), player, places, self._seen(player, int(number)), probabilities, self.menus)

    def _way(self, number: int) -> list[tuple[int, int]]:
        """Return a player's sets on the way to a set, each with the action taken there; that set last, with -1."""
        way = [(number, -1)]
        while (before := int(self.parent[way[0][0]])) >= self.game.players:
            place = int(np.searchsorted(self.base, before, side="right")) - 1
            way.insert(0, (place, before - int(self.base[place])))
        return way

    def menus(self, number: int) -> list[list[str]] | None:
        """Return the names of the actions at each choice on the way to a set, that set's last; None: not known."""
        number = checked_place("number", number, self.sets)
        player, way = int(self.owner[number]), self._way(number)
        if is_box(self.game):
            texts = [self.named(place) for place, _ in way]
            return None if None in texts else [[spoken(text) for text in menu or ()] for menu in texts]
        ways = [(int(self.observation[place]), taken) for place, taken in way]
        named = [self.named(place) or int(self.size[place]) for place, _ in way]
        code: Callable[[Hashable], Hashable] = (lambda seen: seen) if self.labels is None else self.code
        return menus_to(self.game.played().rules, player, ways, named, code, player in self.forgets)

    def __iter__(self) -> Iterator[PolicySet]:
        return (self.set(number) for number in range(self.sets))

    def _seen(self, player: int, place: int) -> str:
        code = int(self.observation[place])
        if self.labels is not None:
            return spoken(self.labels[code]) if is_box(self.game) else self.labels[code]
        try:
            return self.game.played().rules.observation_text(player, code)
        except (ArithmeticError, LookupError, TypeError, ValueError):  # a file may hold what the rules never show
            return str(code)

    @property
    def sets(self) -> int:
        """How many information sets are known."""
        return len(self.parent)

    def find(self, sequence: int, observation: Hashable, count: int = 0) -> int:
        """Return the number of a set, or UNKNOWN. `count`, the number of its actions, matters if its player forgets."""
        return self._place(sequence, observation if self.labels is None else self.code(observation), count)

    def find_text(self, sequence: int, text: str, count: int = 0) -> int:
        """Return the number of a set, or UNKNOWN, for an observation of plain-Python rules that a file names."""
        return self._place(sequence, self._texts.get(text, UNKNOWN), count)

    def search(self, sequence: int, seen: Hashable) -> int:
        """Return the number of a set, or UNKNOWN, for an observation or the text of one."""
        place = self.find(sequence, seen)
        return self.find_text(sequence, seen) if place == UNKNOWN and isinstance(seen, str) else place

    def _place(self, sequence: int, key: Hashable, count: int) -> int:
        above = forgotten(self.game.players, sequence, count) if sequence in self.forgets else sequence
        return self._places.get((above, key), UNKNOWN)

    def code(self, observation: Hashable) -> int:
        """Return the number of an observation of plain-Python rules, or UNKNOWN."""
        code = None if self.met is None else self.met.get(observation)
        if code is None and self._names:
            code = self._names.get(canonical(observation))
        return UNKNOWN if code is None else code

    def plays(self, place: int, count: int) -> Floats:
        """Return the probabilities at a set, uniform over `count` actions if it is UNKNOWN."""
        if place == UNKNOWN:
            return np.full(count, 1.0 / count)
        first = int(self.base[place])
        result: Floats = self.probability[first : first + int(self.size[place])]
        return result

    def offered(self, place: int, actions: Sequence[Hashable]) -> tuple[Floats, list[int]]:
        """Return the probabilities of `actions` in their order, and for each action its place at the set."""
        weights, places = self.plays(place, len(actions)), list(range(len(actions)))
        named = None if place == UNKNOWN else self.named(place)
        if named is None or len(named) != len(actions):
            return weights, places
        places = matched(named, [canonical(action) for action in actions])
        return weights[places], places

    def named(self, place: int) -> list[str] | None:
        """Return the texts of the actions at a set; None if one of them is unknown."""
        if self.names is None:
            return None
        first = int(self.base[place])
        named: list[Any] = self.names[first : first + int(self.size[place])].tolist()
        return None if None in named else named

    def after(self, player: int, place: int, k: int) -> int:
        """Return a player's sequence once it takes the k-th action at a set."""
        if player in self.forgets:
            return player
        return UNKNOWN if place == UNKNOWN else int(self.base[place]) + k

    def without(self, player: int) -> Policy:
        """Return the strategy without the sets of one player, who then plays uniformly."""
        self.game.check_player(player)
        keep = self.owner != player
        size, players = self.size[keep], self.game.players
        cells = np.concatenate((np.ones(players, bool), np.repeat(keep, self.size)))
        goes = np.cumsum(cells) - 1
        goes[:players] = np.arange(players)
        return replace(
            self, parent=goes[self.parent[keep]], observation=self.observation[keep],
            base=players + np.cumsum(size) - size, size=size, probability=self.probability[cells],
            forgets=tuple(other for other in self.forgets if other != player),
            names=None if self.names is None else self.names[cells],
        )  # fmt: skip

    def taking(self, player: int, other: Policy) -> Policy:
        """Return this strategy with one player's part from another policy of the same game."""
        if not isinstance(other, Policy) or other.game.address != self.game.address:
            raise MismatchError(f"{shown(other)} is not a policy of {self.game.address}, so no part of it can be taken")
        if (self.labels is None) != (other.labels is None):
            raise MismatchError(f"one policy of {self.game.address} is of compiled rules, the other of plain ones")
        rest, mine, players = self.without(player), other.owner == player, self.game.players
        codes, labels, met = rest._joined(other)
        cells = np.concatenate((np.zeros(players, bool), np.repeat(mine, other.size)))
        goes = np.cumsum(cells) - 1 + len(rest.probability)
        goes[:players] = np.arange(players)
        size = np.concatenate((rest.size, other.size[mine]))
        return replace(
            rest, parent=np.concatenate((rest.parent, goes[other.parent[mine]])),
            observation=np.concatenate((rest.observation, codes[other.observation[mine]] if labels is not None
                                        else other.observation[mine])),
            base=players + np.cumsum(size) - size, size=size,
            probability=np.concatenate((rest.probability, other.probability[cells])), labels=labels, met=met,
            forgets=tuple(sorted({*rest.forgets, *({player} & {*other.forgets})})), facts=other.facts,
            names=None if labels is None else np.concatenate((rest._known_names, other._known_names[cells])),
        )  # fmt: skip

    @property
    def _known_names(self) -> Any:
        return np.full(len(self.probability), None, object) if self.names is None else self.names

    def _joined(self, other: Policy) -> tuple[Longs, tuple[str, ...] | None, dict[Hashable, int] | None]:
        """Return the numbers of another policy's observations among ours, and all labels and observations."""
        if self.labels is None or other.labels is None:
            return np.zeros(0, np.int64), None, None
        labels, met = list(self.labels), dict(self.met or {})
        named, itself = dict(self._names), {code: seen for seen, code in (other.met or {}).items()}
        codes = np.zeros(len(other.labels), np.int64)
        for code, text in enumerate(other.labels):
            place = met.get(itself[code], UNKNOWN) if code in itself else self._texts.get(text, UNKNOWN)
            if place == UNKNOWN:
                place = named.pop(text, len(labels))
            if code in itself:
                met.setdefault(itself[code], place)
            if place == len(labels):
                labels.append(text)
            codes[code] = place
        return codes, tuple(labels), met

    def profile(self) -> Profile:
        """Return the same strategy on the expanded game; refuse a game that does not fit into memory."""
        return table_profile(self)

    @cached_property
    def _names(self) -> dict[str, int]:
        """The number of each observation that is known only by its text."""
        known = set((self.met or {}).values())
        return {name: code for code, name in enumerate(self.labels or ()) if code not in known}

    @cached_property
    def _texts(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.labels or ())}

    @staticmethod
    def uniform(game: Loadable) -> Policy:
        """Return uniform play of a game of any size: the table in which no set is known."""
        game = load(game).played()
        nothing = np.zeros(0, np.int64)
        labels = None if game.coded else ()
        return Policy(game, nothing, nothing, nothing, nothing, np.ones(game.players), labels, {"method": "uniform"})

    @staticmethod
    def of_profile(profile: Profile) -> Policy:
        """Return a profile as a table of all sets, including the locked sets of a game with locks."""
        check_is_profile(profile)
        profile = unlocked(profile)
        game = profile.game
        observations = None if game.labels is None else game.labels.observations
        players = game.players
        parent, observation, size, strategy = [], [], [], [np.ones(players)]
        used = players
        for player, (plex, plays) in enumerate(zip(game.form.treeplexes, profile.strategies, strict=True)):
            parent.append(np.where(plex.parent == 0, player, plex.parent.astype(np.int64) + used - 1))
            observation.append(plex.observation)
            size.append(plex.sizes.astype(np.int64))
            strategy.append(plays[1:])
            used += plex.sequences - 1
        sizes = np.concatenate(size)
        return Policy(
            game,
            np.concatenate(parent),
            np.concatenate(observation),
            players + np.cumsum(sizes) - sizes,
            sizes,
            np.concatenate(strategy),
            None if observations is None else tuple(map(canonical, observations)),
            dict(profile.facts),
            None if observations is None else {seen: code for code, seen in enumerate(observations)},
            names=names_of(game.labels, game.form.treeplexes),
        )

    def _repr_html_(self) -> str:
        from hannan.markup import plays

        first = [
            (one.player, " ".join([*(part for pair in one.history for part in pair), one.seen]), one.actions)
            for one in islice(self, SHOWN)
        ]
        return plays(self.game.address, first, self.sets)

    def __repr__(self) -> str:
        return f"Policy of {self.game.address}: {self.sets:,} information sets visited"
