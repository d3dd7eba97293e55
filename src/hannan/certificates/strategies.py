"""Strategies of a trunk as strategies of a game, and back. Outside the trunk play is uniform (Proposition 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from hannan.arguments import check_trust
from hannan.arrays import Floats
from hannan.certificates.certification import Fixed
from hannan.certificates.files import KIND, restored
from hannan.certificates.names import Text
from hannan.certificates.soundness import joint_strategies
from hannan.certificates.trunk import Trunk
from hannan.errors import MismatchError
from hannan.files import read_arrays, understanding
from hannan.forms.game import ExpandedGame, Game, PlayedGame, is_box
from hannan.forms.loader import Loadable, load
from hannan.forms.trust import Trust, named_game
from hannan.strategies.correlated import CorrelatedPlay
from hannan.strategies.index import UNKNOWN
from hannan.strategies.names import matched
from hannan.strategies.policy import Policy
from hannan.strategies.strategy import Strategy


def strategy_of(game: Game, trunk: Trunk, strategies: Sequence[Floats], facts: Mapping[str, Any]) -> Strategy:
    """Return a profile if the game is expanded, else a policy; both play uniformly outside the trunk."""
    policy = policy_of(game, trunk, strategies, facts)
    return policy.profile() if isinstance(game, ExpandedGame) else policy


def policy_of(game: Game, trunk: Trunk, strategies: Sequence[Floats], facts: Mapping[str, Any]) -> Policy:
    """Return the strategies as a table of information sets."""
    coded = _coded(game)
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
        names=_action_names(game, trunk) if is_box(game) else None,
    )


def _action_names(game: Game, trunk: Trunk) -> Any:
    """Return the text of the last action of each sequence, [sequences]. A box cannot give it later."""
    texts = [trunk.actions.text(code) for code in range(len(trunk.actions))]
    menus = [[texts[code] for code in menu] for menu in trunk.menus]
    last: list[str | None] = [None] * game.players
    for player in range(game.players):
        last += (name for menu in trunk.sets[player].rows.view("menu").tolist() for name in menus[menu])
    return np.array(last, object)


def _coded(game: Game) -> bool:
    """Return whether players observe integers, without names."""
    return isinstance(game, PlayedGame) and game.coded


def check_observations(game: Game, trunk: Trunk) -> None:
    """Refuse a trunk from a file in which players of compiled rules observe anything but integers."""
    if _coded(game):
        np.array([_integer(trunk, code) for code in range(len(trunk.observations))], np.int64)


def _integer(trunk: Trunk, code: int) -> int:
    """Return the integer that compiled rules observe, even if only its text was read."""
    return int(trunk.observations.text(code))


def strategy_in(path: str | PathLike[str], game: Loadable | None = None, *, trust: Trust = False) -> Strategy:
    """Return the strategy of a certificate file; see `read_correlated`."""
    joint = read_correlated(path, game, trust=trust)
    return CorrelatedPlay(joint) if len(joint) > 1 else joint[0]


def read_correlated(
    path: str | PathLike[str], game: Loadable | None = None, *, trust: Trust = False
) -> tuple[Strategy, ...]:
    """Return the profiles of a certificate file of which one is drawn and played, all alike; often there is one.

    `game` is needed unless the file names a built-in game or one of OpenSpiel's. Another address in the file, such as
    `command:./simulator`, is used only if `trust=True` agrees to it.
    """
    check_trust(trust)
    arrays, facts = read_arrays(path, KIND)
    with understanding(path, "a certificate that this hannan can read"):
        address, players, names = str(facts["game"]), int(facts["players"]), facts["names"]
        loaded = load(named_game(path, address, trust) if game is None else game)
        if loaded.address != address or loaded.players != players:
            raise MismatchError(f"{path} belongs to {address}, not to {loaded.address}")
        told = {name: facts[name] for name in ("method", "gap", "confidence", "playthroughs", "seed")}
        trunk = restored(players, arrays, names)
        joint = joint_strategies(trunk, arrays)
        return tuple(strategy_of(loaded, trunk, strategies, told) for strategies in joint)


def fixed(policy: Policy) -> Fixed:
    """Return a function that gives the strategies of a policy at the sets of a trunk."""

    def strategies(trunk: Trunk) -> list[Floats]:
        return [_on_trunk(trunk, policy, player) for player in range(trunk.seats)]

    return strategies


def _on_trunk(trunk: Trunk, policy: Policy, player: int) -> np.ndarray:
    sets = trunk.sets[player]
    strategy = np.ones(sets.sequences)
    known = np.full(sets.sequences, UNKNOWN, np.int64)  # the policy's number of each sequence
    known[0] = player if player < trunk.players else UNKNOWN
    columns = (sets.rows.view(name).tolist() for name in ("parent", "observation", "first", "size", "menu"))
    for above, code, first, size, menu in zip(*columns, strict=True):
        seen: Any = trunk.observations[code]
        if policy.labels is None:
            seen = _integer(trunk, code)
        place = UNKNOWN
        if known[above] != UNKNOWN and isinstance(seen, Text):  # read from a checkpoint, and not visited since
            place = policy.find_text(int(known[above]), seen.text, size)
        elif known[above] != UNKNOWN:
            place = policy.find(int(known[above]), seen, size)
        plays = policy.plays(place, size)
        if len(plays) != size:
            raise MismatchError("the strategy has other actions than the box at the same information set")
        named, places = None if place == UNKNOWN else policy.named(place), list(range(size))
        if named is not None:
            places = matched(named, [trunk.actions.text(action) for action in trunk.menus[menu]])
        strategy[first : first + size] = plays[places]
        known[first : first + size] = [policy.after(player, place, k) for k in places]
    return strategy
