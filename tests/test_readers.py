"""Whatever reads a file is listed here, with what walks it: a new reader, or a new --resume, fails until it is."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, get_args, get_origin

import hannan as hn
from hannan.cli import COMMANDS, command
from tests.cli.test_trust import COMMAND_LINES
from tests.test_trust import GAMES, PLAYED

SOURCE = Path(hn.__file__).parent
WALKED, WRITTEN, INERT, UNTRUSTED = (
    "walked by a test of trust",
    "written, and named by the caller",
    "names nothing",
    "what it names is never run: tests/web",
)

PUBLIC = {
    ("certify", "checkpoint"): WRITTEN,
    ("certify", "log"): WRITTEN,
    ("certify", "resume"): WALKED,
    ("certify", "strategy"): WALKED,
    ("draw", "path"): WRITTEN,
    ("explore", "folder"): UNTRUSTED,
    ("export_csv", "path"): WRITTEN,
    ("export_game", "path"): WRITTEN,
    ("match", "checkpoint"): WRITTEN,
    ("match", "players"): WALKED,
    ("match", "record"): WRITTEN,
    ("match", "resume"): WALKED,
    ("plot", "path"): WRITTEN,  # and `runs` names logs, as read_log does
    ("profile", "strategies"): INERT,  # a CSV file of probabilities; the game is given
    ("qre", "data"): INERT,  # a CSV file of counts; the game is given
    ("read", "path"): WALKED,
    ("read_log", "path"): INERT,
    ("resume", "path"): WALKED,
    ("save", "path"): WRITTEN,
    ("search", "checkpoint"): WRITTEN,
    ("search", "log"): WRITTEN,
    ("search", "resume"): WALKED,
    ("solve", "checkpoint"): WRITTEN,
    ("solve", "locks"): INERT,
    ("solve", "log"): WRITTEN,
    ("solve", "resume"): WALKED,
    ("solve", "start"): WALKED,
    ("sweep", "file"): WALKED,
    ("sweep", "out"): WRITTEN,
    ("verify", "path"): WALKED,
    ("verify", "strategy"): WALKED,
}
"""Parameters of public functions that name a file."""

OPTIONS = {
    "bench": {"out": WRITTEN, "picture": WRITTEN},
    "certify": {"checkpoint": WRITTEN, "log": WRITTEN, "out": WRITTEN, "plot": WRITTEN, "profile": WRITTEN,
                "resume": WALKED, "strategy": WALKED},
    "correlated": {"out": WRITTEN},
    "draw": {"file": WALKED, "out": WRITTEN},
    "equilibria": {"out": WRITTEN, "strategy": WRITTEN},
    "evaluate": {"csv": WRITTEN, "strategy": WALKED, "out": WRITTEN, "response": WALKED},
    "explore": {"folder": UNTRUSTED, "given": UNTRUSTED},
    "export": {"file": WALKED, "out": WRITTEN},
    "flops": {"flops": INERT, "out": WRITTEN, "spot": INERT},
    "games": {"out": WRITTEN},
    "match": {"checkpoint": WRITTEN, "players": WALKED, "record": WRITTEN, "resume": WALKED},
    "play": {"opponents": WALKED, "record": WRITTEN},
    "plot": {"logs": INERT, "out": WRITTEN},
    "qre": {"data": INERT, "out": WRITTEN},
    "reproduce": {"out": WRITTEN},
    "search": {"checkpoint": WRITTEN, "log": WRITTEN, "out": WRITTEN, "resume": WALKED},
    "runouts": {"csv": WRITTEN, "file": WALKED},
    "show": {"csv": WRITTEN, "file": WALKED, "out": WRITTEN},
    "solve": {"checkpoint": WRITTEN, "locks": INERT, "log": WRITTEN, "out": WRITTEN, "plot": WRITTEN, "resume": WALKED,
              "start": WALKED},
    "sweep": {"file": WALKED, "out": WRITTEN},
    "verify": {"file": WALKED, "strategy": WALKED},
}  # fmt: skip
"""Options and words of commands that name a file. A file of locks may name strategy files: these are read."""

TEXTS = {
    "at", "bounds", "device", "dynamics", "evaluation", "explore", "figure", "first_visits", "forget", "game", "grid",
    "host", "learning", "memory", "method", "name", "objective", "on", "paper", "parameters", "path", "places",
    "returns", "rollout", "row", "rule", "size", "table", "title", "token", "tree", "unvisited",
}  # fmt: skip
"""Options that are no files: words, and addresses that the caller gives."""

READERS = {
    "bench/page.py": "a page of ours, as text",
    "certificates/files.py": "certify",
    "certificates/journal.py": "numbers and names of playthroughs",
    "certificates/report.py": "numbers and names of a trunk",
    "certificates/strategies.py": "read",
    "experiments/pieces.py": "numbers, and settings that are compared",
    "files.py": "the functions themselves",
    "games/holdem/flops.py": "cards and weights of flops whose path the caller gave",
    "games/holdem/spot_files.py": "cards, numbers and sizes of a spot whose path the caller gave",
    "interop/gambit/text.py": "a game whose path the caller gave",
    "kernels/stamps.py": "our own sources",
    "neural/policy.py": "read",
    "runs/flops.py": "a spot whose path the caller gave, and numbers of solved flops",
    "runs/log.py": "numbers and labels",
    "runs/match_work.py": "numbers, and names that are compared",
    "runs/observations.py": "counts",
    "runs/search_work.py": "search",
    "runs/sweep_plan.py": "sweep; and the digest of a file that it names",
    "runs/sweep_run.py": "numbers of finished runs",
    "runs/verification.py": "verify",
    "solvers/base.py": "the digest of the file of a class that runs already",
    "solvers/checkpoint.py": "resume",
    "strategies/correlated.py": "read",
    "strategies/files.py": "read",
    "strategies/written.py": "probabilities",
    "verifier/equilibria.py": "numbers, and the name of a game, which runs/verification.py takes to `named_game`",
    "verifier/reader.py": "shares no code, and takes a box that the caller gives",
    "web/door.py": "our own page",
    "web/locking.py": "numbers, which `solve` checks",
    "web/proof.py": "numbers and labels",
    "web/routes/solving.py": "a strategy of ours, as bytes",
    "web/solving.py": "a run of ours: its method is a built-in one, and only a built-in game is opened for it",
}
"""The files of the package that open files, and what walks them, or what they take from a file."""


def test_every_public_function_that_takes_a_file() -> None:
    found = set()
    for name in hn.__all__:
        public = getattr(hn, name)
        if inspect.isfunction(public):
            named = inspect.signature(public).parameters.values()
            paths = {p.name for p in named if "Path" in str(p.annotation) or p.name == "players"}
            found |= {(name, path) for path in paths - {"game"}}
    assert found == set(PUBLIC)
    takes = {name for (name, _), how in PUBLIC.items() if how == WALKED}
    assert all("trust" in inspect.signature(getattr(hn, name)).parameters for name in takes)


def test_every_reader_of_a_public_class_is_none() -> None:
    """Classes write files, and do not read them."""
    for name in hn.__all__:
        public = getattr(hn, name)
        for method, function in inspect.getmembers(public, inspect.isfunction) if inspect.isclass(public) else ():
            named = inspect.signature(function).parameters.values()
            assert method in ("save", "plot", "__init__") or not any("Path" in str(p.annotation) for p in named), method


def options(name: str) -> Iterator[tuple[str, str]]:
    """Yield the options of a command with their types."""
    for parameter in inspect.signature(command(name)).parameters.values():
        kind = parameter.annotation
        yield parameter.name, str(get_args(kind)[0] if get_origin(kind) is Annotated else kind)


def test_every_option_that_names_a_file() -> None:
    for name in COMMANDS:
        found = dict(options(name))
        listed = OPTIONS.get(name, {})
        assert {option for option, kind in found.items() if "Path" in kind} <= set(listed), name
        assert {option for option, kind in found.items() if "str" in kind} <= set(listed) | TEXTS, name
        assert set(listed) <= set(found), name
        assert ("trust" in found) == (WALKED in listed.values()), name


def test_every_command_that_uses_a_file_is_walked() -> None:
    wanted = {name for name, listed in OPTIONS.items() if WALKED in listed.values()}
    assert {line.split()[0] for _, _, line in COMMAND_LINES.values()} == wanted
    lines = [line for _, _, line in COMMAND_LINES.values()]
    for name, listed in OPTIONS.items():
        for option, how in listed.items():
            words = [line for line in lines if line.split()[0] == name]
            if (
                how == WALKED
                and option not in ("file", "players", "opponents")
                and (name, option) not in (("match", "resume"), ("evaluate", "strategy"))
            ):
                assert any(f"--{option} {{file}}" in line for line in words), (name, option)


def test_every_place_that_opens_a_file() -> None:
    opening = {"read_arrays", "read_bytes", "safe_open"}
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = getattr(node, "func", None)
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if name in opening:
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == set(READERS)


def test_all_of_it_is_walked() -> None:
    assert {"read", "certify", "verify"} <= set(GAMES)
    assert {"resume", "solve", "read", "start", "match", "certified"} <= set(PLAYED)
