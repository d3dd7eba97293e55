"""The command `hannan certify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from hannan.certificates.certificate import Certificate
from hannan.certificates.playing import BoxError
from hannan.cli import report
from hannan.cli.options import Json, Whole
from hannan.cli.output import answer
from hannan.pictures.certificates import draw
from hannan.pictures.curves import check_target
from hannan.runs import certify as runs
from hannan.runs.watching import duration
from hannan.strategies.files import save


def certify(
    game: str,
    /,
    *,
    playthroughs: Whole | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    method: str = "auto",
    radius: Literal["anytime", "paper"] = "anytime",
    confidence: float | None = None,
    bounds: str = "auto",
    groups: Literal["none", "history", "rules", "known"] = "none",
    children: bool = False,
    strategy: Path | None = None,
    solve_every: Whole = 100,
    expansion: Literal["path", "first"] = "path",
    explore: str | None = None,
    seed: Whole = 0,
    check: bool = False,
    out: Path | None = None,
    profile: Path | None = None,
    plot: Path | None = None,
    checkpoint: Path | None = None,
    every: float = 60.0,
    resume: Path | None = None,
    as_json: Json = False,
) -> None:
    """Play a black box, get a strategy with a guarantee.

    Stops at the first limit that is reached; without one, after 10,000 playthroughs. Ctrl-C ends the run with the
    certificate so far. A box that breaks a promise does so too: the certificate of the moment before is kept, and the
    exit code is 2.

    Parameters
    ----------
    game
        A black box as module:place:factory, or any game; of the rules of a game nothing is used but what is told.
    playthroughs
        Stop after this many.
    seconds
        Stop after this much time.
    gap
        Stop when the proven gap is at most this.
    method
        How to solve: lp (HiGHS), cfr (our own full-width method), induction (perfect information), or auto.
    radius
        anytime holds at all moments together; paper is equation 5.2, for one moment.
    confidence
        The probability with which everything is true, 0.999 where not given; only with anytime.
    bounds
        What is told of gains: rules (what the rules write), exact (an expanded game's), or LOW,HIGH for the whole game.
    groups
        What is told of chance: none; history (players do not influence it); rules (the groups of the rules); known.
    children
        Tell gains and bounds of children before they are visited.
    strategy
        Certify this strategy file instead of finding one.
    solve_every
        Solve after so many playthroughs.
    expansion
        Expand all nodes on the path of play, or the first new one only.
    explore
        How to explore: optimistic, pessimistic, uniform or responses.
    seed
        The master seed.
    check
        Compare with the true gap, where the game can be expanded.
    out
        Save the certificate here.
    profile
        Save the strategy here.
    plot
        Draw what was proven, by playthroughs, here (.png, .svg or .pdf).
    checkpoint
        Save the whole state here from time to time, and every playthrough in a journal beside it.
    every
        Seconds between two checkpoints.
    resume
        Continue from this checkpoint; only the playthrough that was under way is lost.
    """
    if plot is not None:
        check_target(plot)
    certificate = runs.certify(
        game,
        playthroughs=playthroughs,
        seconds=seconds,
        gap=gap,
        method=method,
        radius=radius,
        confidence=confidence,
        bounds=bounds,
        groups=groups,
        children=children,
        strategy=strategy,
        solve_every=solve_every,
        expansion=expansion,
        explore=explore,
        seed=seed,
        check=check,
        checkpoint=checkpoint,
        every=every,
        resume=resume,
        progress=True,
    )
    try:
        answer(as_json, certificate.record(), lambda: _print(certificate))
    finally:  # neither is lost if the other fails
        if out is not None:
            certificate.save(out)
    if profile is not None:
        save(certificate.strategy, profile)
    if plot is not None:
        draw(plot, certificate)
    if out is not None and not as_json:
        report.console().print(f"written to {out}; check it with hannan verify {out}")
    if certificate.failure:
        raise BoxError(certificate.failure)


def _print(certificate: Certificate) -> None:
    facts = certificate.record()
    share = certificate.simulator_seconds / max(certificate.seconds, 1e-9)
    rows: dict[str, Any] = {
        "gap": f"at most {facts['gap']:.9g}, with probability {facts['confidence']:.9g}",
        "guarantees": facts["guarantees"],
        "value to player 0": f"{facts['value_bounds'][0]:.9g} to {facts['value_bounds'][1]:.9g}",
        "true gap": facts["true_gap"],
        "playthroughs": facts["playthroughs"],
        "trunk": f"{facts['trunk']:,} nodes, {facts['expanded']:,} of them expanded",
        "believed": f"bounds: {facts['bounds']}; chance: {facts['groups']}",
        "method": f"{facts['method']}, radius {facts['radius']}",
        "time": f"{duration(certificate.seconds)}, {share:.0%} of it in the simulator",
        "stop": facts["stop"],
        "seed": facts["seed"] if certificate.seeded else "none: the box cannot repeat itself, and no count be replayed",
    }
    if certificate.true_gap is None:
        del rows["true gap"]
    report.facts(f"certificate of {certificate.game}", rows)
