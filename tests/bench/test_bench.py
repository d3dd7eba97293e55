"""The benchmarks: that they run, say what is missing, count what they say they count, and write one table."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hannan.bench import (
    GROUPS,
    auto,
    groups,
    iterations,
    measure,
    nashconv,
    page,
    peers,
    sampling,
    scripts,
    stopwatch,
    to_gap,
)
from hannan.bench.child import in_child, in_time, peak
from hannan.bench.floor import Bandwidth, traffic
from hannan.bench.profile import shares
from hannan.bench.rows import Figure, Row, Section, Target, faster, quantity
from hannan.bench.stopwatch import QUICK, Effort, Task, busy, figure, interleaved, repeated
from hannan.cli import main
from hannan.errors import FileError, HannanError, UnknownNameError
from hannan.forms.loader import load_expanded as load
from hannan.measures.appraisal import evaluate
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from tests.clock import Clock

EXAMPLE = Path(__file__).parents[2] / "examples" / "leduc.py"


def quiet(_: str) -> None:
    pass


def section(name: str, *rows: Row) -> Section:
    return Section(name, rows or (faster("an iteration", Figure("hannan", 2e-6), Figure("peer", 1e-3), 60),), ("how",))


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.86e-5, "s", "18.6 µs"),
        (5e-10, "s", "0.5 ns"),
        (0.25, "s", "250 ms"),
        (72.0, "s", "72 s"),
        (6_310_000.0, "histories/s", "6.31 million histories/s"),
        (8.39e9, "bytes", "8.39 billion bytes"),
        (141_679.0, "histories/s", "141,679 histories/s"),
        (76.4, "bytes/history", "76.4 bytes/history"),
    ],
)
def test_quantities_are_written_in_the_unit_that_suits(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


@pytest.mark.parametrize(
    ("target", "ratio", "ours", "met"),
    [
        (Target(60), 65.7, 1.0, True),
        (Target(60), 59.9, 1.0, False),
        (Target(3, least=False), 5.1, 1.0, False),
        (Target(3, least=False), 3.0, 1.0, True),
        (Target(60), None, 1.0, None),
        (Target(100, least=False, of="ours"), None, 76.4, True),
        (Target(4e6, of="ours"), None, 3.9e6, False),
    ],
)
def test_a_target_is_met_or_not(target: Target, ratio: float | None, ours: float, met: bool | None) -> None:
    assert Row("m", Figure("hannan", ours), None, ratio, target).met is met


def test_a_row_for_people_and_for_machines() -> None:
    row = faster("exact", Figure("hannan", 0.08, low=0.07, high=0.09), Figure("pygambit", 120.0, bound=True), 2)
    assert row.ratio == pytest.approx(1500)
    assert row.cells == [
        "exact",
        f"80 ms (70{chr(0x2013)}90 ms)",
        "pygambit: > 120 s",
        f"> 1,500{chr(0xD7)}",
        f"≥ 2{chr(0xD7)}",
        "yes",
    ]
    record = row.record()
    assert list(record) == ["measure", "ours", "peer", "ratio", "target", "met", "note"]
    assert json.loads(json.dumps(record))["ours"]["low"] == 0.07


def test_figures_are_medians_with_quartiles() -> None:
    found = figure("hannan", [1.0, 2.0, 3.0, 4.0, 100.0])
    assert (found.low, found.value, found.high) == (2.0, 3.0, 4.0)
    rate = figure("hannan", [1.0, 2.0, 4.0], "histories/s", 100)
    assert (rate.value, rate.unit) == (50.0, "histories/s")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time stands still but for what a task says it takes."""
    clock = Clock()
    for module in (stopwatch, to_gap):
        monkeypatch.setattr(module, "time", clock)
    return clock


def test_tasks_are_timed_in_turns_and_quick_ones_in_batches(clock: Clock) -> None:
    """One takes 100 µs and one 40 ms: a turn of 20 ms is 200 of the one and one of the other."""
    done: list[tuple[str, int]] = []

    def task(name: str, pause: float) -> Task:
        def go(count: int) -> None:
            done.append((name, count))
            clock.sleep(count * pause)

        return go

    times = interleaved([task("quick", 1e-4), task("slow", 0.04)], QUICK)
    assert times[0] == pytest.approx([1e-4] * len(times[0]))
    assert times[1] == pytest.approx([0.04] * len(times[0]))
    assert QUICK.fewest <= len(times[0]) <= QUICK.most
    turns = done[-2 * len(times[0]) :]
    assert [name for name, _ in turns] == ["quick", "slow"] * len(times[0])
    assert {count for name, count in turns if name == "slow"} == {1}
    assert all(200 <= count <= 201 for name, count in turns if name == "quick")


def test_turns_can_be_long_and_are_as_many_for_all(clock: Clock) -> None:
    """A task that gets ten times faster after a while is given more to do, so that its turns stay as long."""
    spent: list[float] = []
    done = [0]

    def learner(count: int) -> None:
        spent.append(count * (1e-3 if done[0] < 100 else 1e-4))
        done[0] += count
        clock.sleep(spent[-1])

    times = interleaved([learner, lambda count: clock.sleep(1e-3 * count)], Effort(0.0, 5, 5, batch=0.05))
    assert [len(turns) for turns in times] == [5, 5]
    assert min(spent[-5:]) == pytest.approx(0.005, rel=0.03)  # the turn in which it has become faster
    assert spent[-2:] == pytest.approx([0.05] * 2, rel=0.03)


def test_what_is_repeated_is_done_so_often() -> None:
    done: list[int] = []
    repeated(lambda: done.append(1))(7)
    assert len(done) == 7


def test_how_busy_others_are(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 ticks of all cores together, 50 were work: a quarter of the cores."""
    ticks = iter([(100, 400), (150, 600)])
    monkeypatch.setattr(stopwatch, "_ticks", lambda: next(ticks))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert busy() == 2.0
    monkeypatch.setattr(stopwatch, "_ticks", lambda: None)
    assert busy() is None


@pytest.mark.slow
def test_quick_iterations_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "iterations", "--quick", "--json", "--out", str(tmp_path / "b.md")])
    assert stop.value.code == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["machine", "missing", "quick", "groups"]
    (found,) = record["groups"]
    assert found["name"] == "iterations"
    floor = found["rows"][-1]
    assert floor["measure"] == "Kuhn, an iteration above the floor"
    assert floor["ratio"] == pytest.approx(floor["ours"]["value"] / floor["peer"]["value"])
    peer_rows = found["rows"][:-1]
    assert len(peer_rows) == 2 - len({"OpenSpiel", "LiteEFG"} & set(record["missing"]))
    for row in peer_rows:
        assert row["note"] == ""  # both sides came to the same NashConv
        assert row["ratio"] == pytest.approx(row["peer"]["value"] / row["ours"]["value"])
    assert "| iterations | Kuhn, an iteration above the floor |" in (tmp_path / "b.md").read_text("utf-8")


@pytest.mark.slow
def test_quick_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sampling.run(True, quiet)
    names = [row.measure for row in found.rows]
    speeds = [name for name in names if "to NashConv" not in name]
    kinds = ["an iteration", "a history", "an iteration on rules", "two streams on two threads"]
    if "OpenSpiel" in peers.missing():
        kinds = kinds[1:]
    assert speeds == [f"Kuhn, {sampler}, {kind}" for sampler in sampling.SAMPLERS for kind in kinds]
    assert all(row.ours.value > 0 for row in found.rows)
    assert not any(row.target for row in found.rows)  # those are for other games
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert sampling._openspiel(load("kuhn_poker"), "OutcomeSamplingMCCFRSolver") is None


@pytest.mark.slow
def test_what_a_turn_of_a_sampler_counts() -> None:
    """Every walk of matching pennies, for either player, touches the root and one end: 4 histories an iteration."""
    game = load("matrix_game(payoffs=[[1,-1],[-1,1]])")
    ran: list[int] = []
    solvers = [OutcomeSampling(game, seed=1), OutcomeSampling(game, streams=2, threads=2)]
    _, histories = sampling._timed([*solvers], [ran.append], quick=True)
    assert histories == [4.0, 8.0]
    assert ran[0] == sampling.QUICKLY_LEARNT


def test_a_race_of_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted again by hand; a run that does not arrive is a bound; ratios are of iterations."""
    game = load("kuhn_poker")
    counts = []
    for seed in range(3):
        solver = OutcomeSampling(game, seed=seed)
        gap = 1.0
        while gap > 0.1:
            solver.run(1000)  # fewer than 8,000 are needed, so that steps do not grow
            gap = evaluate(game, solver.average()).nash_conv
        counts.append(solver.iterations)
    assert max(counts) < 8000
    found = sampling.reach(game, sampling.PLAIN, quick=True)
    assert (found.value, found.bound) == (sorted(counts)[1], False)
    monkeypatch.setattr(sampling, "NASH_CONV", 0.0)
    monkeypatch.setattr(sampling, "QUICK_MOST", 2500)
    late = sampling.reach(game, sampling.PLAIN, quick=True)
    assert (late.value, late.bound) == (2500, True)
    given = {label: Figure(label, 60.0 / (k + 1), "iterations") for k, label in enumerate(sampling.RACERS)}
    rows = sampling.race("Leduc", given, Figure("there", 120.0, "iterations"))
    assert [row.ratio for row in rows[:5]] == pytest.approx([2, 4, 2, 6, 3])
    assert [row.target.number for row in rows if row.target] == [5.0, 30.0]
    assert [row.ratio for row in sampling.race("Leduc", given, None)[:2]] == pytest.approx([2, 3])


@pytest.mark.slow
@pytest.mark.parametrize("peer", ["pyspiel", "LiteEFG"])
def test_a_missing_peer_is_named_and_left_out(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, peer, None)  # importing it fails now
    name = {"pyspiel": "OpenSpiel"}.get(peer, peer)
    assert name in peers.missing()
    for module in (iterations, nashconv):
        found = module.run(True, quiet)
        assert found.rows
        assert not any(row.peer and row.peer.by.startswith(name) for row in found.rows)
        assert any(note.startswith(f"{name} is not installed") for note in found.notes)


def test_the_same_game_is_found_under_any_address() -> None:
    assert peers.openspiel_address(load("liars_dice")) == "liars_dice"
    assert "imp_info=true,num_cards=4" in (peers.openspiel_address(load(iterations.GOOFSPIEL)) or "")
    assert peers.openspiel_address(load("leduc_poker(ranks=4)")) is None


def test_the_floor_counts_every_byte_once() -> None:
    """Matching pennies, plain layout: 6 sequences, 2 sets, 4 payoffs stored for each player, by hand."""
    game = load("matrix_game(payoffs=[[1,-1],[-1,1]])")
    payoffs = 8 * 4 + 8 * 8 + 8 * 7  # sequence numbers, payoffs, pointers to rows
    sets = 2 * 3 * 4  # first sequence, size, parent
    learnt = 5 * 8 * 6
    assert traffic(game).moved == payoffs + 2 * sets + 2 * learnt
    pointers = 2 * 8 * 3  # where players begin
    assert traffic(game).held == payoffs + sets + learnt + pointers


def test_a_sweep_moves_what_it_says() -> None:
    sweep = Bandwidth(16_000)
    assert sweep.moved == 24_000
    sweep.task(60)
    assert np.all(sweep._a == 2.0)  # the limit of a/2 + 1


@pytest.mark.slow
@pytest.mark.parametrize("address", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize(
    ("times", "wanted"),
    [((10.0, 5.0, 3.0), (0.5, 0.3, 0.2)), ((7.0, 5.0, 3.0), (0.625, 0.375, 0.0))],
    ids=["parts below the whole", "parts above the whole"],
)
def test_shares_of_an_iteration(
    address: str, times: tuple[float, ...], wanted: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is neither gradients nor averages is regrets; where the parts took longer than the whole, there is none."""

    def measured(tasks: Sequence[Task], effort: Effort) -> list[list[float]]:
        for task in tasks:
            task(2)
        return [[time] for time in times]

    monkeypatch.setattr(sys.modules["hannan.bench.profile"], "interleaved", measured)
    assert tuple(shares(load(address), quick=True).values()) == pytest.approx(wanted)


def test_a_race_counts_iterations_and_stops(clock: Clock) -> None:
    """The gap after t iterations is 1/t²: at 33, the first measurement after 31.6, it is below 1e-3."""
    done = [0]

    def iterate(count: int) -> None:
        done[0] += count
        clock.sleep(0.01 * count)

    iterations_needed, seconds, gap = to_gap.until(iterate, lambda: 1 / done[0] ** 2, limit=10.0)
    assert (iterations_needed, gap) == (33, 1 / 33**2)
    assert seconds == pytest.approx(0.33)
    iterations_needed, seconds, gap = to_gap.until(iterate, lambda: 1.0, limit=0.255)
    assert (iterations_needed, gap) == (26, 1.0)
    assert seconds == pytest.approx(0.26)


@pytest.mark.slow
def test_auto_stands_beside_the_best_single_method() -> None:
    section = auto.run(True, lambda said: None)
    cases = section.rows[: len(auto.GAPS)]
    assert all(row.peer is not None and row.ratio == row.ours.value / row.peer.value for row in cases)
    assert {row.peer.by for row in cases if row.peer} <= {*auto.EXACT, *auto.SINGLE}
    assert section.rows[-1].ours.value == max(row.ratio for row in cases if row.ratio)


@pytest.mark.slow
def test_a_process_of_its_own(tmp_path: Path) -> None:
    found = in_child("memory:solve", address="kuhn_poker")
    assert 0 < found["imported"] <= found["loaded"] <= found["after"]
    assert found["histories"] == 58
    assert peak() > 10_000_000
    with pytest.raises(HannanError, match="lp:solved failed in its own process"):
        in_child("lp:solved", address="no_such_game")
    assert in_time("lp:solved", 0.0, address="kuhn_poker") is None


def test_the_example_is_the_built_in_game() -> None:
    ours, built_in = load(f"{EXAMPLE}:Leduc"), load("leduc_poker")
    assert ours.tree.nodes == built_in.tree.nodes == 9_457
    assert ours.form.hash == built_in.form.hash


def long_table(path: Path) -> list[str]:
    """Return the lines from the table of all groups on, of which nothing depends on the load of the machine."""
    text = path.read_text("utf-8")
    return text[text.index("| group |") :].splitlines()


def test_the_page_is_one_table_and_a_group_can_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.md"
    page.write([section(name) for name in GROUPS], path)
    before = long_table(path)
    lines = [line for line in before if line.startswith("|")]
    assert len(lines) == 2 + len(GROUPS)
    assert len({line.count("|") for line in lines}) == 1
    page.write([section("memory", Row("new", Figure("hannan", 1.0, "bytes/history")))], path)
    after = long_table(path)
    changed = [line for line in after if line not in before]
    assert changed == ["| memory | new | 1 bytes/history |  |  |  |  |"]
    assert [line.split(" ")[1] for line in after if line.startswith("| ")][2:] == list(GROUPS)
    page.write([section(name) for name in GROUPS], path)
    assert long_table(path) == before
    with pytest.raises(FileError):
        page.write([section("memory")], tmp_path)


def test_names_of_groups_and_scripts() -> None:
    assert groups() == list(GROUPS)
    assert groups("lp") == ["lp"]
    with pytest.raises(UnknownNameError, match="did you mean 'iterations'"):
        groups("iteration")
    assert "einr" in scripts()
    assert not set(scripts()) & set(GROUPS)


def test_every_group_has_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    called: list[Any] = []
    for module in GROUPS:
        monkeypatch.setattr(
            importlib.import_module(f"hannan.bench.{module}"), "run", lambda quick, say: called.append(quick)
        )
    assert list(measure(None, True, quiet)) == [None] * len(GROUPS)
    assert called == [True] * len(GROUPS)


def test_a_page_that_is_none_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"\xff\x00")
    with pytest.raises(FileError, match="not UTF-8"):
        page.write([section("memory")], path)
    assert path.read_bytes() == b"\xff\x00"


def test_a_wrong_method_is_refused_before_anything_is_measured() -> None:
    said: list[str] = []
    with pytest.raises(UnknownNameError, match="method 'nope' does not exist"):
        to_gap.run(True, said.append, "nope")
    assert said == []
