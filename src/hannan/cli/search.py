"""The command `hannan search`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import LOG, Json, check_targets, consent, offering
from hannan.cli.report import answer
from hannan.cli.solve import STOPS
from hannan.runs.search import search as searching
from hannan.runs.search_work import SearchResult
from hannan.runs.status_line import duration
from hannan.strategies.files import save


@offering(searching)
def search(game: str | None = None, /, *, out: Path | None = None, as_json: Json = False, **given: Any) -> None:
    """Search a game of simultaneous moves from its rules: what to play now, and what the position is worth.

    Stops after `iterations` or `seconds`, else after 100,000 iterations; Ctrl-C ends the search with the result so far.

    Parameters
    ----------
    out
        Save the strategy here.
    """
    log, checkpoint = given.get("log"), given.get("checkpoint")
    targets = {"strategy": out, "log": log, "checkpoint": checkpoint}
    read = (game, given.get("rule"), given.get("rollout"), given.get("evaluation"))
    check_targets({"--out": out, LOG: log, "--checkpoint": checkpoint}, read)
    given["trust"] = consent(given.get("trust", False), as_json)
    run = searching.begin(game, progress=True, **given)
    result = run.finish()
    try:
        answer(as_json, result.record(), lambda: _show(result))
    finally:  # if one file or the answer fails, the others are still written
        writers = {} if out is None else {"strategy": lambda: save(result.strategy, out)}
        report.write_all(as_json, targets, writers, run.unsaved)


def _show(result: SearchResult) -> None:
    rows: dict[str, Any] = {
        "rule": result.rule,
        "stopped": f"{STOPS[result.stop]}, after {report.counted(result.iterations, 'iterations')} in "
        f"{duration(result.seconds)}",
        "nodes": f"{result.nodes:,} ({result.bytes / max(result.nodes, 1):.0f} bytes each)",
        "value, estimated": result.value,
    }
    if result.exact_value is not None:
        rows["value, exact"] = result.exact_value
    for player in range(2):
        if result.frequencies[player]:
            rows[f"player {player} plays"] = _shares(result.frequencies[player])
            rows[f"player {player} on average"] = _shares(result.averages[player])
            rows[f"player {player} now"] = result.move[player]
    if result.nash_conv is not None:
        rows |= {"shortfalls": result.shortfalls, "gains": result.gains, "NashConv": result.nash_conv}
    report.facts(f"{result.game}{f' after {result.path}' if result.path else ''}", rows)


def _shares(plays: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.3f}" for name, share in plays.items())
