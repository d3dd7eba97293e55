"""The command `hannan verify`."""

from __future__ import annotations

from pathlib import Path

from hannan import verifier
from hannan.cli import report
from hannan.cli.consent import consent
from hannan.cli.options import Json, Trusted
from hannan.cli.output import answer
from hannan.files import read_arrays, understanding
from hannan.forms.boxing import boxed
from hannan.forms.loading import Loadable
from hannan.forms.trust import Trust, named_game
from hannan.rules.box import Box
from hannan.runs.watching import clock_line


def verify(
    file: Path,
    /,
    *,
    replay: bool = False,
    game: str | None = None,
    rational: bool = False,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Check a certificate, sharing no code with what made it.

    Exit code 0: valid; 1: rejected; 2: not a certificate.

    Parameters
    ----------
    file
        A certificate, as `hannan certify --out` writes it.
    replay
        Play every playthrough again and recount; without it the counts are believed.
    game
        Replay with this game or box instead of the one that the file names.
    rational
        Compute with fractions instead of rounding outward; slow.
    """
    with clock_line(f"checking {file}"):
        box = _box(file, game, consent(trust, as_json)) if replay or game is not None else None
        verdict = verifier.verify(file, box, rational=rational)
    answer(as_json, verdict.record(), lambda: report.console().print(str(verdict), soft_wrap=True))
    if not verdict.valid:
        raise SystemExit(1)


def _box(file: Path, game: str | None, trust: Trust) -> Box:
    """Build the box that a certificate says it played, telling what it says was told."""
    _, facts = read_arrays(file, "certificate")
    with understanding(file, "a certificate that this hannan can read"):
        address, groups, hidden = str(facts["game"]), facts["groups"], facts.get("hidden")
        bounds, children = facts["bounds"], facts["children"]
    wanted: Loadable = named_game(file, address, trust) if game is None else game
    if groups == "box":
        return boxed(wanted, hidden=hidden).box
    return boxed(wanted, bounds=bounds, groups=groups, children=children).box
