"""Every error that hannan raises on purpose: one base class, a sentence each."""

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
"""The public names: the errors. What helps to write their sentences is for this package alone."""

LONG = 100
"""Letters of a name from which on it is like no other: comparing it would take seconds."""

ALIKE = 0.6
"""From this likeness on, one name may have been meant by another."""

LONGEST = 3000
"""Letters of a sentence that are shown."""

STRAY = (Exception, SystemExit, BaseExceptionGroup)
"""What a user's code may raise. A sys.exit() in that code is an error of the code, not a request to stop.

Only a KeyboardInterrupt asks to stop; the other errors that are not an `Exception` are listed here."""


class HannanError(Exception):
    """The base of all errors with a sentence for the user: what is wrong, where, and what to do."""

    partial: Any = None
    """What came of the plays before, where there is anything to tell."""

    def __str__(self) -> str:
        """Return the sentence; of one that shows something long, its beginning and its end."""
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
    """A card that is not there, or that fails."""


class MismatchError(HannanError):
    """A strategy, file or checkpoint belongs to another game or method."""


class FileError(HannanError):
    """A file that cannot be read or written, or is not what it should be."""


class TrustError(FileError):
    """A file names code, a program or another file, and the caller has not agreed that it is used."""


class PieceError(HannanError):
    """A piece of the work that was split has failed: it raised an error, or its worker died too often."""

    number: int = -1
    """The piece."""

    @classmethod
    def raised(cls, number: int, error: BaseException) -> PieceError:
        """Return the sentence for a piece that has raised an error."""
        own = str(error) if isinstance(error, HannanError) else f"{type(error).__name__}: {error}"
        failed = cls(f"piece {number}: {own}")
        failed.number = number
        return failed

    @classmethod
    def lost(cls, number: int, times: int, reason: str) -> PieceError:
        """Return the sentence for a piece whose worker died each time."""
        tries = "once" if times == 1 else f"{times} times"
        failed = cls(f"piece {number}: its worker was lost {tries}; the last time, {reason}")
        failed.number = number
        return failed


class PlayerError(HannanError):
    """A player of a match gives no legal answer; the message starts with the path of play."""

    @property
    def match(self) -> Any:
        """What came of the games before."""
        return self.partial


class UnsuitableError(HannanError):
    """A method that does not apply to this kind of game."""


MOST_LISTED, FEW_LISTED = 40, 12
"""Known names that a sentence lists at most, and how many it begins with where there are more."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known name closest to `name`, or a list: of all of them, unless many."""
    names = sorted(known)
    best = max(names, key=lambda other: likeness(name, other), default="")
    if best and likeness(name, best) >= ALIKE:
        return f"; did you mean {best!r}?"
    listed = names if len(names) <= MOST_LISTED else [*names[:FEW_LISTED], f"… ({len(names):,} in all)"]
    return f"; known are {', '.join(listed)}" if names else ""


def likeness(name: str, other: str) -> float:
    """Return how much a name is like another one, or like its beginning: 1 where they are the same, 0 at the least."""
    if not name or len(name) > LONG:
        return 0.0
    beginning = difflib.SequenceMatcher(None, name.lower(), other[: len(name)].lower()).ratio()
    return max(beginning, difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio())
