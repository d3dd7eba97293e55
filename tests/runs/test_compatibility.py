"""Files that version 0.1.0 wrote: read, and continued to the bits to which that version continued them.

`NAME.checkpoint` was saved after 30 iterations and `NAME.later.checkpoint` after 20 more, by that version.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.files import read_arrays
from hannan.kernels.sampling.records import WALKS
from hannan.runs.log import read_log
from hannan.runs.solve import solve
from hannan.solvers.sampling.sampler import Sampling
from hannan.strategies.locks import Locks
from tests.plaingames import Split

pytestmark = pytest.mark.filterwarnings("ignore::hannan.files.OldFileWarning")

FILES = Path(__file__).parent / "files" / "0.1.0"
CHECKPOINTS = sorted({path.name.split(".")[0] for path in FILES.glob("*.later.checkpoint*")})
LOCKS: Locks = {1: {"Kb": {"b": 1}, "Jp": {"p": 0.5, "b": 0.5}}}
GIVEN: dict[str, Any] = {"own": Split(), "own-rules": Split(), "locked": hn.lock("kuhn_poker", LOCKS)}
"""Games that a checkpoint of that version does not say: those that are not built in, and locks."""


def unpacked(name: str, folder: Path) -> Path:
    """Return a file of that version; those of growing tables are stored compressed."""
    path = FILES / name
    if path.exists():
        return path
    (folder / name).write_bytes(gzip.decompress((FILES / f"{name}.gz").read_bytes()))
    return folder / name


def bits(arrays: Mapping[str, Any]) -> dict[str, bytes]:
    """What has been learnt. Of counters, those that tell how many histories are remembered do not matter."""
    counted = {name: array[: WALKS + 1] if name.startswith("counts") else array for name, array in arrays.items()}
    return {name: array.tobytes() for name, array in counted.items()}


def today(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of that version under the names of today: `on` of samplers is `over`."""
    return {"over" if name == "on" else name: value for name, value in parameters.items()}


def test_every_family_is_there() -> None:
    assert {"cfr", "dcfr", "pcfr+", "einr", "mccfr-os", "mccfr-os-rules", "vr-mccfr", "lp", *GIVEN} <= set(CHECKPOINTS)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoints_go_on_to_the_same_bits(name: str, tmp_path: Path) -> None:
    solver = hn.resume(unpacked(f"{name}.checkpoint", tmp_path), GIVEN.get(name))
    solver.run(20)
    arrays, facts = read_arrays(unpacked(f"{name}.later.checkpoint", tmp_path), "checkpoint")
    assert solver.iterations == facts["iterations"] == (1 if name == "lp" else 50)
    assert today(facts["method_parameters"]).items() <= json.loads(json.dumps(solver.parameters)).items()
    ours = {
        name: array for name, array in solver.state().items() if not name.startswith("names")
    }  # it named no actions
    assert set(ours) == set(arrays)
    assert bits(ours) == bits(arrays)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_what_this_version_saves_of_them_is_the_same(name: str, tmp_path: Path) -> None:
    """The state, and everything that version said of it."""
    path = unpacked(f"{name}.checkpoint", tmp_path)
    hn.resume(path, GIVEN.get(name)).save(tmp_path / "again")
    arrays, facts = read_arrays(path, "checkpoint")
    again, said = read_arrays(tmp_path / "again", "checkpoint")
    assert bits({name: again[name] for name in arrays}) == bits(arrays)
    assert {name.rstrip("0") for name in again.keys() - arrays.keys()} <= {"names"}
    parameters = today(facts["method_parameters"])
    assert parameters.items() <= said["method_parameters"].items()  # some methods have more today
    assert facts["hash"] in ("", said["hash"])  # games that were played had none
    changed = ("seconds", "curve", "method_parameters", "hash", *(("built_in", "locks") if name == "locked" else ()))
    assert {key: fact for key, fact in said.items() if key not in changed} == {
        key: fact for key, fact in facts.items() if key not in changed
    }


def test_a_locked_run_goes_on_where_the_locks_are_given_again() -> None:
    result = hn.solve("kuhn_poker", locks=LOCKS, resume=FILES / "locked.checkpoint", iterations=50)
    whole = hn.solve("kuhn_poker", "cfr", locks=LOCKS, iterations=50)
    assert {**result.record(), "seconds": 0} == {**whole.record(), "seconds": 0}


def test_a_run_goes_on(tmp_path: Path) -> None:
    """Its clock and its curve come back, and its log is continued."""
    facts = read_arrays(FILES / "run.checkpoint", "checkpoint")[1]
    (tmp_path / "run.log").write_bytes((FILES / "run.log").read_bytes())
    run = solve.begin(None, resume=FILES / "run.checkpoint", iterations=58, log=tmp_path / "run.log")
    assert run.seconds == facts["seconds"]
    result = run.finish()
    assert [point.iteration for point in result.curve[-4:]] == [33, 40, 48, 58]
    whole = hn.solve("kuhn_poker", "cfr+", iterations=58)
    assert [point.iteration for point in result.curve] == [point.iteration for point in whole.curve]
    gaps = [[point.gap for point in curve] for curve in (result.curve, whole.curve)]
    assert gaps[0] == pytest.approx(gaps[1], rel=1e-13)  # that version added up in another order
    assert gaps[0][-2:] == gaps[1][-2:]
    assert result.curve[:-2] == tuple(type(whole.curve[0])(*point) for point in facts["curve"])
    assert read_log(tmp_path / "run.log").curve == result.curve


def test_positions_go_on_under_their_new_name() -> None:
    """`path` and `from_` of that version are `at` today. The value is worked out by hand in tests/cli/test_exact.py."""
    solver = hn.resume(FILES / "position.checkpoint")
    assert solver.parameters["at"] == "(1,3)"
    solver.run(1)
    assert isinstance(solver, hn.methods.BackwardInduction)
    assert solver.proof().value == pytest.approx(-2 / 3, abs=1e-12)
    rest = hn.search(resume=FILES / "position.search", iterations=80, at="(1,2)")
    game = "goofspiel(cards=3,information=open,order=descending)"
    whole = hn.search(game, "rm", at="(1,2)", iterations=80, nodes=2000, seed=3)
    assert {**rest.record(), "seconds": 0} == {**whole.record(), "seconds": 0}
    with pytest.raises(hn.errors.MismatchError, match=r"made with at='\(1,2\)'"):
        hn.search(resume=FILES / "position.search", at="(1,3)")


STRATEGIES: dict[str, Any] = {"kuhn": "kuhn_poker", "own": Split()}


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("named", [True, False], ids=["for a game", "by itself"])
def test_strategies_are_read(name: str, named: bool) -> None:
    """The same bits as that version's solver comes to here."""
    path, game = FILES / f"{name}.strategy", STRATEGIES[name]
    if name == "own" and not named:
        with pytest.raises(hn.errors.FileError, match="belongs to Split, which is not built in"):
            hn.read(path)
        return
    profile = hn.read(path, game if named else None)
    assert isinstance(profile, hn.Profile)
    method = {"kuhn": "cfr+", "own": "cfr"}[name]
    again = hn.solve(game, method, iterations=30).profile
    assert [s.tobytes() for s in profile.strategies] == [s.tobytes() for s in again.strategies]
    facts, ours = dict(profile.facts), dict(again.facts)
    for name in ("gap", "nash_conv"):  # that version added up in another order
        assert facts.pop(name) == pytest.approx(ours.pop(name), rel=1e-13)
    assert facts == ours


@pytest.mark.parametrize("name", STRATEGIES)
def test_policies_are_read(name: str) -> None:
    policy = hn.read(FILES / f"{name}.policy", STRATEGIES[name])
    assert isinstance(policy, hn.Policy)
    solver = hn.methods.OutcomeSampling(STRATEGIES[name], over="rules", seed=3)
    assert isinstance(solver, Sampling)
    solver.run(30)
    again = solver.policy()
    assert policy.probability.tobytes() == again.probability.tobytes()
    assert np.array_equal(policy.parent, again.parent)
    assert dict(policy.facts) == dict(again.facts)


def test_a_matrix_of_payoffs_is_found_without_parameters_that_came_later() -> None:
    """Labels of rows and columns are new: those files name the payoffs alone."""
    game = [[1, -1, 0], [0, 2, -1]]
    for name in ("matrix.strategy", "matrix.policy"):
        assert hn.evaluate(hn.read(FILES / name)).gains == hn.evaluate(hn.read(FILES / name, game)).gains
    known = hn.evaluate(hn.read(FILES / "matrix.strategy")).nash_conv
    assert hn.solve(resume=FILES / "matrix.checkpoint", iterations=20).nash_conv == pytest.approx(known, abs=1e-12)
