"""Ties between sets that a forgetful player cannot tell apart: in the full game, tied sets share one learner."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hannan.arrays import Floats, Ints, frozen
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame, PlayedGame
from hannan.forms.recall import Recall, recall
from hannan.forms.sequence import SequenceForm
from hannan.forms.sizes import Sizes
from hannan.forms.tree import GameTree, Labels
from hannan.forms.treeplex import EMPTY, Treeplex
from hannan.rules.plain import Rules


@dataclass(frozen=True)
class Ties:
    """The abstract set of each set of each player: the player cannot tell apart sets with the same number.

    Abstract sets are numbered from 0, in the order of their first members.
    """

    number: tuple[Ints, ...]  # one array per player, [sets]

    def __post_init__(self) -> None:
        for numbers in self.number:
            frozen(numbers)

    @classmethod
    def of(cls, names: Sequence[Sequence[Any]]) -> Ties:
        """Tie the sets of each player that have the same name."""
        numbers = []
        for mine in names:
            known: dict[Any, int] = {}
            numbers.append(np.array([known.setdefault(name, len(known)) for name in mine], np.int32))
        return cls(tuple(numbers))

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of abstract sets of each player."""
        return tuple(int(numbers.max(initial=-1)) + 1 for numbers in self.number)

    @property
    def digest(self) -> str:
        """A hash of the map from sets to abstract sets."""
        digest = hashlib.sha256()
        for numbers in self.number:
            digest.update(len(numbers).to_bytes(8, "little"))
            digest.update(numbers.astype("<i4").tobytes())
        return digest.hexdigest()[:16]

    def leaders(self, player: int) -> Ints:
        """Return for each set the first member of its abstract set, [sets]."""
        _, first = np.unique(self.number[player], return_index=True)
        leaders: Ints = first.astype(np.int32)[self.number[player]]
        return leaders

    def comes_back(self, player: int, plex: Treeplex) -> int | None:
        """Return a set that play reaches after another set of the same abstract set; None if no such set exists."""
        numbers = self.number[player]
        for start in range(plex.sets):
            at = start
            while (before := int(plex.parent[at])) != EMPTY:
                at = int(plex.set_of[before])
                if numbers[at] == numbers[start]:
                    return start
        return None

    def check(self, game: ExpandedGame) -> None:
        """Refuse ties that do not fit a game: wrong numbers of sets or actions, or absent-mindedness."""
        plexes = game.form.treeplexes
        if len(self.number) != len(plexes):
            raise ParameterError(f"the map is for {len(self.number)} players; {game.address} has {len(plexes)}")
        for player, (plex, numbers) in enumerate(zip(plexes, self.number, strict=True)):
            if numbers.shape != (plex.sets,) or np.any(numbers < 0) or np.any(numbers >= max(plex.sets, 1)):
                raise ParameterError(f"the map does not name an abstract set for each set of player {player}")
            leaders = self.leaders(player)
            if np.any(plex.sizes != plex.sizes[leaders]):
                raise ParameterError(f"the map ties sets of player {player} that have different numbers of actions")
            if (twice := self.comes_back(player, plex)) is not None:
                raise ParameterError(
                    f"player {player} would not know at {game.set_text(player, twice)!r} that it was there before "
                    "(absent-minded): let the map keep each set apart from the sets before it"
                )


class TiedGame(ExpandedGame):
    """The full game as full-width methods see it if players forget: its sequence form, and its ties.

    Numbers and strategies are those of the full game, `base`. A tied game has no rules and no tree, so that a method
    that walks the game, or that treats every set alone, cannot ignore the ties.
    """

    kind = "tied"

    def __init__(self, base: ExpandedGame, ties: Ties) -> None:
        ties.check(base)
        self.base, self.ties = base, ties
        self.name, self.parameters, self.players = base.name, base.parameters, base.players

    @property
    def address(self) -> str:
        """The base game's address and the number of abstract sets; `load` does not take it."""
        sets = sum(plex.sets for plex in self.form.treeplexes)
        return f"{self.base.address} with {sets:,} sets tied to {sum(self.ties.counts):,}"

    @property
    def compiled(self) -> bool:
        return self.base.compiled

    @property
    def coded(self) -> bool:
        return self.base.coded

    @property
    def form(self) -> SequenceForm:
        """The base game's sequence form."""
        return self.base.form

    @property
    def labels(self) -> Labels | None:
        """The base game's labels."""
        return self.base.labels

    @property
    def sizes(self) -> Sizes:
        """The base game's sizes."""
        return self.base.sizes

    @property
    def payoff_range(self) -> tuple[Floats, Floats]:
        """The base game's range of payoffs."""
        return self.base.payoff_range

    @cached_property
    def recall(self) -> Recall:
        """What is proven about regrets in the base game."""
        lowest, highest = self.payoff_range
        return recall(self.form, self.ties.number, (highest - lowest).tolist())

    @cached_property
    def tree(self) -> GameTree:
        """Refused: a walk over the base game's tree would ignore the ties."""
        raise self.refusal()

    @property
    def rules(self) -> Rules:  # type: ignore[override]  # a game of rules has them; this one refuses
        """Refused: playing the base game's rules would ignore the ties."""
        raise self.refusal()

    def refusal(self) -> UnsuitableError:
        """Return the error that says which methods work here."""
        return UnsuitableError(
            f"{self.address}: players forget, which only full-width methods (such as cfr, cfr+ and dcfr) take into "
            f"account. For other methods, use {self.base.address}, in which no player forgets"
        )

    def expanded(self) -> ExpandedGame:
        raise self.refusal()

    def played(self) -> PlayedGame:
        raise self.refusal()

    def formed(self) -> ExpandedGame:
        return self

    def set_text(self, player: int, number: int) -> str:
        return self.base.set_text(player, number)

    def set_texts(self, player: int) -> list[str]:
        return self.base.set_texts(player)

    def action_text(self, player: int, sequence: int) -> str:
        return self.base.action_text(player, sequence)

    def shared(self, total: Floats) -> Floats:
        """Return sums of reaches in which tied sets play alike, [sequences of all players].

        If the payoffs below the members are proportional, each member has the weight of its share; else all members
        have equal weight.
        """
        result, begin = total.copy(), 0
        for player, plex in enumerate(self.form.treeplexes):
            mine = result[begin + 1 : begin + plex.sequences]
            place = plex.begin[self.ties.leaders(player)] - 1  # where the first member's actions are in `mine`
            to = np.repeat(place - (plex.begin[:-1] - 1), plex.sizes) + np.arange(plex.sequences - 1)
            sums = np.zeros_like(mine)
            np.add.at(sums, to, mine * np.repeat(self.recall.weights[player], plex.sizes))
            mine[:] = sums[to]
            begin += plex.sequences
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return TiedGame, (self.base, self.ties)
