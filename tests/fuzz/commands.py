"""Command lines of words in the wrong places: an answer, or one sentence and exit code 2."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path
from typing import Any

from hannan.cli import main

GAMES = [
    "kuhn_poker",
    "matching_pennies",
    "biased_rps",
    "kuhn_poker(players=3)",
    "nim",
    "kuhn",
    "",
    "x(",
    "no.py:Game",
    ".",
]
FILES = ["nowhere/x", "/", "", "-", "a b", "/dev/full", "words", "\x00"]
NUMBERS = ["1", "0", "-1", "2", "0.5", "nan", "inf", "1e400", "x", "", "1e3", "9" * 50, "none", "--json"]
OPTIONS: dict[str, dict[str, list[Any]]] = {
    "solve": {
        "--method": ["cfr", "pcfr+", "mccfr-os", "lp", "einr", "auto", "x", "cfr(", "dcfr(alpha=x)"],
        "--updates": ["alternating", "simultaneous", "x"], "--gap": NUMBERS, "--seed": NUMBERS, "--out": FILES,
        "--checkpoint": FILES, "--every": NUMBERS, "--resume": FILES, "--start": FILES, "--log": FILES,
        "--locks": FILES, "--variance": NUMBERS, "--json": [None], "--nonsense": ["1"],
    },
    "evaluate": {"--json": [None], "--plays": NUMBERS, "--seed": NUMBERS, "--out": FILES, "--table": FILES},
    "inspect": {"--json": [None], "--method": ["cfr", "x"]},
    "games": {"--json": [None]},
    "methods": {"--json": [None]},
    "verify": {"--json": [None], "--replay": [None], "--game": GAMES},
    "plot": {"--json": [None], "--out": FILES, "--x": ["iteration", "seconds", "x"]},
    "search": {"--rule": ["rm", "exp3", "x"], "--seed": NUMBERS, "--gamma": NUMBERS, "--json": [None],
               "--at": ["", "x", "(1,1)"]},
}  # fmt: skip
LIMITS = {"solve": ["--iterations", "3"], "search": ["--iterations", "5"]}


def try_command(draw: random.Random, folder: Path, told: list[str]) -> str:
    """Run a command line; foreign exceptions pass, and so does an exit code that says nothing."""
    (folder / "words").write_text("no file of ours")
    command = draw.choice(sorted(OPTIONS))
    words = [command]
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3])):
        words.append(draw.choice([*GAMES, *FILES] if command not in ("verify", "plot") else FILES))
    for _ in range(draw.choice([0, 1, 1, 2, 3])):
        name = draw.choice(sorted(OPTIONS[command]))
        value = draw.choice(OPTIONS[command][name])
        words += [name] if value is None else draw.choice([[name, value], [f"{name}={value}"]])
    words += LIMITS.get(command, [])
    told.extend(words)
    out, err = io.StringIO(), io.StringIO()
    code: object = None
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as ended:
            code = ended.code
    assert code in (0, 1, 2, None), f"exit code {code}"
    assert code != 2 or err.getvalue().strip(), "exit code 2 without a sentence"
    assert "Traceback" not in err.getvalue(), err.getvalue()[-300:]
    return f"code {code}"
