"""Open games and strategies. Each computes the numbers for its views once, and keeps them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from hannan.errors import UnsuitableError
from hannan.web.numbers import finite, numbers_text, plain
from hannan.web.refusals import LoadingError, StateError

if TYPE_CHECKING:
    from hannan.forms.game import ExpandedGame, Game
    from hannan.measures.evaluation import Evaluation
    from hannan.measures.histories import Histories
    from hannan.measures.listing import SetList, SetNames
    from hannan.measures.poker.report import NodeReader
    from hannan.measures.tables import SetRow
    from hannan.strategies.strategy import Strategy
    from hannan.web.cells import SetCells

State = Literal["loading", "ready", "failed"]
MOST_ROWS = 20_000
"""The most information sets that are listed if the game is not expanded."""
SHOWN_FACTS = ("method", "iterations", "gap", "nash_conv", "seed", "playthroughs", "confidence", "player")
"""The facts that pages show about how a strategy was made."""


@dataclass(eq=False)
class OpenGame:
    """A game that is open or loading."""

    id: str
    given: Any
    """The argument of `load`: the address as it was given, or a game."""
    address: str
    state: State = "loading"
    error: str | None = None
    game: Game | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def loaded(self) -> Game:
        """Return the game; raise an error if it is still loading or could not be loaded."""
        if self.state == "loading":
            raise LoadingError(f"{self.address} is still being loaded; ask again in a moment")
        if self.game is None:
            raise StateError(f"{self.address} could not be loaded: {self.error}")
        return self.game

    def prepare(self) -> None:
        """Compute what every view of the game needs."""
        from hannan.forms.game import ExpandedGame, PublicGame

        if isinstance(self.game, ExpandedGame):
            _ = self.game.tree, self.names, self._counts
        elif isinstance(self.game, PublicGame):
            _ = self.game.form

    @property
    def expanded(self) -> ExpandedGame:
        """The game; an error is raised if it is not expanded."""
        from hannan.forms.game import ExpandedGame

        game = self.loaded() if self.game is None else self.game
        if not isinstance(game, ExpandedGame):
            raise UnsuitableError(f"{self.address} is not expanded: this view needs all of its information sets")
        return game

    @cached_property
    def names(self) -> SetNames:
        """The names of all information sets."""
        from hannan.measures.listing import SetNames

        return SetNames(self.expanded)

    @cached_property
    def _counts(self) -> list[Any]:
        """The number of histories in each information set, [players][sets]."""
        import numpy as np

        tree = self.expanded.tree
        turn = np.maximum(tree.turn.astype(np.int64), 0)
        counts = []
        for player, plex in enumerate(tree.treeplexes):
            mine = np.flatnonzero((turn >> player) & 1 == 1)
            earlier = sum(((turn[mine] >> before) & 1 for before in range(player)), np.zeros(len(mine), np.int64))
            counts.append(np.bincount(tree.slots[tree.slot_begin[mine] + earlier], minlength=plex.sets))
        return counts

    def count(self, player: int, number: int) -> int:
        """Return the number of histories in an information set."""
        return int(self._counts[player][number])

    @cached_property
    def cells(self) -> SetCells:
        """The places of the information sets in the grid."""
        from hannan.web.cells import SetCells

        return SetCells(self.expanded)

    @property
    def players(self) -> int:
        """The number of players; 0 while the game is loading."""
        return 0 if self.game is None else self.game.players

    def player_names(self) -> list[str]:
        """Return the names of the players."""
        from hannan.forms.game import PublicGame
        from hannan.measures.poker.report import player_name

        if isinstance(self.game, PublicGame):
            names = [player_name(self.game.rules, player) for player in range(self.players)]
            return [f"player {name}" if name.isdecimal() else name for name in names]
        return [f"player {player}" for player in range(self.players)]

    def views(self) -> list[str]:
        """Return the views that this game has."""
        from hannan.forms.game import ExpandedGame, PlayedGame, PublicGame, is_box

        game = self.game
        if game is None or not isinstance(game, PlayedGame) or is_box(game):
            return []
        if isinstance(game, PublicGame):
            return ["public", "solve", "whatif", "play"]
        if isinstance(game, ExpandedGame):
            grid = ["grid"] if game.rules.writes("grid") else []
            return ["tree", "strategy", *grid, "solve", "whatif", "play"]
        return ["tree", "strategy", "solve", "play"]

    def record(self) -> dict[str, Any]:
        """Return the record of the game for the interface."""
        known = self.game if self.state == "ready" else None
        facts: dict[str, Any] = {"kind": None, "sum": None, "histories": None, "information_sets": None}
        value = None
        if known is not None:
            facts = _sizes(known)
            value = finite(known.known_value)
        return {
            "id": self.id, "address": self.address, "name": self.address if known is None else known.name,
            "state": self.state, "error": self.error, "players": self.players if known else None,
            "player_names": self.player_names() if known else [], "known_value": value,
            "built_in": bool(known is not None and known.built_in), "views": self.views() if known else [], **facts,
        }  # fmt: skip


def _sizes(game: Game) -> dict[str, Any]:
    """Return the sizes of a game that are known without counting."""
    from hannan.forms.game import ExpandedGame, PublicGame

    facts: dict[str, Any] = {"kind": game.kind, "sum": None, "histories": None, "information_sets": None}
    if isinstance(game, ExpandedGame):
        sizes = game.sizes
        facts |= {"sum": sizes.kind, "histories": sizes.histories, "information_sets": list(sizes.sets)}
    elif isinstance(game, PublicGame):
        facts |= {"histories": game.form.histories, "sum": "zero-sum" if game.form.competitive else "general-sum"}
    return facts


@dataclass(eq=False)
class OpenStrategy:
    """A strategy that is open or loading."""

    id: str
    game: OpenGame
    name: str
    source: Literal["uniform", "file", "run", "python"]
    file: str | None = None
    run: str | None = None
    state: State = "loading"
    error: str | None = None
    strategy: Strategy | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    evaluating: Future[Evaluation] | None = field(default=None, repr=False)

    def loaded(self) -> Strategy:
        """Return the strategy; raise an error if it is still loading or could not be read."""
        if self.state == "loading":
            raise LoadingError(f"{self.name} is still being loaded; ask again in a moment")
        if self.strategy is None:
            raise StateError(f"{self.name} could not be loaded: {self.error}")
        return self.strategy

    def prepare(self) -> None:
        """Compute what every view needs."""
        from hannan.strategies.profile import Profile
        from hannan.strategies.public import PublicStrategy

        if isinstance(self.strategy, Profile):
            _ = self.sets, self.histories
        elif isinstance(self.strategy, PublicStrategy):
            self.reader.report()  # it may compile, which a click should not wait for

    @property
    def exact(self) -> bool:
        """Whether its numbers are exact: it is a profile, or a strategy on a public tree."""
        from hannan.strategies.profile import Profile
        from hannan.strategies.public import PublicStrategy

        return isinstance(self.strategy, Profile | PublicStrategy)

    @cached_property
    def sets(self) -> SetList:
        """All information sets with their numbers."""
        from hannan.measures.listing import SetList
        from hannan.strategies.profile import Profile

        strategy = self.strategy
        if not isinstance(strategy, Profile):
            raise UnsuitableError(f"{self.name} is {getattr(strategy, 'kind', 'no strategy')}, and not a profile")
        return SetList(strategy, self.game.names)

    @cached_property
    def histories(self) -> Histories:
        """Reach and value of all histories."""
        from hannan.measures.histories import histories

        return histories(self.sets.profile)

    @cached_property
    def reader(self) -> NodeReader:
        """The reader that makes reports of nodes of a public tree."""
        from hannan.measures.poker.report import NodeReader

        return NodeReader(self.loaded() if self.strategy is None else self.strategy)

    @cached_property
    def rows(self) -> tuple[SetRow, ...]:
        """The information sets that sampled plays reached, if the game is not expanded."""
        from hannan.measures.tables import summary

        return tuple(summary(self.loaded(), most=MOST_ROWS))

    def record(self) -> dict[str, Any]:
        """Return the record of the strategy for the interface."""
        known = self.strategy if self.state == "ready" else None
        facts = {} if known is None else {name: known.facts[name] for name in SHOWN_FACTS if name in known.facts}
        return {
            "id": self.id, "game": self.game.id, "name": self.name, "source": self.source, "file": self.file,
            "run": self.run, "state": self.state, "error": self.error, "kind": None if known is None else known.kind,
            "exact": self.exact, "facts": plain(facts),
        }  # fmt: skip


def evaluation_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return the record of an evaluation for the interface."""
    gains = evaluation.gains
    return {
        "values": plain(evaluation.values),
        "values_text": numbers_text(evaluation.values),
        "gains": plain(gains),
        "gains_text": numbers_text(gains),
        "nash_conv": finite(evaluation.nash_conv),
        "nash_conv_text": numbers_text([evaluation.nash_conv])[0],
        "exploitability": finite(evaluation.exploitability),
        "exploitability_text": numbers_text([evaluation.exploitability])[0],
        "exact": evaluation.exact,
    }
