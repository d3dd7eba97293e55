"""The command `hannan flops`: a spot on many flops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hannan.cli import report
from hannan.cli.options import Json, Number, Whole
from hannan.cli.report import answer
from hannan.runs.flops import PERCENT, TABLE, FlopReport, solve_flops


def flops(
    spot: Path,
    /,
    *,
    flops: str,
    percent: Number = PERCENT,
    method: str = "auto",
    seed: Whole = 0,
    out: Path | None = None,
    strategies: bool = False,
    on: str = "serial",
    workers: Whole | None = None,
    as_json: Json = False,
) -> None:
    """Solve a hold'em spot on many flops, and tabulate EV, equity and how play begins.

    Ctrl-C ends the run with the flops that are done.

    Parameters
    ----------
    spot
        A TOML file; its board is replaced by each flop.
    flops
        Flops such as "Td9d6h,AsKd2c", a file with one flop per line, all (1,755 flops: one for each class that differs
        only in suits), or a number: that many flops at random.
    percent
        Solve each flop to this exploitability, in percent of the pot.
    method
        The method, as in hannan solve.
    seed
        The seed with which flops are drawn.
    out
        A folder: one file per flop, and flops.csv. Flops that are there already are not solved again.
    strategies
        Save the strategy of each flop in the folder, too.
    on
        Where flops are solved: serial (this process), processes (of this machine), ray (the cluster of this machine or
        of RAY_ADDRESS, else a local Ray), or ray://HOST:PORT. It changes only the seconds.
    workers
        How many flops are solved at the same time. Default: one per core of the machine or cluster.
    """
    options: dict[str, Any] = {"percent": percent, "method": method, "seed": seed, "folder": out}
    options |= {"on": on, "workers": workers}
    found = solve_flops(spot, flops, **options, strategies=strategies, tell=report.note)

    def show() -> None:
        _print(found)
        report.name_files(as_json, {"table": None if out is None else out / TABLE})

    answer(as_json, found.record, show)
    if found.missing:
        report.note(f"{report.counted(found.missing, 'flops')} left; the same command with --out goes on")


def _print(found: FlopReport) -> None:
    actions = list(found.frequencies)
    lines: list[list[Any]] = []
    for one in found.flops:
        played = dict(zip(one.actions, one.frequencies, strict=True))
        shares = [_percent(played.get(action)) for action in actions]
        good = f"{one.exploitability_percent:.3f}%"
        lines.append([one.flop, one.weight, _percent(one.equity[0]), *map(_chips, one.ev), good, *shares])
    if found.equity is not None and found.ev is not None:
        weight = sum(one.weight for one in found.flops)
        shares = [_percent(found.frequencies[action]) for action in actions]
        lines.append(["mean", weight, _percent(found.equity[0]), *map(_chips, found.ev), None, *shares])
    header = ["flop", "weight", "equity oop", "EV oop", "EV ip", "exploitable", *actions]
    report.grid(f"{report.counted(len(found.flops), 'flops')}; actions: what oop does first", header, lines)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}%"


def _chips(value: float) -> str:
    return f"{value:.2f}"
