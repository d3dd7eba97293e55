"""The sequence-form linear program: an exact solution of a two-player zero-sum game.

D. Koller, N. Megiddo, B. von Stengel (1996), Efficient computation of equilibria for extensive two-person games.
The perturbed program is that of P. B. Miltersen and T. B. Sørensen (2010), Computing a quasi-perfect equilibrium of a
two-player game.

With payoffs A and the treeplexes {x ≥ 0 : Ex = 0, x₀ = 1} and {y ≥ 0 : Fy = 0, y₀ = 1}, player 0 maximises
(Ay°)·x − (Fy°)·v where Ex = 0, x₀ = 1 and Fᵀv ≤ Aᵀx at every sequence but the empty one, y° = (1, 0, …, 0). The duals
of the rows are y: one solve gives both strategies, and the best responses to them are its proof. If each player
must play at least x° and y°, then x° are the lower bounds of x, and y° is that in the objective.

Payoffs that need far fewer numbers as factors (`hannan.layouts.factoring`) have additional variables for the sums
over rows and columns, as in B. H. Zhang and T. Sandholm (2020), Sparsified linear programming for zero-sum equilibrium
finding: Aᵀx = (rest)ᵀx + C·q where q and the sums z of R·x are tied to x by equalities.

HiGHS solves the program. A small game is first solved in a dense tableau (`hannan.solvers.exact.small`), and by HiGHS
only if best responses show more than rounding.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from hannan.arguments import choice, count, limit, shown
from hannan.arrays import Floats
from hannan.errors import HannanError, ParameterError, UnsuitableError
from hannan.forms.game import ExpandedGame
from hannan.forms.loader import Loadable
from hannan.forms.sequence import form_of
from hannan.forms.sizes import Sizes
from hannan.forms.treeplex import EMPTY, best_actions, even, flow, reaches, worth
from hannan.layouts.factoring import factor
from hannan.memory import require
from hannan.solvers.base import FormSolver
from hannan.solvers.exact.lift import lifted
from hannan.solvers.exact.linear import DROWNED, Algorithm, LinearProgram, Solution
from hannan.solvers.exact.products import ProductParts, product_parts
from hannan.solvers.exact.small import is_small, small_plans
from hannan.solvers.guarantee import Guarantee
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile, normalised

Pair = tuple[Floats, Floats]
"""One array over the sequences of each player."""

NOISE = 1e-10
"""A set that a player's own strategy reaches with at most this probability is off its path."""

SEEN = 1e-8
"""Play above the trembles counts from this probability on: well above HiGHS's tolerance."""

SHRINK, SMALLEST = 3.0, 1e-8
"""Trembles become smaller by this factor, down to this size."""


CLOSE, FAR = 1e-10, 1e-6
"""Parts of the range of payoffs: a gap up to the first is rounding; a gap beyond the second is not a solution."""

ROUNDED = 1e-14
"""The same without HiGHS: a small game with a larger gap is solved again, by HiGHS."""

ROUNDING = 1e-15
"""The gap that rounding of arithmetic leaves, as a share of the largest payoff."""


@dataclass(frozen=True)
class LPProof:
    """Bounds on the value to player 0, by the best responses to the two strategies."""

    value: float
    """The optimum that the linear program reports."""
    lower: float
    """The least that player 0's strategy earns (the primal side)."""
    upper: float
    """The most that player 0 earns against player 1's strategy (the dual side)."""

    @property
    def gap(self) -> float:
        """upper minus lower: the NashConv of the two strategies, 0 but for rounding."""
        return self.upper - self.lower


MOST_SCALED = 1000
"""The largest power of two by which payoffs are multiplied: its own and its inverse are finite."""


class SequenceFormLP(FormSolver):
    """Solve the game at once, by the simplex or an interior-point method.

    At sets that a player's own strategy does not reach, it plays a best response to the other, evenly if several
    actions are best. At sets that only a mistake of the other would reach, a plain solution may play anything that
    does not invite the mistake. `perturbation` (such as 0.3) makes it play well there, too: every sequence of k choices
    must be played with at least ∏ perturbation/(actions at the choice), and the game is solved repeatedly from the last
    basis while these trembles shrink, and finally without them. In the limit this is a quasi-perfect equilibrium, which
    is best in every subgame, reached or not. The result contains no trembles. On path it is as exact as without a
    perturbation. At sets that a player's own strategy does not reach, it is the play above the smallest trembles that
    can be distinguished from rounding: in games with few actions and payoffs near 1, within 1e-7 of best after one
    choice off path, 1e-3 after two, and 1e-2 after three. If the first tremble of a sequence is below 1e-8, the
    perturbation does not improve play there.
    """

    method = "lp"
    guarantee = Guarantee("the profile is a Nash equilibrium", rate="at once, but for rounding")
    exact = True
    meanings = by_name(
        algorithm="how the linear program is solved",
        perturbation="the first size of trembles that make play good at sets that only a mistake reaches (0.3, say)",
        time_limit="seconds after which the method gives up",
    )

    def __init__(
        self,
        game: Loadable,
        *,
        algorithm: Algorithm = "simplex",
        perturbation: float = 0.0,
        time_limit: float | None = None,
    ) -> None:
        """`time_limit` is in seconds; after it, `run` raises an error."""
        super().__init__(game)
        self.algorithm, self.perturbation, self.time_limit = algorithm, perturbation, time_limit
        choice("algorithm", algorithm, get_args(Algorithm))
        if not limit("perturbation", perturbation) < 1:
            raise ParameterError(f"perturbation={shown(perturbation)} should be a probability, 0 or more and below 1")
        if time_limit is not None:
            limit("time_limit", time_limit)
        _refuse_unsuitable(self.game)
        require(self.memory(Sizes.of_form(self.game.form)), f"lp on {self.game.address}")
        self._hold([even(plex) for plex in self.game.form.treeplexes])
        self._objective = np.zeros(1)
        self._program: LinearProgram | None = None
        self._lifted, self._constant = False, 0.0
        self._small = algorithm == "simplex" and perturbation == 0 and is_small(self.game.form.treeplexes)
        self._patience: float | None = None  # the seconds that the caller allows
        self.ending: Literal["", "exact", "interrupted"] = ""
        """How the last `run` ended. After an interrupt, no solution exists and the strategies are still uniform."""

    @property
    def cancelled(self) -> bool:
        return self.ending == "interrupted"

    @property
    def most_iterations(self) -> int:
        return 1

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return 300 * sizes.entries + 700 * sum(sizes.sequences) + 500 * sum(sizes.sets)  # measured: HiGHS and its input

    def prepare(self) -> None:
        if self._small:
            small_plans(self._scale * self._payoffs, self.game.form.treeplexes)  # as quick as a call that only compiles
            return
        import highspy  # noqa: F401
        import scipy.sparse  # noqa: F401

        _ = self._parts  # lay out the game before `run`, as other methods do

    def give_up_after(self, seconds: float) -> None:
        self._patience = seconds

    @property
    def _limit(self) -> float | None:
        return min((s for s in (self.time_limit, self._patience) if s is not None), default=None)

    def run(self, iterations: int) -> None:
        """Solve the game. Once is enough: more iterations change nothing."""
        if count("iterations", iterations) == 0 or self.iterations == 1:
            return
        deadline = None if self._limit is None else time.perf_counter() + self._limit
        low, high = (float(payoff[0]) for payoff in self.game.payoff_range)
        span, largest = high - low, max(abs(low), abs(high))
        if self._small and largest <= DROWNED * span and self._solve_small(ROUNDED * span + ROUNDING * largest):
            self.iterations = 1
            return
        if largest > DROWNED * span:
            self._lift()
        self._run(deadline)
        close = FAR if self._parts.sums.shape[0] else CLOSE  # lifted payoffs may have no factors
        if self.ending == "exact" and self._gap() > close * span + ROUNDING * largest and self._lift():
            self._run(deadline)
        if self.ending == "exact" and self._gap() > FAR * span + 100 * ROUNDING * largest:
            raise UnsuitableError(
                f"HiGHS solves {self.game.address} only to a NashConv of {self._gap():.3g}: its payoffs are too far "
                "apart in size; take pcfr+, whose gap is measured, or write smaller payoffs"
            )
        self.iterations = 1 if self.ending == "exact" else 0

    def _solve_small(self, rounding: float) -> bool:
        """Solve a small game without HiGHS; return whether the gap is at most `rounding`, so that it is solved."""
        x, y, value = small_plans(self._scale * self._payoffs, self.game.form.treeplexes)
        self._hold(self._completed((x, y), None))
        if not self._gap() <= rounding:
            self._hold([even(plex) for plex in self.game.form.treeplexes])
            return False
        self._objective[0] = value / self._scale
        self.ending = "exact"
        return True

    def _lift(self) -> bool:
        """Remove the part of the payoffs that no choice changes; return False if it was removed before."""
        if self._lifted:
            return False
        self._lifted = True
        self._payoffs, self._constant = lifted(self._payoffs, self.game.form.treeplexes)
        for made in ("_scale", "_parts", "_best"):
            vars(self).pop(made, None)  # computed again at the next use
        return True

    def _run(self, deadline: float | None) -> None:
        """Solve the program, after perturbed ones; `ending` says whether there is a solution."""
        self._program = self._build()
        off_path: Pair | None = None
        size = self.perturbation
        while size > SMALLEST:
            trembles = self._least(size)
            solution = self._solved(trembles, deadline)
            if solution is None:
                return
            off_path = self._recorded(_above(solution, trembles), off_path, SEEN)
            size /= SHRINK
        solution = self._solved(self._least(0.0), deadline)
        if solution is not None:
            self._objective[0] = solution.objective / self._scale + self._constant
            self._hold(self._completed(_above(solution, self._least(0.0)), off_path))

    def cancel(self) -> None:
        """End a `run` that is under way in another thread; Ctrl-C in the main thread does the same."""
        if self._program is not None:
            self._program.cancel()

    def average(self) -> Profile:
        return self._profile(self._strategy)

    def current(self) -> Profile:
        return self.average()

    def state(self) -> dict[str, Floats]:
        return {"strategy": self._strategy.copy(), "objective": self._objective.copy()}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        self._hold((np.array(state["strategy"]),))
        self._objective = np.array(state["objective"])
        self.ending = "exact" if iterations else ""

    def proof(self) -> LPProof:
        """Bound the value of the game from both sides, by a best response to each strategy."""
        best_x, best_y = self._best
        return LPProof(float(self._objective[0]), self._constant - best_y, self._constant + best_x)

    def _hold(self, strategies: Sequence[Floats]) -> None:
        """Take over strategies, of both players or in one array."""
        self._strategy = np.concatenate(strategies)
        vars(self).pop("_best", None)

    @cached_property
    def _best(self) -> tuple[float, float]:
        """The value of each player's best response to the other's strategy, without the constant."""
        parts = np.split(self._strategy, [self.game.form.treeplexes[0].sequences])
        gradients = self._gradients(self._behaviour(parts))
        x, y = (worth(plex, gain)[EMPTY] for plex, gain in zip(self.game.form.treeplexes, gradients, strict=True))
        return float(x), float(y)

    def _gap(self) -> float:
        """Return the NashConv, without the rounding that a large constant would bring."""
        return sum(self._best)

    @cached_property
    def _payoffs(self) -> Any:
        """The payoffs A of player 0, [sequences of 0, sequences of 1]; a sparse array unless the game is small."""
        form = self.game.form
        first, second = form.treeplexes
        if self._small:
            dense = np.zeros((first.sequences, second.sequences))
            dense[form.sequence(0), form.sequence(1)] = form.payoff(0)
            return dense
        from scipy.sparse import csr_array

        return csr_array((form.payoff(0), tuple(form.sequences)), shape=(first.sequences, second.sequences))

    @cached_property
    def _scale(self) -> float:
        """A power of two that brings the largest payoff near 1, since HiGHS's tolerances are absolute."""
        largest = abs(self._payoffs).max()
        return float(2.0 ** min(-np.round(np.log2(largest)), MOST_SCALED)) if largest > 0 else 1.0

    @cached_property
    def _flows(self) -> tuple[Any, ...]:
        """E and F, [sets, sequences]."""
        return tuple(flow(plex) for plex in self.game.form.treeplexes)

    def _build(self) -> LinearProgram:
        from scipy.sparse import block_array

        (E, F), parts = self._flows, self._parts
        A, sums, total = self._scale * parts.rest, parts.sums, self._scale * parts.total
        low_rows = np.concatenate((np.zeros(E.shape[0] + sums.shape[0]), np.full(A.shape[1] - 1, -np.inf)))
        matrix = block_array([[E, None, None], [parts.given, None, sums], [-A.T[1:], F.T[1:], -total[1:]]])
        cost, lower = self._bounds(self._least(0.0))
        upper = np.full(len(cost), np.inf)
        upper[EMPTY] = 1.0
        return LinearProgram(cost, matrix, lower, upper, low_rows, algorithm=self.algorithm)

    @cached_property
    def _parts(self) -> ProductParts:
        """The payoffs as factors with additional variables, if these have far fewer numbers."""
        form = self.game.form
        if self._lifted:
            left = self._payoffs.tocoo()
            form = form_of(form.treeplexes, np.array(left.coords, np.int32), left.data[np.newaxis].copy(), 0.0)
        return product_parts(factor(form), form)

    def _bounds(self, least: Pair) -> Pair:
        """Return the costs and the lower bounds if both players must play at least `least`."""
        x, y = least
        F = self._flows[1]
        own = np.zeros(self._parts.sums.shape[0])  # the factors' own variables
        cost = np.concatenate((self._scale * (self._payoffs @ y), -(F @ y), own))
        return cost, np.concatenate((x, np.full(F.shape[0] + len(own), -np.inf)))

    def _least(self, size: float) -> Pair:
        """Return the least probability of each sequence: trembles of that size at every set."""
        x, y = (
            reaches(plex, np.concatenate(([1.0], np.repeat(size / plex.sizes, plex.sizes))))
            for plex in self.game.form.treeplexes
        )
        return x, y

    def _solved(self, least: Pair, deadline: float | None) -> Solution | None:
        """Solve with both players playing at least `least`, from the last basis; None if the solve was ended."""
        assert self._program is not None
        self._program.change(*self._bounds(least))
        solution = self._program.solve(None if deadline is None else deadline - time.perf_counter())
        if solution.ending == "infeasible":  # a treeplex is never empty
            raise UnsuitableError(f"HiGHS cannot solve {self.game.address}: its payoffs are too far apart in size")
        if solution.ending == "seconds":
            raise HannanError(
                f"lp has no solution of {self.game.address} after {self._limit:g} seconds, and nothing to show "
                "until it has one; give it more time, or take pcfr+, which comes closer from the start"
            )
        self.ending = "exact" if solution.ending == "optimal" else "interrupted"
        return solution if self.ending == "exact" else None

    def _recorded(self, weights: Pair, before: Pair | None, least: float) -> Pair:
        """Return behaviour by the weights of sequences at sets with weight, else as in `before` (NaN if unknown)."""
        strategies = []
        for p, (plex, own) in enumerate(zip(self.game.form.treeplexes, self._behaviour(weights), strict=True)):
            sums = np.add.reduceat(weights[p], plex.begin[:-1]) if plex.sets else np.zeros(0)
            seen = np.concatenate(([True], (sums > least).repeat(plex.sizes)))
            strategies.append(np.where(seen, own, np.nan if before is None else before[p]))
        return strategies[0], strategies[1]

    def _completed(self, weights: Pair, off_path: Pair | None) -> Pair:
        """Return behaviour by the weights on each player's path, and off it `off_path` or a best response."""
        on_path = self._recorded(weights, off_path, NOISE)
        if not any(np.isnan(part).any() for part in on_path):
            return on_path
        gradients = self._gradients(self._behaviour(weights))
        best = [best_actions(plex, gradients[p]) for p, plex in enumerate(self.game.form.treeplexes)]
        x, y = (np.where(np.isnan(part), own, part) for part, own in zip(on_path, self._behaviour(best), strict=True))
        return x, y

    def _behaviour(self, weights: Sequence[Floats]) -> list[Floats]:
        """Return nonnegative weights of sequences as probabilities at each player's sets."""
        return [normalised(self.game, p, part) for p, part in enumerate(weights)]

    def _gradients(self, strategies: Any) -> Pair:
        """Return the gain of each sequence against the other player's strategy."""
        x, y = (reaches(plex, part) for plex, part in zip(self.game.form.treeplexes, strategies, strict=True))
        return self._payoffs @ y, -(self._payoffs.T @ x)


def _above(solution: Solution, least: Pair) -> Pair:
    """Return the play of both players above `least`, as weights of sequences."""
    x, y = least
    more = solution.duals[len(solution.duals) - len(y) + 1 :]
    return np.maximum(solution.columns[: len(x)] - x, 0.0), np.concatenate(([0.0], np.maximum(more, 0.0)))


def _refuse_unsuitable(game: ExpandedGame) -> None:
    """Refuse a game that is not two-player zero-sum (or constant-sum)."""
    if game.form.competitive:
        return
    kind = "one player" if game.players == 1 else f"{game.players} players"
    if game.players == 2:
        kind = "two players whose utilities have no constant sum"
    raise UnsuitableError(
        f"method lp solves two-player zero-sum games, and {game.address} has {kind}: its equilibria are not the "
        "solutions of a linear program; take cfr, whose average play approaches a coarse correlated equilibrium"
    )
