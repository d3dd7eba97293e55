"""A game with a name: the rules and, made when first asked for, the views that methods work on."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from hannan.errors import FileError, HannanError, ParameterError, RulesError, UnknownNameError, nearest
from hannan.forms.expanding import expand, is_small
from hannan.forms.sequence import SequenceForm, sequence_form
from hannan.forms.sizes import Sizes
from hannan.forms.survey import survey
from hannan.forms.tree import GameTree
from hannan.games import catalogue
from hannan.rules.compiled import CompiledRules
from hannan.rules.plain import Rules


class Game:
    """Rules, a name and parameters; the tree and the sequence form are built on first use and kept."""

    def __init__(
        self,
        rules: Rules,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
        *,
        built_in: bool = False,
    ) -> None:
        self.rules = rules
        self.built_in = built_in
        """Whether `load` made it from the catalogue, so that name and parameters say what the game is."""
        self.name = name or rules.name or type(rules).__name__
        self.parameters = dict(parameters or {})
        self._set_numbers: dict[int, dict[str, list[int]]] = {}

    @property
    def players(self) -> int:
        """How many players there are."""
        return self.rules.players

    @property
    def address(self) -> str:
        """The name with those parameters that differ from the defaults: what `load` takes."""
        return catalogue.address(self.name, self.parameters)

    @cached_property
    def tree(self) -> GameTree:
        """Every history, as flat arrays."""
        return expand(self.rules)

    @cached_property
    def small(self) -> bool:
        """Whether it is expanded by methods that could play its rules as well."""
        return "tree" in vars(self) or is_small(self.rules)

    @cached_property
    def sizes(self) -> Sizes:
        """How large the game is: compiled rules are counted without being stored, plain-Python rules expanded."""
        if isinstance(self.rules, CompiledRules) and "tree" not in vars(self):
            return Sizes.of_survey(survey(self.rules), self.players)
        return Sizes.of_tree(self.tree)

    @cached_property
    def form(self) -> SequenceForm:
        """One treeplex a player, and the payoffs."""
        return sequence_form(self.tree)

    def set_text(self, player: int, number: int) -> str:
        """Name an information set: what the player saw and did, from its first choice to this one."""
        return self.tree.set_text(player, number)

    def action_text(self, player: int, sequence: int) -> str:
        """Name the last action of a sequence."""
        plex = self.form.treeplexes[player]
        return self.rules.action_text(player, self.tree.action_of(int(plex.action[sequence])))

    def check_player(self, player: int) -> None:
        """Refuse what is not the number of a player."""
        if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < self.players:
            raise ParameterError(
                f"player {player!r} is out of range; {self.address} has players 0 to {self.players - 1}"
            )

    def find_set(self, player: int, place: int | str) -> int:
        """Return the number of an information set that is given by its number or its name."""
        self.check_player(player)
        sets = self.form.treeplexes[player].sets
        if isinstance(place, str):
            names = self._names_of_sets(player)
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

    def _names_of_sets(self, player: int) -> dict[str, list[int]]:
        if player not in self._set_numbers:
            names: dict[str, list[int]] = {}
            for number in range(self.form.treeplexes[player].sets):
                names.setdefault(self.set_text(player, number), []).append(number)
            self._set_numbers[player] = names
        return self._set_numbers[player]

    @property
    def known_value(self) -> float | None:
        """The value to player 0, where the catalogue knows it from the literature."""
        if not self.built_in:
            return None
        fact = catalogue.entry(self.name).known.get(self.address)
        return None if fact is None else fact.value

    def __repr__(self) -> str:
        return f"Game({self.address}, {self.players} players)"


def load(game: str | Path | Rules | Game) -> Game:
    """Return a game: from an address such as `leduc_poker(ranks=13)`, from `file.py:Rules`, or from a rules object.

    `module:name` and `path/to/file.py:name` import Python code and take a `Rules` object, class or function
    without arguments from it.
    """
    if isinstance(game, Game):
        return game
    if isinstance(game, Rules):
        return Game(game)
    if isinstance(game, Path) or not isinstance(game, str):
        game = str(game)
    place, colon, _ = game.rpartition(":")
    if colon and (place.endswith(".py") or "(" not in place):
        return Game(_imported(game))
    if game.endswith(".py"):
        raise FileError(f"{game}: say which rules in the file to use, as in {game}:MyGame")
    name, parameters = catalogue.parse(game)
    rules = catalogue.make(name, parameters)
    return Game(rules, name, {**catalogue.entry(name).defaults, **parameters}, built_in=True)


def _imported(address: str) -> Rules:
    place, _, name = address.rpartition(":")
    module = _module(place)
    found = getattr(module, name, None)
    if found is None:
        raise UnknownNameError(f"{place} defines no {name!r}{nearest(name, vars(module))}")
    if not isinstance(found, Rules) and callable(found):
        try:
            found = found()
        except HannanError:
            raise
        except Exception as error:
            raise RulesError(f"{address}: making the rules raised {type(error).__name__}: {error}") from error
    if not isinstance(found, Rules):
        raise RulesError(f"{address} is a {type(found).__name__}, not hannan.Rules")
    return found


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            if str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))
            return importlib.import_module(place)
        if not Path(place).is_file():
            raise FileError(f"there is no file {place}")
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(spec.name, module)
        folder = str(Path(place).resolve().parent)
        sys.path.insert(0, folder)  # where its own imports look first, as if it were run
        try:
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(folder)
        return module
    except HannanError:
        raise
    except Exception as error:
        raise FileError(f"{place} could not be imported: {type(error).__name__}: {error}") from error
