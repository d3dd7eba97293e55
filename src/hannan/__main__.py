"""`python -m hannan`: the command line, if the script `hannan` is not on the path."""

from __future__ import annotations

from hannan.cli import main

if __name__ == "__main__":
    main()
