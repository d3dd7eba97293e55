"""From the strategies of a trunk to those of a game, and back. Outside the trunk play is uniform (Proposition 2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hannan.certificates.certification import Fixed
from hannan.certificates.pseudogame import Pair
from hannan.certificates.trunk import Trunk
from hannan.errors import MismatchError
from hannan.forms.game import ExpandedGame, Game, PlayedGame
from hannan.strategies.policy import UNKNOWN, Policy
from hannan.strategies.profile import Profile


def strategy_of(game: Game, trunk: Trunk, strategies: Pair, facts: Mapping[str, Any]) -> Profile | Policy:
    """Return a profile where the game is expanded, else a policy; both play uniformly where the trunk ends."""
    policy = policy_of(game, trunk, strategies, facts)
    return policy.profile() if isinstance(game, ExpandedGame) else policy


def policy_of(game: Game, trunk: Trunk, strategies: Pair, facts: Mapping[str, Any]) -> Policy:
    """Return the strategies as a table of information sets."""
    coded = isinstance(game, PlayedGame) and game.compiled
    parent, observation, size, probability = [], [], [], [np.ones(game.players)]
    shift = game.players - 1
    for player in range(game.players):
        rows, strategy = trunk.sets[player].rows, strategies[player]
        above = rows.view("parent").astype(np.int64)
        parent.append(np.where(above == 0, player, above + shift))
        codes = rows.view("observation").astype(np.int64)
        if coded:
            codes = np.array([_integer(trunk, code) for code in codes.tolist()], np.int64)
        observation.append(codes)
        size.append(rows.view("size").astype(np.int64))
        probability.append(strategy[1:])
        shift += trunk.sets[player].sequences - 1
    sizes = np.concatenate(size)
    names = trunk.observations
    return Policy(
        game,
        np.concatenate(parent),
        np.concatenate(observation),
        game.players + np.cumsum(sizes) - sizes,
        sizes,
        np.concatenate(probability),
        None if coded else tuple(names.text(code) for code in range(len(names))),
        dict(facts),
        None if coded else names.things(),
    )


def _integer(trunk: Trunk, code: int) -> int:
    """Return what compiled rules observe, also where only its text was read."""
    return int(trunk.observations.text(code))


def fixed(policy: Policy) -> Fixed:
    """Return what gives the strategies of a policy at the sets of a trunk."""

    def strategies(trunk: Trunk) -> Pair:
        found = [_on_trunk(trunk, policy, player) for player in range(2)]
        return found[0], found[1]

    return strategies


def _on_trunk(trunk: Trunk, policy: Policy, player: int) -> np.ndarray:
    sets = trunk.sets[player]
    strategy = np.ones(sets.sequences)
    known = np.full(sets.sequences, UNKNOWN, np.int64)  # each sequence as the policy numbers it
    known[0] = player if player < trunk.players else UNKNOWN
    columns = (sets.rows.view(name).tolist() for name in ("parent", "observation", "first", "size"))
    for above, code, first, size in zip(*columns, strict=True):
        seen: Any = trunk.observations[code]
        if policy.labels is None:
            seen = _integer(trunk, code)
        place = policy.find(int(known[above]), seen) if known[above] != UNKNOWN else UNKNOWN
        plays = policy.plays(place, size)
        if len(plays) != size:
            raise MismatchError("the strategy has other actions than the box at the same information set")
        strategy[first : first + size] = plays
        if place != UNKNOWN:
            known[first : first + size] = policy.after(place, 0) + np.arange(size)
    return strategy
