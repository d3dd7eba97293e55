"""Games that are objects of other libraries, recognised by their class without importing a library.

An object belongs to a class if a class with that module and name is among its base classes. So hannan never imports a
library to recognise its objects; if such an object exists, the library is loaded already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hannan.arguments import shown
from hannan.errors import STRAY, ParameterError, UnsuitableError
from hannan.forms.foreign import environment_game, gambit_game, openspiel_game
from hannan.forms.game import Game
from hannan.rules.promises import told

ENVIRONMENTS = ("pettingzoo.AECEnv", "pettingzoo.ParallelEnv", "gymnasium.Env")
SPIEL, SPIEL_STATE, FRAME = "pyspiel.Game", "pyspiel.State", "pandas.DataFrame"
GAMBIT, GAMBIT_TREE = "pygambit.Game", "pygambit.ExtensiveGame"

MOST_KEPT = 4
"""The most OpenSpiel games whose hannan game is remembered."""

_kept: list[tuple[Any, Game]] = []
"""The last OpenSpiel games that were loaded as objects, each with its hannan game: a second call walks no tree."""


def is_a(thing: object, name: str) -> bool:
    """Return whether an object is of a class, given by the first word of its module and its name."""
    return name in {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(thing).__mro__}


def game_of(thing: Any) -> Game | None:
    """Return the game of an object of another library; None for any other object.

    The object may be an OpenSpiel or pygambit game, or a PettingZoo or Gymnasium environment.
    """
    if is_a(thing, SPIEL):
        return _spiel(thing)
    if is_a(thing, GAMBIT):
        return _gambit(thing)
    if _environment(thing) is not None:
        return from_environment(thing)
    if is_a(thing, SPIEL_STATE):
        raise ParameterError(f"{type(thing).__name__} is a state, not a game: give state.get_game()")
    if callable(thing) and not isinstance(thing, type):
        raise ParameterError(
            f"{shown(thing)} is a function, not a game: give what it returns, or "
            "hn.interop.from_environment(function) if "
            "it makes an environment"
        )
    return None


def _spiel(theirs: Any) -> Game:
    for k, (known, game) in enumerate(_kept):
        if known is theirs:
            _kept.insert(0, _kept.pop(k))
            return game
    game = openspiel_game(str(theirs), theirs)
    _kept[:] = [(theirs, game), *_kept[: MOST_KEPT - 1]]
    return game


def _gambit(theirs: Any) -> Game:
    name = f"pygambit's {theirs.title}" if theirs.title else "pygambit's game"
    try:
        tree = getattr(theirs, "is_tree", is_a(theirs, GAMBIT_TREE))  # newer versions have a class for trees instead
        text = theirs.to_efg() if tree else theirs.to_nfg()
    except STRAY as error:
        raise UnsuitableError(f"{name} could not be written as a file: {told(error)}") from error
    return gambit_game(name, text, table=not tree)


def frame_payoffs(frames: Any) -> dict[str, Any] | None:
    """Return the parameters of `matrix_game` that a DataFrame, or a pair of them, gives; None for anything else.

    One DataFrame holds the payoffs of the first of two players, zero-sum. Its labels name the actions.
    """
    pair = frames if isinstance(frames, list | tuple) else (frames,)
    if len(pair) not in (1, 2) or not all(is_a(frame, FRAME) for frame in pair):
        return None
    labels = [[list(map(str, side.tolist())) for side in (frame.index, frame.columns)] for frame in pair]
    if labels[0] != labels[-1]:
        raise ParameterError("two DataFrames of payoffs should have the same index and the same columns")
    payoffs = [frame.to_numpy().tolist() for frame in pair]
    whole = payoffs[0] if len(payoffs) == 1 else payoffs
    return {"payoffs": whole, "rows": labels[0][0], "columns": labels[0][1]}


def from_environment(
    environment: Any,
    *,
    copies: bool = False,
    outcomes: int | None = None,
    horizon: int | None = None,
    seeded: bool = True,
) -> Game:
    """Return the game of a PettingZoo (AEC or parallel) or Gymnasium environment, or of a function that makes one.

    Parameters
    ----------
    environment
        The environment, which is played from then on; or a function without arguments that returns one.
    copies
        Step copies of the environment, so that it has rules, and methods and matches work. It must draw nothing.
        Default: a black box, which `certify` plays.
    outcomes
        An upper bound on the outcomes of a draw, if the environment draws at random.
    horizon
        Play is over after this many steps. Default: the environment's own end.
    seeded
        Whether `reset(seed=…)` fixes what is drawn.
    """
    from hannan.interop.zoo.games import given_environment

    made = environment
    if _environment(made) is None and callable(environment):
        made = _made(environment)
    if (kind := _environment(made)) is None:
        raise ParameterError(
            f"{shown(made)} is not an environment: give a PettingZoo AECEnv or ParallelEnv, a Gymnasium Env, or a "
            "function without arguments that returns one"
        )
    asked = given_environment(made, kind, copies=copies, outcomes=outcomes, horizon=horizon, seeded=seeded)
    return environment_game(asked)


def _environment(thing: object) -> str | None:
    """Return which of `ENVIRONMENTS` an object is; None if it is not an environment."""
    return next((kind for kind in ENVIRONMENTS if is_a(thing, kind)), None)


def _made(factory: Callable[[], Any]) -> Any:
    try:
        return factory()
    except STRAY as error:
        raise ParameterError(f"{shown(factory)}: making the environment raised {told(error)}") from error
