"""The errors that hannan raises, with one base class. Each message is a sentence for the user."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "BoxError",
    "ChanceError",
    "DeviceError",
    "FileError",
    "HannanError",
    "MismatchError",
    "ParameterError",
    "PieceError",
    "PlayerError",
    "RulesError",
    "SizeError",
    "TrustError",
    "UnknownNameError",
    "UnsuitableError",
]
"""The public names: the errors. The other functions of this module are for this package only."""

LONG = 100
"""A name with more characters gets no suggestion: comparing it with others would take seconds."""

ALIKE = 0.6
"""The least likeness at which a known name is suggested."""

LONGEST = 3000
"""The largest number of characters of a message that are shown."""

STRAY = (Exception, SystemExit, BaseExceptionGroup)
"""Errors that a user's code may raise. A sys.exit() in that code is an error of the code, not a request to stop.

Only a KeyboardInterrupt is a request to stop; the other errors that are not an `Exception` are listed here."""


class HannanError(Exception):
    """The base of all errors with a sentence for the user: what is wrong, where, and what to do."""

    partial: Any = None
    """The result of the plays before the error, if there is one."""

    def __str__(self) -> str:
        """Return the message; if it is too long, only its beginning and its end."""
        text = super().__str__()
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


class UnknownNameError(HannanError):
    """A game, parameter, method or selection rule that does not exist."""


class ParameterError(HannanError):
    """A parameter that has the wrong type or lies outside its range."""


class RulesError(HannanError):
    """The rules of a game break a promise; the message starts with the path of play."""


class BoxError(RulesError):
    """A black box breaks a promise; the message starts with the path of play."""


class ChanceError(RulesError):
    """The probabilities of a chance node are not a distribution."""


class SizeError(HannanError):
    """Something would not fit into memory."""


class DeviceError(HannanError):
    """A device, such as a graphics card or a cluster, that does not exist or fails."""


class MismatchError(HannanError):
    """A strategy, file or checkpoint belongs to another game or method."""


class FileError(HannanError):
    """A file that cannot be read or written, or that has wrong contents."""


class TrustError(FileError):
    """A file names code, a program or another file, and the caller has not consented to its use."""


class PieceError(HannanError):
    """A piece of the work has failed: it raised an error, or its worker died too often."""

    number: int = -1
    """The number of the piece."""

    @classmethod
    def raised(cls, number: int, error: BaseException) -> PieceError:
        """Return the error for a piece that has raised an error."""
        own = str(error) if isinstance(error, HannanError) else f"{type(error).__name__}: {error}"
        failed = cls(f"piece {number}: {own}")
        failed.number = number
        return failed

    @classmethod
    def lost(cls, number: int, times: int, reason: str) -> PieceError:
        """Return the error for a piece whose worker died each time."""
        tries = "once" if times == 1 else f"{times} times"
        failed = cls(f"piece {number}: its worker was lost {tries}; the last time, {reason}")
        failed.number = number
        return failed


class PlayerError(HannanError):
    """A player of a match gives no legal answer; the message starts with the path of play."""

    @property
    def match(self) -> Any:
        """The result of the games before the error."""
        return self.partial


class UnsuitableError(HannanError):
    """A method that does not apply to this kind of game."""


MOST_LISTED, FEW_LISTED = 40, 12
"""The largest number of known names that a message lists; if there are more, the number of names that it shows."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known name closest to `name`; if none is close, a list of known names."""
    names = sorted(known)
    best = max(names, key=lambda other: likeness(name, other), default="")
    if best and likeness(name, best) >= ALIKE:
        return f"; did you mean {best!r}?"
    listed = names if len(names) <= MOST_LISTED else [*names[:FEW_LISTED], f"… ({len(names):,} in all)"]
    return f"; known are {', '.join(listed)}" if names else ""


def likeness(name: str, other: str) -> float:
    """Return the likeness of a name to another name, or to its beginning: from 0 to 1 (equal)."""
    if not name or len(name) > LONG:
        return 0.0
    beginning = difflib.SequenceMatcher(None, name.lower(), other[: len(name)].lower()).ratio()
    return max(beginning, difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio())
