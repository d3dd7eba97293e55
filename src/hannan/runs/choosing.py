"""From the name of a method, or from the game alone, to a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any

from hannan import addresses, arguments
from hannan.arguments import shown
from hannan.errors import ALIKE, ParameterError, UnknownNameError, likeness, nearest
from hannan.forms.game import Game
from hannan.memory import ending_well
from hannan.solvers import METHODS, method_class
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth.engine import Updates

AUTO = "auto"

LP_SEQUENCES = 2_000
"""Up to so many sequences of all players, the linear program is solved in a fraction of a second."""


def make_solver(
    game: Game,
    method: str,
    updates: Updates | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    at_once: bool = False,
) -> tuple[Solver, str]:
    """Return a solver for a method's address, and why it was chosen.

    With `at_once`, auto may choose a method that gives the answer in one iteration.
    """
    name, given = split_method(method)
    options = {**(parameters or {}), **({} if updates is None else {"updates": updates})}
    for parameter in given.keys() & options.keys():
        if given[parameter] != options[parameter]:
            raise ParameterError(
                f"{parameter} is given twice: {shown(given[parameter])} in {method}, and {shown(options[parameter])} "
                "beside it"
            )
    given |= options
    seed = arguments.seed(fitting(0, given.pop("seed", 0)))
    why = ""
    if name == AUTO:
        name, chosen, why = choose(game, at_once=at_once and fits_lp(game, given))
        given = {**chosen, **given}
    kind = method_class(name)
    known = kind.parameter_defaults()
    for parameter in given:
        if parameter not in known:
            raise UnknownNameError(f"{name} has no parameter {shown(parameter)}{nearest(parameter, known)}")
    if "seed" in known:
        given["seed"] = seed
    with ending_well(f"{name} on {getattr(game, 'address', 'this game')}"):
        return kind(game, **{key: fitting(known[key], value) for key, value in given.items()}), why


def split_method(method: str) -> tuple[str, dict[str, Any]]:
    """Split `dcfr(alpha=1.5)` into the method and its parameters."""
    if not isinstance(method, str):
        raise ParameterError(f"method={shown(method)} should be the name of a method")
    name, parenthesis, _ = method.partition("(")
    return addresses.parse(method) if parenthesis else (name, {})


def method_text(method: str, parameters: Mapping[str, Any]) -> str:
    """Write a method with those parameters that differ from its defaults, as in `dcfr(alpha=1.5)`."""
    if method not in METHODS:
        return method
    defaults = method_class(method).parameter_defaults()
    return addresses.write(method, {name: value for name, value in parameters.items() if name in defaults}, defaults)


def misspelt(given: Iterable[str], command: Callable[..., Any]) -> tuple[str, str] | None:
    """Return the first name that no method knows and that is like one of the command's own, with that one."""
    names = list(given)
    if not names:
        return None
    own = [p.name for p in signature(command).parameters.values() if p.kind is p.KEYWORD_ONLY]
    known = {parameter for method in METHODS for parameter in method_class(method).parameter_defaults()}
    for name in names:
        best = _likest(name, own)
        if name not in known and likeness(name, best) >= max(ALIKE, likeness(name, _likest(name, known))):
            return name, best
    return None


def _likest(name: str, known: Iterable[str]) -> str:
    return max(sorted(known), key=lambda other: likeness(name, other))


def fitting(default: Any, value: Any) -> Any:
    """Convert a value to its parameter's type: 1e9 becomes an int where one is wanted, none a word where one is."""
    if isinstance(default, str):
        return "none" if value is None else value
    whole_number = default is None or (isinstance(default, int) and not isinstance(default, bool))
    return int(value) if whole_number and isinstance(value, float) and value.is_integer() else value


def fits_lp(game: Game, given: Mapping[str, Any]) -> bool:
    """Say whether the linear program is small, and takes all parameters that were given."""
    form = game.expanded().form
    if not form.competitive or sum(plex.sequences for plex in form.treeplexes) > LP_SEQUENCES:
        return False
    return set(given) <= set(method_class("lp").parameter_defaults())


def choose(game: Game, *, at_once: bool) -> tuple[str, dict[str, Any], str]:
    """Pick a method that suits the game, with its parameters, and say why."""
    if at_once:
        return (
            "lp",
            {},
            f"two players with opposed interests and at most {LP_SEQUENCES:,} sequences: the linear program gives an "
            "equilibrium at once",
        )
    if game.expanded().form.competitive:
        return (
            "pdcfr+",
            {"updates": "alternating"},
            "two players with opposed interests: predictive discounted CFR+ usually needs the fewest iterations",
        )
    kind = "general-sum" if game.players == 2 else "one player" if game.players == 1 else f"{game.players} players"
    return (
        "cfr",
        {"updates": "simultaneous"},
        f"{kind}: with simultaneous updates CFR's average play is proven to approach a coarse correlated equilibrium",
    )
