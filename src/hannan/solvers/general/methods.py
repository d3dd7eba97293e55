"""The methods that find Nash equilibria, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hannan.errors import UnknownNameError, nearest
from hannan.solvers.general.point import Points


@dataclass(frozen=True)
class Method:
    """One way to find Nash equilibria."""

    module: str
    function: str
    space: Literal["plans", "sequences", "any"]
    """Whether it works on the normal form, on the tree, or on either."""
    players: int | None
    """The required number of players; None: any number."""
    meaning: str

    @property
    def find(self) -> Callable[..., Points]:
        """The function that takes a normal form, or an expanded game, and yields its equilibria."""
        found: Any = getattr(importlib.import_module(f"hannan.solvers.general.{self.module}"), self.function)
        return found


METHODS: dict[str, Method] = {
    "pure": Method("pure", "pure", "plans", None, "every pure equilibrium, by looking at every combination of plans"),
    "vertices": Method(
        "vertices", "vertices", "plans", 2, "every extreme equilibrium, by vertices of the best-response polytopes"
    ),
    "supports": Method("supports", "supports", "plans", 2, "every extreme equilibrium, support by support; slow"),
    "lemke-howson": Method("lemke_howson", "lemke_howson", "plans", 2, "one equilibrium for each label to begin from"),
    "lemke": Method("lemke", "lemke", "sequences", 2, "one equilibrium of a tree, without its normal form"),
    "lp": Method("program", "program", "sequences", 2, "one equilibrium of a zero-sum tree, by linear programming"),
    "polynomial": Method(
        "polynomial", "all_supports", "plans", None, "isolated equilibria of any number of players, support by support"
    ),
    "first": Method("first", "first", "any", None, "one equilibrium, by several methods one after another"),
    "logit": Method("logit", "logit", "plans", None, "one equilibrium, at the end of the logit quantal response path"),
    "agent-logit": Method("logit", "agent_logit", "sequences", None, "the same on the sequence form of a tree"),
    "newton": Method("global_newton", "global_newton", "plans", None, "a few equilibria, by the global Newton method"),
    "polymatrix": Method(
        "polymatrix", "polymatrix", "plans", None, "a few equilibria, by iterated polymatrix approximation"
    ),
    "simplicial": Method(
        "simplicial", "simplicial", "plans", None, "one equilibrium, by simplicial subdivision, which always ends"
    ),
    "subgame-perfect": Method(
        "subgames", "subgame_perfect", "sequences", None, "subgame-perfect equilibria, from the smallest subgames up"
    ),
    "quasi-perfect": Method("quasiperfect", "quasi_perfect", "sequences", 2, "one quasi-perfect equilibrium of a tree"),
    "proper": Method("proper", "proper", "plans", 2, "proper equilibria of a game with few plans"),
}
"""Every method by its name."""


def method_named(name: str) -> Method:
    """Return the method of a name; refuse an unknown name."""
    if name not in METHODS:
        raise UnknownNameError(f"method {name!r} for equilibria does not exist{nearest(name, ['auto', *METHODS])}")
    return METHODS[name]
