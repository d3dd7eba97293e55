"""Section 3.5 of the CFR survey: how much smaller than a table the networks of Double Neural CFR are, once trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hannan.experiments.cfr_neural import TIMES
from hannan.experiments.claims import Claim, Panel, Say
from hannan.experiments.race import Curve, panels, told
from hannan.forms.loader import load
from hannan.neural.double_neural import DoubleNeuralCFR
from hannan.runs.progress import Limits, Schedule
from hannan.runs.run import Run
from hannan.runs.solve import make_solver
from hannan.runs.solve_work import Solving

TABLE = "table"


@dataclass(frozen=True)
class Trial:
    """A game, and the networks that are compared with a table on it."""

    address: str
    iterations: int
    shared: str
    """Parameters of networks and table."""
    sizes: Mapping[str, str]
    """Labels of networks, and their parameters."""


TRIALS = {
    "liar's dice-6": Trial(
        "liars_dice",
        20,
        "traversals=300",
        {
            "32 units": "units=32,layers=2,steps=200",
            "no memory": "units=32,layers=2,steps=200,rehearse=0",
            "no memory, 400 steps": "units=32,layers=2,steps=400,rehearse=0",
        },
    ),
    "Leduc, 10 ranks": Trial("leduc_poker(ranks=10)", 20, "", {"32 units": "units=32,layers=2,steps=200"}),
}
QUICK_TRIALS = {"Kuhn": Trial("kuhn_poker", 2, "traversals=50", {"4 units": "units=4,layers=1,steps=5"})}


@dataclass(frozen=True)
class Trained:
    """The result of training networks or a table."""

    curve: Curve
    numbers: int
    """The count of numbers that play needs: weights, or two for each sequence."""
    remembered: int
    """The count of numbers in the rows of sets that training keeps in addition."""


def compression(trials: Mapping[str, Trial], schedule: Schedule, say: Say) -> tuple[tuple[Panel, ...], Claim, str]:
    """Train networks and tables; return the panels, the claim and a note."""
    races: dict[str, dict[str, Curve]] = {}
    sentences, held, memory = [], [], []
    for name, trial in trials.items():
        trained = {label: _trained(trial, parameters, schedule) for label, parameters in _runs(trial).items()}
        races[name] = {label: one.curve for label, one in trained.items()}
        table, best = trained.pop(TABLE), False
        for label, one in trained.items():
            say(f"{name}, {label}: {told(one.curve)}, {one.numbers:,} parameters against {table.numbers:,} numbers")
            factor = one.curve[-1].nash_conv / table.curve[-1].nash_conv
            best |= one.numbers < table.numbers and factor <= TIMES
            sentences.append(
                f"{name}, {label}: {one.numbers:,} parameters against {table.numbers:,} numbers, NashConv "
                f"{one.curve[-1].nash_conv:.3g} against {table.curve[-1].nash_conv:.3g} after {trial.iterations} "
                f"iterations: {factor:.2f} times"
            )
            memory.append(f"{name}, {label}: {one.remembered:,} numbers")
        held.append(best)
    text = "networks compress: they are smaller than tables at a comparable performance (section 3.5)"
    note = (
        "A table holds two numbers for each sequence, regret and average; the networks are those of regrets and of "
        "strategies that Double Neural CFR has trained. It also keeps rows of sets to rehearse them, which play does "
        f"not need (`no memory`: rehearse=0): {'; '.join(memory)}."
    )
    claim = Claim(text, "excellent compression", "; ".join(sentences), all(held))
    return panels(races, ("iterations",)), claim, note


def _runs(trial: Trial) -> dict[str, str]:
    """Return the methods by their labels."""
    every = {TABLE: "approximation=table", **trial.sizes}
    return {label: ",".join(filter(None, (parameters, trial.shared))) for label, parameters in every.items()}


def _trained(trial: Trial, parameters: str, schedule: Schedule) -> Trained:
    game = load(trial.address).expanded()
    solver, _ = make_solver(game, f"double-neural({parameters})", None, {})
    assert isinstance(solver, DoubleNeuralCFR)
    run = Run(Solving(solver), Limits(iterations=trial.iterations), schedule=schedule)
    for _ in run.measurements():
        pass
    table = 2 * sum(plex.sequences - 1 for plex in game.form.treeplexes)
    networks = sum(net.parameters for net in solver.parts().values())
    numbers = table if solver.approximation == "table" else networks
    return Trained(tuple(run.curve), numbers, solver.rehearsed * solver.encoding.size)
