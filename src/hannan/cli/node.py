"""One node of a poker strategy for `hannan show`: totals, a grid, and rows of hands or groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from hannan.cli import report
from hannan.errors import UnknownNameError
from hannan.forms.game import pattern
from hannan.measures.poker.grids import grid_text, strategy_grid
from hannan.measures.poker.report import NodeReport, PlayerReport, ReportRow
from hannan.pictures.ranges import TITLES, colours, group_name

NEVER = 0.005
"""An action gets a grid of its own only if some group takes it at least this often."""
CELL = 5
"""The width of a cell of the coloured grid, in letters."""


def print_node(node: NodeReport, what: str, player: int | None, rows: str, places: Sequence[str], top: int) -> None:
    """Print a node.

    Parameters
    ----------
    what
        What the grid shows; 'none' for no grid.
    rows
        'hands', 'groups' or 'none'.
    places
        Hands, groups or patterns: only these rows.
    top
        The most rows per player.
    """
    where = f"after {node.at}" if node.at else "at the first node"
    pot = "" if node.pot is None else f", pot {node.pot:g}"
    acts = {"card": "a card is dealt", "end": "play is over"}.get(node.acts, f"{node.acts} acts")
    report.console().print(f"{node.game}\nboard {node.board or 'empty'}, {where}: {acts}{pot}", soft_wrap=True)
    header = ["player", "weight", "equity", "EV", "EQR", *_headers(node)]
    report.grid("", header, [[one.name, *_cells(one.total, node)] for one in node.players])
    shown = node.players[(node.actor or 0) if player is None else player]
    if what != "none" and node.deck is not None:
        _print_grid(node, what, shown)
    asked = node.players if player is None else (shown,)
    if places and not any(_meant(one.hands, places) for one in asked):
        raise UnknownNameError(f"no hand here matches {', '.join(places)}; name hands or groups, as in AhKd, AKs")
    for one in asked:
        if rows != "none" or places:
            _print_rows(node, one, rows, places, top)


def print_ranges(node: NodeReport) -> None:
    """Print the ranges of both players, and those of each action, one per line."""
    for name, text in [*node.ranges.items(), *((f"{node.acts} {a}", t) for a, t in node.action_ranges.items())]:
        report.console().print(f"{name}: {text}", soft_wrap=True)


def _headers(node: NodeReport) -> list[str]:
    return [*node.actions, *(f"EV {action}" for action in node.actions)]


def _cells(row: ReportRow, node: NodeReport) -> list[Any]:
    """Return the cells of a row, without its name."""
    played = row.frequencies or (None,) * len(node.actions)
    earned = row.action_evs or (None,) * len(node.actions)
    shares = [_percent(row.equity), _chips(row.ev), _percent(row.eqr)]
    return [f"{row.weight:.5g}", *shares, *map(_percent, played), *map(_chips, earned)]


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}%"


def _chips(value: float | None) -> str | None:
    return None if value is None else f"{0.0 if abs(value) < 5e-4 else value:.2f}"


def _print_rows(node: NodeReport, one: PlayerReport, rows: str, places: Sequence[str], top: int) -> None:
    """Print rows of one player."""
    found = _meant(one.hands if rows == "hands" or places else one.groups, places)
    if not found:
        return
    more = "" if len(found) <= top else f", the first {top} of {len(found)}; --top shows more"
    acting = one.total.frequencies is not None
    header = ["hand" if rows == "hands" or places else "group", "weight", "equity", "EV", "EQR"]
    width = len(header) + 2 * len(node.actions) if acting else len(header)
    lines = [[row.name, *_cells(row, node)][:width] for row in found[:top]]
    report.grid(f"\n{one.name}{more}", [*header, *(_headers(node) if acting else [])], lines)


def _print_grid(node: NodeReport, what: str, one: PlayerReport) -> None:
    """Print a grid: of the strategy in colours on a terminal, else one grid per action."""
    console = report.console()
    if what != "strategy":
        console.print(f"\n{one.name}: {TITLES[what]}\n{grid_text(node, what, one.player)}", soft_wrap=True)
        return
    if console.is_terminal and not console.no_color:
        console.print(Text(f"\n{one.name}: strategy  ").append_text(_legend(node)))
        for line in _coloured(node, one.player):
            console.print(line, soft_wrap=True)
        return
    for k, action in enumerate(node.actions):
        if max(row.frequencies[k] if row.frequencies else 0.0 for row in one.groups) < NEVER:
            console.print(f"\n{one.name}: {action} below {100 * NEVER:g} % for every group")
            continue
        console.print(f"\n{one.name}: {action} in %\n{grid_text(node, 'strategy', one.player, k)}", soft_wrap=True)


def _legend(node: NodeReport) -> Text:
    text = Text()
    for action, colour in zip(node.actions, colours(node.actions), strict=True):
        text.append(f" {action} ", style=f"black on {colour}")
    return text


def _coloured(node: NodeReport, player: int) -> Iterator[Text]:
    """Yield the lines of the grid: the name of each group on a bar of its actions."""
    table, palette = strategy_grid(node, player), colours(node.actions)
    ranks = node.deck.rank_letters[::-1] if node.deck is not None else ""
    for i in range(len(ranks)):
        line = Text()
        for j in range(len(ranks)):
            name = group_name(ranks, i, j).center(CELL)
            shares = table[:, i, j]
            if math.isnan(shares[0]):
                line.append(name, style="bright_black")
                continue
            ends = [round(CELL * float(end)) for end in shares.cumsum()]
            start = 0
            for end, colour in zip(ends, palette, strict=True):
                line.append(name[start:end], style=f"black on {colour}")
                start = max(start, end)
            line.append(name[start:], style=f"black on {palette[-1]}")
        yield line


def _meant(rows: Sequence[ReportRow], places: Sequence[str]) -> list[ReportRow]:
    """Return the rows that match names or patterns; without names, all rows."""
    wanted = [pattern(place) for place in places]
    return [row for row in rows if not wanted or any(w.fullmatch(row.name) or w.fullmatch(row.group) for w in wanted)]
