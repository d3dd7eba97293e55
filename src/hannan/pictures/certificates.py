"""Pictures of certifications: the proven bounds by number of playthroughs."""

from __future__ import annotations

from os import PathLike

from hannan.certificates.certificate import Certificate
from hannan.pictures.curves import mark, write_ticks
from hannan.pictures.figures import blank, check_target, set_title, write_figure


def draw(path: str | PathLike[str], certificate: Certificate) -> None:
    """Draw the gap by playthroughs on log-log scales, and below it each side's guarantee; write the file atomically."""
    kind = check_target(path)
    figure = blank((6, 6))
    joint = certificate.gaps is not None
    axes = figure.subplots(1 if joint else 2, 1, sharex=True, squeeze=False)[:, 0]
    above, last = axes[0], axes[-1]
    at = [bound.playthroughs for bound in certificate.curve]
    above.plot(at, [bound.gap for bound in certificate.curve], marker=mark(len(at)), label="proven gap")
    if certificate.true_gap is not None:
        above.axhline(certificate.true_gap, color="grey", linestyle="--", label="true gap of the last strategy")
    above.set(xscale="log", yscale="log", ylabel="largest gap of a player" if joint else "Nash gap")
    write_ticks(above)
    if not joint:
        last.plot(at, [bound.upper for bound in certificate.curve], label="player 1 leaves player 0 at most")
        last.plot(at, [bound.lower for bound in certificate.curve], label="player 0 earns at least")
        last.set(ylabel="utility of player 0")
    last.set(xlabel="playthroughs")
    for each in axes:
        each.legend()
        each.grid(visible=True, alpha=0.3)
    set_title(figure, above, f"{certificate.game}, confidence {certificate.confidence:.6g}")
    write_figure(path, figure, kind)
