"""A run that is saved and resumed ends in the same bits as one that was never stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save as safetensors_bytes

from hannan.errors import FileError, HannanError, MismatchError, ParameterError
from hannan.files import digest
from hannan.measures.evaluation import cce_gap
from hannan.runs.solve import solve
from hannan.solvers.base import Solver
from hannan.solvers.checkpoint import resume
from hannan.solvers.fullwidth.cfr import CFR
from hannan.solvers.sampling.outcome_sampling import OutcomeSampling
from hannan.strategies.files import save
from tests.averages import average_of, current_of
from tests.methods import FULL_WIDTH, UPDATES, solver_for
from tests.plaingames import Coins, Split

TOTAL = 40

GAMES = ("kuhn_poker", "random_game(seed=3,players=3,hidden=true,chance=2)")
"""A zero-sum game, where little is kept of the correlated play, and one where all of it is."""


def _bits(solver: Solver) -> dict[str, bytes]:
    """Everything a solver can be asked for, to the last bit."""
    profiles = {"average": average_of(solver), "current": current_of(solver)}
    found = {name: b"".join(s.tobytes() for s in profile.strategies) for name, profile in profiles.items()}
    found.update({name: array.tobytes() for name, array in solver.state().items()})
    return {**found, "gap": np.float64(cce_gap(solver) or 0.0).tobytes()}


@pytest.mark.parametrize("stops", [(0,), (1,), (7, 8, 30), (TOTAL,)])
@pytest.mark.parametrize("updates", UPDATES)
@pytest.mark.parametrize("method", FULL_WIDTH)
@pytest.mark.parametrize("address", GAMES)
def test_resumed_runs_end_in_the_same_bits(
    address: str, method: str, updates: str, stops: tuple[int, ...], tmp_path: Path
) -> None:
    whole = solver_for(method, address, iterations=TOTAL, updates=updates)
    whole.run(TOTAL)
    broken = solver_for(method, address, iterations=TOTAL, updates=updates)
    for stop in stops:
        broken.run(stop - broken.iterations)
        broken.save(tmp_path / "x.checkpoint")
        broken = resume(tmp_path / "x.checkpoint")
    broken.run(TOTAL - broken.iterations)
    assert broken.iterations == TOTAL
    assert broken.parameters == whole.parameters
    assert type(broken) is type(whole)
    assert _bits(broken) == _bits(whole)


def test_parameters_come_back(tmp_path: Path) -> None:
    solver = solver_for("dcfr", "kuhn_poker", alpha=2.0, beta=-0.5, gamma=3.0, updates="simultaneous")
    solver.run(3)
    solver.save(tmp_path / "x")
    back = resume(tmp_path / "x")
    assert back.parameters == solver.parameters
    assert (back.parameters["alpha"], back.parameters["beta"], back.parameters["gamma"]) == (2.0, -0.5, 3.0)
    assert back.parameters["updates"] == "simultaneous"
    assert back.game.address == "kuhn_poker"


def test_saving_changes_nothing(tmp_path: Path) -> None:
    solver = CFR("kuhn_poker")
    solver.run(5)
    before = _bits(solver)
    solver.save(tmp_path / "x")
    assert _bits(solver) == before
    resume(tmp_path / "x").run(3)
    assert _bits(solver) == before


def test_a_game_of_ones_own_is_needed_again(tmp_path: Path) -> None:
    solver = CFR(Split())
    solver.run(4)
    solver.save(tmp_path / "x")
    with pytest.raises(FileError, match="belongs to Split, which is not built in: give the game too"):
        resume(tmp_path / "x")
    back = resume(tmp_path / "x", Split())
    solver.run(4)
    back.run(4)
    assert _bits(back) == _bits(solver)


def test_another_game_is_refused(tmp_path: Path) -> None:
    solver = CFR("kuhn_poker")
    solver.save(tmp_path / "x")
    for other in ("leduc_poker", "kuhn_poker(players=3)", Coins()):
        with pytest.raises(MismatchError, match="belongs to kuhn_poker"):
            resume(tmp_path / "x", other)


def test_a_strategy_is_no_checkpoint(tmp_path: Path) -> None:
    save(solve("kuhn_poker", iterations=2).profile, tmp_path / "x")
    with pytest.raises(FileError, match="holds a strategy, not a checkpoint"):
        resume(tmp_path / "x")


def test_a_file_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    CFR("kuhn_poker").save(path)
    data = path.read_bytes()
    for length in (0, 8, 200, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(FileError, match="not a hannan file, or is cut short"):
            resume(path)


def _rewritten(path: Path, change: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> Path:
    """Write a checkpoint and write it again with some facts changed; a fact that becomes MISSING is left out."""
    solver = CFR("matching_pennies")
    solver.run(5)
    solver.save(path)
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    record = json.loads(metadata["hannan"])
    facts = {**record["facts"], **change}
    record["facts"] = {name: fact for name, fact in facts.items() if fact != MISSING}
    held = solver.state() if arrays is None else arrays
    record["digest"] = digest(held, record)
    metadata["hannan"] = json.dumps(record)
    path.write_bytes(safetensors_bytes(held, metadata=metadata))
    return path


MISSING = "left out"


def test_the_rewritten_file_is_good(tmp_path: Path) -> None:
    assert resume(_rewritten(tmp_path / "x", {})).iterations == 5


@pytest.mark.parametrize(
    "change",
    [
        {"method": "no such method"},
        {"method": 3},
        {"method": ["cfr"]},
        {"method": MISSING},
        {"method_parameters": {"updates": "never"}},
        {"method_parameters": {"unknown": 1}},
        {"method_parameters": []},
        {"method_parameters": MISSING},
        {"iterations": "many"},
        {"iterations": None},
        {"iterations": -5},
        {"iterations": MISSING},
        {"hash": MISSING},
        {"game": 7},
    ],
    ids=str,
)
def test_facts_that_make_no_sense_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(HannanError):
        resume(_rewritten(tmp_path / "x", change))


def test_a_state_of_another_shape_is_refused(tmp_path: Path) -> None:
    state = CFR("matching_pennies").state()
    for arrays in ({**state, "regret": np.zeros(2)}, {n: a for n, a in state.items() if n != "regret"}):
        with pytest.raises(FileError, match="does not hold the state of cfr on matching_pennies"):
            resume(_rewritten(tmp_path / "x", {}, arrays))


def _learnt(solver: OutcomeSampling) -> list[bytes]:
    """What a sampler has learnt, and where its random numbers are; how much room its tables have does not matter."""
    policy = solver.policy()
    return [array.tobytes() for array in (policy.probability, policy.size, policy.owner, solver.state()["random0"])]


def test_a_larger_memory_limit_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    game, larger = "liars_dice(dice=5)", 30_000_000
    whole = OutcomeSampling(game, over="rules", table="full", memory_limit=larger, seed=1)
    whole.run(2000)
    assert not whole.stopped
    for limits in ((3_000_000,), (3_000_000, 6_000_000, None)):
        broken = OutcomeSampling(game, over="rules", table="full", memory_limit=limits[0], seed=1)
        for limit in (*limits[1:], larger):
            broken.run(2000 - broken.iterations)
            assert bool(broken.stopped) == (broken.memory_limit is not None)
            broken.save(tmp_path / "x")
            back = resume(tmp_path / "x", memory_limit=limit)
            assert isinstance(back, OutcomeSampling)
            assert (back.memory_limit, back.stopped, back.iterations) == (limit, "", broken.iterations)
            broken = back
        broken.run(2000 - broken.iterations)
        assert (broken.iterations, broken.histories, broken.sets) == (2000, whole.histories, whole.sets)
        assert _learnt(broken) == _learnt(whole)


def test_only_what_changes_no_number_may_change(tmp_path: Path) -> None:
    solver = OutcomeSampling("kuhn_poker", streams=2, seed=3)
    solver.run(10)
    solver.save(tmp_path / "x")
    assert resume(tmp_path / "x", threads=2, seed=3).parameters == {**solver.parameters, "threads": 2}
    with pytest.raises(MismatchError, match="was made with seed=3, not with seed=4; what may change is memory_limit"):
        resume(tmp_path / "x", seed=4)
    with pytest.raises(MismatchError, match="was made with no sede"):
        resume(tmp_path / "x", sede=3)
    with pytest.raises(ParameterError, match="threads=0"):
        resume(tmp_path / "x", threads=0)
    CFR("kuhn_poker").save(tmp_path / "y")
    with pytest.raises(MismatchError, match=r"was made with updates='alternating', not with updates='simultaneous'"):
        resume(tmp_path / "y", updates="simultaneous")
    assert resume(tmp_path / "y", threads=2).parameters["threads"] == 2
