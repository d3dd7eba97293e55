"""The summary at the top of the page of benchmarks: a row per capability, with its date and commit."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hannan import __version__

HEADER = ("capability", "ours", "peer", "ratio", "measured")
MEASURED = "measured on "


@dataclass(frozen=True)
class Headline:
    """One row of the summary: the first measurement of a group whose measure and peer begin so."""

    capability: str
    group: str
    measure: str
    peer: str = ""


HEADLINES = (
    Headline("One CFR iteration, Leduc", "iterations", "Leduc, an iteration", "LiteEFG"),
    Headline("One CFR iteration, liar's dice", "iterations", "liar's dice-6, an iteration", "OpenSpiel"),
    Headline("NashConv of a strategy, liar's dice", "nashconv", "liar's dice-6, NashConv", "OpenSpiel"),
    Headline("From nothing to NashConv 0.001, liar's dice", "to_gap", "liar's dice-6, to NashConv 0.001, best"),
    Headline("The exact answer, Leduc", "lp", "Leduc, exact", "OpenSpiel"),
    Headline("One sampled iteration, Leduc", "sampling", "Leduc, external sampling, an iteration", "OpenSpiel"),
    Headline("Iteration, 52 million histories", "large", "battleship of 52,081,183 histories, an iteration", "Open"),
    Headline("Iteration, 1.3 billion histories", "large", "liars_dice(faces=5,dice=2), 1,310,719,531 histories, an"),
    Headline("Iteration on a card, 52 million histories", "gpu", "battleship of 52,081,183 histories, an iteration"),
    Headline("Games in a match per second", "matches", "Goofspiel-13, plays", "OpenSpiel"),
    Headline("Tree search, simultaneous moves", "search", "Goofspiel-5, open, points, rm", "published"),
    Headline("Playthroughs certified per second", "certify", "Leduc-13, Cert-MCCFR at 300,000"),
    Headline("Traversals of Deep CFR per second", "neural", "Leduc, Deep CFR's traversals", "OpenSpiel"),
    Headline("All equilibria of a 12 by 12 game", "equilibria", "all equilibria, random 12 by 12"),
    Headline("One iteration, a turn in hold'em", "holdem", "turn_basic, an iteration"),
)


def commit() -> str | None:
    """Return the commit of the clone that contains this package; None outside a clone."""
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short=8", "HEAD"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def stamp(at: str | None = None) -> str:
    """Return the note of a group measured now: its date, and the commit or the version."""
    made = at or commit()
    return f"{MEASURED}{time.strftime('%Y-%m-%d')}, " + (f"commit {made}" if made else f"version {__version__}")


def stamps(notes: Sequence[str]) -> dict[str, str]:
    """Return when each group was measured, from the notes of a page."""
    found = {}
    for note in notes:
        group, _, said = note.removeprefix("- ").partition(": ")
        if said.startswith(MEASURED) and said.removeprefix(MEASURED)[:4].isdigit():
            found[group] = said.removeprefix(MEASURED)
    return found


def table(rows: Sequence[str], measured: Mapping[str, str], this: str | None = None) -> list[str]:
    """Return the lines of the summary.

    `rows` are the lines of the long table. A row says so if its group was not measured on the version `this` (default:
    the commit of this clone).
    """
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    current = this or commit() or f"version {__version__}"
    lines = [_line(HEADER), _line(["---"] * len(HEADER))]
    for headline in HEADLINES:
        for group, measure, ours, peer, ratio, *_ in cells:
            if group == headline.group and measure.startswith(headline.measure) and peer.startswith(headline.peer):
                when = measured.get(group, "on an unknown date")
                if not when.endswith(current):
                    when += "; not on this version"
                lines.append(_line([headline.capability, ours, peer, ratio, when]))
                break
        else:
            lines.append(_line([headline.capability, "", "", "", "not measured"]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
