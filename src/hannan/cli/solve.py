"""The command `hannan solve`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any

from hannan import addresses
from hannan.cli import report
from hannan.cli.methods import show_parameters
from hannan.cli.options import LOG, PLOT, Json, Whole, check_targets, consent, offered, offering
from hannan.cli.report import answer
from hannan.cli.sets import show_sets
from hannan.errors import FileError, ParameterError, PieceError, UnknownNameError
from hannan.measures.tables import SetRow, summary
from hannan.pictures.curves import convergence, rows_for
from hannan.runs.progress import Stop
from hannan.runs.result import Result, method_text
from hannan.runs.solve import AUTO, misspelt
from hannan.runs.solve import solve as solving
from hannan.runs.status_line import duration
from hannan.strategies.files import save
from hannan.strategies.policy import Policy
from hannan.strategies.profile import Profile
from hannan.strategies.strategy import Strategy

TEXTS = ("at",)
"""Parameters of methods that stay as they are written: "(1,3)" is a joint move."""

FEW = 12
"""A game with at most this many information sets is shown whole. Kuhn poker has 12."""

STOPS: dict[Stop, str] = {
    "gap": "the gap was reached",
    "iterations": "all iterations done",
    "seconds": "time was up",
    "interrupted": "interrupted",
    "exact": "solved exactly",
    "memory": "the memory limit was reached",
    "failed": "workers were lost",
}


@offering(solving)
def solve(
    game: str | None = None,
    /,
    *,
    out: Path | None = None,
    top: Whole | None = None,
    plot: Path | None = None,
    as_json: Json = False,
    **parameters: str,
) -> None:
    """Find an equilibrium and measure how good it is.

    Stops at the first limit that is reached (gap, iterations, seconds); without one, at gap 1e-4 or after 100,000
    iterations (neural methods: those of their preset). Limits count from the start of the work, even if it is resumed.
    Ctrl-C ends the run with the result so far; a second Ctrl-C ends the estimate of a large game's values. Any other
    option is a parameter of the method, as in --alpha 1.5; `hannan solve --method NAME --help` lists its parameters.

    A resumed run takes the game, locks, method and parameters from the checkpoint. A game that is not built in must be
    named again. A sampler's --memory-limit and --threads may be given anew, since they change no number. --on and
    --workers are not in the checkpoint: give them again.

    Parameters
    ----------
    out
        Save the strategy here.
    top
        Show this many of the information sets that play comes to most often, as hannan evaluate does. Default: all sets
        of a game that has at most a dozen.
    plot
        Draw the convergence here (.png, .svg or .pdf).
    parameters
        A parameter of the method.
    """
    given: dict[str, Any] = {name: value for name, value in parameters.items() if name in offered(solving.options)}
    method = str(given.get("method", AUTO))
    named = _named({name: text for name, text in parameters.items() if name not in given}, method)
    log, checkpoint = given.get("log"), given.get("checkpoint")
    targets = {"strategy": out, "plot": plot, "log": log, "checkpoint": checkpoint}
    check_targets({"--out": out, PLOT: plot, LOG: log, "--checkpoint": checkpoint}, (game, given.get("locks"), method))
    strategy_file = _StrategyFile(out)
    given["trust"] = consent(given.get("trust", False), as_json)
    run = solving.begin(game, progress=True, curve=plot is not None, **given, **named)
    run.estimating = strategy_file.estimating
    if plot is not None and not run.work.measured:
        raise ParameterError(
            "this game is too large to measure a gap, so there is nothing to plot; --variance WALKS measures the "
            "variance of a sampler's estimates, which --plot draws"
        )
    for note in run.notes:
        report.note(note)
    lost: PieceError | None = None
    try:
        result = run.finish()
    except PieceError as error:
        if not isinstance(error.partial, Result):
            raise
        result, lost = error.partial, error
    try:
        sets = _sets(result.strategy, top, result.seed, as_json)
        more = {} if top is None else {"sets": [asdict(row) for row in sets]}
        answer(as_json, lambda: {**result.record(), **more}, lambda: _show(result, sets))
        if result.remarks:
            report.note(". ".join(result.remarks))
    finally:  # if one file or the answer fails, the others are still written
        writers = {"strategy": lambda: strategy_file.write(result.strategy), "plot": lambda: _draw(plot, result)}
        report.write_all(as_json, targets, writers, run.unsaved)
    if lost is not None:
        raise lost


def _named(parameters: Mapping[str, str], method: str) -> dict[str, Any]:
    """Return the parameters of the method by their names; refuse a misspelt option."""
    named = {name.replace("-", "_"): text if name in TEXTS else _typed(text) for name, text in parameters.items()}
    if (slip := misspelt(named, [*signature(solve).parameters], method)) is not None:
        raise UnknownNameError(f"option --{slip[0].replace('_', '-')} does not exist; did you mean --{slip[1]}?")
    for name in named.keys() & solving.options.keys():  # options of the Python function only
        raise UnknownNameError(f"option --{name} does not exist; hannan solve --help lists the options")
    return named


def more_help(given: Mapping[str, Any]) -> None:
    """Print the parameters of the method that --method names, below the help."""
    show_parameters(given.get("method"))


class _StrategyFile:
    """The strategies on disk, written once."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._written = path, False

    def estimating(self, policy: Strategy, plays: int) -> None:
        """Announce the estimate of values, and write the strategies before it. A failed write is tried again later."""
        report.note(f"estimating the values from {plays:,} plays for each player (Ctrl-C: from those made so far)")
        with suppress(FileError):
            self.write(policy)

    def write(self, strategy: Strategy) -> None:
        """Write the strategies, unless that was done."""
        if self._path is not None and not self._written:
            save(strategy, self._path)
            self._written = True


def _sets(strategy: Strategy, top: int | None, seed: int, as_json: bool) -> tuple[SetRow, ...]:
    """Return the sets to show: as many as are wanted or, for people, all of a game that has few."""
    if top is None:
        few = isinstance(strategy, Profile) and sum(plex.sets for plex in strategy.game.form.treeplexes) <= FEW
        top = FEW if few and not as_json else 0
    return summary(strategy, most=top, seed=seed) if top else ()


def _typed(text: str) -> Any:
    """Return the value of an option, read as in an address; a value that cannot be read so stays a text."""
    try:
        return addresses.value(text)
    except ValueError:
        return text


def _draw(path: Path | None, result: Result) -> bool:
    """Draw the measurements, and return True; if there are none, print a note and return False."""
    rows = rows_for(result.curve)
    if not rows:
        report.note(f"nothing was measured before the run ended: {path} is not drawn")
        return False
    method = method_text(result.method, result.parameters)
    convergence(path, {method: result.curve}, result.game, result.gap_name, rows=rows)
    return True


def _show(result: Result, sets: tuple[SetRow, ...]) -> None:
    _show_numbers(result)
    if sets:
        show_sets(sets)


def _took(result: Result) -> str:
    """Return how long the run took, and how long the training for measurements took."""
    took = duration(result.seconds)
    if result.measure_seconds is None:
        return took
    return f"{took}; training the average to measure it took another {duration(result.measure_seconds)}"


def _show_numbers(result: Result) -> None:
    steps = report.counted(result.iterations, "iterations")
    shown = {name: value for name, value in result.parameters.items() if name != "updates"}
    method = method_text(result.method, shown)
    rows: dict[str, Any] = {
        "method": f"{method}, {result.updates} updates" if result.updates else method,
        "stopped": f"{STOPS[result.stop]}, after {steps} in {_took(result)}",
    }
    spread: dict[str, Any] = {}
    if result.variance is not None:
        spread = {"variance of the estimates": result.variance, "variance given the visit": result.given_visit}
    rows |= {name.replace("_", " "): fact for name, fact in result.findings.items()}
    if result.findings and isinstance(result.strategy, Policy):
        rows |= {"values": result.values, "information sets in the strategy": result.strategy.sets}
        report.facts(f"{result.game}: searched", rows)
        return
    if result.gap is None:
        rows["values, estimated"] = result.values
        rows["off by at most (bounds, 95 %)"] = result.half_widths or "the range of payoffs is not known"
        rows["normal intervals (95 %), ±"] = result.interval_half_widths
        known: dict[str, Any] = {"strategy": result.strategy}
        if isinstance(result.strategy, Policy):
            known = {"information sets visited": result.strategy.sets}
        rows |= {**known, "gap": "hannan evaluate finds lower bounds on what best responses gain", **spread}
        report.facts(f"{result.game}: too large to measure a gap", rows)
        return
    rows |= {
        "values": result.values,
        "gains": result.gains,
        "NashConv": result.nash_conv,
        "exploitability": result.exploitability,
    }
    if result.cce_gap is not None:
        rows["CCE gap"] = result.cce_gap
    game: Any = result.strategy.game
    if game.known_value is not None and game.address == result.game:  # with locks it has another value
        rows["known value"] = game.known_value
    report.facts(f"{result.game}: {result.gap_name} {result.gap:.3g}", rows | spread)
