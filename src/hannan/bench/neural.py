"""Neural solvers: traversals compared with OpenSpiel's PyTorch Deep CFR, distance to equilibrium, a large game."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from hannan.arguments import choice, whole
from hannan.bench import peers
from hannan.bench.child import in_child
from hannan.bench.rows import Figure, Row, Say, Section, Target, alone, beside
from hannan.bench.stopwatch import timed
from hannan.errors import UnknownNameError, nearest
from hannan.forms.loader import load
from hannan.measures.appraisal import evaluate
from hannan.runs.match import match
from hannan.runs.solve import solve
from hannan.solvers import method_class

GAME = "leduc_poker"
PEER = "OpenSpiel"

TRAVERSALS, PEER_TRAVERSALS = 1500, 40
"""Traversals of an iteration, and of a slow peer: about a second."""
FASTER = 30.0

KUHN, LEDUC = 0.05, 0.5
LONG = 0.25
"""The NashConv that should be reached on Kuhn, on Leduc, and on Leduc by a long run."""
KUHN_ITERATIONS, LEDUC_ITERATIONS, LONG_ITERATIONS = 40, 80, 150
MINUTES = 30.0
"""CPU minutes within which NashConv on Leduc should be below 0.5."""
DOUBLE_ITERATIONS, DOUBLE_STEPS = 40, 400
TIMES = 1.5
SECONDS_ITERATIONS = 200
"""The most iterations until NashConv is 0.5."""

LARGE = "liars_dice(dice=5)"
LARGE_METHOD = "sd-cfr(actions=2,traversals=500,steps=200,units=64,memory_size=300000)"
LARGE_SECONDS, LARGE_GAMES = 120.0, 10_000
SAMPLER = "mccfr-os"

NOTES = (
    "Traversals: external sampling for one player of Leduc, the network asked at every decision, samples kept in "
    "memory, no training; the same network, three layers of 64, on both sides, one thread.",
    "NashConv is the largest of the seeds'. CPU time is that of the process, training the network of the average "
    "strategy included; with --device cuda the GPU works in addition.",
    "Double Neural CFR and its twin, a table in place of the networks, draw with the same seed and iterate as often.",
    "The large game: both train for the same time on one thread, and then play a match in which each deal is played "
    "from both seats; the figure is the lower bound on the score at 95 %.",
)


@dataclass(frozen=True)
class Choices:
    """The choices of a measurement."""

    quick: bool
    seeds: int
    device: str
    say: Say

    def each_seed(self, **given: Any) -> list[dict[str, Any]]:
        """Return the result of `trained` for each seed, each in its own process, several at once if there are cores."""
        if self.seeds == 1:
            return [trained(seed=0, **given)]
        with ThreadPoolExecutor(max(1, min(self.seeds, (os.cpu_count() or 1) // 2))) as pool:
            waiting = [pool.submit(in_child, "neural:trained", None, seed=seed, **given) for seed in range(self.seeds)]
            return [one.result() for one in waiting]

    def solver(self, method: str, address: str, **parameters: Any) -> Any:
        """Make a solver on the chosen device."""
        kind: Any = method_class(method)
        return kind(address, device=self.device, **parameters)


def trained(method: str, address: str, iterations: int, seed: int, **parameters: Any) -> dict[str, Any]:
    """Train, and return the average strategy's NashConv with the CPU seconds that it took."""
    kind: Any = method_class(method)
    begun = time.process_time()
    solver = kind(address, seed=seed, **parameters)
    solver.run(iterations)
    return {"nash_conv": evaluate(solver.game, solver.average()).nash_conv, "cpu": time.process_time() - begun}


def run(quick: bool, say: Say, *, row: str | None = None, seeds: int = 3, device: str = "cpu") -> Section:
    """Measure one row by its name, or all of them."""
    choice("device", device, ("cpu", "cuda"))
    if row is not None and row not in ROWS:
        raise UnknownNameError(f"row {row!r} does not exist{nearest(row, ROWS)}")
    if find_spec("torch") is None:
        return Section("neural", (), ("torch is not installed: pip install 'hannan[neural]' brings it",))
    choices = Choices(quick, 1 if quick else whole("seeds", seeds), device, say)
    names = [row] if row is not None else list(ROWS)
    rows = []
    for name in names:
        say(f"neural: {name}, on {device}")
        rows.append(ROWS[name](choices))
    return Section("neural", tuple(rows), NOTES)


def _on(choices: Choices, name: str) -> str:
    return name if choices.device == "cpu" else f"{name}, {choices.device}"


def traversals(choices: Choices) -> Row:
    """Measure traversals per second, ours and OpenSpiel's in turns."""
    solver = choices.solver("deep-cfr", GAME, traversals=TRAVERSALS, steps=1, layers=3, units=64)
    solver.prepare()
    solver.run(1)
    theirs = _peer_traversals(choices)
    ours, other = [], []
    for t in range(2, 3 if choices.quick else 7):
        begun = time.perf_counter()
        for player in (0, 1):
            regrets, policies = solver.traverse(t, player)
            solver._memories[f"advantage{player}"].add(regrets, t)
            solver._remember(policies, t)
        ours.append(2 * TRAVERSALS / (time.perf_counter() - begun))
        if theirs is not None:
            other.append(theirs())
    mine = _rates("hannan", ours)
    peer = _rates(peers.title(PEER), other) if other else None
    return beside(_on(choices, "Leduc, Deep CFR's traversals"), mine, peer, Target(FASTER))


def _rates(by: str, rates: list[float]) -> Figure:
    return Figure(by, sorted(rates)[len(rates) // 2], "traversals/s", min(rates), max(rates))


def _peer_traversals(choices: Choices) -> Callable[[], float] | None:
    """Return a function that makes traversals by OpenSpiel's PyTorch solver, and returns their number per second."""
    try:
        import pyspiel
        from open_spiel.python.pytorch import deep_cfr
    except ImportError as error:
        choices.say(f"neural: OpenSpiel's PyTorch solver cannot be imported ({error}): its figure is left out")
        return None

    layers = (64, 64, 64)
    solver = deep_cfr.DeepCFRSolver(
        pyspiel.load_game(GAME), policy_network_layers=layers, advantage_network_layers=layers, device=choices.device,
        num_iterations=1, num_traversals=1,
    )  # fmt: skip
    solver._traverse_game_tree(solver._root_node, 0)
    many = 4 if choices.quick else PEER_TRAVERSALS

    def task(count: int) -> None:
        for k in range(count):
            solver._traverse_game_tree(solver._root_node, k % 2)

    return lambda: 1 / timed(task, many)


def _nash_conv(choices: Choices, address: str, iterations: int, most: float, name: str, **parameters: Any) -> Row:
    """Return the largest NashConv of Deep CFR after `iterations` iterations, over the seeds."""
    given = {"method": "deep-cfr", "address": address, "device": choices.device, **parameters}
    worst, spent = [], []
    for seed, told in enumerate(choices.each_seed(iterations=2 if choices.quick else iterations, **given)):
        worst.append(told["nash_conv"])
        spent.append(told["cpu"])
        choices.say(f"neural: {name}, seed {seed}: NashConv {worst[-1]:.4f} in {spent[-1] / 60:.1f} CPU minutes")
    note = f"{choices.seeds} seed{'s' * (choices.seeds > 1)}, {max(spent) / 60:.1f} CPU minutes each at most"
    ours = Figure("hannan", max(worst), "NashConv", min(worst), max(worst))
    return alone(_on(choices, name), ours, most=most, note=note)


def kuhn(choices: Choices) -> Row:
    """Deep CFR on Kuhn poker."""
    return _nash_conv(choices, "kuhn_poker", KUHN_ITERATIONS, KUHN, f"Kuhn, Deep CFR, {KUHN_ITERATIONS} iterations")


def leduc(choices: Choices) -> Row:
    """Deep CFR on Leduc poker."""
    name = f"Leduc, Deep CFR, {LEDUC_ITERATIONS} iterations (within {MINUTES:g} CPU minutes)"
    return _nash_conv(choices, GAME, LEDUC_ITERATIONS, LEDUC, name)


def leduc_long(choices: Choices) -> Row:
    """Deep CFR on Leduc poker, for a long time."""
    name = f"Leduc, Deep CFR, preset long, {LONG_ITERATIONS} iterations"
    return _nash_conv(choices, GAME, LONG_ITERATIONS, LONG, name, preset="long")


def double(choices: Choices) -> Row:
    """Compare Double Neural CFR with its tabular twin."""
    game, iterations = ("kuhn_poker", 3) if choices.quick else (GAME, DOUBLE_ITERATIONS)
    pairs = []
    given = {"method": "double-neural", "address": game, "iterations": iterations, "steps": DOUBLE_STEPS}
    both = [choices.each_seed(approximation=one, device=choices.device, **given) for one in ("network", "table")]
    for seed, told in enumerate(zip(*both, strict=True)):
        pairs.append([one["nash_conv"] for one in told])
        choices.say(f"neural: double, seed {seed}: NashConv {pairs[-1][0]:.4f}, of its twin {pairs[-1][1]:.4f}")
    worst = max(pairs, key=lambda pair: pair[0] / pair[1])
    ours, twin = (Figure(by, gap, "NashConv") for by, gap in zip(("hannan", "its tabular twin"), worst, strict=True))
    name = f"{'Kuhn' if choices.quick else 'Leduc'}, Double Neural CFR, {iterations} iterations"
    measure = _on(choices, f"{name}, the worst of {choices.seeds} seeds")
    return beside(measure, ours, twin, Target(TIMES, least=False))


def seconds(choices: Choices) -> Row:
    """Measure the seconds until Deep CFR's stored networks have NashConv 0.5 on Leduc."""
    solver = choices.solver("sd-cfr", GAME, seed=0)
    solver.prepare()
    spent = 0.0
    for _ in range(2 if choices.quick else SECONDS_ITERATIONS):
        spent += timed(solver.run, 1)
        if evaluate(solver.game, solver.average()).nash_conv <= LEDUC:
            break
    name = _on(choices, f"Leduc, SD-CFR: seconds of training to NashConv {LEDUC}")
    return Row(name, Figure("hannan", spent, bound=choices.quick), note=f"{solver.iterations} iterations")


def large(choices: Choices) -> Row:
    """A match of a trained policy against a sampler's, with equal wall time, on a game too large for a table."""
    time_each, games = (2.0, 20) if choices.quick else (LARGE_SECONDS, LARGE_GAMES)
    game = load(LARGE)
    ours = solve(game, LARGE_METHOD, seconds=time_each, seed=0, device=choices.device)
    theirs = solve(game, SAMPLER, seconds=time_each, seed=0)
    result = match(game, ours.strategy, theirs.strategy, games=games, seed=0)
    score, width = result.scores[0], result.half_widths[0]
    figure = Figure("hannan", score - width, "a game")
    note = (
        f"score {score:.3f}, off by at most {width:.3f}, {ours.iterations} iterations in {ours.seconds:.0f} s against "
        f"{theirs.iterations:,} of {SAMPLER} in {theirs.seconds:.0f} s (stopped by: {theirs.stop})"
    )
    name = _on(choices, f"liar's dice with five dice, {games:,} games, {time_each:g} s of training each")
    return alone(name, figure, least=0.0, note=note)


ROWS: dict[str, Callable[[Choices], Row]] = {
    "traversals": traversals,
    "kuhn": kuhn,
    "leduc": leduc,
    "leduc-long": leduc_long,
    "double": double,
    "seconds": seconds,
    "large": large,
}
"""The functions that measure the rows, by name."""
