"""Games whose players forget what a caller's map leaves out: abstractions of the information sets of a full game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hannan.arguments import shown
from hannan.errors import STRAY, ParameterError
from hannan.forms.classes import thing_at
from hannan.forms.forgetful import ForgetfulGame
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable, load
from hannan.forms.ties import TiedGame, Ties
from hannan.interop.stated import Forgetting
from hannan.rules.promises import told

Map = Callable[[int, str], str]
"""Takes a player and the name of one of its information sets; returns a name for what the player still knows there."""


@dataclass(frozen=True)
class Coarsening(Forgetting):
    """What a caller's map lets players forget; `name` is the name that the map gives to the first sets it joins."""

    members: int = 2
    """The number of sets that have this name."""

    def __str__(self) -> str:
        more = f" (one of {self.sets:,} such sets)" if self.sets > 1 else ""
        what = f"{self.members:,} information sets that the map calls {self.name}{more}"
        return f"player {self.player} does not tell apart {what}"


class CoarsenedGame(ForgetfulGame):
    """A game whose players forget what a caller's map leaves out. The full game is its refinement."""

    def __init__(self, full: ExpandedGame, names: list[list[str]]) -> None:
        self._full, self._of = full, names
        self.name, self.players, self.parameters = full.name, full.players, full.parameters
        several = [
            (player, name, count)
            for player, mine in enumerate(names)
            for name, count in Counter(mine).items()
            if count > 1
        ]
        player, name, members = several[0]
        self.forgetting = Coarsening(player, shown(name), absent_minded=False, sets=len(several), members=members)

    @property
    def address(self) -> str:
        """The full game's address, with a note that players forget; `load` does not take it."""
        return f"{self._full.address} with forgetful players"

    @cached_property
    def refined(self) -> ExpandedGame:
        """The full game."""
        return self._full

    def stated_set(self, player: int, number: int) -> str:
        return self._of[player][number]

    @cached_property
    def tied(self) -> TiedGame:
        """The full game, with the sets that have one name tied together."""
        return TiedGame(self._full, Ties.of(self._of))


def forget(game: Loadable, map: Map | str) -> CoarsenedGame:
    """Return the game in which a player cannot tell apart information sets to which `map` gives the same name.

    `map` is a function of a player and the name of a set, or the address of such a function, `file.py:function`.
    """
    loaded = load(game)
    if isinstance(loaded, ForgetfulGame):
        raise ParameterError(
            f"{loaded.address}: players forget already; give {loaded.refined.address}, and a map that joins all sets"
        )
    if isinstance(loaded, TiedGame):
        raise ParameterError(f"{loaded.address}: players forget already; give {loaded.base.address}")
    full = loaded.expanded()
    if isinstance(map, str) and ":" in map:
        map = thing_at(map)  # the caller named it
    if not callable(map):
        raise ParameterError(
            f"forget={shown(map)} should be a function of a player and the name of a set, or file.py:function"
        )
    names: list[list[str]] = []
    for player in range(full.players):
        known: dict[str, tuple[str, list[str]]] = {}
        mine = list[str]()
        for number, text in enumerate(full.set_texts(player)):
            name = _coarser(map, player, text)
            actions = full.actions_at(player, number)
            first = known.setdefault(name, (text, actions))
            if first[1] != actions:
                raise ParameterError(
                    f"the map makes {shown(name)} of the information sets {shown(first[0])} and {shown(text)} of "
                    f"player {player}, which have different actions ({', '.join(first[1])}; {', '.join(actions)}): "
                    "join only sets that have the same actions in the same order"
                )
            mine.append(name)
        names.append(mine)
    if all(len(set(mine)) == len(mine) for mine in names):
        raise ParameterError(f"the map keeps all information sets of {full.address} apart: no player forgets anything")
    return CoarsenedGame(full, names)


def _coarser(map: Map, player: int, text: str) -> str:
    """Return the name that a caller's map gives to a set."""
    try:
        name: object = map(player, text)
    except STRAY as error:
        raise ParameterError(f"the map raised {told(error)} for player {player} at {shown(text)}") from error
    if not isinstance(name, str):
        raise ParameterError(
            f"the map returned {shown(name)} for player {player} at {shown(text)}; expected text (a name)"
        )
    return name
