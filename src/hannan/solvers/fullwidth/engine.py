"""The engine of full-width methods: parameters, state and results of a solver whose iterations run on a back end.

Two families use it: regrets at every information set (`FullWidth`), and weights of whole plans (`solvers.weights`). A
family names its learner and returns the rows of its schedule; `hannan.layouts.backend` decides where the loops run.

The CFR family: M. Zinkevich, M. Johanson, M. Bowling, C. Piccione (2007), Regret minimization in games with incomplete
information. An algorithm is a `Step`: how a learner at one set changes at iteration t. Everything else is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np

from hannan.arguments import choice, count, shown, whole
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError, UnsuitableError
from hannan.forms.game import Game, PublicGame
from hannan.forms.loader import Loadable
from hannan.forms.sizes import Sizes
from hannan.forms.ties import TiedGame
from hannan.forms.treeplex import even, reaches
from hannan.kernels.fullwidth.records import GRADIENTS, REGRETS
from hannan.layouts.backend import Average, Setup, Step
from hannan.layouts.backends import BACKENDS, Device, start
from hannan.layouts.layout import Kind, Precision
from hannan.memory import lean, require
from hannan.solvers.base import CorrelatedPlay, FormSolver, Solver, profile_of
from hannan.solvers.fullwidth import warmstart
from hannan.solvers.fullwidth.public import Kept, PublicWork, check_where
from hannan.solvers.parameters import by_name
from hannan.strategies.profile import Profile, check_profile

Updates = Literal["alternating", "simultaneous"]


class Where(TypedDict, total=False):
    """The parameters that say where the loops run; `Backed` describes them."""

    layout: Kind | Literal["auto"]
    payoffs: Precision
    threads: int
    device: Device


class Engine(Where, total=False):
    """The parameters that every full-width method has."""

    updates: Updates
    precision: Kept


ROUNDING = 1e-6
"""The amount by which a probability that was read may exceed 1."""

CHUNK = 4096
"""The most rows of the schedule that are laid out at once."""


class Backed(FormSolver):
    """A method that updates every information set at every iteration, on a back end."""

    changeable = ("threads", "device")
    chunk = CHUNK
    """The most iterations whose steps are known in advance."""

    meanings = by_name(
        updates="whether a player sees the others' new strategies within an iteration",
        layout="where the loops run: plain for small games, tiled for large ones; numbers differ by rounding only",
        payoffs="the precision of payoffs while learning: float32 saves memory; gaps are always measured exactly",
        threads="the number of threads that share an iteration; it changes no bit",
        device="cpu, or cuda for a CUDA card (pip install 'hannan[cuda]'); numbers differ by rounding only",
    )

    def __init__(
        self,
        game: Loadable,
        learner: int,
        *,
        updates: Updates = "alternating",
        layout: Kind | Literal["auto"] = "auto",
        payoffs: Precision = "float64",
        threads: int = 1,
        device: Device = "cpu",
    ) -> None:
        """Layout, threads and device change the speed, but not the result (threads: no bit; others: only rounding).

        `payoffs` in float32 save memory while learning; gaps are always measured with the exact payoffs.
        """
        super().__init__(game)
        choice("updates", updates, get_args(Updates))
        choice("layout", layout, ("auto", *BACKENDS))
        choice("payoffs", payoffs, get_args(Precision))
        self.updates, self.layout, self.payoffs = updates, layout, payoffs
        self.threads = whole("threads", threads, most=256)
        choice("device", device, get_args(Device))
        self.device: Device = device
        self._start(learner)

    def _start(self, learner: int) -> None:
        """Make the back end, if there is enough memory."""
        form = self.game.form
        sizes = Sizes.of_form(form)
        saved = 0 if self.averaged else sizes.average_bytes
        if self._kept_in == "float32":
            saved += (sizes.learning_bytes - saved) // 2
        require(self.memory(sizes) - saved, f"{self.method} on {self.game.address}")
        leaders = None
        if isinstance(self.game, TiedGame):
            leaders = tuple(self.game.ties.leaders(player) for player in range(self.game.players))
        simultaneous = self.updates == "simultaneous"
        setup = Setup(form, learner, simultaneous, self.payoffs, self.threads, self.averaged, leaders, self._kept_in)
        self._backend = start(setup, self.layout, self.device)

    @property
    def _kept_in(self) -> Precision:
        """The precision of the state."""
        return "float64"

    @property
    def averaged(self) -> bool:
        """Whether an average is kept. If not, the result is the last iterate, and the average needs no memory."""
        return True

    @abstractmethod
    def rows(self, first: int, count: int) -> Floats:
        """Return the steps of `count` iterations from `first` on, as rows for the back end."""

    @classmethod
    def memory(cls, sizes: Sizes) -> int:
        return sizes.flat_bytes + sizes.layout_bytes + sizes.learning_bytes

    def prepare(self) -> None:
        self._backend.prepare()

    def run(self, iterations: int) -> None:
        left = count("iterations", iterations)
        if self.most_iterations is not None and self.iterations + left > self.most_iterations:
            raise ParameterError(
                f"{self.method} was given a horizon of {self.most_iterations} iterations; {self.iterations} are done, "
                f"{left} more are too many"
            )
        while left > 0:
            some = min(left, self.chunk)
            self._backend.run(self.rows(self.iterations + 1, some))
            self.iterations += some
            left -= some

    def average(self) -> Profile:
        return self._profile(self._backend.read("total")) if self.averaged else self.current()

    def current(self) -> Profile:
        return self._profile(self._backend.read("strategy"))

    def plans(self) -> Floats:
        """Return the average play as weights of all sequences: sums of reaches, the largest at each player's root."""
        return self._backend.read("total")

    def correlated(self) -> CorrelatedPlay | None:
        if not self.averaged:
            return None
        *sums, weight = self._backend.read("value").tolist()
        if weight == 0:
            return None
        values = tuple(value / weight for value in sums)
        if self._backend.setup.tracking == GRADIENTS:
            return CorrelatedPlay(values, self._backend.read("played") / weight)
        return CorrelatedPlay((values[0], (self.game.form.total or 0.0) - values[0]), None)

    def measured(self) -> Average | None:
        return self._backend.measure()

    def state(self) -> dict[str, Floats]:
        return {name: self._backend.read(name) for name in self._backend.setup.sizes}

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        if not super().accepts(self._kept(state)):
            return False
        rising = all(bool(np.all(state[name] >= 0)) for name in ("strategy", "reach", "total"))
        return rising and all(bool(np.all(state[name] <= 1 + ROUNDING)) for name in ("strategy", "reach"))

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        self.iterations = iterations
        kept = self._kept(state)
        for name in self._backend.setup.sizes:
            self._backend.write(name, kept[name])

    def _kept(self, state: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return a state without the average, if none is kept; older checkpoints and warm starts contain one."""
        if self.averaged:
            return state
        dropped = dict.fromkeys(("total", "played"), np.zeros(0))
        return {name: dropped.get(name, array) for name, array in state.items()}


NOISE = 1e-12
"""A positive regret below this share of the largest payoff is rounding, and counts as 0. Symmetric games have many
regrets of exactly 0: play there must not depend on the order in which numbers were added."""


SINGLE_NOISE = 1e-6
"""The same share if regrets are kept in float32, which has 24 bits."""

MOST_WARM = 10**7
"""The most iterations that a warm start may stand for."""


def polynomial(t: Floats, power: float | Floats) -> Floats:
    """Return the decay that weighs iteration t by t**power: ((t-1)/t)**power."""
    decay: Floats = ((t - 1) / t) ** power
    return decay


class FullWidth(Backed):
    """A method of the CFR family. Subclasses name it and write its `step`.

    A game with public play is solved on its public tree (`solvers.fullwidth.public`), any other on its sequence form.
    """

    meanings = by_name(
        precision="of regrets, strategies and averages: float64, or float32 in half the memory; on public trees "
        "(hold'em) float32, the default there, float64 or int16; gaps are always measured in float64"
    )
    _public: PublicWork | None = None

    def __init__(
        self,
        game: Loadable,
        *,
        updates: Updates = "alternating",
        precision: Kept = "auto",
        **where: Unpack[Where],
    ) -> None:
        self.precision = choice("precision", precision, get_args(Kept))
        self._warm = 0  # the number of iterations that a warm start stands for
        super().__init__(game, REGRETS, updates=updates, **where)
        if self._public is not None:
            return
        form = self.game.form
        with lean(form.large):
            played = np.concatenate([even(plex) for plex in form.treeplexes])
            self._backend.write("strategy", played)
            begin = 0
            for plex in form.treeplexes:  # in place, since there may be many
                played[begin : begin + plex.sequences] = reaches(plex, played[begin : begin + plex.sequences])
                begin += plex.sequences
            self._backend.write("reach", played)
        self._noise = (NOISE if self._kept_in == "float64" else SINGLE_NOISE) * form.largest

    @staticmethod
    def _view(game: Game) -> Any:
        return game.formed()

    def _start(self, learner: int) -> None:
        if not isinstance(self.game, PublicGame):
            if self.precision == "int16":
                raise ParameterError(
                    f"precision=int16 is for public trees; {self.game.address} has none: choose float32 or float64"
                )
            super()._start(learner)
            return
        check_where(self.layout, self.payoffs)
        form = self.game.form
        weights = form.arrays.weight.max(axis=1)
        self._noise = NOISE * form.largest * float(weights.prod())
        first = self.step(np.arange(1.0, 4.0))
        predicts = bool(np.any(first.predict))
        if self.precision == "int16" and (predicts or np.any(first.rate)):
            raise UnsuitableError(f"precision=int16 is for methods that match regrets unpredicted, not {self.method}")
        self._public = PublicWork(
            self.game,
            self.method,
            self.updates == "simultaneous",
            self.threads,
            self.averaged,
            predicts,
            self.precision,
            self.device,
        )
        self._backend = self._public.backend  # it has the same verbs

    @property
    def _kept_in(self) -> Precision:
        return "float32" if self.precision == "float32" else "float64"

    @property
    def distance(self) -> int:
        return 1 if self._public is None else 10

    @property
    def usual_gap(self) -> float | None:
        return self.game.form.rules.usual_gap if isinstance(self.game, PublicGame) else None

    @abstractmethod
    def step(self, t: Floats) -> Step:
        """Return the parameters of the learners at iterations t = 1, 2, …"""

    def rows(self, first: int, count: int) -> Floats:
        first += self._warm
        step = self.step(np.arange(first, first + count, dtype=np.float64))
        if not isinstance(step, Step):
            raise UnsuitableError(f"{self.method}: step() returned {shown(step)}; expected a hannan.methods.Step")
        for name, column in vars(step).items():
            if np.ndim(column) and np.shape(column)[0] != count and not (np.ndim(column) == 2 and len(column) == 1):
                raise UnsuitableError(
                    f"{self.method}: step() returned {name} with shape {np.shape(column)} for {count} iterations; "
                    "expected one number, or one number per iteration"
                )
        rows = replace(step, noise=self._noise).rows(count)
        if np.isnan(rows).any():
            raise UnsuitableError(f"{self.method}: step() returned {shown(step)}, which contains nan; return numbers")
        return rows

    def warm_start(self, profile: Any, weight: int | None = None) -> None:
        """Begin as if `profile` had been played for `weight` iterations; only before the first one.

        Default: 1000; 100 on public trees, whose iterations are long.
        The average starts with it, and discounts and averaging weights continue from there.
        """
        if self.iterations > 0 or self._warm > 0:
            raise ParameterError(f"{self!r} has begun; a warm start comes before the first iteration")
        usual = 1000 if self._public is None else 100
        weight = usual if weight is None else whole("weight", weight, most=MOST_WARM)
        if isinstance(self.game, TiedGame):
            raise UnsuitableError(f"{self.game.address}: players forget, and a run cannot start from a strategy there")
        if self._public is not None:
            self._public.warm_start(profile, self.rows(1, weight))
            self._warm = weight
            return
        check_profile(self.game, profile)
        state = warmstart.begin(self.game.form, np.concatenate(profile.strategies), self.rows(1, weight))
        self.restore(0, {**state, "warm": np.array([float(weight)])})

    def average(self) -> Any:
        if self._public is not None:
            return self._public.strategy(self.iterations)
        if isinstance(self.game, TiedGame) and self.averaged:
            return self._profile(self.game.shared(self._backend.read("total")))
        return super().average()

    def _profile(self, weights: Floats) -> Profile:
        if not isinstance(self.game, TiedGame):
            return super()._profile(weights)
        profile = profile_of(self, self.game.base, weights)
        return replace(profile, facts={**profile.facts, "abstraction": self.game.ties.digest})

    def current(self) -> Any:
        return super().current() if self._public is None else self._public.strategy(self.iterations, current=True)

    def correlated(self) -> CorrelatedPlay | None:
        if self._public is None:
            return super().correlated()
        values = self._public.values() if self.averaged else None
        return None if values is None else CorrelatedPlay(values, None)

    def measured(self) -> Average | None:
        return super().measured() if self._public is None else self._public.measured()

    def findings(self) -> dict[str, Any]:
        return {} if self._public is None else self._public.findings()

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        if self._public is None:
            return super().accepts(state)
        return Solver.accepts(self, state) and self._public.sound(state)

    def state(self) -> dict[str, Floats]:
        kept = super().state() if self._public is None else self._public.state()
        return {**kept, "warm": np.array([float(self._warm)])}

    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        warm = float(state["warm"][0])
        if not (0 <= warm <= MOST_WARM and warm.is_integer()):
            raise MismatchError(f"a warm start stands for 0 to {MOST_WARM} iterations, not for {warm}")
        if self._public is None:
            super().restore(iterations, state)
        else:
            self.iterations = iterations
            self._public.restore(state)
        self._warm = int(warm)
