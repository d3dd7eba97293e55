"""Selection rules of users: a class with two short functions that are compiled into the walk of a search."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hannan import addresses
from hannan.addresses import parse_place
from hannan.arguments import number, shown
from hannan.arrays import Floats
from hannan.errors import STRAY, UnsuitableError
from hannan.forms.classes import made, thing_at
from hannan.rules.compilation import gist, plain_function
from hannan.rules.promises import told
from hannan.solvers.parameters import defaults

SIZES = (2, 3, 7)
"""Numbers of actions with which a rule is tried in plain Python before it is compiled."""

ROUNDS = 4
"""Updates of each trial."""


class SelectionRule:
    """A rule that chooses actions at the nodes of a tree search, for each player by itself.

    It keeps one number for each action of a node, 0 at first. `play` turns them into weights, `learn` changes them.
    Both are compiled by numba, and read and write one place at a time. The walk draws, explores with probability
    `gamma`, counts and averages. The keyword arguments of the constructor are numbers: the `constants`, in their order.
    """

    gamma: ClassVar[float] = 0.1
    """How much is explored by default."""
    mean: ClassVar[bool] = False
    """Whether nodes return the mean of their visits by default, and not the sample."""
    averages: ClassVar[bool] = False
    """Whether the answer is the average of what was played; else it is how often each action was taken."""

    play: ClassVar[Callable[..., None]]
    """play(learnt, size, visits, constants, weights), a static method.

    Write into `weights` how much each of the `size` actions is to be played: 0 or more each, with a sum above 0.
    `visits` is the number of visits of the node before this one.
    """
    learn: ClassVar[Callable[..., None]]
    """learn(learnt, size, visits, constants, gains, taken, probability), a static method.

    Update `learnt` after action `taken`, which was drawn with `probability` and gained gains[taken]. For every other
    action, `gains` holds the mean of its gains so far against the other player's present action. All gains are the
    player's own, scaled to [0, 1].
    """

    def __init__(self) -> None:
        """A subclass may take numbers by name; it must keep them as attributes of the same names."""

    @cached_property
    def name(self) -> str:
        """The address of the class, with its parameters: how results and files call the rule."""
        kind: Any = type(self)
        place = vars(kind).get("_home", f"{kind.__module__}:{kind.__qualname__}")
        return addresses.write(place, {name: getattr(self, name) for name in defaults(kind)}, defaults(kind))

    @cached_property
    def constants(self) -> Floats:
        """The values of the parameters."""
        kind: Any = type(self)
        return np.array([number(name, getattr(self, name)) for name in defaults(kind)] or [0.0])

    @cached_property
    def compiled(self) -> tuple[Any, Any]:
        """`play` and `learn` as machine code."""
        from hannan.kernels.mcts.users import LEARN, PLAY

        self._try()
        return _compiled(self, "play", PLAY), _compiled(self, "learn", LEARN)

    def _try(self) -> None:
        """Run both functions in plain Python, where an index out of range is an error, and check the weights."""
        play, learn = (plain_function(getattr(type(self), name)) for name in ("play", "learn"))
        for size in SIZES:
            learnt, weights = np.zeros(size), np.zeros(size)
            for visits in range(1, ROUNDS + 1):
                for name, function, more in (
                    ("play", play, (weights,)),
                    ("learn", learn, (np.linspace(0.0, 1.0, size), visits % size, 1.0 / size)),
                ):
                    try:
                        function(learnt, size, float(visits), self.constants, *more)
                    except STRAY as error:
                        raise UnsuitableError(
                            f"{self.name}: {name}() with {size} actions raised {told(error)}"
                        ) from error
                    if name == "play" and not (np.all(weights >= 0) and 0 < weights.sum() < np.inf):
                        raise self._error(f"play() wrote the weights {shown(weights.tolist())}")

    def check(self, numbers: Floats) -> None:
        """Refuse numbers of a tree that contain NaN, which weights that cannot be played leave behind."""
        if np.isnan(numbers).any():
            raise self._error("during the search play() wrote weights that cannot be played, or learn() wrote NaN")

    def _error(self, what: str) -> UnsuitableError:
        return UnsuitableError(f"{self.name}: {what}; expected weights of 0 or more, with a finite sum above 0")


def _compiled(rule: SelectionRule, name: str, signature: Any) -> Any:
    from numba.core.errors import NumbaError

    from hannan.kernels import OWNING, pointed

    try:
        return pointed(plain_function(getattr(type(rule), name)), signature, OWNING)
    except NumbaError as error:
        raise UnsuitableError(
            f"{rule.name}: {name}() cannot be compiled; its arguments are numbers, and addresses that are read and "
            f"written one place at a time, without slices, lengths or methods. numba says: {gist(error)}"
        ) from error


def user_rule(given: Any) -> SelectionRule | None:
    """Return the rule that a class, `file.py:Class(parameter=value)` or a rule gives; None for anything else."""
    parameters: dict[str, Any] = {}
    if isinstance(given, str):
        place = parse_place(given)
        if place is None:
            return None
        parameters, given = place[1], thing_at(place[0])
        if not isinstance(given, type) or not issubclass(given, SelectionRule):
            raise UnsuitableError(f"{place[0]} is not a subclass of hannan.methods.SelectionRule")
        given._home = place[0]  # type: ignore[attr-defined]  # what checkpoints name
    if isinstance(given, type) and issubclass(given, SelectionRule):
        _check(given)
        given = made(given, parameters, vars(given).get("_home", given.__name__))
    return given if isinstance(given, SelectionRule) else None


def _check(kind: type[SelectionRule]) -> None:
    """Refuse a class that lacks a function, or whose function is not a static method with the right arguments."""
    for name, words in (("play", 5), ("learn", 7)):
        function = inspect.getattr_static(kind, name, None)
        if not isinstance(function, staticmethod):
            raise UnsuitableError(
                f"{kind.__name__} lacks {name}(), a @staticmethod; hannan.methods.SelectionRule says what it does"
            )
        taken = len(inspect.signature(plain_function(function.__func__)).parameters)
        if taken != words:
            raise UnsuitableError(f"{kind.__name__}: {name}() takes {taken} arguments, and should take {words}")
