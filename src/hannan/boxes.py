"""Black boxes: games that can only be played from the start, by `hannan.certify`.

Names are imported at their first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.forms.game import BoxedGame as BoxedGame
    from hannan.rules.box import ChanceMove as ChanceMove
    from hannan.rules.box import Child as Child
    from hannan.rules.box import View as View
    from hannan.rules.hidden import HiddenChance as HiddenChance
    from hannan.rules.process import ProcessBox as ProcessBox
    from hannan.runs.check import BoxCheck as BoxCheck

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
