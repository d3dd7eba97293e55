"""The command line: one file a command. `app` reads the words, `output` and `report` print."""

from __future__ import annotations

import signal
import sys

from hannan.errors import SizeError
from hannan.interrupts import meant
from hannan.memory import require_libraries


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Ctrl-C while it is being imported ends it with a word, as later on."""
    words = sys.argv[1:] if arguments is None else arguments
    if words and not words[0].startswith("-"):
        try:
            require_libraries()
        except SizeError as error:
            print(f"hannan: {error}", file=sys.stderr)
            sys.exit(2)
    try:
        from hannan.cli.app import main as run
    except (KeyboardInterrupt, RuntimeError) as error:
        if not meant(error):
            raise
        print("hannan: interrupted", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    run(arguments)
