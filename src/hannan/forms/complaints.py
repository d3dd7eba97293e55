"""What a walk over rules says when they break a promise: a sentence for each status."""

from __future__ import annotations

from hannan.errors import ChanceError, HannanError, RulesError
from hannan.kernels.statuses import (
    ACTIONS_DIFFER,
    CHANGED,
    NO_MOVES,
    NOT_A_DISTRIBUTION,
    NOT_FINITE,
    TOO_DEEP,
    TOO_WIDE,
)
from hannan.rules.plain import MOST_MOVES

SENTENCES = {
    TOO_DEEP: f"play has not ended after {MOST_MOVES} moves",
    TOO_WIDE: "there are more moves than the rules announced (width={width})",
    NO_MOVES: "a player is to move and has no action",
    ACTIONS_DIFFER: "the actions differ from those at another history of the same information set",
    NOT_A_DISTRIBUTION: "the probabilities are negative or do not sum to 1",
    NOT_FINITE: "a gain is not a finite number",
    CHANGED: "there are other moves here than when this run was saved",
}


def complaint(status: int, where: str, width: int) -> HannanError:
    """Return the error that a status stands for; `where` names the history, `width` is what the rules announced."""
    kind = ChanceError if status == NOT_A_DISTRIBUTION else RulesError
    return kind(f"{where}: {SENTENCES[status].format(width=width)}")
