"""Certifications on workers: the same bits on every back end, whatever happens to workers; and what is refused."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hannan as hn
from hannan.bench.kills import certification_with_kills
from hannan.certificates import spread
from hannan.certificates.certification import Certification
from hannan.certificates.files import counted
from hannan.certificates.spread import Spread
from hannan.errors import BoxError, ParameterError, PieceError, UnsuitableError
from hannan.forms.boxes import boxed
from hannan.pieces import Workers, workers_of
from hannan.rules.box import Box, View
from hannan.runs.certify import begun
from tests.certificates.boxes import Lottery, Tree

COIN = f"command:{sys.executable} {Path(__file__).parents[1] / 'rules' / 'simulators.py'}"

CASES: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "rules": ("kuhn_poker", {"bounds": "exact", "children": True}, {"method": "lp"}),
    "groups": ("goofspiel(cards=3)", {"groups": "rules"}, {"explore": "responses"}),
    "similar chance nodes": ("leduc_poker(merge_suits=true)", {"similar": True}, {}),
    "plain rules, batches": (Tree(3, 2), {}, {"method": "mccfr", "batch": 32}),
    "compiled rules, batches": ("kuhn_poker", {}, {"method": "mccfr", "batch": 32}),
    "a program": (COIN, {}, {"method": "mccfr"}),
    "hidden chance": (COIN, {"hidden": 3}, {"method": "online-cfr+"}),
    "open outcomes": (Lottery(grouped=True), {}, {}),
    "correlated play": ("kuhn_poker(players=3)", {}, {"batch": 32}),
}
"""A game, what is told of it, and how it is certified."""


@pytest.fixture(scope="module")
def started() -> Iterator[dict[str, Workers]]:
    """Two workers of each kind, started once for all tests of this file. Ray is a small one of our own."""
    import ray

    own = not ray.is_initialized()
    if own:
        ray.init("local", num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False)
    with workers_of("processes", 2) as processes, workers_of("ray", 2) as actors:
        yield {"processes": processes, "ray": actors}
    if own:
        ray.shutdown()


def certified(case: str, workers: Workers | None, playthroughs: int = 120) -> Certification:
    game, told, options = CASES[case]
    box = boxed(game, **told)
    work = begun(box, {"solve_every": 50, **options}, None)
    if workers is not None:
        work.spread = Spread(workers, box.box)
    work.advance(playthroughs)
    work.finish()
    return work


def same(one: Certification, other: Certification) -> None:
    assert one.bound() == other.bound() or np.isnan(one.bound().lower)
    assert (one.bound().gap, one.setup, one.failed) == (other.bound().gap, other.setup, other.failed)
    mine, theirs = (counted(work) | work.state() for work in (one, other))
    assert mine.keys() == theirs.keys()
    for name in mine:
        assert np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype.kind == "f"), name


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_back_end_changes_no_bit(started: dict[str, Workers], case: str) -> None:
    alone = certified(case, None)
    for workers in started.values():
        same(alone, certified(case, workers))


@pytest.mark.slow
def test_kills_at_random_moments_change_no_bit() -> None:
    """Nothing is counted twice, and nothing is lost. A moment may find its worker dead already."""
    killed = certification_with_kills(2000, 5, 0)
    assert killed.kills >= 3
    assert killed.same


class Fatal(Box):
    """Player 0 says yes or no. Yes kills the process in which the box lives, unless it is the one that made it."""

    players, name = 1, "fatal"

    def __init__(self, seeded: bool = True, left: str = "") -> None:
        self.seeded, self.left, self.home = seeded, left, os.getpid()

    def reset(self, seed: int) -> View:
        return View([0.0], [(0.0, 1.0)], (0,), [["no", "yes"]], [""])

    def step(self, moves: tuple[Any, ...]) -> View:
        if moves == ("yes",) and os.getpid() != self.home and not (self.left and os.path.exists(self.left)):
            if self.left:
                Path(self.left).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return View([float(moves == ("yes",))])


@pytest.mark.slow
def test_a_playthrough_that_kills_every_worker_ends_the_run_with_the_certificate_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, box = tmp_path / "fatal", Fatal()
    monkeypatch.setattr(spread, "RETRIES", 1)
    ended = hn.certify(box, playthroughs=40, on="processes", workers=1, checkpoint=checkpoint)
    t = ended.playthroughs + 1
    assert ended.stop == "failed"
    assert ended.failure.startswith(f"playthrough {t}: its worker was lost 2 times; the last time, its process was")
    whole, resumed = hn.certify(box, playthroughs=40), hn.certify(box, playthroughs=40, resume=checkpoint)
    assert whole.work is not None
    assert resumed.work is not None
    same(whole.work, resumed.work)


@pytest.mark.slow
def test_a_lost_playthrough_of_a_box_without_seeds_is_drawn_anew_only_if_that_is_declared(tmp_path: Path) -> None:
    ended = hn.certify(Fatal(seeded=False), playthroughs=40, processes=1)
    assert ended.stop == "failed"
    assert "its worker was lost once" in ended.failure
    assert "could bias the counts" in ended.failure
    box = Fatal(False, str(tmp_path / "mark"))
    declared = hn.certify(box, playthroughs=40, processes=1, failures="independent")
    assert (declared.stop, declared.playthroughs) == ("playthroughs", 40)
    declared.save(tmp_path / "some.certificate")
    believed = hn.verify(tmp_path / "some.certificate").believed
    assert any("failures of workers did not depend on play" in sentence for sentence in believed)


def test_what_cannot_be_split_is_refused() -> None:
    unseeded, lottery = Lottery(seeded=False), Lottery()
    with pytest.raises(UnsuitableError, match=r"cannot repeat a seed, and Ray may lose a playthrough"):
        hn.certify(unseeded, on="ray", method="cfr")
    with pytest.raises(ParameterError, match="leave failures out"):
        hn.certify(lottery, failures="independent")
    with pytest.raises(UnsuitableError, match=r"cannot be split among workers: give a batch, such as batch=64"):
        hn.certify("kuhn_poker", on="processes", method="mccfr")
    with pytest.raises(ParameterError, match=r"only Algorithm 7\.2 takes this"):
        hn.certify("kuhn_poker", method="lp", batch=8)
    with pytest.raises(ParameterError, match="processes=N is another name"):
        hn.certify("kuhn_poker", processes=2, workers=3)
    lottery.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(ParameterError, match="cannot be sent to another process"):
        hn.certify(lottery, on="processes", workers=1)


class Influence(hn.Rules):
    """Player 0 loads a coin in secret. With groups='history' both coins would be one, and that is refused."""

    players, name = 1, "influence"

    def start(self) -> Any:
        return ()

    def turn(self, state: Any) -> Any:
        return (0, hn.CHANCE, hn.END)[len(state)]

    def actions(self, state: Any, player: int) -> list[int]:
        return [0, 1]

    def chance(self, state: Any) -> list[tuple[int, float]]:
        return [(0, 0.25 + state[0] / 2), (1, 0.75 - state[0] / 2)]

    def after(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def observe(self, state: Any, player: int) -> str:
        return ""

    def gains(self, state: Any) -> list[float]:
        return [float(state[1])] if len(state) == 2 else [0.0]

    def bounds(self, state: Any) -> list[tuple[float, float]]:
        return [(0.0, 1.0)] if len(state) < 2 else [(0.0, 0.0)]


@pytest.mark.slow
def test_odds_are_compared_across_workers(started: dict[str, Workers]) -> None:
    """Each worker may have seen one coin alone; the sentence is the one of this process, at the same playthrough."""
    ends = []
    for workers in (None, started["processes"]):
        box = boxed(Influence(), groups="history")
        work = begun(box, {"method": "cfr"}, None)
        if workers is not None:
            work.spread = Spread(workers, box.box)
        with pytest.raises(UnsuitableError, match="players influence chance") as refused:
            work.advance(100)
        ends.append((str(refused.value), work.playthroughs))
    assert ends[0] == ends[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "ends"), [("move-crash", "exit code -9"), ("move-wrong", "gained 7"), ("draw-babble", "")]
)
def test_a_faulty_simulator_on_a_worker_does_what_it_does_here(
    started: dict[str, Workers], fault: str, ends: str, tmp_path: Path
) -> None:
    """It ends the run at the same playthrough and with the same words, or its failures are outcomes of chance."""
    works = []
    for workers in (None, started["processes"]):
        box = boxed(f"{COIN} {fault} {tmp_path / 'mark'} always")
        work = begun(box, {"method": "mccfr"}, None)
        if workers is not None:
            work.spread = Spread(workers, box.box)
        if ends:
            with pytest.raises(BoxError, match=ends):
                work.advance(100)
        else:
            work.advance(30)
            assert work.failed
            assert work.restarts > 0
        works.append(work)
    same(*works)


@pytest.mark.slow
def test_a_run_goes_from_workers_to_this_process_and_back_and_is_made_again(tmp_path: Path) -> None:
    """Observations of plain rules are texts in the checkpoint, and workers recognise them."""
    rules, checkpoint, out = Tree(3, 2), tmp_path / "some.checkpoint", tmp_path / "some.certificate"
    options: dict[str, Any] = {"method": "mccfr", "batch": 16, "solve_every": 50, "seed": 4}
    whole = hn.certify(rules, playthroughs=200, **options)
    hn.certify(rules, playthroughs=90, on="processes", workers=1, checkpoint=checkpoint, **options)
    hn.certify(rules, playthroughs=130, resume=checkpoint)
    done = hn.certify(rules, playthroughs=200, resume=checkpoint, processes=1)
    assert whole.work is not None
    assert done.work is not None
    same(whole.work, done.work)
    done.save(out)
    verdict = hn.verify(out, rules, reproduce=True)
    assert verdict.valid, verdict.reason
    assert verdict.level == "reproduced"


def test_a_piece_error_names_the_playthrough() -> None:
    workers = Spread(workers_of("serial"), Lottery())
    assert workers.sentence(PieceError.lost(3, 2, "its actor died"), 67) == (
        "playthrough 67: its worker was lost 2 times; the last time, its actor died"
    )
