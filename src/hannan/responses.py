"""Responses to a strategy: the results of `hannan.best_response` and `hannan.respond`, and the look-ahead player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hannan.fronts import Front

if TYPE_CHECKING:
    from hannan.measures.evaluation import Response as Response
    from hannan.measures.responses.notes import gathered as gathered
    from hannan.measures.responses.respond import MeasuredResponse as MeasuredResponse
    from hannan.measures.responses.search import LookAhead as LookAhead
    from hannan.measures.responses.search import LookAheadPlayer as LookAheadPlayer
    from hannan.measures.responses.trials import Trial as Trial

_FRONT = Front(__name__)

__all__ = _FRONT.names
__dir__ = _FRONT.listed
if not TYPE_CHECKING:  # a type checker sees the imports above, and no other name
    __getattr__ = _FRONT.find
