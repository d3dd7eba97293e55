"""The command `hannan check`."""

from __future__ import annotations

from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.output import answer
from hannan.runs.check import check_box


def check(
    game: str,
    /,
    *,
    playthroughs: Whole = 200,
    bounds: str = "auto",
    hidden: Whole | None = None,
    timeout: float | None = None,
    seed: Whole = 0,
    as_json: Json = False,
) -> None:
    """Try out a simulator or the rules of a game, and name the first broken promise.

    Exit code 0: all promises were kept where play came; 2: one was broken.

    Parameters
    ----------
    game
        A simulator as command:./sim --flag, a black box as module:place:factory, or any game.
    playthroughs
        How often to play; every playthrough is played twice, where the simulator says that it can repeat itself.
    bounds
        LOW,HIGH for all that a player can gain in the whole game, where the box does not say it.
    hidden
        The box never shows its chance nodes: how many different answers can follow one history at most.
    timeout
        Seconds for one answer of a simulator; 60 where not given.
    seed
        The master seed.
    """
    outcome = check_box(game, playthroughs=playthroughs, bounds=bounds, hidden=hidden, timeout=timeout, seed=seed)
    facts = outcome.record()
    answer(as_json, facts, lambda: report.facts(f"{outcome.game}: every promise was kept", facts))
