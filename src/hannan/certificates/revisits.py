"""The check that a box shows the same at every visit of a node."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hannan.arguments import shown
from hannan.rules.box import View


class Revisits:
    """The facts of a node's first view that the trunk does not keep, to compare with every later visit.

    Equal contents are kept once: a node costs eight bytes.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._contents: list[tuple[Any, ...]] = [()]
        self._nodes: list[int] = []  # the number of each node's content; 0: not known

    def note(self, node: int, view: View) -> str | None:
        """Keep the first view of a node; return how a later view differs from it, None if it does not."""
        draw, children = view.draw, view.children
        content = (
            tuple(view.gains),
            _pairs(view.bounds),
            None if children is None else tuple((tuple(gains), _pairs(bounds)) for gains, bounds in children),
            None if draw is None or draw.outcomes is None else tuple(draw.outcomes),
            None if draw is None else draw.group,
            None if draw is None or draw.odds is None else tuple(draw.odds),
            None if draw is None or draw.similar is None else tuple(draw.similar),
        )
        if node >= len(self._nodes):
            self._nodes.extend([0] * (node + 1 - len(self._nodes) + len(self._nodes) // 8))
        before = self._nodes[node]
        if before and content == self._contents[before]:
            return None
        if not before:
            number = self._numbers.setdefault(content, len(self._contents))
            if number == len(self._contents):
                self._contents.append(content)
            self._nodes[node] = number
            return None
        names = ("gains", "bounds", "children", "outcomes", "group", "odds", "similar")
        changes = zip(names, content, self._contents[before], strict=True)
        name, new, old = next(change for change in changes if change[1] != change[2])
        return f"the box shows {name}={shown(new)} here, and showed {shown(old)} before"


def _pairs(bounds: Any) -> tuple[tuple[float, float], ...] | None:
    return None if bounds is None else tuple((low, high) for low, high in bounds)
