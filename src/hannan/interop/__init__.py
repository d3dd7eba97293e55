"""Reading other people's games, into rules or a black box: OpenSpiel, Gambit files, PettingZoo, Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.exports.gambit.profiles import from_pygambit as from_pygambit
    from hannan.exports.gambit.profiles import to_pygambit as to_pygambit
    from hannan.exports.openspiel.game import to_openspiel_game as to_openspiel_game
    from hannan.exports.openspiel.policies import from_openspiel as from_openspiel
    from hannan.exports.openspiel.policies import openspiel_table as openspiel_table
    from hannan.exports.openspiel.policies import to_openspiel as to_openspiel
    from hannan.exports.pettingzoo.environment import to_pettingzoo as to_pettingzoo
    from hannan.forms.objects import from_environment as from_environment

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
