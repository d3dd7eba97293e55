"""Samplers of every kind to try, and how to compare what they have found."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import hannan as hn
from hannan.arrays import Floats
from hannan.forms.game import ExpandedGame
from hannan.kernels.sampling.records import WALKS
from hannan.solvers.sampling.sampler import Sampling
from tests import loaded
from tests.averages import average_of, current_of
from tests.delegating import Delegating

VARIANTS: dict[str, tuple[type[Sampling], dict[str, Any]]] = {
    "outcome": (hn.methods.OutcomeSampling, {}),
    "outcome, all explore": (hn.methods.OutcomeSampling, {"explore": True, "epsilon": 0.3, "averaging": "weighted"}),
    "outcome, plus": (hn.methods.OutcomeSampling, {"learner": "rm+", "gamma": 1.0}),
    "external": (hn.methods.ExternalSampling, {}),
    "external, simple": (hn.methods.ExternalSampling, {"averaging": "simple", "learner": "rm+", "gamma": 1.0}),
    "external, weighted": (hn.methods.ExternalSampling, {"averaging": "weighted", "learner": "discounted"}),
    "robust": (hn.methods.RobustSampling, {"k": 2}),
    "robust, simple": (hn.methods.RobustSampling, {"k": 1, "averaging": "simple"}),
    "chance": (hn.methods.ChanceSampling, {}),
    "chance, discounted": (hn.methods.ChanceSampling, {"learner": "discounted", "gamma": 2.0, "averaging": "weighted"}),
    "chance, plus": (hn.methods.ChanceSampling, {"learner": "rm+"}),
    "reduced": (hn.methods.VRMCCFR, {"key": "set"}),
    "reduced, external": (hn.methods.VRMCCFR, {"key": "set", "sampler": "external", "learner": "rm+"}),
    "reduced, robust": (hn.methods.VRMCCFR, {"key": "set", "sampler": "robust", "k": 1}),
    "reduced by history": (hn.methods.VRMCCFR, {"rate": 0.3}),
    "reduced by history, external": (hn.methods.VRMCCFR, {"sampler": "external", "learner": "rm+", "gamma": 2.0}),
    "predictive": (hn.methods.VRMCCFR, {"baseline": "predictive", "explore": True}),
    "predictive, robust": (hn.methods.VRMCCFR, {"baseline": "predictive", "sampler": "robust", "k": 1}),
    "guided": (hn.methods.OutcomeSampling, {"sampling_policy": "random", "epsilon": 0.2}),
    "guided, all explore": (
        hn.methods.OutcomeSampling,
        {"sampling_policy": "random", "explore": True, "averaging": "weighted"},
    ),
    "guided, reduced": (hn.methods.VRMCCFR, {"sampling_policy": "random", "epsilon": 0.2}),
}

GAMES = (
    "kuhn_poker(players=3)",
    "goofspiel(cards=3)",
    "random_game(seed=2,depth=2,chance=2,hidden=true,payoffs=general_sum)",
    "random_game(seed=6,depth=3,utilities=edges,chance=2,hidden=true)",
    "random_game(seed=4,depth=2,players=3,chance=2)",
)


def built(make: type[Sampling], game: Any, parameters: dict[str, Any], **others: Any) -> Sampling:
    """Make a solver; where the sampling policy is to be random, it is the same one for every form of the game."""
    given = {**parameters, **others}
    if given.get("sampling_policy") == "random":
        given["sampling_policy"] = hn.random_profile(hn.load(game), seed=3)
    return make(loaded.game(game) if isinstance(game, str) else game, **given)


@cache
def plainly(address: str) -> ExpandedGame:
    """Return a game whose rules are plain Python."""
    return ExpandedGame(Delegating(loaded.game(address).rules))


def walks_of(solver: Sampling) -> int:
    return int(solver._streams[0].tables.counts[WALKS])


def bits(solver: Sampling) -> list[Floats]:
    return [*current_of(solver).strategies, *average_of(solver).strategies]


def same(first: Sampling, second: Sampling) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(bits(first), bits(second), strict=True))
