"""Make an environment from its address, after taking out hannan's own parameters."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hannan import arguments
from hannan.addresses import parse
from hannan.errors import STRAY, HannanError, ParameterError, UnknownNameError, UnsuitableError, nearest
from hannan.interop.zoo.steps import AecPlay, GymPlay, ParallelPlay, ZooPlay
from hannan.libraries import library
from hannan.rules.promises import told

PETTINGZOO, GYMNASIUM = "pettingzoo:", "gymnasium:"

OURS = ("api", "copies", "horizon", "outcomes", "seeded")
"""Parameters that the environment does not get. `api`: aec or parallel. `copies`: whether to copy states, so that
methods can step it. `horizon`: the number of steps after which play is over. `outcomes`: the most outcomes of a draw of
chance, if it draws. `seeded`: whether it draws the same after `reset` with the same seed."""


GYM = "gymnasium.Env"
KINDS: dict[str, Callable[[Any, int | None], ZooPlay]] = {
    "pettingzoo.AECEnv": AecPlay,
    "pettingzoo.ParallelEnv": ParallelPlay,
    GYM: GymPlay,
}
"""The class that plays an environment, by the library and the name of the environment's class."""


@dataclass(frozen=True)
class Wanted:
    """The environment that an address names, with hannan's own parameters."""

    address: str
    """The name of the game: an address that `load` takes, unless the environment was given as an object."""
    make: Callable[[], ZooPlay]
    copies: bool
    outcomes: int | None
    seeded: bool


def wanted(address: str) -> Wanted:
    """Read an address; `make` makes the environment later, each time that it is called."""
    prefix = PETTINGZOO if address.startswith(PETTINGZOO) else GYMNASIUM
    text = address.removeprefix(prefix)
    name, parenthesis, rest = text.partition("(")
    _, given = parse(f"environment({rest}" if parenthesis else "environment")
    ours = {key: given.pop(key) for key in OURS if key in given}
    api = ours.pop("api", "aec")
    if api not in ("aec", "parallel"):
        raise ParameterError(f"{address}: api={arguments.shown(api)} should be aec or parallel")
    name = name.strip()
    kind = AecPlay if api == "aec" else ParallelPlay

    def make(horizon: int | None) -> ZooPlay:
        if prefix == GYMNASIUM:
            return _gymnasium(address, name, given, horizon)
        return _played(address, kind, _made(address, _factory(name, api), given), horizon)

    return _checked(address, make, **ours)


def given_environment(env: Any, kind: str, **ours: Any) -> Wanted:
    """Return the same record for an environment object of one of the `KINDS`."""
    if kind == GYM:
        spec = env.spec
        name = type(env).__name__ if spec is None else str(spec.id)
        if ours["horizon"] is None and (spec is None or spec.max_episode_steps is None):
            raise UnsuitableError(
                f"{name} need not end: impose a horizon, as in hn.interop.from_environment(env, horizon=100)"
            )
    else:
        name = str((getattr(env, "metadata", None) or {}).get("name", type(env).__name__))

    def make(horizon: int | None) -> ZooPlay:
        return _played(name, KINDS[kind], env, horizon)

    return _checked(name, make, **ours)


def _checked(
    address: str,
    make: Callable[[int | None], ZooPlay],
    copies: Any = False,
    outcomes: Any = None,
    horizon: Any = None,
    seeded: Any = True,
) -> Wanted:
    """Check hannan's own parameters."""
    horizon = None if horizon is None else arguments.whole("horizon", horizon)
    outcomes = None if outcomes is None else arguments.whole("outcomes", outcomes)
    arguments.truth("copies", copies)
    arguments.truth("seeded", seeded)
    if copies and not seeded:
        raise ParameterError(f"{address}: with seeded=false it draws at random and hides its odds; leave copies out")
    if copies and outcomes is not None:
        raise ParameterError(f"{address}: with outcomes it draws at random and hides its odds; leave copies out")
    return Wanted(address, lambda: make(horizon), copies, outcomes, seeded)


def _played(address: str, kind: Callable[[Any, int | None], ZooPlay], env: Any, horizon: int | None) -> ZooPlay:
    """Return an environment to play; refuse an object that is not an environment of this kind."""
    try:
        return kind(env, horizon)
    except HannanError:
        raise
    except STRAY as error:
        raise UnsuitableError(f"{address} is not an environment of this kind ({told(error)})") from error


def _factory(name: str, api: str) -> Callable[..., Any]:
    """Return the function that makes a PettingZoo environment: a registered one, or one such as package.module:env."""
    place, colon, function = name.rpartition(":")
    if colon:
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        try:
            made = getattr(importlib.import_module(place), function, None)
        except STRAY as error:
            raise UnknownNameError(f"{place} could not be imported: {told(error)}") from error
        if made is None:
            raise UnknownNameError(f"{place} defines no {arguments.shown(function)}")
        return made
    pettingzoo = library("pettingzoo")
    known = pettingzoo.aec_registry if api == "aec" else pettingzoo.parallel_registry
    usual = re.sub(r"_v(\d+)$", r"-v\1", name)
    fitting = [other for other in known if other in (usual, name) or other.endswith(f"/{usual}")]
    if len(fitting) != 1:
        raise UnknownNameError(f"PettingZoo has no {api} environment {arguments.shown(name)}{nearest(usual, known)}")
    return lambda **given: pettingzoo.make(api, fitting[0], **given)


def _gymnasium(address: str, name: str, given: dict[str, Any], horizon: int | None) -> ZooPlay:
    gymnasium = library("gymnasium")
    if name not in gymnasium.registry:
        raise UnknownNameError(
            f"Gymnasium has no environment {arguments.shown(name)}{nearest(name, gymnasium.registry)}"
        )
    env = _made(address, lambda **more: gymnasium.make(name, **more), given)
    longest = env.spec.max_episode_steps if env.spec is not None else None
    if horizon is None and longest is None:
        raise UnsuitableError(f"{address} need not end: impose a horizon, as in {GYMNASIUM}{name}(horizon=100)")
    return _played(address, GymPlay, env, horizon)


def _made(address: str, factory: Callable[..., Any], given: dict[str, Any]) -> Any:
    try:
        return factory(**given)
    except HannanError:
        raise
    except ModuleNotFoundError as error:
        raise UnsuitableError(
            f"{address} needs {error.name}, which is not installed: pip install {error.name}"
        ) from error
    except STRAY as error:
        raise ParameterError(f"{address}: making it raised {told(error)}") from error
