"""The tree of a small game as text, one line per history."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hannan.nodes import Node, likely

if TYPE_CHECKING:
    from rich.tree import Tree

WIDEST = 100_000
"""The most letters of a line: large enough that no line is broken."""


@dataclass(frozen=True, repr=False)
class TreeText:
    """A tree as text: `print` shows it, and `nodes` are its histories."""

    game: str
    nodes: tuple[Node, ...]
    title: str

    def record(self) -> dict[str, Any]:
        """Return the game and its histories as one object that JSON can hold."""
        return {"game": self.game, "nodes": [_record(node) for node in self.nodes]}

    def __rich__(self) -> Tree:
        """Return the tree as rich prints it. A console of rich breaks lines that are too long for it."""
        from rich.text import Text
        from rich.tree import Tree

        made = [Tree(Text(f"{self.title}: {_words(self.nodes[0])}"))]
        for node in self.nodes[1:]:
            odds = "" if node.probability is None else f" {likely(node.probability)}"
            made.append(made[node.parent].add(Text(f"{node.move}{odds}  {_words(node)}")))
        return made[0]

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=WIDEST, color_system=None).print(self)
        return text.getvalue().rstrip("\n")

    def __repr__(self) -> str:
        return f"TreeText({self.game}, {len(self.nodes)} histories)"


def _record(node: Node) -> dict[str, Any]:
    return {
        "parent": node.parent if node.parent >= 0 else None,
        "move": node.move or None,
        "probability": node.probability,
        "movers": "chance" if node.chance else list(node.who),
        "sets": list(node.sets),
        "set_numbers": list(node.numbers),
        "gains": list(node.gains),
        "cut": node.cut,
    }


def _words(node: Node) -> str:
    """Describe a node: its movers with their information sets, or the gains at the end of play."""
    if not node.who:
        return "→ " + ", ".join(f"{gain:g}" for gain in node.gains)
    if node.chance:
        words = "chance"
    else:
        words = ", ".join(f"player {player} at {name}" for player, name in zip(node.who, node.sets, strict=True))
    return words + (" …" if node.cut else "")
