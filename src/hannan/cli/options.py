"""Options that several commands share, and the checks before the work: consent, and files to write."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter as Argument
from inspect import signature
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

from cyclopts import Parameter, Token

from hannan.arguments import Option
from hannan.cli import HELD
from hannan.errors import ParameterError
from hannan.files import check_writable
from hannan.forms.trust import Named, Trust
from hannan.holds import held
from hannan.pictures.figures import check_target
from hannan.runs.status_line import without_line

LOG, PLOT = "--log", "--plot"
"""The option of the log, which is written in place and may be a pipe; and the option of a picture."""

OF_RUNS = (LOG, "--checkpoint", "--record")
"""The options of files that runs hold themselves."""


def _whole(kind: Any, tokens: Sequence[Token]) -> int:
    """Read a whole number, also as 1e6; cyclopts itself would round 1.5."""
    try:
        return int(tokens[0].value)  # a float would round what is above 2**53
    except ValueError:
        with suppress(ValueError):
            if (number := float(tokens[0].value)).is_integer():
                return int(number)
    raise ValueError(f"{tokens[0].value!r} is not a whole number")


def _number(kind: Any, tokens: Sequence[Token]) -> float:
    """Read a number; cyclopts itself would speak of floats."""
    with suppress(ValueError):
        return float(tokens[0].value)
    raise ValueError(f"{tokens[0].value!r} is not a number")


F = TypeVar("F", bound=Callable[..., None])
Whole = Annotated[int, Parameter(converter=_whole)]
Number = Annotated[float, Parameter(converter=_number)]
Trusted = Annotated[
    bool,
    Parameter(
        name="--trust",
        negative="",
        help="Run code, start programs and open files that FILE names (docs/howto/trust.md).",
    ),
]
Json = Annotated[bool, Parameter(name="--json", negative="", help="One JSON object on standard output, nothing else.")]


def offering(function: Any) -> Callable[[F], F]:
    """Give a command the options of a public function, as they are declared.

    The command takes the options that were given as `**given`. Its own parameters come before them if they are
    positional, and after them if not. The meaning of a positional one that is also declared comes from there.
    """

    options: Mapping[str, Option] = function.options

    def made(command: F) -> F:
        own, hints = signature(command).parameters, get_type_hints(command, include_extras=True)
        first: list[Argument] = []
        last: list[Argument] = []
        for name, argument in own.items():
            if argument.kind is Argument.VAR_KEYWORD and name == "given":
                continue
            said = hints[name]
            if name in options:
                said = Annotated[said, Parameter(help=options[name].text)]
            place = last if argument.kind in (Argument.KEYWORD_ONLY, Argument.VAR_KEYWORD) else first
            place.append(argument.replace(annotation=said))
        more = [
            Argument(name, Argument.KEYWORD_ONLY, default=option.default, annotation=word_type(option))
            for name, option in offered(options).items()
            if name not in own
        ]
        public: Any = command
        public.__signature__ = signature(command).replace(parameters=[*first, *more, *last])
        public.__annotations__ = {}
        return command

    return made


def offered(options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options that exist on the command line, too."""
    return {name: option for name, option in options.items() if not option.python_only}


def word_type(option: Option) -> Any:
    """Return the type of an option on the command line: a path, a whole number, a number, a choice, a flag or text."""
    kinds = {get_origin(kind) or kind for kind in option.kinds}
    said: dict[str, Any] = {"help": option.text}
    if option.words is not None or option.kinds == (bool,):
        return Annotated[option.kind, Parameter(**said)]
    if kinds == {bool, Callable}:  # consent has no opposite flag
        return Annotated[bool, Parameter(**said, negative="")]
    if PathLike in kinds:
        kind: Any = Path
    elif int in kinds:
        kind, said["converter"] = int, _whole
    elif float in kinds:
        kind, said["converter"] = float, _number
    else:
        kind = str
    return Annotated[kind | None, Parameter(**said)]


def consent(trusted: bool, as_json: bool) -> Trust:
    """Return the consent of a command: to all with --trust, else as a person at the terminal answers.

    With --json, or without a terminal, the question is not asked, and consent is refused.
    """
    if trusted or as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return trusted
    return _asked


def _asked(named: Named) -> bool:
    """Ask whether an address may be used. Only `yes` is consent; the end of the input is not.

    The address is shown in ASCII, so that no letter looks like another one, and no letter moves the cursor.
    """
    with without_line():
        file = named.file if named.file.isprintable() else ascii(named.file)
        print(f"{file} names the {named.what}", file=sys.stderr)
        print(f"    {named.address!a}", file=sys.stderr)
        print(f"which {named.effect}. Type yes to allow exactly this, anything else to stop: ", end="", file=sys.stderr)
        sys.stderr.flush()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            line = ""
        if not line.endswith("\n"):
            print(file=sys.stderr)
        return line.strip() == "yes"


def check_targets(targets: Mapping[str, Path | None], sources: Iterable[str | Path | None] = ()) -> None:
    """Check and hold the files that options name. Refuse a file that two options name, or that is also read.

    `sources` are the files that are read, or addresses that may have one in them: rules, games, locks, strategies.
    """
    wanted = {option: path for option, path in targets.items() if path is not None}
    for option, path in wanted.items():
        if option == PLOT:
            check_target(path)
        else:
            check_writable(path, renamed=option != LOG)
    for (one, path), (other, second) in combinations(wanted.items(), 2):
        if path.resolve() == second.resolve():
            raise ParameterError(f"{one} and {other} name the same file")
    for option, path in wanted.items():
        if any(_same(path, place) for source in sources if source is not None for place in _places(str(source))):
            raise ParameterError(f"{option} names {path}, which is read, and would be lost; give another file")
    for option, path in wanted.items():
        if option not in OF_RUNS:
            HELD.enter_context(held(path))


def _places(address: str) -> list[str]:
    """Return the parts of an address that may be a file: before parameters, before a name, and after a prefix."""
    bare = address.partition("(")[0]
    places = [address, bare]
    for text in (address, bare):
        words = text.split(":")
        places += [":".join(words[a:b]) for a in (0, 1) for b in (len(words), len(words) - 1) if a < b]
    return places


def _same(one: Path, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # one of the files does not exist
        return False
