"""The command `hannan check`."""

from __future__ import annotations

from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, Number, Whole
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.forms.loader import rules_in
from hannan.rules.checks import Check
from hannan.runs.check import BoxCheck, check_box, check_game


def check(
    game: str,
    /,
    *,
    playthroughs: Whole | None = None,
    histories: Whole | None = None,
    bounds: str = "auto",
    hidden: Whole | None = None,
    timeout: Number | None = None,
    seed: Whole = 0,
    as_json: Json = False,
) -> None:
    """Try out a simulator or the rules of a game, and name the first broken promise.

    Exit code 0: all promises were kept at the histories that were reached; 2: one was broken, or a simulator gave no
    answer. Rules are played, and their histories visited level by level; a black box is only played.

    Parameters
    ----------
    game
        Rules as file.py:MyGame(top=4), any other game, a simulator as command:./sim --flag, or a black box as
        module:place:factory.
    playthroughs
        How often to play. Default: 100 for rules; 200 for a black box, each played twice if it can repeat itself.
    histories
        Of rules: visit up to this many histories. Default: 100,000.
    bounds
        Of a black box without bounds: LOW,HIGH, the range of what a player can gain in the whole game.
    hidden
        Of a black box that never shows its chance nodes: the most different answers that can follow one history.
    timeout
        Of a simulator: seconds for one answer. Default: 60.
    seed
        The master seed.
    """
    boxed = {"bounds": None if bounds == "auto" else bounds, "hidden": hidden, "timeout": timeout}
    if rules_in(game) is not None:
        _refuse(game, "rules", "black boxes", boxed)
        wanted = {"plays": playthroughs, "most": histories}
        checked = check_game(game, seed=seed, **{name: value for name, value in wanted.items() if value is not None})
        answer(as_json, checked.record(), lambda: _show_rules(checked))
        return
    _refuse(game, "a black box", "rules", {"histories": histories})
    plays = {} if playthroughs is None else {"playthroughs": playthroughs}
    outcome = check_box(game, bounds=bounds, hidden=hidden, timeout=timeout, seed=seed, **plays)
    answer(as_json, outcome.record(), lambda: _show(outcome))
    if outcome.failures:
        raise SystemExit(2)


def _refuse(game: str, kind: str, others: str, options: dict[str, Any]) -> None:
    """Refuse options that apply only to other kinds of games."""
    for name, value in options.items():
        if value is not None:
            raise ParameterError(f"{game} is {kind}: --{name} is for {others}; leave it out")


def _show_rules(outcome: Check) -> None:
    extent = "all" if outcome.complete else "the first ones, level by level"
    rows: dict[str, Any] = {
        "players": outcome.players,
        "plays to the end": outcome.plays,
        "histories visited": f"{outcome.histories:,}, {extent}",
        "histories at which a player decides": outcome.decisions,
        "optional methods, checked too": ", ".join(outcome.optional) or "none",
    }
    report.facts(f"{outcome.game}: every promise was kept", rows)
    if not outcome.decisions:
        report.note("no player ever decides")
    if outcome.warning:
        report.note(outcome.warning)


def _show(outcome: BoxCheck) -> None:
    """Print the outcome for a black box; restarts and failures only if there were any."""
    rows: dict[str, Any] = {
        "players": outcome.players,
        "playthroughs": outcome.playthroughs,
        "longest play": f"{outcome.longest} nodes",
        "nodes known": outcome.trunk,
        "distributions of chance": outcome.chance,
        "gains": "sum to 0" if outcome.zero_sum else "do not sum to 0",
        "same seed, same play": outcome.seeded if outcome.seeded else "not promised: counts cannot be replayed",
    }
    if outcome.failures or outcome.restarts:
        rows |= {
            "plays without an answer": outcome.failures,
            "started again": report.counted(outcome.restarts, "times"),
            "last reason": outcome.trouble,
        }
    silent = f"{outcome.failures} of {outcome.playthroughs} plays got no answer"
    report.facts(f"{outcome.game}: {silent if outcome.failures else 'every promise was kept'}", rows)
