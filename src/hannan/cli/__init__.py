"""The command line: one file a command. `app` reads the words, `output` and `report` print."""

from __future__ import annotations

import signal
import sys

from hannan.interrupts import meant


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Ctrl-C while it is being imported ends it with a word, as later on."""
    try:
        from hannan.cli.app import main as run
    except (KeyboardInterrupt, RuntimeError) as error:
        if not meant(error):
            raise
        print("hannan: interrupted", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    run(arguments)
