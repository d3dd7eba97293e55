"""Any game as a black box: which bounds on payoffs it tells, and what it tells of chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hannan import arguments
from hannan.arrays import Floats
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.game import BoxedGame, ExpandedGame, Game
from hannan.forms.loader import COMMAND, Loadable, load, simulator
from hannan.forms.tree import ROOT, TERMINAL, GameTree
from hannan.rules.bounds import Bounds
from hannan.rules.box import Box
from hannan.rules.hidden import HiddenChance
from hannan.rules.process import ProcessBox
from hannan.rules.rulesbox import Groups, Told, rules_box

Given = Literal["auto", "rules", "exact"] | tuple[float, float] | str
"""The source of the bounds: `rules` (those that the rules write), `exact` (those of the expanded game), or two numbers
(also as a text such as -10,10) for all that player 0 can gain. `auto` takes `rules` if the rules write them, else
`exact`."""


@dataclass(frozen=True)
class Boxed:
    """A game as a black box, and the assumptions about it."""

    game: Game
    box: Box
    bounds: str
    """The source of the bounds in words, as a result shows it."""
    groups: str
    children: bool
    """Whether the box tells of children before they are visited, because the caller asked for it."""
    range: tuple[float, float] | None
    """The given range of all that player 0 can gain (of each player if gains are not zero-sum); None if not given."""
    similar: bool = False
    """Whether the box tells which chance nodes have almost the same distribution."""
    hidden: int | None = None
    """If chance is hidden: an upper bound on the different answers that can follow one history."""


def boxed(
    game: Loadable,
    *,
    bounds: Given = "auto",
    groups: Groups = "none",
    children: bool = False,
    similar: bool = False,
    hidden: int | None = None,
    timeout: float | None = None,
) -> Boxed:
    """Return a game as a black box.

    `groups`, `children` and `similar` are for games with rules: a box tells these facts itself.
    `hidden` is for a box that never shows its chance nodes: at most `hidden` different answers can follow one history.
    `timeout` is for simulators that are programs: the seconds that each answer may take.
    """
    if isinstance(game, str) and game.startswith(COMMAND) and timeout is not None:
        game = simulator(game, arguments.positive("timeout", timeout))  # applies to its first line as well
    children, similar = arguments.truth("children", children), arguments.truth("similar", similar)
    loaded, given = load(game), _given(bounds)
    _allow(loaded, timeout)
    if isinstance(loaded, BoxedGame):
        if bounds in ("rules", "exact") or groups != "none" or children or similar:
            raise ParameterError(
                f"{loaded.address} is a black box, which tells groups and bounds itself: leave groups, children and "
                "similar out, and give bounds=(low, high) or none"
            )
        words = "box" if given is None else f"{given[0]:g},{given[1]:g}"
        box, whole = loaded.box, getattr(loaded.box, "whole", None)
        if hidden is not None:
            box = HiddenChance(box, arguments.whole("hidden", hidden), whole)
        return Boxed(loaded, box, words, "box", False, given, box.similar, hidden)
    if hidden is not None:
        raise ParameterError(
            f"{loaded.address} is not a black box: its rules show where chance moves; leave hidden out"
        )
    played = loaded.played()
    if given is not None:
        box = rules_box(played.rules, bounds=None, groups=groups, children=children, similar=similar)
        return Boxed(loaded, box, f"{given[0]:g},{given[1]:g}", groups, children, given, similar)
    source = str(bounds)
    if source == "auto":
        source = "rules" if played.rules.writes("bounds") else "exact"
        if source == "exact" and not isinstance(loaded, ExpandedGame):
            raise UnsuitableError(
                f"{loaded.address} does not write bounds(), and is too large to compute them: give bounds=(low, high) "
                "or --bounds=LOW,HIGH for all that player 0 can gain"
            )
    if source == "rules" and not played.rules.writes("bounds"):
        raise UnsuitableError(f"{loaded.address} does not write bounds(); use bounds=exact, or give two numbers")
    told: Told = "rules" if source == "rules" else ExactBounds(loaded.expanded().tree)
    box = rules_box(played.rules, bounds=told, groups=groups, children=children, similar=similar)
    return Boxed(loaded, box, source, groups, children, None, similar)


def _allow(game: Game, timeout: float | None) -> None:
    """Set the seconds that a simulator may take for an answer; refuse a game that is not a program."""
    if timeout is None:
        return
    box = game.box if isinstance(game, BoxedGame) else None
    if not isinstance(box, ProcessBox):
        raise ParameterError(f"{game.address} is not a program: timeout is for command: addresses")
    box.timeout = arguments.positive("timeout", timeout)


def _given(bounds: Given) -> tuple[float, float] | None:
    """Return the two numbers that were given, or None if `bounds` is a word."""
    if isinstance(bounds, str):
        if bounds in ("auto", "rules", "exact"):
            return None
        parts: Sequence[Any] = bounds.split(",")
    else:
        parts = bounds
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"bounds={arguments.shown(bounds)} should be rules, exact, or the least and the most that player 0 can "
            "gain: -10,10"
        ) from None
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ParameterError(
            f"bounds={arguments.shown(bounds)}: the first number should be at most the second, both finite"
        )
    return low, high


class ExactBounds:
    """The least and the most that each player can still gain after each node of a tree."""

    def __init__(self, tree: GameTree) -> None:
        self._children = tree.children
        gain = np.zeros((tree.nodes, tree.players))
        gain[tree.gain_node] = tree.gain
        self._low, self._high = _to_come(tree, gain, np.minimum), _to_come(tree, gain, np.maximum)

    def __call__(self, path: Sequence[int]) -> Bounds:
        """Return the bounds at the node that these moves lead to, each given by its number."""
        node = ROOT
        for move in path:
            node = int(self._children[node]) + move
        return list(zip(self._low[node].tolist(), self._high[node].tolist(), strict=True))


def _to_come(tree: GameTree, gain: Floats, extreme: np.ufunc) -> Floats:
    """Return the least (or the most) that each player gains after each node, [nodes, players]."""
    result = np.zeros_like(gain)
    for low, high in zip(tree.depth_begin[-2::-1], tree.depth_begin[:0:-1], strict=True):
        inner = np.flatnonzero(tree.turn[low:high] != TERMINAL) + low
        if len(inner):
            first, last = int(tree.children[inner[0]]), int(tree.children[inner[-1] + 1])
            result[inner] = extreme.reduceat((gain + result)[first:last], tree.children[inner] - first, axis=0)
    return result
