"""The command line, with one file per command. `main` parses the arguments, `report` prints."""

from __future__ import annotations

import importlib
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from hannan import __version__
from hannan.errors import HannanError
from hannan.interrupts import meant, terminating
from hannan.memory import available, readable, require_libraries

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

COMMANDS = {
    "games": "List the built-in games; with NAME, everything that is known of one.",
    "methods": "List the methods: what each converges to, where, and its parameters.",
    "inspect": "Print the sizes of a game, and what each method promises there and the memory that it would need.",
    "solve": "Find an equilibrium and measure how good it is.",
    "equilibria": "Find Nash equilibria of a small game, each with a proof.",
    "qre": "Find quantal response equilibria: at one λ, along the principal branch, or fitted to observed choices.",
    "evaluate": "Measure a strategy: values, gains, NashConv, exploitability, exactly where the game can be expanded.",
    "correlated": "Find the best correlated equilibrium of a small game, or the best strategy to commit to.",
    "show": "Show a strategy set by set: how often play comes there, what it is worth, what each action would gain.",
    "runouts": "List the cards that may be dealt at a node of a poker strategy: equity, EV, and play after each.",
    "flops": "Solve a hold'em spot on many flops, and tabulate EV, equity and how play begins.",
    "draw": "Draw the tree of a small game, with a strategy in it if you give one; or how players learn.",
    "sweep": "Solve every game of a file by every method with every seed, and collect the numbers in one table.",
    "certify": "Play a black box, get a strategy with a guarantee.",
    "check": "Try out a simulator or the rules of a game, and name the first broken promise.",
    "verify": "Check a certificate or a file of equilibria, sharing no code with what made it.",
    "match": "Let players meet in every seat, with the same chance, and print scores with bounds on their error.",
    "play": "Play a game against a strategy: you see what your seat sees, choose, and learn what each choice cost.",
    "explore": "Show games, strategies, runs and proofs in the browser, and solve and play there.",
    "search": "Search a game of simultaneous moves from its rules: what to play now, and what the position is worth.",
    "export": "Write a game to a Gambit file (its tree .efg, its normal form .nfg), or a strategy to a table (.csv).",
    "plot": "Compare runs from their logs: a table of where each ended and, with --out, a picture.",
    "reproduce": "Run the figures of a paper again: pictures, numbers, and its claims compared with ours.",
    "bench": "Compare speed and memory with every installed peer: medians with spread, ratios, and the floor.",
}
"""Each command is a function in the file of its name; this is the first line of its docstring."""

HELD = ExitStack()
"""The files that a command holds until it ends."""

DEEP = 1000
"""The depth of nested calls that is enough to print a sentence."""


def command(name: str) -> Callable[..., None]:
    """Import and return the function of a command. The import waits until here to keep `hannan --help` quick."""
    require_libraries()
    function: Callable[..., None] = getattr(importlib.import_module(f"hannan.cli.{name}"), name)
    return function


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every known error becomes one sentence and exit code 2."""
    words = sys.argv[1:] if arguments is None else arguments
    with _warnings_told(), terminating(), HELD:
        code = _guarded(words)
    sys.exit(code)


@contextmanager
def _warnings_told() -> Iterator[None]:
    """Print each warning as a sentence, without the line of code that it comes from."""

    def told(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"hannan: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = told
        yield


def _app(words: list[str]) -> App:
    """Return the application. Commands that are not called have only their name and a line in it."""
    from cyclopts import App

    app = App(
        name="hannan",
        help="Equilibria of finite games, and proof of how close they are.",
        version=__version__,
        version_flags=["--version"],
    )
    for name, line in COMMANDS.items():
        app.command(lambda: None, name=name, help=line)
    for name in app.parse_commands(words)[0][:1]:
        if name in COMMANDS:
            del app[name]
            app.command(command(name), name=name)
    return app


def _run(words: list[str]) -> None:
    """Parse the words into a function and its arguments, and call it."""
    from hannan.cli.report import kept_for_json, prepare_streams

    prepare_streams()
    app = _app(words)
    called, bound, *_ = app.parse_args(words, exit_on_error=False, print_error=False)
    with kept_for_json(bound.arguments.get("as_json", False)):
        called(*bound.args, **bound.kwargs)
    if called == app.help_print:
        _show_more_help(app, words)


def _show_more_help(app: App, words: list[str]) -> None:
    """Print the additional help of a command, if its file has a function `more_help` of the given arguments."""
    from cyclopts import CycloptsError

    for name in app.parse_commands(words)[0][:1]:
        if (more := getattr(sys.modules.get(f"hannan.cli.{name}"), "more_help", None)) is not None:
            named: dict[str, Any] = {}
            with suppress(CycloptsError):
                named = app.parse_known_args([word for word in words if word not in app[name].help_flags])[1].arguments
            more(named)


def _complaint(error: CycloptsError) -> str:
    """Return what is wrong with the words. An option that a command does not know may be a parameter of a method."""
    from inspect import Parameter, signature

    from cyclopts import MissingArgumentError, UnknownOptionError, UnusedCliTokensError

    from hannan.arguments import RENAMED

    if isinstance(error, UnusedCliTokensError):
        words = ", ".join(map(repr, error.unused_tokens or ()))
        return f"unexpected argument {words}; put quotes around an address that contains spaces."
    if isinstance(error, UnknownOptionError):
        option = (error.token.keyword or error.token.value).partition("=")[0]
        name = RENAMED.get(option.removeprefix("--"))
        if any(name in signature(command(called)).parameters for called in error.command_chain or ()):
            return f"{option} is now called --{name}."
    if not isinstance(error, MissingArgumentError) or error.argument is None:
        return str(error)
    if error.argument.field_info.kind is not Parameter.VAR_KEYWORD:
        return str(error)
    return f"{error.keyword} is not an option of this command. If it is a parameter of the method, give it a value."


def _guarded(words: list[str]) -> int:
    """Run a command and return its exit code. Ctrl-C prints `interrupted`, also while libraries are imported."""
    try:
        from cyclopts import CycloptsError

        try:
            _run(words)
        except CycloptsError as error:
            called = " ".join(("hannan", *(error.command_chain or ())))
            said = re.sub(r", \.\.\.$", " and others", _complaint(error)).rstrip(".")
            end = "" if said.endswith("?") else "."
            print(f"hannan: {said}{end} {called} --help lists what there is.", file=sys.stderr)
            return 2
        sys.stdout.flush()
    except HannanError as error:
        print(f"hannan: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        print(f"hannan: {place}{error.strerror or error}", file=sys.stderr)
        return 2
    except MemoryError:
        advice = "choose a smaller game, or a method that needs less (`hannan inspect` lists what each takes)"
        print(f"hannan: there is not enough memory: {readable(available())} are free; {advice}", file=sys.stderr)
        return 2
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, DEEP))  # a sentence needs a few calls itself
        advice = "something is nested too deeply, or the rules of the game lowered the limit"
        print(f"hannan: Python's limit of {limit:,} calls inside one another was reached: {advice}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, RuntimeError) as error:
        if not meant(error):
            raise
        print("hannan: interrupted", file=sys.stderr)
        return 128 + getattr(error, "number", signal.SIGINT)
    return 0
