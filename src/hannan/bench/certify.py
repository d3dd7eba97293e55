"""Certificates: seconds for 100,000 playthroughs, bytes per node of the trunk, and the first nontrivial gap."""

from __future__ import annotations

from dataclasses import replace

from hannan.bench import algorithm72, simulators
from hannan.bench.rows import Figure, Row, Say, Section, alone, faster
from hannan.bench.stopwatch import seconds_of
from hannan.certificates.algorithm61 import Resolving
from hannan.certificates.certification import Certification
from hannan.certificates.pseudogame import Confidence
from hannan.experiments.certificates1 import SETTINGS, certified
from hannan.experiments.certificates1_claims import NONTRIVIAL, Setting
from hannan.forms.boxes import boxed

PLAYTHROUGHS, QUICKLY, EVERY = 100_000, 2_000, 1_000
LIMITS = {"cfr": 60.0, "lp": 600.0}
"""The most seconds that 100,000 playthroughs of Goofspiel-4 should take."""

CLOSE, QUICKER, NEAR = 0.0025, 5.0, 1.01
"""A tolerance of `cfr`; how many times faster all its solves should then be than those of HiGHS; and the largest gap at
the end, as a share of that with HiGHS."""

MOST_BYTES = 300.0
FIRST = {"Goofspiel-4": 1_000, "Leduc-13": 25_000}
"""The most playthroughs until a gap is below the range of payoffs."""

SIMILAR = {"Leduc-13": 11_850}
"""The most playthroughs if similar chance nodes are known: half of those without."""

GAPS = {"Goofspiel-4": 1.2}
"""The largest gap after 50,000 playthroughs."""


def run(quick: bool, say: Say) -> Section:
    """Measure; with `quick`, few playthroughs."""
    rows, notes = [], []
    playthroughs = QUICKLY if quick else PLAYTHROUGHS
    works = {}
    for method, limit in LIMITS.items():
        say(f"certify: Goofspiel-4, {method}")
        seconds, work = timed("goofspiel", method, playthroughs)
        works[method] = work
        measure = f"Goofspiel-4, {playthroughs:,} playthroughs, {method}, solved every {EVERY:,}"
        rows.append(alone(measure, Figure("hannan", seconds), most=None if quick else limit))
        share = work.simulator_seconds / seconds
        notes.append(f"{method}: {share:.0%} in the simulator, {work.solve_seconds / seconds:.0%} solving")
    say(f"certify: Goofspiel-4, cfr with tolerance {CLOSE:g}")
    _, close = timed("goofspiel", "cfr", playthroughs, CLOSE)
    rows += _close(close, works["lp"], f"Goofspiel-4, {playthroughs:,} playthroughs", quick)
    size = Figure("hannan", work.trunk.bytes / work.trunk.nodes.used, "bytes")
    rows.append(alone("Goofspiel-4, memory a node of the trunk", size, most=MOST_BYTES))
    rows += algorithm72.run(quick, say)
    rows += simulators.run(quick, say)
    if not quick:
        for setting in SETTINGS:
            say(f"certify: {setting.title}, first nontrivial gap")
            rows.extend(_first(setting))
    notes.append("the radius is the paper's, with merged chance; bounds are the rules', where nothing else is said")
    return Section("certify", tuple(rows), tuple(notes))


def _close(close: Certification, exact: Certification, measure: str, quick: bool) -> list[Row]:
    """Compare first-order solves with those of HiGHS: the seconds of all solves, and the gap at the end."""
    name = f"{measure}, all solves, cfr with tolerance {CLOSE:g}"
    seconds = Figure("hannan", close.solve_seconds), Figure("HiGHS", exact.solve_seconds)
    gap = Figure("hannan", close.bound().gap / exact.bound().gap, "of the gap with HiGHS")
    return [
        faster(name, *seconds, least=None if quick else QUICKER),
        alone(f"{name}, the gap", gap, most=None if quick else NEAR),
    ]


def timed(game: str, method: str, playthroughs: int, tolerance: float | None = None) -> tuple[float, Certification]:
    """Certify with merged chance; return the seconds without compiling."""
    box = boxed(game, groups="rules").box
    Resolving(box, method=method, every=50, seed=2).advance(50)
    work = Resolving(box, method=method, every=EVERY, confidence=Confidence("paper"), seed=1, tolerance=tolerance)
    return seconds_of(lambda: work.advance(playthroughs)), work


def _first(setting: Setting) -> list[Row]:
    """Measure when a gap is below the range of payoffs and, on Goofspiel-4, how small it gets with exact bounds."""
    shorter = replace(setting, playthroughs=50_000, every=100)
    curve = certified(shorter, setting.groups)
    longer = replace(setting, playthroughs=setting.nodes, every=500)
    sampled = certified(longer, setting.groups, method="mccfr")
    rows, measure = [], f"{setting.title}, first nontrivial gap"
    for name, one, most in (
        (measure, curve, FIRST[setting.title]),
        (f"{measure} with Cert-MCCFR", sampled, setting.nodes - 1),
    ):
        first = one.first(NONTRIVIAL * setting.range)
        end = float((first or one.proven[-1]).playthroughs)
        rows.append(alone(name, Figure("hannan", end, "playthroughs", bound=first is None), most=most))
    if setting.title in SIMILAR:
        told = certified(replace(setting, playthroughs=SIMILAR[setting.title], every=100), setting.groups, similar=True)
        first = told.first(NONTRIVIAL * setting.range)
        when = Figure("hannan", float((first or told.proven[-1]).playthroughs), "playthroughs", bound=first is None)
        rows.append(alone(f"{measure}, similar chance nodes told", when, most=SIMILAR[setting.title]))
    measure = f"{setting.title}, gap after {shorter.playthroughs:,} playthroughs"
    rows.append(Row(measure, Figure("hannan", curve.proven[-1].gap, "")))
    if setting.title in GAPS:
        gap = Figure("hannan", certified(shorter, setting.groups, "exact").proven[-1].gap, "")
        rows.append(alone(f"{measure}, exact bounds at each node", gap, most=GAPS[setting.title]))
    return rows
