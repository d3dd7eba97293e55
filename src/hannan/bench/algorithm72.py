"""Algorithm 7.2 with outcome sampling on compiled rules: playthroughs per second, early and late in a run."""

from __future__ import annotations

from hannan.bench.rows import Figure, Row, Say, alone
from hannan.bench.stopwatch import seconds_of, timed
from hannan.certificates.algorithm72 import Regretting
from hannan.certificates.pseudogame import Confidence
from hannan.forms.boxes import boxed

GAME = "leduc_poker(ranks=13,merge_suits=true)"
AT, QUICKLY = 100_000, 4_000
FASTEST = 300_000.0
"""The fewest playthroughs per second at 100,000 playthroughs."""

NEVER = 1 << 40
"""Playthroughs between measurements: more than a run makes."""


def run(quick: bool, say: Say) -> list[Row]:
    """Measure on Leduc-13 with merged chance; measurements of the gap are timed separately."""
    say("certify: Leduc-13, Cert-MCCFR")
    at = QUICKLY if quick else AT
    work = Regretting(boxed(GAME, groups="history").box, every=NEVER, confidence=Confidence("paper"), seed=1)
    work.advance(10)  # everything is compiled now
    rates = []
    for last in (at - at // 10, at, 3 * at - at // 10, 3 * at):
        rates.append(1 / timed(work.advance, last - work.playthroughs))
    early, late = (Figure("hannan", rate, "playthroughs/s") for rate in rates[1::2])
    seconds, nodes = seconds_of(work._measure), work.trunk.nodes.used
    return [
        alone(f"Leduc-13, Cert-MCCFR at {at:,} playthroughs", early, least=None if quick else FASTEST),
        Row(f"Leduc-13, Cert-MCCFR at {3 * at:,} playthroughs, {nodes:,} nodes", late),
        Row(f"Leduc-13, measuring the gap at {3 * at:,} playthroughs", Figure("hannan", seconds)),
    ]
