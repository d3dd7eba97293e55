"""The command `hannan certify`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from hannan.certificates.certificate import Certificate, Stop
from hannan.cli import report
from hannan.cli.options import Json, check_targets, consent, offering
from hannan.cli.report import answer
from hannan.errors import BoxError, ParameterError
from hannan.pictures.certificates import draw
from hannan.runs.certify import certify as certifying
from hannan.runs.status_line import duration
from hannan.strategies.files import save

STOPS: dict[Stop, str] = {
    "gap": "the gap was reached",
    "playthroughs": "all playthroughs were made",
    "seconds": "time was up",
    "interrupted": "interrupted",
    "failed": "the box broke a promise, or workers failed",
}

UNNOTICED = 0.01
"""The largest share of playthroughs without an answer that needs no warning."""


@offering(certifying)
def certify(
    game: str | None = None,
    /,
    *,
    out: Path | None = None,
    profile: Path | None = None,
    plot: Path | None = None,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Play a black box, get a strategy with a guarantee.

    Stops at the first limit that is reached; without one, after 10,000 playthroughs. Ctrl-C ends the run with the
    certificate so far. If the box breaks a promise, the run ends with the certificate before that playthrough and exit
    code 2. A resumed run takes its options from the checkpoint; only the playthrough that was under way is lost.

    Parameters
    ----------
    out
        Save the certificate here.
    profile
        Save the strategy here.
    plot
        Draw the proven bounds by playthroughs here (.png, .svg or .pdf).
    """
    written = {"out": out, "profile": profile, "plot": plot}
    written |= {name: given.get(name) for name in ("log", "checkpoint")}
    check_targets({f"--{name}": path for name, path in written.items()}, (game, given.get("strategy")))
    given["trust"] = consent(given.get("trust", False), as_json)
    run = certifying.begin(game, progress=True, **given)
    certificate = run.finish()
    _write(certificate, out, profile, plot, as_json)
    if certificate.failures > UNNOTICED * certificate.playthroughs:
        report.note(
            f"the simulator did not answer in {certificate.failures} of {certificate.playthroughs:,} playthroughs; "
            "each counts as the worst outcome of chance, so the gap is wider: hannan check names the reason"
        )
    if run.unsaved is not None:
        raise run.unsaved
    if not as_json:
        _name_files(written)
    if certificate.failure:
        raise BoxError(certificate.failure)


def _write(certificate: Certificate, out: Path | None, profile: Path | None, plot: Path | None, as_json: bool) -> None:
    """Print a certificate, and write the files that were asked for."""
    try:
        answer(as_json, certificate.record(), lambda: _print(certificate))
    finally:  # if one fails, the others are still written
        with ExitStack() as stack:
            if plot is not None:
                stack.callback(draw, plot, certificate)
            if profile is not None:
                stack.callback(_keep_profile, profile, certificate)
            if out is not None:
                stack.callback(certificate.save, out)


def _name_files(written: Mapping[str, Path | None]) -> None:
    """Print where each file was written."""
    names = {"strategy": "profile", "plot": "plot", "log": "log", "checkpoint": "checkpoint"}
    report.name_files(False, {what: written[option] for what, option in names.items()})
    if written["out"] is not None:
        report.console().print(f"certificate written to {written['out']}; check it with hannan verify {written['out']}")


def _keep_profile(path: Path, certificate: Certificate) -> None:
    if certificate.gaps is not None:
        raise ParameterError("correlated play is not a profile; save it with --out and read it with hannan.read")
    save(certificate.strategy, path)


def _print(certificate: Certificate) -> None:
    facts = certificate.record()
    inside = certificate.simulator_seconds
    share = None if inside is None else inside / max(certificate.seconds, 1e-9)
    rows: dict[str, Any] = {
        "gap": f"at most {facts['gap']:.9g}, with probability {facts['confidence']:.9g}{_as_told(certificate)}",
        "gaps": facts["gaps"],
        "guarantees": facts["guarantees"],
        "value to player 0": facts["value_bounds"] and "{:.9g} to {:.9g}".format(*facts["value_bounds"]),
        "true gap": facts["true_gap"],
        "playthroughs": facts["playthroughs"],
        "trunk": f"{facts['trunk']:,} nodes, {facts['expanded']:,} of them expanded",
        "believed": f"bounds: {facts['bounds']}; chance: {facts['groups']}"
        + ("; similar chance nodes" if facts["similar"] else ""),
        "method": f"{facts['method']}, radius {facts['radius']}",
        "why": certificate.why or None,
        "by all rounds": _rounds(certificate),
        "uncertainty": _uncertainty(certificate),
        "failures": _failures(certificate),
        "time": duration(certificate.seconds) + ("" if share is None else f", {share:.0%} of it in the simulator"),
        "stopped": STOPS[certificate.stop],
        "seed": facts["seed"] if certificate.seeded else "none (the box is not reproducible: no count can be replayed)",
    }
    rows = {name: row for name, row in rows.items() if row is not None}
    report.facts(f"certificate of {certificate.game}", rows)


def _as_told(certificate: Certificate) -> str:
    """Return a remark if the gap follows from the bounds on gains alone, for any strategy."""
    if certificate.work is None:
        return ""
    nodes = certificate.work.trunk.nodes
    told = float(np.max(nodes.high[0] - nodes.low[0]))
    return "; by the bounds on gains alone, any strategy has this gap: play more" if certificate.gap >= told else ""


def _rounds(certificate: Certificate) -> str | None:
    """Return the gap that follows from all rounds of Algorithm 7.2, and whether the proven gap rests on it."""
    if certificate.rounds_gap is None:
        return None
    bounds = [] if certificate.work is None else certificate.work.bound().of
    rests = "; the gap rests on it, and only --reproduce verifies that" if bounds else ""
    return f"at most {certificate.rounds_gap:.9g} (section 7.3){rests}"


def _uncertainty(certificate: Certificate) -> str | None:
    """Return U of Definition 5.4, and its bound by Theorem 5.5."""
    if certificate.uncertainty is None or certificate.uncertainty_bound is None:
        return None
    return f"{certificate.uncertainty:.4g}, and by Theorem 5.5 at most {certificate.uncertainty_bound:.4g}"


def _failures(certificate: Certificate) -> str | None:
    """Return how often a simulator failed; None if it never did."""
    if not certificate.failures and not certificate.restarts:
        return None
    share = certificate.failures / max(certificate.playthroughs, 1)
    reason = f", last because of: {certificate.trouble}" if certificate.trouble else ""
    return (
        f"{certificate.failures} playthroughs ({share:.2%}) without an answer; restarted {certificate.restarts} times"
        f"{reason}"
    )
