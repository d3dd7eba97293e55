"""Pictures of small trees: movers, information sets, gains, and the probabilities of a strategy."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from hannan.arguments import text, truth
from hannan.errors import ParameterError
from hannan.forms.branches import MOST, branches
from hannan.forms.game import PlayedGame
from hannan.forms.loader import Loadable, load
from hannan.measures.players import playing
from hannan.nodes import Lane, Layout, Node, layout, likely
from hannan.pictures.figures import Size, blank, check_target, drawable, free_axes, set_title, write_figure
from hannan.pictures.letters import TreeText
from hannan.rules.plain import CHANCE
from hannan.strategies.given import Given, strategy_of
from hannan.strategies.locks import unlocked
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

ACROSS, DOWN = 1.7, 0.3
"""Inches from one move to the next, and from one terminal node to the next."""
MARGIN = 0.8
"""Room to the right of the last node for the gains, in moves; also room above and below the tree, in rows."""
GREY = "0.45"
THIN, THICK = 0.6, 2.4
"""The width of a move of probability 0, and of one of probability 1."""
BEHIND = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
"""The box behind a text, so that lines do not cross the text."""
SHADES = (0.0, 0.35, -0.3)
"""The shares of white (if negative, of black) in the colours of the lines of one player's sets, in turn."""


def draw(
    game: Loadable | Given,
    path: str | PathLike[str] | None = None,
    strategy: Given | None = None,
    *,
    depth: int | None = None,
    title: str | None = None,
    size: Size | None = None,
    ax: Any = None,
    letters: bool = False,
) -> Any:
    """Draw the tree of a small game, or its first moves, with a strategy in it if one is given.

    A player's node is a circle, a node of simultaneous moves a diamond, and a chance node a square. A dashed line in
    the player's colour connects histories that the player cannot tell apart. Thick lines are probable moves. More than
    500 histories are refused.

    Parameters
    ----------
    game : whatever `load` or `read` takes
        A game or its address; or a strategy, or a result that has one, which is drawn in the tree of its game.
    path : str or Path, optional
        A file to write as well: .png, .svg or .pdf.
    strategy : Strategy, Result or path, optional
        A strategy whose probabilities are written at the moves.
    depth : int, optional
        Draw only this many moves from the start. Default: all.
    title : str, optional
        The title. Default: the address of the game.
    size : two numbers, optional
        Width and height in inches. Default: what the tree needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: those of a new figure.
    letters : bool, default: False
        Return the tree as text, which needs no matplotlib, instead of a picture.

    Returns
    -------
    matplotlib.axes.Axes or TreeText
        A notebook shows the figure; elsewhere `matplotlib.pyplot.show()` does, if no path was given. With `letters`, a
        `TreeText`: `print` shows it, and `record()` has every history.

    Raises
    ------
    ParameterError
        If an option has a wrong value, or `letters` is combined with an option of pictures.
    SizeError
        If there are more than 500 histories.

    Examples
    --------
    >>> import hannan as hn
    >>> print(hn.draw("matching_pennies", letters=True))
    matching_pennies: player 0 at start, player 1 at start
    ├── (heads,heads)  → 1, -1
    ├── (heads,tails)  → -1, 1
    ├── (tails,heads)  → -1, 1
    └── (tails,tails)  → 1, -1
    """
    if isinstance(game, Strategy) or isinstance(getattr(game, "strategy", None), Strategy):
        if strategy is not None:
            raise ParameterError("draw() got two strategies: give one of them, or a game and one of them")
        strategy = unlocked(strategy_of(game))
        game = strategy.game
    if title is not None:
        text("title", title)
    if truth("letters", letters):
        for name, value in {"path": path, "size": size, "ax": ax}.items():
            if value is not None:
                raise ParameterError(f"letters=True draws no picture: leave out {name}, or letters")
    played = load(game).played()
    nodes = nodes_of(played, strategy, depth)
    if title is None:
        title = played.address
    if letters:
        return TreeText(played.address, tuple(nodes), title)
    return picture(path, nodes, title, size=size, ax=ax, shows=True)


def nodes_of(game: PlayedGame, strategy: Given | None = None, depth: int | None = None, most: int = MOST) -> list[Node]:
    """Return the histories of a game, down to a depth, with the probabilities of a strategy; see `branches`."""
    policy = None if strategy is None else _table(game, strategy_of(strategy, game))
    return branches(game, policy, depth, most)


def _table(game: PlayedGame, strategy: Strategy) -> Policy:
    """Return the table of probabilities to draw; if the strategy is not a table, the table of its profile."""
    player = playing(game, "the strategy", strategy)
    return strategy.profile().policy() if player.table is None else player.table


def picture(
    path: str | PathLike[str] | None,
    nodes: Sequence[Node],
    title: str,
    *,
    size: Size | None = None,
    ax: Any = None,
    shows: bool = False,
) -> Any:
    """Draw histories from left to right, and return the axes; a file is written atomically."""
    kind = None if path is None else check_target(path)
    where = layout(nodes)
    free_axes(ax, size)
    needed = (ACROSS * (where.width + 1.2), max(1.5, DOWN * (where.height + 2)))
    figure = blank(needed if size is None else size, path, shows) if ax is None else ax.figure
    axes = figure.subplots() if ax is None else ax
    axes.set(xlim=(-0.4, where.width + MARGIN), ylim=(where.height + MARGIN, -MARGIN))
    axes.axis("off")
    _join(axes, where)
    for number, node in enumerate(nodes):
        if node.parent >= 0:
            _move(axes, node, where.places[node.parent], where.places[number])
        _mark(axes, node, where.places[number])
    set_title(figure, axes, title, whole=ax is None)
    write_figure(path, figure, kind)
    return axes


def _colour(player: int) -> str:
    return GREY if player == CHANCE else f"C{player % 10}"


def _shade(player: int, order: int) -> tuple[float, ...]:
    """Return the colour of a set's line: the player's colour, in another shade than the neighbouring line."""
    from matplotlib.colors import to_rgb

    share = SHADES[order % len(SHADES)]
    return tuple(part + share * (1 - part) if share >= 0 else part * (1 + share) for part in to_rgb(_colour(player)))


def _move(axes: Any, node: Node, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a move with its name; a probable one is thick."""
    share = 0.5 if node.probability is None else node.probability
    axes.plot(*zip(begin, end, strict=True), color="0.3", linewidth=THIN + (THICK - THIN) * share, zorder=1)
    odds = "" if node.probability is None else f" {likely(node.probability)}"
    along = 0.58 / (end[0] - begin[0])  # left of the lanes
    place = (begin[0] + along * (end[0] - begin[0]), begin[1] + along * (end[1] - begin[1]))
    axes.text(
        *place, drawable(node.move) + odds, fontsize=7, ha="center", va="center", parse_math=False, bbox=BEHIND,
        zorder=2,
    )  # fmt: skip


def _mark(axes: Any, node: Node, place: tuple[float, float]) -> None:
    """Draw the movers of a node with the names of their sets, or the gains at the end of play."""
    across, down = place
    if not node.who:
        earned = ", ".join(f"{gain:g}" for gain in node.gains)
        axes.text(across + 0.06, down, earned, fontsize=7, va="center", zorder=3)
        return
    shape = "s" if node.chance else "D" if node.joint else "o"
    axes.plot(
        [across], [down], marker=shape, markersize=14 if node.joint else 12, markeredgecolor="white", zorder=3,
        color=GREY if node.joint else _colour(node.who[0]),
    )  # fmt: skip
    words = "" if node.chance else ",".join(map(str, node.who))
    axes.text(across, down, words, fontsize=7, color="white", ha="center", va="center", zorder=4)
    above, near = (len(node.sets) + 1) // 2, 9 if node.joint else 7
    for k, (player, name) in enumerate(zip(node.who, node.sets, strict=False)):  # chance has no sets
        points = near + 7 * (above - 1 - k) if k < above else -near - 7 * (k - above)
        axes.annotate(
            drawable(name), place, (0, points), textcoords="offset points", fontsize=6, ha="center", zorder=2,
            color=_colour(player), va="bottom" if k < above else "top", parse_math=False, bbox=BEHIND,
        )  # fmt: skip
    if node.cut:
        axes.text(across + 0.12, down, "…", fontsize=9, va="center", zorder=3)


def _join(axes: Any, where: Layout) -> None:
    """Join the histories that a player cannot tell apart by a line, one line per information set."""
    dashed = {"linestyle": "--", "linewidth": 1.0, "zorder": 0.5}
    for lane in where.lanes:
        colour, name = _shade(lane.player, lane.order), _gid(lane)
        rows = [y for _, y in lane.members]
        axes.plot([lane.across, lane.across], [rows[0], rows[-1]], color=colour, gid=name, **dashed)
        for x, y in lane.members:
            axes.plot([lane.across, x], [y, y], color=colour, gid=f"{name}-branch", **dashed)
        axes.plot([lane.across] * len(rows), rows, ".", color=colour, markersize=4, zorder=0.6)  # a crossing has no dot
    for link in where.links:
        ends = zip(link.begin, link.end, strict=True)
        axes.plot(*ends, color=_colour(link.player), gid=f"set-{link.player}-{link.number}-link", **dashed)


def _gid(lane: Lane) -> str:
    """Return the name of a set's line, in an SVG file and for code that inspects the figure."""
    return f"set-{lane.player}-{lane.number}"
