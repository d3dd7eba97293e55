"""Tables of information sets: how often play comes there, the value, and the probabilities of actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hannan.cli import report
from hannan.measures.tables import SetRow
from hannan.measures.visits import PLAYS

ROUNDING = 1e-13
"""Regrets below this share of a set's value, or of 1 if that is larger, are rounding and are written as 0."""


def show_sets(sets: Sequence[SetRow], title: str = "most used information sets") -> None:
    """Print sets. Sets of a policy have estimates from plays and no regrets, and the title says so."""
    exact = all(row.reach is not None for row in sets)
    header = ["player", "information set", "frequency", "value", "action, probability" + " (regret)" * exact]
    lines: list[list[Any]] = []
    for row in sets:
        value = None if row.value is None else f"{row.value:.6g}"
        lines.append([row.player, row.name, None if row.frequency is None else f"{row.frequency:.6g}", value])
    taken = (max([len(name), *(len(str(line[k])) for line in lines)]) + 2 for k, name in enumerate(header[:-1]))
    room = report.console().width - sum(taken)
    for line, row in zip(lines, sets, strict=True):
        plays = [f"{play.action} {play.probability:.4f}{_regret(play.regret, row.value)}" for play in row.actions]
        line.append(_folded(plays, room))
    if not exact and any(row.frequency is not None for row in sets):
        title += f", frequency and value estimated from {PLAYS:,} plays"
    report.grid(f"\n{title}", header, lines)


def _folded(parts: list[str], room: int) -> str:
    """Write parts side by side, on as many lines as needed, without breaking a part."""
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 <= room:
            lines[-1] += f"   {part}"
        else:
            lines.append(part)
    return "\n".join(lines)


def _regret(regret: float | None, value: float | None) -> str:
    """Write a regret in parentheses; an empty text if it is not known."""
    if regret is None:
        return ""
    return f" ({0.0 if abs(regret) < ROUNDING * max(1.0, abs(value or 0.0)) else regret:+.3g})"
