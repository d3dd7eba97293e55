"""The command `hannan draw`: the tree of a small game, as a picture or in letters; or how players learn in it."""

from __future__ import annotations

from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.strategy import strategy_for
from hannan.errors import ParameterError
from hannan.forms.loader import load
from hannan.pictures.figures import check_target
from hannan.pictures.portraits import portrait
from hannan.pictures.trees import draw as drawing
from hannan.pictures.trees import picture


def draw(
    game: str,
    file: str | None = None,
    /,
    *,
    out: Path | None = None,
    depth: Whole | None = None,
    dynamics: str | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Draw the tree of a small game, with a strategy in it if you give one; or how players learn.

    In a picture, a node at which one player moves is a circle (several players: a diamond; chance: a square). Histories
    that a player cannot tell apart hang on one dashed line of its colour. A probable move is thick. Without --out the
    tree is printed in letters.

    With --dynamics, the picture shows instead how two players with two or three actions each learn, from a grid of
    starts, with the equilibria marked.

    Parameters
    ----------
    game
        The game; at most 500 histories are drawn.
    file
        A strategy file, a checkpoint, or the word `uniform`: its probabilities are written at the moves.
    out
        Draw the picture here (.png, .svg or .pdf).
    depth
        Draw only this many moves from the start.
    dynamics
        Draw how players learn by these dynamics, separated by commas: replicator, hedge, einr, rm, rm+.
    """
    check_targets({"--out": out}, (game, file))
    if out is not None:
        check_target(out)
    if dynamics is not None:
        if out is None or file is not None or depth is not None:
            raise ParameterError("--dynamics draws a picture of a game: give --out, and neither a strategy nor --depth")
        names = [name.strip() for name in dynamics.split(",")]
        loaded = load(game)
        portrait(loaded, out, names)
        record = {"game": loaded.address, "dynamics": names, "picture": str(out)}
        answer(as_json, record, lambda: report.console().print(f"portrait of {loaded.address} written to {out}"))
        return
    played = load(game).played()
    strategy = None if file is None else strategy_for(played, file, consent(trust, as_json))
    tree = drawing(played, strategy=strategy, depth=depth, letters=True)
    if out is not None:
        picture(out, tree.nodes, played.address if file is None else f"{played.address}, {file}")

    def show() -> None:
        if out is None:
            report.console().print(tree)
        else:
            report.console().print(f"picture of {report.counted(len(tree.nodes), 'histories')} written to {out}")

    answer(as_json, {**tree.record(), "strategy": file, "picture": None if out is None else str(out)}, show)
