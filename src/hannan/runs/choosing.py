"""From the name of a method, or from the game alone, to a solver."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from hannan.errors import ParameterError, UnknownNameError, nearest
from hannan.forms.game import Game
from hannan.games.catalogue import parse
from hannan.solvers import method_class
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth.engine import Updates

SEEDS = (-(2**63), 2**63 - 1)
"""The least and the largest seed."""


def make_solver(
    game: Game, method: str, updates: Updates | None, parameters: dict[str, Any] | None = None
) -> tuple[Solver, str]:
    """Return a solver for a method's address, and why it was chosen."""
    if not isinstance(method, str):
        raise ParameterError(f"method={method!r} should be the name of a method")
    why = ""
    given = dict(parameters or {})
    seed = check_seed(given.pop("seed", 0))
    if method == "auto":
        method, updates, why = choose(game, updates)
    else:
        method, from_address = split_method(method)
        given = {**from_address, **given}
    if updates is not None:
        given["updates"] = updates
    kind = method_class(method)
    known = kind.parameter_defaults()
    for name in given:
        if name not in known:
            raise UnknownNameError(f"{method} has no parameter {name!r}{nearest(name, known)}")
    if "seed" in known:
        given["seed"] = check_seed(given.get("seed", seed))
    return kind(game, **given), why


def split_method(address: str) -> tuple[str, dict[str, Any]]:
    """Split `dcfr(alpha=1.5)` into the method and its parameters; names such as cfr+ are not Python's."""
    name, parenthesis, rest = address.partition("(")
    if not parenthesis:
        return name, {}
    given = parse(f"method({rest}")[1]
    defaults = method_class(name).parameter_defaults()
    return name, {key: fitting(defaults.get(key, ""), value) for key, value in given.items()}


def fitting(default: Any, value: Any) -> Any:
    """Return a value read from text as its parameter takes it: 1e9 as a whole number, and none as a word."""
    if isinstance(default, str):
        return "none" if value is None else value
    whole_number = default is None or (isinstance(default, int) and not isinstance(default, bool))
    return int(value) if whole_number and isinstance(value, float) and value.is_integer() else value


def check_seed(seed: int) -> int:
    """Return a seed, or name the range in which it should lie."""
    least, most = SEEDS
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not least <= seed <= most:
        raise ParameterError(f"seed={seed!r} should be a whole number from -2**63 to 2**63 - 1 ({least:,} to {most:,})")
    return int(seed)


def choose(game: Game, updates: Updates | None) -> tuple[str, Updates, str]:
    """Pick a method that suits the game, and say why."""
    if game.expanded().form.competitive:
        return (
            "pdcfr+",
            updates or "alternating",
            "two players with opposed interests: predictive discounted CFR+ usually needs the fewest iterations",
        )
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        updates or "simultaneous",
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium",
    )
