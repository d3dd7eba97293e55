"""The square grid of a poker strategy as a picture: in each group of hands a bar of actions, or a number."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import text
from hannan.arrays import Floats
from hannan.errors import ParameterError
from hannan.measures.poker.grids import UNITS, strategy_grid
from hannan.measures.poker.report import NodeReport
from hannan.pictures.figures import Size, blank, check_target, drawable, free_axes, set_title, write_figure

SIDE = 8.0
"""The side of the picture in inches."""
TITLES = {"ev": "EV in chips", "equity": "equity in %", "eqr": "EQR in %", "weight": "weight in %"}
SHADES = ("#f6c85f", "#ef9b4f", "#e8703a", "#d9432f", "#b3202c", "#7f1d3a")
"""Colours of bets, from the smallest to the largest."""
PASSIVE = {"f": "#6f9fd8", "x": "#7fbf7b", "c": "#7fbf7b"}
"""Colours of fold, check and call."""


def colours(actions: Sequence[str]) -> list[str]:
    """Return a colour for each action: blue for a fold, green for a check or call, yellow to red for bets."""
    bets = [action for action in actions if action not in PASSIVE]
    places = [round(k * (len(SHADES) - 1) / max(len(bets) - 1, 1)) for k in range(len(bets))]
    named = PASSIVE | {action: SHADES[place] for action, place in zip(bets, places, strict=True)}
    return [named[action] for action in actions]


def group_name(ranks: str, row: int, column: int) -> str:
    """Return the group of a cell: 'AA', 'AKs' or 'AKo'. Ranks are those of the deck, highest first."""
    if row == column:
        return ranks[row] * 2
    first, second = sorted((row, column))
    return ranks[first] + ranks[second] + ("s" if row < column else "o")


def draw_grid(
    report: NodeReport,
    what: str = "strategy",
    player: int | None = None,
    *,
    path: str | PathLike[str] | None = None,
    title: str | None = None,
    size: Size | None = None,
) -> Any:
    """Draw the grid of a node: a bar of actions for each group of hands, or one number.

    Parameters
    ----------
    report
        The report of a node that `hannan.poker.report` returns.
    what
        'strategy', 'ev', 'equity', 'eqr' or 'weight'. The height of a bar of the strategy is the mean weight of the
        group's hands, so that hands that rarely reach the node have low bars.
    player
        The player whose hands are drawn. Default: the player who acts, else player 0.
    path
        A file to write as well: .png, .svg or .pdf.
    title
        The title. Default: the board, the play that leads to the node, and the player.
    size
        Width and height in inches. Default: 8 by 8.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if not isinstance(report, NodeReport):
        raise ParameterError("draw_grid needs a report that hannan.poker.report returned")
    if player is not None and player not in (0, 1):
        raise ParameterError(f"player={player!r} should be 0 or 1")
    table = strategy_grid(report, player) if what == "strategy" else report.grid(what, player)
    kind = None if path is None else check_target(path)
    free_axes(None, size)
    one = report.players[(report.actor or 0) if player is None else player]
    figure = blank((SIDE, SIDE) if size is None else size, path, shows=True)
    axes = figure.add_subplot()
    if what == "strategy":
        _draw_bars(axes, table, report.grid("weight", player), colours(report.actions))
        _add_legend(figure, report.actions)
        said = f"{one.name}: strategy"
    else:
        _draw_numbers(axes, table, what)
        said = f"{one.name}: {TITLES[what]}"
        table = table * UNITS[what]
    _write_names(axes, table[0] if what == "strategy" else table, report, numbers=what != "strategy")
    usual = " ".join((report.board, report.at)).strip()
    set_title(figure, axes, text("title", title) if title is not None else drawable(f"{usual}, {said}"))
    write_figure(path, figure, kind)
    return axes


def _prepare(axes: Any, ranks: int) -> None:
    axes.set_xlim(0, ranks)
    axes.set_ylim(ranks, 0)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])


def _draw_bars(axes: Any, table: Floats, weights: Floats, palette: list[str]) -> None:
    """Draw for each group its actions side by side, as high as the group's mean weight."""
    from matplotlib.patches import Rectangle

    ranks = table.shape[1]
    _prepare(axes, ranks)
    for row in range(ranks):
        for column in range(ranks):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor="#f2f2f2", edgecolor="white", linewidth=1))
            if np.isnan(table[0, row, column]):
                continue
            high, start = float(np.clip(weights[row, column], 0, 1)), 0.0
            for share, colour in zip(table[:, row, column].tolist(), palette, strict=True):
                corner = column + 0.02 + 0.96 * start, row + 0.98 - 0.96 * high
                axes.add_patch(Rectangle(corner, 0.96 * share, 0.96 * high, facecolor=colour, linewidth=0))
                start += share


def _draw_numbers(axes: Any, table: Floats, what: str) -> None:
    """Draw for each group its number, on a colour from red (low) to green (high)."""
    ranks = len(table)
    axes.imshow(table * UNITS[what], cmap="RdYlGn", extent=(0, ranks, ranks, 0), alpha=0.8)
    _prepare(axes, ranks)


def _write_names(axes: Any, table: Floats, report: NodeReport, numbers: bool) -> None:
    """Write the name of each group, and below it its number unless the cell holds bars."""
    ranks = report.deck.rank_letters[::-1] if report.deck is not None else ""
    for row in range(len(ranks)):
        for column in range(len(ranks)):
            value = float(table[row, column])
            empty = np.isnan(value)
            name = group_name(ranks, row, column)
            if numbers and not empty:
                name += f"\n{value:.0f}" if abs(value) >= 10 else f"\n{value:.1f}"
            colour = "#999999" if empty else "black"
            axes.text(column + 0.5, row + 0.5, name, ha="center", va="center", fontsize=8, color=colour)


def _add_legend(figure: Any, actions: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=action) for action, colour in zip(actions, colours(actions), strict=True)]
    figure.legend(handles=patches, loc="outside lower center", ncols=min(len(actions), 8))
