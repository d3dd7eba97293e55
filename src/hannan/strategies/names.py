"""Match actions by name: plain-Python rules may list the same actions in another order in another process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.forms.tree import Labels
from hannan.forms.treeplex import Treeplex
from hannan.rules.observations import canonical


def matched(named: list[str], texts: list[str]) -> list[int]:
    """Return the place in `named` of each of `texts`; refuse other actions."""
    if texts == named:
        return list(range(len(named)))
    if sorted(texts) != sorted(named):
        raise MismatchError(f"the strategy has the actions {', '.join(named)}, but the game has {', '.join(texts)}")
    return [named.index(text) for text in texts]


def texts_of(labels: Labels | None) -> Any:
    """Return the text of each action of plain-Python rules, by its code; None for compiled rules."""
    if labels is None:
        return None
    return np.array([*map(canonical, labels.actions), None], object)[:-1]


def names_of(labels: Labels | None, treeplexes: Sequence[Treeplex]) -> Any:
    """Return the texts of all sequences of a game, in the order of a policy; None for compiled rules."""
    texts = texts_of(labels)
    if texts is None:
        return None
    nobody = np.full(len(treeplexes), None, object)
    return np.concatenate((nobody, *(texts[plex.action[1:]] for plex in treeplexes)))
