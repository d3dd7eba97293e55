"""The types of game: each has a name, and its type says what can be done with it.

`ExpandedGame`: the sequence form exists, a tree can be made, and every number is exact. `PlayedGame`: the rules can be
stepped and copied; numbers are estimates or one-sided bounds, and say so. `BoxedGame`: it can only be played through,
from the start. A method states which type it needs and calls the method of `Game` for it, which refuses a game of
another type.
"""

from __future__ import annotations

import re
from abc import ABC
from collections.abc import Hashable, Mapping
from fnmatch import translate
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hannan.arguments import place as number_of
from hannan.arguments import shown, text
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.expansion import expand
from hannan.forms.folded import Folded, fold
from hannan.forms.public import PublicForm
from hannan.forms.public_tree import public_form
from hannan.forms.sequence import SequenceForm
from hannan.forms.sizes import Sizes
from hannan.forms.tree import GameTree, Labels, action_text, set_text, set_texts
from hannan.forms.treeplex import EMPTY
from hannan.forms.walks import Watch, walk
from hannan.games import catalogue
from hannan.memory import ending_well
from hannan.pieces.packing import SHARING
from hannan.rules.box import Box
from hannan.rules.doors import is_coded, is_quick
from hannan.rules.paths import moves_at, path_text
from hannan.rules.plain import CHANCE, END, Rules, movers
from hannan.rules.promises import check_players
from hannan.rules.public import PublicRules

SKETCHED = 60
"""The most histories of a game whose tree a notebook shows: Kuhn poker has 58."""


class Game(ABC):
    """A game with a name and parameters."""

    kind: ClassVar[str]
    """The type in a word: expanded, played, boxed, public, forgetful or tied."""
    name: str
    parameters: dict[str, Any]
    players: int
    built_in: bool = False
    """Whether the catalogue made the game, so that its name and parameters define it."""

    @cached_property
    def address(self) -> str:
        """The name with the parameters that differ from their defaults; `load` takes this address."""
        return catalogue.address(self.name, self.parameters)

    def expanded(self) -> ExpandedGame:
        """Return the game with its sequence form; refuse a game without one, or one that does not fit into memory."""
        raise UnsuitableError(f"{self.address} is {self.kind}: its tree cannot be written out; hannan certify plays it")

    def played(self) -> PlayedGame:
        """Return the game with rules that can be stepped and copied; refuse a game without rules."""
        raise UnsuitableError(
            f"{self.address} is {self.kind}: it can only be played from the start, and has no rules to step; hannan "
            "certify plays it, and with --strategy measures a given strategy"
        )

    def formed(self) -> ExpandedGame | PublicGame:
        """Return the game with the form that full-width methods need: a public tree, or the sequence form."""
        return self.expanded()

    def stepped(self) -> PlayedGame:
        """Return the game for whole plays from the start, one at a time, as a match plays it."""
        return self.played()

    def check_player(self, player: int) -> None:
        """Refuse a value that is not the number of a player."""
        if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < self.players:
            raise ParameterError(
                f"player {shown(player)} is out of range; {self.address} has players 0 to {self.players - 1}"
            )

    @property
    def known_value(self) -> float | None:
        """The value to player 0, if the catalogue knows it from the literature; else None."""
        if not self.built_in:
            return None
        fact = catalogue.entry(self.name).known.get(self.address)
        return None if fact is None else fact.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address}, {self.players} players)"

    def _repr_html_(self) -> str:
        from hannan.markup import facts, page

        return page(self.address, facts(self._facts()), self._sketch())

    def _facts(self) -> dict[str, Any]:
        """Return the facts that a notebook shows."""
        known = {} if self.known_value is None else {"known value to player 0": self.known_value}
        return {"kind": self.kind, "players": self.players, **known}

    def _sketch(self) -> str:
        """Return a picture of the tree, as SVG, if it is small."""
        return ""


class BoxedGame(Game):
    """A game that can only be played through, from the start: no copies, no odds."""

    kind = "boxed"

    def __init__(self, box: Box, name: str = "") -> None:
        if not isinstance(box, Box):
            raise ParameterError(f"{shown(box)} is not a Box; hannan.load accepts other kinds of games")
        self.box = box
        self.name = text("name", name) or box.name or type(box).__name__
        self.parameters = {}
        self.players = check_players(box)

    @property
    def address(self) -> str:
        return self.name

    def stepped(self) -> PlayedGame:
        return self._stepped

    @cached_property
    def _stepped(self) -> PlayedGame:
        from hannan.rules.boxplay import BoxPlay

        return SteppedGame(BoxPlay(self.box), self.name)


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
        if not isinstance(rules, Rules):
            raise ParameterError(f"{shown(rules)} is not a Rules object; hannan.load accepts other kinds of games")
        if parameters is not None and not isinstance(parameters, Mapping):
            raise ParameterError(f"parameters={shown(parameters)} should be a dictionary")
        self.rules = rules
        self.name = text("name", name) or rules.name or type(rules).__name__
        self.parameters = dict(parameters or {})
        self.players = rules.players
        self.built_in = built_in

    @property
    def compiled(self) -> bool:
        """Whether the rules are compiled; else they are plain Python."""
        return is_quick(self.rules)

    @property
    def coded(self) -> bool:
        """Whether actions and observations are whole numbers, the same in every process; else they have texts."""
        return is_coded(self.rules)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the game. Compiled rules are counted without storing them; plain-Python rules are expanded."""
        return self._counted if self.compiled else self.expanded().sizes

    @cached_property
    def _counted(self) -> Sizes:
        return Sizes.of_survey(walk(self.rules, seen=Watch(self.rules).seen).survey(), self.players)

    @cached_property
    def _expanded(self) -> ExpandedGame:
        game = ExpandedGame(self.rules, self.name, self.parameters, built_in=self.built_in)
        _ = game.form  # raises here if the form does not fit into memory
        return game

    def expanded(self) -> ExpandedGame:
        return self._expanded

    def played(self) -> PlayedGame:
        return self

    def _facts(self) -> dict[str, Any]:
        if not {"_counted", "_expanded", "_folded"} & vars(self).keys():  # counting may take long
            return super()._facts()
        sizes = self.sizes
        return super()._facts() | {"histories": sizes.histories, "information sets": sizes.sets, "sum": sizes.kind}

    def _sketch(self) -> str:
        from hannan.forms.branches import branches
        from hannan.markup import tree

        try:
            return tree(branches(self, most=SKETCHED))
        except HannanError:  # too large, or its rules break a promise; a picture is not the place to report it
            return ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), None if self.built_in else self.rules, self.name, self.parameters)


class PublicGame(PlayedGame):
    """A game with public play and one private type per player. Full-width methods work on its public tree."""

    kind = "public"
    rules: PublicRules

    def __init__(
        self,
        rules: PublicRules,
        name: str = "",
        parameters: Mapping[str, Any] | None = None,
        *,
        built_in: bool = False,
        mirrored: bool = True,
    ) -> None:
        """`mirrored`: whether deals that are mirrors of each other share one part of the tree."""
        super().__init__(rules, name, parameters, built_in=built_in)
        self.mirrored = mirrored

    @property
    def fixed(self) -> Floats | None:
        """Probabilities at locked information sets, -1 at free ones; None if none is locked."""
        return None

    @cached_property
    def form(self) -> PublicForm:
        """The tree of public play."""
        with ending_well(f"the public tree of {self.address}"):
            return public_form(self.rules, mirrored=self.mirrored)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the plain game, counted on the public tree."""
        return self.form.sizes

    def formed(self) -> PublicGame:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (*super().__reduce__()[1], {"mirrored": self.mirrored})

    def expanded(self) -> ExpandedGame:
        if self.form.histories > LARGEST_PUBLIC:
            raise UnsuitableError(
                f"{self.address} has {self.form.histories:,} histories, more than {LARGEST_PUBLIC:,}: it is not "
                "written out. Use a full-width method (such as cfr+ or dcfr), which works on its public tree"
            )
        return super().expanded()

    def _facts(self) -> dict[str, Any]:
        return Game._facts(self) | {"types": self.form.types, **self.form.counts}


LARGEST_PUBLIC = 5_000_000
"""The most histories of a public game that is expanded for a method that needs it."""


class SteppedGame(PlayedGame):
    """A black box as rules that can only be played from the start. Methods refuse it as they refuse the box."""

    kind = "boxed"

    def expanded(self) -> ExpandedGame:
        return Game.expanded(self)


class ExpandedGame(PlayedGame):
    """A game with its sequence form and its tree; both are built on first use and kept."""

    kind = "expanded"

    def expanded(self) -> ExpandedGame:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        made = super().__reduce__()
        views = {name: vars(self)[name] for name in ("tree", "_folded") if name in vars(self)}
        return (*made, views) if views and SHARING.get() else made

    @cached_property
    def tree(self) -> GameTree:
        """Every history, as flat arrays."""
        with ending_well(f"the histories of {self.address}"):
            return expand(self.rules)

    @cached_property
    def _folded(self) -> Folded:
        with ending_well(f"the sequence form of {self.address}"):
            return fold(self.rules)

    @property
    def form(self) -> SequenceForm:
        """One treeplex per player, and the payoffs."""
        return self._folded.form

    @property
    def labels(self) -> Labels | None:
        """What the codes of plain-Python rules stand for; None if codes are the rules' own integers."""
        return self._folded.labels

    @property
    def payoff_range(self) -> tuple[Floats, Floats]:
        """The lowest and the highest utility of each player at the ends of play, [players] each."""
        sizes = self._folded.sizes
        return np.array(sizes.lowest), np.array(sizes.highest)

    @property
    def sizes(self) -> Sizes:
        """The sizes of the game. If its form was not built yet, compiled rules are counted without storing them."""
        return self._folded.sizes if "_folded" in vars(self) or not self.compiled else self._counted

    def set_text(self, player: int, number: int) -> str:
        """Name an information set: what the player saw and did, from its first choice to this one."""
        self.check_player(player)
        plex = self.form.treeplexes[player]
        return set_text(self.rules, self.labels, plex, player, number_of("number", number, plex.sets))

    def set_texts(self, player: int) -> list[str]:
        """Name all information sets of a player, in their order."""
        self.check_player(player)
        return set_texts(self.rules, self.labels, self.form.treeplexes[player], player)

    def action_text(self, player: int, sequence: int) -> str:
        """Name the last action of a sequence."""
        self.check_player(player)
        plex = self.form.treeplexes[player]
        return action_text(self.rules, self.labels, plex, player, number_of("sequence", sequence, plex.sequences))

    def actions_at(self, player: int, number: int) -> list[str]:
        """Name the actions at an information set, in their order."""
        self.check_player(player)
        plex = self.form.treeplexes[player]
        begin, number = plex.begin, number_of("number", number, plex.sets)
        return [self.action_text(player, s) for s in range(int(begin[number]), int(begin[number + 1]))]

    def find_set(self, player: int, place: int | str) -> int:
        """Return the number of the information set with this number or name."""
        self.check_player(player)
        sets = self.form.treeplexes[player].sets
        if isinstance(place, str):
            numbers = self.sets_named(player, place)
            if not numbers:
                known = self._names_of_sets[player]
                raise UnknownNameError(f"player {player} has no information set {shown(place)}{nearest(place, known)}")
            if len(numbers) > 1:
                several = ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
                raise UnknownNameError(
                    f"player {player} has {len(numbers)} information sets {shown(place)}: give the number of one "
                    f"of them ({several})"
                )
            return numbers[0]
        if isinstance(place, bool) or not isinstance(place, int | np.integer):
            raise ParameterError(f"{shown(place)} is neither the name nor the number of an information set")
        if not 0 <= place < sets:
            raise UnknownNameError(f"player {player} has no information set {shown(place)}; it has {sets}")
        return int(place)

    def find_sets(self, player: int, place: int | str) -> list[int]:
        """Return the numbers of the sets with a number, a name, a pattern, or a path of play.

        A pattern has `*` for any text and `?` for one letter, and stands for every set whose name matches it. A path
        begins at the root `r`, as in `r:J:Q:p`, and stands for the set of `player`, who moves at its end.
        """
        self.check_player(player)
        if not isinstance(place, str) or self.sets_named(player, place):
            return [self.find_set(player, place)]
        if place == "r" or place.startswith("r:"):
            return [self._set_on_path(player, place)]
        if "*" in place or "?" in place:
            like = pattern(place)
            names = self._names_of_sets[player]
            numbers = [number for name, several in names.items() if like.fullmatch(name) for number in several]
            if not numbers:
                raise UnknownNameError(
                    f"no information set of player {player} matches {shown(place)}{nearest('', names)}"
                )
            return sorted(numbers)
        return [self.find_set(player, place)]

    def sets_named(self, player: int, name: str) -> list[int]:
        """Return the numbers of all sets of a player that have this name."""
        self.check_player(player)
        return list(self._names_of_sets[player].get(text("name", name), ()))

    def _set_on_path(self, player: int, path: str) -> int:
        """Return the number of the set of a player at the end of a path of play."""
        rules = self.rules
        state, left, steps = rules.start(), path[1:], list[int]()
        before = EMPTY  # the player's last sequence
        while left:
            moves = moves_at(rules, state)
            fitting = [k for k, (_, text) in enumerate(moves) if f"{left}:".startswith(f":{text}:")]
            if not fitting:
                known = nearest(left[1:].partition(":")[0], [text for _, text in moves])
                raise UnknownNameError(f"{shown(path)} leaves the game after {path_text(rules, steps)}{known}")
            k = max(fitting, key=lambda number: len(moves[number][1]))
            before = self._sequence_after(player, before, state, k)
            steps.append(k)
            state, left = rules.after(state, moves[k][0]), left[1 + len(moves[k][1]) :]
        turn = rules.turn(state)
        if turn in (CHANCE, END) or player not in movers(turn):
            raise UnknownNameError(f"player {player} does not move at {shown(path)}")
        return self._set_after(player, before, state)

    def _sequence_after(self, player: int, before: int, state: Any, move: int) -> int:
        """Return a player's last sequence after a move, given the move's number and the last sequence `before` it."""
        turn = self.rules.turn(state)
        if turn == CHANCE or player not in movers(turn):
            return before
        for mover in reversed(movers(turn)):  # the last mover's actions run fastest
            size = len(self.rules.actions(state, mover))
            if mover == player:
                return int(self.form.treeplexes[player].begin[self._set_after(player, before, state)]) + move % size
            move //= size
        return before

    def _set_after(self, player: int, before: int, state: Any) -> int:
        """Return the number of the set of a player who moves in a state, given the player's last sequence."""
        plex, seen = self.form.treeplexes[player], self.rules.observe(state, player)
        code = seen if self.labels is None else self._code_of[seen]
        sets = range(int(plex.child_begin[before]), int(plex.child_begin[before + 1]))
        return next(number for number in sets if plex.observation[number] == code)

    @cached_property
    def _code_of(self) -> dict[Hashable, int]:
        return {} if self.labels is None else {seen: code for code, seen in enumerate(self.labels.observations)}

    @cached_property
    def _names_of_sets(self) -> list[dict[str, list[int]]]:
        """For each player, the numbers of its sets by their name."""
        names: list[dict[str, list[int]]] = [{} for _ in range(self.players)]
        for player, numbers in enumerate(names):
            for number, name in enumerate(self.set_texts(player)):
                numbers.setdefault(name, []).append(number)
        return names


def is_box(game: Game) -> bool:
    """Return whether a game can only be played from the start."""
    return isinstance(game, BoxedGame | SteppedGame)


def _again(
    kind: type[PlayedGame],
    rules: Rules | None,
    name: str,
    parameters: Mapping[str, Any],
    more: Mapping[str, Any] | None = None,
) -> PlayedGame:
    """Make a game again in another process; a built-in game by its name."""
    made = rules if rules is not None else catalogue.make(name, parameters)
    return kind(made, name, parameters, built_in=rules is None, **(more or {}))


def pattern(text: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern, in which `*` stands for any text and `?` for one letter."""
    return re.compile(translate(text.replace("[", "[[]")))  # many stars take no longer than one
