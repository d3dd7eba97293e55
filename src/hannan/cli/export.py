"""The command `hannan export`."""

from __future__ import annotations

from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, Trusted, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.strategy import strategy_for
from hannan.errors import ParameterError
from hannan.exports.gambit.text import check_ending, export_game
from hannan.forms.loader import load
from hannan.measures.tables import export_csv
from hannan.runs.status_line import expansion_line


def export(game: str, file: str | None = None, /, *, out: Path, trust: Trusted = False, as_json: Json = False) -> None:
    """Write a game to a Gambit file (its tree .efg, its normal form .nfg), or a strategy to a table (.csv).

    In a tree joint moves are made one after another, and later movers do not see earlier ones. The table has one line
    for each action of each information set.

    Parameters
    ----------
    game
        Any game that can be expanded: a built-in one, file.py:MyRules, file.efg, openspiel:NAME. With a strategy, any
        game.
    file
        A strategy file, a checkpoint, a certificate, or the word uniform.
    out
        The file to write; its suffix says which of the three forms.
    """
    if file is None:
        check_ending(out)
    elif out.suffix.lower() != ".csv":
        raise ParameterError(f"--out {out}: a strategy is written as a table, to a file that ends in .csv")
    check_targets({"--out": out}, (game, *([] if file is None else [file])))
    loaded = load(game)
    if file is not None:
        export_csv(strategy_for(loaded.stepped(), file, consent(trust, as_json)), out)
    else:
        with expansion_line():
            export_game(loaded, out)
    record = {"game": loaded.address, "out": str(out), "bytes": out.stat().st_size}
    answer(as_json, record, lambda: report.console().print(f"{loaded.address} written to {out}", soft_wrap=True))
