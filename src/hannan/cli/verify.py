"""The command `hannan verify`."""

from __future__ import annotations

from pathlib import Path

from hannan.cli import report
from hannan.cli.options import Json, Trusted, consent
from hannan.cli.report import answer
from hannan.runs import verification
from hannan.runs.status_line import clock_line


def verify(
    file: Path,
    /,
    *,
    replay: bool = False,
    reproduce: bool = False,
    game: str | None = None,
    hidden: int | None = None,
    strategy: Path | None = None,
    rational: bool = False,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Check a certificate or a file of equilibria, sharing no code with what made it.

    Exit code 0: valid. 1: rejected, or not replayed or reproduced as asked. 2: the file is neither of the two.
    A certificate whose digest does not match is damaged and counts as unreadable: 2, too.

    Parameters
    ----------
    file
        A certificate, as `hannan certify --out` writes it, or equilibria, as `hannan equilibria --out` writes them.
    replay
        Play every playthrough again, rebuild the trunk and compare (level `counts`). Without it, counts are believed.
        Of equilibria: compare the payoffs with the game that the file names (level `game`).
    reproduce
        Also run the certification again from its options and compare every number (level `reproduced`).
    game
        Play this game or box again, or compare its payoffs, instead of the one that the file names.
    hidden
        The most different answers that can follow one history, for a box that never shows where chance moves.
    strategy
        The strategy that was certified, if one was given to `hannan certify`; reproducing needs it.
    rational
        Compute with fractions instead of rounding outward; slow.
    """
    with clock_line(f"checking {file}"):
        verdict = verification.verify(
            file, game, replay=replay, reproduce=reproduce, hidden=hidden, strategy=strategy, rational=rational,
            trust=consent(trust, as_json),
        )  # fmt: skip
    answer(as_json, verdict.record(), lambda: report.console().print(str(verdict), soft_wrap=True))
    if not verdict.valid:
        raise SystemExit(1)
