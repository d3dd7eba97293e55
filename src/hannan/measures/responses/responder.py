"""Ways of users to find a response: a class that returns a strategy, which is then measured like any other response."""

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

    What it gains is measured in plays of which the responder knows nothing, so that every bound holds whatever it does.
    The keyword arguments of the constructor are its parameters.
    """

    @property
    def name(self) -> str:
        """How results call it. Default: the name of the class."""
        return type(self).__name__

    @abstractmethod
    def find(self, strategy: Strategy, player: int, seconds: float | None, seed: int) -> Strategy | Rule | Player:
        """Return what the player should do while the others play `strategy`.

        The answer is a strategy of any kind, of which the player's part is taken, or whatever can take a seat in a
        match. It should be there after `seconds` (None: no clock is asked), since the rest of the time is needed to
        measure it, and depend on nothing but the arguments, so that the same seed gives the same numbers.
        """


def responder_of(given: Any) -> Responder | None:
    """Return the responder of a class, of `file.py:Class(parameter=value)` or of itself; None if it is none."""
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
    """Return the response that a responder finds; refuse what cannot play."""
    try:
        response = responder.find(strategy, player, seconds, seed)
    except HannanError:
        raise
    except STRAY as error:
        raise PlayerError(f"{responder.name}: find() raised {told(error)}") from error
    if not isinstance(response, Strategy | Player) and not callable(response):
        raise PlayerError(
            f"{responder.name}: find() returned {type(response).__name__}; expected a strategy, or what can "
            "take a seat in a match"
        )
    return response
