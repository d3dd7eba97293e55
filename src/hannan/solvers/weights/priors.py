"""Priors of multiplicative weights: distributions over pure strategies, given as behaviour strategies.

A prior that draws the actions of information sets independently is a behaviour strategy. Both uniform priors are of
this kind: over the full normal form all actions of a set are equally likely; over the reduced one, the probability of
an action is proportional to the number of reduced plans after it.
"""

from __future__ import annotations

from os import PathLike

import numpy as np

from hannan.arguments import shown
from hannan.arrays import Floats
from hannan.errors import MismatchError, ParameterError
from hannan.files import is_file
from hannan.forms.game import ExpandedGame
from hannan.kernels.fullwidth import passes, weights
from hannan.layouts.layout import flat_of
from hannan.strategies.files import read_strategy
from hannan.strategies.profile import Profile, uniform
from hannan.strategies.strategy import Strategy

NAMES = ("full", "reduced")

GIVEN = "given"
"""The name of a prior of the user, which a solver's saved state contains."""

Prior = str | PathLike[str] | Strategy


def log_prior(game: ExpandedGame, prior: Prior) -> tuple[str, Floats]:
    """Return the name of a prior, and the log of its probabilities over all sequences, in the order of `Flat`.

    `prior` is `full`, `reduced`, a strategy of this game, or the file of one. (`given` stands for a prior that a saved
    state is about to bring back.)
    """
    if isinstance(prior, str) and prior in ("full", GIVEN):
        return prior, _log(uniform(game))
    if isinstance(prior, str) and prior == "reduced":
        flat = flat_of(game.form)
        logs = np.zeros(int(flat.sequence_begin[-1]))
        for player in range(game.players):
            weights.count(flat, player, logs)
        return prior, logs
    if isinstance(prior, str | PathLike):
        if not is_file(prior):
            raise ParameterError(f"prior={shown(str(prior))} should be {', '.join(NAMES)}, or the file of a strategy")
        prior = read_strategy(prior, game)
    if not isinstance(prior, Strategy):
        raise ParameterError(f"prior={shown(prior)} should be {', '.join(NAMES)}, or a strategy of {game.address}")
    profile: Profile = prior.profile()
    if profile.game is not game and profile.game.form.hash != game.form.hash:
        raise MismatchError(f"the prior is for {profile.game.address}, not for {game.address}")
    return GIVEN, _log(profile)


def depth(game: ExpandedGame, logs: Floats) -> tuple[float, ...]:
    """Return, for each player, -log of the prior of its least likely pure strategy, those of prior 0 left out.

    Choices at sets that a strategy never reaches do not count. The regret of Hedge grows with this number, which is the
    log of the number of strategies if the prior is uniform.
    """
    flat = flat_of(game.form)
    best = np.zeros(flat.set_begin[-1], np.int32)
    rare = np.where(np.isfinite(logs), -logs, -np.inf)
    return tuple(max(0.0, float(passes.respond(flat, player, rare, best))) for player in range(game.players))


def _log(profile: Profile) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.concatenate(profile.strategies))
    return logs
