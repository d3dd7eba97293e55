"""What is fuzzed: each subject draws the case of a number, tries it, and lets what should never be raised pass."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.addresses import try_address
from tests.fuzz.commands import try_command
from tests.fuzz.files import Files
from tests.fuzz.liars import try_rules

Try = Callable[[int], str]
"""Tries the case of a number; returns how it ended."""


class Finding(Exception):  # noqa: N818  # it is not an error of ours
    """A case that ended as none should; the message says how, and the case is all that is needed to try it again."""

    def __init__(self, told: str, case: dict[str, Any]) -> None:
        super().__init__(told)
        self.case = case


def subject(name: str, folder: Path) -> Try:
    """Return what tries the cases of a subject, with files in a folder."""
    files = Files(folder)

    def of_files(number: int) -> str:
        kind, data, case = files.numbered(number)
        return _tried(lambda: files.use(kind, data, given=case["given"]), case)

    def of_words(attempt: Callable[[random.Random, Path, list[str]], str]) -> Try:
        def tried(number: int) -> str:
            draw, told = random.Random(f"{name} {number}"), list[str]()
            return _tried(lambda: attempt(draw, folder, told), {name: told})

        return tried

    kinds = {"addresses": try_address, "commands": try_command, "rules": try_rules}
    return of_files if name == "files" else of_words(kinds[name])


def case_of(name: str, number: int, folder: Path) -> dict[str, Any]:
    """Return the case of a number without trying it; only files can be told before."""
    return Files(folder).numbered(number)[2] if name == "files" else {name: number}


def _tried(attempt: Callable[[], str], case: dict[str, Any]) -> str:
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            return attempt()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Finding(f"{type(error).__name__}: {str(error)[:300]} in {_place(error)}", case) from error


def _place(error: BaseException) -> str:
    """Return where an error was raised, in a few words."""
    trace = error.__traceback__
    places = []
    while trace is not None:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " < ".join(places[:-5:-1])


SUBJECTS = ("files", "addresses", "commands", "rules")
sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
