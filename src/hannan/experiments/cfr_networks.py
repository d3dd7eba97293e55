"""Figures 3 and 4 of the CFR survey: Double Neural CFR with robust sampling, Deep CFR's networks, and compression."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hannan.experiments.cfr_compression import QUICK_TRIALS, TRIALS, compression
from hannan.experiments.cfr_neural import DEEP, DOUBLE, NEAR, TIMES, TWIN
from hannan.experiments.cfr_survey import PAPER
from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.race import BY, Curve, counted, panels, told
from hannan.forms.loader import load
from hannan.runs.progress import Limits, Schedule

Methods = Mapping[str, tuple[str, int]]
"""By label: a method with its parameters, and its number of iterations."""

ROBUST: Methods = {
    f"{DOUBLE}, k = 1": ("double-neural(steps=400,actions=1)", 20),
    f"{DOUBLE}, k = 2": ("double-neural(steps=400,actions=2)", 20),
    f"{DOUBLE}, all actions": ("double-neural(steps=400)", 20),
    f"{TWIN}, k = 1": ("double-neural(approximation=table,actions=1)", 20),
    f"{TWIN}, k = 2": ("double-neural(approximation=table,actions=2)", 20),
    f"{TWIN}, all actions": ("double-neural(approximation=table)", 20),
}
DEEPER: Methods = {
    f"{DEEP}, layers, cross-entropy": ("deep-cfr", 40),
    f"{DEEP}, layers, printed loss": ("deep-cfr(loss=squares)", 40),
    f"{DEEP}, branches, printed loss": ("deep-cfr(loss=squares,network=branches)", 40),
}
QUICK_ROBUST: Methods = {
    f"{DOUBLE}, k = 1": ("double-neural(steps=5,traversals=50,units=8,actions=1)", 2),
    f"{DOUBLE}, all actions": ("double-neural(steps=5,traversals=50,units=8)", 2),
    f"{TWIN}, k = 1": ("double-neural(approximation=table,traversals=50,actions=1)", 4),
    f"{TWIN}, all actions": ("double-neural(approximation=table,traversals=50)", 4),
}
QUICK_DEEPER: Methods = {
    f"{DEEP}, layers, cross-entropy": ("deep-cfr(steps=10,policy_steps=20,traversals=50,units=8)", 2),
}

SCHEDULE = Schedule(first=1, spacing=2.0)
"""When NashConv is measured."""

BETTER = 1.25
"""NashConv is better if it is lower by at least this factor at the same number of histories touched."""


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run Double Neural CFR and Deep CFR with the survey's networks, and judge its claims on networks and sampling."""
    name, address = ("Kuhn", "kuhn_poker") if quick else ("Leduc", "leduc_poker")
    robust, deeper = (QUICK_ROBUST, QUICK_DEEPER) if quick else (ROBUST, DEEPER)
    game, runs, histories = load(address).expanded(), dict[str, Curve](), dict[str, list[int]]()
    for label, (method, iterations) in {**robust, **deeper}.items():
        runs[label], histories[label] = counted(game, method, SCHEDULE, Limits(iterations=iterations))
        say(f"{name}, {label}: {told(runs[label])}")
    compressed, compresses, note = compression(QUICK_TRIALS if quick else TRIALS, SCHEDULE, say)
    claims = (_comparable(runs), _robust(runs, histories), _converges(runs, name), compresses)
    notes = (
        "One seed, one thread. An iteration makes the preset's traversals for each player: 1,500 in Leduc. Seconds are "
        "those of iterations, without the training of the network of Deep CFR's average strategy, which only "
        "measurements need.",
        "k is how many of its actions the traverser takes, drawn uniformly (robust sampling); with all actions this is "
        "external sampling.",
        note,
    )
    drawn = (
        *panels({name: {label: runs[label] for label in robust}}, BY, histories),
        *panels({name: {label: runs[label] for label in deeper}}, BY, histories),
        *compressed,
    )
    return Report("cfr_networks", f"{PAPER}: networks and robust sampling on {name}", drawn, claims, notes, rows=3)


def _beginning(runs: Mapping[str, Curve], label: str) -> list[str]:
    return [each for each in runs if each.startswith(label)]


def _comparable(runs: Mapping[str, Curve]) -> Claim:
    """Compare Double Neural CFR with its twin after the same number of iterations, for each k."""
    words, factors, t = [], [], 0
    for label in _beginning(runs, DOUBLE):
        curves = [
            {point.iteration: point.nash_conv for point in runs[each]} for each in (label, label.replace(DOUBLE, TWIN))
        ]
        t = max(set(curves[0]) & set(curves[1]))
        factors.append(curves[0][t] / curves[1][t])
        k = label.removeprefix(f"{DOUBLE}, ")
        words.append(f"{k}: {curves[0][t]:.3g} against {curves[1][t]:.3g}, {factors[-1]:.2f} times")
    text = "Double Neural CFR's performance is comparable to tabular algorithms', for every k (section 3.5)"
    ours = f"NashConv after {t} iterations, against the tabular twin: {'; '.join(words)}"
    return Claim(text, "comparable", ours, max(factors) <= TIMES)


def _robust(runs: Mapping[str, Curve], histories: Mapping[str, Sequence[int]]) -> Claim:
    """Compare fewer actions of the traverser with all of them, after the same number of histories touched."""
    words, better = [], []
    for kind in (DOUBLE, TWIN):
        mine = _beginning(runs, kind)
        most = min(histories[label][-1] for label in mine)
        *some, every = (touched(runs[label], histories[label], most) for label in mine)
        said = ", ".join(
            f"{label.removeprefix(f'{kind}, ')} {gap:.3g}" for label, gap in zip(mine, (*some, every), strict=True)
        )
        words.append(f"{kind} after {most:,} histories: {said}")
        better.append(min(some) * BETTER <= every)
    text = "robust sampling contributes to a better convergence (section 3.5)"
    return Claim(text, "better", f"NashConv of {'; '.join(words)}", better[0])


def touched(curve: Curve, histories: Sequence[int], most: int) -> float:
    """Return NashConv after `most` histories, interpolated linearly between measurements on logarithmic scales."""
    after = next(k for k, many in enumerate(histories) if many >= most)
    if after == 0 or histories[after] == most:
        return curve[after].nash_conv
    low, high = histories[after - 1], histories[after]
    share = math.log(most / low) / math.log(high / low) if low > 0 else 1.0
    return float(curve[after - 1].nash_conv * (curve[after].nash_conv / curve[after - 1].nash_conv) ** share)


def _converges(runs: Mapping[str, Curve], name: str) -> Claim:
    mine = _beginning(runs, DEEP)
    words = "; ".join(f"{label.removeprefix(f'{DEEP}, ')}: {told(runs[label])}" for label in mine)
    text = "Deep CFR converges to an ε-Nash equilibrium, also with the printed loss and with branches (section 3.6)"
    return Claim(text, "an ε", f"{name}: {words}", all(runs[label][-1].nash_conv <= NEAR for label in mine))
