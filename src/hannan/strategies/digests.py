"""Digests of tables: equal for equal strategies, whatever the order of the sets."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.splitmix import GOLDEN, all_mixed


def policy_digest(policy: Any) -> str:
    """Return a digest of the probabilities at all sets, each set identified by its player's way to it."""
    players, sets = policy.game.players, policy.sets
    seen = policy.observation.view(np.uint64) if policy.labels is None else _texts(policy.labels)[policy.observation]
    forgets = np.isin(policy.owner, policy.forgets).astype(np.uint64)
    here = _both(_both(seen, policy.size.astype(np.uint64)), forgets)
    way = np.concatenate((np.arange(players, dtype=np.uint64), np.zeros(len(policy.probability) - players, np.uint64)))
    taken = _actions(policy)
    for level in _levels(policy):
        cells = np.repeat(policy.base[level], policy.size[level]) + _places(policy.size[level])
        way[cells] = _both(np.repeat(_both(way[policy.parent[level]], here[level]), policy.size[level]), taken[cells])
    each = _both(way[players:], (policy.probability[players:] + 0.0).view(np.uint64))
    facts = np.array([players, sets, int(each.sum(dtype=np.uint64)), int(np.bitwise_xor.reduce(each))], np.uint64)
    return blake2b(facts.tobytes(), digest_size=16).hexdigest()


def _levels(policy: Any) -> list[Longs]:
    """Return the numbers of sets by level, first the sets without an earlier set of the same player."""
    players = policy.game.players
    set_of = np.repeat(np.arange(policy.sets), policy.size)
    above = np.where(policy.parent < players, -1, set_of[np.maximum(policy.parent - players, 0)])
    depth = (above >= 0).astype(np.int64)
    while np.any(above >= 0):  # each round doubles the distance to the set above
        depth, above = depth + np.append(depth, 0)[above], np.append(above, -1)[above]
    return [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=-1)) + 1)]


def _places(size: Longs) -> Longs:
    """Return 0, 1, … for the actions of each set."""
    return np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)


def _actions(policy: Any) -> Any:
    """Return a number for the last action of each sequence: a digest of its name or, if that is unknown, its place."""
    players = policy.game.players
    places = np.concatenate((np.zeros(players, np.int64), _places(policy.size))).astype(np.uint64)
    if policy.names is None:
        return places
    named = np.array([name is not None for name in policy.names], bool)
    places[named] = _texts(tuple(policy.names[named].tolist()))
    return places


def _texts(texts: tuple[str, ...]) -> Any:
    digests = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), np.uint64)


def _both(one: Any, other: Any) -> Any:
    """Mix two numbers of 64 bits into one."""
    return all_mixed(all_mixed(one + np.uint64(GOLDEN)) + other)
