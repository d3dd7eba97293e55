"""Error messages for the statuses of walks over compiled rules: the path of play, then a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hannan.errors import STRAY, HannanError, RulesError
from hannan.kernels.statuses import ACTIONS_DIFFER, CHANGED, TOO_DEEP, TOO_LARGE
from hannan.rules.plain import MOST_GAIN, Rules
from hannan.rules.promises import ENDLESS, broken, other_actions, raised

SENTENCES = {
    TOO_DEEP: ENDLESS,
    TOO_LARGE: f"a gain is larger than {MOST_GAIN:g}, or what a walk estimates from it; measure gains in larger units",
    CHANGED: "there are other moves here than when this run was saved",
}
"""Sentences for statuses whose cause cannot be found from the rules at one state."""

UNLIKE_PYTHON = "the compiled functions break a promise that they keep as ordinary Python; check_game says which one"


def complaint(status: int, rules: Rules, where: str, stand: Callable[[], Any]) -> HannanError:
    """Return the error for a status; `where` names the history, `stand` returns the state there."""
    if status in SENTENCES:
        return RulesError(f"{where}: {SENTENCES[status]}")
    try:
        state = stand()
        found = broken(rules, state)
        if found is None and 0 <= (player := status - ACTIONS_DIFFER) < rules.players:
            text = rules.observation_text(player, rules.observe(state, player))
            found = RulesError, other_actions(player, rules.actions(state, player), text)
    except STRAY as error:
        found = RulesError, raised("the rules", error)
    kind, sentence = found or (RulesError, UNLIKE_PYTHON)
    return kind(f"{where}: {sentence}")
