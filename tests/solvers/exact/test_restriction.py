"""Restricted treeplexes: against walks over the sequences one by one."""

from __future__ import annotations

import numpy as np
import pytest

from hannan.forms.loader import load_expanded
from hannan.forms.treeplex import Treeplex, even, flow, reaches, worth
from hannan.solvers.exact.restriction import behaviour, closed, restricted, widened


def some(plex: Treeplex, seed: int) -> np.ndarray:
    """Return the reach of a random strategy in which many actions are never played."""
    rng = np.random.default_rng(seed)
    weights = rng.random(plex.sequences) * (rng.random(plex.sequences) < 0.5)
    return reaches(plex, behaviour(plex, weights))


@pytest.mark.parametrize("address", ["leduc_poker", "goofspiel(cards=3)", "kuhn_poker"])
@pytest.mark.parametrize("seed", range(3))
def test_restricted(address: str, seed: int) -> None:
    for plex in load_expanded(address).form.treeplexes:
        reach = some(plex, seed)
        kept = closed(plex, reach, 0.0)
        for sequence in range(1, plex.sequences):
            parent = plex.parent[plex.set_of[sequence]]
            assert kept[sequence] == (reach[sequence] > 0.0)  # a strategy: no set is without an action
            assert kept[parent] or not kept[sequence]
        smaller = restricted(plex, kept)
        assert smaller.sequences == kept.sum()
        inside = reach[kept]
        assert np.abs(flow(smaller) @ inside).max() < 1e-12
        assert reaches(smaller, behaviour(smaller, inside)) == pytest.approx(inside)
        gradient = np.random.default_rng(seed).normal(size=plex.sequences)
        barred = np.where(kept, gradient, -1e6)  # nothing outside pays
        assert worth(smaller, gradient[kept])[0] == pytest.approx(worth(plex, barred)[0])


def test_sets_without_likely_actions_keep_the_likeliest() -> None:
    plex = load_expanded("leduc_poker").form.treeplexes[0]
    kept = closed(plex, reaches(plex, even(plex)), 0.2)
    for number, parent in enumerate(plex.parent):
        assert kept[plex.begin[number] : plex.begin[number + 1]].any() == kept[parent]


def test_widened_by_what_gains() -> None:
    plex = load_expanded("leduc_poker").form.treeplexes[0]
    kept = closed(plex, some(plex, 5), 0.0)
    gradient = np.random.default_rng(6).normal(size=plex.sequences)
    values = worth(plex, gradient)
    of_sets = np.full(plex.sets, -9.0)
    for number, begin in enumerate(plex.begin[:-1]):
        actions = slice(begin, plex.begin[number + 1])
        of_sets[number] = values[actions][kept[actions]].max(initial=-9.0)
    wider = widened(plex, kept, values, of_sets + 1e-9)
    assert (wider | ~kept).all()
    assert wider.sum() > kept.sum()
    assert (closed(plex, wider.astype(float), 0.5) == wider).all()
    new = wider & ~kept
    for sequence in np.flatnonzero(new):
        own = plex.set_of[sequence]
        actions = slice(plex.begin[own], plex.begin[own + 1])
        if kept[plex.parent[own]]:
            assert values[sequence] > of_sets[own]
        else:
            assert values[sequence] == values[actions].max()
