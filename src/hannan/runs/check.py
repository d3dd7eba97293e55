"""Trying out a black box: play it, and check all that it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hannan import arguments
from hannan.certificates.correlated import Correlating
from hannan.forms.boxes import Given, boxed
from hannan.forms.loader import Loadable


@dataclass(frozen=True)
class BoxCheck:
    """What was seen of a box that kept its promises."""

    game: str
    players: int
    playthroughs: int
    longest: int
    """Nodes on the longest path of play."""
    trunk: int
    """Nodes that are known now."""
    zero_sum: bool
    """Whether all gains summed to 0."""
    chance: int
    """Groups of chance nodes."""
    seeded: bool
    failures: int
    restarts: int
    trouble: str
    """Why a simulator last gave no answer; empty if it always answered."""

    def record(self) -> dict[str, Any]:
        """Return the facts for machines."""
        return dict(vars(self))


def check_box(
    game: Loadable,
    *,
    playthroughs: int = 200,
    bounds: Given = "auto",
    hidden: int | None = None,
    timeout: float | None = None,
    seed: int = 0,
) -> BoxCheck:
    """Play a box so often, uniformly at first, and raise `BoxError` at the first broken promise.

    Every playthrough is made twice where the box says that it can repeat itself.
    """
    arguments.whole("playthroughs", playthroughs)
    told = boxed(game, bounds=bounds, hidden=hidden, timeout=timeout)
    work = Correlating(told.box, bounds=told.range, every=playthroughs, seed=arguments.seed(seed))
    work.repeated = lambda t: True
    longest, zero_sum = 0, True
    for _ in range(playthroughs):
        record = work.next()
        longest = max(longest, len(record.views))
        zero_sum &= all(abs(sum(view.gains)) <= 1e-9 * max(1.0, *map(abs, view.gains)) for view in record.views)
        work.add(record)
    return BoxCheck(
        told.game.address, told.box.players, playthroughs, longest, work.trunk.nodes.used, zero_sum,
        work.trunk.groups.used, told.box.seeded, len(work.failed), told.box.restarts, told.box.trouble,
    )  # fmt: skip
