"""The sequence-form linear program: an exact solution of a two-player zero-sum game.

D. Koller, N. Megiddo, B. von Stengel (1996), Efficient computation of equilibria for extensive two-person games.
The perturbed program is that of P. B. Miltersen and T. B. Sørensen (2010), Computing a quasi-perfect equilibrium of a
two-player game.

With payoffs A and the treeplexes {x ≥ 0 : Ex = 0, x₀ = 1} and {y ≥ 0 : Fy = 0, y₀ = 1}, player 0 maximises
(A y°)·x − (F y°)·v where Fᵀv ≤ Aᵀx at every sequence but the empty one and y° is that sequence. The duals of these rows
are y: one solve gives both strategies, and the two best responses to them are its proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from hannan.arrays import Floats
from hannan.errors import ParameterError, UnsuitableError, nearest
from hannan.game import Game
from hannan.linear import Algorithm, LinearProgram, Solution
from hannan.profile import Profile, normalised, uniform
from hannan.rules import Rules
from hannan.sizes import Sizes
from hannan.solvers.base import Solver, positive_count
from hannan.treeplex import EMPTY, Treeplex

UNREACHED = 1e-10
"""A set that a player's own strategy reaches with at most this probability is off its path: HiGHS's tolerance is near."""

LEAST_TREMBLE = 1e-9
"""A sequence may not tremble less than this, or HiGHS's tolerance would hide what it decides."""


@dataclass(frozen=True)
class LPProof:
    """Between which numbers the value to player 0 lies, by the best responses to the two strategies found."""

    value: float
    """The optimum that HiGHS reports."""
    lower: float
    """What player 0's strategy earns it at least (the primal side)."""
    upper: float
    """What player 1's strategy leaves player 0 at most (the dual side)."""

    @property
    def gap(self) -> float:
        """upper minus lower: the NashConv of the two strategies, 0 but for rounding."""
        return self.upper - self.lower


class SequenceFormLP(Solver):
    """Solve the game at once, by the simplex or an interior-point method.

    At sets that a player's own strategy does not reach, it plays a best response to the other (evenly where several
    actions are best). With `perturbation` ε > 0 the game is solved where every sequence of k choices is played with
    at least ∏ ε/(actions at the choice): an equilibrium of that game is quasi-perfect as ε → 0, so it is also best in
    subgames that it does not reach. From its basis the limit ε = 0 is taken: where the basis is still optimal
    (`limit_reached`), on-path play is exactly that of an equilibrium; elsewhere the strategies of the perturbed game
    are returned without their trembles, with a NashConv of order ε. Either way the NashConv is measured, not assumed.
    """

    method = "lp"
    guarantee = "the profile is a Nash equilibrium of a two-player zero-sum game, at once; gap about 1e-9 or less"
    exact: ClassVar[bool] = True

    def __init__(
        self,
        game: str | Rules | Game,
        *,
        algorithm: Algorithm = "simplex",
        perturbation: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        super().__init__(game)
        self.algorithm, self.perturbation, self.time_limit = algorithm, perturbation, time_limit
        if algorithm not in get_args(Algorithm):
            raise ParameterError(f"algorithm={algorithm!r} is not known{nearest(str(algorithm), get_args(Algorithm))}")
        if isinstance(perturbation, bool) or not 0 <= perturbation < 1:
            raise ParameterError(f"perturbation={perturbation!r} should be a probability, 0 or more and below 1")
        if time_limit is not None and not time_limit >= 0:
            raise ParameterError(f"time_limit={time_limit!r} should be a number of seconds, 0 or more")
        _refuse_unsuitable(self.game)
        self._strategy = np.concatenate(uniform(self.game).strategies)
        self._facts = np.zeros(2)  # the objective, whether the limit of the perturbation was reached
        self._program: LinearProgram | None = None
        self.ending: Literal["", "exact", "interrupted", "seconds"] = ""
        """How the last `run` ended; empty before."""
        if perturbation:
            self._trembles(perturbation)  # refuses what is too small

    @property
    def most_iterations(self) -> int:
        return 1

    @property
    def limit_reached(self) -> bool:
        """Whether on-path play is that of the unperturbed game: always so without a perturbation."""
        return bool(self._facts[1])

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return 120 * (sizes.entries + 2 * sum(sizes.sequences) + sum(sizes.sets))

    def prepare(self) -> None:
        import highspy  # noqa: F401
        import scipy.sparse  # noqa: F401

    def run(self, iterations: int) -> None:
        """Solve the game; once is enough, so more iterations change nothing."""
        if positive_count(iterations) == 0 or self.iterations == 1:
            return
        begun = time.perf_counter()
        program = self._program = self._build()

        def solved(trembles: tuple[Floats, Floats]) -> Solution | None:
            program.change(*self._bounds(*trembles))
            left = None if self.time_limit is None else self.time_limit - (time.perf_counter() - begun)
            found = program.solve(left)
            self.ending = (
                "exact" if found.ending == "optimal" else "seconds" if found.ending == "seconds" else "interrupted"
            )
            return found if self.ending == "exact" else None

        size = self.perturbation
        off_path: tuple[Floats, Floats] | None = None
        while True:
            if size > 0:
                trembles = self._trembles(size)
                found = solved(trembles)
                if found is None:
                    return
                off_path = self._seen(self._above(found, *trembles), off_path)
                basis = program.basis()
            found = solved(self._trembles(0.0))
            if found is None:
                return
            if size == 0 or found.iterations == 0 or size < LEAST_TREMBLE:
                break
            program.start_from(basis)
            size /= 3
        self._objective[0] = found.objective
        self._strategy = np.concatenate(self._equilibrium(self._above(found, *self._trembles(0.0)), off_path))
        self.iterations = 1

    def cancel(self) -> None:
        """End a `run` that is under way in another thread; Ctrl-C in the main thread does the same."""
        if self._program is not None:
            self._program.cancel()

    def average(self) -> Profile:
        return self._profile(self._strategy)

    def current(self) -> Profile:
        return self.average()

    def state(self) -> dict[str, Floats]:
        return {"strategy": self._strategy.copy(), "facts": self._facts.copy()}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        self._strategy, self._facts = np.array(state["strategy"]), np.array(state["facts"])
        self.ending = "exact" if iterations else ""

    def proof(self) -> LPProof:
        """Bound the value of the game from both sides, by a best response to each strategy found."""
        plexes, payoffs = self.game.form.treeplexes, self._payoffs
        x, y = (_reach(plex, part) for plex, part in zip(plexes, self.average().strategies, strict=True))
        best_x, best_y = _worth(plexes[0], payoffs @ y), _worth(plexes[1], -(payoffs.T @ x))
        return LPProof(float(self._facts[0]), -float(best_y[EMPTY]), float(best_x[EMPTY]))

    @cached_property
    def _payoffs(self) -> Any:
        """What player 0 gains, [sequences of player 0, sequences of player 1]."""
        from scipy.sparse import csr_array

        form = self.game.form
        shape = tuple(plex.sequences for plex in form.treeplexes)
        return csr_array((form.payoff(0), (form.sequences[0], form.sequences[1])), shape=shape)

    @cached_property
    def _flows(self) -> tuple[Any, Any]:
        """E and F: the actions of a set minus the sequence that leads to it, [sets, sequences]."""
        first, second = (_flow(plex) for plex in self.game.form.treeplexes)
        return first, second

    def _build(self) -> LinearProgram:
        from scipy.sparse import block_array

        (E, F), A = self._flows, self._payoffs
        rows = E.shape[0] + A.shape[1] - 1
        low_rows = np.full(rows, -np.inf)
        low_rows[: E.shape[0]] = 0.0
        matrix = block_array([[E, None], [-A.T[1:], F.T[1:]]])
        cost, lower = self._bounds(*self._trembles(0.0))
        upper = np.full(len(cost), np.inf)
        upper[EMPTY] = 1.0
        return LinearProgram(cost, matrix, lower, upper, low_rows, algorithm=self.algorithm)

    def _bounds(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return costs and lower bounds where player 0 plays at least x and player 1 at least y."""
        F = self._flows[1]
        free = np.full(F.shape[0], -np.inf)
        return np.concatenate((self._payoffs @ y, -(F @ y))), np.concatenate((x, free))

    def _trembles(self, size: float) -> tuple[Floats, Floats]:
        """Return the least probability of each sequence of both players."""
        x, y = (
            _reach(plex, np.concatenate(([1.0], np.repeat(size / plex.sizes, plex.sizes))))
            for plex in self.game.form.treeplexes
        )
        least = min(x.min(), y.min())
        if 0 < size and least < LEAST_TREMBLE:
            deepest = max(plex.levels for plex in self.game.form.treeplexes)
            raise ParameterError(
                f"perturbation={size:g} is too small for {self.game.address}: after up to {deepest} choices a sequence "
                f"would tremble with {least:.1g} only, and {LEAST_TREMBLE:g} is the least that can be told from 0; "
                f"take {size * (LEAST_TREMBLE / least) ** (1 / deepest):.1g} or more"
            )
        return x, y

    def _solved(self, found: Solution) -> bool:
        if found.ending == "infeasible":  # a treeplex is never empty
            raise UnsuitableError(f"HiGHS could not solve {self.game.address}: its payoffs are too far apart in size")
        self.ending = "exact" if found.ending == "optimal" else found.ending
        return self.ending == "exact"

    def _above(self, found: Solution, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return what both players play above the least, as weights of sequences."""
        sets = self.game.form.treeplexes[0].sets
        return np.maximum(found.columns[: len(x)] - x, 0.0), np.concatenate(([1.0], np.maximum(found.duals[sets:], 0)))

    def _behaviour(self, player: int, weights: Floats) -> Floats:
        return normalised(self.game, player, weights)

    def _limit(self, weights: tuple[Floats, Floats], off_path: list[Floats] | None) -> list[Floats]:
        """Return behaviour by the weights on each player's path, and beyond it `off_path` or a best response."""
        plexes = self.game.form.treeplexes
        strategies = [self._behaviour(p, w) for p, w in enumerate(weights)]
        x, y = (_reach(plex, strategy) for plex, strategy in zip(plexes, strategies, strict=True))
        gradients = (self._payoffs @ y, -(self._payoffs.T @ x))
        for p, plex in enumerate(plexes):
            reach = (x, y)[p]
            unreached = np.concatenate(([False], np.repeat(reach[plex.parent] <= UNREACHED, plex.sizes)))
            instead = off_path[p] if off_path is not None else normalised(self.game, p, _best(plex, gradients[p]))
            strategies[p] = np.where(unreached, instead, strategies[p])
        return strategies


def _refuse_unsuitable(game: Game) -> None:
    """Say why a game that is not two-player zero-sum (or constant-sum) has no linear program."""
    if game.form.competitive:
        return
    if game.players != 2:
        kind = "one player" if game.players == 1 else f"{game.players} players"
    else:
        kind = "two players whose utilities have no constant sum"
    raise UnsuitableError(
        f"method lp solves two-player zero-sum games, and {game.address} has {kind}; its equilibria are not the "
        "solutions of a linear program. Take cfr, whose average play approaches a coarse correlated equilibrium"
    )


def _flow(plex: Treeplex) -> Any:
    from scipy.sparse import csr_array

    rows = np.concatenate((plex.set_of[1:], np.arange(plex.sets)))
    columns = np.concatenate((np.arange(1, plex.sequences), plex.parent))
    signs = np.repeat([1.0, -1.0], [plex.sequences - 1, plex.sets])
    return csr_array((signs, (rows, columns)), shape=(plex.sets, plex.sequences))


def _reach(plex: Treeplex, strategy: Floats) -> Floats:
    """Return the product of probabilities along each sequence, level by level."""
    reach = strategy.copy()
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        reach[plex.begin[first] : plex.begin[last]] *= np.repeat(reach[plex.parent[first:last]], plex.sizes[first:last])
    return reach


def _worth(plex: Treeplex, gradient: Floats) -> Floats:
    """Return what each sequence is worth under best play after it; the empty one's is the value of best response."""
    worth = gradient.copy()
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        if first == last:
            continue
        begin = plex.begin[first:last]
        best = np.maximum.reduceat(worth[begin[0] : plex.begin[last]], begin - begin[0])
        np.add.at(worth, plex.parent[first:last], best)
    return worth


def _best(plex: Treeplex, gradient: Floats) -> Floats:
    """Return weight 1 at every action that is best at its set, ties within rounding included, and 0 elsewhere."""
    worth = _worth(plex, gradient)
    weights = np.ones(plex.sequences)
    if plex.sets:
        best = np.repeat(np.maximum.reduceat(worth, plex.begin[:-1]), plex.sizes)
        weights[1:] = worth[1:] >= best - 1e-12 * np.abs(gradient).max()
    return weights
