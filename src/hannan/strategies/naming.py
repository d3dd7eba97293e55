"""Actions by their names: plain-Python rules may list the same ones in another order in another process."""

from __future__ import annotations

from typing import Any

import numpy as np

from hannan.errors import MismatchError
from hannan.forms.tree import GameTree
from hannan.rules.observations import canonical


def matched(named: list[str], texts: list[str]) -> list[int]:
    """Return which of the actions that are named each of some texts is; refuse other ones."""
    if texts == named:
        return list(range(len(named)))
    if sorted(texts) != sorted(named):
        raise MismatchError(f"the strategy has the actions {', '.join(named)} where the game has {', '.join(texts)}")
    return [named.index(text) for text in texts]


def texts_of(tree: GameTree) -> Any:
    """Return the text of each action of plain-Python rules, by its code; None of compiled rules."""
    if tree.labels is None:
        return None
    return np.array([*map(canonical, tree.labels.actions), None], object)[:-1]


def names_of(tree: GameTree) -> Any:
    """Return the texts of all sequences of a tree, in the order of a policy; None of compiled rules."""
    texts = texts_of(tree)
    if texts is None:
        return None
    nobody = np.full(tree.players, None, object)
    return np.concatenate((nobody, *(texts[plex.action[1:]] for plex in tree.treeplexes)))
