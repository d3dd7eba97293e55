"""Pictures of small trees: who moves where, what can be told apart, what is earned, and what a strategy does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from typing import Any

from hannan.forms.loader import Loadable, load
from hannan.pictures.branches import Node, branches
from hannan.pictures.curves import check_target, drawable, write_figure
from hannan.rules.plain import CHANCE
from hannan.strategies.given import Given

ACROSS, DOWN = 1.7, 0.3
"""Inches from one move to the next, and from one end of play to the next."""
GREY = "0.45"
THIN, THICK = 0.6, 2.4
"""The width of a move of probability 0, and of one of probability 1."""


def draw(game: Loadable, path: str | PathLike[str], strategy: Given | None = None, *, depth: int | None = None) -> None:
    """Draw the tree of a small game (.png, .svg or .pdf), or its first moves, with a strategy in it where one is given.

    Whoever moves is a circle (several at once: a diamond; chance: a square); histories that a player cannot tell apart
    are joined by dashed lines of its colour; a probable move is thick. More than 500 histories are refused.
    """
    played = load(game).played()
    picture(path, branches(played, strategy, depth), played.address)


def picture(path: str | PathLike[str], nodes: Sequence[Node], title: str) -> None:
    """Draw histories from left to right; sets of one player are joined by dashed lines; written atomically."""
    kind = check_target(path)
    from matplotlib.figure import Figure

    high = _heights(nodes)
    deep = max(node.depth for node in nodes)
    width, height = ACROSS * (deep + 1.2), max(1.5, DOWN * (max(high) + 2))
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(-0.4, deep + 0.8), ylim=(max(high) + 0.8, -0.8))
    axes.axis("off")
    _join(axes, nodes, high)
    for number, node in enumerate(nodes):
        if node.parent >= 0:
            _move(axes, node, (nodes[node.parent].depth, high[node.parent]), (node.depth, high[number]))
        _mark(axes, node, high[number])
    write_figure(path, figure, kind, title)


def _heights(nodes: Sequence[Node]) -> list[float]:
    """Return how far down each node stands: ends of play one after another, others between their children."""
    high = [0.0] * len(nodes)
    reached, stack = 0, [0]
    while stack:
        number = stack.pop()
        children = nodes[number].children
        if children:
            stack.extend(reversed(children))
        else:
            high[number] = float(reached)
            reached += 1
    for number in range(len(nodes) - 1, -1, -1):  # children have larger numbers
        if children := nodes[number].children:
            high[number] = (high[children[0]] + high[children[-1]]) / 2
    return high


def _colour(player: int) -> str:
    return GREY if player == CHANCE else f"C{player % 10}"


def _move(axes: Any, node: Node, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a move with its name; a probable one is thick."""
    share = 0.5 if node.probability is None else node.probability
    axes.plot(*zip(begin, end, strict=True), color="0.3", linewidth=THIN + (THICK - THIN) * share, zorder=1)
    odds = "" if node.probability is None else f" {likely(node.probability)}"
    place = (begin[0] + 0.62 * (end[0] - begin[0]), begin[1] + 0.62 * (end[1] - begin[1]))
    shade = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    axes.text(
        *place, drawable(node.move) + odds, fontsize=7, ha="center", va="center", parse_math=False, bbox=shade, zorder=2
    )  # fmt: skip


def likely(probability: float) -> str:
    """Write a probability as briefly as tells it from 0 and 1."""
    if 0 < probability < 5e-4:
        return "~0"
    return "~1" if 1 - 5e-4 < probability < 1 else f"{probability:.3g}"


def _mark(axes: Any, node: Node, high: float) -> None:
    """Draw who moves, or what was earned."""
    if not node.who:
        earned = ", ".join(f"{gain:g}" for gain in node.gains)
        axes.text(node.depth + 0.06, high, earned, fontsize=7, va="center", zorder=3)
        return
    chance = node.who == (CHANCE,)
    one = len(node.who) == 1
    shape = "s" if chance else "o" if one else "D"
    axes.plot(
        [node.depth], [high], marker=shape, markersize=12 if one else 17, markeredgecolor="white", zorder=3,
        color=_colour(node.who[0]) if one else GREY,
    )  # fmt: skip
    words = "" if chance else ",".join(map(str, node.who))
    axes.text(node.depth, high, words, fontsize=7, color="white", ha="center", va="center", zorder=4)
    if one and not chance:
        axes.text(
            node.depth, high - 0.45, drawable(node.sets[0]), fontsize=6, color=_colour(node.who[0]), ha="center",
            va="bottom", parse_math=False, zorder=4,
        )  # fmt: skip
    if node.cut:
        axes.text(node.depth + 0.12, high, "…", fontsize=9, va="center", zorder=3)


def _join(axes: Any, nodes: Sequence[Node], high: Sequence[float]) -> None:
    """Join the histories that a player cannot tell apart."""
    sets: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, node in enumerate(nodes):
        for player, known in zip(node.who, node.numbers, strict=False):  # chance has none
            sets[player, known].append(number)
    for (player, _), members in sets.items():
        members.sort(key=lambda number: high[number])
        for one, other in pairwise(members):
            start, end = (nodes[one].depth, high[one]), (nodes[other].depth, high[other])
            axes.annotate(
                "", xy=end, xytext=start, zorder=0,
                arrowprops={
                    "arrowstyle": "-", "linestyle": "--", "color": _colour(player), "alpha": 0.6, "linewidth": 1.0,
                    "connectionstyle": "arc3,rad=0.15", "shrinkA": 6, "shrinkB": 6,
                },
            )  # fmt: skip
