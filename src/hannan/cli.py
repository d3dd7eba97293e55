"""The command line. Commands check and print; the work is elsewhere, and imported only when it is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

from hannan import __version__
from hannan.errors import HannanError

app = App(
    name="hannan",
    help="Equilibria of finite games, and proof of how close they are.",
    version=__version__,
    version_flags=["--version"],
)

Json = Annotated[bool, Parameter(name="--json", negative="", help="One JSON object on standard output, nothing else.")]


@app.command
def games(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the built-in games; with NAME, everything that is known of one.

    Parameters
    ----------
    name
        A game's name.
    """
    from hannan.listing import describe, list_games

    if name is None:
        list_games(as_json)
    else:
        describe(name, as_json)


@app.command
def inspect(game: str, /, *, as_json: Json = False) -> None:
    """Print the sizes of a game and the memory that methods would need.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, or module:MyRules.
    """
    from hannan.listing import inspect_game

    inspect_game(game, as_json)


@app.command
def solve(
    game: str,
    /,
    *,
    method: str = "auto",
    updates: Literal["alternating", "simultaneous"] | None = None,
    gap: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    out: Path | None = None,
    plot: Path | None = None,
    log: Path | None = None,
    start: Path | None = None,
    lock: Path | None = None,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    as_json: Json = False,
    **parameters: str,
) -> None:
    """Find an equilibrium and measure how good it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. Ctrl-C ends the
    run with the result so far. Any other option is a parameter of the method, as in --alpha 1.5.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, or module:MyRules.
    method
        cfr, cfr+, dcfr, pcfr+, or auto; parameters in parentheses, as in "dcfr(alpha=1.5)".
    updates
        Whether a player sees the others' new strategies within an iteration.
    gap
        Stop when NashConv (two-player zero-sum) or the CCE gap (elsewhere) is at most this.
    iterations
        Stop after this many.
    seconds
        Stop after this much solving.
    seed
        For methods that draw random numbers.
    out
        Save the strategy here.
    plot
        Draw the convergence here (.png, .svg or .pdf).
    log
        Write every measurement here as it is made, one JSON object a line; `hannan plot` draws it.
    start
        Begin from this strategy file.
    lock
        Fix what players do at some sets: a JSON file {"0": {"set name": {"action": probability}}}.
    checkpoint
        Save the whole state here from time to time, and at the end.
    every
        Seconds between two checkpoints.
    resume
        Continue from this checkpoint, to the same bits as a run that was never stopped.
    """
    from hannan.commands import Request, solve_command

    solve_command(
        Request(
            game=game,
            method=method,
            updates=updates,
            gap=gap,
            iterations=iterations,
            seconds=seconds,
            seed=seed,
            out=out,
            plot=plot,
            log=log,
            start=start,
            lock=lock,
            checkpoint=checkpoint,
            every=every,
            resume=resume,
            parameters=parameters,
        ),
        as_json,
    )


@app.command
def evaluate(game: str, file: str, /, *, as_json: Json = False) -> None:
    """Measure a saved strategy exactly: values, gains, NashConv, exploitability.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, or the word `uniform`.
    """
    from hannan.commands import evaluate_command

    evaluate_command(game, file, as_json)


def print_json(record: dict[str, Any]) -> None:
    """Print one JSON object, and nothing else, on standard output."""
    json.dump(record, sys.stdout, default=list, allow_nan=False)
    sys.stdout.write("\n")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every known error becomes one sentence and exit code 2."""
    sys.exit(_guarded(lambda: app(arguments, exit_on_error=False, print_error=False)))


def _guarded(command: Callable[[], Any]) -> int:
    try:
        command()
        sys.stdout.flush()
    except HannanError as error:
        print(f"hannan: {error}", file=sys.stderr)
        return 2
    except CycloptsError as error:
        print(f"hannan: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        print("hannan: interrupted", file=sys.stderr)
        return 130
    return 0
