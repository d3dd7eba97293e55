"""What a game is: a name and, by its type, what can be done with it.

`ExpandedGame`: tree and sequence form exist, and every number is exact. `PlayedGame`: the rules can be stepped and
copied; numbers are estimates or one-sided bounds, and say so. `BoxedGame`: it can only be played through, from the
start. Methods say which of these they need, and ask for it here; what a game cannot be is refused by name.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hannan.arrays import Floats
from hannan.errors import ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.expanding import expand
from hannan.forms.sequence import SequenceForm, sequence_form
from hannan.forms.sizes import Sizes
from hannan.forms.survey import survey
from hannan.forms.tree import GameTree
from hannan.games import catalogue
from hannan.rules.box import Box
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import Rules


class Game(ABC):
    """A game with a name and parameters."""

    kind: ClassVar[str]
    """What it is, in a word: expanded, played or boxed."""
    name: str
    parameters: dict[str, Any]
    players: int
    built_in: bool = False
    """Whether the catalogue made it, so that name and parameters say what the game is."""

    @property
    def address(self) -> str:
        """The name with those parameters that differ from the defaults: what `load` takes."""
        return catalogue.address(self.name, self.parameters)

    def expanded(self) -> ExpandedGame:
        """Return the game with its tree and sequence form; refuse one that has none, or that does not fit."""
        raise UnsuitableError(f"{self.address} is {self.kind}: its tree cannot be written out")

    def played(self) -> PlayedGame:
        """Return the game as one whose rules can be stepped and copied; refuse one that has none."""
        raise UnsuitableError(
            f"{self.address} is {self.kind}: it can only be played from the start, and has no rules to step"
        )

    def check_player(self, player: int) -> None:
        """Refuse what is not the number of a player."""
        if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < self.players:
            raise ParameterError(
                f"player {player!r} is out of range; {self.address} has players 0 to {self.players - 1}"
            )

    @property
    def known_value(self) -> float | None:
        """The value to player 0, where the catalogue knows it from the literature."""
        if not self.built_in:
            return None
        fact = catalogue.entry(self.name).known.get(self.address)
        return None if fact is None else fact.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address}, {self.players} players)"


class BoxedGame(Game):
    """A game that can only be played through, from the start: no copies, no odds."""

    kind = "boxed"

    def __init__(self, box: Box, name: str = "") -> None:
        self.box = box
        self.name = name or box.name or type(box).__name__
        self.parameters = {}
        self.players = box.players

    @property
    def address(self) -> str:
        return self.name


class PlayedGame(Game):
    """A game whose rules can be stepped and copied. It need not fit into memory."""

    kind = "played"

    def __init__(
        self,
        rules: Rules,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
        *,
        built_in: bool = False,
    ) -> None:
        self.rules = rules
        self.name = name or rules.name or type(rules).__name__
        self.parameters = dict(parameters or {})
        self.players = rules.players
        self.built_in = built_in

    @property
    def compiled(self) -> bool:
        """Whether the rules are compiled; else they are plain Python."""
        return isinstance(self.rules, CompiledRules)

    @cached_property
    def sizes(self) -> Sizes:
        """How large the game is: compiled rules are counted without being stored, plain-Python rules expanded."""
        if isinstance(self.rules, CompiledRules):
            return Sizes.of_survey(survey(self.rules), self.players)
        return self.expanded().sizes

    @cached_property
    def _expanded(self) -> ExpandedGame:
        game = ExpandedGame(self.rules, self.name, self.parameters, built_in=self.built_in)
        _ = game.form  # refused here, if it does not fit
        return game

    def expanded(self) -> ExpandedGame:
        return self._expanded

    def played(self) -> PlayedGame:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), None if self.built_in else self.rules, self.name, self.parameters)


class ExpandedGame(PlayedGame):
    """A game with its tree and its sequence form, which are built on first use and kept."""

    kind = "expanded"

    def expanded(self) -> ExpandedGame:
        return self

    @cached_property
    def tree(self) -> GameTree:
        """Every history, as flat arrays."""
        return expand(self.rules)

    @cached_property
    def form(self) -> SequenceForm:
        """One treeplex a player, and the payoffs."""
        return sequence_form(self.tree)

    @property
    def payoff_range(self) -> tuple[Floats, Floats]:
        """The lowest and the highest utility of each player at the ends of play, [players] each."""
        return self.tree.lowest, self.tree.highest

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes.of_tree(self.tree) if "tree" in vars(self) or not self.compiled else super().sizes

    def set_text(self, player: int, number: int) -> str:
        """Name an information set: what the player saw and did, from its first choice to this one."""
        return self.tree.set_text(player, number)

    def action_text(self, player: int, sequence: int) -> str:
        """Name the last action of a sequence."""
        plex = self.form.treeplexes[player]
        return self.rules.action_text(player, self.tree.action_of(int(plex.action[sequence])))

    def actions_at(self, player: int, number: int) -> list[str]:
        """Name the actions at an information set, in their order."""
        begin = self.form.treeplexes[player].begin
        return [self.action_text(player, s) for s in range(int(begin[number]), int(begin[number + 1]))]

    def find_set(self, player: int, place: int | str) -> int:
        """Return the number of an information set that is given by its number or its name."""
        self.check_player(player)
        sets = self.form.treeplexes[player].sets
        if isinstance(place, str):
            names = self._names_of_sets[player]
            if place not in names:
                raise UnknownNameError(f"player {player} has no information set {place!r}{nearest(place, names)}")
            first, *more = names[place]
            if more:
                numbers = ", ".join(map(str, names[place][:5])) + (", …" if len(more) > 4 else "")
                raise UnknownNameError(
                    f"player {player} has {len(more) + 1} information sets {place!r}: say which by its number "
                    f"({numbers})"
                )
            return first
        if isinstance(place, bool) or not isinstance(place, int | np.integer):
            raise ParameterError(f"{place!r} is neither the name nor the number of an information set")
        if not 0 <= place < sets:
            raise UnknownNameError(f"player {player} has no information set {place}; it has {sets}")
        return int(place)

    @cached_property
    def _names_of_sets(self) -> list[dict[str, list[int]]]:
        """For each player, the numbers of its sets by their name."""
        names: list[dict[str, list[int]]] = [{} for _ in range(self.players)]
        for player, numbers in enumerate(names):
            for number in range(self.form.treeplexes[player].sets):
                numbers.setdefault(self.set_text(player, number), []).append(number)
        return names


def _again(kind: type[PlayedGame], rules: Rules | None, name: str, parameters: Mapping[str, Any]) -> PlayedGame:
    """Make a game once more in another process; a built-in one by its name."""
    made = rules if rules is not None else catalogue.make(name, parameters)
    return kind(made, name, parameters, built_in=rules is None)
