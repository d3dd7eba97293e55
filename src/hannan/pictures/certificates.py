"""Pictures of certifications: what was proven after how many playthroughs."""

from __future__ import annotations

import io
from os import PathLike

from hannan.certificates.certificate import Certificate
from hannan.files import write_bytes
from hannan.pictures.curves import check_target, drawable, mark, write_ticks


def draw(path: str | PathLike[str], certificate: Certificate) -> None:
    """Draw the gap by playthroughs on log-log scales, and what each side is guaranteed below it; written atomically."""
    kind = check_target(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 6), layout="constrained")
    if certificate.gaps is not None:
        above = figure.subplots()
        below = None
    else:
        above, below = figure.subplots(2, 1, sharex=True)
    at = [bound.playthroughs for bound in certificate.curve]
    above.plot(at, [bound.gap for bound in certificate.curve], marker=mark(len(at)), label="proven gap")
    if certificate.true_gap is not None:
        above.axhline(certificate.true_gap, color="grey", linestyle="--", label="true gap of the last strategy")
    above.set(xscale="log", yscale="log", ylabel="Nash gap" if below is not None else "largest gap of a player")
    write_ticks(above)
    above.legend()
    above.grid(visible=True, alpha=0.3)
    if below is not None:
        below.plot(at, [bound.upper for bound in certificate.curve], label="player 1 leaves player 0 at most")
        below.plot(at, [bound.lower for bound in certificate.curve], label="player 0 earns at least")
        below.set(xscale="log", xlabel="playthroughs", ylabel="utility of player 0")
        below.legend()
        below.grid(visible=True, alpha=0.3)
    else:
        above.set(xlabel="playthroughs")
    title = f"{certificate.game}, confidence {certificate.confidence:.6g}"
    figure.suptitle(drawable(title), parse_math=False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=kind, dpi=150)
    write_bytes(path, drawn.getvalue())
