"""The command `hannan export`."""

from __future__ import annotations

from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, check_targets
from hannan.cli.report import answer
from hannan.exports.gambit.text import check_ending, export_game
from hannan.forms.loader import load
from hannan.runs.status_line import expansion_line


def export(game: str, /, *, out: Path, as_json: Json = False) -> None:
    """Write a game to a file of Gambit's: its tree (.efg) or its normal form (.nfg).

    In a tree joint moves are made one after another, and later movers do not see earlier ones.

    Parameters
    ----------
    game
        Any game that can be expanded: a built-in one, file.py:MyRules, file.efg, openspiel:NAME.
    out
        The file to write; its ending says which of the two.
    """
    check_ending(out)
    check_targets({"--out": out}, (game,))
    loaded = load(game)
    with expansion_line():
        export_game(loaded, out)
    record = {"game": loaded.address, "out": str(out), "bytes": out.stat().st_size}
    answer(as_json, record, lambda: report.console().print(f"{loaded.address} written to {out}", soft_wrap=True))
