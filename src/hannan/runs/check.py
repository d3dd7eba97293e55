"""Trying out the rules of a game, or a black box: play it, and check all that it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hannan import arguments
from hannan.arguments import shown
from hannan.certificates.correlated import Correlating
from hannan.errors import UnsuitableError
from hannan.forms.boxes import Given, boxed
from hannan.forms.loader import Loadable, rules_in
from hannan.rules.checks import Check, check_rules


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


def check_game(game: Loadable, *, most: int = 100_000, plays: int = 100, seed: int = 0) -> Check:
    """Play a game and raise a `RulesError` that names the first broken promise with the path of play.

    Makes `plays` plays to the end (the first and the last action always, then random ones), looking for lines
    without end, states that change, and answers that differ when asked again. Then visits up to `most` histories,
    level by level, checking probabilities, gains, movers and that actions agree inside each information set and have
    different names. Optional methods that are written (`bounds`, `position`, `chance_group`, `features`) are checked
    everywhere, too. Compiled rules are compiled.

    `game` is a rules object or class, an address such as `file.py:MyGame(top=4)`, a file, or a game. A black box has no
    rules: `check_box` plays it.
    """
    found = rules_in(game)
    if found is None:
        raise UnsuitableError(f"{shown(game)} is a black box and has no rules: hannan.check_box checks what it shows")
    rules, address = found
    return replace(check_rules(rules, most=most, plays=plays, seed=seed), game=address)


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
