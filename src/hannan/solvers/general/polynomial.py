"""All isolated equilibria of a game of any number of players, support by support.

An equilibrium solves polynomial equations: every plan in use pays the same. R. Porter, E. Nudelman, Y. Shoham (2008),
Simple search methods for finding a Nash equilibrium, list the supports, small and balanced ones first, and drop those
in which a plan is dominated. On the rest the roots are found by halving boxes (`kernels/supports`), and each root is
proven in whole numbers (`krawczyk`). If every box of every support was excluded or holds one proven root, the list is
complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from math import prod

import numpy as np

from hannan.arguments import count, truth
from hannan.errors import SizeError
from hannan.interrupts import go_on
from hannan.kernels.supports.records import AT, DEPTH, FOUND, Game, Search, Work, room
from hannan.kernels.supports.subdivision import CLOSE, sweep
from hannan.solvers.exact.normalform import NormalForm
from hannan.solvers.general.cells import ExactCells, exact_cells
from hannan.solvers.general.krawczyk import Root, Support, find_root
from hannan.solvers.general.point import Ending, Point, Points
from hannan.solvers.general.proofs import epsilon_point, point_of, sharpened
from hannan.solvers.general.survivors import undominated

SLICE = 3_000_000
"""The work between two checks for an interrupt: boxes times coefficients times unknowns. It takes a few hundredths of a
second."""

CHUNK = 512
"""The number of supports that the kernel gets at once."""

STACK = 4096
"""The most waiting boxes of one support. Halving is depth-first, so there are never many."""

WIDEST = 62
"""The most plans of a player, since a support is one integer of bits."""

MOST_PARTS = 4_000_000
"""The most coefficients in all rows of a support together."""

MOST = 1_000_000
"""The most boxes of one support."""

HASTE = 20_000
"""The most boxes of one support in a search without proof."""

FEW = 512
"""A game with at most this many supports is always searched with proof, which takes hardly longer."""

PASSES = (0.25, 0.5, 0.75)
"""The factor on bounds in each pass of the search without proof; 1 would be a proof."""


@dataclass(eq=False)
class _Hunt:
    """The work on all supports of one game."""

    cells: ExactCells
    plans: tuple[tuple[int, ...], ...]  # a player: the plans that are not dominated
    game: Game
    work: Work
    most: int
    known: dict[Support, list[Root]] = field(default_factory=dict)
    open: set[Support] = field(default_factory=set)
    told: set[Support] = field(default_factory=set)  # supports of which a point without a box was yielded

    def roots(self, trust: float) -> Iterator[Point]:
        """Yield each new equilibrium, proven or nearly one; note the supports that stay open."""
        shape = tuple(int(size) for size in self.game.shape)
        every = _supports(shape)
        budget = 8 + SLICE // (1 + len(self.work.rows) * (sum(shape) - len(shape)))
        while masks := list(islice(every, CHUNK)):
            search = Search(
                np.array(masks, np.int64), np.zeros(len(masks), np.int64), np.array([0, -1, 0, 0, 0], np.int64),
                np.zeros((STACK, 2, sum(shape))), np.zeros((64, sum(shape))),
            )  # fmt: skip
            while search.state[AT] < len(masks):
                go_on()
                sweep(self.game, self.work, search, budget, self.most, trust)
                many, search.state[FOUND] = int(search.state[FOUND]), 0
                for guess in search.found[:many].copy():
                    support = self.support(masks[search.state[AT]])
                    ends = np.cumsum([len(plans) for plans in support])
                    parts = np.split(guess[: ends[-1]], ends[:-1])
                    yield from self.settled(support, parts)
                if many and search.state[DEPTH] == 0:
                    search.state[AT] += 1
                    search.state[DEPTH] = -1
            self.open.update(self.support(masks[k]) for k in np.flatnonzero(search.verdict))

    def support(self, masks: tuple[int, ...]) -> Support:
        """Return the numbers of the plans for the bits of a support."""
        return tuple(
            tuple(plan for k, plan in enumerate(plans) if mask >> k & 1)
            for plans, mask in zip(self.plans, masks, strict=True)
        )

    def settled(self, support: Support, parts: list[np.ndarray]) -> Iterator[Point]:
        """Prove a candidate; yield it if it is an equilibrium or undecided, and new."""
        root = find_root(self.cells, support, parts)
        if root is not None and not root.covers(parts, CLOSE):
            root = None
        exact = None
        if root is not None and root.standing != "none":
            exact, root = sharpened(self.cells, root)
        if root is None:
            self.open.add(support)
            if support not in self.told:
                self.told.add(support)
                yield epsilon_point(self.cells, support, parts)
            return
        family = self.known.setdefault(support, [])
        if any(other.same(root) for other in family):
            return
        if any(other.touches(root) for other in family):
            self.open.add(support)
        family.append(root)
        if root.standing == "undecided":
            self.open.add(support)
            yield epsilon_point(self.cells, support, parts)
        elif root.standing == "equilibrium":
            yield point_of(self.cells, root, exact)


def all_supports(form: NormalForm, complete: bool = False, most: int = MOST) -> Points:
    """Find the isolated equilibria of a game, each with a proof.

    Parameters
    ----------
    form
        A game of any number of players in normal form.
    complete
        Exclude every other equilibrium by proof. Without it the search skips boxes that are unlikely to hold one.
    most
        How many boxes one support may take before it counts as undecided.
    """
    complete, most = truth("complete", complete), count("most", most)
    cells = exact_cells(form)
    plans = undominated(cells)
    small = prod(2 ** len(own) - 1 for own in plans) <= FEW
    proving = complete or small
    hunt = _Hunt(cells, plans, *_laid_out(cells, plans), most if proving else min(most, HASTE))
    index, regular = 0, True
    for trust in (1.0,) if proving else PASSES:
        hunt.open.clear()
        for point in hunt.roots(trust):
            index, regular = index + (point.index or 0), regular and point.index is not None
            yield point
        if index == 1 if regular else trust >= PASSES[1]:
            break
    if not proving:
        sums = f"the indices of the equilibria sum to {index}" if regular else "some equilibria are degenerate"
        return Ending(False, f"{sums}; the search skipped boxes that were unlikely to hold an equilibrium")
    if hunt.open:
        return Ending(False, _undecided(hunt.open))
    return Ending(True, "every support was searched: each box was excluded by a proof or holds one proven equilibrium")


def _undecided(supports: set[Support]) -> str:
    """Return a sentence that names the undecided supports."""
    shown = [" by ".join("{" + ", ".join(map(str, own)) + "}" for own in one) for one in sorted(supports)[:3]]
    more = f" and {len(supports) - 3:,} more" if len(supports) > 3 else ""
    return (
        f"undecided supports (plan numbers of each player): {'; '.join(shown)}{more}; there the equations are singular "
        "or a payoff is tied, as on a component of equilibria"
    )


def _laid_out(cells: ExactCells, plans: tuple[tuple[int, ...], ...]) -> tuple[Game, Work]:
    """Return payoffs of the remaining plans, scaled to [-1, 1] and rounded once, and work space."""
    shape = tuple(map(len, plans))
    size = sum((m - 1) * prod(shape) // m for m in shape)
    if max(shape) > WIDEST or size > MOST_PARTS:
        raise SizeError(
            f"the supports of {' by '.join(map(str, shape))} plans cannot be listed: a player may have {WIDEST} plans, "
            f"and all equations {MOST_PARTS:,} coefficients; the method first finds one equilibrium"
        )
    payoffs = np.zeros((len(shape), prod(shape)))
    for player, numbers in enumerate(cells.numbers):
        left = numbers[np.ix_(*plans)].ravel()
        low, high = left.min(), left.max()
        if high > low:
            payoffs[player] = ((2 * left - (low + high)) / (high - low)).astype(np.float64)
    stride = [prod(shape[player + 1 :]) for player in range(len(shape))]
    return Game(payoffs, np.array(shape, np.int64), np.array(stride, np.int64)), room(shape)


def _supports(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield every support as bits, small ones first, and of one size the balanced ones first."""
    for total in range(len(shape), sum(shape) + 1):
        sizes = sorted(_sizes(shape, total), key=lambda one: (max(one) - min(one), one))
        for size in sizes:
            own = [
                [sum(1 << a for a in chosen) for chosen in combinations(range(m), k)]
                for m, k in zip(shape, size, strict=True)
            ]
            yield from product(*own)


def _sizes(shape: tuple[int, ...], total: int) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of supports with `total` plans in all."""
    if len(shape) == 1:
        if 1 <= total <= shape[0]:
            yield (total,)
        return
    for first in range(1, min(shape[0], total - len(shape) + 1) + 1):
        for rest in _sizes(shape[1:], total - first):
            yield (first, *rest)
