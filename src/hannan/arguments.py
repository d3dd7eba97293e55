"""Checks of parameters: each returns the checked value, or raises an error that says what is allowed.

The options of a public function are declared once, by a TypedDict whose types carry an `Option`; see `settled`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Container, Mapping
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from os import PathLike, fspath
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from hannan.errors import STRAY, ParameterError, UnknownNameError, nearest

T = TypeVar("T")

WHOLE = int | np.integer
NUMBER = int | float | np.integer | np.floating

SEEDS = (-(2**63), 2**63 - 1)
"""The least and the largest seed."""

LONG = 120
"""Characters after which a value is cut in a message."""

MOST = 2**31 - 1
"""The default upper limit of a whole number."""

_SIZE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-zA-Z]*)\s*")
_UNITS = {"": 1, "b": 1} | {
    f"{letter}{ending}": base**power
    for power, letter in enumerate("kmgt", 1)
    for ending, base in (("", 1000), ("b", 1000), ("i", 1024), ("ib", 1024))
}


def shown(value: Any) -> str:
    """Return the text of any value for a message: cut if it is long, its type if its `repr` fails."""
    try:
        text = repr(value)
    except STRAY:  # an integer with more digits than Python writes, or an object whose repr() fails
        digits = f" of about {int(value.bit_length() * 0.30103) + 1:,} digits" if isinstance(value, int) else ""
        return f"<{type(value).__name__}{digits}>"
    return text if len(text) <= LONG else f"{text[:LONG]}…"


def real(value: Any) -> float | None:
    """Return a number as a float; None if it is not a number, is not finite or is too large for a float."""
    if isinstance(value, bool) or not isinstance(value, NUMBER):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def whole(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """Return a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, WHOLE):
        raise ParameterError(f"{name}={shown(value)} should be a whole number, {least} or more")
    if not least <= value <= most:
        raise ParameterError(f"{name}={shown(value)} is out of range; it may be {least} to {most}")
    return int(value)


def count(name: str, value: Any) -> int:
    """Return a whole number, 0 or more, that fits into 64 bits."""
    if isinstance(value, bool) or not isinstance(value, WHOLE) or value < 0:
        raise ParameterError(f"{name}={shown(value)} should be a whole number, 0 or more")
    return whole(name, value, 0, 2**63 - 1)


def seed(value: Any) -> int:
    """Return the seed of random numbers, an integer of 64 bits."""
    least, most = SEEDS
    if isinstance(value, bool) or not isinstance(value, WHOLE) or not least <= value <= most:
        raise ParameterError(
            f"seed={shown(value)} should be a whole number from -2**63 to 2**63 - 1 ({least:,} to {most:,})"
        )
    return int(value)


def number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a finite number from `least` to `most`."""
    meant = real(value)
    if meant is None:
        raise ParameterError(f"{name}={shown(value)} should be a number")
    if not least <= meant <= most:
        bounds = f"at least {least}" if most == math.inf else f"{least} to {most}"
        raise ParameterError(f"{name}={shown(value)} is out of range; it may be {bounds}")
    return meant


def _real(name: str, value: Any, allowed: Callable[[float], bool], words: str) -> float:
    meant = real(value)
    if meant is None or not allowed(meant):
        raise ParameterError(f"{name}={shown(value)} {words}")
    return meant


def positive(name: str, value: Any) -> float:
    """Return a finite number above 0."""
    return _real(name, value, lambda x: x > 0, "should be a positive, finite number")


def limit(name: str, value: Any) -> float:
    """Return a finite number, 0 or more."""
    return _real(name, value, lambda x: x >= 0, "should be a number, 0 or more")


def fraction(name: str, value: Any) -> float:
    """Return a number in (0, 1]."""
    return _real(name, value, lambda x: 0 < x <= 1, "should lie in (0, 1]: above 0, and at most 1")


def between(name: str, value: Any) -> float:
    """Return a number in (0, 1), such as a confidence."""
    return _real(name, value, lambda x: 0 < x < 1, "should lie between 0 and 1")


def powers(**values: Any) -> list[float]:
    """Return powers of discounts and weights; an averaging power, gamma, may not be negative."""
    meant = []
    for name, value in values.items():
        power = real(value)
        if power is None or abs(power) > 1e6:
            raise ParameterError(f"{name}={shown(value)} should be a finite number, at most 1e6")
        if name == "gamma" and power < 0:
            raise ParameterError(f"gamma={shown(value)} should be 0 or more: later iterations do not weigh less")
        meant.append(power)
    return meant


def truth(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name}={shown(value)} should be true or false")
    return value


def check_trust(trust: T) -> T:
    """Return `trust` if it is True, False or a function; refuse anything else."""
    if not isinstance(trust, bool) and not callable(trust):
        raise ParameterError(f"trust={shown(trust)} should be true, false, or a function of what a file names")
    return trust


def stop(value: Any) -> None:
    """Refuse a value of `stop` that is neither None nor a function."""
    if value is not None and not callable(value):
        raise ParameterError(f"stop={shown(value)} should be a function that returns true to stop")


def text(name: str, value: Any) -> str:
    """Return text."""
    if not isinstance(value, str):
        raise ParameterError(f"{name}={shown(value)} should be text")
    return value


def place(name: str, value: Any, most: int) -> int:
    """Return an index below `most`, counted from 0."""
    if isinstance(value, bool) or not isinstance(value, WHOLE) or not 0 <= value < most:
        raise ParameterError(f"{name}={shown(value)} should be a whole number from 0 to {most - 1}")
    return int(value)


def choice(name: str, value: Any, known: Collection[str], whose: str = "") -> str:
    """Return a word from `known`; `whose` names the function or method that knows them, for the message."""
    if not isinstance(value, str) or value not in known:
        like = nearest(value if isinstance(value, str) else "", known)
        raise ParameterError(f"{name}={shown(value)} is not known{f' to {whose}' if whose else ''}{like}")
    return value


def file_name(value: Any) -> None:
    """Refuse a value that is not a path; Python would take an integer for an open file."""
    if not isinstance(value, str | PathLike) or not isinstance(fspath(value), str):
        raise ParameterError(f"{shown(value)} names no file: give its path as text or as a pathlib.Path")


def size(name: str, value: Any, most: int = 2**62) -> int:
    """Return a number of bytes, 1 or more: a whole number, or a text such as 1GB, 512MiB or 2e9."""
    if not isinstance(value, str):
        return whole(name, value, 1, most)
    wrong = ParameterError(f"{name}={shown(value)} should be a number of bytes, such as 1GB, 512MiB or 2e9")
    parts = _SIZE.fullmatch(value)
    if parts is None or parts[2].lower() not in _UNITS:
        raise wrong
    try:
        amount = float(parts[1]) * _UNITS[parts[2].lower()]
    except ValueError:
        raise wrong from None
    if not amount.is_integer():
        raise wrong
    return whole(name, int(amount), 1, most)


def each_whole(name: str, values: Any, least: int, most: int) -> None:
    """Refuse anything but a list of whole numbers from `least` to `most`."""
    for k, value in enumerate(_listed(name, values)):
        whole(f"{name}[{k}]", value, least, most)


def each_number(name: str, values: Any, least: float = -math.inf, most: float = math.inf) -> None:
    """Refuse anything but a list of finite numbers from `least` to `most`."""
    for k, value in enumerate(_listed(name, values)):
        number(f"{name}[{k}]", value, least, most)


def _listed(name: str, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple):
        raise ParameterError(f"{name}={shown(values)} should be a list, such as [1,2]")
    return list(values)


def numbers(name: str, values: Any) -> np.ndarray:
    """Return numbers as a new array of floats, of any shape; the caller checks the shape."""
    wrong = ParameterError(f"{name}={shown(values)} should be numbers, in lists of equal lengths")
    try:
        given = np.array(values)
        exact = given.dtype.kind == "O" and all(isinstance(one, Real) for one in given.flat)  # fractions, large numbers
        if given.dtype.kind not in "iuf" and not exact:
            raise wrong
        array: np.ndarray = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError):  # lists of different lengths, for example
        raise wrong from None
    return array


def fits(codes: int) -> None:
    """Refuse parameters at which an observation, a 64-bit integer, could take more than `2**62` values."""
    if codes > 2**62:
        raise ParameterError("these parameters are too large together: an observation does not fit into 64 bits")


@dataclass(frozen=True)
class Option:
    """One option of a public function: `gap: Annotated[float | None, Option("Stop at this gap.")]`.

    The function's signature, documentation and checks, the command of the same name with its help, the stored options
    of a checkpoint, and the reference page are made from it.
    """

    meaning: str
    """Sentences that suit both Python and the command line."""
    default: Any = None
    check: Callable[[str, Any], Any] | None = None
    """Returns the checked value, given name and value, or refuses it. Words and truth values need no check."""
    takers: str = ""
    """The methods or rules that take the option; empty: all of them."""
    python_only: bool = False
    """Whether the command line lacks it."""
    kept: bool = False
    """Whether a checkpoint stores the option: a resumed run takes it from there, and refuses another value."""
    name: str = ""
    kind: Any = None
    """The type. `declared`, which reads the declaration, fills in the name and the type."""

    @property
    def text(self) -> str:
        """The meaning, and which methods or rules take it."""
        return f"{self.meaning} Taken by {self.takers}." if self.takers else self.meaning

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The possible types of a value, without None."""
        return tuple(kind for kind in _members(self.kind) if kind is not NoneType)

    @property
    def words(self) -> tuple[str, ...] | None:
        """The allowed words; None if other values are allowed."""
        words = [word for kind in self.kinds if get_origin(kind) is Literal for word in get_args(kind)]
        return tuple(words) if all(get_origin(kind) is Literal for kind in self.kinds) else None

    def settled(self, given: Mapping[str, Any]) -> Any:
        """Return the given value, checked, or the default. None means the default if the type allows None."""
        value = given.get(self.name)
        if self.name not in given or (value is None and NoneType in _members(self.kind)):
            return self.default
        if self.words is not None:
            return choice(self.name, value, self.words)
        if self.kinds == (bool,):
            return truth(self.name, value)
        return value if self.check is None else self.check(self.name, value)


TRUST = Option(
    "Run code, start programs and open files that are named in the files read (docs/howto/trust.md).",
    False,
    check=lambda _, value: check_trust(value),
)
SEED = Option("The seed of the random numbers: a whole number of 64 bits.", 0, check=lambda _, value: seed(value))

RENAMED: Mapping[str, str] = MappingProxyType(
    {"from_": "at", "from": "at", "path": "at", "lock": "locks", "on": "over"}
)
"""New names of options, and of parameters of methods, of version 0.1. `on` was a parameter of samplers."""


@cache
def declared(kind: Any) -> Mapping[str, Option]:
    """Return the options that a TypedDict declares, by name, in its order; read-only."""
    hints = get_type_hints(kind, include_extras=True)
    return MappingProxyType({name: option for name in hints if (option := option_of(name, hints[name]))})


def settled(whose: str, kind: Any, given: T, *others: str) -> T:
    """Return a value for every option of a declaration, checked; refuse an option that `whose` function lacks.

    `others` are parameters of the function before its options; an error may suggest one of them.
    """
    options = declared(kind)
    values: Any = given
    for name in values:
        if name not in options:
            raise UnknownNameError(
                f"{whose} has no option {shown(name)}{renamed(name, options) or nearest(name, [*others, *options])}"
            )
    chosen = {name: option.settled(values) for name, option in options.items()}
    return cast("T", chosen)


def renamed(name: str, options: Container[str]) -> str:
    """Return the end of a message with the new name of an option; empty if the new name is not among `options`."""
    return f"; it is called {shown(RENAMED[name])} now" if RENAMED.get(name) in options else ""


def option_of(name: str, hint: Any) -> Option | None:
    """Return the option that a type carries, with its name and the type itself."""
    if get_origin(hint) is not Annotated:
        return None
    kind, *notes = get_args(hint)
    return next((replace(note, name=name, kind=kind) for note in notes if isinstance(note, Option)), None)


def _members(kind: Any) -> tuple[Any, ...]:
    """Return the types of a union, nested unions included."""
    if get_origin(kind) not in (Union, UnionType):
        return (kind,)
    return tuple(member for part in get_args(kind) for member in _members(part))
