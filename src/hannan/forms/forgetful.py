"""A game whose source states information sets at which players forget."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.forms.ties import TiedGame, Ties
from hannan.forms.tree import GameTree
from hannan.forms.treeplex import EMPTY
from hannan.interop.stated import Forgetting, StatedRules


class ForgetfulGame(Game):
    """A game with imperfect recall. Full-width methods solve it; other methods and best responses refuse it.

    Its perfect-recall refinement is another game, in which every set is split by what the player saw and did before.
    A strategy for the stated sets is also a strategy of the refinement, where it plays alike at all parts of a stated
    set and has the same value.
    """

    kind = "forgetful"

    def __init__(self, rules: StatedRules, forgetting: Forgetting) -> None:
        self.rules, self.forgetting = rules, forgetting
        self.name, self.players = rules.name, rules.players
        self.parameters = {}

    @cached_property
    def refined(self) -> ExpandedGame:
        """The perfect-recall refinement."""
        return ExpandedGame(self.rules.refined())

    @cached_property
    def tied(self) -> TiedGame:
        """The refinement, with the parts of each stated set tied together: full-width methods solve this game."""
        if self.forgetting.absent_minded:
            raise self.refusal()
        names = []
        for player in range(self.players):
            of = {number: name for name, numbers in self.parts(player).items() for number in numbers}
            names.append([of[number] for number in range(len(of))])
        return TiedGame(self.refined, Ties.of(names))

    def stated_set(self, player: int, number: int) -> str:
        """Return the name of the stated set that contains a set of the refinement."""
        tree = self.refined.tree
        assert tree.labels is not None
        return self.rules.observation_text(
            player, tree.labels.observations[int(tree.treeplexes[player].observation[number])]
        )

    def parts(self, player: int) -> dict[str, list[int]]:
        """Return the sets of the refinement, grouped by the name of the stated set that contains them."""
        parts: dict[str, list[int]] = {}
        for number in range(self.refined.tree.treeplexes[player].sets):
            parts.setdefault(self.stated_set(player, number), []).append(number)
        return parts

    @property
    def stated_sets(self) -> tuple[int, ...]:
        """The number of information sets that the source states for each player."""
        return tuple(len(self.parts(player)) for player in range(self.players))

    def refusal(self) -> UnsuitableError:
        """Return the error that names the player who forgets and the set, and says what to do."""
        needs = "All methods and best responses need"
        if not self.forgetting.absent_minded:
            needs = "Full-width methods (such as cfr, cfr+ and dcfr) solve it; all others and best responses need"
        return UnsuitableError(
            f"{self.address}: {self.forgetting}. {needs} perfect recall: "
            f"{self.refined.address} is the refinement in which no player forgets; hn.values and `hannan evaluate` "
            "give the values of a strategy"
        )

    def formed(self) -> ExpandedGame:
        return self.tied

    def expanded(self) -> ExpandedGame:
        raise self.refusal()

    def played(self) -> PlayedGame:
        raise self.refusal()


class StatedGame(PlayedGame):
    """A game whose source states the information sets, and that is too large to be expanded by default.

    Only the expanded game shows for certain whether a player forgets, so `expanded` and `formed` check it.
    """

    rules: StatedRules

    def expanded(self) -> ExpandedGame:
        game = super().expanded()
        if not self.rules.split and (forgetting := forgetting_in(game.tree)) is not None:
            raise ForgetfulGame(self.rules, forgetting).refusal()
        return game

    def formed(self) -> ExpandedGame:
        game = super().expanded()
        forgetting = None if self.rules.split else forgetting_in(game.tree)
        return game if forgetting is None else ForgetfulGame(self.rules, forgetting).tied


def forgetting_in(tree: GameTree) -> Forgetting | None:
    """Return where a player forgets if observations name the stated sets: one observation at two sets of the tree."""
    first: Forgetting | None = None
    count = 0
    for player, plex in enumerate(tree.treeplexes):
        seen, times = np.unique(plex.observation, return_counts=True)
        for code in seen[times > 1].tolist():
            numbers = np.flatnonzero(plex.observation == code).tolist()
            count += 1
            if first is None or not first.absent_minded:
                assert tree.labels is not None
                name = tree.rules.observation_text(player, tree.labels.observations[code])
                twice = any(_comes_back(tree, player, number) for number in numbers)
                if first is None or twice:
                    first = Forgetting(player, name, twice, 1)
    return None if first is None else replace(first, sets=count)


def _comes_back(tree: GameTree, player: int, number: int) -> bool:
    """Return whether the player made the same observation at an earlier set of the same play."""
    plex, code = tree.treeplexes[player], int(tree.treeplexes[player].observation[number])
    while (before := int(plex.parent[number])) != EMPTY:
        number = int(plex.set_of[before])
        if int(plex.observation[number]) == code:
            return True
    return False
