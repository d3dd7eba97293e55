"""The command `hannan runouts`: the worth of each card that may be dealt at a node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, Trusted, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.strategy import strategy_for
from hannan.forms.loader import load
from hannan.measures.poker.runouts import Runouts
from hannan.measures.poker.runouts import runouts as all_runouts


def runouts(
    game: str,
    file: str,
    /,
    *,
    at: str = "",
    csv: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """List the cards that may be dealt at a node of a poker strategy: equity, EV, and play after each.

    Parameters
    ----------
    game
        The game that the strategy is for, such as "holdem(file='spot.toml')".
    file
        A strategy file or a checkpoint.
    at
        The play that ends a street, such as "x x" or "b120 c".
    csv
        Write the table to this file.
    """
    check_targets({"--csv": csv}, (game, file))
    found = all_runouts(strategy_for(load(game).stepped(), file, consent(trust, as_json)), at)
    if csv is not None:
        found.write_csv(csv)

    def show() -> None:
        _print(found)
        report.name_files(as_json, {"csv": csv})

    answer(as_json, lambda: {"strategy": file, **found.record()}, show)


def _print(found: Runouts) -> None:
    header = ["card", "share", "equity oop", "EV oop", "EV ip", "EQR oop", "EQR ip", *found.actions]
    lines = [
        [one.card, f"{100 * one.probability:.2f}%", _percent(one.equity[0]), *map(_chips, one.ev),
         *map(_percent, one.eqr), *map(_percent, one.frequencies or (None,) * len(found.actions))]
        for one in found.runouts
    ]  # fmt: skip
    mean: list[Any] = ["mean", "100%", _percent(found.equity[0]), *map(_chips, found.ev), None, None]
    acts = found.runouts[0].acts if found.actions else ""
    pot = "" if found.pot is None else f", pot {found.pot:g}"
    says = f"; {', '.join(found.actions)}: what {acts} does next" if acts else ""
    title = f"{found.game}: board {found.board}, after {found.at or 'no action'}{pot}{says}"
    report.grid(title, header, [*lines, mean + [None] * len(found.actions)])


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}%"


def _chips(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"
