"""What a walk over rules says when they break a promise: a sentence for each status."""

from __future__ import annotations

from hannan.errors import ChanceError, HannanError, RulesError
from hannan.kernels.statuses import (
    ACTIONS_DIFFER,
    CHANGED,
    LISTED_TWICE,
    NO_MOVES,
    NOT_A_DISTRIBUTION,
    NOT_FINITE,
    TOO_DEEP,
    TOO_LARGE,
    TOO_LARGE_IN_ALL,
    TOO_MANY_JOINT,
    TOO_WIDE,
    WRONG_POSITION,
    WRONG_TURN,
)
from hannan.rules.plain import MOST_GAIN, MOST_MOVES

SENTENCES = {
    TOO_DEEP: f"play has not ended after {MOST_MOVES} moves",
    TOO_WIDE: "there are more moves than the rules announced (width={width})",
    NO_MOVES: "a player is to move and has no action",
    ACTIONS_DIFFER: "the actions differ from those at another history of the same information set",
    NOT_A_DISTRIBUTION: "the probabilities are negative or do not sum to 1",
    NOT_FINITE: "a gain is not a finite number",
    WRONG_TURN: "turn() returned what is neither END, CHANCE nor players as bits, or names a player that there is not",
    TOO_LARGE: f"a gain is larger than {MOST_GAIN:g}; measure it in larger units",
    TOO_LARGE_IN_ALL: f"a gain is larger than {MOST_GAIN:g}, or what a walk estimates from it; measure gains in "
    "larger units",
    LISTED_TWICE: "an action of a player is listed twice",
    WRONG_POSITION: "position() returned a length below 0, or beyond the size of a state",
    TOO_MANY_JOINT: "there are more joint moves than can be numbered (2**26)",
    CHANGED: "there are other moves here than when this run was saved",
}


def complaint(status: int, where: str, width: int) -> HannanError:
    """Return the error that a status stands for; `where` names the history, `width` is what the rules announced."""
    kind = ChanceError if status == NOT_A_DISTRIBUTION else RulesError
    return kind(f"{where}: {SENTENCES[status].format(width=width)}")
