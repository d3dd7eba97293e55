"""A strategy for a game that is not expanded: a table of the information sets that were visited.

A set is found as it was made: by the player's last sequence and what it observes now. Elsewhere play is uniform.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from hannan.arrays import Floats, Longs, frozen
from hannan.errors import FileError, MismatchError
from hannan.files import read_arrays, write_arrays
from hannan.game import Game, load
from hannan.profile import Profile
from hannan.rules import Rules

KIND = "policy"
UNKNOWN = -1
"""The sequence of a player who has come to a set that is not in the table."""


@dataclass(frozen=True, eq=False)
class Policy:
    """Probabilities at the sets that are known. Sequence p, below the number of players, is p's empty one."""

    game: Game
    parent: Longs  # [sets]  the player's last sequence
    observation: Longs  # [sets]  what it sees: the rules' own integer, or a number of `labels`
    base: Longs  # [sets]  the first sequence
    size: Longs  # [sets]
    probability: Floats  # [sequences]
    labels: tuple[str, ...] | None
    """What observations of plain-Python rules are called by repr(); None where they are integers."""
    facts: Mapping[str, Any]

    def __post_init__(self) -> None:
        for array in (self.parent, self.observation, self.base, self.size, self.probability):
            frozen(array)

    @cached_property
    def _places(self) -> dict[tuple[int, Hashable], int]:
        seen: Sequence[Hashable] = self.observation.tolist()
        if self.labels is not None:
            seen = [self.labels[code] for code in self.observation]
        return {key: j for j, key in enumerate(zip(self.parent.tolist(), seen, strict=True))}

    @cached_property
    def owner(self) -> Longs:
        """The player of each set, [sets]."""
        owners = np.zeros(len(self.probability), np.int64)
        owners[: self.game.players] = np.arange(self.game.players)
        result = np.zeros(self.sets, np.int64)
        for j in range(self.sets):  # sets come after their parents
            result[j] = owners[self.parent[j]]
            owners[self.base[j] : self.base[j] + self.size[j]] = result[j]
        return result

    @property
    def sets(self) -> int:
        """How many information sets are known."""
        return len(self.parent)

    def find(self, sequence: int, observation: Hashable) -> int:
        """Return the number of a set, or UNKNOWN."""
        key = observation if self.labels is None else repr(observation)
        return self._places.get((sequence, key), UNKNOWN)

    def plays(self, place: int, count: int) -> Floats:
        """Return the probabilities at a set, uniform over `count` actions where it is UNKNOWN."""
        if place == UNKNOWN:
            return np.full(count, 1.0 / count)
        first = int(self.base[place])
        result: Floats = self.probability[first : first + int(self.size[place])]
        return result

    def after(self, place: int, k: int) -> int:
        """Return the player's sequence once it takes the k-th action at a set."""
        return UNKNOWN if place == UNKNOWN else int(self.base[place]) + k

    def profile(self) -> Profile:
        """Return the same strategy on the expanded game; refuses one that does not fit into memory."""
        strategies = []
        for player, plex in enumerate(self.game.form.treeplexes):
            strategy = np.ones(plex.sequences)
            known = np.full(plex.sequences, UNKNOWN, np.int64)
            known[0] = player
            for j in range(plex.sets):
                code = int(plex.observation[j])
                labels = self.game.tree.labels
                place = self.find(int(known[plex.parent[j]]), code if labels is None else labels.observations[code])
                first, size = int(plex.begin[j]), int(plex.sizes[j])
                strategy[first : first + size] = self.plays(place, size)
                known[first : first + size] = [self.after(place, k) for k in range(size)]
            strategies.append(strategy)
        return Profile(self.game, tuple(strategies), dict(self.facts))

    @staticmethod
    def of_profile(profile: Profile) -> Policy:
        """Return a profile as a table of all the sets there are."""
        game, tree = profile.game, profile.game.tree
        players = game.players
        parent, observation, size, strategy = [], [], [], [np.ones(players)]
        used = players
        for player, (plex, plays) in enumerate(zip(tree.treeplexes, profile.strategies, strict=True)):
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
            players + np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64),
            sizes,
            np.concatenate(strategy),
            None if tree.labels is None else tuple(repr(seen) for seen in tree.labels.observations),
            dict(profile.facts),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a file that cannot run code."""
        arrays = {name: getattr(self, name) for name in ("parent", "observation", "base", "size", "probability")}
        labels = None if self.labels is None else list(self.labels)
        facts = {"game": self.game.name, "parameters": self.game.parameters, "labels": labels, **self.facts}
        facts["built_in"] = self.game.built_in
        write_arrays(path, KIND, arrays, facts)

    @staticmethod
    def read(path: str | PathLike[str], game: str | Rules | Game | None = None) -> Policy:
        """Read a table; `game` is needed for a game that is not built in."""
        from hannan.games.catalogue import MODULES, address

        arrays, facts = read_arrays(path, KIND)
        try:
            name, parameters, labels = facts.pop("game"), facts.pop("parameters"), facts.pop("labels")
            built_in = facts.pop("built_in", True) and name in MODULES
            if game is None and not built_in:
                raise FileError(f"{path} belongs to {name}, which is not built in: give the game too")
            found = load(address(name, parameters) if game is None else game)
            if found.name != name or found.parameters != parameters:
                raise MismatchError(f"{path} belongs to {name}{parameters or ''}, not to {found.address}")
            return Policy(found, **arrays, labels=None if labels is None else tuple(labels), facts=facts)
        except (KeyError, TypeError) as error:
            raise FileError(f"{path} is not a policy that this hannan can read ({error})") from error

    def __repr__(self) -> str:
        return f"Policy of {self.game.address}: {self.sets:,} information sets visited"
