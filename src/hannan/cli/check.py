"""The command `hannan check`."""

from __future__ import annotations

from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.report import answer
from hannan.runs.check import BoxCheck, check_box


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
    answer(as_json, facts, lambda: _show(outcome))


def _show(outcome: BoxCheck) -> None:
    """Print what was seen; of restarts and failures, only where there were any."""
    rows: dict[str, Any] = {
        "players": outcome.players,
        "playthroughs": outcome.playthroughs,
        "longest play": f"{outcome.longest} nodes",
        "nodes known": outcome.trunk,
        "distributions of chance": outcome.chance,
        "gains": "sum to 0" if outcome.zero_sum else "do not sum to 0",
        "same seed, same play": outcome.seeded if outcome.seeded else "not promised: no count can be replayed",
    }
    if outcome.failures or outcome.restarts:
        rows |= {
            "plays without an answer": outcome.failures,
            "started again": report.counted(outcome.restarts, "times"),
            "last reason": outcome.trouble,
        }
    report.facts(f"{outcome.game}: every promise was kept", rows)
