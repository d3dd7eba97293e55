"""Asking at the terminal before anything is run that a file names."""

from __future__ import annotations

import sys

from hannan.forms.trust import Named, Trust
from hannan.runs.watching import without_line


def consent(trusted: bool, as_json: bool) -> Trust:
    """Return the consent of a command: to all with --trust, else as a person at the terminal answers.

    With --json, and where there is no terminal, nobody is asked, and there is no consent.
    """
    if trusted or as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return trusted
    return _asked


def _asked(named: Named) -> bool:
    """Ask whether an address may be used. Only `yes` is consent; the end of the input is none.

    The address is shown in ASCII: no letter looks like another one, and none moves the cursor.
    """
    with without_line():
        file = named.file if named.file.isprintable() else ascii(named.file)
        print(f"{file} names the {named.what}", file=sys.stderr)
        print(f"    {named.address!a}", file=sys.stderr)
        print(f"which {named.effect}. Type yes to allow exactly this, anything else to stop: ", end="", file=sys.stderr)
        sys.stderr.flush()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            line = ""
        if not line.endswith("\n"):
            print(file=sys.stderr)
        return line.strip() == "yes"
