"""The base of all solvers: run it, get its strategies, save it."""

from __future__ import annotations

import hashlib
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature, getsourcefile
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from hannan.arguments import renamed, shown
from hannan.arrays import Floats
from hannan.errors import FileError, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.exclusion import exclusive, guard
from hannan.files import read_bytes, write_arrays
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.forms.loader import Loadable, check_complete, load
from hannan.forms.sizes import Sizes
from hannan.layouts.backend import Average
from hannan.pieces.workers import Workers
from hannan.solvers.guarantee import UNSTATED, Guarantee
from hannan.solvers.parameters import by_name, defaults
from hannan.strategies.files import game_facts
from hannan.strategies.profile import Profile, normalised
from hannan.strategies.strategy import Strategy

EXCLUSIVE = (
    "prepare", "run", "average", "current", "policy", "averages", "variance", "warm_start", "correlated", "own_gap",
    "measured", "state", "restore", "spread",
)  # fmt: skip
"""The methods of a solver that read or change its state: one thread at a time calls them."""

CHECKPOINT = "checkpoint"
"""The kind of file that holds a solver's state."""


@dataclass(frozen=True)
class CorrelatedPlay:
    """The correlated average of all joint play so far: with weight w_t, all players play as at iteration t."""

    values: tuple[float, ...]
    """Its value to each player."""
    gradient: Floats | None
    """The gain of each sequence of each player against it, in the order of `Flat`. None if the average profile gives
    the same gains, as with only one opponent."""


class SolverClass(ABCMeta):
    """The metaclass of solvers. It checks the names of arguments before a solver is made."""

    def __call__(cls, *given: Any, **parameters: Any) -> Any:
        """Make a solver of a game, with parameters by name."""
        if cls.__abstractmethods__:
            check_complete(cls, cls.__name__)
        whose, known = getattr(cls, "method", cls.__name__), defaults(cls)
        if len(given) + ("game" in parameters) != 1:
            advice = f"{cls.__name__}(game, {next(iter(known), 'parameter')}=…)"
            raise ParameterError(f"{cls.__name__} takes one game, and parameters by name, as in {advice}")
        for name in parameters:
            if name not in known and name != "game":
                raise UnknownNameError(
                    f"{whose} has no parameter {shown(name)}{renamed(name, known) or nearest(name, known)}"
                )
        return super().__call__(*given, **parameters)

    @property
    def __signature__(cls) -> Signature:
        """The game and the parameters of the method, for `help`."""
        game = Parameter("game", Parameter.POSITIONAL_OR_KEYWORD, annotation=Loadable)
        rest = (Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in defaults(cls).items())
        return Signature([game, *rest])


class Solver(metaclass=SolverClass):
    """An algorithm at work on one game. Subclasses name their `method` and say how to iterate.

    The keyword arguments of a subclass's constructor are its parameters: they are saved and restored with it, so each
    is kept as an attribute of the same name.
    """

    method: ClassVar[str]
    guarantee: ClassVar[Guarantee] = UNSTATED
    meanings: ClassVar[Mapping[str, str]] = by_name()
    """A short description of each parameter that this class adds."""
    allowed: ClassVar[Mapping[str, tuple[str, ...]]] = by_name()
    """For parameters of which this method takes only some of the words in their type: these words."""
    exact: ClassVar[bool] = False
    """Whether one iteration gives the exact answer, up to rounding."""
    trains_average: ClassVar[bool] = False
    """Whether `average` trains networks, which takes long and may be halted."""
    changeable: ClassVar[tuple[str, ...]] = ()
    """Parameters that do not change the numbers: a resumed run may change them."""
    unkept: ClassVar[tuple[str, ...]] = ()
    """Parameters in `changeable` that are never read from a file, because they name places to write to."""
    game: PlayedGame

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        guard(cls, EXCLUSIVE)

    def __init__(self, game: Loadable) -> None:
        self.game = self._view(game if isinstance(game, Game) else load(game))
        self.iterations = 0
        self.stopped = ""
        """Why the solver cannot continue, as a sentence; empty if it can."""
        self.pause_after: float | None = None
        """Seconds after which `run` may return before a long iteration is complete; set by the caller."""

    @staticmethod
    def _view(game: Game) -> PlayedGame:
        """Return the game as the method needs it."""
        return game.played()

    @classmethod
    def home(cls) -> str | None:
        """Return the address of the class, as `file.py:Class` or `module:Class`; None if it is part of hannan."""
        if cls.__module__.partition(".")[0] == "hannan":
            return None
        return vars(cls).get("_home", f"{cls.__module__}:{cls.__qualname__}")

    @classmethod
    def source(cls) -> str | None:
        """Return a digest of the file that defines the class; None if it is part of hannan, or in no file."""
        try:
            path = None if cls.home() is None else getsourcefile(cls)
            return None if path is None else hashlib.sha256(read_bytes(path)).hexdigest()
        except (TypeError, OSError, FileError):  # a class of a prompt or a notebook
            return None

    @classmethod
    def parameter_defaults(cls) -> dict[str, Any]:
        """The keyword arguments of the constructor, with their default values."""
        return dict(defaults(cls))

    @property
    def parameters(self) -> dict[str, Any]:
        """The keyword arguments with which this solver was made."""
        return {name: getattr(self, name) for name in self.parameter_defaults()}

    @classmethod
    def names_a_place(cls, parameter: str, value: Any) -> bool:
        """Return whether a parameter's value names code to run or a file to read: in a checkpoint it needs consent."""
        return False

    def described(self, name: str, value: Any) -> Any:
        """Return the form in which `parameters` shows a keyword argument that was given as `value`."""
        return value

    @classmethod
    @abstractmethod
    def memory(cls, sizes: Sizes) -> int:
        """Return about how many bytes the method takes on a game with the given sizes, without its views."""

    @property
    def cancelled(self) -> bool:
        """Whether the last call of `run` was cancelled from outside."""
        return False

    @property
    def solved(self) -> bool:
        """Whether the answer is exact up to rounding, so that more iterations change nothing."""
        return self.exact and self.iterations > 0

    @property
    def story(self) -> str:
        """The choices so far of a method that chooses among others, in one line; empty for all other methods."""
        return ""

    @property
    def usual_iterations(self) -> int | None:
        """Iterations after which a run without a limit stops; None: the usual limits."""
        return None

    @property
    def distance(self) -> int:
        """The fewest iterations between two measurements: more than 1 if measuring takes longer than iterating."""
        return 1

    @property
    def usual_gap(self) -> float | None:
        """The gap at which a run without a limit stops; None: the usual gap."""
        return None

    @property
    def most_iterations(self) -> int | None:
        """The largest number of iterations in all; None: unlimited."""
        return None

    def unsplit(self) -> str:
        """Return a sentence on why workers cannot make pieces of the work; empty: they can."""
        threads = "; threads=N uses N cores of this machine" if "threads" in self.parameter_defaults() else ""
        return f"{self.method} is not split into pieces: leave on out{threads}"

    more_pieces: ClassVar[str] = ""
    """A sentence on how to get more pieces."""

    @property
    def pieces(self) -> int:
        """The number of pieces that workers can make at the same time."""
        return 1

    @property
    def piece_bytes(self) -> int | None:
        """The approximate bytes that a worker needs for a piece; None: not known."""
        return None

    def spread(self, workers: Workers | None) -> None:
        """Let workers make the pieces of all further iterations, to the same bits; None: this process makes them."""
        if workers is not None:
            raise UnsuitableError(self.unsplit())

    @property
    def round_seconds(self) -> float | None:
        """The seconds that a call of `run` should take if each call sends data to workers; None: any."""
        return None

    def prepare(self) -> None:  # most solvers have nothing to prepare
        """Compile what `run` needs, so that compiling is not timed as solving."""

    def finish(self) -> None:  # most hold nothing
        """Release threads, since the run has ended."""

    def give_up_after(self, seconds: float) -> None:  # most iterations are short
        """Let one long iteration raise an error after `seconds`; methods with short iterations ignore this."""

    @abstractmethod
    def run(self, iterations: int) -> None:
        """Run this many more iterations."""

    @abstractmethod
    def average(self) -> Strategy:
        """Return the average strategy, which converges: a profile if the game is expanded."""

    @abstractmethod
    def current(self) -> Strategy:
        """Return the strategy of the next iteration."""

    def untrained(self) -> Strategy:
        """Return the average before any training, for a method that `trains_average`."""
        raise UnsuitableError(f"{self.method} trains nothing for its average")

    def status(self) -> str:
        """Return the progress inside a long iteration in a few words; else an empty text."""
        return ""

    def hear(self, gap: float) -> None:  # few methods use it
        """Take note of the gap that was measured after the last iteration."""

    def findings(self) -> dict[str, Any]:
        """Return further facts for the record of a result, by key."""
        return {}

    def proven_values(self) -> tuple[float, ...] | None:
        """Return the value of the game to each player, if it is proven without measuring a profile."""
        return None

    def warm_start(self, profile: Profile, weight: int | None = None) -> None:
        """Begin near a profile instead of the uniform one; only before the first iteration."""
        raise UnsuitableError(f"{self.method} cannot start from a given strategy")

    def correlated(self) -> CorrelatedPlay | None:
        """Return the correlated average play, if the method keeps it."""
        return None

    def own_gap(self) -> tuple[str, float] | None:
        """Return the name and the size of the gap that the method drives to 0; None for NashConv and the CCE gap."""
        return None

    def measured(self) -> Average | None:
        """Return the values of the average play, if they are measured elsewhere than on the plain layout."""
        return None

    @abstractmethod
    def state(self) -> dict[str, Floats]:
        """Return the arrays that are, with the parameters and the iteration count, the whole state of this solver."""

    @abstractmethod
    def restore(self, iterations: int, state: Mapping[str, Floats]) -> None:
        """Take over a saved state, in place."""

    def accepts(self, state: Mapping[str, Floats]) -> bool:
        """Return whether these arrays have the names, shapes and types of this solver's state, and finite numbers."""
        ours = self.state()
        return ours.keys() == state.keys() and all(alike(array, state[name]) for name, array in ours.items())

    @exclusive
    def save(self, path: str | PathLike[str], facts: Mapping[str, Any] | None = None) -> None:
        """Write a checkpoint; `hannan.resume` continues from it to the same bits. `facts` are kept with the state."""
        if facts is not None and not isinstance(facts, Mapping):
            raise ParameterError(f"facts={shown(facts)} should be a dictionary")
        known = {
            **game_facts(self.game, hashed=isinstance(self.game, ExpandedGame)),
            "method": self.method,
            "method_parameters": self.parameters,
            "iterations": self.iterations,
        }
        if (home := self.home()) is not None:
            known |= {"class": home, "source": self.source()}
        write_arrays(path, CHECKPOINT, self.state(), {**(facts or {}), **known})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.address}, {self.iterations} iterations)"


def alike(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Return whether an array that was read may replace one of ours."""
    same = theirs.shape == ours.shape and theirs.dtype == ours.dtype
    return same and (theirs.dtype.kind != "f" or bool(np.isfinite(theirs).all()))


def part_of(state: Mapping[str, Floats], prefix: str) -> dict[str, Floats]:
    """Return the arrays of one part of a state, under its own names."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}


class FormSolver(Solver):
    """A solver that works on the sequence form, so that its game is expanded and its strategies are profiles."""

    game: ExpandedGame

    @staticmethod
    def _view(game: Game) -> ExpandedGame:
        return game.expanded()

    @abstractmethod
    def average(self) -> Profile: ...

    @abstractmethod
    def current(self) -> Profile: ...

    def _profile(self, weights: Floats) -> Profile:
        return profile_of(self, self.game, weights)


def profile_of(solver: Solver, game: ExpandedGame, weights: Floats) -> Profile:
    """Return weights over all sequences, players end to end, as a profile, scaled to sum to 1 at each set."""
    parts = np.split(weights, np.cumsum([plex.sequences for plex in game.form.treeplexes])[:-1])
    strategies = tuple(normalised(game, player, part) for player, part in enumerate(parts))
    return Profile(game, strategies, {"method": solver.method, "iterations": solver.iterations})
