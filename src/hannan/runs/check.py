"""Checks of the rules of a game, or of a black box, by playing it."""

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
    """The result of a check of a box that kept its promises."""

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
    """The reason of the last missing answer of a simulator; empty if it always answered."""

    def record(self) -> dict[str, Any]:
        """Return the facts for machines."""
        return dict(vars(self))


def check_game(game: Loadable, *, most: int = 100_000, plays: int = 100, seed: int = 0) -> Check:
    """Check the rules of a game, and raise an error that names the first broken promise and the path of play.

    The check makes `plays` plays to the end: first those that always take the first or the last action, then random
    ones. They find endless play, states that change, and answers that differ when asked again. Then the check visits
    up to `most` histories, level by level. It compares probabilities, gains, movers, and that the actions in an
    information set agree and have different names. It also checks the optional methods that are written (`bounds`,
    `position`, `chance_group`, `features`), and compiles compiled rules.

    Parameters
    ----------
    game : whatever `load` takes
        A rules object or class, an address such as `file.py:MyGame(top=4)`, a file, or a game. A black box has no
        rules: `check_box` plays it.
    most : int, default: 100000
        The largest number of histories to visit.
    plays : int, default: 100
        How many plays to make.
    seed : int, default: 0
        The seed of the random plays.

    Returns
    -------
    Check
        What was checked. `complete` says whether all histories were visited.

    Raises
    ------
    RulesError
        If the rules break a promise.
    UnsuitableError
        If the game is a black box.

    Examples
    --------
    >>> import hannan as hn
    >>> check = hn.check_game("kuhn_poker")
    >>> check.histories, check.complete
    (58, True)
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
    """Check a black box by playing it, and raise an error at the first broken promise.

    The first plays are uniformly random. If the box says that it can repeat itself, every playthrough is made twice.

    Parameters
    ----------
    game : whatever `load` takes
        The black box, or a game, which is then played as one.
    playthroughs : int, default: 200
        How many playthroughs to make.
    bounds : auto, rules, exact or two numbers, default: auto
        The least and the most that a player can gain, as in `certify`.
    hidden : int, optional
        For a box that never shows where chance moves: how many different answers can follow one history at most.
    timeout : float, optional
        Seconds that a simulator may take for one answer.
    seed : int, default: 0
        The seed of the playthroughs.

    Returns
    -------
    BoxCheck
        What was seen: the longest play, whether gains summed to zero, and how many chance nodes were met.

    Raises
    ------
    BoxError
        If the box breaks a promise.

    Examples
    --------
    >>> import hannan as hn
    >>> check = hn.check_box("kuhn_poker", playthroughs=50)
    >>> check.playthroughs, check.zero_sum, check.failures
    (50, True, 0)
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
