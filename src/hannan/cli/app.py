"""The command line. Commands check and print; the work is elsewhere, and imported only when it is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

from cyclopts import App, CycloptsError, Parameter, Token

from hannan import __version__
from hannan.errors import HannanError

app = App(
    name="hannan",
    help="Equilibria of finite games, and proof of how close they are.",
    version=__version__,
    version_flags=["--version"],
)


def _whole(kind: Any, tokens: Sequence[Token]) -> int:
    """Read a whole number, also as 1e6; cyclopts itself would round 1.5."""
    number = float(tokens[0].value)
    if not number.is_integer():
        raise ValueError("this is not a whole number")
    return int(number)


Whole = Annotated[int, Parameter(converter=_whole)]
Json = Annotated[bool, Parameter(name="--json", negative="", help="One JSON object on standard output, nothing else.")]


@app.command
def games(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the built-in games; with NAME, everything that is known of one.

    Parameters
    ----------
    name
        A game's name.
    """
    from hannan.cli.listing import describe, list_games

    if name is None:
        list_games(as_json)
    else:
        describe(name, as_json)


@app.command
def methods(name: str | None = None, /, *, as_json: Json = False) -> None:
    """List the methods: what each converges to, where, and its parameters.

    Parameters
    ----------
    name
        A method's name, for that one alone.
    """
    from hannan.cli.listing import list_methods

    list_methods(name, as_json)


@app.command
def inspect(game: str, /, *, as_json: Json = False) -> None:
    """Print the sizes of a game, and what each method promises there and the memory that it would need.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, or module:MyRules.
    """
    from hannan.cli.listing import inspect_game

    inspect_game(game, as_json)


@app.command
def solve(
    game: str,
    /,
    *,
    method: str = "auto",
    updates: Literal["alternating", "simultaneous"] | None = None,
    gap: float | None = None,
    iterations: Whole | None = None,
    seconds: float | None = None,
    seed: Whole = 0,
    out: Path | None = None,
    plot: Path | None = None,
    log: Path | None = None,
    start: Path | None = None,
    lock: Path | None = None,
    variance: Whole | None = None,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    as_json: Json = False,
    **parameters: str,
) -> None:
    """Find an equilibrium and measure how good it is.

    Stops at the first limit that is reached; without one, at gap 1e-4 or after 100,000 iterations. Ctrl-C ends the
    run with the result so far; once more, the estimate of a large game's values. Any other option is a parameter of the
    method, as in --alpha 1.5.

    Parameters
    ----------
    game
        An address such as leduc_poker(ranks=13), or file.py:MyRules, or module:MyRules.
    method
        One of those that `hannan methods` lists, or auto; parameters in parentheses, as in "dcfr(alpha=1.5)".
    updates
        Whether a player sees the others' new strategies within an iteration.
    gap
        Stop when NashConv (two-player zero-sum) or the CCE gap (elsewhere) is at most this.
    iterations
        Stop after this many.
    seconds
        Stop after this much solving.
    seed
        For methods that draw random numbers: a whole number from -2**63 to 2**63 - 1.
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
    variance
        Measure the variance of a sampler's estimates, too, from this many walks a player wherever the gap is measured;
        the result, the log and the picture then show it.
    checkpoint
        Save the whole state here from time to time, and at the end.
    every
        Seconds between two checkpoints.
    resume
        Continue from this checkpoint, to the same bits as a run that was never stopped. Of the method's parameters,
        those may be given anew that change no number: a sampler's --memory-limit and --threads.
    """
    from hannan.cli.solve import Request, solve_command

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
            variance=variance,
            checkpoint=checkpoint,
            every=every,
            resume=resume,
            parameters=parameters,
        ),
        as_json,
    )


@app.command
def evaluate(
    game: str,
    file: str,
    /,
    *,
    top: Whole | None = None,
    csv: Path | None = None,
    plays: Whole | None = None,
    search: Whole | None = None,
    seed: Whole = 0,
    confidence: float = 0.95,
    as_json: Json = False,
) -> None:
    """Measure a saved strategy exactly: values, gains, NashConv, exploitability.

    A game too large to expand is played instead: values with their confidence intervals and, by a search for a
    response of each player, lower bounds on what best responses gain. With --plays or --search this is done for a
    small game too, beside the exact numbers.

    Parameters
    ----------
    game
        The game that the strategy is for.
    file
        A strategy file, or the word `uniform`.
    top
        Show this many of the information sets that play comes to most often: frequency, value, and for each action
        its probability and what taking it would gain.
    csv
        Write every action of every information set here, with these numbers.
    plays
        Estimate values from this many plays for each player.
    search
        Iterations of the search for a response of each player; 0 searches none.
    seed
        Where the random numbers of the estimates begin.
    confidence
        The probability with which each value lies in its interval, and with which all lower bounds hold together.
    """
    from hannan.cli.evaluate import Estimating, evaluate_command

    evaluate_command(game, file, top, csv, Estimating(plays, search, seed, confidence), as_json)


@app.command
def plot(
    *logs: Path,
    out: Path | None = None,
    x: Literal["iterations", "seconds", "both"] = "both",
    y: Literal["gap", "variance", "given-visit"] = "gap",
    as_json: Json = False,
) -> None:
    """Compare runs from their logs (`hannan solve --log`): a table of where each ended and, with --out, a picture.

    Parameters
    ----------
    logs
        One or more logs.
    out
        Draw all of them into one picture (.png, .svg or .pdf).
    x
        What the picture goes by.
    y
        What it shows: the gap or, of runs with --variance, the variance of the estimates or that given the visit.
    """
    from hannan.cli.runs import plot_command

    plot_command(logs, out, x, y, as_json)


@app.command
def reproduce(
    paper: str, figure: str | None = None, /, *, out: Path = Path(), quick: bool = False, as_json: Json = False
) -> None:
    """Run the figures of a paper again: pictures, numbers, and its claims beside what we find.

    Parameters
    ----------
    paper
        cfr-survey or einr.
    figure
        One figure; all of the paper's otherwise.
    out
        The folder for the pictures (.png), numbers (.csv) and verdicts (.md); made where it is missing.
    quick
        Make long figures short, to see that they run; the verdicts mean little then.
    """
    from hannan.cli.runs import reproduce_command

    reproduce_command(paper, figure, out, quick, as_json)


@app.command
def bench(name: str | None = None, /, *, out: Path | None = None, quick: bool = False, as_json: Json = False) -> None:
    """Measure speed and memory beside every peer that is installed: medians with spread, ratios, and the floor.

    Parameters
    ----------
    name
        iterations, nashconv, compile, memory, to_gap, sampling, lp or large; all of them otherwise. In a clone, also
        the name of a script in benchmarks/.
    out
        Write the table here (.md); with a name, replace that group's rows.
    quick
        Small games and few repeats, to see that it runs.
    """
    from hannan.cli.bench import bench_command

    bench_command(name, out, quick, as_json)


app.command("hannan.cli.certify:certify", help="Play a black box, get a strategy with a guarantee.")
app.command("hannan.cli.verify:verify", help="Check a certificate, sharing no code with what made it.")


class _Output:
    """Where JSON goes. While a command with --json runs, standard output is its alone: other prints go to the side."""

    stream: TextIO | None = None


def print_json(record: dict[str, Any]) -> None:
    """Print one JSON object, and nothing else, on standard output."""
    stream = _Output.stream or sys.stdout
    stream.write(json.dumps(record, default=list, allow_nan=False) + "\n")
    stream.flush()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every known error becomes one sentence and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    _Output.stream = sys.stdout
    aside = redirect_stdout(sys.stderr) if "--json" in words else nullcontext()
    with aside:
        code = _guarded(lambda: app(words, exit_on_error=False, print_error=False))
    sys.exit(code)


def _guarded(command: Callable[[], Any]) -> int:
    try:
        command()
        sys.stdout.flush()
    except (HannanError, CycloptsError) as error:
        print(f"hannan: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"hannan: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hannan: interrupted", file=sys.stderr)
        return 130
    return 0
