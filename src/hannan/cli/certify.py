"""The command `hannan certify`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from cyclopts import Parameter

from hannan.certificates.certificate import Certificate, Stop
from hannan.certificates.playthrough import BoxError
from hannan.cli import report
from hannan.cli.options import LOG, PLOT, Json, Trusted, Whole, check_targets, consent
from hannan.cli.report import answer
from hannan.errors import ParameterError
from hannan.pictures.certificates import draw
from hannan.runs.certify import certify as certifying
from hannan.runs.status_line import duration
from hannan.strategies.files import save


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Ends:
    """When to stop."""

    playthroughs: Whole | None = None
    """Stop after this many."""
    seconds: float | None = None
    """Stop after this much time."""
    gap: float | None = None
    """Stop when the proven gap is at most this."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Told:
    """What is believed of the box, and how it is played."""

    bounds: str | None = None
    """What is told of gains: rules (what the rules write), exact (an expanded game's), or LOW,HIGH for the whole game:
    of player 0, and of every player where gains are not zero-sum. Where not given, what the box or the rules tell, else
    the exact ones."""
    groups: Literal["none", "history", "rules", "known"] | None = None
    """What is told of chance: none (the default); history (players do not influence it); rules (the groups of the
    rules); known (the odds)."""
    children: bool | None = None
    """Tell gains and bounds of children before they are visited; not, where not given."""
    hidden: Whole | None = None
    """The box never shows its chance nodes: how many different answers can follow one history at most."""
    processes: Whole | None = None
    """Of a command: how many run at once, 1 where not given; the bits are the same."""
    timeout: float | None = None
    """Of a command: seconds for one answer; 60 where not given."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Proof:
    """What is proven, and by which algorithm."""

    method: str | None = None
    """Algorithm 6.1, solving again and again: lp (HiGHS), cfr (our own full-width method), induction (perfect
    information). Algorithm 7.2, one iteration a playthrough: mccfr, online-cfr, online-cfr+, online-pcfr+. The
    default, auto, begins with the first and changes to mccfr where solving would take far longer than playing."""
    equilibrium: Literal["auto", "nash", "cce"] | None = None
    """nash (two players, zero-sum, or one) or cce: correlated play of any game, with a gap for each player. auto, the
    default, takes cce for three players and more."""
    radius: Literal["anytime", "paper"] | None = None
    """anytime, the default, holds at all moments together; paper is equation 5.2, for one moment."""
    confidence: float | None = None
    """The probability with which everything is true, 0.999 where not given; only with anytime."""
    strategy: Path | None = None
    """Certify this strategy file instead of finding one."""
    solve_every: Whole | None = None
    """Solve (Algorithm 7.2: measure) after so many playthroughs; 100 where not given, and for Algorithm 7.2 at moments
    that grow apart."""
    expansion: Literal["path", "first"] | None = None
    """Expand all nodes on the path of play, which is the default, or the first new one only."""
    explore: str | None = None
    """How Algorithm 6.1 explores: optimistic (the default), pessimistic, uniform or responses."""
    iterates: Whole | None = None
    """Of correlated play: how many profiles are kept at least; 32 where not given."""
    seed: Whole | None = None
    """The master seed; 0 where not given."""
    check: bool = False
    """Compare with the true gap, where the game can be expanded."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Targets:
    """Where results are written."""

    out: Path | None = None
    """Save the certificate here."""
    profile: Path | None = None
    """Save the strategy here."""
    plot: Path | None = None
    """Draw what was proven, by playthroughs, here (.png, .svg or .pdf)."""
    log: Path | None = None
    """Write every gap that was proven here, a line each, while the run goes on; hannan plot compares such logs."""


STOPS: dict[Stop, str] = {
    "gap": "the gap was reached",
    "playthroughs": "all playthroughs were made",
    "seconds": "time was up",
    "interrupted": "interrupted",
    "failed": "the box broke a promise",
}

_NO_ENDS, _NOTHING_TOLD, _DEFAULT, _NOWHERE = Ends(), Told(), Proof(), Targets()


def certify(
    game: str | None = None,
    /,
    *,
    until: Ends = _NO_ENDS,
    proof: Proof = _DEFAULT,
    told: Told = _NOTHING_TOLD,
    targets: Targets = _NOWHERE,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    trust: Trusted = False,
    as_json: Json = False,
) -> None:
    """Play a black box, get a strategy with a guarantee.

    Stops at the first limit that is reached; without one, after 10,000 playthroughs. Ctrl-C ends the run with the
    certificate so far. A box that breaks a promise does so too: the certificate of the moment before is kept, and the
    exit code is 2.

    Parameters
    ----------
    game
        A simulator as "command:./sim --flag", a black box as module:place:factory, or any game; of the rules of a game
        nothing is used but what is told. With --resume, a built-in game and one of OpenSpiel's need not be named again.
    checkpoint
        Save the whole state here from time to time, and every playthrough in a journal beside it.
    every
        Seconds between two checkpoints.
    resume
        Continue from this checkpoint with the options that it began with; only the playthrough that was under way is
        lost.
    """
    check_targets(
        {
            "--out": targets.out, "--profile": targets.profile, PLOT: targets.plot, LOG: targets.log,
            "--checkpoint": checkpoint,
        },
        (game, proof.strategy),
    )  # fmt: skip
    run = certifying.begin(
        game, **vars(until), **vars(proof), **vars(told), checkpoint=checkpoint, every=every, resume=resume,
        log=targets.log, progress=True, trust=consent(trust, as_json),
    )  # fmt: skip
    certificate = run.finish()
    _write(certificate, targets, as_json)
    if run.unsaved is not None:
        raise run.unsaved
    if not as_json:
        _name_files({**vars(targets), "checkpoint": checkpoint})
    if certificate.failure:
        raise BoxError(certificate.failure)


def _write(certificate: Certificate, targets: Targets, as_json: bool) -> None:
    """Print a certificate, and write what is wanted of it."""
    try:
        answer(as_json, certificate.record(), lambda: _print(certificate))
    finally:  # none is lost if another fails
        with ExitStack() as stack:
            if targets.plot is not None:
                stack.callback(draw, targets.plot, certificate)
            if targets.profile is not None:
                stack.callback(_keep_profile, targets.profile, certificate)
            if targets.out is not None:
                stack.callback(certificate.save, targets.out)


def _name_files(written: Mapping[str, Path | None]) -> None:
    """Say where each file is."""
    names = {"strategy": "profile", "plot": "plot", "log": "log", "checkpoint": "checkpoint"}
    report.name_files(False, {what: written[option] for what, option in names.items()})
    if written["out"] is not None:
        report.console().print(f"certificate written to {written['out']}; check it with hannan verify {written['out']}")


def _keep_profile(path: Path, certificate: Certificate) -> None:
    if certificate.gaps is not None:
        raise ParameterError("correlated play is no profile: --out keeps it, and hannan.read_correlated reads it")
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
        "believed": f"bounds: {facts['bounds']}; chance: {facts['groups']}",
        "method": f"{facts['method']}, radius {facts['radius']}",
        "why": certificate.why or None,
        "uncertainty": _uncertainty(certificate),
        "failures": _failures(certificate),
        "time": duration(certificate.seconds) + ("" if share is None else f", {share:.0%} of it in the simulator"),
        "stopped": STOPS[certificate.stop],
        "seed": facts["seed"] if certificate.seeded else "none: the box cannot repeat itself, and no count be replayed",
    }
    rows = {name: row for name, row in rows.items() if row is not None}
    report.facts(f"certificate of {certificate.game}", rows)


def _as_told(certificate: Certificate) -> str:
    """Say that a gap is no news, where it is what the bounds on gains say of any strategy."""
    if certificate.work is None:
        return ""
    nodes = certificate.work.trunk.nodes
    told = float(np.max(nodes.high[0] - nodes.low[0]))
    return "; so much is true of any strategy, by the bounds on gains: play more" if certificate.gap >= told else ""


def _uncertainty(certificate: Certificate) -> str | None:
    """Compare U of Definition 5.4 with what Theorem 5.5 says of it."""
    if certificate.uncertainty is None or certificate.uncertainty_bound is None:
        return None
    return f"{certificate.uncertainty:.4g}, and by Theorem 5.5 at most {certificate.uncertainty_bound:.4g}"


def _failures(certificate: Certificate) -> str | None:
    """Say how often a simulator failed; nothing where it never did."""
    if not certificate.failures and not certificate.restarts:
        return None
    share = certificate.failures / max(certificate.playthroughs, 1)
    reason = f", last because of: {certificate.trouble}" if certificate.trouble else ""
    return (
        f"{certificate.failures} playthroughs ({share:.2%}) without an answer; restarted {certificate.restarts} times"
        f"{reason}"
    )
