"""Sweeps: every method on every game with every seed, on any workers, into one table.

A folder keeps one file per finished run and a checkpoint per unfinished run. A sweep into the same folder makes what
is missing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

from hannan import arguments
from hannan.arguments import TRUST, Option, settled, shown
from hannan.errors import FileError, HannanError, ParameterError, PieceError, UnsuitableError
from hannan.files import write_bytes, write_text
from hannan.forms.game import ExpandedGame
from hannan.forms.trust import Trust
from hannan.forms.workers import open_workers
from hannan.holds import held
from hannan.interrupts import Halted, interrupts, patience
from hannan.libraries import library
from hannan.options import declaring
from hannan.pieces import SpreadOptions, Workers, run_pieces
from hannan.runs.run import EVERY
from hannan.runs.solve import AUTO, make_solver
from hannan.runs.status_line import duration
from hannan.runs.sweep_plan import Plan, PlannedRun, read_plan
from hannan.runs.sweep_run import Outcome, Sent, checkpoint_of, make_run, read_outcome, write_outcome
from hannan.runs.sweep_table import Status, SweepResult, SweptRun, csv_text, parquet_bytes

RUNS = "runs"
"""The folder of finished runs and checkpoints inside the folder of a sweep."""


def _check_tell(name: str, value: Any) -> Any:
    if not callable(value):
        raise ParameterError(f"{name}={shown(value)} should be a function of one line of text")
    return value


class SweepOptions(SpreadOptions, total=False):
    """The options of `sweep`."""

    out: Annotated[
        str | PathLike[str] | None,
        Option(
            "The folder for tables, pictures, finished runs and checkpoints. It is made if it is missing. A sweep into "
            "the same folder makes only the runs that are missing or have failed."
        ),
    ]
    seconds: Annotated[
        float | None,
        Option("Stop the whole sweep after this many seconds.", check=arguments.limit),
    ]
    every: Annotated[
        float, Option("Seconds between two checkpoints of a run that is under way.", EVERY, check=arguments.limit)
    ]
    parquet: Annotated[bool, Option("Write the tables as Parquet too, which needs pyarrow.", False)]
    dry_run: Annotated[bool, Option("Check the sweep and list its runs; make none of them.", False)]
    tell: Annotated[
        Callable[[str], None] | None, Option("Called with a line after each run.", check=_check_tell, python_only=True)
    ]
    trust: Annotated[Trust, TRUST]


@declaring(SweepOptions)
def sweep(
    file: Annotated[
        str | PathLike[str] | Mapping[str, Any],
        Option(
            "A TOML file with games, methods, seeds and limits; in Python, a dictionary of the same form too "
            "(docs/howto/sweep.md). Lists of values expand: each combination is one run."
        ),
    ],
    **options: Unpack[SweepOptions],
) -> SweepResult:
    """Solve every game by every method with every seed, and collect the numbers in one table.

    The file is checked before anything runs. A run that fails is a row with its error. Ctrl-C ends the sweep with the
    runs that are finished. The same call with the same folder continues, also from the middle of a run. The numbers
    depend neither on where runs are made nor on how many workers make them. The command `hannan sweep` has the same
    options (docs/reference/options.md).

    Returns
    -------
    SweepResult
        Every run, in the order of the file.

    Raises
    ------
    FileError
        If the file cannot be read, or is not TOML.
    UnknownNameError
        If the file names a game or a method that does not exist.

    Examples
    --------
    >>> import hannan as hn
    >>> result = hn.sweep({"games": ["matching_pennies", "kuhn_poker"], "methods": ["lp"]})
    >>> result
    SweepResult(the sweep: 2 of 2 runs finished, 0 failed)
    """
    chosen = settled("sweep", SweepOptions, options, "file")
    if chosen["parquet"]:
        if chosen["out"] is None:
            raise UnsuitableError("parquet writes tables into a folder: give out")
        library("pyarrow")
    plan = read_plan(file, chosen["trust"])
    place = None if chosen["out"] is None else _folder(chosen["out"], make=not chosen["dry_run"])
    if chosen["dry_run"]:
        return _result(plan, place, _kept(plan, place), "planned")
    with ExitStack() as stack:
        if place is not None:
            stack.enter_context(held(place / "runs.csv"))
        outcomes = _kept(plan, place)
        stop: Literal["finished", "interrupted", "seconds"] = "finished"
        if len(outcomes) < len(plan.runs):
            stop = _make(plan, place, outcomes, chosen)
        result = _result(plan, place, outcomes, stop)
        if place is not None:
            _write(place, result, chosen["parquet"])
    return result


def _folder(out: str | PathLike[str], make: bool) -> Path:
    arguments.file_name(out)
    if not str(out):
        raise ParameterError("out='' names no folder; '.' is the folder in which you are")
    place = Path(out)
    if make:
        try:
            (place / RUNS).mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or error
            raise FileError(f"{shown(str(place))}: the folder cannot be made: {told}") from None
    return place


def _file(place: Path, planned: PlannedRun) -> Path:
    return place / RUNS / f"{planned.key}.json"


def _kept(plan: Plan, place: Path | None) -> dict[int, Outcome]:
    """Return the finished runs, by number."""
    if place is None:
        return {}
    read = {number: read_outcome(_file(place, planned), planned) for number, planned in enumerate(plan.runs)}
    return {number: outcome for number, outcome in read.items() if outcome is not None}


def _make(
    plan: Plan, place: Path | None, outcomes: dict[int, Outcome], chosen: SweepOptions
) -> Literal["finished", "interrupted", "seconds"]:
    """Make the missing runs, and add them to `outcomes`; return why the sweep ended."""
    begun, limit = time.monotonic(), chosen["seconds"]
    tell = chosen["tell"] or (lambda line: None)
    late = False

    with ExitStack() as stack:
        presses = stack.enter_context(interrupts(1))

        def enough() -> bool:
            nonlocal late
            late = late or (limit is not None and time.monotonic() - begun >= limit)
            return late or presses() > 0

        if chosen["on"] != "serial":
            _compile(plan)
        workers = stack.enter_context(open_workers(chosen))
        stack.enter_context(patience(enough))
        with suppress(Halted):
            for number, outcome in _outcomes(plan, place, outcomes, chosen["every"], workers):
                if outcome.interrupted:
                    return "interrupted"
                outcomes[number] = outcome
                if place is not None and not outcome.error:
                    write_outcome(_file(place, plan.runs[number]), plan.runs[number], outcome)
                    checkpoint_of(place / RUNS, plan.runs[number].key).unlink(missing_ok=True)
                tell(f"{len(outcomes)}/{len(plan.runs)} {_line(plan, plan.runs[number], outcome)}")
    if len(outcomes) == len(plan.runs):
        return "finished"
    return "seconds" if late else "interrupted"


def _outcomes(
    plan: Plan, place: Path | None, kept: Mapping[int, Outcome], every: float, workers: Workers
) -> Iterator[tuple[int, Outcome]]:
    """Yield runs as they are made. A run that ends its workers has failed; the other runs continue."""
    sent = Sent.of(plan, None if place is None else place / RUNS, every)
    while len(kept) < len(plan.runs):
        try:
            yield from run_pieces(
                make_run, plan.runs, workers, shared=sent, ordered=False, in_flight=workers.count, finished=set(kept)
            )
            return
        except PieceError as error:
            if error.number < 0:
                raise
            yield error.number, Outcome({}, (), error=str(error).partition(": ")[2])


def _compile(plan: Plan) -> None:
    """Compile what the methods need on the first small game, so that workers find it on disk."""
    small = next((one.game for one in plan.games if isinstance(one.game, ExpandedGame)), None)
    for method in plan.methods:
        if small is not None and method.method != AUTO:
            with suppress(HannanError):
                make_solver(small, method.method, parameters=method.given)[0].prepare()


def _line(plan: Plan, planned: PlannedRun, outcome: Outcome) -> str:
    seed = "" if planned.seed is None else f", seed {planned.seed}"
    what = f"{plan.games[planned.game].game.address}: {plan.methods[planned.method].label}{seed}"
    if outcome.error:
        return f"{what}: failed: {outcome.error}"
    numbers = outcome.numbers
    gap = "no gap measured" if numbers["gap"] is None else f"gap {numbers['gap']:.3g}"
    return f"{what}: {gap} after {numbers['iterations']:,} iterations in {duration(numbers['seconds'])}"


def _result(
    plan: Plan,
    place: Path | None,
    outcomes: Mapping[int, Outcome],
    stop: Literal["finished", "interrupted", "seconds", "planned"],
) -> SweepResult:
    rows = tuple(_row(plan, place, planned, outcomes.get(number)) for number, planned in enumerate(plan.runs))
    return SweepResult(plan.name, rows, None if place is None else str(place), stop)


def _row(plan: Plan, place: Path | None, planned: PlannedRun, outcome: Outcome | None) -> SweptRun:
    game, method = plan.games[planned.game], plan.methods[planned.method]
    status: Status = "finished" if outcome is not None else "missing"
    if outcome is not None and outcome.error:
        status = "failed"
    elif outcome is None and place is not None and checkpoint_of(place / RUNS, planned.key).exists():
        status = "begun"
    known = outcome or Outcome({}, ())
    name = method.method if isinstance(method.method, str) else method.method.method
    return SweptRun(
        game=game.game.address, game_parameters=game.parameters, method=method.label, method_name=name,
        method_parameters=method.given, seed=planned.seed, limits=method.limits, key=planned.key, status=status,
        error=known.error, numbers=known.numbers, gap_name=known.gap_name, curve=known.curve,
    )  # fmt: skip


def _write(place: Path, result: SweepResult, parquet: bool) -> None:
    for name, columns in result.tables().items():
        write_text(place / f"{name}.csv", csv_text(columns))
        if parquet:
            write_bytes(place / f"{name}.parquet", parquet_bytes(columns))
