"""Responders: classes of users that find a response, which is then measured like any other response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from hannan.addresses import parse_place
from hannan.errors import STRAY, HannanError, PlayerError
from hannan.forms.classes import made, thing_at
from hannan.forms.loader import check_complete
from hannan.measures.players import Player
from hannan.rules.promises import told
from hannan.strategies.ruled import Rule
from hannan.strategies.strategy import Strategy


class Responder(ABC):
    """A way to find a response of one player to the strategies of the others.

    Its gain is measured in plays that the responder does not know, so that every bound holds whatever it does. The
    keyword arguments of the constructor are its parameters.
    """

    @property
    def name(self) -> str:
        """The name of the responder in results. Default: the name of the class."""
        return type(self).__name__

    @abstractmethod
    def find(self, strategy: Strategy, player: int, seconds: float | None, seed: int) -> Strategy | Rule | Player:
        """Return a response of the player while the others play `strategy`.

        The response is a strategy of any kind, of which only the player's part is used, or a player of matches. `find`
        should return within `seconds` (None: no time limit), since the rest of the time is needed to measure the
        response. The response should depend only on the arguments, so that the same seed gives the same numbers.
        """


def responder_of(given: Any) -> Responder | None:
    """Return the responder for an instance, a class or `file.py:Class(parameter=value)`; None for any other value."""
    address, parameters = str(getattr(given, "__name__", given)), dict[str, Any]()
    if isinstance(given, str):
        place = parse_place(given)
        if place is None:
            return None
        (address, parameters), given = place, thing_at(place[0])
    if isinstance(given, type) and issubclass(given, Responder):
        check_complete(given, address)
        return made(given, parameters, address)
    return given if isinstance(given, Responder) else None


def found(
    responder: Responder, strategy: Strategy, player: int, seconds: float | None, seed: int
) -> Strategy | Rule | Player:
    """Return the response that a responder finds; refuse an object that cannot play."""
    try:
        response = responder.find(strategy, player, seconds, seed)
    except HannanError:
        raise
    except STRAY as error:
        raise PlayerError(f"{responder.name}: find() raised {told(error)}") from error
    if not isinstance(response, Strategy | Player) and not callable(response):
        raise PlayerError(
            f"{responder.name}: find() returned {type(response).__name__}; expected a strategy, or a player or "
            "function that can take a seat in a match"
        )
    return response
