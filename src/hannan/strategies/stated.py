"""Strategies of games in which a player forgets: play at a stated set is the same in all of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from hannan.arguments import shown
from hannan.errors import ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.forgetful import ForgetfulGame
from hannan.strategies.written import FORM, Places


def parted(game: ForgetfulGame, player: int, places: Places) -> Places:
    """Return what a player does at stated sets, by the numbers of their parts in the refinement.

    Sets are given by name or by a pattern with `*` and `?`; later places win over earlier ones.
    """
    if not isinstance(places, Mapping):
        raise ParameterError(f"the strategies of player {player} are {shown(places)}; they should be {FORM}")
    game.check_player(player)
    parts = game.parts(player)
    numbered: dict[str | int, object] = {}
    for place, plays in places.items():
        like = re.compile("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in str(place)), re.DOTALL)
        names = [place] if place in parts else [name for name in parts if like.fullmatch(name)]
        if not names:
            raise UnknownNameError(f"player {player} has no information set {shown(place)}{nearest(str(place), parts)}")
        numbered |= {number: plays for name in names for number in parts[str(name)]}
    return numbered  # type: ignore[return-value]  # plays are checked where they are read


def check_alike(game: ForgetfulGame, strategies: tuple[np.ndarray, ...]) -> None:
    """Refuse a strategy of the refinement that remembers what a player of the stated game has forgotten."""
    for player, (plex, strategy) in enumerate(zip(game.refined.form.treeplexes, strategies, strict=True)):
        for name, numbers in game.parts(player).items():
            rows = [strategy[plex.begin[j] : plex.begin[j + 1]] for j in numbers]
            if any(np.abs(row - rows[0]).max() > 1e-9 for row in rows):
                raise UnsuitableError(
                    f"the strategy of player {player} remembers: it does not play alike throughout the information set "
                    f"{shown(name)} of {game.address}; it is a strategy of {game.refined.address}"
                )
