"""A given policy that outcome sampling explores around, in place of the current strategy."""

from __future__ import annotations

import hashlib
from os import PathLike

from hannan.arguments import shown
from hannan.errors import MismatchError, ParameterError
from hannan.forms.game import PlayedGame
from hannan.strategies.files import read_strategy
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy

Given = Strategy | str | PathLike[str]

MARK = "policy:"
"""The beginning of the name of a given policy that is saved with the run."""


def guide_of(game: PlayedGame, given: Given | None) -> Policy | None:
    """Return a policy for the game: the given one, or from a file. The name of a saved policy gives uniform play."""
    if given is None:
        return None
    if isinstance(given, str) and given.startswith(MARK):
        return Policy.uniform(game)  # uniform until the state is restored
    if isinstance(given, str | PathLike):
        given = read_strategy(given, game)
    if not isinstance(given, Strategy):
        raise ParameterError(f"sampling_policy={shown(given)} should be a strategy or the file of one")
    if given.game.address != game.address:
        raise MismatchError(f"sampling_policy belongs to {given.game.address}, not to {game.address}")
    table: Policy = given.policy() if given.is_table else given.profile().policy()
    return table


def name_of(policy: Policy) -> str:
    """Return a name that no other policy has."""
    digest = hashlib.sha256()
    for array in (policy.parent, policy.observation, policy.size, policy.probability):
        digest.update(array.tobytes())
    return MARK + digest.hexdigest()[:16]
