"""Addresses of games, methods and players that somebody mistyped."""

from __future__ import annotations

import random
from pathlib import Path

import hannan as hn
from hannan.games import catalogue
from hannan.runs.solve import make_solver, split_method
from hannan.solvers import METHODS
from tests.fuzz.sentences import sentence

VALUES = [
    "0", "1", "2", "-1", "1e9", "1e400", "0.5", "nan", "inf", "true", "none", "''", "'x'", "x", "[]",
    "[[1,2],[3,4]]", "[[1,'a']]", "[1," * 40, "{}", "{'a':1}", "(1,2)", "\"", "\\", "é", "\x00", "0x10", "1_000", "--1",
    "[[nan,1],[1,0]]", "[[1],[1,2]]", "1+1", "__import__('os')", "lambda: 0", "[" * 300, "rm+", "$x{y}",
]  # fmt: skip
PIECES = [
    "(",
    ")",
    "=",
    ",",
    " ",
    ":",
    "'",
    "[",
    "]",
    "()",
    "((",
    "))",
    "=,",
    ".py",
    "module:",
    "openspiel:",
    "\n",
    "é",
    "\x00",
]


def drawn(draw: random.Random, names: list[str], parameters: list[str]) -> str:
    """Return an address that looks like one, more or less."""
    name = draw.choice([*names, "x", "", "kuhn_poker ", "Kuhn_Poker"])
    given = ",".join(
        f"{draw.choice([*parameters, 'x', ''])}={draw.choice(VALUES)}" for _ in range(draw.choice([0, 1, 1, 2, 3]))
    )
    text = f"{name}({given})" if given or draw.random() < 0.3 else name
    if draw.random() < 0.3:
        place = draw.randrange(len(text) + 1)
        text = text[:place] + draw.choice(PIECES) + text[place + draw.randrange(2) :]
    return text


def try_address(draw: random.Random, folder: Path, told: list[str]) -> str:
    """Make the rules of a game, or a solver of a small one, from an address."""
    if draw.random() < 0.6:
        entries = [catalogue.entry(name) for name in catalogue.MODULES]
        text = drawn(draw, list(catalogue.MODULES), sorted({key for entry in entries for key in entry.defaults}))
        told.append(text)
        try:
            name, parameters = catalogue.parse(text)
            large = any(isinstance(value, int) and value > 40 for value in parameters.values())
            if not large:  # what takes long to make is no finding here
                catalogue.make(name, parameters)
        except hn.HannanError as error:
            return sentence(error)
        return "made"
    keys = sorted({key for kind in METHODS.values() for key in ("rate", "updates", "seed", "alpha", "learner")})
    text = drawn(draw, list(METHODS), [*keys, "gamma", "threads", "averaging", "epsilon", "streams", "prior"])
    told.append(text)
    try:
        split_method(text)
        make_solver(hn.load("matching_pennies"), text, None, {})
    except hn.HannanError as error:
        return sentence(error)
    return "made"
