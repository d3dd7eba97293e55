"""Types of games and strategies: the results of `hannan.load` and `hannan.read`, and their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.forms.coarsening import forget as forget
    from hannan.forms.forgetful import ForgetfulGame as ForgetfulGame
    from hannan.forms.game import ExpandedGame as ExpandedGame
    from hannan.forms.game import PlayedGame as PlayedGame
    from hannan.forms.game import PublicGame as PublicGame
    from hannan.forms.sequence import SequenceForm as SequenceForm
    from hannan.forms.tree import GameTree as GameTree
    from hannan.forms.treeplex import Treeplex as Treeplex
    from hannan.neural.policy import NetworkPolicy as NetworkPolicy
    from hannan.rules.public import Fold as Fold
    from hannan.rules.public import Mirror as Mirror
    from hannan.rules.public import Showdown as Showdown
    from hannan.rules.public import Table as Table
    from hannan.strategies.locks import LockedGame as LockedGame
    from hannan.strategies.policyset import PolicySet as PolicySet
    from hannan.strategies.public import PublicStrategy as PublicStrategy

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
