"""Honest certificates that the search starts from: small games whose truth can be enumerated, of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hannan as hn
from hannan.forms.boxes import boxed
from hannan.rules.box import Box
from tests.forge.forgeries import Bet, Betting, Guess, Sides
from tests.forge.games import Played, Small
from tests.forge.kit import Forged, opened
from tests.reference import Tree, grow


@dataclass(frozen=True)
class Base:
    """An honest file, the box that it is about, and the true game."""

    forged: Forged
    box: Box
    tree: Tree
    options: dict[str, Any]
    """With which it was certified, but for what its box tells."""
    game: Any = None
    """The game, where it is no box."""


TOLD = ("bounds", "groups", "children")


def _rules(rules: Any, path: Path, **options: Any) -> Base:
    """A game of plain rules, or a built-in one, told as options say."""
    options = {"playthroughs": 60, "solve_every": 20, **options}
    hn.certify(rules, **options).save(path)
    told = {name: options.pop(name) for name in TOLD if name in options}
    played = boxed(rules, **told)
    if isinstance(told.get("bounds"), tuple):
        options["bounds"] = told["bounds"]
    return Base(opened(path), played.box, grow(played.game.played().rules), options, rules)


def _box(rules: Any, box: Box, path: Path, **options: Any) -> Base:
    """A box of its own."""
    options = {"playthroughs": 60, "solve_every": 20, **options}
    hn.certify(box, **options).save(path)
    return Base(opened(path), box, grow(rules), options)


def _own(seed: int, path: Path, told: dict[str, Any], **options: Any) -> Base:
    rules = Small(seed)
    return _box(rules, Played(rules, **told), path, **options)


CCE: dict[str, Any] = {"equilibrium": "cce", "iterates": 3, "solve_every": None}

BASES: dict[str, Callable[[Path], Base]] = {
    "known odds": lambda path: _rules(Small(1), path, groups="known", method="cfr"),
    "groups of the rules, radius of the paper": lambda path: _rules(
        Small(2), path, groups="rules", radius="paper", playthroughs=200, method="lp"
    ),
    "groups by history, children": lambda path: _rules(
        Small(3, luck=0.3), path, groups="history", children=True, playthroughs=120
    ),
    "no groups": lambda path: _rules(Small(5, depth=3), path, playthroughs=150, method="cfr"),
    "no chance": lambda path: _rules(Small(11, luck=0.0), path, bounds="exact"),
    "two numbers": lambda path: _rules(Small(4), path, bounds=(-8.0, 8.0), groups="known"),
    "one player": lambda path: _rules(Small(8, 1, perfect=True), path, groups="known", method="induction"),
    "first only": lambda path: _rules(Small(9), path, groups="known", expansion="first"),
    "mccfr": lambda path: _rules(Small(1), path, groups="known", method="mccfr", solve_every=None),
    "online-cfr+": lambda path: _rules(Small(2), path, groups="rules", method="online-cfr+", solve_every=None),
    "rounds prove more than counts": lambda path: _rules(
        Small(34, luck=0.8, depth=3), path, method="online-pcfr+", solve_every=10, playthroughs=200, seed=1
    ),
    "balanced walks": lambda path: _rules(
        Small(5, depth=3),
        path,
        groups="rules",
        method="mccfr",
        sampling="balanced",
        averaging="uniform",
        solve_every=None,
    ),
    "compiled": lambda path: _rules("kuhn_poker", path, groups="known", method="mccfr", solve_every=None),
    "correlated": lambda path: _rules(Small(0, zero_sum=False), path, groups="known", **CCE),
    "correlated, three players": lambda path: _rules(Small(1, 3, zero_sum=False, depth=3), path, groups="known", **CCE),
    "correlated, grouped": lambda path: _rules(Small(2, zero_sum=False), path, groups="rules", **CCE),
    "a box": lambda path: _own(6, path, {"grouped": True}),
    "open outcomes": lambda path: _own(7, path, {"listed": False}),
    "open outcomes in groups": lambda path: _own(2, path, {"listed": False, "grouped": True}, playthroughs=120),
    "failures": lambda path: _own(2, path, {"grouped": True, "fails": 5}, playthroughs=120),
    "failures, open": lambda path: _own(3, path, {"listed": False, "grouped": True, "fails": 5}),
    "children and odds": lambda path: _own(10, path, {"known": True, "children": True}),
    "guess": lambda path: _box(Guess(), Played(Guess(), known=True), path),
    "sides": lambda path: _box(Sides(), Played(Sides(), grouped=True), path, playthroughs=300, solve_every=100),
    "bet": lambda path: _box(Bet(), Betting(), path, playthroughs=300, explore="uniform"),
}
