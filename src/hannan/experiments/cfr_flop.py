"""Figure 2 of the CFR survey on a no-limit hold'em flop: CFR and the averages that CFR+ may take.

The paper's own flop is not public. This one is the flop Td9d6h with ranges of 180 and 265 hands, a pot of 200 and
stacks of 600.
"""

from __future__ import annotations

from hannan import addresses
from hannan.experiments.cfr_averages import METHODS, faster_than_cfr
from hannan.experiments.claims import Report, Say, silent
from hannan.experiments.race import ORDER, panels, race
from hannan.games.holdem.examples import SPOTS

ITERATIONS = 500
QUICK_ITERATIONS = 30


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run the variants on the flop, with `quick` on a river, and judge each against CFR."""
    name, iterations = ("river_range", QUICK_ITERATIONS) if quick else ("flop_small", ITERATIONS)
    label = "no-limit river" if quick else "no-limit flop"
    races = race({label: addresses.write("holdem", SPOTS[name], {})}, METHODS, iterations, say)
    claims = faster_than_cfr(races)
    notes = (
        f"{iterations:,} iterations, alternating updates, 32-bit floats; NashConv in chips, the pot is "
        f"{SPOTS[name]['pot']}. The flop of the paper is not public; this one is Td9d6h, ranges of 180 and 265 hands, "
        "stacks of 600, one bet size per street.",
        "A factor is the ratio of the iterations after which NashConv stays at or below the level at which the slower "
        f"run ends; below 1, CFR is faster. {ORDER:.2f} or more counts as about an order.",
    )
    return Report("cfr_flop", "CFR survey, figure 2 on a no-limit flop", panels(races, ["iterations"]), claims, notes)
