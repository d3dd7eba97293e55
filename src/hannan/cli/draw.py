"""The command `hannan draw`: the tree of a small game, as a picture or in letters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text
from rich.tree import Tree

from hannan.cli import report
from hannan.cli.options import Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.cli.strategy import strategy_for
from hannan.forms.loader import load
from hannan.nodes import Node, likely
from hannan.pictures.figures import check_target
from hannan.pictures.trees import nodes_of, picture
from hannan.rules.plain import CHANCE


def draw(
    game: str,
    file: str | None = None,
    /,
    *,
    out: Path | None = None,
    depth: Whole | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Draw the tree of a small game, with a strategy in it where one is given.

    In a picture, whoever moves is a circle (several at once: a diamond; chance: a square). Histories that a player
    cannot tell apart hang on one dashed line of its colour. A probable move is thick. Without --out the tree is printed
    in letters.

    Parameters
    ----------
    game
        The game; at most 500 histories are drawn.
    file
        A strategy file, a checkpoint, or the word `uniform`: what it does is written at the moves.
    out
        Draw the picture here (.png, .svg or .pdf).
    depth
        Draw only this many moves from the start.
    """
    check_targets({"--out": out}, (game, file))
    if out is not None:
        check_target(out)
    played = load(game).played()
    strategy = None if file is None else strategy_for(played, file, consent(trust, as_json))
    nodes = nodes_of(played, strategy, depth)
    if out is not None:
        picture(out, nodes, played.address if file is None else f"{played.address}, {file}")
    record = {"game": played.address, "strategy": file, "nodes": [_record(node) for node in nodes]}
    record["picture"] = None if out is None else str(out)

    def show() -> None:
        if out is None:
            report.console().print(_letters(played.address, nodes))
        else:
            report.console().print(f"picture of {report.counted(len(nodes), 'histories')} written to {out}")

    answer(as_json, record, show)


def _record(node: Node) -> dict[str, Any]:
    who = "chance" if node.who == (CHANCE,) else list(node.who)
    return {
        "parent": node.parent if node.parent >= 0 else None,
        "move": node.move or None,
        "probability": node.probability,
        "movers": who,
        "sets": list(node.sets),
        "set_numbers": list(node.numbers),
        "gains": list(node.gains),
        "cut": node.cut,
    }


def _letters(title: str, nodes: Sequence[Node]) -> Tree:
    """Return the tree as lines."""
    made = [Tree(Text(f"{title}: {_words(nodes[0])}"))]
    for node in nodes[1:]:
        odds = "" if node.probability is None else f" {likely(node.probability)}"
        made.append(made[node.parent].add(Text(f"{node.move}{odds}  {_words(node)}")))
    return made[0]


def _words(node: Node) -> str:
    """Say who moves at a node and what it has seen, or what was earned."""
    if not node.who:
        return "→ " + ", ".join(f"{gain:g}" for gain in node.gains)
    if node.who == (CHANCE,):
        words = "chance"
    else:
        words = ", ".join(f"player {player} at {name}" for player, name in zip(node.who, node.sets, strict=True))
    return words + (" …" if node.cut else "")
