"""The betting tree as text: one line per node.

A line is the history (texts of actions, '/' for a card), then the player who acts and the actions, or END and the
chips that each player has put in, separated by tabs. An all-in that is called ends the betting.
"""

from __future__ import annotations

from collections.abc import Iterator

from hannan.games.holdem.betting import Betting, Line
from hannan.turns import CHANCE, END


def tree_lines(betting: Betting) -> Iterator[str]:
    """Yield the lines of the betting tree, depth first."""
    betting.counts()  # refuses a tree that is too large
    stack: list[tuple[tuple[str, ...], Line]] = [((), betting.opening())]
    while stack:
        history, line = stack.pop()
        if line.actor == END or betting.showdown(line):
            yield "\t".join((" ".join(history), "END", *map(str, line.chips)))
        elif line.actor == CHANCE:
            stack.append(((*history, "/"), betting.deal(line)))
        else:
            menu = betting.actions(line)
            yield "\t".join((" ".join(history), f"P{line.actor}", f"[{', '.join(action.name for action in menu)}]"))
            stack += [((*history, action.text), betting.after(line, action)) for action in reversed(menu)]
