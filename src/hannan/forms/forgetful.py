"""A game whose source states information sets at which somebody forgets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from hannan.errors import UnsuitableError
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.interop.stated import StatedRules

SPLIT = {"recall": "split"}
"""The parameter that asks for the perfect-recall refinement."""


class ForgetfulGame(Game):
    """A game with imperfect recall: it can be looked at, written, and its values evaluated; methods refuse it.

    Its perfect-recall refinement, in which every set is split by what the player saw and did before, is another game.
    A strategy of the stated sets is a strategy of the refinement that plays alike wherever the stated set is the same,
    and has the same value there.
    """

    kind = "forgetful"

    def __init__(self, rules: StatedRules, name: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        self.rules = rules
        self.name = name or rules.name
        self.parameters = dict(parameters or {})
        self.players = rules.players

    @cached_property
    def refined(self) -> ExpandedGame:
        """The game in which nobody forgets."""
        return ExpandedGame(self.rules.refined(), self.name, {**self.parameters, **SPLIT})

    def stated_set(self, player: int, number: int) -> str:
        """Name the stated set that a set of the refinement is a part of."""
        tree = self.refined.tree
        assert tree.labels is not None
        return self.rules.observation_text(
            player, tree.labels.observations[int(tree.treeplexes[player].observation[number])]
        )

    def parts(self, player: int) -> dict[str, list[int]]:
        """Return the sets of the refinement by the stated set that they are parts of."""
        parts: dict[str, list[int]] = {}
        for number in range(self.refined.tree.treeplexes[player].sets):
            parts.setdefault(self.stated_set(player, number), []).append(number)
        return parts

    def refusal(self) -> UnsuitableError:
        """Return the error that says who forgets where, and what to do."""
        return UnsuitableError(
            f"{self.address}: {self.rules.forgetting()}. Methods and best responses need perfect recall: "
            f"{self.refined.address} is the refinement in which nobody forgets; hn.values and `hannan evaluate` give "
            "the values of a strategy"
        )

    def expanded(self) -> ExpandedGame:
        raise self.refusal()

    def played(self) -> PlayedGame:
        raise self.refusal()
