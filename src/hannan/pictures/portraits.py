"""Phase portraits: how players learn in games of two or three actions, with the equilibria marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import shown, text, whole
from hannan.arrays import Floats
from hannan.errors import ParameterError, UnsuitableError
from hannan.forms.loader import Loadable, load_expanded
from hannan.interrupts import go_on
from hannan.pictures.figures import Size, blank, check_target, drawable, free_axes, set_title, write_figure
from hannan.solvers import method_class
from hannan.solvers.exact.normalform import NormalForm, normal_form
from hannan.solvers.general.cells import ExactCells, exact_cells, gains_of
from hannan.solvers.general.replicator import replicator
from hannan.strategies.profile import Profile

Mixed = tuple[Floats, Floats]
"""A mixed strategy of each player."""


@dataclass(frozen=True)
class Dynamics:
    """One learning dynamics, and how it is drawn."""

    title: str
    method: str | None  # None: the replicator equation
    averaged: bool
    """Whether the path of the average strategy is drawn; else that of the current one."""
    rate: float = 0.0
    """For Hedge and EINR: the rate, times the range of payoffs."""
    steps: int = 600


DYNAMICS = {
    "replicator": Dynamics("replicator equation", None, averaged=False),
    "hedge": Dynamics("Hedge (cfr-hedge), current strategy", "cfr-hedge", averaged=False, rate=0.12, steps=120),
    "einr": Dynamics("EINR, average strategy", "einr", averaged=True, rate=0.12, steps=400),
    "rm": Dynamics("regret matching (cfr), average strategy", "cfr", averaged=True, steps=400),
    "rm+": Dynamics("regret matching plus (cfr+), average strategy", "cfr+", averaged=True, steps=400),
}
"""The dynamics that can be drawn, by name."""

TIME = 24.0
"""How long the replicator equation runs if payoffs have a range of 1."""

WEIGHT = 30
"""The number of iterations that a start counts for in methods that match regrets."""

GRID = 4
"""The number of starts along each side of the square."""

SIDE, ACROSS = 3.6, 3
"""The side of one panel in inches, and the most panels in a row."""

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
"""The corners of the triangle, one for each of the three actions."""


def portrait(
    game: Loadable,
    path: str | PathLike[str] | None = None,
    dynamics: Sequence[str] = ("replicator", "hedge", "rm"),
    *,
    grid: int = GRID,
    equilibria: Sequence[Sequence[Sequence[float]]] | None = None,
    title: str | None = None,
    size: Size | None = None,
) -> Any:
    """Draw how players learn in a game of two players with two or three actions each, from a grid of starts.

    With two actions each, a point of the square is the probability of each player's first action. With three, a point
    of the triangle is a player's mixed strategy. For a symmetric game, one triangle shows both players, who start
    alike.

    Parameters
    ----------
    game
        A game or its address; its normal form is 2 by 2 or 3 by 3.
    path
        A file to write as well: .png, .svg or .pdf.
    dynamics
        Names of dynamics, one panel each: replicator, hedge (cfr-hedge), einr, rm (cfr), rm+ (cfr+). The paths are
        those of the average strategy for einr, rm and rm+, and of the current strategy for replicator and hedge.
    grid
        The number of starts along a side. Default: 4.
    equilibria
        The equilibria to mark, each a pair of mixed strategies. Default: the equilibria with supports of equal size,
        computed in fractions. In a nondegenerate game these are all equilibria.
    title
        Default: the address of the game.
    size
        Width and height in inches. Default: what the panels need.

    Returns
    -------
    list of lists of matplotlib.axes.Axes
        For each dynamics, the axes of the square or of each triangle.

    """
    form = normal_form(load_expanded(game))
    shape = form.payoffs.shape[1:]
    if shape not in ((2, 2), (3, 3)):
        raise UnsuitableError(
            f"{form.game.address} has {' by '.join(map(str, shape))} plans; a portrait needs 2 by 2 or 3 by 3"
        )
    chosen = [_known(name) for name in _names(dynamics)]
    grid, kind = whole("grid", grid, 1, 20), None if path is None else check_target(path)
    title = form.game.address if title is None else text("title", title)
    marked = equal_support_equilibria(form) if equilibria is None else _given(equilibria, shape)
    symmetric = shape == (3, 3) and np.array_equal(form.payoffs[0], form.payoffs[1].T)
    rows = 1 if shape == (2, 2) or symmetric else 2
    free_axes(None, size)
    across = min(len(chosen), ACROSS)
    down = rows * -(-len(chosen) // across)
    figure = blank((SIDE * across, 0.5 + SIDE * down) if size is None else size, path, shows=True)
    table = figure.subplots(down, across, squeeze=False)
    every = [[table[rows * (k // across) + player, k % across] for player in range(rows)] for k in range(len(chosen))]
    for axes in set(table.ravel()) - {one for panels in every for one in panels}:
        axes.axis("off")
    for one, panels in zip(chosen, every, strict=True):
        for k, start in enumerate(_starts(shape, grid, symmetric)):
            go_on()
            _trace(panels, trajectory(form, one, start), f"C{k % 10}")
        for player, axes in enumerate(panels):
            _frame(axes, form, player, one.title if player == 0 else "")
            _mark(axes, marked, player)
    set_title(figure, every[0][0], title)
    write_figure(path, figure, kind)
    return every


def _names(dynamics: Any) -> list[str]:
    if isinstance(dynamics, str) or not isinstance(dynamics, Sequence) or not dynamics:
        raise ParameterError(f"dynamics={shown(dynamics)} should be a list of names, such as ('replicator', 'rm')")
    return list(dynamics)


def _known(name: Any) -> Dynamics:
    if not isinstance(name, str) or name not in DYNAMICS:
        raise ParameterError(f"dynamics {shown(name)} do not exist; known are {', '.join(DYNAMICS)}")
    return DYNAMICS[name]


def _given(equilibria: Any, shape: tuple[int, ...]) -> list[Mixed]:
    """Check equilibria that the caller gives, and return them as arrays."""
    marked = []
    for pair in equilibria:
        parts = [np.asarray(part, np.float64) for part in pair]
        if [part.shape for part in parts] != [(n,) for n in shape] or any(abs(part.sum() - 1) > 1e-6 for part in parts):
            raise ParameterError(f"equilibria: {shown(pair)} should be two mixed strategies of {shape[0]} plans")
        marked.append((parts[0], parts[1]))
    return marked


def equal_support_equilibria(form: NormalForm) -> list[Mixed]:
    """Return the equilibria of a small two-player game with supports of equal size, found and checked in fractions."""
    cells = exact_cells(form)
    found = []
    for size in range(1, min(cells.shape) + 1):
        for mine, theirs in product(*(combinations(range(n), size) for n in cells.shape)):
            x, y = _equalising(cells, 1, mine, theirs), _equalising(cells, 0, theirs, mine)
            if x is not None and y is not None and not any(gains_of(cells, (x, y))):
                found.append((np.array([float(a) for a in x]), np.array([float(a) for a in y])))
    return found


def _equalising(
    cells: ExactCells, player: int, support: tuple[int, ...], other: tuple[int, ...]
) -> tuple[Fraction, ...] | None:
    """Return the mixture on a support that makes the plans `other` of a player equally good, or None if none exists."""
    table = cells.numbers[player] if player == 0 else cells.numbers[player].T  # [its plans, plans that are mixed]
    size = len(support)
    system = [[Fraction(table[k, j]) for j in support] + [Fraction(-1), Fraction(0)] for k in other]
    system.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    for column in range(size + 1):
        pivot = next((r for r in range(column, size + 1) if system[r][column]), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        for r in range(size + 1):
            if r != column and system[r][column]:
                factor = system[r][column] / system[column][column]
                system[r] = [a - factor * b for a, b in zip(system[r], system[column], strict=True)]
    weights = [system[k][-1] / system[k][k] for k in range(size)]
    if any(weight <= 0 for weight in weights):
        return None
    full = [Fraction(0)] * table.shape[1]
    for place, weight in zip(support, weights, strict=True):
        full[place] = weight
    return tuple(full)


def trajectory(form: NormalForm, one: Dynamics, start: Mixed) -> Mixed:
    """Return the path of both players' strategies from a start, [points, plans] each."""
    flat = form.payoffs.reshape(2, -1)
    span = float((flat.max(axis=1) - flat.min(axis=1)).max()) or 1.0
    if one.method is None:
        return replicator(form.payoffs, start, TIME / span, one.steps)
    parameters: dict[str, Any] = {"updates": "simultaneous"}
    if one.rate:
        parameters["rate"] = one.rate / span
    make: Any = method_class(one.method)
    solver = make(form.game, **parameters)
    profile = form.profile(start)
    solver.warm_start(profile, WEIGHT)
    paths: list[list[Floats]] = [[part] for part in start]
    for _ in range(one.steps):
        solver.run(1)
        played: Profile = solver.average() if one.averaged else solver.current()
        for part, mixed in zip(paths, form.mixed(played), strict=True):
            part.append(mixed)
    return np.array(paths[0]), np.array(paths[1])


def _starts(shape: tuple[int, ...], grid: int, symmetric: bool) -> list[Mixed]:
    """Return the starts of the paths: a grid in the square, or in the triangle."""
    if shape == (2, 2):
        shares = (np.arange(grid) + 0.5) / grid
        return [(np.array([x, 1 - x]), np.array([y, 1 - y])) for x in shares for y in shares]
    total = grid + 2
    points = [
        np.array([a, b, total - a - b]) / total for a in range(1, total) for b in range(1, total - a)
    ]  # inside the triangle
    # in a game that is not symmetric, the other player starts at the point turned by one corner
    return [(point, point.copy() if symmetric else np.roll(point, 1)) for point in points]


def _place(points: Floats) -> tuple[Floats, Floats]:
    """Return the coordinates of mixed strategies of three plans in the triangle."""
    at = points @ CORNERS
    return at[:, 0], at[:, 1]


def _trace(panels: Any, paths: Mixed, colour: str) -> None:
    """Draw one path, with a dot where it begins and an arrow along it."""
    square = paths[0].shape[1] == 2
    for player, axes in enumerate(panels):
        x, y = (paths[0][:, 0], paths[1][:, 0]) if square else _place(paths[player])
        axes.plot(x, y, color=colour, linewidth=0.8, alpha=0.7, zorder=2)
        axes.plot(x[:1], y[:1], ".", color=colour, markersize=4, zorder=3)
        length = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
        for share in (0.08, 0.3) if length[-1] > 0.5 else (0.4,):
            k = int(np.searchsorted(length, share * length[-1]))
            later = int(np.searchsorted(length, share * length[-1] + 0.012))
            if 0 < k < later < len(x):
                axes.annotate(
                    "", (x[later], y[later]), (x[k], y[k]), zorder=4,
                    arrowprops={"arrowstyle": "-|>", "color": colour, "mutation_scale": 9, "linewidth": 0},
                )  # fmt: skip


def _frame(axes: Any, form: NormalForm, player: int, title: str) -> None:
    """Draw the edges, and the names of the actions."""
    names = [[drawable(form.plan_text(p, k).rpartition(": ")[2]) for k in range(len(form.plans[p]))] for p in range(2)]
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=9, pad=4, parse_math=False)
    if len(names[0]) == 2:
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        axes.set_xlabel(f"player 0: probability of {names[0][0]}", fontsize=8, parse_math=False)
        axes.set_ylabel(f"player 1: probability of {names[1][0]}", fontsize=8, parse_math=False)
        axes.tick_params(labelsize=7)
        axes.grid(visible=True, alpha=0.2)
        return
    edge = np.vstack((CORNERS, CORNERS[:1]))
    axes.plot(edge[:, 0], edge[:, 1], color="0.3", linewidth=1.0, zorder=1)
    axes.axis("off")
    axes.set(xlim=(-0.15, 1.15), ylim=(-0.14, 1.0))
    for (x, y), name, where in zip(CORNERS, names[player], ("top", "top", "bottom"), strict=True):
        shift = -0.04 if where == "top" else 0.03
        axes.text(x, y + shift, name, ha="center", va=where, fontsize=8, parse_math=False)


def _mark(axes: Any, equilibria: Sequence[Mixed], player: int) -> None:
    """Mark the equilibria: a full disc if pure, a ring if mixed."""
    for x, y in equilibria:
        pure = max(x) == 1 and max(y) == 1
        at = ([x[0]], [y[0]]) if len(x) == 2 else _place((x, y)[player][None])
        axes.plot(
            *at, "o", markersize=9, markeredgewidth=1.8, color="black", zorder=6, clip_on=False,
            markerfacecolor="black" if pure else "white", gid="equilibrium",
        )  # fmt: skip
