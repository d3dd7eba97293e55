"""OpenSpiel's games as Gambit's .efg text, with exact probabilities: what OpenSpiel's own export rounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

FINEST = 10**6
"""The largest denominator of a probability or a payoff."""


def efg(game: Any) -> str:
    """Write a game whose players move one after another."""
    lines = [f'EFG 2 R "game" {{ {" ".join(f"{chr(34)}{p}{chr(34)}" for p in range(game.num_players()))} }}']
    sets: list[dict[str, int]] = [{} for _ in range(game.num_players())]
    ends = chances = 0
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        if state.is_terminal():
            ends += 1
            lines.append(f't "" {ends} "" {{ {" ".join(_exact(payoff) for payoff in state.returns())} }}')
            continue
        if state.is_chance_node():
            chances += 1
            outcomes = " ".join(f'"{number}" {_exact(share)}' for number, share in state.chance_outcomes())
            lines.append(f'c "" {chances} "" {{ {outcomes} }} 0')
        else:
            player = state.current_player()
            number = sets[player].setdefault(state.information_state_string(), len(sets[player]) + 1)
            actions = " ".join(f'"{action}"' for action in state.legal_actions())
            lines.append(f'p "" {player + 1} {number} "" {{ {actions} }} 0')
        pending += [state.child(action) for action in reversed(state.legal_actions())]
    return "\n".join(lines) + "\n"


def _exact(number: float) -> str:
    return str(Fraction(number).limit_denominator(FINEST))
