"""One treeplex in NumPy, level by level: its flow constraints, reach from the root down, worth from the leaves up.

For work that is done once and should not wait for a compiler; iterations are the business of `hannan.kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.arrays import Floats
from hannan.forms.treeplex import Treeplex


def flow(plex: Treeplex) -> Any:
    """Return the matrix that takes, at each set, the parent sequence from the sum of the actions, [sets, sequences]."""
    from scipy.sparse import csr_array

    rows = np.concatenate((plex.set_of[1:], np.arange(plex.sets)))
    columns = np.concatenate((np.arange(1, plex.sequences), plex.parent))
    signs = np.repeat([1.0, -1.0], [plex.sequences - 1, plex.sets])
    return csr_array((signs, (rows, columns)), shape=(plex.sets, plex.sequences))


def reaches(plex: Treeplex, strategy: Floats) -> Floats:
    """Return the product of a strategy's probabilities along each sequence."""
    reach = strategy.copy()
    for first, last in zip(plex.level_begin[:-1], plex.level_begin[1:], strict=True):
        reach[plex.begin[first] : plex.begin[last]] *= np.repeat(reach[plex.parent[first:last]], plex.sizes[first:last])
    return reach


def worth(plex: Treeplex, gradient: Floats) -> Floats:
    """Return what each sequence is worth with best play after it; for the empty one that is a best response's value."""
    result = gradient.copy()
    for first, last in zip(plex.level_begin[-2::-1], plex.level_begin[:0:-1], strict=True):
        begin = plex.begin[first:last]
        best = np.maximum.reduceat(result[begin[0] : plex.begin[last]], begin - begin[0])
        np.add.at(result, plex.parent[first:last], best)
    return result


def best_actions(plex: Treeplex, gradient: Floats) -> Floats:
    """Return 1 for each action that is best at its set, ties within rounding included, and 0 for the others."""
    if plex.sets == 0:
        return np.ones(1)
    values = worth(plex, gradient)
    best = np.repeat(np.maximum.reduceat(values, plex.begin[:-1]), plex.sizes)
    return np.concatenate(([1.0], values[1:] >= best - 1e-12 * np.abs(gradient).max()))
