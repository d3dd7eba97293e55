"""`python -m hannan.verifier FILE`: check a file; exit code 0 valid, 1 rejected, 2 unreadable."""

from __future__ import annotations

import argparse
import json
import sys

from hannan.errors import HannanError
from hannan.verifier.equilibria import is_equilibria, verify_equilibria
from hannan.verifier.verification import verify


def main(arguments: list[str] | None = None) -> int:
    """Check the file that the command line names."""
    parser = argparse.ArgumentParser(
        "python -m hannan.verifier", description="Check a certificate or equilibria of hannan."
    )
    parser.add_argument("file")
    parser.add_argument("--rational", action="store_true", help="compute with fractions instead of rounding outward")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    try:
        known = is_equilibria(given.file)
        verdict = verify_equilibria(given.file) if known else verify(given.file, rational=given.rational)
    except HannanError as error:
        print(f"hannan: {error}", file=sys.stderr)
        return 2
    print(json.dumps(verdict.record()) if given.json else verdict)
    return 0 if verdict.valid else 1


if __name__ == "__main__":
    sys.exit(main())
