"""Methods of users: classes of their own, from a file, from a module, or from an installed package."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import Any

from hannan.addresses import parse_place
from hannan.arguments import shown
from hannan.errors import STRAY, HannanError, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.forms.classes import thing_at
from hannan.forms.loader import check_complete
from hannan.packages import METHODS, brought, find
from hannan.rules.promises import told
from hannan.solvers.base import Solver
from hannan.solvers.parameters import defaults

_NAME = re.compile(r"[A-Za-z][\w+-]*")


def own_class(method: Any, taken: Collection[str]) -> type[Solver]:
    """Return the class of a method that is not built in, after checking it. `taken` are the names of built-in methods.

    `method` is a class, the address of one, or the name of a method that an installed package brings.
    """
    if not isinstance(method, str):
        named = method.__name__ if isinstance(method, type) else shown(method)
        return _checked(method, named, taken)
    if (place := parse_place(method)) is not None:
        kind = _checked(thing_at(place[0]), place[0], taken)
        if kind.home() is not None:
            kind._home = place[0]  # type: ignore[attr-defined]  # what checkpoints name
        return kind
    if method.endswith(".py"):
        raise ParameterError(f"{method}: say which class in the file is the method, as in {method}:MyCFR")
    package = find(METHODS, method)
    if package is None:
        known = [*taken, *(one.name for one in brought(METHODS))]
        raise UnknownNameError(f"method {shown(method)} does not exist{nearest(method, known)}")
    kind = package.load()
    try:
        _checked(kind, package.entry.value, taken)
    except HannanError as error:
        raise package.refusal(error) from error
    if kind.method != method:
        raise package.refusal(f"the class calls its method {kind.method!r}")
    kind._home = package.entry.value
    return kind


def package_of(kind: type[Solver]) -> str | None:
    """Return the installed package that brings a method; None if it is built in, or comes from a file."""
    one = None if kind.home() is None else find(METHODS, kind.method)
    return one.package if one is not None and one.entry.value == kind.home() else None


def installed(taken: Collection[str]) -> tuple[dict[str, type[Solver]], list[str]]:
    """Return the classes of the methods that installed packages bring, by name, and why others are refused.

    Importing the packages runs their code.
    """
    kinds: dict[str, type[Solver]] = {}
    refused = []
    for one in brought(METHODS):
        try:
            if one.name in taken:
                raise one.refusal("the name is that of a built-in method")
            kinds[one.name] = own_class(one.name, taken)
        except HannanError as error:
            refused.append(str(error))
    return kinds, refused


def _checked(kind: Any, address: str, taken: Collection[str]) -> type[Solver]:
    """Return a class that can be used as a method; refuse any other with a sentence."""
    if not isinstance(kind, type) or not issubclass(kind, Solver):
        what = f"the class {kind.__name__}" if isinstance(kind, type) else f"of type {type(kind).__name__}"
        raise UnsuitableError(
            f"{address} is {what}, and no method: a method is a class that stands on one of hannan.methods, such as "
            "FullWidth"
        )
    check_complete(kind, address)
    if kind.home() is None:
        return kind  # a class of hannan itself
    name = getattr(kind, "method", None)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UnsuitableError(
            f"{address} has no name that results and files can call it by: write method = 'my-cfr', letters, digits, + "
            "and -, in the class"
        )
    if name in taken:
        raise UnsuitableError(
            f"{address} calls itself {name!r}, which is a built-in method: write another name into the class, as in "
            f"method = 'my-{name}'"
        )
    _check_constructor(kind, address)
    return kind


def _check_constructor(kind: type[Solver], address: str) -> None:
    """Refuse a constructor whose parameters cannot be given by name, or have no default."""
    _, *named = inspect.signature(kind.__init__).parameters.values()
    placed = [p.name for p in named if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if placed[:1] != ["game"] and not any(p.kind is p.VAR_POSITIONAL for p in named):
        raise UnsuitableError(f"{address}: its constructor should take the game first: __init__(self, game, *, …)")
    if len(placed) > 1:
        raise UnsuitableError(
            f"{address}: its constructor takes {placed[1]} by place; write a * before it, so that it is a parameter: "
            f"__init__(self, game, *, {placed[1]}=…)"
        )
    for name, default in defaults(kind).items():
        if default is inspect.Parameter.empty:
            raise UnsuitableError(f"{address}: its parameter {name} needs a default, as in {name}=1")


def make(kind: type[Solver], game: Any, parameters: Mapping[str, Any]) -> Solver:
    """Make a solver of a user's class; refuse one that does not keep its parameters."""
    with blamed(kind, "making it"):
        solver = kind(game, **parameters)
    for name in kind.parameter_defaults():
        if not hasattr(solver, name):
            raise UnsuitableError(
                f"{kind.home()} does not keep its parameter {name}, which checkpoints and logs need: write self.{name} "
                f"= {name} into __init__"
            )
    return solver


@contextmanager
def blamed(kind: type[Solver], doing: str) -> Iterator[None]:
    """Turn an error of a user's class into a sentence that names the class and the line of its file."""
    try:
        yield
    except (HannanError, MemoryError):
        raise
    except STRAY as error:
        home, file = kind.home(), _file(kind)
        if home is None:
            raise
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file]
        where = f" (line {lines[-1]} of {Path(file).name})" if lines else ""
        raise UnsuitableError(f"{home}: {doing} raised {told(error)}{where}") from error


def _file(kind: type[Solver]) -> str:
    """Return the file that contains a class."""
    functions = (inspect.unwrap(value) for value in vars(kind).values() if inspect.isfunction(value))
    return next((function.__code__.co_filename for function in functions), "")
