"""The names of the methods that find Nash equilibria, and which of them suits a game."""

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
    space: Literal["plans", "sequences"]
    """Whether it works on the normal form or on the sequence form."""
    players: int | None
    """How many players a game must have; None: any number."""
    meaning: str

    @property
    def find(self) -> Callable[..., Points]:
        """The function that takes a normal form, or an expanded game, and yields its equilibria."""
        found: Any = getattr(importlib.import_module(f"hannan.solvers.general.{self.module}"), self.function)
        return found


METHODS: dict[str, Method] = {
    "pure": Method("pure", "pure", "plans", None, "Every pure equilibrium, by looking at every combination of plans."),
    "vertices": Method(
        "vertices", "vertices", "plans", 2, "Every extreme equilibrium, by vertices of the best-response polytopes."
    ),
    "supports": Method(
        "supports", "supports", "plans", 2, "Every extreme equilibrium, support by support; slow, for comparison."
    ),
    "lemke-howson": Method("lemke_howson", "lemke_howson", "plans", 2, "One equilibrium for each label to begin from."),
}
"""Every method by its name."""


def method_named(name: str) -> Method:
    """Return the method of a name, or refuse the name."""
    if name not in METHODS:
        raise UnknownNameError(f"{name!r} finds no equilibria{nearest(name, ['auto', *METHODS])}")
    return METHODS[name]
