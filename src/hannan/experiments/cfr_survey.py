"""The CFR survey's comparison, widened: every full-width method on four games, by iterations and by seconds."""

from __future__ import annotations

from collections.abc import Mapping

from hannan.experiments.claims import Claim, Report, Say, silent
from hannan.experiments.race import ORDER, Races, about_an_order, geometric_mean, panels, race, speedup
from hannan.forms.loader import load
from hannan.solvers.base import Solver
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.fullwidth.cfr_plus import Averaging, CFRPlus

PAPER = "Rahmani Hanzaki, Toulabinejad, CFR survey"

GAMES = {
    "Leduc": "leduc_poker",
    "liar's dice-5": "liars_dice(faces=5)",
    "Goofspiel-4": "goofspiel(cards=4)",
    "battleship 2 by 2": "battleship",
}

QUICK_GAMES = {"Kuhn": "kuhn_poker", "Goofspiel-3": "goofspiel(cards=3)"}

ITERATIONS = 4000
QUICK_ITERATIONS = 60

CLEARLY = 1.25
"""How many times fewer iterations than CFR+ a method needs, geometric mean over games, to be called faster."""


def methods(iterations: int) -> dict[str, str]:
    """Return every full-width method's address, by label; HS-DCFR is planned for `iterations` iterations."""
    return {
        **{name.upper(): name for name in ("cfr", "cfr+", "lcfr", "dcfr", "dcfr+", "pcfr+", "pdcfr+")},
        "HS-DCFR": f"hs-dcfr(horizon={iterations})",
        "CFR, Hedge": "cfr-hedge(rate=30.0, decreasing=true)",
        "EINR": "einr",
        "KOMWU": "komwu",
    }


def report(quick: bool = False, say: Say = silent) -> Report:
    """Run all methods on all games, and judge the survey's claims on CFR+."""
    games, iterations = (QUICK_GAMES, QUICK_ITERATIONS) if quick else (GAMES, ITERATIONS)
    races = race(games, methods(iterations), iterations, say)
    notes: tuple[str, ...] = (
        f"{iterations:,} iterations with alternating updates (EINR and KOMWU: simultaneous), default parameters; CFR "
        "with Hedge: rate 30/√t. Seconds are those of solving only, on one core.",
        "A factor is the ratio of the iterations after which NashConv stays at or below the level at which the slower "
        "run ends. "
        f"“About an order” means {ORDER:.2f} or more (nearer to 10 than to 1 on a logarithmic scale) as the geometric "
        "mean over the games, and in most of them.",
        "On battleship 2 by 2 the discounting methods reach an exact equilibrium within a few iterations and stay "
        "there: factors there are bounded by the number of iterations and not by the method.",
    )
    if quick:
        notes = notes[:-1]  # without battleship
    notes += (
        "State is the data kept between iterations. CFR and CFR+ with an average keep four numbers per sequence "
        "(regret, strategy, reach, average), CFR+ without an average keeps three. Figure 2 shows which of them "
        "converges an order faster.",
    )
    text = "CFR+ converges approximately an order of magnitude faster than CFR (section 3.4)"
    claims = (about_an_order("CFR+", text, races), *memory(games), best(races))
    return Report("cfr_survey", f"{PAPER}: all full-width methods", panels(races, ["iterations", "seconds"]), claims,
                  notes, rows=2)  # fmt: skip


def memory(games: Mapping[str, str]) -> list[Claim]:
    """Judge whether CFR+ needs less memory than CFR: with its average, and with the last strategies as the answer."""
    loaded = {name: load(address).expanded() for name, address in games.items()}
    claims = []
    kinds: dict[str, Averaging] = {"CFR+": "linear", "CFR+ that takes its last strategies": "last"}
    for label, averaging in kinds.items():
        sizes = {
            name: [_state_bytes(solver) for solver in (CFRPlus(game, averaging=averaging), CFR(game))]
            for name, game in loaded.items()
        }
        told = ", ".join(f"{name} {ours:,} against {theirs:,}" for name, (ours, theirs) in sizes.items())
        less = all(ours < theirs for ours, theirs in sizes.values())
        claims.append(
            Claim(f"{label} requires less memory than CFR (section 3.4)", "less", f"bytes of state: {told}", less)
        )
    return claims


def _state_bytes(solver: Solver) -> int:
    return sum(array.nbytes for array in solver.state().values())


def best(races: Races) -> Claim:
    """Judge whether any method here is clearly faster than CFR+."""
    labels = [label for label in next(iter(races.values())) if label != "CFR+"]
    factors = {
        game: {label: speedup(curves[label], curves["CFR+"]) for label in labels} for game, curves in races.items()
    }
    means = {label: geometric_mean(factor[label] for factor in factors.values()) for label in labels}
    ahead = sorted((label for label in labels if means[label] >= CLEARLY), key=lambda label: -means[label])
    firsts = {game: max(labels, key=lambda label: factor[label]) for game, factor in factors.items()}
    ours = "fewer iterations on the mean: " + (
        ", ".join(f"{label} {means[label]:.1f} times" for label in ahead) or "none"
    )
    ours += "; first in each game: " + ", ".join(
        f"{game} {label} {factors[game][label]:.1f} times" if factors[game][label] > 1 else f"{game} CFR+"
        for game, label in firsts.items()
    )
    return Claim("CFR+ methods are the state of the art (section 3.4)", "none faster", ours, not ahead)
