"""Output for notebooks: tables, curves and small trees, as HTML and SVG.

The output loads no other resources and escapes every text. Lines and letters use the colour of the page, so that dark
and light themes both work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hannan.nodes import Lane, Node, layout, likely

LONGEST = 300
"""The largest number of characters of a cell."""

COLOURS = ("#3b8fc8", "#f08a24", "#3aa655", "#d9534f", "#9a73c9", "#a1745f", "#d977b8", "#8a8a8a", "#a8a92b", "#2fb3c4")
"""Colours of players and curves: neither too dark for a dark page nor too light for a light one."""
GREY = "#888888"

WIDE, HIGH = 380, 220
"""The size of a chart in pixels; its margins follow: left, right, above, below."""
LEFT, RIGHT, ABOVE, BELOW = 62, 12, 10, 36
MOST_TICKS = 6

ACROSS, DOWN, EDGE = 110, 21, 24
"""Pixels from one move of a tree to the next, from one end of play to the next, and around the tree."""
EARNED = 90
"""Pixels to the right of a tree, for the utilities."""


def page(title: str, *parts: str) -> str:
    """Return a title with parts below it, as HTML."""
    return f"<div><b>{escape(_cut(title))}</b>{''.join(parts)}</div>"


def facts(rows: Mapping[str, Any]) -> str:
    """Return a table of names and values."""
    lines = [(escape(name.replace("_", " ")), cell(fact)) for name, fact in rows.items()]
    return f"<table>{''.join(f'<tr><td>{name}</td><td>{fact}</td></tr>' for name, fact in lines)}</table>"


def grid(header: Sequence[str], rows: Sequence[Sequence[Any]], more: int = 0) -> str:
    """Return a table with a header, and a line with the number of rows that are not shown."""
    above = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = "".join("<tr>" + "".join(f"<td>{cell(fact)}</td>" for fact in row) + "</tr>" for row in rows)
    rest = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<table><tr>{above}</tr>{lines}</table>{rest}"


def plays(title: str, sets: Sequence[tuple[int, str, Mapping[str, float]]], count: int) -> str:
    """Return a table of a strategy's first sets, of `count` in all: player, name of the set, probabilities."""
    rows = [
        (player, name, ", ".join(f"{action} {probability:.4f}" for action, probability in actions.items()))
        for player, name, actions in sets
    ]
    return page(title, grid(("player", "information set", "plays"), rows, count - len(rows)))


def cell(fact: Any) -> str:
    """Return the escaped text of a value; a dash if it was not measured."""
    return escape(_cut(_written(fact)))


def _written(fact: Any) -> str:
    if fact is None or (isinstance(fact, float) and math.isnan(fact)):
        return "—"
    if isinstance(fact, bool):
        return str(fact).lower()
    if isinstance(fact, int):
        return f"{fact:,}"
    if isinstance(fact, float):
        return f"{fact:.6g}"
    if isinstance(fact, Mapping):
        return ", ".join(f"{name} {_written(one)}" for name, one in fact.items())
    if isinstance(fact, tuple | list):
        return "  ".join(map(_written, fact))
    return str(fact)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def chart(points: Sequence[tuple[float, float]], x: str, y: str) -> str:
    """Return a curve on log–log scales as SVG; empty if fewer than two points can be drawn."""
    logs = [
        (math.log10(across), math.log10(up))
        for across, up in points
        if 0 < across < math.inf and 0 < up < math.inf  # this excludes NaN
    ]
    if len(logs) < 2:
        return ""
    (left, right), (low, high) = (_span([point[k] for point in logs]) for k in (0, 1))

    def place(across: float, up: float) -> tuple[float, float]:
        return (
            LEFT + (WIDE - LEFT - RIGHT) * (across - left) / (right - left),
            HIGH - BELOW - (HIGH - ABOVE - BELOW) * (up - low) / (high - low),
        )

    parts = []
    for tick in _ticks(left, right):
        at, _ = place(tick, low)
        parts.append(_line(at, ABOVE, at, HIGH - BELOW, 'stroke-opacity="0.2"'))
        parts.append(_text(at, HIGH - BELOW + 14, _power(tick), "middle"))
    for tick in _ticks(low, high):
        _, at = place(left, tick)
        parts.append(_line(LEFT, at, WIDE - RIGHT, at, 'stroke-opacity="0.2"'))
        parts.append(_text(LEFT - 5, at + 3, _power(tick), "end"))
    frame = f'x="{LEFT}" y="{ABOVE}" width="{WIDE - LEFT - RIGHT}" height="{HIGH - ABOVE - BELOW}"'
    parts.append(f'<rect {frame} fill="none" stroke="currentColor" stroke-opacity="0.5"/>')
    curve = " ".join(f"{across:.1f},{up:.1f}" for across, up in (place(*log) for log in logs))
    parts.append(f'<polyline points="{curve}" fill="none" stroke="{COLOURS[0]}" stroke-width="1.8"/>')
    parts.append(_text((LEFT + WIDE - RIGHT) / 2, HIGH - 6, x, "middle"))
    middle = (ABOVE + HIGH - BELOW) / 2
    parts.append(_text(12, middle, y, "middle", f'transform="rotate(-90 12 {middle:g})"'))
    return _svg(WIDE, HIGH, parts)


def _span(logs: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a scale, with a minimum distance between them."""
    low, high = min(logs), max(logs)
    return (low, high) if high - low > 0.05 else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float) -> list[float]:
    """Return the ticks of a log scale: powers of ten, or both ends if the scale contains fewer than two powers."""
    first, last = math.ceil(low), math.floor(high)
    if last - first < 1:
        return [low, high]
    return [float(tick) for tick in range(first, last + 1, 1 + (last - first) // MOST_TICKS)]


def _power(log: float) -> str:
    return f"{10**log:.3g}"


def tree(nodes: Sequence[Node]) -> str:
    """Return a small tree as SVG; `hannan.draw` makes the same picture with more space."""
    where = layout(nodes)
    places = [_place(*place) for place in where.places]
    parts = [part for lane in where.lanes for part in _lane(lane)]
    for link in where.links:
        dashed = f'stroke-dasharray="4 3" stroke="{_colour(link.player)}"'
        parts.append(_line(*_place(*link.begin), *_place(*link.end), dashed))
    for node, place in zip(nodes, places, strict=True):
        if node.parent >= 0:
            parts += _move(node, places[node.parent], place)
    for node, place in zip(nodes, places, strict=True):
        parts += _mark(node, place)
    width, height = _place(where.width, where.height)
    return _svg(width + EARNED, height + EDGE, parts)


def _place(across: float, down: float) -> tuple[float, float]:
    return EDGE + ACROSS * across, EDGE + DOWN * down


def _colour(player: int) -> str:
    return COLOURS[player % len(COLOURS)]


def _lane(lane: Lane) -> list[str]:
    """Draw the line that joins the histories of one set."""
    look = f'stroke-dasharray="4 3" stroke="{_colour(lane.player)}" stroke-opacity="{(1, 0.6)[lane.order % 2]}"'
    ends = [_place(*member) for member in lane.members]
    across, _ = _place(lane.across, 0)
    parts = [_line(across, ends[0][1], across, ends[-1][1], look)]
    for x, y in ends:
        parts.append(_line(across, y, x, y, look))
        parts.append(f'<circle cx="{across:.1f}" cy="{y:.1f}" r="1.8" fill="{_colour(lane.player)}"/>')
    return parts


def _move(node: Node, begin: tuple[float, float], end: tuple[float, float]) -> list[str]:
    """Draw a move with its name; the line is thicker for a more probable move."""
    share = 0.5 if node.probability is None else node.probability
    odds = "" if node.probability is None else f" {likely(node.probability)}"
    along = 0.5 * ACROSS / (end[0] - begin[0])
    at = begin[0] + along * (end[0] - begin[0]), begin[1] + along * (end[1] - begin[1])
    look = f'stroke-opacity="0.6" stroke-width="{0.6 + 1.8 * share:.2g}"'
    return [_line(*begin, *end, look), _text(at[0], at[1] - 2, node.move + odds, "middle")]


def _mark(node: Node, place: tuple[float, float]) -> list[str]:
    """Draw the movers of a node with the names of their sets, or the utilities at the end of play."""
    x, y = place
    if not node.who:
        return [_text(x + 5, y + 3, ", ".join(f"{gain:g}" for gain in node.gains), "start")]
    if node.chance:
        parts = [f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" fill="{GREY}"/>']
    elif node.joint:
        corners = f"{x:.1f},{y - 9:.1f} {x + 9:.1f},{y:.1f} {x:.1f},{y + 9:.1f} {x - 9:.1f},{y:.1f}"
        parts = [f'<polygon points="{corners}" fill="{GREY}"/>']
    else:
        parts = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{_colour(node.who[0])}"/>']
    if not node.chance:
        parts.append(_text(x, y + 3, ",".join(map(str, node.who)), "middle", fill="#ffffff"))
    above = (len(node.sets) + 1) // 2
    for k, (player, name) in enumerate(zip(node.who, node.sets, strict=False)):  # chance has none
        shift = -10 - 9 * (above - 1 - k) if k < above else 17 + 9 * (k - above)
        parts.append(_text(x, y + shift, name, "middle", fill=_colour(player)))
    if node.cut:
        parts.append(_text(x + 12, y + 3, "…", "start"))
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    colour = "" if 'stroke="' in look else ' stroke="currentColor"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"{colour} {look}/>'


def _text(x: float, y: float, words: str, anchor: str, more: str = "", fill: str = "currentColor") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="9" fill="{fill}"'
    return f"<text {place} {more}>{escape(_cut(words))}</text>"


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    look = 'style="max-width: 100%; height: auto; overflow: visible" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}>{"".join(parts)}</svg>'
