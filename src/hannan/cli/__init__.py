"""The command line: one file a command. `app` reads the words, `output` and `report` print."""

from __future__ import annotations

from hannan.cli.app import main as main
