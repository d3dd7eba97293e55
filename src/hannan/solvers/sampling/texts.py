"""Texts of observations and actions in the state of a stream: bytes, separated by nulls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.kernels.sampling.records import SETS, STRANGE, Tables
from hannan.rules.source import Source
from hannan.solvers.sampling.tables import named_sets


def spelt(texts: Iterable[str | None], errors: str = "strict") -> Any:
    """Return texts as bytes; an unknown text is empty."""
    return np.frombuffer("\0".join(text or "" for text in texts).encode(errors=errors), np.uint8).copy()


def recall(source: Source, tables: Tables, labels: Any, names: Any) -> None:
    """Give the rules' observations their saved numbers, by their texts, and the actions their saved order."""
    if any(array.dtype != np.uint8 or array.ndim != 1 for array in (labels, names)):
        raise MismatchError("the state holds another kind of labels")
    texts, actions = (array.tobytes().decode().split("\0") if array.size else [] for array in (labels, names))
    sets = int(tables.counts[SETS])
    seen = tables.set_observation[:sets]
    seen = seen[seen != STRANGE]
    if not np.all((seen >= 0) & (seen < len(texts))):
        raise MismatchError("an observation in the state has no label")
    if actions and len(actions) != int(tables.set_size[:sets].sum()):
        raise MismatchError("the state names other actions than it has")
    known = np.array([*(text or None for text in actions), None], object)[:-1]
    source.recall(texts, named=named_sets(tables, sets, known, source) if actions else {})
