"""Convert a policy to the profile of the expanded game that plays alike."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from hannan.arrays import Longs
from hannan.errors import MismatchError
from hannan.forms.tree import Labels
from hannan.strategies.index import UNKNOWN, SetIndex, forgotten
from hannan.strategies.names import matched, texts_of
from hannan.strategies.profile import Profile


def table_profile(policy: Any) -> Profile:
    """Return a `Policy` as a profile of the expanded game, uniform at the sets that it does not know."""
    game, index = policy.game.expanded(), SetIndex.of(policy.above, policy.observation)
    codes = _codes_on(policy, game.labels)
    begins = np.append(policy.base, UNKNOWN)
    texts = texts_of(game.labels)
    strategies = []
    for player, plex in enumerate(game.form.treeplexes):
        strategy = np.ones(plex.sequences)
        known = np.full(plex.sequences, UNKNOWN, np.int64)
        known[0] = player
        for low, high in pairwise(plex.level_begin.tolist()):
            first, last = int(plex.begin[low]), int(plex.begin[high])
            sizes = plex.sizes[low:high].astype(np.int64)
            forgets = player in policy.forgets
            above = forgotten(game.players, player, sizes) if forgets else known[plex.parent[low:high]]
            places = index.places(above, codes(plex.observation[low:high]))
            there = places != UNKNOWN
            if not np.array_equal(policy.size[places[there]], sizes[there]):
                raise MismatchError(f"{policy.game.address} has other actions than those of the policy")
            inside = np.arange(last - first) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            cells = np.repeat(begins[places], sizes) + inside
            there = np.repeat(there, sizes)
            if policy.names is not None and texts is not None:
                cells = _by_name(policy, cells, there, texts[plex.action[first:last]], np.repeat(places, sizes))
            strategy[first:last] = np.where(there, policy.probability[cells * there], np.repeat(1.0 / sizes, sizes))
            known[first:last] = np.where(there, cells, UNKNOWN)
        strategies.append(strategy)
    return Profile(game, tuple(strategies), dict(policy.facts))


def _by_name(policy: Any, cells: Longs, there: Any, texts: Any, places: Longs) -> Longs:
    """Return the policy's sequences, reordered at sets where the game lists the actions in another order."""
    mine = policy.names[cells * there]
    other = there & (mine != None) & (mine != texts)  # noqa: E711  # element by element
    for place in np.unique(places[other]).tolist():
        here, named = np.flatnonzero(places == place), policy.named(place)
        if named is not None:
            order = [matched(named, block) for block in texts[here].reshape(-1, len(named)).tolist()]
            cells[here] = int(policy.base[place]) + np.array(order).ravel()
    return cells


def _codes_on(policy: Any, labels: Labels | None) -> Callable[[Longs], Longs]:
    """Return a function from an expanded game's codes of observations to those of the policy."""
    if labels is None:
        return lambda seen: seen
    ours = np.array([policy.code(seen) for seen in labels.observations], np.int64)
    there = ours[ours != UNKNOWN]
    if len(np.unique(there)) < len(there):
        raise MismatchError(
            f"two observations of {policy.game.address} have the same text, so the policy's file does not tell which "
            "of them it means; let observe() return numbers and words, or a tuple of them"
        )
    return lambda seen: ours[seen]
